"""Events that a client must not see: markup in their place, which accounts for the same source."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from unbraid.core.events import ArgumentsChunk, Event, Events, Markup, ToolCallEnd, ToolCallStart, ToolName

VisibleCalls: TypeAlias = Literal["all", "first", "none"]
"""Which calls a client sees."""

_OF_CALLS: Final = (ToolCallStart, ToolName, ArgumentsChunk, ToolCallEnd)


def hidden(event: Event) -> Events:
    """What stands for `event`: one piece of markup, or nothing if it accounts for nothing.

    >>> hidden(ArgumentsChunk(0, "{}", 2, 1)), hidden(ToolCallStart(0))
    ((Markup(terminal='cut', text='', points=2, tokens=1),), ())
    """
    return (Markup("cut", "", event.points, event.tokens),) if event.points or event.tokens else ()


def visible_calls(which: VisibleCalls, events: Events) -> Events:
    """`events` without the calls that the client does not see. Indices stay dense: only the last ones go."""
    if which == "all":
        return events
    seen = 1 if which == "first" else 0
    return tuple(one for event in events for one in _of_call(event, seen))


def _of_call(event: Event, seen: int) -> Events:
    return hidden(event) if isinstance(event, _OF_CALLS) and event.index >= seen else (event,)
