"""Events of one step to Chat Completions deltas.

A client reads the parts of a delta in the order reasoning, content, calls. Events that come in this order share a delta;
where one comes late, a new delta begins. So the client sees the strands in the order in which the model wrote them, in as
few deltas as that takes.

    rank     reasoning 0 · content 1 · calls 2
    events   a0 b1 c1 d2 | e1 f2         two deltas

Ids and names are written once, in the first delta of their call: clients concatenate what is repeated.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from unbraid.core.events import ArgumentsChunk, ContentChunk, Events, ReasoningChunk, ToolName, merge
from unbraid.shell.call_ids import NameCall
from unbraid.shell.chat_shapes import Delta, ToolCallDelta
from unbraid.shell.surrogates import clean_json, clean_text

ReasoningField: TypeAlias = Literal["reasoning_content", "reasoning", "both", "none"]
"""Under which key of a delta reasoning is sent; `none` leaves it out."""


def deltas(events: Events, name_call: NameCall, field: ReasoningField = "reasoning_content") -> list[Delta]:
    """The deltas of `events`, none of them empty.

    >>> deltas((ReasoningChunk("a", 1), ContentChunk("b", 1), ReasoningChunk("c", 1)), lambda call: "id")
    [{'reasoning_content': 'a', 'content': 'b'}, {'reasoning_content': 'c'}]
    """
    writer = _Writer(name_call, field)
    for event in merge(tuple([event for event in events if isinstance(event, _SHOWN)])):
        match event:
            case ReasoningChunk(text=text):
                writer.reasoning(clean_text(text))
            case ContentChunk(text=text):
                writer.content(clean_text(text))
            case ToolName():
                writer.name(event)
            case ArgumentsChunk(index=index, json=json) if json:
                writer.arguments(index, clean_json(json))
            case _:
                pass
    return writer.done


_SHOWN: Final = (ReasoningChunk, ContentChunk, ToolName, ArgumentsChunk)


class _Writer:
    """Deltas as they grow; the last of `done` is open. Neighbours of one kind were merged before."""

    def __init__(self, name_call: NameCall, field: ReasoningField) -> None:
        self.done: list[Delta] = []
        self._name_call = name_call
        self._field = field
        self._rank = 2

    def reasoning(self, text: str) -> None:
        if self._field == "none":
            return
        delta = self._at(0)
        if self._field != "reasoning":
            delta["reasoning_content"] = text
        if self._field != "reasoning_content":
            delta["reasoning"] = text

    def content(self, text: str) -> None:
        self._at(1)["content"] = text

    def name(self, call: ToolName) -> None:
        first: ToolCallDelta = {
            "index": call.index,
            "id": self._name_call(call),
            "type": "function",
            "function": {"name": clean_text(call.name), "arguments": ""},
        }
        self._at(2).setdefault("tool_calls", []).append(first)

    def arguments(self, index: int, json: str) -> None:
        calls = self._at(2).setdefault("tool_calls", [])
        if calls and calls[-1]["index"] == index:
            calls[-1]["function"]["arguments"] = json
        else:
            calls.append({"index": index, "function": {"arguments": json}})

    def _at(self, rank: int) -> Delta:
        """The delta that a part of `rank` goes to."""
        if not self.done or rank < self._rank:
            self.done.append({})
        self._rank = rank
        return self.done[-1]
