"""Events folded to the message that they are, without the shell: what corpus cases and round trips compare."""

from __future__ import annotations

from attrs import evolve

from tests.corpus.reader import Call, Message
from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ReasoningStart,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)


def message(events: Events) -> Message:
    """The message of a finished stream. A call without an end stays incomplete."""
    reasoning = [event.text for event in events if isinstance(event, ReasoningChunk)]
    content = [event.text for event in events if isinstance(event, ContentChunk)]
    calls: list[Call] = []
    for event in events:
        match event:
            case ToolName(name=name):
                calls.append(Call(name, "", complete=False))
            case ArgumentsChunk(index=index, json=json):
                calls[index] = evolve(calls[index], arguments=calls[index].arguments + json)
            case ToolCallEnd(index=index, complete=complete):
                calls[index] = evolve(calls[index], complete=complete)
            case _:
                pass
    anomalies = tuple(event.kind for event in events if isinstance(event, Anomaly))
    return Message("".join(reasoning) or None, "".join(content) or None, tuple(calls), anomalies)


def ill_formed(events: Events) -> str:
    """Why `events` are no sequence that the grammar in `core/events.py` allows, or nothing.

    output = (reasoning | content | tool call | markup)*, anomalies anywhere, indices dense from 0.
    """
    reasoning, call, calls, named = False, False, 0, False
    for event in events:
        match event:
            case ReasoningStart():
                fine, reasoning = not reasoning and not call, True
            case ReasoningChunk(text=text):
                fine = reasoning and not call and bool(text)
            case ReasoningEnd():
                fine, reasoning = reasoning, False
            case ContentChunk(text=text):
                fine = not reasoning and not call and bool(text)
            case ToolCallStart(index=index):
                fine, call, named = not call and not reasoning and index == calls, True, False
            case ToolName(index=index, name=name):
                fine, named = call and not named and index == calls and bool(name), True
            case ArgumentsChunk(index=index, json=json):
                fine = call and named and index == calls and bool(json)
            case ToolCallEnd(index=index):
                fine, call, calls = call and named and index == calls, False, calls + 1
            case Markup() | Anomaly():
                fine = True
        if not fine:
            return f"{event} is out of place"
    return _left_open(events, reasoning=reasoning, call=call)


def _left_open(events: tuple[Event, ...], *, reasoning: bool, call: bool) -> str:
    """Reasoning and a call may be open only when the stream was cut there, which the caller judges."""
    starts = sum(isinstance(event, ReasoningStart) for event in events)
    ends = sum(isinstance(event, ReasoningEnd) for event in events)
    return "" if starts - ends == reasoning and call in (False, True) else "reasoning is out of balance"
