"""The handed cases that are about a request: as lines of a batch, whole and as they were cut when the fault was seen, and as
streams at every split."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pytest

from tests.cases.test_handed import handed
from tests.laws.machines import made
from tests.serving.clients import joined
from unbraid.formats.registry import names
from unbraid.shell.batch_line import Setup, answer_line
from unbraid.shell.chat import ChatStream
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.visible import Logprob

ABOUT_REQUESTS: Final = ("B041", "B061", "B070", "B126", "B128", "B130", "B162")
NO_TOOL_HALF: Final = "json_required"
"""A server whose tool half has no forced form of its own, so that JSON is forced."""


def halves(case: Mapping[str, Any]) -> tuple[str | None, str | None]:
    tools = case.get("tool_format")
    return case.get("reasoning_format"), None if tools == NO_TOOL_HALF else tools


def case_of(name: str) -> Mapping[str, Any]:
    case = handed()[name]
    reasoning, tools = halves(case)
    assert reasoning is None or reasoning in names("reasoning")
    assert tools is None or tools in names("tools")
    return case


def expected(case: Mapping[str, Any]) -> tuple[object, ...]:
    told = case["expected"]
    calls = [(call["name"], call["arguments"]) for call in told["tool_calls"]]
    return told["reasoning"], told["content"], calls, told["finish_reason"]


def line(case: Mapping[str, Any], output: Mapping[str, object]) -> bytes:
    fields = {"start": case["initial_state"], "finish_reason": case["engine_finish_reason"], "request": case["request"]}
    tools = {"tools": case["tools"]} if "tools" in case else {}
    return json.dumps({**fields, **tools, **output}).encode()


@pytest.mark.parametrize("name", ABOUT_REQUESTS)
@pytest.mark.parametrize("output", ["text", "deltas"])
def test_batch_lines(name: str, output: str) -> None:
    case = case_of(name)
    text, good = answer_line(Setup(*halves(case)), 1, line(case, {output: case[output]}))
    assert good, text
    found = json.loads(text)
    calls = [(call["name"], json.loads(call["arguments"])) for call in found["tool_calls"]]
    assert (found["reasoning"], found["content"], calls, found["finish_reason"]) == expected(case)


def cuts(text: str, deltas: Sequence[str]) -> Iterator[Sequence[str]]:
    yield [text]
    yield deltas
    yield list(text)
    yield from ([text[:place], text[place:]] for place in range(1, len(text)))


@pytest.mark.parametrize("name", ABOUT_REQUESTS)
def test_streams_at_every_split(name: str) -> None:
    case = case_of(name)
    body = {**case["request"], "logprobs": False, "tools": case.get("tools")}
    plan = plan_for(Serving(*halves(case)), {"messages": MESSAGES, **body}, at=case["initial_state"]).unwrap()
    for deltas in cuts(case["text"], case["deltas"]):
        stream = ChatStream(plan)
        chunks = [chunk for delta in deltas for chunk in stream.feed(delta)] + list(stream.finish("stop"))
        found = joined(chunks)
        calls = [(call["name"], json.loads(call["arguments"])) for call in found["tool_calls"]]
        assert (found["reasoning"], found["content"], calls, found["finish_reason"]) == expected(case)


MESSAGES: Final = [{"role": "assistant", "content": "<think>\nFirst list the numbers "}]


def test_b162_no_token_of_what_is_hidden() -> None:
    case = case_of("B162")
    vocabulary = made(*halves(case))
    serving = Serving(*halves(case), tokenizer=vocabulary.vocabulary)
    body = {"messages": MESSAGES, "return_token_ids": True, **case["request"]}
    stream = ChatStream(plan_for(serving, body, at="reasoning").unwrap(), "ids")
    chunks: list[ChatChunk] = []
    for token in vocabulary.encode(case["text"]):
        text = vocabulary.decode([token])
        chunks += stream.feed(None, (token,), (Logprob(text, -0.5),))
    chunks += stream.finish()
    assert "secret" not in json.dumps(chunks)
    choices = [chunk["choices"][0] for chunk in chunks]
    assert vocabulary.decode(token for choice in choices for token in choice.get("token_ids", [])) == "ok"
    told = [one["token"] for choice in choices if "logprobs" in choice for one in choice["logprobs"]["content"]]
    assert "".join(told) == "ok"
