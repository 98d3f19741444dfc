"""What another server drops or trims, of a stream: what was sent stays, so nothing else can be done there.

    reasoning_end_trimmed           white space at the end of reasoning
    unknown_tools_dropped           calls of tools that are not offered
    text_behind_calls_dropped       content behind the first call
    content_beside_calls_trimmed    white space in front of a call, behind content

White space waits until it is known what follows, and with it what comes after it, since events keep their order. What does
not reach the client becomes markup, which accounts for the same source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from attrs import evolve, frozen

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.core.grammar import WHITESPACE
from unbraid.core.pieces import append_all, join_all
from unbraid.shell.compat_habits import Habit
from unbraid.shell.hidden import hidden

Offered: TypeAlias = Mapping[str, object] | None
"""Tools by name, if they are known."""


@frozen
class Fit:
    """Where the reducer stands. `waiting`: a rope of the events from white space on that may be dropped. `called`: a call was
    passed on. `gone`: calls that were dropped; `dropping`: the open call is one of them."""

    waiting: tuple[Events, ...] = ()
    called: bool = False
    gone: int = 0
    dropping: bool = False


def fitting(habit: Habit, offered: Offered, fit: Fit, events: Events) -> tuple[Fit, Events]:
    """The events that are certain after `events`."""
    if not events:
        return fit, ()
    work = _Work(habit, offered if habit.checked and offered else None, fit)
    for event in events:
        work.add(event)
    return work.after(), tuple(work.certain)


def fitting_end(habit: Habit, fit: Fit) -> tuple[Fit, Events]:
    """The rest, when no event will follow."""
    work = _Work(habit, None, fit)
    work.release()
    return work.after(), tuple(work.certain)


class _Work:
    """One step. `certain`: the events that leave."""

    def __init__(self, habit: Habit, offered: Offered, fit: Fit) -> None:
        self.certain: list[Event] = []
        self._habit = habit
        self._offered = offered
        self._kept = fit.waiting
        self._fresh: list[Event] = []
        self._called = fit.called
        self._gone = fit.gone
        self._dropping = fit.dropping

    def after(self) -> Fit:
        """Where the reducer stands behind the step."""
        kept = append_all(self._kept, self._fresh) if self._fresh else self._kept
        return Fit(kept, self._called, self._gone, self._dropping)

    def add(self, event: Event) -> None:
        match event:
            case ReasoningChunk():
                self._text(event, trims=self._habit.thought == "drop")
            case ContentChunk() if self._called and self._habit.after == "drop":
                self._pass(hidden(event))
            case ContentChunk():
                self._text(event, trims=self._habit.edges in ("strip", "end"))
            case ReasoningEnd():
                self.release(drops=self._habit.thought == "drop")
                self.certain.append(event)
            case ToolCallStart() if self._offered is not None:
                self._fresh.append(event)
            case ToolCallStart():
                self._begin(event)
            case ToolName() if self._offered is not None:
                self._name(event, self._offered)
            case ToolName() | ArgumentsChunk() | ToolCallEnd():
                self._pass(hidden(event) if self._dropping else (_renumbered(event, self._gone),))
            case Markup() | Anomaly():
                self._pass((event,))
            case _:
                self.release()
                self.certain.append(event)

    def release(self, *, drops: bool = False) -> None:
        """All that waits leaves; `drops`: its text as markup."""
        for event in (*join_all(self._kept), *self._fresh):
            text = isinstance(event, ReasoningChunk | ContentChunk)
            self.certain += hidden(event) if drops and text else (event,)
        self._kept, self._fresh = (), []

    def _pass(self, events: Events) -> None:
        """`events` leave, behind what waits."""
        if self._kept or self._fresh:
            self._fresh += events
        else:
            self.certain += events

    def _text(self, event: ReasoningChunk | ContentChunk, *, trims: bool) -> None:
        body = event.text.rstrip(WHITESPACE) if trims and event.points == len(event.text) else event.text
        if not body:
            self._fresh.append(event)
            return
        self.release()
        if body == event.text:
            self.certain.append(event)
            return
        rest = len(event.text) - len(body)
        self.certain.append(evolve(event, text=body, points=len(body)))
        self._fresh.append(evolve(event, text=event.text[-rest:], points=rest, tokens=0))

    def _begin(self, start: ToolCallStart) -> None:
        """A call that is passed on."""
        self.release(drops=self._habit.edges in ("strip", "end"))
        self._called, self._dropping = True, False
        self.certain.append(_renumbered(start, self._gone))

    def _name(self, name: ToolName, offered: Mapping[str, object]) -> None:
        """Whether the call is dropped is known now; its start waits."""
        waiting = [*join_all(self._kept), *self._fresh]
        place = max(at for at, event in enumerate(waiting) if isinstance(event, ToolCallStart))
        start, behind = waiting[place], waiting[place + 1 :]
        self._kept, self._fresh = (), waiting[:place]
        if name.name not in offered:
            self._dropping = True
            self._gone += 1
            self.release()
            self.certain += [*hidden(start), *behind, *hidden(name)]
        elif isinstance(start, ToolCallStart):
            self._begin(start)
            self.certain += [*behind, _renumbered(name, self._gone)]


def _renumbered(event: ToolCallStart | ToolName | ArgumentsChunk | ToolCallEnd, gone: int) -> Event:
    return evolve(event, index=event.index - gone) if gone else event
