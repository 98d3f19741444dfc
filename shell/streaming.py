"""One output as a stream, to be looked at: JSON deltas for programs, coloured strands for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO, TypeAlias

from rich.console import Console

from unbraid.core.bind import Machine
from unbraid.shell.batch_line import Request
from unbraid.shell.chat import ChatStream
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.opening import FeedKind
from unbraid.shell.plan import Plan
from unbraid.shell.session import Reduced
from unbraid.shell.strands import Strands
from unbraid.shell.surrogates import json_line
from unbraid.shell.truncated import Truncated

Deltas: TypeAlias = Iterable[tuple[str | None, tuple[int, ...]]]


def write_deltas(
    machine: Machine, feed: FeedKind, deltas: Deltas, request: Request, truncated: Truncated, out: TextIO
) -> None:
    """One JSON object a line: each delta of a Chat Completions stream, and at the end the finish reason."""
    stream = ChatStream(Plan(machine, at=request.start, truncated=truncated), feed, prompt=request.prompt)
    for text, ids in deltas:
        _write(stream.feed(text, ids), out)
    _write(stream.finish(request.finish_reason), out)


def _write(chunks: Iterable[ChatChunk], out: TextIO) -> None:
    for chunk in chunks:
        choice = chunk["choices"][0]
        line = choice["delta"] if choice["finish_reason"] is None else {"finish_reason": choice["finish_reason"]}
        out.write(json_line(line) + "\n")
    out.flush()


def show_strands(
    machine: Machine, feed: FeedKind, deltas: Deltas, request: Request, truncated: Truncated, console: Console
) -> None:
    """The strands in colour, as they come."""
    stream = Reduced(Plan(machine, at=request.start, truncated=truncated), feed, prompt=request.prompt)
    strands = Strands(console)
    for text, ids in deltas:
        strands.show(stream.feed(text, ids))
    strands.show(stream.finish())
    strands.close()
