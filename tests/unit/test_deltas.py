"""Events of one step to deltas: the order is kept, nothing is repeated."""

from typing import Any

import pytest

from unbraid.core.events import (
    ArgumentsChunk,
    ContentChunk,
    Event,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.shell.deltas import ReasoningField, deltas

R, C, M = ReasoningChunk("r", 1), ContentChunk("c", 1), Markup("X", "<x>", 3)
CALL0: tuple[Event, ...] = (ToolCallStart(0), ToolName(0, "f"), ArgumentsChunk(0, "{"), ArgumentsChunk(0, "}"))
CALL1: tuple[Event, ...] = (ToolCallStart(1), ToolName(1, "g"))
FIRST0 = {"index": 0, "id": "id", "type": "function", "function": {"name": "f", "arguments": "{}"}}
FIRST1 = {"index": 1, "id": "id", "type": "function", "function": {"name": "g", "arguments": ""}}

CASES: dict[str, tuple[tuple[Event, ...], list[Any]]] = {
    "nothing": ((), []),
    "markup": ((M, ReasoningEnd(), ToolCallEnd(0, True)), []),
    "in order": ((R, M, C, *CALL0), [{"reasoning_content": "r", "content": "c", "tool_calls": [FIRST0]}]),
    "content before reasoning": ((C, R), [{"content": "c"}, {"reasoning_content": "r"}]),
    "content after a call": ((*CALL0, C), [{"tool_calls": [FIRST0]}, {"content": "c"}]),
    "two calls": ((*CALL0, M, *CALL1), [{"tool_calls": [FIRST0, FIRST1]}]),
    "later arguments": (
        (ArgumentsChunk(0, "1"), M, ArgumentsChunk(0, "2")),
        [{"tool_calls": [{"index": 0, "function": {"arguments": "12"}}]}],
    ),
    "end of one call, start of the next": (
        (ArgumentsChunk(0, "}"), M, *CALL1),
        [{"tool_calls": [{"index": 0, "function": {"arguments": "}"}}, FIRST1]}],
    ),
    "text around markup is one": ((C, M, C), [{"content": "cc"}]),
    "surrogates": (
        (ContentChunk("\ud800", 1), ArgumentsChunk(0, '"\ud800"')),
        [{"content": "\ufffd", "tool_calls": [{"index": 0, "function": {"arguments": '"\\ud800"'}}]}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_deltas(name: str) -> None:
    events, expected = CASES[name]
    assert deltas(events, lambda _: "id") == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("reasoning_content", [{"reasoning_content": "r", "content": "c"}]),
        ("reasoning", [{"reasoning": "r", "content": "c"}]),
        ("both", [{"reasoning": "r", "reasoning_content": "r", "content": "c"}]),
        ("none", [{"content": "c"}]),
    ],
)
def test_reasoning_field(field: ReasoningField, expected: list[Any]) -> None:
    assert deltas((R, C), lambda _: "id", field) == expected


def test_hidden_reasoning_leaves_no_empty_delta() -> None:
    assert deltas((C, R), lambda _: "id", "none") == [{"content": "c"}]
