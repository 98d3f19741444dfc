"""Which tokens end a turn: an answer whose last token is one of them ended itself, and was not cut off.

    a special token that is no part of a marker     the conversation's: <|im_end|>, <eos>, the opener of the next turn, which
                                                    some models write in their place (GLM: <|user|>, <|observation|>)
    a marker that ends a turn                       `Terminal.last`
    any other marker, any text                      does not: the closer of a call may be followed by another call

Special is what the vocabulary flags so, and what the format lists. A model that ends its turns with an ordinary token is known to
its engine only, which can say why it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.core.bind import Machine
from unbraid.core.grammar import Braces, Format, Tree


def ends_turn(machine: Machine, token: int) -> bool:
    """Is it over with this token, when a model has written it?"""
    vocabulary, form = machine.vocabulary, machine.format
    if vocabulary is None:
        return False
    spelling = vocabulary.piece(token).decode("utf-8", "replace")
    added = vocabulary.added.get(spelling) == token
    if added and any(spelling in terminal.last for terminal in form.terminals):
        return True
    special = token in vocabulary.special or (added and spelling in form.specials)
    return special and not any(spelling in literal for literal in _literals(form))


def _literals(form: Format) -> Iterator[str]:
    """What the format's markup is written with."""
    for terminal in form.terminals:
        yield from terminal.spellings
    for region in form.regions:
        if isinstance(region.kind, Braces):
            yield region.kind.quote
        elif isinstance(region.kind, Tree):
            yield region.kind.prefix
