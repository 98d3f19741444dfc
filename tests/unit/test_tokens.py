"""The token view: where reasoning ends, in ids."""

from __future__ import annotations

import pytest

from tests.laws.machines import bare, made
from unbraid.core.bind import Machine
from unbraid.core.machine import finish, fold, start, step
from unbraid.core.records import ParserState
from unbraid.core.tokens import (
    content_ids,
    count_reasoning_tokens,
    provisional_since,
    reasoning_end_index,
    reasoning_ended,
)

CALL = "<tool_call>\n<function=now>\n</function>\n</tool_call>"


def machine() -> Machine:
    return bare("qwen3", "qwen3_coder", None, ids=True)


def tokens(text: str) -> tuple[int, ...]:
    return tuple(made("qwen3", "qwen3_coder").encode(text))


def after(text: str, feed: str = "ids") -> ParserState:
    state = start(machine(), feed, at="reasoning")  # type: ignore[arg-type]  # one of three words
    for token in tokens(text):
        delta = (None if feed == "ids" else machine().texts[token] or "", (token,))
        state, _ = step(machine(), state, *delta)
    return state


def test_the_end_marker() -> None:
    draft = tokens("so it is</think>Hi")
    index = reasoning_end_index(machine(), after("well, "), draft)
    assert index == draft.index(tokens("</think>")[0]) + 1
    assert content_ids(machine(), after("well, "), draft) == draft[index:]


def test_a_call_ends_reasoning_before_its_opener() -> None:
    draft = tokens("so" + CALL)
    index = reasoning_end_index(machine(), after("well, "), draft)
    assert index == draft.index(tokens("<tool_call>")[0])


def test_an_opener_before_the_draft() -> None:
    state = after("well <tool_call>\n<func")
    assert provisional_since(state) == len(tokens("<tool_call>\n<func"))
    assert not reasoning_ended(machine(), state)
    assert reasoning_end_index(machine(), state, tokens("tion=now>")) == 0


def test_no_end_in_the_draft() -> None:
    assert reasoning_end_index(machine(), after("well, "), tokens("and so on")) is None
    assert content_ids(machine(), after("well, "), tokens("and so on")) == ()
    assert provisional_since(after("well, ")) is None


def test_after_the_end() -> None:
    assert reasoning_ended(machine(), after("well</think>ok"))
    assert reasoning_end_index(machine(), after("well</think>ok"), tokens("more")) == 0
    assert content_ids(machine(), after("well</think>"), tokens("more")) == tokens("more")


def test_a_closing_tag_in_a_value_is_not_provisional() -> None:
    state = after("x<tool_call>\n<function=run>\n<parameter=cmd>\nls\n</parameter>")
    assert provisional_since(state) is None
    assert reasoning_ended(machine(), state)


def test_a_host_that_lags() -> None:
    state = start(machine(), "both", at="reasoning")
    state, _ = fold(machine(), state, [("", (token,)) for token in tokens("well, ")])
    assert not reasoning_ended(machine(), state)
    draft = tokens("ok</think>Hi")
    assert reasoning_end_index(machine(), state, draft) == draft.index(tokens("</think>")[0]) + 1
    assert reasoning_end_index(machine(), after("well, ", "both"), draft) is not None
    assert provisional_since(state) is None


def test_a_text_feed_has_no_token_view() -> None:
    with pytest.raises(TypeError, match="ids or both feed"):
        reasoning_end_index(machine(), start(machine(), "text", at="reasoning"), (1,))


def test_headers_are_between() -> None:
    harmony = bare("harmony", "harmony", None, ids=False)
    state = start(harmony, "text")
    assert not reasoning_ended(harmony, state)
    state, _ = step(harmony, state, "<|channel|>analysis<|message|>hm<|end|><|start|>assistant", ())
    assert not reasoning_ended(harmony, state)


def test_reasoning_tokens() -> None:
    state, events = fold(machine(), start(machine(), "ids", at="reasoning"), [(None, tokens("so be it</think>Hi"))])
    counted = count_reasoning_tokens((*events, *finish(machine(), state)[1]))
    assert counted == len(tokens("so be it"))
