"""Calls that are cut off: dropped, or given back as text; whole ones pass with dense indices."""

from collections.abc import Iterator

import pytest

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
    merge,
)
from unbraid.shell.transcript import Source, feed
from unbraid.shell.truncated import Cut, Reduced, whole_calls, whole_calls_end

OPENERS = frozenset({"OPEN", "NAME"})


def call(index: int, complete: bool) -> list[Event]:
    """`<o><n>f{}` and, if complete, `</o>`."""
    opened: list[Event] = [Markup("framing", "\n", 1), Markup("OPEN", "<o>", 3), Markup("NAME", "<n>", 3, 1)]
    named: list[Event] = [ToolCallStart(index), ToolName(index, "f", None, 1), ArgumentsChunk(index, "{}", 2, 1)]
    odd: list[Event] = [] if complete else [Anomaly("truncated", "f")]
    return [*opened, *named, *odd, ToolCallEnd(index, complete), *([Markup("CLOSE", "</o>", 4)] if complete else [])]


def source(events: list[Event]) -> str:
    """What the events above stand for."""
    return "".join(
        event.text
        if isinstance(event, Markup | ContentChunk)
        else "f"
        if isinstance(event, ToolName)
        else event.json
        if isinstance(event, ArgumentsChunk)
        else ""
        for event in events
    )


def reduce(choice: Reduced, events: list[Event], split: int) -> Iterator[Events]:
    """The events of each step, `split` events a step."""
    cut = Cut(source=feed(Source(), None, source(events), ()))
    for place in range(0, len(events), split):
        cut, found = whole_calls(choice, OPENERS, cut, tuple(events[place : place + split]))
        yield found
    yield whole_calls_end(choice, OPENERS, cut)[1]


MIXED: list[Event] = [ContentChunk("a", 1), *call(0, True), *call(1, False), ContentChunk("b", 1), *call(2, True)]
CUT = "<o><n>f{}"
CHOICES: list[tuple[Reduced, Event]] = [
    ("drop", Markup("cut", CUT, len(CUT), 2)),
    ("text", ContentChunk(CUT, len(CUT), 2)),
]


@pytest.mark.parametrize("split", [1, 2, 3, 100])
@pytest.mark.parametrize(("choice", "instead"), CHOICES)
def test_mixed(choice: Reduced, instead: Event, split: int) -> None:
    found = [event for step in reduce(choice, MIXED, split) for event in step]
    expected = [*MIXED[:1], *call(0, True), MIXED[9], Anomaly("truncated", "f"), instead, ContentChunk("b", 1)]
    assert isinstance(MIXED[9], Markup)
    assert merge(tuple(found)) == merge((*expected, *call(1, True)))


@pytest.mark.parametrize(("choice", "instead"), CHOICES)
def test_a_call_without_an_end_is_cut(choice: Reduced, instead: Event) -> None:
    events: list[Event] = [event for event in call(0, False) if not isinstance(event, ToolCallEnd)]
    found = [event for step in reduce(choice, events, 1) for event in step]
    assert found == [events[0], Anomaly("truncated", "f"), instead]


def test_nothing_of_an_open_call_is_shown() -> None:
    steps = list(reduce("drop", call(0, True), 1))
    shown = [any(isinstance(event, ToolCallStart | ToolName | ArgumentsChunk) for event in step) for step in steps]
    assert shown.index(True) == call(0, True).index(ToolCallEnd(0, True))


def test_text_does_not_wait() -> None:
    assert list(reduce("text", [ContentChunk("a", 1), ContentChunk("b", 1)], 1))[:2] == [
        (ContentChunk("a", 1),),
        (ContentChunk("b", 1),),
    ]
