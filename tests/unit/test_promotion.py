"""Reasoning as content, where nothing was said."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from unbraid.core.events import ContentChunk, Event, Markup, ReasoningChunk, ToolCallStart
from unbraid.core.grammar import JsonScalar
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.promotion import Thought, promote, promotes, remember


@pytest.mark.parametrize(
    ("reasoning", "kwargs", "expected"),
    [
        ("qwen3", {}, False),
        ("qwen3", {"force_nonempty_content": True}, True),
        ("qwen3", {"force_nonempty_content": "yes"}, False),
        ("qwen3", {"enable_thinking": False}, False),
        ("nemotron_v3", {"enable_thinking": False}, True),
        ("nemotron_v3", {"enable_thinking": True}, False),
        ("granite_thinking", {"enable_thinking": False}, True),
        (None, {"enable_thinking": False}, False),
    ],
)
def test_who_asks(reasoning: str | None, kwargs: Mapping[str, JsonScalar], expected: bool) -> None:
    assert promotes(reasoning, kwargs) is expected


THOUGHT = ReasoningChunk("So.", 3)


@pytest.mark.parametrize(
    ("events", "promoted"),
    [
        ([THOUGHT], "So."),
        ([THOUGHT, ReasoningChunk(" On.", 4)], "So. On."),
        ([THOUGHT, ContentChunk("\n \t", 3)], "So."),
        ([THOUGHT, ContentChunk("x", 1)], None),
        ([ContentChunk("x", 1), THOUGHT], None),
        ([THOUGHT, ToolCallStart(0)], None),
        ([Markup("T", "<t>", 3)], None),
        ([], None),
    ],
)
def test_what_is_promoted(events: list[Event], promoted: str | None) -> None:
    thought = Thought()
    for event in events:
        thought = remember(thought, (event,))
    assert promote(thought) == (() if promoted is None else (ContentChunk(promoted, 0),))
    assert promote(remember(Thought(), tuple(events))) == promote(thought)


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("plan\n", "plan\n", "plan\n"),
        ("plan\n</think>\n\nHello", "plan", "Hello"),
        ("plan\n</think>\n", "plan", "plan"),
    ],
)
def test_in_an_answer(text: str, reasoning: str, content: str) -> None:
    body = {"messages": [{"role": "user"}], "chat_template_kwargs": {"force_nonempty_content": True}}
    answer = ChatAnswer(plan_for(Serving("qwen3"), body).unwrap())
    answer.feed(text)
    message = answer.finish()["message"]
    assert (message["reasoning_content"], message["content"]) == (reasoning, content)
