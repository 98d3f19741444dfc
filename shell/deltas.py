"""Events of one step to Chat Completions deltas.

A client reads the parts of a delta in the order reasoning, content, calls. Events that come in this order share a delta;
where one comes late, a new delta begins. So the client sees the strands in the order in which the model wrote them, in as
few deltas as that takes.

    rank     reasoning 0 · content 1 · calls 2
    events   a0 b1 c1 d2 | e1 f2         two deltas

Ids and names are written once, in the first delta of their call: clients concatenate what is repeated. Tokens go with the
delta that holds the last of their text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal, TypeAlias

from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk, ToolName
from unbraid.shell.call_ids import NameCall
from unbraid.shell.chat_shapes import Delta, ToolCallDelta
from unbraid.shell.surrogates import clean_json, clean_text
from unbraid.shell.visible import Shown

ReasoningField: TypeAlias = Literal["reasoning_content", "reasoning", "both", "none"]
"""Under which key of a delta reasoning is sent; `none` leaves it out."""

Part: TypeAlias = tuple[Delta, Shown]
"""A delta, and the tokens that it makes visible."""


def deltas(events: Events, name_call: NameCall, field: ReasoningField = "reasoning_content") -> list[Delta]:
    """The deltas of `events`, none of them empty.

    >>> deltas((ReasoningChunk("a", 1), ContentChunk("b", 1), ReasoningChunk("c", 1)), lambda call: "id")
    [{'reasoning_content': 'a', 'content': 'b'}, {'reasoning_content': 'c'}]
    """
    return [delta for delta, _ in parts(events, (), name_call, field)]


def parts(
    events: Events, shown: Sequence[Shown], name_call: NameCall, field: ReasoningField = "reasoning_content"
) -> list[Part]:
    """The deltas of `events` with their tokens; `shown` has those of each event, or is empty. A delta without text is there
    only for its tokens."""
    writer = _Writer(name_call, field)
    for place, event in enumerate(events):
        writer.write(event)
        if shown:
            writer.show(shown[place])
    return writer.parts()


class _Writer:
    """Deltas as they grow; the last one is open, and so is one text in it (`pieces`, under the key or call `open`)."""

    def __init__(self, name_call: NameCall, field: ReasoningField) -> None:
        self._done: list[tuple[Delta, list[Shown]]] = []
        self._name_call = name_call
        self._field = field
        self._rank = 2
        self._open: Literal["reasoning", "content"] | int | None = None
        self._pieces: list[str] = []

    def parts(self) -> list[Part]:
        self._close()
        return [(delta, tuple(chain.from_iterable(shown))) for delta, shown in self._done]

    def write(self, event: Event) -> None:
        match event:
            case ReasoningChunk(text=text) if self._field != "none":
                self._add(0, "reasoning", clean_text(text))
            case ContentChunk(text=text):
                self._add(1, "content", clean_text(text))
            case ToolName():
                self._name(event)
            case ArgumentsChunk(index=index, json=json) if json:
                self._add(2, index, clean_json(json))
            case _:
                pass

    def show(self, tokens: Shown) -> None:
        if tokens:
            if not self._done:
                self._done.append(({}, []))
            self._done[-1][1].append(tokens)

    def _add(self, rank: int, place: Literal["reasoning", "content"] | int, text: str) -> None:
        if self._open != place:
            self._at(rank)
            self._open = place
        self._pieces.append(text)

    def _name(self, call: ToolName) -> None:
        first: ToolCallDelta = {
            "index": call.index,
            "id": self._name_call(call),
            "type": "function",
            "function": {"name": clean_text(call.name), "arguments": ""},
        }
        self._at(2).setdefault("tool_calls", []).append(first)

    def _at(self, rank: int) -> Delta:
        """The delta that a part of `rank` goes to."""
        self._close()
        if not self._done or rank < self._rank:
            self._done.append(({}, []))
        self._rank = rank
        return self._done[-1][0]

    def _close(self) -> None:
        """The open text is whole."""
        text, place = "".join(self._pieces), self._open
        self._open, self._pieces = None, []
        if place == "reasoning":
            self._reasoning(text)
        elif place == "content":
            self._done[-1][0]["content"] = text
        elif place is not None:
            self._arguments(place, text)

    def _reasoning(self, text: str) -> None:
        delta = self._done[-1][0]
        if self._field != "reasoning":
            delta["reasoning_content"] = text
        if self._field != "reasoning_content":
            delta["reasoning"] = text

    def _arguments(self, index: int, json: str) -> None:
        calls = self._done[-1][0].setdefault("tool_calls", [])
        if calls and calls[-1]["index"] == index:
            calls[-1]["function"]["arguments"] = json
        else:
            calls.append({"index": index, "function": {"arguments": json}})
