"""Events to a whole message: the reducer behind `parse` and batches.

    message(events) = the three strands, each concatenated in order

A strand without text is None: nothing was said there. What the events do not tell (white space around markers, text of
broken calls) was decided by the core; this only adds up. Lone surrogates leave as U+FFFD in text and as escapes in JSON,
so that a message can always be encoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from attrs import frozen

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    ReasoningChunk,
    ToolCallEnd,
    ToolName,
)
from unbraid.shell.call_ids import NameCall, random_id
from unbraid.shell.surrogates import clean_json, clean_text


@frozen
class ToolCall:
    """One call. `arguments` is JSON text; if not `complete`, as much of it as the model wrote."""

    id: str
    name: str
    arguments: str
    complete: bool


@frozen
class Message:
    """What a model said in one turn; `anomalies` are for logs and metrics."""

    reasoning: str | None = None
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()


def message(events: Iterable[Event], name_call: NameCall = random_id) -> Message:
    """The message that `events` of one turn amount to. `name_call` is asked once for each call's id.

    >>> message((ContentChunk("Hel", 3), ContentChunk("lo", 2))).content
    'Hello'
    >>> message(()).content is None
    True
    """
    said = by_kind(events)
    calls = {event.index: _Draft(name_call(event), clean_text(event.name)) for event in said.get(ToolName, ())}
    for piece in said.get(ArgumentsChunk, ()):
        calls[piece.index].arguments.append(piece.json)
    for end in said.get(ToolCallEnd, ()):
        calls[end.index].complete = end.complete
    return Message(
        _joined(said.get(ReasoningChunk, ())),
        _joined(said.get(ContentChunk, ())),
        tuple(draft.call() for draft in calls.values()),
        tuple(said.get(Anomaly, ())),
    )


def by_kind(events: Iterable[Event]) -> dict[type[Event], list[Any]]:
    """The events of each class, in order."""
    said: dict[type[Event], list[Any]] = {}
    for kind, group in groupby(events, type):
        said.setdefault(kind, []).extend(group)
    return said


class _Draft:
    """A call that is being added up."""

    def __init__(self, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.arguments: list[str] = []
        self.complete = False

    def call(self) -> ToolCall:
        return ToolCall(self.id, self.name, clean_json("".join(self.arguments)), self.complete)


def _joined(pieces: Iterable[ReasoningChunk | ContentChunk]) -> str | None:
    return clean_text("".join([piece.text for piece in pieces])) or None
