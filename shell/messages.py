"""Events to a whole message: the reducer behind `parse` and batches.

    message(events) = the three strands, each concatenated in order

A strand without text is None: nothing was said there. What the events do not tell (white space around markers, text of
broken calls) was decided by the core; this only adds up. Lone surrogates leave as U+FFFD in text and as escapes in JSON,
so that a message can always be encoded.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    ReasoningChunk,
    ToolCallEnd,
    ToolName,
)
from unbraid.shell.call_ids import NameCall, random_id
from unbraid.shell.surrogates import clean_json, clean_text


@frozen
class ToolCall:
    """One call. `arguments` is JSON text; if not `complete`, as much of it as the model wrote."""

    id: str
    name: str
    arguments: str
    complete: bool


@frozen
class Message:
    """What a model said in one turn; `anomalies` are for logs and metrics."""

    reasoning: str | None = None
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()


def message(events: Iterable[Event], name_call: NameCall = random_id) -> Message:
    """The message that `events` of one turn amount to. `name_call` is asked once for each call's id.

    >>> message((ContentChunk("Hel", 3), ContentChunk("lo", 2))).content
    'Hello'
    >>> message(()).content is None
    True
    """
    reasoning: list[str] = []
    content: list[str] = []
    calls: dict[int, _Draft] = {}
    anomalies: list[Anomaly] = []
    for event in events:
        match event:
            case ReasoningChunk(text=text):
                reasoning.append(text)
            case ContentChunk(text=text):
                content.append(text)
            case ArgumentsChunk(index=index, json=json):
                calls[index].arguments.append(json)
            case ToolName(index=index):
                calls[index] = _Draft(name_call(event), clean_text(event.name))
            case ToolCallEnd(index=index, complete=complete):
                calls[index].complete = complete
            case Anomaly():
                anomalies.append(event)
            case _:
                pass
    whole = tuple(draft.call() for draft in calls.values())
    return Message(_joined(reasoning), _joined(content), whole, tuple(anomalies))


class _Draft:
    """A call that is being added up."""

    def __init__(self, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.arguments: list[str] = []
        self.complete = False

    def call(self) -> ToolCall:
        return ToolCall(self.id, self.name, clean_json("".join(self.arguments)), self.complete)


def _joined(pieces: list[str]) -> str | None:
    return clean_text("".join(pieces)) or None
