"""Events to messages."""

import pytest

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Events,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ReasoningStart,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.shell.messages import Message, ToolCall, message


def call(index: int, name: str, *pieces: str, complete: bool = True) -> Events:
    chunks = (ArgumentsChunk(index, piece, len(piece)) for piece in pieces)
    return (ToolCallStart(index), ToolName(index, name), *chunks, ToolCallEnd(index, complete))


CASES: dict[str, tuple[Events, Message]] = {
    "nothing": ((), Message()),
    "markup only": ((Markup("THINK", "<think>", 7),), Message()),
    "strands": (
        (ReasoningStart(), ReasoningChunk("a", 1), ReasoningChunk("b", 1), ReasoningEnd(), ContentChunk("c", 1)),
        Message("ab", "c"),
    ),
    "calls": (
        (*call(0, "f", '{"a"', ": 1}"), ContentChunk(" ", 1), *call(1, "g", "{", complete=False)),
        Message(None, " ", (ToolCall("id", "f", '{"a": 1}', True), ToolCall("id", "g", "{", False))),
    ),
    "a call that does not end": (call(0, "f", "{")[:-1], Message(None, None, (ToolCall("id", "f", "{", False),))),
    "a start without a name": ((ToolCallStart(0),), Message()),
    "anomalies": ((Anomaly("desync", "x"),), Message(anomalies=(Anomaly("desync", "x"),))),
    "surrogates": (
        (ContentChunk("\ud800", 1), *call(0, "f\udfff", '"\ud800"')),
        Message(None, "\ufffd", (ToolCall("id", "f\ufffd", '"\\ud800"', True),)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    events, expected = CASES[name]
    assert message(events, lambda _: "id") == expected


def test_ids_are_asked_for_once() -> None:
    asked: list[str] = []

    def name_call(named: ToolName) -> str:
        asked.append(named.name)
        return named.name

    message(call(0, "f", "{", "}") + call(1, "g"), name_call)
    assert asked == ["f", "g"]
