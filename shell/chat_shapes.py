"""The objects of Chat Completions, as plain dictionaries with types.

They hold what the models of `openai.types.chat` hold, plus what servers add: the reasoning field, token ids, the stop string.
Keys that say nothing are left out.
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

    role: str
    reasoning: str
    reasoning_content: str
    content: str
    tool_calls: list[ToolCallDelta]


class TopLogprob(TypedDict):
    """A token that might have stood here. `logprob`: natural logarithm, at least -9999."""

    token: str
    logprob: float
    bytes: list[int] | None


class TokenLogprob(TopLogprob):
    """A token, and the likeliest ones in its place."""

    top_logprobs: list[TopLogprob]


class Logprobs(TypedDict):
    """Of the visible tokens, in the order in which they were written."""

    content: list[TokenLogprob]
    refusal: None


class _Choice(TypedDict):
    index: int
    delta: Delta
    finish_reason: FinishReason | None


class Choice(_Choice, total=False):
    """One of the answers; `finish_reason` is null until the last chunk. `stop_reason`: the stop string or token id."""

    logprobs: Logprobs
    token_ids: list[int]
    stop_reason: str | int


class ReasoningTokens(TypedDict):
    """How many of the tokens were reasoning."""

    reasoning_tokens: int


class _Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Usage(_Usage, total=False):
    """Counts of tokens; the details are there if the format has reasoning."""

    completion_tokens_details: ReasoningTokens


class _ChatChunk(TypedDict):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[Choice]


class ChatChunk(_ChatChunk, total=False):
    """One object of the stream. `created`: seconds since 1970. `prompt_token_ids` are on chunks with a role."""

    usage: Usage
    prompt_token_ids: list[int]


class FunctionCall(TypedDict):
    """A whole call; `arguments` is JSON text, cut off if the model was."""

    name: str
    arguments: str


class ToolCall(TypedDict):
    """A whole call with its id."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class _ChatMessage(TypedDict):
    role: str
    content: str | None


class ChatMessage(_ChatMessage, total=False):
    """A whole answer."""

    reasoning: str
    reasoning_content: str
    tool_calls: list[ToolCall]


class _MessageChoice(TypedDict):
    index: int
    message: ChatMessage
    finish_reason: FinishReason
    logprobs: Logprobs | None


class MessageChoice(_MessageChoice, total=False):
    """One of the answers. `matched_stop`: what SGLang calls the stop reason."""

    token_ids: list[int]
    stop_reason: str | int
    matched_stop: str | int | None


class _ChatCompletion(TypedDict):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[MessageChoice]
    usage: Usage


class ChatCompletion(_ChatCompletion, total=False):
    """The response of a request that does not stream."""

    prompt_token_ids: list[int]
