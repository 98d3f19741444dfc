"""The policy `truncated`: what becomes of a call that does not end complete.

    emit   it is passed on as it comes (the core's own answer; no reducer is needed)
    drop   it never was: its events become Markup
    text   what the model wrote is content

`drop` and `text` are one reducer, a pure function of its state and events (`whole_calls`). It holds the events of the open
call until it ends: what was sent cannot be taken back. A call is whole or not at all, so its name arrives late; text around
calls does not wait. Calls that are passed on keep dense indices.

Markup before a call waits too: it shows nothing to anyone, and the markers that open the call belong to the call's text.
Which of them do: those that can open one, back to the last marker that cannot. So the answer is the same at every split.

Source counts stay true: the events that leave account for the same source as those that came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, assert_never

from attrs import field, frozen

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
from unbraid.core.pieces import append_all, join_all
from unbraid.shell.transcript import Source, Taker

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


@frozen
class Cut:
    """Where the reducer stands. `waiting`: a rope of the events that are not certain, an `open` call's or markup that may
    belong to one; `gone`: calls that were undone; `source`: the text that no passed event accounts for."""

    waiting: tuple[Events, ...] = ()
    open: bool = False
    gone: int = 0
    source: Source = field(factory=Source)


def whole_calls(choice: Reduced, openers: frozenset[str], cut: Cut, events: Events) -> tuple[Cut, Events]:
    """The events that are certain after `events`. Their source must have been fed to `cut.source` before."""
    if not events:
        return cut, ()
    work = _Work(choice, openers, cut)
    for event in events:
        work.add(event)
    return work.after(), tuple(work.certain)


def whole_calls_end(choice: Reduced, openers: frozenset[str], cut: Cut) -> tuple[Cut, Events]:
    """The rest, when no event will follow."""
    work = _Work(choice, openers, cut)
    if cut.open:
        work.undo()
    else:
        work.let_pass()
    return work.after(), tuple(work.certain)


class _Work:
    """One step. `certain`: the events that leave."""

    def __init__(self, choice: Reduced, openers: frozenset[str], cut: Cut) -> None:
        self.certain: list[Event] = []
        self._choice = choice
        self._openers = openers
        self._kept = cut.waiting
        self._fresh: list[Event] = []
        self._open = cut.open
        self._gone = cut.gone
        self._taker = Taker(cut.source)

    def after(self) -> Cut:
        """Where the reducer stands behind the step."""
        return Cut(append_all(self._kept, self._fresh), self._open, self._gone, self._taker.left())

    def add(self, event: Event) -> None:
        self._fresh.append(event)
        if isinstance(event, ToolCallEnd) and self._open:
            self.let_pass() if event.complete else self.undo()
        elif isinstance(event, ToolCallStart):
            self._begin()
        elif not (self._open or isinstance(event, Markup | Anomaly)):
            self.let_pass()

    def let_pass(self) -> None:
        """All that waits leaves."""
        self._pass(self._waiting())
        self._open = False

    def undo(self) -> None:
        """The open call leaves as one event, after the facts that were reported about it."""
        events = self._waiting()
        self._open = False
        self._gone += 1
        points, tokens = sum(event.points for event in events), sum(event.tokens for event in events)
        text = self._taker.take(points)
        self.certain += [event for event in events if isinstance(event, Anomaly)]
        if not text:
            return
        match self._choice:
            case "drop":
                self.certain.append(Markup("cut", text, points, tokens))
            case "text":
                self.certain.append(ContentChunk(text, points, tokens))
            case _:
                assert_never(self._choice)

    def _begin(self) -> None:
        """The last event is the start of a call: what belongs to it waits for its end, the rest leaves."""
        events = self._waiting()
        start = _start_of_call(events, self._openers)
        self._pass(events[:start])
        self._fresh = events[start:]
        self._open = True

    def _waiting(self) -> list[Event]:
        events = [*join_all(self._kept), *self._fresh]
        self._kept, self._fresh = (), []
        return events

    def _pass(self, events: Sequence[Event]) -> None:
        self._taker.take(sum(event.points for event in events))
        self.certain += [_renumbered(event, self._gone) for event in events] if self._gone else events


def _start_of_call(events: Sequence[Event], openers: frozenset[str]) -> int:
    """Where in `events`, which end with a call's start, the text of the call begins."""
    start = len(events) - 1
    for place in range(start, -1, -1):
        event = events[place]
        if not isinstance(event, Markup):
            continue
        if event.terminal == "syntax" or event.terminal in openers:
            start = place
        elif event.terminal not in PLAIN_MARKUP:
            break
    return start


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
