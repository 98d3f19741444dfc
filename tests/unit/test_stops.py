"""Stop strings: the same answer at every split, nothing lost, nothing shown from the match on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.events import (
    Anomaly,
    ContentChunk,
    Event,
    Events,
    Markup,
    ReasoningChunk,
    ToolCallEnd,
    ToolCallStart,
    merge,
)
from unbraid.shell.stops import Stop, stop_at, stop_end


def chunk(text: str) -> ContentChunk:
    return ContentChunk(text, len(text), 1)


def run(strings: tuple[str, ...], steps: list[Events]) -> tuple[Events, str | None]:
    stop = Stop()
    out: list[Event] = []
    for events in steps:
        stop, told = stop_at(strings, stop, events)
        out += told
    stop, told = stop_end(stop)
    return merge((*out, *told)), stop.found


def said(events: Events) -> str:
    return "".join(event.text for event in events if isinstance(event, ContentChunk))


@pytest.mark.parametrize(
    ("strings", "text", "shown", "found"),
    [
        ((), "so END", "so END", None),
        (("END",), "so END and", "so ", "END"),
        (("END",), "so EN", "so EN", None),
        (("END",), "EEND", "E", "END"),
        (("END",), "END", "", "END"),
        (("END", "o"), "so END", "s", "o"),
        (("abc", "b"), "xabc", "xa", "b"),
        (("bc", "abc"), "xabc", "x", "abc"),
        (("aab",), "aaab", "a", "aab"),
        (("\n\n",), "a\nb\n\nc", "a\nb", "\n\n"),
    ],
)
def test_what_is_shown(strings: tuple[str, ...], text: str, shown: str, found: str | None) -> None:
    for steps in ([(chunk(text),)], [(chunk(point),) for point in text]):
        events, stop = run(strings, list(steps))
        assert (said(events), stop) == (shown, found)
        assert sum(event.points for event in events) == len(text)


def oracle(strings: tuple[str, ...], text: str) -> tuple[str, str | None]:
    """Reads code point by code point: the first place where a string ends, the longest of those that end there."""
    for end in range(len(text) + 1):
        ended = [string for string in strings if text[:end].endswith(string)]
        if ended:
            longest = max(ended, key=len)
            return text[: end - len(longest)], longest
    return text, None


@given(
    st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=3, unique=True),
    st.lists(st.text("ab.", min_size=1, max_size=5)),
)
def test_any_split(strings: list[str], deltas: list[str]) -> None:
    events, found = run(tuple(strings), [(chunk(delta),) for delta in deltas])
    assert (said(events), found) == oracle(tuple(strings), "".join(deltas))
    assert sum(event.points for event in events) == sum(map(len, deltas))
    assert sum(event.tokens for event in events) == len(deltas)


@pytest.mark.parametrize(
    "between", [ReasoningChunk("x", 1), ToolCallStart(0), Markup("T", "<t>", 3), Markup("framing", "\n", 1)]
)
def test_a_match_is_within_one_block(between: ReasoningChunk | ToolCallStart | Markup) -> None:
    events, found = run(("END",), [(chunk("E"), chunk("N")), (between,), (chunk("D"),)])
    assert found is None
    assert events == (ContentChunk("EN", 2, 2), between, ContentChunk("D", 1, 1))


def test_an_anomaly_does_not_break_a_block() -> None:
    events, found = run(("END",), [(chunk("E"), Anomaly("desync"), chunk("ND"))])
    assert (said(events), found) == ("", "END")


def test_the_held_tail_is_all_that_is_held() -> None:
    stop, told = stop_at(("END",), Stop(), (chunk("so EN"),))
    assert (said(told), stop.held) == ("so ", "EN")
    stop, told = stop_at(("END",), stop, (chunk("E"),))
    assert (said(told), stop.held) == ("EN", "E")


def test_nothing_follows_a_match() -> None:
    steps: list[Events] = [
        (chunk("END"),),
        (ReasoningChunk("x", 1, 1), ToolCallStart(0), ToolCallEnd(0, complete=True)),
    ]
    events, found = run(("END",), steps)
    assert found == "END"
    assert all(isinstance(event, Markup) for event in events)
    assert [sum(event.points for event in events), sum(event.tokens for event in events)] == [4, 2]


def test_what_cannot_match_passes_as_the_same_object() -> None:
    event = chunk("so on")
    assert stop_at(("END",), Stop(), (event,))[1][0] is event
