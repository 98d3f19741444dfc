"""Chat Completions requests: what is read, and every way in which a field can be wrong."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.machines import made
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.request_fields import RequestDefect
from unbraid.shell.request_tools import ToolChoice
from unbraid.shell.requests import ChatRequest, read_chat_request

NOW: Final = {"type": "function", "function": {"name": "now"}}
RUN: Final = {"type": "function", "function": {"name": "run", "strict": True, "parameters": {"type": "object"}}}
USER: Final = {"role": "user", "content": "?"}
SAID: Final = {"role": "assistant", "content": "Well"}
MCP: Final = {"type": "mcp", "function": {"name": "now"}}


def request(**fields: Any) -> dict[str, Any]:
    return {"messages": [USER], **fields}


def read(**fields: Any) -> ChatRequest:
    found = read_chat_request(request(**fields))
    assert found.swap().value_or(()) == ()
    return found.unwrap()


def defects(**fields: Any) -> list[tuple[str, str]]:
    return [(one.path, one.describe()) for one in read_chat_request(request(**fields)).failure()]


def named(name: object) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def nested(levels: int) -> dict[str, object]:
    """Objects within each other."""
    found: dict[str, object] = {}
    for _ in range(levels - 1):
        found = {"x": found}
    return found


def deep(levels: int) -> dict[str, object]:
    """A tool with an argument of objects within objects."""
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return {"type": "function", "function": {"name": "f", "parameters": schema}}


def test_the_least() -> None:
    assert read() == ChatRequest(last=("user", "?"))


def test_everything() -> None:
    found = read(
        model="m",
        messages=[USER, {"role": "assistant", "tool_calls": [{}, {}]}, {"role": "tool"}, SAID],
        tools=[NOW, RUN],
        tool_choice=named("run"),
        parallel_tool_calls=False,
        stream=True,
        stream_options={"include_usage": True},
        n=3,
        stop=["a", "b", "a"],
        include_reasoning=False,
        reasoning_field="both",
        logprobs=True,
        top_logprobs=4,
        return_token_ids=True,
        reasoning_effort="low",
        chat_template_kwargs={"thinking": False, "docs": []},
        continue_final_message=True,
        echo=True,
        response_format={"type": "json_object"},
        max_tokens=7,
        max_completion_tokens=9,
        temperature="not ours",
    )
    assert found.tools is not None
    assert (found.tools.names, found.tools.strict, found.tools.listed) == (("now", "run"), ("run",), (NOW, RUN))
    assert (found.choice, found.parallel, found.history) == (ToolChoice("named", ("run",)), False, 2)
    assert (found.model, found.stream, found.usage, found.choices, found.stops) == ("m", True, "last", 3, ("a", "b"))
    assert (found.include_reasoning, found.reasoning_field, found.logprobs, found.token_ids) == (False, "both", 4, True)
    assert found.template_kwargs == {"reasoning_effort": "low", "thinking": False}
    assert (found.continues, found.answers, found.echo, found.last) == (True, False, True, ("assistant", "Well"))
    assert (found.output, found.most_tokens) == ({"type": "json_object"}, 9)


NULLS: Final = (
    *("model", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "n", "stop", "max_tokens"),
    *("include_reasoning", "reasoning_field", "logprobs", "top_logprobs", "return_token_ids", "reasoning_effort"),
    *("chat_template_kwargs", "continue_final_message", "add_generation_prompt", "echo", "response_format"),
)


@pytest.mark.parametrize("name", NULLS)
def test_null_counts_as_left_out(name: str) -> None:
    assert read(**{name: None}) == read()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}], "ab"),
        (3, ""),
    ],
)
def test_text_of_the_last_message(content: object, text: str) -> None:
    assert read(messages=[{"role": "user", "content": content}]).last == ("user", text)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("none", ToolChoice("none")),
        ("auto", ToolChoice("auto")),
        ("required", ToolChoice("required")),
        (named("now"), ToolChoice("named", ("now",))),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [NOW, NOW]}},
            ToolChoice("required", ("now",)),
        ),
    ],
)
def test_tool_choice(choice: object, expected: ToolChoice) -> None:
    assert read(tools=[NOW, RUN], tool_choice=choice).choice == expected


BAD_SCHEMA: Final = {
    "type": "function",
    "function": {"name": "f", "parameters": {"properties": {"a": {"$ref": "#/x"}}}},
}
ALLOWED: Final = {"mode": "auto", "tools": [NOW]}

BAD: Final[list[tuple[dict[str, Any], str, str]]] = [
    ({"messages": None}, "messages", "missing"),
    ({"messages": []}, "messages", "an empty array"),
    ({"messages": "hi"}, "messages", "'hi'"),
    ({"messages": [3]}, "messages[0]", "found 3"),
    ({"messages": [USER, {}]}, "messages[1].role", "missing"),
    ({"messages": [{"role": 3}]}, "messages[0].role", "found 3"),
    ({"model": ""}, "model", "not empty"),
    ({"model": 3}, "model", "found 3"),
    ({"tools": []}, "tools", "at least one"),
    ({"tools": {}}, "tools", "found an object"),
    ({"tools": ["now"]}, "tools[0]", "an object"),
    ({"tools": [{}]}, "tools[0].type", "missing"),
    ({"tools": [{"type": "custom"}]}, "tools[0].type", "allowed: function"),
    ({"tools": [{"type": "function"}]}, "tools[0].function", "missing"),
    ({"tools": [{"type": "function", "function": 1}]}, "tools[0].function", "an object"),
    ({"tools": [named("")]}, "tools[0].function.name", "not empty"),
    ({"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name", "missing"),
    ({"tools": [NOW, NOW]}, "tools[1].function.name", "a second time"),
    ({"tools": [{**NOW, "function": {"name": "a", "strict": 1}}]}, "tools[0].function.strict", "true or false"),
    ({"tools": [NOW, BAD_SCHEMA]}, "tools[1].function.parameters.properties.a.$ref", "points to nothing"),
    (
        {"tools": [{**NOW, "function": {"name": "a", "parameters": []}}]},
        "tools[0].function.parameters",
        "a JSON Schema of an object",
    ),
    ({"tools": [NOW], "tool_choice": "requird"}, "tool_choice", "did you mean 'required'?"),
    ({"tools": [NOW], "tool_choice": 3}, "tool_choice", "found 3"),
    ({"tools": [NOW], "tool_choice": {}}, "tool_choice.type", "missing"),
    ({"tools": [NOW], "tool_choice": {"type": "tool"}}, "tool_choice.type", "function, allowed_tools"),
    ({"tools": [NOW], "tool_choice": {"type": "function"}}, "tool_choice.function", "missing"),
    ({"tools": [NOW], "tool_choice": {"type": "function", "function": {}}}, "tool_choice.function.name", "missing"),
    ({"tools": [NOW, RUN], "tool_choice": named("rum")}, "tool_choice.function.name", "did you mean 'run'?"),
    ({"tools": [NOW], "tool_choice": {"type": "allowed_tools"}}, "tool_choice.allowed_tools", "missing"),
    (
        {"tools": [NOW], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "none", "tools": [NOW]}}},
        "tool_choice.allowed_tools.mode",
        "auto, required",
    ),
    (
        {"tools": [NOW], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"tools": [NOW]}}},
        "tool_choice.allowed_tools.mode",
        "missing",
    ),
    (
        {"tools": [NOW], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto"}}},
        "tool_choice.allowed_tools.tools",
        "at least one",
    ),
    (
        {"tools": [RUN], "tool_choice": {"type": "allowed_tools", "allowed_tools": ALLOWED}},
        "tool_choice.allowed_tools.tools[0].function.name",
        "allowed: run",
    ),
    ({"tool_choice": "required"}, "tool_choice", "'required' without tools"),
    ({"tool_choice": named("now")}, "tool_choice", "'named' without tools"),
    (
        {"tools": [NOW], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [MCP]}}},
        "tool_choice.allowed_tools.tools[0].type",
        "found 'mcp'",
    ),
    ({"messages": [{**SAID, "tool_calls": {}}]}, "messages[0].tool_calls", "found an object"),
    ({"n": 10**5000}, "n", "a number of 16610 bits is too large"),
    ({"model": 10**5000}, "model", "found a number of 16610 bits"),
    (
        {"chat_template_kwargs": {"enable_thinking": 10**5000}},
        "chat_template_kwargs.enable_thinking",
        "at most 1024 bits",
    ),
    ({"tools": [deep(101)]}, "tools[0].function.parameters", "nested more than 200 deep"),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": nested(201)}}},
        "response_format.json_schema.schema",
        "nested more than 200 deep",
    ),
    ({"response_format": {"type": "structural_tag"}}, "response_format.format", "missing"),
    ({"response_format": {"type": "structural_tag", "format": 1}}, "response_format.format", "an object"),
    ({"parallel_tool_calls": 0}, "parallel_tool_calls", "true or false"),
    ({"stream": "yes"}, "stream", "true or false"),
    ({"stream_options": {}}, "stream_options", "only where stream is true"),
    ({"stream": True, "stream_options": 1}, "stream_options", "an object"),
    ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "true or false"),
    (
        {"stream": True, "stream_options": {"continuous_usage_stats": True}},
        "stream_options.continuous_usage_stats",
        "include_usage",
    ),
    ({"n": 0}, "n", "0 is too small; allowed: a whole number from 1 to 128"),
    ({"n": 129}, "n", "too large"),
    ({"n": True}, "n", "found true"),
    ({"n": 1.0}, "n", "found 1.0"),
    ({"stop": ""}, "stop", "not empty"),
    ({"stop": ["a", 1]}, "stop[1]", "found 1"),
    ({"stop": ["a", ""]}, "stop[1]", "not empty"),
    ({"stop": 0}, "stop", "found 0"),
    ({"stop": {}}, "stop", "found an object"),
    ({"stop": {"a": 1}}, "stop", "found an object"),
    ({"include_reasoning": "no"}, "include_reasoning", "true or false"),
    ({"reasoning_field": "thinking"}, "reasoning_field", "reasoning_content, reasoning, both, none"),
    ({"logprobs": 5}, "logprobs", "true or false"),
    ({"top_logprobs": 2}, "top_logprobs", "only where logprobs is true"),
    ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "from 0 to 20"),
    ({"return_token_ids": 1}, "return_token_ids", "true or false"),
    ({"reasoning_effort": 3}, "reasoning_effort", "a string"),
    ({"chat_template_kwargs": []}, "chat_template_kwargs", "an object"),
    ({"echo": "yes"}, "echo", "true or false"),
    ({"messages": [SAID], "continue_final_message": 1}, "continue_final_message", "true or false"),
    ({"continue_final_message": True}, "continue_final_message", "the last message is by 'user'"),
    (
        {"messages": [SAID], "continue_final_message": True, "add_generation_prompt": True},
        "add_generation_prompt",
        "one of the two",
    ),
    ({"response_format": "json"}, "response_format", "an object"),
    ({"response_format": {}}, "response_format.type", "missing"),
    ({"response_format": {"type": "xml"}}, "response_format.type", "json_schema"),
    ({"response_format": {"type": "json_schema"}}, "response_format.json_schema", "missing"),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
        "response_format.json_schema.name",
        "missing",
    ),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": 1}}},
        "response_format.json_schema.schema",
        "an object",
    ),
    (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": 1}}},
        "response_format.json_schema.strict",
        "true or false",
    ),
    ({"max_tokens": 0}, "max_tokens", "too small"),
    ({"max_completion_tokens": "9"}, "max_completion_tokens", "a whole number"),
]


@pytest.mark.parametrize(("fields", "path", "text"), BAD)
def test_a_bad_field(fields: dict[str, Any], path: str, text: str) -> None:
    [(found, sentence)] = defects(**fields)
    assert found == path
    assert sentence.startswith(f"{path}: ")
    assert "; allowed: " in sentence
    assert text in sentence


def test_all_defects_at_once() -> None:
    found = defects(n=0, stop="", tools=[NOW, {}], tool_choice=named("then"), logprobs=1)
    assert sorted(path for path, _ in found) == ["logprobs", "n", "stop", "tool_choice.function.name", "tools[1].type"]


@pytest.mark.parametrize("found", [None, [], "x", 3, True])
def test_no_request(found: object) -> None:
    [defect] = read_chat_request(found).failure()
    assert (defect.path, defect.allowed) == ("", "a JSON object")


def test_part_of_a_request() -> None:
    assert read_chat_request({}, messages=False).unwrap() == ChatRequest()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS: Final = ("messages", *NULLS)


@given(st.dictionaries(st.sampled_from(FIELDS), JSON), st.sampled_from(["type", "function", "name", "mode"]), JSON)
def test_no_request_raises(fields: dict[str, Any], key: str, inner: Any) -> None:
    """Whatever stands in it, a request is read or refused with paths."""
    body = {**fields, "tool_choice": {key: inner}, "tools": [{key: inner}, NOW]}
    for found in (fields, body):
        for defect in read_chat_request(found).swap().value_or(()):
            assert isinstance(defect, RequestDefect)
            assert defect.path.partition(".")[0].partition("[")[0] in (*FIELDS, "max_completion_tokens")


def test_what_binding_finds_is_a_failure_too() -> None:
    wrong = plan_for(Serving("qwen33", "hermess"), request()).failure()
    assert len(wrong.defects) == 2
    assert [one.path for one in plan_for(Serving(), {}).failure().defects] == ["messages"]  # type: ignore[attr-defined]  # of a request


@pytest.mark.parametrize("token_ids", [False, True])
def test_an_engine_without_log_probabilities(token_ids: bool) -> None:
    """Its server refuses requests for them; a server of text says that it has no tokens at all."""
    body = request(logprobs=True, top_logprobs=1, return_token_ids=token_ids)
    ids = Serving("qwen3", "hermes", made("qwen3", "hermes").vocabulary, logprobs=False)
    [wrong] = plan_for(ids, body).failure().defects
    assert (
        wrong.describe() == "logprobs: true, but the engine of this server gives no log probabilities; allowed: false"
    )
    told = plan_for(Serving("qwen3", "hermes", logprobs=False), body).failure().describe()
    assert (told.count("reads text and no tokens"), "gives no log" in told) == (1 + token_ids, False)
    assert plan_for(ids, request(return_token_ids=token_ids)).unwrap().token_ids is token_ids
    wrong_too = plan_for(ids, {**body, "n": 0}).failure().defects
    assert [one.path for one in wrong_too] == ["n", "logprobs"]  # type: ignore[attr-defined]  # of a request
