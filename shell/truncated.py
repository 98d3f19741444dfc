"""The policy `truncated`: what becomes of a call that does not end complete.

    emit   it is passed on as it comes (the core's own answer; no reducer is needed)
    drop   it never was: its events become Markup
    text   what the model wrote is content

Both reducers hold the events of the open call until it ends: what was sent cannot be taken back. A call is whole or not at
all, so its name arrives late; text around calls does not wait. Calls that are passed on keep dense indices.

Markup before a call waits too: it shows nothing to anyone, and the markers that open the call belong to the call's text.
Which of them do: those that can open one, back to the last marker that cannot. So the answer is the same at every split.

Source counts stay true: the events that leave account for the same source as those that came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, assert_never

from unbraid.core.events import (
    PLAIN_MARKUP,
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.core.grammar import Format
from unbraid.shell.transcript import Transcript

Truncated: TypeAlias = Literal["emit", "drop", "text"]
Reduced: TypeAlias = Literal["drop", "text"]

_OUTSIDE: Final = ("content", "reasoning")
"""Channels of regions that are outside of any block of calls."""


def opening_terminals(form: Format) -> frozenset[str]:
    """The terminals that stand between text and the name of a call: those that lead into a trial or a block."""
    regions = {region.name: region for region in form.regions}

    def opens(source: str, target: str) -> bool:
        inner = regions.get(target)
        if inner is None:
            return False
        return inner.trial in ("opening", "block") or (inner.channel == "call" and regions[source].channel in _OUTSIDE)

    return frozenset(row.on for row in form.rows if opens(row.region, row.to))


class WholeCalls:
    """Passes on only calls that are complete. `transcript` must be fed before the events of the same delta are."""

    def __init__(self, choice: Reduced, openers: frozenset[str], transcript: Transcript) -> None:
        self._choice = choice
        self._openers = openers
        self._transcript = transcript
        self._waiting: list[Event] = []
        self._open = False
        self._gone = 0

    def feed(self, events: Events) -> Events:
        """The events that are certain after `events`."""
        certain: list[Event] = []
        for event in events:
            certain += self._one(event)
        return tuple(certain)

    def finish(self) -> Events:
        """The rest, when no event will follow."""
        return tuple(self._undone() if self._open else self._passed())

    def _one(self, event: Event) -> list[Event]:
        self._waiting.append(event)
        if isinstance(event, ToolCallEnd) and self._open:
            return self._passed() if event.complete else self._undone()
        if isinstance(event, ToolCallStart):
            before = self._start_of_call()
            self._waiting, ahead = self._waiting[before:], self._waiting[:before]
            self._open = True
            return self._passed(ahead)
        if self._open or isinstance(event, Markup | Anomaly):
            return []
        return self._passed()

    def _start_of_call(self) -> int:
        """Where in the waiting events, which end with the call's start, the text of the call begins."""
        start = len(self._waiting) - 1
        for place in range(start, -1, -1):
            event = self._waiting[place]
            if not isinstance(event, Markup):
                continue
            if event.terminal == "syntax" or event.terminal in self._openers:
                start = place
            elif event.terminal not in PLAIN_MARKUP:
                break
        return start

    def _passed(self, events: Sequence[Event] | None = None) -> list[Event]:
        if events is None:
            events, self._waiting, self._open = self._waiting, [], False
        self._transcript.take(sum(event.points for event in events))
        return [_renumbered(event, self._gone) for event in events] if self._gone else list(events)

    def _undone(self) -> list[Event]:
        """The open call as one event, after the facts that were reported about it."""
        events, self._waiting, self._open = self._waiting, [], False
        self._gone += 1
        points, tokens = sum(event.points for event in events), sum(event.tokens for event in events)
        text = self._transcript.take(points)
        facts: list[Event] = [event for event in events if isinstance(event, Anomaly)]
        if not text:
            return facts
        match self._choice:
            case "drop":
                return [*facts, Markup("cut", text, points, tokens)]
            case "text":
                return [*facts, ContentChunk(text, points, tokens)]
            case _:
                assert_never(self._choice)


def _renumbered(event: Event, gone: int) -> Event:
    match event:
        case ToolCallStart(index, points, tokens):
            return ToolCallStart(index - gone, points, tokens)
        case ToolName(index, name, call_id, points, tokens):
            return ToolName(index - gone, name, call_id, points, tokens)
        case ArgumentsChunk(index, json, points, tokens):
            return ArgumentsChunk(index - gone, json, points, tokens)
        case ToolCallEnd(index, complete, points, tokens):
            return ToolCallEnd(index - gone, complete, points, tokens)
        case _:
            return event
