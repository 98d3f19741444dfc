"""What must hold of every stream at every split (serving.md, the list at its end, as far as it is about Chat Completions).

For each pair of halves one case is cut at every place; every other case of the corpus in some.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from tests.corpus.reader import Case, few_cases
from tests.laws.machines import machine_of
from tests.serving.clients import joined
from tests.serving.samples import STAMP, at_random, close, name_of
from tests.unit.test_session import start_of
from unbraid.shell.answering import Fed
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.plan import Plan
from unbraid.shell.sse import DONE, failure, frame, frames
from unbraid.shell.truncated import Truncated

CLOSE: Final = close()


def plan_of(case: Case, **fields: Any) -> Plan:
    return Plan(machine_of(case), at=start_of(case), **fields)


def splits(case: Case) -> Iterator[Sequence[str]]:
    text = case.text
    yield at_random(text, case.name)
    if case in CLOSE:
        yield list(text)
        yield from ([text[:place], text[place:]] for place in range(len(text) + 1))


def stream(plan: Plan, case: Case, deltas: Sequence[str], reason: EngineReason = "stop") -> list[ChatChunk]:
    one = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    chunks = [chunk for delta in deltas for chunk in one.feed(delta)]
    return [*chunks, *one.finish(reason)]


def message(plan: Plan, case: Case) -> dict[str, Any]:
    """The batch message, in the shape of `joined`."""
    answer = ChatAnswer(plan, prompt=case.prompt, stamp=STAMP)
    answer.feed(case.text)
    choice = answer.finish()
    said = choice["message"]
    calls = [(call["id"], call["function"]) for call in said.get("tool_calls", [])]
    return {
        "role": said["role"],
        "reasoning": said.get("reasoning_content"),
        "content": said["content"],
        "finish_reason": choice["finish_reason"],
        "tool_calls": [{"id": of, "name": one["name"], "arguments": one["arguments"]} for of, one in calls],
    }


def check_order(chunks: Sequence[ChatChunk]) -> None:
    """2. One role chunk first, exactly one finish, nothing after it."""
    choices = [chunk["choices"][0] for chunk in chunks]
    assert ["role" in choice["delta"] for choice in choices] == [True, *[False] * (len(choices) - 1)]
    assert [choice["finish_reason"] is not None for choice in choices] == [*[False] * (len(choices) - 1), True]
    assert all(choice["delta"] for choice in choices[:-1])


def check_calls(chunks: Sequence[ChatChunk]) -> None:
    """3. Per index: name, id and type once and first; indices dense, in the order of opening."""
    pieces = [piece for chunk in chunks for piece in chunk["choices"][0]["delta"].get("tool_calls", [])]
    first = [piece for piece in pieces if "id" in piece]
    assert [piece["index"] for piece in first] == list(range(len(first)))
    for index in range(len(first)):
        own = [piece for piece in pieces if piece["index"] == index]
        assert [("id" in piece, "type" in piece, "name" in piece["function"]) for piece in own] == [
            (True, True, True),
            *[(False, False, False)] * (len(own) - 1),
        ]
    for chunk in chunks:
        indices = [piece["index"] for piece in chunk["choices"][0]["delta"].get("tool_calls", [])]
        assert indices == sorted(set(indices))


def check_arguments(case: Case, found: dict[str, Any]) -> None:
    """4. Finished, not truncated: arguments load as JSON."""
    for call, right in zip(found["tool_calls"], case.message.calls, strict=True):
        if right.complete:
            json.loads(call["arguments"])


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
def test_1_to_5_joined_deltas_are_the_message(case: Case) -> None:
    plan = plan_of(case)
    expected = message(plan, case)
    assert (expected["reasoning"], expected["content"]) == (case.message.reasoning, case.message.content)
    for deltas in splits(case):
        chunks = stream(plan, case, deltas)
        check_order(chunks)
        check_calls(chunks)
        found = joined(chunks)
        assert found == expected
        check_arguments(case, found)


@pytest.mark.parametrize("case", CLOSE, ids=name_of)
def test_2_usage_and_done_come_last(case: Case) -> None:
    plan = plan_of(case, usage="last")
    one = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    body = frames(one.feed(case.text)) + frames(one.finish()) + last_bytes([one], 5)
    events = body.removesuffix(b"\n\n").split(b"\n\n")
    assert events[-1] + b"\n\n" == DONE
    usage = json.loads(events[-2].removeprefix(b"data: "))
    assert (usage["choices"], usage["usage"]["prompt_tokens"]) == ([], 5)
    assert all(json.loads(event.removeprefix(b"data: "))["choices"] for event in events[:-2])


@pytest.mark.parametrize("case", CLOSE, ids=name_of)
def test_6_hidden_reasoning(case: Case) -> None:
    """Text only; token ids and log probabilities are in test_hidden.py."""
    hidden = plan_of(case, reasoning_field="none")
    shown = message(plan_of(case), case)
    for deltas in splits(case):
        found = joined(stream(hidden, case, deltas))
        assert found == {**shown, "reasoning": None}


@pytest.mark.parametrize("case", CLOSE, ids=name_of)
@pytest.mark.parametrize("truncated", ["emit", "drop"])
def test_9_snapshot_junk_restore(case: Case, truncated: Truncated) -> None:
    plan = plan_of(case, truncated=truncated, stops=("never said",))
    expected = frames(stream(plan, case, list(case.text)))
    one = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
    chunks: list[ChatChunk] = []
    for point in case.text:
        kept = one.snapshot()
        one.feed("junk <tool_call>{<|channel|>")
        one.finish()
        one.restore(kept)
        chunks += one.feed(point)
    assert frames([*chunks, *one.finish()]) == expected


@pytest.mark.parametrize("case", CLOSE, ids=name_of)
@pytest.mark.parametrize("truncated", ["emit", "drop", "text"])
def test_10_cut_everywhere(case: Case, truncated: Truncated) -> None:
    """No exception; all received text is in some event; a stream that breaks off ends with an error."""
    plan = plan_of(case, truncated=truncated)
    for place in range(len(case.text) + 1):
        fed = Fed(plan, "text", case.prompt)
        told = [fed.feed(case.text[:place], (), ()), fed.conclude()]
        assert sum(event.points for one in told for event in one.events) == place
        for reason in ("stop", "length"):
            chunks = stream(plan, case, [case.text[:place]], reason)
            check_order(chunks)
        aborted = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
        left = [*aborted.feed(case.text[:place]), *aborted.abort()]
        assert frames(left) == frames(chunks[:-1])
        assert (frames(left) + failure("gone")).endswith(failure("gone"))


def test_an_error_is_one_frame_and_done() -> None:
    body = failure("the engine is gone", code=503)
    first, last, rest = body.split(b"\n\n")
    assert (last + b"\n\n", rest) == (DONE, b"")
    error = json.loads(first.removeprefix(b"data: "))["error"]
    assert (error["message"], error["code"]) == ("the engine is gone", 503)
    assert frame({"error": error}) == first + b"\n\n"
