"""Events that a client does not see: markup in their place, of the same extent."""

from __future__ import annotations

import pytest

from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Markup, ToolCallEnd, ToolCallStart, ToolName
from unbraid.shell.hidden import VisibleCalls, hidden, visible_calls


def call(index: int) -> list[Event]:
    name, arguments = ToolName(index, "f", None, 1, 1), ArgumentsChunk(index, "{}", 2, 1)
    return [ToolCallStart(index), name, arguments, ToolCallEnd(index, complete=True)]


EVENTS = (ContentChunk("a", 1, 1), *call(0), Markup("T", "<t>", 3, 1), *call(1), ContentChunk("b", 1, 1))


@pytest.mark.parametrize(("which", "seen"), [("all", [0, 1]), ("first", [0]), ("none", [])])
def test_visible_calls(which: VisibleCalls, seen: list[int]) -> None:
    found = visible_calls(which, EVENTS)
    assert [event.index for event in found if isinstance(event, ToolName)] == seen
    assert [event for event in found if isinstance(event, ContentChunk)] == [EVENTS[0], EVENTS[-1]]
    assert sum(event.points for event in found) == sum(event.points for event in EVENTS)
    assert sum(event.tokens for event in found) == sum(event.tokens for event in EVENTS)


def test_hidden_accounts_for_the_same() -> None:
    assert hidden(ArgumentsChunk(0, "x", 3, 2)) == (Markup("cut", "", 3, 2),)
    assert hidden(ToolCallStart(0)) == ()
