"""One line of a batch: what is read, what is answered, what is refused."""

import json
from typing import Any

import pytest
from returns.result import Success

from tests.laws.machines import made
from unbraid.shell import batch_line
from unbraid.shell.batch_line import Setup, answer_line
from unbraid.shell.policies import Choices

SETUP = Setup("qwen3", "hermes")
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "b"}}\n</tool_call>'


def answered(line: object, setup: Setup = SETUP) -> Any:
    text, good = answer_line(setup, 3, json.dumps(line).encode())
    assert good, text
    return json.loads(text)


def refused(line: bytes, setup: Setup = SETUP) -> Any:
    text, good = answer_line(setup, 3, line)
    assert not good, text
    found = json.loads(text)
    assert found["line"] == 3
    return found


def test_everything() -> None:
    found = answered({"id": 7, "text": f"plan</think>\n\nHi{CALL}", "finish_reason": "stop"})
    call_id = found["tool_calls"][0].pop("id")
    assert call_id.startswith("call_")
    assert found == {
        "id": 7,
        "reasoning": "plan",
        "content": "Hi",
        "tool_calls": [{"name": "f", "arguments": '{"a": "b"}', "complete": True}],
        "finish_reason": "tool_calls",
        "anomalies": [],
    }
    assert list(found) == ["id", "reasoning", "content", "tool_calls", "finish_reason", "anomalies"]


def test_the_least() -> None:
    assert answered({"text": ""}) == {
        "id": None,
        "reasoning": None,
        "content": None,
        "tool_calls": [],
        "finish_reason": "stop",
        "anomalies": [],
    }


@pytest.mark.parametrize(
    ("line", "reasoning", "content"),
    [
        ({"text": "Hi"}, "Hi", None),
        ({"text": "Hi", "unknown": 1, "tools": None}, "Hi", None),
        ({"text": "Hi", "prompt_hint": "", "kind": "A", "why": "metadata"}, "Hi", None),
        ({"text": "Hi", "start": "content"}, None, "Hi"),
        ({"text": "Hi", "start": "auto", "prompt": "<think>\n\n</think>\n\n"}, None, "Hi"),
        ({"text": "Hi", "chat_template_kwargs": {"enable_thinking": False, "other": [1]}}, None, "Hi"),
        ({"text": None, "deltas": ["a</th", "ink>", "b"]}, "a", "b"),
        ({"deltas": []}, None, None),
        ({"text": "Hi", "prompt": None, "tools": None}, "Hi", None),
        ({"text": "a</think>\ud800"}, "a", "\ufffd"),
    ],
)
def test_fields(line: object, reasoning: str | None, content: str | None) -> None:
    found = answered(line)
    assert (found["reasoning"], found["content"]) == (reasoning, content)


def test_tools_are_used() -> None:
    tool = {"type": "function", "function": {"name": "g"}}
    text = f"a</think>{CALL}"
    assert [odd["kind"] for odd in answered({"text": text, "tools": [tool]})["anomalies"]] == ["unknown_tool"]
    assert answered({"text": text, "tools": []})["content"] == CALL


def test_policies() -> None:
    cut = {"text": f"a</think>{CALL[:-18]}", "finish_reason": "length"}
    emitted = answered(cut)
    assert [call["complete"] for call in emitted["tool_calls"]] == [False]
    assert emitted["finish_reason"] == "length"
    assert answered(cut, Setup("qwen3", "hermes", choices=Choices(truncated="drop")))["tool_calls"] == []


def test_token_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = made("qwen3", "hermes")
    monkeypatch.setattr("unbraid.shell.bind.read_vocabulary", lambda _: Success(vocabulary.vocabulary))
    ids = list(vocabulary.encode("plan</think>Hi"))
    prompt = list(vocabulary.encode("<think>"))
    found = answered({"token_ids": ids, "prompt": prompt}, Setup("qwen3", "hermes", "made up for this test"))
    assert (found["reasoning"], found["content"]) == ("plan", "Hi")
    line = {"token_ids": ids, "prompt": prompt, "request": {"return_token_ids": True, "include_reasoning": False}}
    shown = answered(line, Setup("qwen3", "hermes", "made up for this test"))["token_ids"]
    assert vocabulary.decode(shown) == "Hi"


TOOL = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({}, ("plan", "Hi", [("f", '{"a": "b"}')], "tool_calls")),
        ({"tool_choice": "none"}, ("plan", f"Hi{CALL}", [], "stop")),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            ("plan", "Hi", [("f", '{"a": "b"}')], "stop"),
        ),
        ({"include_reasoning": False}, (None, "Hi", [("f", '{"a": "b"}')], "tool_calls")),
        ({"stop": "i"}, ("plan", "H", [], "stop")),
        (
            {"chat_template_kwargs": {"enable_thinking": False}},
            (None, "planHi", [("f", '{"a": "b"}')], "tool_calls"),
        ),
        ({"logprobs": True, "return_token_ids": True}, ("plan", "Hi", [("f", '{"a": "b"}')], "tool_calls")),
        ({"tools": []}, None),
    ],
)
def test_requests(request_: dict[str, object], expected: tuple[object, ...] | None) -> None:
    line = {"text": f"plan</think>\n\nHi{CALL}", "tools": [TOOL], "request": request_}
    if expected is None:
        assert refused(json.dumps(line).encode())["error"].startswith("request.tools: an empty array")
        return
    found = answered(line)
    calls = [(call["name"], call["arguments"]) for call in found["tool_calls"]]
    assert (found["reasoning"], found["content"], calls, found["finish_reason"]) == expected
    assert "token_ids" not in found


def test_what_is_wrong_has_its_place_in_the_line() -> None:
    """A line's own tools are not in `request`, nor are those beside a field that is null there."""
    for request_ in ({}, {"tools": None}):
        line = {"text": "", "tools": [{"type": "tool"}], "request": request_}
        assert refused(json.dumps(line).encode())["error"].startswith("tools[0].type: found 'tool'")
    line = {"text": "", "tools": [TOOL], "request": {"tools": [{"type": "tool"}], "n": 0}}
    error = refused(json.dumps(line).encode())["error"]
    assert error.startswith("request.tools[0].type: found 'tool'")
    assert "; request.n: 0 is too small" in error


def test_tools_of_the_request_and_of_nobody() -> None:
    text = f"plan</think>{CALL}"
    assert answered({"text": text, "request": {}})["tool_calls"][0]["name"] == "f"
    other = {"type": "function", "function": {"name": "g"}}
    found = answered({"text": text, "tools": [TOOL], "request": {"tools": [other]}})
    assert [odd["kind"] for odd in found["anomalies"]] == ["unknown_tool"]


def test_forced_json() -> None:
    line = {"text": 'plan</think>{"a":  1}', "tools": [TOOL]}
    named = {"tool_choice": {"type": "function", "function": {"name": "f"}}}
    found = answered({**line, "request": named}, Setup("qwen3"))
    assert [(call["name"], call["arguments"]) for call in found["tool_calls"]] == [("f", '{"a":  1}')]


BAD: list[tuple[bytes, str]] = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b'{"text": "\xff"}', "not JSON"),
    (b"[" * 100_000, "not JSON"),
    (b"1" * 5000, "not JSON"),
    (b"[]", "expected a JSON object"),
    (b"{}", "expected one of text, deltas and token_ids, found none"),
    (b'{"text": "", "deltas": []}', "found text and deltas"),
    (b'{"text": 1}', "text: expected a string"),
    (b'{"deltas": "a"}', "deltas: expected an array of strings"),
    (b'{"deltas": [1]}', "deltas: expected an array of strings"),
    (b'{"token_ids": [true]}', "token_ids: expected an array of token ids"),
    (b'{"token_ids": [1]}', "give --tokenizer"),
    (b'{"text": "", "tools": {}}', "tools: expected an array of tools"),
    (b'{"text": "", "tools": [{}, 5]}', "tools[1]: expected an object, found 5"),
    (b'{"text": "", "tools": [{"function": {"name": "f"}}, {}]}', "tools[1]: a tool needs a name"),
    (b'{"text": "", "tools": [{"name": "f", "parameters": {"properties": []}}]}', "tools[0]: tool 'f': an object must"),
    (b'{"txt": ""}', "expected one of text, deltas and token_ids, found none; did you mean 'text'?"),
    (b'{"text": "", "x": NaN}', "x: NaN is no JSON"),
    (b'{"text": "", "request": {"seed": [1, -1e999]}}', "request.seed[1]: -1e999 is too large a number"),
    (b"NaN", "NaN is no JSON"),
    (b'{"text": "", "chat_template_kwargs": 1}', "chat_template_kwargs: expected an object"),
    (b'{"text": "", "start": "end"}', "start: expected auto, reasoning or content"),
    (b'{"text": "", "prompt": 1}', "prompt: expected a string or an array of token ids"),
    (b'{"text": "", "finish_reason": "tool_calls"}', "finish_reason: expected stop or length"),
    (b'{"text": "", "request": []}', "request: expected an object"),
    (b'{"text": "", "request": {"n": 0, "stop": ""}}', "n: 0 is too small"),
    (b'{"text": "", "request": {"n": 0, "stop": ""}}', "request.stop: found ''"),
    (b'{"text": "", "request": {"tool_choice": "required"}}', "tool_choice: 'required' without tools"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_bad_lines(line: bytes, reason: str) -> None:
    assert reason in refused(line)["error"]


def test_all_defects_and_the_id() -> None:
    found = refused(b'{"id": "x", "text": 1, "start": "contents"}')
    assert found == {
        "id": "x",
        "line": 3,
        "error": "text: expected a string; start: expected auto, reasoning or content; did you mean 'content'?",
    }


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity", '{"a": [NaN]}'])
def test_ids_that_are_no_json_are_not_written(number: str) -> None:
    found = refused(f'{{"id": {number}, "text": "x"}}'.encode())
    assert set(found) == {"line", "error"}
    assert found["error"].startswith("id")
    other = refused(f'{{"id": 1.5, "text": "x", "idea": {number}}}'.encode())
    assert other["id"] == 1.5


def test_a_fault_of_ours_stays_in_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("region")

    monkeypatch.setattr(batch_line, "answer", fails)
    assert refused(b'{"id": 1, "text": ""}') == {"id": 1, "line": 3, "error": "internal fault: KeyError: 'region'"}
