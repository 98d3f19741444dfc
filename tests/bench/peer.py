"""What a peer is: another system's parser, called as its own server calls it.

    stream.feed(text, ids) for each delta, stream.close() -> message     a stream
    whole(arrival) -> message                                            a whole output

A peer is asked for nothing that its server does not ask for, and does nothing that ours does not do here: its output is
added up to a message, no more. A package that is not installed makes its peers absent, with a reason.
"""

from __future__ import annotations

from typing import Protocol

from attrs import field, frozen

from tests.bench.feeding import Arrival
from unbraid.shell.messages import Message, ToolCall


class Absent(Exception):
    """A peer cannot run here; the text says why."""


class Stream(Protocol):
    """One output of a peer."""

    def feed(self, text: str | None, ids: tuple[int, ...]) -> None:
        """One delta."""
        ...

    def close(self) -> Message:
        """The end; the whole message."""
        ...


class Peer(Protocol):
    """A system; `feed` is what its parser takes, `vocabulary` the tokenizer that it needs."""

    @property
    def name(self) -> str:
        """The system with its version."""
        ...

    @property
    def feed(self) -> str:
        """`text` or `ids`."""
        ...

    def knows(self, reasoning: str | None, tools: str | None) -> bool:
        """Has it parsers for this pair of our formats?"""
        ...

    def open(self, one: Arrival) -> Stream:
        """A new stream."""
        ...

    def whole(self, one: Arrival) -> Message:
        """The message of a whole output."""
        ...


@frozen(eq=False)
class Gathered:
    """A message that is being added up."""

    reasoning: list[str] = field(factory=list)
    content: list[str] = field(factory=list)
    calls: dict[int, tuple[str, list[str]]] = field(factory=dict)

    def argue(self, index: int, name: str | None, arguments: str) -> None:
        """A piece of a call."""
        if index not in self.calls:
            self.calls[index] = (name or "", [])
        self.calls[index][1].append(arguments)

    def message(self) -> Message:
        """What was said."""
        made = tuple(ToolCall("", name, "".join(parts), complete=True) for name, parts in self.calls.values())
        return Message("".join(self.reasoning) or None, "".join(self.content) or None, made)
