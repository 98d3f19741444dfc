"""Bytes of chunks that were written before.

The core gives the same event for the same plain token, in every request of a bound format, so the part of a chunk that says
what is new can be kept as bytes, by the identity of that event. What is in front of it (id, time, model, index) is the answer's; it is written once.

    line      = front fragment
    fragment  = what a chunk adds behind `"delta":`, to the end of its event

Fragments are kept per bound format and reasoning field, at most `KEPT` of them, each of at most `LONGEST` bytes. An entry
holds its event, so no other one can have its identity.
"""

from __future__ import annotations

from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from unbraid.core.bind import Bound
from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.deltas import ReasoningField
from unbraid.shell.sse import frame

KEPT: Final = 1 << 16
LONGEST: Final = 512

Fragments: TypeAlias = dict[int, tuple[Event, bytes, int]]
"""By the identity of an event: the event, the fragment, the tokens of reasoning in it."""

_KEPT: Final[WeakKeyDictionary[Bound, dict[ReasoningField, Fragments]]] = WeakKeyDictionary()

_MARK: Final = b'"delta":'


def fragments(bound: Bound, field: ReasoningField) -> Fragments:
    """The fragments of answers that are read with `bound` and written with `field`."""
    return _KEPT.setdefault(bound, {}).setdefault(field, {})


def front(chunk: ChatChunk) -> bytes:
    """What stands in front of the delta in every chunk like `chunk`, whose delta is empty."""
    written = frame(chunk)
    return written[: written.rindex(_MARK) + len(_MARK)]


def keep(known: Fragments, events: Events, start: bytes, written: bytes) -> None:
    """Keep what was `written` for `events`, if it is one chunk behind `start` and may come again."""
    if len(events) != 1 or len(written) - len(start) > LONGEST or not written.startswith(start):
        return
    event = events[0]
    if not isinstance(event, ContentChunk | ReasoningChunk | ArgumentsChunk):
        return
    if len(known) >= KEPT:
        known.clear()
    known[id(event)] = (event, written[len(start) :], event.tokens if isinstance(event, ReasoningChunk) else 0)
