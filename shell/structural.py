"""Grammars for what a model may write, from the record that also reads it: a structural tag as plain JSON data.

    free       text, and calls where their opener stands in it
    required   calls, and nothing else
    named      one call of the one tool
    none       text without any opener

How calls are written says `wire`, and `headers` where answers are messages; what arguments may be, the tools' schemas. `exact`: the tools whose arguments must fit their
schema; those of others must be of the right syntax. Where a marker counts by its id alone the grammar asks for the id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from attrs import frozen
from returns.result import Failure, Result, Success

from unbraid.core.bind import Machine
from unbraid.core.grammar import NAME_CAP, WHITESPACE, Braces, Capture, Envelope, Field, Tree
from unbraid.core.json_text import quote
from unbraid.core.notation import SAME
from unbraid.core.schema import STRING, Kinds, as_mapping
from unbraid.shell import message_tags
from unbraid.shell.call_schema import ANY_ARGUMENTS, Offered, arguments_schema
from unbraid.shell.headers import Messages, messages
from unbraid.shell.markers import mark, marker_id
from unbraid.shell.tag_nodes import (
    Node,
    any_text,
    either,
    escaped,
    json_schema,
    literal,
    optional,
    regex,
    sequence,
    space,
    star,
    token_triggered,
    triggered,
)
from unbraid.shell.thoughts import Thoughts, thinking
from unbraid.shell.value_nodes import json_value, kind_word, resolved, text_value
from unbraid.shell.wire import BLANKS, Detour, Graph, Mark, NoWire, Pairs, Part, Parts, Slots, Space, Wire, wire

Wanted: TypeAlias = Literal["free", "none", "required", "named"]

INDEX: Final = "[0-9]{1,4}"
WORD: Final = "[a-z_]{1,16}"
OTHER_ATTRIBUTE: Final = ' [a-z_]{1,16}="[0-9]{1,4}"'
KEY_MOST: Final = 64

STYLES: Final[Mapping[object, str]] = {
    Braces("{(", "})", ":=", '<|"|>', inner='"'): "gemma",
    Tree("]<]minimax[>["): "minimax_m3_xml",
}
"""Argument syntaxes that the tag language has a style for."""


@frozen
class NoStyle:
    """Arguments in a syntax that the tag language cannot say."""

    format: str
    syntax: str

    def describe(self) -> str:
        """One sentence."""
        return f"no grammar can be made for the calls of {self.format!r}: there is no style for its {self.syntax}"


@frozen
class Unwritable:
    """A name or key that a format cannot write: something in it would end it."""

    format: str
    tool: str
    text: str
    found: str

    def describe(self) -> str:
        """One sentence."""
        what = "its name" if self.text == self.tool else f"its parameter {self.text!r}"
        return f"{self.format!r} cannot write a call of {self.tool!r}: {self.found!r} stands in {what}"


TagDefect: TypeAlias = NoWire | NoStyle | Unwritable


def call_tag(
    machine: Machine,
    wanted: Wanted,
    tools: Sequence[Offered],
    exact: frozenset[str],
    *,
    parallel: bool = True,
    thoughts: Thoughts = "none",
    opening: str | None = None,
) -> Result[Node, tuple[TagDefect, ...]]:
    """The grammar of an answer's calls; `opening`: the region where its thoughts begin, if they must."""
    kinds = messages(machine.format)
    if kinds is not None:
        return _messages(machine, kinds, wanted, tools, exact, parallel=parallel).map(
            lambda node: sequence([*thinking(machine, thoughts, opening), node])
        )
    found = wire(machine.format)
    missing = found.swap().value_or(None)
    if missing is not None:
        return Failure((missing,))
    made = _Writer(machine, found.unwrap(), exact).answer(wanted, tools, parallel=parallel)
    return made.map(lambda node: sequence([*thinking(machine, thoughts, opening), node]))


def spoken(machine: Machine, node: Node) -> Node:
    """`node` as an answer to the user: in a message, if the format's answers are messages."""
    kinds = messages(machine.format)
    return node if kinds is None else message_tags.said(machine, kinds, node)


def _messages(
    machine: Machine,
    kinds: Messages,
    wanted: Wanted,
    tools: Sequence[Offered],
    exact: frozenset[str],
    *,
    parallel: bool,
) -> Result[Node, tuple[TagDefect, ...]]:
    """The answer of a format of messages."""
    words = {tool.name: message_tags.unwritable(kinds, tool.name) for tool in tools}
    bad = {name: word for name, word in words.items() if word is not None}
    if bad and wanted != "none":
        return Failure(tuple(Unwritable(machine.format.name, name, name, word) for name, word in bad.items()))
    schemas = {tool.name: allowed(tool, exact) for tool in tools} if wanted != "none" else {}
    several = parallel and wanted != "named"
    forced = wanted in ("required", "named")
    return Success(message_tags.answer(machine, kinds, schemas, forced=forced, several=several))


def allowed(tool: Offered, exact: frozenset[str]) -> object:
    """The schema of a tool's arguments, or of any."""
    return arguments_schema(tool.parameters) if tool.name in exact else ANY_ARGUMENTS


# -- calls -------------------------------------------------------------------------------------------------------------


class _UnwritableError(Exception):
    """Inside of this module: a call cannot be written."""

    def __init__(self, defect: TagDefect) -> None:
        super().__init__(defect)
        self.defect = defect


class _Writer:
    """Writes grammars in one machine's notation."""

    def __init__(self, machine: Machine, wired: Wire, exact: frozenset[str]) -> None:
        self._machine = machine
        self._wire = wired
        self._exact = exact
        self._graph = Graph(machine.format)

    def answer(
        self, wanted: Wanted, tools: Sequence[Offered], *, parallel: bool
    ) -> Result[Node, tuple[TagDefect, ...]]:
        """The whole answer, without thoughts."""
        if wanted == "none" or not tools:
            return Success(self._text())
        calls: list[Node] = []
        defects: list[TagDefect] = []
        for tool in tools:
            try:
                calls.append(self._call(tool))
            except _UnwritableError as error:
                defects.append(error.defect)
        if defects:
            return Failure(tuple(dict.fromkeys(defects)))
        call = either(calls)
        return Success(self._free(call, parallel) if wanted == "free" else self._forced(call, parallel, wanted))

    # text and calls

    def _forced(self, call: Node, parallel: bool, wanted: Wanted) -> Node:
        several = parallel and wanted == "required"
        block = self._block(call, several)
        ends = (
            [optional(either(mark(self._machine, one.terminal) for one in self._wire.ends))] if self._wire.ends else []
        )
        return sequence(
            [space(BLANKS), *self._wrapper(), *self._parts(self._wire.prefix), *block, space(BLANKS), *ends]
        )

    def _wrapper(self) -> Iterator[Node]:
        """Markers around no text; the first one may stand in the prompt."""
        if self._wire.wrapper is not None:
            opens, closes = (mark(self._machine, one.terminal) for one in self._wire.wrapper)
            yield optional(sequence([optional(opens), closes, space(BLANKS)]))

    def _free(self, call: Node, parallel: bool) -> Node:
        opener, several = self._wire.opener, parallel and (self._wire.section or self._is_array)
        if opener is None:
            return either([self._forced(call, parallel, "required"), self._text()])
        # The opener is the trigger: the grammar goes on behind it.
        prefix = self._wire.prefix[1:]
        content = sequence([*self._parts(prefix), *self._block(call, several, opened=not self._wire.prefix)])
        number = marker_id(self._machine, opener.spelling)
        others = [word for word in self._away() if word != opener.spelling]
        if number is None:
            return triggered(opener.spelling, content, others, once=not parallel)
        ids = [one for one in (marker_id(self._machine, word) for word in others) if one is not None]
        return token_triggered(number, content, ids, once=not parallel)

    def _block(self, call: Node, several: bool, *, opened: bool = False) -> Iterator[Node]:
        """Calls behind the prefix. `opened`: the first one's opener was written already."""
        head = () if self._wire.prefix else self._wire.head[:1]
        first = [] if opened else list(self._parts(head))
        if self._is_array:
            yield from self._array(call, several, first)
            return
        yield from (*first, call)
        if several:
            between = [*self._parts(self._wire.between), *self._parts(head)]
            yield star(sequence([*between, call]))
        if self._wire.suffix:
            yield from self._parts((Space(), *self._wire.suffix))

    @property
    def _is_array(self) -> bool:
        kind = self._wire.arguments
        return isinstance(kind, Envelope) and kind.shape != "one"

    def _array(self, call: Node, several: bool, first: Iterable[Node]) -> Iterator[Node]:
        inner = self._wire.head if self._wire.prefix else self._wire.head[1:]
        begin = [word.removesuffix("{") for word in self._wire.unmarked if word.startswith("[") and word[-1] == "{"]
        bracket = either(map(literal, begin)) if begin else sequence([literal("["), space(WHITESPACE)])
        yield from (*first, *self._parts(inner), bracket, call)
        if several:
            yield star(sequence([literal(","), space(WHITESPACE), call]))
        yield from (space(WHITESPACE), literal("]"), *self._parts(self._wire.tail), *self._parts(self._wire.suffix))

    def _text(self) -> Node:
        """Text without a call. Where calls begin unmarked, only at the very beginning could one stand."""
        away = self._away()
        if not self._wire.unmarked:
            return any_text(away)
        kept = [
            word
            for row in self._graph.regular(self._machine.format.start.off)
            if row.keep
            for word in self._words(row.on)
        ]
        others = [word for word in away if word not in kept]
        first = "".join(dict.fromkeys(word[0] for word in kept))
        return optional(sequence([regex(f"[^{escaped(first + WHITESPACE)}]"), any_text(others)]))

    def _words(self, terminal: str) -> tuple[str, ...]:
        return self._graph.words(terminal)

    def _away(self) -> list[str]:
        """Spellings that would lead out of content, or that mean something where content stands and should not be there."""
        regions = self._graph.regions
        homes = [name for name in ("content", self._machine.format.start.off) if regions[name].channel == "content"]
        found: dict[str, None] = {}
        for home in homes:
            for row in self._graph.rows(home):
                if row.keep and self._machine.format.unmarked and not self._wire.unmarked:
                    continue  # what could only stand at the very beginning, and is not how calls are written
                if row.odd or (row.to != SAME and regions[row.to].channel != "content"):
                    found.update(dict.fromkeys(self._words(row.on)))
        return list(found)

    # one call

    def _call(self, tool: Offered) -> Node:
        """A call of one tool: from behind the first marker of its head, if that is a marker, to its end; of an array's calls
        the object."""
        kind = self._wire.arguments
        if isinstance(kind, Envelope) and kind.shape != "one":
            return self._object(kind, tool)
        head = self._wire.head if self._wire.prefix else self._wire.head[1:]
        if not self._wire.prefix and self._wire.head and not isinstance(self._wire.head[0], Mark):
            head = self._wire.head
        slots = {"name": tool.name}
        return sequence([*self._parts(head, slots, tool.name), *self._arguments(tool), *self._parts(self._wire.tail)])

    def _arguments(self, tool: Offered) -> Iterator[Node]:
        kind = self._wire.arguments
        if isinstance(kind, Envelope):
            yield self._object(kind, tool)
        elif isinstance(kind, Pairs):
            yield from self._pairs(kind, tool)
        elif isinstance(kind, Braces | Tree):
            if kind not in STYLES:
                syntax = "braces" if isinstance(kind, Braces) else "nested elements"
                raise _UnwritableError(NoStyle(self._machine.format.name, syntax))
            yield json_schema(self._schema(tool), style=STYLES[kind])
        else:
            yield json_schema(self._schema(tool))

    def _schema(self, tool: Offered) -> object:
        return allowed(tool, self._exact)

    def _object(self, kind: Envelope, tool: Offered) -> Node:
        """A call as an object: its name first, for only then it is known what its arguments are."""
        gap = space(WHITESPACE)
        nodes = [literal("{"), gap]
        if kind.call_id and self._machine.format.ids.source == "model":
            nodes += [literal(f"{quote(kind.call_id[0])}:"), gap, literal('"'), regex(INDEX), literal('",'), gap]
        nodes += [literal(f"{quote(kind.name[0])}:"), gap, literal(f"{quote(tool.name)},"), gap]
        keys = either(literal(f"{quote(key)}:") for key in kind.arguments)
        nodes += [keys, gap, json_schema(self._schema(tool)), gap]
        if kind.call_id and self._machine.format.ids.source == "pattern":
            told = [literal(f"{quote(kind.call_id[0])}:"), gap, literal('"'), regex(self._id_pattern()), literal('"')]
            nodes.append(optional(sequence([literal(","), gap, *told, gap])))
        return sequence([*nodes, literal("}")])

    # keys and values

    def _pairs(self, kind: Pairs, tool: Offered) -> Iterator[Node]:
        root = resolved(tool.parameters, as_mapping(tool.parameters) or {})
        declared = as_mapping(root.get("properties")) or {}
        gap = space(BLANKS)
        if tool.name not in self._exact or _is_open(root):
            yield star(sequence([self._any_pair(kind), gap]))
            return
        required = root.get("required")
        wanted = required if isinstance(required, list) else []
        whole = as_mapping(tool.parameters) or {}
        for key, schema in declared.items():
            node = sequence([self._pair(kind, tool, key, schema, whole), gap])
            yield node if key in wanted else optional(node)

    def _pair(self, kind: Pairs, tool: Offered, key: str, schema: object, root: Mapping[str, object]) -> Node:
        kinds = self._machine.kinds(tool.name, key)
        text = text_value(schema, root, self._unspeakable(kind))
        json = json_value(schema, root, kind.live)
        if self._types(kind):
            ways = [(kind.value.string_tags[0], text)] if "string" in kinds.types else []
            if kinds != STRING:
                ways.append(("", json))
        else:
            ways = [("", text if "string" in kinds.types else json)]
        return either(self._written(kind, key, word, kinds, node, tool.name) for word, node in ways)

    def _unspeakable(self, kind: Pairs) -> list[str]:
        """What no text value may hold: what means something there, and special tokens, which vanish."""
        return list(dict.fromkeys((*kind.live, *self._machine.format.specials)))

    def _types(self, kind: Pairs) -> bool:
        return any("type" in part.names for part in kind.parts if isinstance(part, Slots))

    def _written(self, kind: Pairs, key: str, word: str, kinds: Kinds, value: Node, tool: str) -> Node:
        """A pair. `word`: the type that is told; empty: the one for JSON."""
        told = escaped(word) if word else f"({kind_word(kinds, kind.value.string_tags)})"
        before = self._parts(kind.parts, {"key": key}, tool, {"type": told})
        return sequence(
            [*before, literal(kind.opens), value, literal(kind.closes), mark(self._machine, kind.close.terminal)]
        )

    def _any_pair(self, kind: Pairs) -> Node:
        """A pair with any key and any value."""
        slots = next(part for part in kind.parts if isinstance(part, Slots) and "key" in part.names)
        out = "".join(
            dict.fromkeys(WHITESPACE + "\"'&<>=" + slots.capture.stops + "".join(word[0] for word in slots.live))
        )
        patterns = {"key": f"[^{escaped(out)}]{{1,{KEY_MOST}}}"}
        typed = self._types(kind)
        text = escaped(kind.value.string_tags[0]) if typed else ""
        ways = [(text, any_text(self._unspeakable(kind)))]
        if typed:
            ways.append((f"({kind_word(STRING, kind.value.string_tags)})", json_schema(True, excludes=kind.live)))
        end = mark(self._machine, kind.close.terminal)
        return either(
            sequence(
                [
                    *self._parts(kind.parts, {}, "", {**patterns, "type": told}),
                    *(literal(kind.opens), value, literal(kind.closes), end),
                ]
            )
            for told, value in ways
        )

    # parts

    def _parts(
        self,
        parts: Parts,
        texts: Mapping[str, str] = {},
        tool: str = "",
        patterns: Mapping[str, str] = {},
    ) -> Iterator[Node]:
        """What stands on a way. `texts`, `patterns`: what the slots hold, as text or as a regular expression."""
        for part in _joined(parts):
            if isinstance(part, Mark):
                yield mark(self._machine, part.terminal)
            elif isinstance(part, Space):
                if part.chars:
                    yield space(part.chars)
            elif isinstance(part, Detour):
                yield optional(sequence(self._parts(part.parts, {}, tool, {"id": self._id_pattern()})))
            else:
                for slot, text in texts.items():
                    if slot in part.names:
                        self._check(part, tool, text)
                yield sequence(_captured(part, texts, patterns))

    def _id_pattern(self) -> str:
        return "[A-Za-z0-9]{9}" if self._machine.format.ids.pattern == "{alnum9}" else "[A-Za-z0-9_.:]{1,64}"

    def _check(self, slots: Slots, tool: str, text: str) -> None:
        """A name must come out of its capture as it went in."""
        coded = _coded(text, slots.capture)
        ends = [*slots.capture.stops, *slots.live, *slots.capture.quotes]
        if any(field.take != "all" and not _quotes(field, slots.capture) for field in slots.capture.fields):
            ends += WHITESPACE
        found = next((word for word in ends if word in coded), None)
        if found is None and text.strip(WHITESPACE) != text:
            found = " "
        if found is None and len(coded) > NAME_CAP // 2:
            found = coded[NAME_CAP // 2 :]
        if found is not None or not text:
            raise _UnwritableError(Unwritable(self._machine.format.name, tool, text, found or ""))


def _is_open(root: Mapping[str, object]) -> bool:
    """Does a schema say nothing of its properties, but that there may be some?"""
    return bool(root) and "properties" not in root and root.get("additionalProperties", True) is not False


def _joined(parts: Parts) -> Iterator[Part]:
    """Parts with white space in a row as one."""
    chars: str | None = None
    for part in parts:
        if isinstance(part, Space):
            chars = part.chars if chars is None else "".join(dict.fromkeys(chars + part.chars))
            continue
        if chars is not None:
            yield Space(chars)
            chars = None
        yield part
    if chars is not None:
        yield Space(chars)


def _coded(text: str, capture: Capture) -> str:
    """`text` as it is written where it is decoded again."""
    for field in capture.fields:
        for old, new in reversed(field.decode):
            text = text.replace(new, old)
    return text


def _captured(slots: Slots, texts: Mapping[str, str], patterns: Mapping[str, str]) -> Iterator[Node]:
    """Captured text that the fields of its capture read as they should."""
    fields = [one for one in slots.capture.fields if one.slot in texts or one.slot in patterns]
    if not fields:
        yield regex(WORD)
        return
    for number, field in enumerate(fields):
        if number:
            yield literal(" ")
        text = texts.get(field.slot)
        inner = regex(patterns[field.slot]) if text is None else literal(_coded(text, slots.capture))
        yield from _field(field, slots.capture, inner)
    if all(field.take == "after" for field in fields) and "name" in {field.slot for field in fields}:
        yield optional(regex(OTHER_ATTRIBUTE))  # K3 counts its calls


def _field(field: Field, capture: Capture, inner: Node) -> Iterator[Node]:
    quotes = _quotes(field, capture)
    yield literal(field.after + quotes + field.drop_prefix)
    yield inner
    if field.cut:
        yield literal(field.cut)
        yield regex(INDEX)
    yield literal(quotes)


def _quotes(field: Field, capture: Capture) -> str:
    """What is written around a field's text."""
    return '"' if field.unquote and '"' in capture.quotes else ""
