"""Grammars of answers that are messages with headers (`headers`): where another format has text, they have a message.

    free       messages, calls among them; the first call is the last message if there may be one only
    required   messages that are calls
    named      one call of the one tool
    none       messages without calls

Any spelling that ends a body may end a message. None need end the last one: hosts stop at some of them (`<|call|>`), which then are no
text.

Narrower than the parser on purpose: a forced answer holds no message to the user before its calls, as in any other format, nor thoughts
between them, for a turn ends with its call. A call's header names the channel that calls are written in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from unbraid.core.bind import Machine
from unbraid.core.grammar import NAME_CAP, WHITESPACE
from unbraid.shell.headers import AnyWord, Blank, Header, Messages, Named, Piece, Told
from unbraid.shell.markers import mark, spelled
from unbraid.shell.tag_nodes import Node, any_text, either, json_schema, literal, optional, regex, sequence, star
from unbraid.shell.wire import Mark

WORD: Final = "[a-z_]{1,16}"


def leading(machine: Machine, kinds: Messages, header: Header) -> Node:
    """Any number of messages with this header, each with what leads to the next one."""
    return star(sequence([*_text(machine, kinds, header), *_next(machine, kinds)]))


def said(machine: Machine, kinds: Messages, node: Node) -> Node:
    """A message to the user that says `node`."""
    return sequence([*_header(machine, kinds.texts[0]), node, optional(_end(machine, kinds))])


def answer(machine: Machine, kinds: Messages, schemas: Mapping[str, object], *, forced: bool, several: bool) -> Node:
    """Messages. `schemas`: what may be called, with the schemas of their arguments; `forced`: all of them are calls."""
    texts = [sequence(_text(machine, kinds, header)) for header in kinds.texts]
    call = either([_call(machine, kinds, name, schema) for name, schema in schemas.items()]) if schemas else None
    last = optional(_end(machine, kinds))
    if forced and call is not None:
        more = [star(sequence([*_next(machine, kinds), call]))] if several else []
        return sequence([call, *more, last])
    if kinds.thoughts is not None:
        texts.append(sequence(_text(machine, kinds, kinds.thoughts)))
    every = either([call, *texts]) if call is not None else either(texts)
    before = every if several else either(texts)
    return sequence([star(sequence([before, *_next(machine, kinds)])), every, last])


def unwritable(kinds: Messages, name: str) -> str | None:
    """What in a tool's name would end it; None if nothing would."""
    ends = [*WHITESPACE, "<", *kinds.live]
    return next((word for word in ends if word in name), name[NAME_CAP // 2 :] or None) if name else ""


def _text(machine: Machine, kinds: Messages, header: Header) -> list[Node]:
    away = dict.fromkeys((*kinds.live, *machine.format.specials))
    return [*_header(machine, header), any_text(list(away))]


def _next(machine: Machine, kinds: Messages) -> list[Node]:
    """The end of a body, and what stands before the next header."""
    return [_end(machine, kinds), *_header(machine, kinds.turn)]


def _end(machine: Machine, kinds: Messages) -> Node:
    return either(spelled(machine, spelling) for spelling in kinds.end.spellings)


def _call(machine: Machine, kinds: Messages, name: str, schema: object) -> Node:
    headers = [sequence(_header(machine, header, name)) for header in kinds.calls]
    return sequence([either(headers), json_schema(schema)])


def _header(machine: Machine, header: Header, name: str = "") -> list[Node]:
    return [_piece(machine, piece, name) for piece in header]


def _piece(machine: Machine, piece: Piece, name: str) -> Node:
    if isinstance(piece, Mark):
        return mark(machine, piece.terminal)
    if isinstance(piece, Named):
        return either(map(literal, piece.ways(name)))
    if isinstance(piece, Told):
        return literal(piece.text)
    if isinstance(piece, Blank):
        return optional(sequence([literal(" "), optional(regex(WORD))]) if piece.word else literal(" "))
    if isinstance(piece, AnyWord):
        return optional(regex(WORD)) if piece.optional else regex(WORD)
    assert_never(piece)
