"""What clients make of chunks: a plain joining of deltas, and the SDK's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from unbraid.shell.chat_shapes import ChatChunk

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk


def joined(chunks: Iterable[ChatChunk], choice: int = 0) -> dict[str, Any]:
    """The fields of one answer, concatenated; calls by index. Strands without text are None."""
    found: dict[str, Any] = {"role": "", "reasoning": "", "content": "", "finish_reason": None, "tool_calls": []}
    calls: list[dict[str, str]] = found["tool_calls"]
    for chunk in chunks:
        for one in chunk["choices"]:
            if one["index"] != choice:
                continue
            delta = one["delta"]
            found["role"] += delta.get("role", "")
            found["reasoning"] += delta.get("reasoning_content", delta.get("reasoning", ""))
            found["content"] += delta.get("content", "")
            found["finish_reason"] = one["finish_reason"] or found["finish_reason"]
            for call in delta.get("tool_calls", []):
                if call["index"] == len(calls):
                    calls.append({"id": call["id"], "name": call["function"]["name"], "arguments": ""})
                calls[call["index"]]["arguments"] += call["function"]["arguments"]
    return {key: value if isinstance(value, list) else value or None for key, value in found.items()}


def sdk_message(chunks: Iterable[ChatCompletionChunk]) -> tuple[dict[str, Any], ...]:
    """What the accumulator of the `openai` SDK reads: each answer's message, with its finish reason and reasoning."""
    from openai.lib.streaming.chat import ChatCompletionStreamState  # `joined` is for environments without the SDK too

    state = ChatCompletionStreamState()
    thoughts: dict[int, str] = {}
    for chunk in chunks:
        state.handle_chunk(chunk)
        for choice in chunk.choices:
            extra = choice.delta.model_extra or {}
            text = extra.get("reasoning_content") or extra.get("reasoning") or ""
            thoughts[choice.index] = thoughts.get(choice.index, "") + text
    return tuple(
        {
            "reasoning": thoughts[choice.index] or None,
            "content": choice.message.content or None,
            "tool_calls": [
                (call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or ()
            ],
            "finish_reason": choice.finish_reason,
        }
        for choice in state.current_completion_snapshot.choices
    )
