"""The examples of the README run: an endpoint, speculation, a streamer."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.laws.machines import bare, made
from tests.serving.clients import joined
from tests.serving.engine import events
from tests.vocabularies import missing
from unbraid.shell.demand import Demand
from unbraid.shell.plan import Plan
from unbraid.shell.planning import Serving
from unbraid.shell.sse import DONE

EXAMPLES: Final = Path(__file__).parent / "examples"
VOCABULARY: Final = made("qwen3", "hermes")
SERVING: Final = Serving("qwen3", "hermes", VOCABULARY.vocabulary)
NOW: Final = {"type": "function", "function": {"name": "now"}}
OUTPUT: Final = 'so.</think>\n\nHi.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
PROMPT: Final = list(VOCABULARY.encode("<think>\n"))


def require_torch() -> None:
    """Torch is large, and has an environment of its own in CI (which sets `UNBRAID_REQUIRE_TORCH`)."""
    if find_spec("torch") is None:
        reason = "torch is not installed: `pip install torch`"
        pytest.fail(reason, pytrace=False) if os.environ.get("UNBRAID_REQUIRE_TORCH") else pytest.skip(reason)


# -- the endpoint --------------------------------------------------------------------------------------------------------


async def engine(prompt: list[int], demand: Demand) -> AsyncIterator[list[int]]:
    assert (prompt, demand.calls) == (PROMPT, "free")
    for token in VOCABULARY.encode(OUTPUT)[: demand.most_tokens]:
        yield [token]


def post(application: Any, body: object) -> tuple[int, bytes]:
    """The status and the body that an ASGI application answers with."""
    sent: list[dict[str, Any]] = []
    asked = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if asked:
            return asked.pop()
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": [], "query_string": b""}
    asyncio.run(application({**scope, "http_version": "1.1", "root_path": ""}, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def asked(**fields: object) -> tuple[int, bytes]:
    if find_spec("starlette") is None:
        missing("starlette is not installed: `pip install . --group test`")
    from starlette.applications import Starlette

    from tests.serving.examples.endpoint import endpoint

    body = {"messages": [{"role": "user", "content": "?"}], "tools": [NOW], **fields}
    return post(Starlette(routes=[endpoint(SERVING, engine, lambda _: PROMPT)]), body)


def test_endpoint_is_short() -> None:
    """Thirty lines, imports and all; the README says so."""
    _, *lines = (EXAMPLES / "endpoint.py").read_text().splitlines()
    assert 20 < sum(bool(line) for line in lines) <= 30


def test_endpoint_streams() -> None:
    status, body = asked(stream=True, n=2, stream_options={"include_usage": True})
    assert status == 200
    *chunks, usage = events(body)
    assert usage["usage"]["prompt_tokens"] == len(PROMPT)  # type: ignore[index]  # JSON
    for choice in range(2):
        found = joined(chunks, choice)  # type: ignore[arg-type]  # chunks that went through JSON
        assert (found["reasoning"], found["content"], found["finish_reason"]) == ("so.", "Hi.", "tool_calls")
        assert [(call["name"], call["arguments"]) for call in found["tool_calls"]] == [("now", "{}")]


def test_endpoint_answers() -> None:
    status, body = asked()
    message = json.loads(body)["choices"][0]["message"]
    assert (status, message["reasoning_content"], message["content"]) == (200, "so.", "Hi.")
    assert message["tool_calls"][0]["function"] == {"name": "now", "arguments": "{}"}


def test_endpoint_stops() -> None:
    _, body = asked(stream=True, stop="i.")
    found = joined(events(body))  # type: ignore[arg-type]  # chunks that went through JSON
    assert (found["content"], found["tool_calls"], found["finish_reason"]) == ("H", [], "stop")
    choice = json.loads(asked(stop="i.")[1])["choices"][0]
    assert (choice["message"]["content"], choice["stop_reason"]) == ("H", "i.")
    usage = json.loads(asked(stop="i.")[1])["usage"]
    assert usage["completion_tokens"] < len(VOCABULARY.encode(OUTPUT))  # the engine was not asked for more


def test_endpoint_keeps_to_the_length() -> None:
    """The engine yields ids and no reason."""
    assert joined(events(asked(stream=True, max_tokens=4)[1]))["finish_reason"] == "length"  # type: ignore[arg-type]  # as above
    assert json.loads(asked(max_tokens=4)[1])["choices"][0]["finish_reason"] == "length"
    assert json.loads(asked(max_tokens=4000)[1])["choices"][0]["finish_reason"] == "tool_calls"


def test_endpoint_refuses() -> None:
    status, body = asked(n=0, tool_choice="all")
    error = json.loads(body)["error"]
    assert (status, error["param"], error["type"]) == (400, "tool_choice", "invalid_request_error")
    assert "n: 0 is too small" in error["message"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("more", [{}, {"top_logprobs": 2}, {"n": 2, "return_token_ids": True}])
def test_endpoint_has_no_log_probabilities(stream: bool, more: dict[str, Any]) -> None:
    """Its engine yields ids and nothing else; ids are there for those who ask."""
    status, body = asked(stream=stream, logprobs=True, **more)
    error = json.loads(body)["error"]
    assert (status, error["param"], error["type"]) == (400, "logprobs", "invalid_request_error")
    assert "the engine of this server gives no log probabilities" in error["message"]
    assert asked(stream=stream, logprobs=False, return_token_ids=True)[0] == 200


# -- speculation -----------------------------------------------------------------------------------------------------------


def test_speculation() -> None:
    from tests.serving.examples.speculation import generate
    from unbraid.shell.speculative import Draft

    ids, random = VOCABULARY.encode(OUTPUT), Random(1)
    place = 0

    def guess() -> Sequence[int]:
        wrong = [random.randrange(300) for _ in range(2)]
        return [*ids[place : place + random.randint(1, 4)], *wrong] if place < len(ids) else []

    def verify(draft: Draft) -> int:
        nonlocal place
        right = 0
        while right < len(draft.ids) and draft.ids[right : right + 1] == ids[place + right : place + right + 1]:
            right += 1
        place += right
        return right

    body = b"".join(generate(Plan(bare("qwen3", "hermes", [NOW], ids=True)), PROMPT, guess, verify))
    assert body.endswith(DONE)
    found = joined(events(body))  # type: ignore[arg-type]  # chunks that went through JSON
    assert (found["reasoning"], found["content"], found["finish_reason"]) == ("so.", "Hi.", "tool_calls")


# -- transformers ------------------------------------------------------------------------------------------------------------


def test_transformers() -> None:
    """A tiny model with random weights writes tokens; streamed events are those of the whole output."""
    require_torch()
    from tests.serving.examples.transformers_stream import answer
    from tests.serving.examples.transformers_stream import events as streamed
    from tests.serving.tiny_model import tiny_model
    from unbraid.shell.messages import message

    model, tokenizer, prompt = tiny_model()
    said = answer(model, tokenizer, prompt)
    assert (said.reasoning, said.content) == ("so: é", "Hi.")
    assert [(call.name, call.arguments, call.complete) for call in said.tool_calls] == [("now", "{}", True)]
    told = message(tuple(streamed(model, tokenizer, prompt)))
    assert (told.reasoning, told.content) == (said.reasoning, said.content)
    assert [call.arguments for call in told.tool_calls] == ["{}"]


def test_transformers_chunks() -> None:
    require_torch()
    from tests.serving.tiny_model import END, tiny_model
    from unbraid.shell.bind import bind, with_tools
    from unbraid.shell.transformers_streamer import ChunkStreamer

    model, tokenizer, prompt = tiny_model()
    machine = bind("qwen3", "hermes", tokenizer).bind(with_tools).unwrap()
    end = tokenizer.convert_tokens_to_ids(END)
    assert end is not None
    for most, reason in ((128, "tool_calls"), (16, "length")):
        streamer = ChunkStreamer(Plan(machine, token_ids=True), ends=(end,), timeout=60)
        model.generate(**prompt, streamer=streamer, max_new_tokens=most)
        chunks = list(streamer)
        assert chunks[0]["prompt_token_ids"] == prompt["input_ids"][0].tolist()
        assert joined(chunks)["finish_reason"] == reason
