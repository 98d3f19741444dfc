"""Whatever a request holds, it is a plan or a refusal: nothing raises, and what was planned can be answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

import pytest

from tests.laws.machines import made
from unbraid.shell.chat import ChatStream
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.opening import FeedKind
from unbraid.shell.plan import Plan
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.refusals import refusal
from unbraid.shell.request_fields import RequestDefect
from unbraid.shell.sse import compact, frames
from unbraid.shell.visible import Logprob

VOCABULARY: Final = made("qwen3", "hermes")
SERVERS: Final[Mapping[str, Serving]] = {
    "native": Serving("qwen3", "hermes", VOCABULARY.vocabulary),
    "json": Serving("qwen3", "hermes", VOCABULARY.vocabulary, forced="json", strictness="parameter"),
    "other": Serving("qwen3", "hermes", VOCABULARY.vocabulary, compat="vllm", stops="engine", none="hide"),
    "text": Serving("qwen3", "hermes"),
}
OUTPUT: Final = 'so.</think>Hi <tool_call>{"name": "now", "arguments": {}}</tool_call>'
USER: Final = {"role": "user", "content": "?"}
NOW: Final = {"type": "function", "function": {"name": "now"}}
FIELDS: Final = (
    "model messages tools tool_choice parallel_tool_calls stream stream_options n stop include_reasoning reasoning_field "
    "logprobs top_logprobs return_token_ids chat_template_kwargs reasoning_effort continue_final_message "
    "add_generation_prompt echo response_format max_tokens max_completion_tokens"
).split(" ")


def within(levels: int, key: str) -> object:
    """Objects within each other."""
    found: object = 1
    for _ in range(levels):
        found = {key: found}
    return found


def tool(parameters: object, name: object = "f", **fields: object) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **fields}}


def allowed(mode: object, tools: object) -> dict[str, Any]:
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def schema(value: object) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "x", "schema": value}}


FUNCTIONS: Final[Sequence[object]] = (None, [], {}, {"name": 5}, {"name": "now"}, {"name": "w"})
VALUES: Final[Sequence[object]] = (
    *(None, True, False, 0, -1, 1, 2**70, 10**5000, 1.5, float("nan"), float("inf"), "", "x", "\ud800", "auto"),
    *([], [None], [[]], [1], ["x"], ["x", ""], {}, {"a": None}, {"type": None}, {"type": "function"}, within(900, "a")),
    *({"type": "function", "function": value} for value in FUNCTIONS),
    *({"type": "function", "name": "now"}, {"type": "custom", "custom": {"name": "now"}}, {"type": "allowed_tools"}),
    *(
        allowed("auto", []),
        allowed("x", [NOW, 5, None]),
        allowed("required", [NOW]),
        allowed("auto", [{"name": "now"}]),
    ),
    *({"include_usage": 1}, {"include_usage": True}, {"enable_thinking": 10**5000}, {"enable_thinking": float("nan")}),
    *({"type": "json_schema"}, schema({"$ref": "#"}), schema(within(900, "not")), {"type": "structural_tag"}),
    *([USER, {"role": 5}], [{"role": "assistant", "content": "\ud800", "tool_calls": 1}], [{"content": []}]),
    *([NOW, NOW], [tool(None)], [tool([])], [tool(True)], [tool({}, "\ud800")], [tool({}, "x" * 5000)]),
    *([tool({"$ref": "#"})], [tool({"$defs": 5})], [tool({"properties": {"a": {"$ref": "#/$defs/no"}}})]),
    *(
        [tool({"properties": 5})],
        [tool({"properties": {"a": 5}})],
        [tool({"properties": {"a": {"enum": [float("nan")]}}})],
    ),
    *([tool(within(900, "items"))], [tool(within(400, "not"))], [tool({}, strict="x")], [{"type": "web_search"}]),
)


def answered(plan: Plan) -> None:
    """Answer under `plan`, streamed and whole."""
    feed: FeedKind = "text" if plan.machine.vocabulary is None else "ids"
    ids = VOCABULARY.encode(OUTPUT) if feed == "ids" else ()
    logprobs = [Logprob("x", -1.0)] * len(ids)
    text = OUTPUT if feed == "text" else None
    stream, answer = ChatStream(plan, feed), ChatAnswer(plan, feed)
    assert frames([*stream.feed(text, ids, logprobs), *stream.finish()])
    answer.feed(text, ids, logprobs)
    assert json.loads(compact(answer.finish()).encode())
    assert len(plan.fingerprint) == 64


def refused(defects: Sequence[object]) -> None:
    """Each defect has a path, what is wrong there, and what is allowed."""
    for defect in defects:
        if isinstance(defect, RequestDefect):
            assert all((defect.path, defect.problem, defect.allowed))
            assert len(defect.describe()) < 400


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("name", FIELDS)
def test_nothing_raises(server: str, name: str) -> None:
    bases: Sequence[Mapping[str, object]] = ({}, {"tools": [NOW], "stream": True, "tool_choice": "required"})
    for value, base in product(VALUES, bases):
        found = plan_for(SERVERS[server], {"messages": [USER], **base, name: value})
        found.map(answered)
        if found.value_or(None) is None:
            refused(found.failure().defects)
            assert json.loads(compact(refusal(found.failure())).encode())["error"]["code"] == 400


@pytest.mark.parametrize("body", [None, 1, "x", [], {}, {"messages": None}, {"messages": []}, {"messages": "x"}])
def test_no_request(body: object) -> None:
    assert plan_for(SERVERS["native"], body).value_or(None) is None


@pytest.mark.parametrize("field", ["logprobs", "return_token_ids"])
def test_a_server_that_reads_text_knows_no_tokens(field: str) -> None:
    [defect] = plan_for(SERVERS["text"], {"messages": [USER], field: True}).failure().defects
    assert defect.describe() == f"{field}: true, but this server reads text and no tokens; allowed: false"
