"""The objects of a Chat Completions stream, as plain dictionaries with types.

They hold what `openai.types.chat.ChatCompletionChunk` holds, plus the reasoning field of the servers that have one. Keys
that say nothing are left out.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from unbraid.shell.finish_reasons import FinishReason


class FunctionDelta(TypedDict, total=False):
    """`name` is in the first delta of a call only; `arguments` are a piece of JSON text."""

    name: str
    arguments: str


class _CallPiece(TypedDict):
    index: int
    function: FunctionDelta


class ToolCallDelta(_CallPiece, total=False):
    """`id` and `type` are in the first delta of a call only."""

    id: str
    type: Literal["function"]


class Delta(TypedDict, total=False):
    """What is new: role, reasoning, content, calls, in this order."""

    role: Literal["assistant"]
    reasoning: str
    reasoning_content: str
    content: str
    tool_calls: list[ToolCallDelta]


class Choice(TypedDict):
    """One of the answers; `finish_reason` is null until the last chunk."""

    index: int
    delta: Delta
    finish_reason: FinishReason | None


class ChatChunk(TypedDict):
    """One object of the stream. `created`: seconds since 1970."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[Choice]
