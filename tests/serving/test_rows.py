"""Serving semantics of Chat Completions, row by row (serving.md, part a; each test is named after its row).

Where a row says what other servers do, the test says what we do: the row's rule, or the policy of the design.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from re import fullmatch
from typing import Any, Final

import pytest

from tests.laws.machines import made
from tests.serving.clients import joined
from tests.serving.engine import events, respond
from unbraid.core.machine import start
from unbraid.core.tokens import reasoning_ended
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.completions import ChatAnswer, completion
from unbraid.shell.finish_reasons import finish_reason
from unbraid.shell.handover import handed, taken
from unbraid.shell.plan import Plan
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.speculative import SpeculativeChat
from unbraid.shell.sse import failure, frames
from unbraid.shell.usage import usage
from unbraid.shell.visible import Logprob

NOW: Final = {"type": "function", "function": {"name": "now"}}
CITY: Final = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER: Final = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
BOTH: Final = [NOW, WEATHER]
USER: Final = {"role": "user", "content": "?"}
SERVING: Final = Serving("qwen3", "hermes", made("qwen3", "hermes").vocabulary)
KIMI_OPENS: Final = "<|tool_calls_section_begin|><|tool_call_begin|>"
JSON: Final = Serving("qwen3", None, made("qwen3", "hermes").vocabulary)


def call(name: str, arguments: str = "{}") -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


def plan(serving: Serving = SERVING, **fields: Any) -> Plan:
    return plan_for(serving, {"messages": [USER], "stream": True, **fields}).unwrap()


def asked(text: str, serving: Serving = SERVING, prompt: Any = None, **fields: Any) -> list[dict[str, Any]]:
    """The chunks of a stream."""
    return events(respond(plan(serving, **fields), f"so.</think>{text}" if prompt is None else text, prompt))


def message(text: str, serving: Serving = SERVING, **fields: Any) -> dict[str, Any]:
    """The one answer of a response that is not streamed."""
    body: dict[str, Any] = json.loads(respond(plan(serving, stream=False, **fields), f"so.</think>{text}"))
    return {**body["choices"][0], **body["choices"][0]["message"]}


def deltas(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]


def named(name: str) -> Mapping[str, object]:
    return {"type": "function", "function": {"name": name}}


def calls(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["name"], one["arguments"]) for one in found["tool_calls"]]


def read(text: str, serving: Serving = SERVING, **fields: Any) -> dict[str, Any]:
    return joined(asked(text, serving, **fields))  # type: ignore[arg-type]  # chunks that went through JSON


# -- a.1 The stream as a grammar ---------------------------------------------------------------------------------------


def test_a1_every_chunk() -> None:
    chunks = asked("Hi.", n=2, model="m")
    assert len({(one["id"], one["created"]) for one in chunks}) == 1
    assert {(one["object"], one["model"], len(one["choices"])) for one in chunks} == {("chat.completion.chunk", "m", 1)}
    assert all("tool_calls" not in delta or delta["tool_calls"] for delta in deltas(chunks))
    assert {key for one in chunks for key in one} == {"id", "object", "created", "model", "choices"}


def test_a1_1_role_chunk() -> None:
    chunks = asked("Hi.", n=2)
    roles = [one["choices"][0] for one in chunks if "role" in one["choices"][0]["delta"]]
    assert [one["index"] for one in roles] == [0, 1]
    assert all(one["delta"] == {"role": "assistant", "content": ""} and one["finish_reason"] is None for one in roles)


def test_a1_1_role_chunk_waits_for_the_first_output() -> None:
    """Until then a failure can be an ordinary HTTP error."""
    stream = ChatStream(plan())
    assert stream.feed_bytes("") == frames(stream.feed("")) == b""  # chunked prefill
    assert deltas(list(stream.feed("<")))[0] == {"role": "assistant", "content": ""}  # type: ignore[arg-type]  # typed dicts


def test_a1_1_role_of_the_last_message() -> None:
    last = {"role": "assistant", "content": "Well"}
    said = {"messages": [USER, last], "continue_final_message": True}
    other = {"messages": [{"role": "critic", "content": "Well"}], "add_generation_prompt": False}
    tutor = Serving("qwen3", "hermes", SERVING.tokenizer, role="tutor")
    assert [deltas(asked("Hi.", tutor, **one))[0]["role"] for one in ({}, said, other)] == [
        "tutor",
        "assistant",
        "critic",
    ]


def test_a1_1_prompt_ids_ride_on_the_role_chunk() -> None:
    prompt = made("qwen3", "hermes").encode("<think>")
    chunks = asked("Hi.", prompt=prompt, return_token_ids=True)
    assert [one.get("prompt_token_ids") for one in chunks] == [list(prompt), *[None] * (len(chunks) - 1)]


def test_a1_2_echo() -> None:
    last = {"role": "assistant", "content": "Well, "}
    fields: Any = {"messages": [USER, last], "continue_final_message": True, "echo": True}
    assert [delta.get("content") for delta in deltas(asked("yes", n=2, **fields))[:2]] == ["", "Well, "]
    assert message("yes", **fields)["content"] == "Well, yes"
    assert read("yes", messages=[USER], echo=True)["content"] == "yes"


def test_a1_3_body() -> None:
    """A step that decides nothing sends nothing, and there are no empty deltas."""
    stream = ChatStream(plan(tools=BOTH))
    assert len(stream.feed("so.</think>a")) == 2
    assert stream.feed("<tool_") == ()
    assert stream.feed("") == ()
    assert all(deltas(asked(f"Hi.{call('now')}", tools=BOTH, logprobs=True, return_token_ids=True))[:-1])


@pytest.mark.parametrize("hidden", [False, True])
def test_a1_3_tokens_that_say_nothing(hidden: bool) -> None:
    """Their ids and log probabilities are not lost, and need no delta of their own: those of text that is held come with it, at the
    end at the latest. Those of markers are nobody's, here as in every other chunk (a.7: a token is shown only if all its text is).
    """
    vocabulary = made("qwen3", "hermes")
    ready = plan(tools=BOTH, return_token_ids=True, logprobs=True, include_reasoning=not hidden)
    stream = ChatStream(ready, "ids")
    chunks: list[ChatChunk] = []
    for token in vocabulary.encode(f"so.</think>\n\nHi{call('now')} \n<tool_"):
        chunks += stream.feed(None, (token,), (Logprob(str(token), -1.0),))
    held = len(chunks)
    choices = [chunk["choices"][0] for chunk in (*chunks, *stream.finish())]
    assert all(choice["delta"] for choice in choices[:-1])
    told = [token for choice in choices for token in choice.get("token_ids", [])]
    assert vocabulary.decode(told) == f"{'' if hidden else 'so.'}Hinow{{}} \n<tool_"
    assert [one["token"] for choice in choices if "logprobs" in choice for one in choice["logprobs"]["content"]] == [
        str(token) for token in told
    ]
    assert choices[held]["token_ids"] == list(vocabulary.encode(" \n<tool_"))


def test_a1_3_a_step_is_at_most_one_chunk() -> None:
    """Where order allows it: here reasoning, content and both calls of one step."""
    stream = ChatStream(plan(tools=BOTH))
    stream.feed("s")
    [chunk] = stream.feed(f"o.</think>Hi.{call('now')}{call('weather')}")
    assert sorted(chunk["choices"][0]["delta"]) == ["content", "reasoning_content", "tool_calls"]


def test_a1_4_finish() -> None:
    """Once for each answer, in a chunk behind all deltas, with the stop string if one was found."""
    chunks = asked("Hi, you", n=2, stop=", ")
    ends = [one["choices"][0] for one in chunks if one["choices"][0]["finish_reason"]]
    assert [(one["index"], one["delta"], one["finish_reason"], one["stop_reason"]) for one in ends] == [
        (0, {}, "stop", ", "),
        (1, {}, "stop", ", "),
    ]
    assert "stop_reason" not in asked("Hi")[-1]["choices"][0]


def test_a1_4_no_output_at_all() -> None:
    stream = ChatStream(plan())
    assert deltas(list(stream.finish())) == [{"role": "assistant", "content": ""}, {}]  # type: ignore[arg-type]  # typed dicts


def test_a1_5_usage_chunk() -> None:
    prompt = made("qwen3", "hermes").encode("<think>")
    *body, last = asked("so.</think>Hi", prompt=prompt, n=2, stream_options={"include_usage": True})
    assert last["choices"] == []
    assert all("usage" not in one for one in body)
    spent, thought = 2 * (len("so.Hi") + 1), 2 * len("so.")
    assert last["usage"] == {
        "prompt_tokens": 1,
        "completion_tokens": spent,
        "total_tokens": 1 + spent,
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def test_a1_5_usage_in_every_chunk() -> None:
    """Of that answer, but for the last chunk."""
    options = {"include_usage": True, "continuous_usage_stats": True}
    prompt = made("qwen3", "hermes").encode("<think>\n")
    *chunks, last = asked("so.</think>Hi", prompt=prompt, n=2, stream_options=options)
    assert {one["usage"]["prompt_tokens"] for one in (*chunks, last)} == {len(prompt)}
    size = len("so.Hi") + 1
    for choice in range(2):
        counts = [one["usage"]["completion_tokens"] for one in chunks if one["choices"][0]["index"] == choice]
        assert (counts[0], counts[-1]) == (0, size)
        assert counts == sorted(counts)
    assert (last["choices"], last["usage"]["completion_tokens"]) == ([], 2 * size)
    assert all(one["usage"]["total_tokens"] == len(prompt) + one["usage"]["completion_tokens"] for one in chunks)


@pytest.mark.parametrize(
    ("prompt", "told", "counted"), [("<think>", 7, 7), ("<think>", None, 0), ([1, 2], None, 2), (None, 3, 3)]
)
def test_a1_5_the_host_counts_a_prompt_of_text(prompt: Any, told: int | None, counted: int) -> None:
    """A vocabulary does not say how a tokenizer cuts text. What is told stands in every chunk, in the last one, in a message."""
    ready = plan(stream_options={"include_usage": True, "continuous_usage_stats": True})
    ids = made("qwen3", "hermes").encode("so.</think>Hi")
    stream = ChatStream(ready, "ids", prompt=prompt, prompt_tokens=told)
    chat = SpeculativeChat(ready, prompt=prompt, prompt_tokens=told)
    chat.propose(ids)
    chat = taken(ready, handed(chat)).unwrap()
    found = [*stream.feed(None, ids), *stream.finish(), *chat.accept(len(ids)), *chat.finish()]
    assert {chunk["usage"]["prompt_tokens"] for chunk in found} == {counted}
    [last] = events(last_bytes([stream]))
    answer = ChatAnswer(ready, "ids", prompt=prompt, prompt_tokens=told)
    answer.feed(None, ids)
    whole = completion([answer], [answer.finish()])
    for one in (last["usage"], whole["usage"]):
        assert one == usage(counted, stream.spent, reasons=True)
    assert stream.prompt_tokens == chat.prompt_tokens == answer.prompt_tokens == counted
    assert events(last_bytes([stream], 9))[0]["usage"] == usage(9, stream.spent, reasons=True)


def test_a1_5_usage_that_the_server_sends_anyway() -> None:
    forced = Serving("qwen3", "hermes", SERVING.tokenizer, usage="last")
    assert asked("Hi", forced)[-1]["usage"] == asked("Hi", stream_options={"include_usage": True})[-1]["usage"]
    assert all("usage" not in one for one in asked("Hi", forced)[:-1])
    every = {"include_usage": True, "continuous_usage_stats": True}
    assert all("usage" in one for one in asked("Hi", forced, stream_options=every))


def test_a1_5_reasoning_tokens_only_where_there_is_reasoning() -> None:
    serving = Serving(None, "hermes", made(None, "hermes").vocabulary)
    last = asked("Hi", serving, stream_options={"include_usage": True})[-1]
    assert "completion_tokens_details" not in last["usage"]
    hidden = asked("Hi", include_reasoning=False, stream_options={"include_usage": True})[-1]
    assert hidden["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}


def test_a1_6_done() -> None:
    assert respond(plan(), "Hi").endswith(b"\n\ndata: [DONE]\n\n")


def test_a1_error() -> None:
    error, done, rest = failure("gone").split(b"\n\n")
    assert (json.loads(error.removeprefix(b"data: "))["error"]["message"], done, rest) == ("gone", b"data: [DONE]", b"")


# -- a.2 The reasoning field -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("reasoning", ["reasoning"]),
        ("reasoning_content", ["reasoning_content"]),
        ("both", ["reasoning", "reasoning_content"]),
        ("none", []),
    ],
)
def test_a2_reasoning_field(field: str, keys: list[str]) -> None:
    chunks = deltas(asked("Hi", reasoning_field=field))
    assert sorted({key for delta in chunks for key in delta} & {"reasoning", "reasoning_content"}) == keys
    assert sorted(key for key in message("Hi", reasoning_field=field) if key.startswith("reasoning")) == keys


def test_a2_one_key_by_default_and_none_where_nothing_was_thought() -> None:
    chunks = deltas(asked("Hi"))
    assert ["reasoning_content" in delta for delta in chunks] == [False, *[True] * 3, *[False] * (len(chunks) - 4)]
    assert all(delta["reasoning_content"] for delta in chunks[1:4])


# -- a.3 The tool-call delta -------------------------------------------------------------------------------------------


def pieces(text: str, **fields: Any) -> list[dict[str, Any]]:
    return [piece for delta in deltas(asked(text, tools=BOTH, **fields)) for piece in delta.get("tool_calls", [])]


def test_a3_first_and_later_deltas() -> None:
    first, *later = pieces(call("weather", '{"city": "Oslo"}'))
    assert sorted(first) == ["function", "id", "index", "type"]
    assert (first["type"], first["function"]["name"]) == ("function", "weather")
    assert all(sorted(one) == ["function", "index"] and sorted(one["function"]) == ["arguments"] for one in later)
    assert "".join(one["function"]["arguments"] for one in (first, *later)) == '{"city": "Oslo"}'


def test_a3_several_calls_in_one_delta() -> None:
    stream = ChatStream(plan(tools=BOTH))
    [_, chunk] = stream.feed(f"</think>{call('now')}{call('weather')}")
    found = chunk["choices"][0]["delta"]["tool_calls"]
    assert [(one["index"], one["function"]["arguments"]) for one in found] == [(0, "{}"), (1, "{}")]


def test_a3_pieces_of_one_call_in_a_step_are_joined() -> None:
    stream = ChatStream(plan(tools=BOTH))
    stream.feed('so.</think><tool_call>{"name": "weather", "arguments": {"ci')
    [chunk] = stream.feed('ty": "\n", "city": "Oslo"}')
    [piece] = chunk["choices"][0]["delta"]["tool_calls"]
    assert (piece["index"], piece["function"]) == (0, {"arguments": 'ty": "\\n", "city": "Oslo"}'})


@pytest.mark.parametrize("cut", range(1, 40))
def test_a3_arguments_are_json_unless_cut(cut: int) -> None:
    text = call("weather", '{"city": "Oslo", "days": [1, 2]}')
    stream = ChatStream(plan(tools=BOTH))
    chunks = [*stream.feed("so.</think>"), *stream.feed(text[:cut]), *stream.feed(text[cut:]), *stream.finish()]
    assert json.loads(calls(joined(chunks))[0][1]) == {"city": "Oslo", "days": [1, 2]}


def test_a3_indices_are_dense() -> None:
    found = pieces(call("now") + "<tool_call>{broken</tool_call>" + call("weather"))
    assert [one["index"] for one in found if "id" in one] == [0, 1]


def test_a3_no_arguments_are_an_empty_object() -> None:
    assert calls(read('<tool_call>{"name": "now"}</tool_call>', tools=BOTH)) == [("now", "{}")]


def test_a3_ids() -> None:
    first, second = (one["id"] for one in pieces(call("now") + call("now")) if "id" in one)
    assert first != second
    assert all(one.startswith("call_") and len(one) == 29 for one in (first, second))


def test_a3_ids_continue_the_history() -> None:
    used = {"role": "assistant", "tool_calls": [{"id": "functions.now:0", "type": "function", "function": {}}]}
    serving = Serving(None, "kimi_k2", forced="json")
    fields: Any = {"messages": [USER, used], "tools": BOTH, "tool_choice": "required"}
    stream = ChatStream(plan(serving, **fields))
    [_, chunk] = stream.feed('[{"name": "now", "parameters": {}}]')
    assert chunk["choices"][0]["delta"]["tool_calls"][0]["id"] == "functions.now:1"


@pytest.mark.parametrize(
    ("tools", "text", "wanted"),
    [
        ("hermes", call("now"), "call_[0-9a-f]{24}"),
        ("mistral", "[TOOL_CALLS]now[ARGS]{}", "[0-9A-Za-z]{9}"),
        (
            "kimi_k2",
            f"{KIMI_OPENS}functions.now:0<|tool_call_argument_begin|>{{}}<|tool_call_end|><|tool_calls_section_end|>",
            "functions[.]now:0",
        ),
        (
            "kimi_k3",
            '<|open|>tools<|sep|><|open|>call tool="now" index="0"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
            "now:0",
        ),
    ],
)
def test_a3_ids_by_scheme(tools: str, text: str, wanted: str) -> None:
    stream = ChatStream(plan(Serving(None, tools), tools=[NOW]))
    [found] = joined([*stream.feed(text), *stream.finish()])["tool_calls"]
    assert fullmatch(wanted, found["id"])


# -- a.4 tool_choice -----------------------------------------------------------------------------------------------------


def test_a4_default() -> None:
    assert calls(read(call("now"), tools=BOTH)) == [("now", "{}")]
    assert read(call("now"))["content"] == call("now")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tools": []}, "tools"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": BOTH, "tool_choice": {"type": "function", "function": {"name": "then"}}}, "tool_choice"),
    ],
)
def test_a4_refusals(fields: Mapping[str, Any], path: str) -> None:
    """No tools in a list of them, a choice without tools, a tool that is not listed."""
    [defect] = plan_for(SERVING, {"messages": [USER], **fields}).failure().defects
    assert defect.path.startswith(path)  # type: ignore[attr-defined]  # all are of requests


def test_a4_none() -> None:
    """The markup is text (deleting it would delete an example that the user asked for); or it is hidden, as an option."""
    assert read(f"E.g. {call('now')}", tools=BOTH, tool_choice="none")["content"] == f"E.g. {call('now')}"
    hide = Serving("qwen3", "hermes", SERVING.tokenizer, none="hide")
    found = read(f"E.g. {call('now')}", hide, tools=BOTH, tool_choice="none")
    assert (found["content"], calls(found), found["finish_reason"]) == ("E.g. ", [], "stop")
    assert all(deltas(asked(call("now"), hide, tools=BOTH, tool_choice="none"))[:-1])
    assert plan(tools=BOTH, tool_choice="none").demand.calls == "none"


def test_a4_auto() -> None:
    found = read(f"Hi.{call('now')}", tools=BOTH, tool_choice="auto")
    assert (found["content"], calls(found)) == ("Hi.", [("now", "{}")])
    off = Serving("qwen3", "hermes", SERVING.tokenizer, auto_tools=False)
    assert read(call("now"), off, tools=BOTH, tool_choice="auto")["content"] == call("now")
    assert plan(tools=BOTH, tool_choice="auto").demand.calls == "free"


def test_a4_null_counts_as_left_out() -> None:
    assert calls(read(call("now"), tools=BOTH, tool_choice=None)) == [("now", "{}")]


def test_a4_required_native() -> None:
    ready = plan(tools=BOTH, tool_choice="required")
    assert (ready.demand.calls, ready.demand.form, ready.demand.names) == ("required", "native", ("now", "weather"))
    assert calls(read("", tools=BOTH, tool_choice="required")) == [("now", "{}")]


def test_a4_required_json() -> None:
    text = 'so.</think>[{"name": "now", "parameters": {}}, {"name": "weather", "parameters": {"city":  "Oslo"}}]'
    ready = plan(JSON, tools=BOTH, tool_choice="required")
    assert (ready.demand.calls, ready.demand.form) == ("required", "json")
    stream = ChatStream(ready)
    chunks = [chunk for point in text for chunk in stream.feed(point)] + list(stream.finish())
    found = joined(chunks)
    assert calls(found) == [("now", "{}"), ("weather", '{"city":  "Oslo"}')]  # raw slices, as they were written
    assert (found["reasoning"], found["content"], found["finish_reason"]) == ("so.", None, "tool_calls")


def test_a4_required_json_that_is_none_is_content() -> None:
    ready = plan(JSON, tools=BOTH, tool_choice="required")
    for text in ("I cannot.", '[{"nam', "[1, 2]", '{"name": "now"}'):
        stream = ChatStream(ready)
        found = joined([*stream.feed(f"so.</think>{text}"), *stream.finish()])
        assert (found["content"], found["tool_calls"], found["finish_reason"]) == (text, [], "stop")


def test_a4_named_native() -> None:
    ready = plan(tools=BOTH, tool_choice=named("weather"))
    assert (ready.demand.calls, ready.demand.form, ready.demand.names) == ("named", "native", ("weather",))
    assert calls(read("", tools=BOTH, tool_choice=named("weather"))) == [("weather", "{}")]


def test_a4_named_json() -> None:
    ready = plan(JSON, tools=BOTH, tool_choice=named("weather"))
    text = 'so.</think>\n{"city":  "Os\nlo"} \n'
    stream = ChatStream(ready)
    chunks = [chunk for point in text for chunk in stream.feed(point)] + list(stream.finish())
    found = joined(chunks)
    assert calls(found) == [("weather", '{"city":  "Os\\nlo"}')]
    assert (found["reasoning"], found["content"]) == ("so.", None)
    first = next(delta for delta in deltas(chunks) if "tool_calls" in delta)["tool_calls"][0]  # type: ignore[arg-type]  # typed dicts
    assert (first["function"]["name"], "id" in first) == ("weather", True)


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "weather"}}])
def test_a4_one_answer_in_batch_and_stream(choice: Any) -> None:
    """Arguments are slices of the source in both: white space and escapes stay as they were written."""
    given = '{"city":\t"Os\\u006co" , "n": 1e2}'
    text = given if isinstance(choice, dict) else f'[{{"name": "weather", "parameters": {given}}}]'
    ready = plan(JSON, tools=BOTH, tool_choice=choice)
    answer = ChatAnswer(ready)
    answer.feed(f"so.</think>{text}")
    [whole] = answer.finish()["message"]["tool_calls"]
    stream = ChatStream(ready)
    chunks = [chunk for point in f"so.</think>{text}" for chunk in stream.feed(point)] + list(stream.finish())
    assert (
        calls(joined(chunks)) == [("weather", given)] == [(whole["function"]["name"], whole["function"]["arguments"])]
    )


def test_a4_content_is_null_where_nothing_was_said() -> None:
    """White space before a call is framing; nothing else is thrown away, and no content is null in every mode."""
    assert message(f"\n{call('now')}", tools=BOTH)["content"] is None
    assert message(call("now"), tools=BOTH, tool_choice="required")["content"] is None
    assert message(f"Hi.\n{call('now')}\nBye.", tools=BOTH)["content"] == "Hi.\nBye."


def test_a4_an_unfinished_call_is_never_discarded() -> None:
    cut = f"Hi.{call('now')[:-14]}"
    assert calls(read(cut, tools=BOTH)) == [("now", "{")]
    as_text = Serving("qwen3", "hermes", SERVING.tokenizer, truncated="text")
    assert read(cut, as_text, tools=BOTH)["content"] == cut


def test_a4_allowed_tools() -> None:
    allowed = {"mode": "required", "tools": [named("now")]}
    ready = plan(tools=BOTH, tool_choice={"type": "allowed_tools", "allowed_tools": allowed})
    assert (ready.demand.calls, ready.demand.names) == ("required", ("now",))
    assert ready.machine.tools is not None
    assert list(ready.machine.tools) == ["now"]


# -- a.5 parallel_tool_calls -------------------------------------------------------------------------------------------


def test_a5_parallel_tool_calls() -> None:
    text = f"{call('now')}{call('weather')}Bye."
    found = read(text, tools=BOTH, parallel_tool_calls=False)
    assert (calls(found), found["content"], found["finish_reason"]) == ([("now", "{}")], "Bye.", "tool_calls")
    assert all(deltas(asked(text, tools=BOTH, parallel_tool_calls=False))[:-1])
    for given in ({}, {"parallel_tool_calls": None}, {"parallel_tool_calls": True}):
        assert len(calls(read(text, tools=BOTH, **given))) == 2
    assert not plan(tools=BOTH, parallel_tool_calls=False).demand.parallel


# -- a.6 finish_reason -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [None, "auto", "none", "required", named("now")])
def test_a6_stop_without_calls(choice: object) -> None:
    stream = ChatStream(plan(tools=BOTH, tool_choice=choice))
    assert stream.finish("stop")[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("choice", ["auto", "required"])
def test_a6_stop_with_calls(choice: str) -> None:
    assert read(call("now"), tools=BOTH, tool_choice=choice)["finish_reason"] == "tool_calls"


def test_a6_stop_with_a_named_call() -> None:
    assert read("", tools=BOTH, tool_choice=named("now"))["finish_reason"] == "stop"
    other = Serving("qwen3", "hermes", SERVING.tokenizer, named_finish="tool_calls")
    assert read("", other, tools=BOTH, tool_choice=named("now"))["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("complete", [0, 1])
def test_a6_length(complete: int) -> None:
    assert finish_reason("length", complete) == finish_reason("length", complete, named=True) == "length"
    assert read(f"Hi.{call('now') * complete}", tools=BOTH, max_tokens=4)["finish_reason"] == "length"


def test_a6_length_where_the_engine_gives_no_reason() -> None:
    """An answer of as many tokens as the request allows was cut off; a stop string that was found is a stop in any case."""
    ids = made("qwen3", "hermes").encode("so.</think>Hi, you")
    for most, reason in ((len(ids), "length"), (len(ids) + 1, "stop"), (None, "stop")):
        ready = plan(max_completion_tokens=most)
        stream, answer, chat = ChatStream(ready, "ids"), ChatAnswer(ready, "ids"), SpeculativeChat(ready)
        stream.feed(ids=ids)
        answer.feed(ids=ids)
        chat.propose(ids)
        chat.accept(len(ids))
        ends = [stream.finish()[-1]["choices"][0], answer.finish(), chat.finish()[-1]["choices"][0]]
        assert [one["finish_reason"] for one in ends] == [reason] * 3
    stopped = ChatStream(plan(max_completion_tokens=len(ids), stop=", "), "ids")
    stopped.feed(ids=ids)
    [*_, end] = stopped.finish("length")
    assert end["choices"][0]["finish_reason"] == "stop"


def test_a6_abort() -> None:
    stream = ChatStream(plan(tools=BOTH))
    chunks = [*stream.feed("so.</think>Hi<tool_"), *stream.abort()]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * len(chunks)
    assert joined(chunks)["content"] == "Hi<tool_"


def test_a6_an_incomplete_call_is_no_reason() -> None:
    cut = call("now")[:-14]
    assert read(cut, tools=BOTH)["finish_reason"] == message(cut, tools=BOTH)["finish_reason"] == "stop"
    assert read(call("now"), tools=BOTH, tool_choice="none")["finish_reason"] == "stop"


# -- a.7 Hiding reasoning ----------------------------------------------------------------------------------------------


def test_a7_include_reasoning() -> None:
    found = asked("Hi", include_reasoning=False, logprobs=True, return_token_ids=True)
    assert "so." not in json.dumps(found)
    choices = [one["choices"][0] for one in found]
    shown = [one["token"] for choice in choices for one in choice.get("logprobs", {}).get("content", [])]
    assert "".join(shown) == "Hi"
    ids = [token for choice in choices for token in choice.get("token_ids", [])]
    assert made("qwen3", "hermes").decode(ids) == "Hi"
    assert message("Hi", include_reasoning=False, logprobs=True)["logprobs"]["content"][0]["token"] == "H"


@pytest.mark.parametrize(("reasoning", "shown"), [(True, "soHi"), (False, "Hi")])
def test_a7_a_token_across_the_border_is_hidden(reasoning: bool, shown: str) -> None:
    """`.</` is the end of a thought and the beginning of its marker in one token; so is `a\\n<` of an answer and a call."""
    vocabulary = made("qwen3", "hermes")
    pieces = ["s", "o", ".</", *"think>", "H", "i", "a\n<", *"tool_call>", *call("now").removeprefix("<tool_call>")]
    stream = ChatStream(plan(tools=BOTH, include_reasoning=reasoning, return_token_ids=True, logprobs=True), "ids")
    chunks: list[ChatChunk] = []
    for piece in pieces:
        token = vocabulary.vocabulary.pieces.index(piece.encode())
        chunks += stream.feed(None, (token,), (Logprob(piece, -1.0),))
    choices = [chunk["choices"][0] for chunk in [*chunks, *stream.finish()]]
    before = next(place for place, choice in enumerate(choices) if "tool_calls" in choice["delta"])
    told = [one for choice in choices[:before] for one in choice.get("logprobs", {}).get("content", [])]
    assert "".join(one["token"] for one in told) == shown
    ids = [token for choice in choices[:before] for token in choice.get("token_ids", [])]
    assert vocabulary.decode(ids) == shown
    found = joined(chunks)
    assert (found["reasoning"], found["content"]) == ("so." if reasoning else None, "Hia")


def test_a7_hidden_reasoning_counts() -> None:
    options = {"include_usage": True}
    seen, hidden = (asked("Hi", include_reasoning=on, stream_options=options)[-1]["usage"] for on in (True, False))
    assert seen == hidden


# -- a.8 Where reasoning starts and ends -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "fields", "ended"),
    [
        ("<think>", {}, False),
        ("<think>\n\n</think>\n\n", {}, True),
        ("<think>\nFirst list", {"messages": [USER, {"role": "assistant", "content": "x"}]}, False),
        (None, {"chat_template_kwargs": {"enable_thinking": False}}, True),
        (None, {}, False),
    ],
)
def test_a8_start_state(prompt: str | None, fields: Mapping[str, Any], ended: bool) -> None:
    ready = plan(**fields)
    assert reasoning_ended(ready.machine, start(ready.machine, "ids", prompt, ready.at)) is ended


def test_a8_continue_final_message() -> None:
    last = {"role": "assistant", "content": "<think>\nFirst list the numbers "}
    fields: Any = {"messages": [USER, last], "continue_final_message": True}
    stream = ChatStream(plan(**fields), prompt="<think>\nFirst list the numbers ")
    found = joined([*stream.feed("and add.</think>5"), *stream.finish()])
    assert (found["reasoning"], found["content"]) == ("and add.", "5")
    both = plan_for(SERVING, {**fields, "add_generation_prompt": True}).failure()
    assert [defect.path for defect in both.defects] == ["add_generation_prompt"]  # type: ignore[attr-defined]  # all are of requests


# -- a.9 What a step does ----------------------------------------------------------------------------------------------


def test_a9_several_chunks_where_order_matters() -> None:
    stream = ChatStream(plan(tools=BOTH))
    chunks = stream.feed(f"so.</think>Hi.{call('now')}Bye.")
    assert [sorted(delta) for delta in deltas(list(chunks))[1:]] == [  # type: ignore[arg-type]  # typed dicts
        ["content", "reasoning_content", "tool_calls"],
        ["content"],
    ]


def test_a9_text_at_a_border_is_not_lost() -> None:
    stream = ChatStream(plan(tools=BOTH))
    stream.feed("s")
    found = joined([*stream.feed("o.</think>Hi"), *stream.finish()])
    assert (found["reasoning"], found["content"]) == ("o.", "Hi")


def test_a9_the_end_flushes_what_is_held() -> None:
    stream = ChatStream(plan(tools=BOTH))
    stream.feed("so.</think>Hi<tool_ca")
    assert joined(list(stream.finish()))["content"] == "<tool_ca"


def test_a9_promotion() -> None:
    """At the end, if nothing was said: reasoning that was sent stays, and stands in the content too."""
    kwargs = {"force_nonempty_content": True}
    ready = plan(chat_template_kwargs=kwargs)
    stream = ChatStream(ready)
    found = joined([*stream.feed("so."), *stream.finish()])
    assert (found["reasoning"], found["content"]) == ("so.", "so.")
    assert message("Hi", chat_template_kwargs=kwargs)["content"] == "Hi"


# -- a.10 Other request features ---------------------------------------------------------------------------------------


def test_a10_n() -> None:
    chunks = asked(f"Hi.{call('now')}", tools=BOTH, n=3)
    found = [joined(chunks, index) for index in range(3)]  # type: ignore[arg-type]  # chunks that went through JSON
    assert {(one["content"], one["finish_reason"]) for one in found} == {("Hi.", "tool_calls")}
    assert len({one["tool_calls"][0]["id"] for one in found}) == 3


def test_a10_stop_strings() -> None:
    """On visible content only: not in reasoning, not in arguments, not across a call."""
    text = f"so: x.</think>a s{call('weather', json.dumps({'city': 'so: y'}))}o: b. so: c"
    stream = ChatStream(plan(tools=BOTH, stop=["so: "]))
    chunks = [chunk for point in text for chunk in stream.feed(point)] + list(stream.finish())
    found = joined(chunks)
    assert (found["reasoning"], found["content"]) == ("so: x.", "a so: b. ")
    assert calls(found) == [("weather", '{"city": "so: y"}')]
    assert (stream.stopped, chunks[-1]["choices"][0]["stop_reason"]) == ("so: ", "so: ")


def test_a10_stop_strings_of_the_engine() -> None:
    """It may cut a marker in half: the half is text."""
    engine = Serving("qwen3", "hermes", SERVING.tokenizer, stops="engine")
    found = read(f"Hi{call('now')}", engine, tools=BOTH, stop="_call>")
    assert (found["content"], found["finish_reason"]) == ("Hi<tool", "stop")
    assert plan(engine, stop="x").demand.stops == ("x",)
    assert plan(stop="x").demand.stops == ()


def test_a10_response_format() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
    assert plan(response_format=schema).demand.output == schema
    assert plan(response_format={"type": "text"}).demand.output is None
    assert plan(response_format=schema, tools=BOTH).demand.output == schema
    assert plan(response_format=schema, tools=BOTH, tool_choice="required").demand.output is None


def test_a10_response_format_beside_tools() -> None:
    """The engine's grammar lets both through: the JSON that was asked for, or calls. Whichever it is, it is read as that."""
    shape = {"type": "object", "properties": {"city": {"type": "string"}}}
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": shape}}
    constraint = plan(response_format=schema, tools=BOTH).demand.constraint
    assert constraint is not None
    asked_for = constraint.content["format"]
    assert asked_for["type"] == "or"  # type: ignore[index]  # plain data
    assert all(part in json.dumps(asked_for) for part in ("now", "weather", json.dumps({"json_schema": shape})[1:-1]))
    for choice, tools in (("none", BOTH), (None, None)):
        alone = plan(response_format=schema, tools=tools, tool_choice=choice).demand.constraint
        assert alone is not None
        assert alone.content["format"]["json_schema"] == shape  # type: ignore[index]  # plain data
    silent = Serving("qwen3", "hermes", SERVING.tokenizer, auto_tools=False, strictness="function")
    constraint = plan(silent, response_format=schema, tools=BOTH).demand.constraint
    assert constraint is not None
    assert constraint.content["format"]["json_schema"] == shape  # type: ignore[index]  # plain data
    assert plan(silent, tools=BOTH).demand.constraint is None
    found = read('{"city": "Oslo"}', response_format=schema, tools=BOTH)
    assert (found["content"], calls(found), found["finish_reason"]) == ('{"city": "Oslo"}', [], "stop")
    found = read(call("weather", '{"city": "Oslo"}'), response_format=schema, tools=BOTH)
    assert (found["content"], calls(found)) == (None, [("weather", '{"city": "Oslo"}')])


def test_a10_the_client_may_carry_the_state() -> None:
    """An answer under way is JSON text at any place, and goes on from it."""
    ready = plan(tools=BOTH)
    ids = made("qwen3", "hermes").encode(f"so.</think>Hi.{call('now')}")
    chat = SpeculativeChat(ready)
    chunks: list[ChatChunk] = []
    for token in ids:
        chat.propose((token,))
        chunks += chat.accept(1)
        chat = taken(ready, handed(chat)).unwrap()
    found = joined([*chunks, *chat.finish()])
    assert (found["reasoning"], found["content"], calls(found)) == ("so.", "Hi.", [("now", "{}")])


def test_a10_metrics() -> None:
    stream = ChatStream(plan(tools=BOTH))
    stream.feed(f"so.</think>{call('then')}")
    assert [odd.kind for odd in stream.anomalies] == ["unknown_tool"]
