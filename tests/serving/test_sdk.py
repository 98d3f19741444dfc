"""The `openai` SDK reads our bytes, sent by a server on this machine, as the message that the same output is in batch: of each
format every strand that the corpus has of it, at several splits, fed as text and as token ids, ended by a stop and by length;
and the message of a request that does not stream.

The SDK itself raises for an answer that is cut by length only if the request has tools that it is to parse; ours are read
through `current_completion_snapshot` throughout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletion

from tests.corpus.reader import Case, cases
from tests.laws.machines import machine_of, made, own_names
from tests.serving.clients import sdk_message
from tests.serving.local_server import Server, serving
from tests.serving.samples import groups, strands, telling
from tests.unit.test_session import start_of
from unbraid.formats.registry import Role
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.completions import ChatAnswer, completion
from unbraid.shell.finish_reasons import EngineReason
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
    """Three for the first case of each half and strand, one of them for each other case."""
    text, random = case.text, Random(case.name)
    places = sorted(random.choices(range(len(text) + 1), k=9))
    some = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    every = ([text], list(text), some)
    return every if case.name in FIRST else (random.choice(every),)


def of_each(some: Iterable[Case]) -> dict[tuple[Role, str, str], str]:
    """For each half and strand the first of the cases that has it, by its name."""
    first: dict[tuple[Role, str, str], str] = {}
    for case in some:
        halves: tuple[tuple[Role, str | None], ...] = (("reasoning", case.reasoning), ("tools", case.tools))
        for role, name in halves:
            for strand in strands(case) if name is not None else ():
                first.setdefault((role, str(name), strand), case.name)
    return first


FIRST: Final = frozenset(of_each(telling()).values())


def test_every_format_is_read() -> None:
    """Every half that the corpus has, with every strand that it has there."""
    found = of_each(telling()).keys()
    assert found == of_each(cases()).keys()
    for role in ("reasoning", "tools"):
        assert {name for of, name, _ in found if of == role} >= set(own_names(role))


def sent(plan: Plan, case: Case, deltas: Sequence[str], reason: EngineReason = "stop") -> list[bytes]:
    stream = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    body = [frames(stream.feed(delta)) for delta in deltas]
    return [*body, frames(stream.finish(reason)), last_bytes([stream], 3)]


def answer(plan: Plan, case: Case, text: str, reason: EngineReason = "stop") -> dict[str, Any]:
    one = ChatAnswer(plan, prompt=case.prompt, stamp=STAMP)
    one.feed(text)
    return {**completion([one], [one.finish(reason)], 3)}


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


def read(local: tuple[Server, OpenAI], body: list[bytes]) -> tuple[dict[str, Any], ...]:
    """What the SDK makes of `body`."""
    server, client = local
    server.bodies.append(body)
    with client.chat.completions.create(**REQUEST, stream=True) as chunks:
        return sdk_message(chunks)


@pytest.mark.parametrize("case", telling(), ids=lambda case: case.name)
def test_streams(case: Case, local: tuple[Server, OpenAI]) -> None:
    plan = Plan(machine_of(case), at=start_of(case), usage="last")
    expected = fields(answer(plan, case, case.text))
    for deltas in splits(case):
        assert read(local, sent(plan, case, deltas)) == (expected,)


@pytest.mark.parametrize("case", telling(), ids=lambda case: case.name)
def test_streams_cut_by_length(case: Case, local: tuple[Server, OpenAI]) -> None:
    plan = Plan(machine_of(case), at=start_of(case), usage="last")
    text = case.text[: Random(case.name).randint(0, len(case.text))]
    expected = fields(answer(plan, case, text, "length"))
    assert expected["finish_reason"] == "length"
    assert read(local, sent(plan, case, list(text), "length")) == (expected,)


@pytest.mark.parametrize("case", telling(), ids=lambda case: case.name)
def test_streams_of_token_ids(case: Case, local: tuple[Server, OpenAI]) -> None:
    """As a server sends them: bytes of tokens that were written before are looked up."""
    vocabulary = made(case.reasoning, case.tools)
    plan = Plan(machine_of(case, ids=True), at=start_of(case), usage="last")
    stream = ChatStream(plan, "ids", prompt=case.prompt, stamp=STAMP)
    body = [stream.feed_bytes(ids=ids) for ids in groups(vocabulary.encode(case.text), Random(case.name))]
    expected = fields(answer(plan, case, case.text))
    assert read(local, [*body, frames(stream.finish()), last_bytes([stream], 3)]) == (expected,)


@pytest.mark.parametrize("case", telling(), ids=lambda case: case.name)
def test_messages(case: Case) -> None:
    """The whole response is one of the SDK's models, and holds what the corpus says."""
    body = answer(Plan(machine_of(case), at=start_of(case)), case, case.text)
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
