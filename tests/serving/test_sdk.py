"""The `openai` SDK reads our bytes, sent by a server on this machine, as the message that the same output is in batch: every
case of the corpus, each format at several splits; and the message of a request that does not stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletion

from tests.corpus.reader import Case, cases, few_cases
from tests.laws.machines import machine_of
from tests.serving.clients import sdk_message
from tests.serving.local_server import Server, serving
from tests.unit.test_session import start_of
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.completions import ChatAnswer, completion
from unbraid.shell.plan import Plan
from unbraid.shell.sse import compact, frames
from unbraid.shell.stamps import Stamp

STAMP = Stamp("chatcmpl-1", 1, "seed")
REQUEST: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}


@pytest.fixture(scope="module")
def local() -> Iterator[tuple[Server, OpenAI]]:
    with serving() as both:
        yield both


def splits(case: Case) -> Sequence[Sequence[str]]:
    """Three for the first case of each file, one of them for each other case."""
    text, random = case.text, Random(case.name)
    places = sorted(random.choices(range(len(text) + 1), k=9))
    some = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    every = ([text], list(text), some)
    return every if case.name in FIRST else (random.choice(every),)


FIRST: Final = frozenset({case.name.rpartition("/")[0]: case.name for case in reversed(few_cases())}.values())


def sent(plan: Plan, case: Case, deltas: Sequence[str]) -> list[bytes]:
    stream = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    body = [frames(stream.feed(delta)) for delta in deltas]
    return [*body, frames(stream.finish()), last_bytes([stream], 3)]


def answer(plan: Plan, case: Case) -> dict[str, Any]:
    one = ChatAnswer(plan, prompt=case.prompt, stamp=STAMP)
    one.feed(case.text)
    return {**completion([one], [one.finish()], 3)}


def fields(body: dict[str, Any]) -> dict[str, Any]:
    """The message of a whole response, as `sdk_message` gives it."""
    choice = body["choices"][0]
    message = choice["message"]
    functions = [(call["id"], call["function"]) for call in message.get("tool_calls", [])]
    return {
        "reasoning": message.get("reasoning_content"),
        "content": message["content"],
        "tool_calls": [(call_id, function["name"], function["arguments"]) for call_id, function in functions],
        "finish_reason": choice["finish_reason"],
    }


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_streams(case: Case, local: tuple[Server, OpenAI]) -> None:
    server, client = local
    plan = Plan(machine_of(case), at=start_of(case), usage="last")
    expected = fields(answer(plan, case))
    for deltas in splits(case):
        server.bodies.append(sent(plan, case, deltas))
        with client.chat.completions.create(**REQUEST, stream=True) as chunks:
            assert sdk_message(chunks) == (expected,)


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_messages(case: Case) -> None:
    """The whole response is one of the SDK's models, and holds what the corpus says."""
    body = answer(Plan(machine_of(case), at=start_of(case)), case)
    found = ChatCompletion.model_validate_json(compact(body), strict=True).choices[0]
    assert (found.message.content, body["choices"][0]["message"].get("reasoning_content")) == (
        case.message.content,
        case.message.reasoning,
    )
    calls = [call.function for call in found.message.tool_calls or () if call.type == "function"]
    assert [(call.name, call.arguments) for call in calls] == [(one.name, one.arguments) for one in case.message.calls]


def test_an_answer_cut_by_length(local: tuple[Server, OpenAI]) -> None:
    server, client = local
    case = next(case for case in cases() if case.name == "hermes/calls/one_call")
    plan = Plan(machine_of(case), at=start_of(case))
    stream = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    cut = case.text[: case.text.index('"arguments"') + 14]
    server.bodies.append([frames(stream.feed(cut)), frames(stream.finish("length")), last_bytes([stream], 3)])
    with client.chat.completions.create(**REQUEST, stream=True) as chunks:
        [found] = sdk_message(chunks)
    assert found["finish_reason"] == "length"
    assert [name for _, name, _ in found["tool_calls"]] == [case.message.calls[0].name]


def test_several_answers_in_one_stream(local: tuple[Server, OpenAI]) -> None:
    """Chunks of different answers interleave; the SDK keeps them apart."""
    server, client = local
    case = next(case for case in cases() if len(case.message.calls) > 1 and case.tools == "hermes")
    plan = Plan(machine_of(case), at=start_of(case), choices=2, usage="last")
    streams = [ChatStream(plan, prompt=case.prompt, stamp=STAMP, choice=index) for index in range(2)]
    body = [frames(stream.feed(point)) for point in case.text for stream in streams]
    body += [frames(stream.finish()) for stream in streams]
    server.bodies.append([*body, last_bytes(streams, 3)])
    with client.chat.completions.create(**REQUEST, stream=True) as chunks:
        first, second = sdk_message(chunks)
    ids = [[call_id for call_id, _, _ in found["tool_calls"]] for found in (first, second)]
    assert {**first, "tool_calls": []} == {**second, "tool_calls": []}
    assert len({*ids[0], *ids[1]}) == len(ids[0]) + len(ids[1])
