"""What must hold of every stream at every split (serving.md, the list at its end, as far as it is about Chat Completions).

Every case is cut in two at every place, and comes one code point and one token at a time. Of the corpus as many cases as fit into
half a minute, at least one of each pair of halves (`samples.spread`); `UNBRAID_EFFORT=nightly` reads all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, TypeAlias

import pytest

from tests.corpus.reader import Case
from tests.laws.effort import some
from tests.laws.machines import machine_of, made
from tests.serving.clients import joined
from tests.serving.samples import NIGHTLY, STAMP, at_random, groups, name_of, spread
from tests.unit.test_session import start_of
from unbraid.shell.answering import Fed
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.opening import FeedKind
from unbraid.shell.plan import Plan
from unbraid.shell.sse import DONE, failure, frame, frames
from unbraid.shell.truncated import Truncated

MANY: Final = spread(33_000)
SOME: Final = spread(14_000)
"""Cases by what a cut of them costs."""

Deltas: TypeAlias = Sequence[tuple[str | None, tuple[int, ...]]]


def plan_of(case: Case, *, ids: bool = False, **fields: Any) -> Plan:
    return Plan(machine_of(case, ids=ids), at=start_of(case), **fields)


def ids_of(case: Case) -> tuple[int, ...]:
    return made(case.reasoning, case.tools).encode(case.text)


def splits(case: Case, *, ids: bool = False) -> Iterator[Deltas]:
    """In some pieces, whole and in two, and one code point or token at a time."""
    whole = ids_of(case) if ids else case.text
    yield [
        delta(piece) for piece in (groups(ids_of(case), Random(case.name)) if ids else at_random(case.text, case.name))
    ]
    for cut in range(len(whole) + 1):
        yield [delta(whole[:cut]), delta(whole[cut:])]
    yield [delta(whole[place : place + 1]) for place in range(len(whole))]


def delta(piece: str | tuple[int, ...]) -> tuple[str | None, tuple[int, ...]]:
    return (piece, ()) if isinstance(piece, str) else (None, piece)


def stream(plan: Plan, case: Case, deltas: Deltas, reason: EngineReason = "stop") -> list[ChatChunk]:
    one = ChatStream(plan, feed_of(deltas), prompt=case.prompt, stamp=STAMP)
    chunks = [chunk for text, ids in deltas for chunk in one.feed(text, ids)]
    return [*chunks, *one.finish(reason)]


def feed_of(deltas: Deltas) -> FeedKind:
    return "ids" if any(text is None for text, _ in deltas) else "text"


def message(plan: Plan, case: Case, whole: tuple[str | None, tuple[int, ...]]) -> dict[str, Any]:
    """The batch message, in the shape of `joined`."""
    answer = ChatAnswer(plan, feed_of([whole]), prompt=case.prompt, stamp=STAMP)
    answer.feed(*whole)
    choice = answer.finish("stop")
    said = choice["message"]
    calls = [(call["id"], call["function"]) for call in said.get("tool_calls", [])]
    return {
        "role": said["role"],
        "reasoning": said.get("reasoning_content"),
        "content": said["content"],
        "finish_reason": choice["finish_reason"],
        "tool_calls": [{"id": of, "name": one["name"], "arguments": one["arguments"]} for of, one in calls],
    }


JUNK: Final = "junk <tool_call>{<|channel|>"


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


@pytest.mark.parametrize("case", MANY, ids=name_of)
@pytest.mark.parametrize("ids", [False, True])
def test_1_to_5_joined_deltas_are_the_message(case: Case, ids: bool) -> None:
    plan = plan_of(case, ids=ids)
    expected = message(plan, case, delta(ids_of(case) if ids else case.text))
    assert (expected["reasoning"], expected["content"]) == (case.message.reasoning, case.message.content)
    for deltas in splits(case, ids=ids):
        chunks = stream(plan, case, deltas)
        check_order(chunks)
        check_calls(chunks)
        found = joined(chunks)
        assert found == expected
        check_arguments(case, found)


@pytest.mark.parametrize("case", SOME, ids=name_of)
def test_2_usage_and_done_come_last(case: Case) -> None:
    plan = plan_of(case, usage="last")
    for deltas in ([delta(case.text)], [delta(point) for point in case.text]):
        one = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
        body = b"".join(one.feed_bytes(*piece) for piece in deltas) + frames(one.finish()) + last_bytes([one], 5)
        events = body.removesuffix(b"\n\n").split(b"\n\n")
        assert events[-1] + b"\n\n" == DONE
        usage = json.loads(events[-2].removeprefix(b"data: "))
        assert (usage["choices"], usage["usage"]["prompt_tokens"]) == ([], 5)
        assert all(json.loads(event.removeprefix(b"data: "))["choices"] for event in events[:-2])


@pytest.mark.parametrize("case", SOME, ids=name_of)
def test_6_hidden_reasoning(case: Case) -> None:
    """Text only; token ids and log probabilities are in test_hidden.py."""
    hidden = plan_of(case, reasoning_field="none")
    shown = message(plan_of(case), case, delta(case.text))
    for deltas in splits(case):
        found = joined(stream(hidden, case, deltas))
        assert found == {**shown, "reasoning": None}


@pytest.mark.parametrize("case", SOME, ids=name_of)
@pytest.mark.parametrize("truncated", ["emit", "drop"])
def test_9_snapshot_junk_restore(case: Case, truncated: Truncated) -> None:
    """Behind every code point; then behind every token."""
    for ids in (False, True):
        plan = plan_of(case, ids=ids, truncated=truncated, stops=("never said",))
        *_, pieces = splits(case, ids=ids)
        expected = frames(stream(plan, case, pieces)) if pieces else b""
        junk = delta(made(case.reasoning, case.tools).encode(JUNK) if ids else JUNK)
        one = ChatStream(plan, "ids" if ids else "text", prompt=case.prompt, stamp=STAMP)
        written = b""
        for piece in pieces:
            kept = one.snapshot()
            one.feed_bytes(*junk)
            one.finish()
            one.restore(kept)
            written += one.feed_bytes(*piece)
        assert not pieces or written + frames(one.finish()) == expected


@pytest.mark.parametrize("case", SOME, ids=name_of)
def test_10_cut_everywhere(case: Case) -> None:
    """No exception; all received text is in some event; a stream that breaks off ends with an error."""
    ways: list[Truncated] = ["emit", "drop", "text"]
    for truncated in some(ways, None if NIGHTLY else 1, case.name):
        plan = plan_of(case, truncated=truncated)
        for place in range(len(case.text) + 1):
            received = delta(case.text[:place])
            fed = Fed(plan, "text", case.prompt)
            told = [fed.feed(*received, ()), fed.conclude()]
            assert sum(event.points for one in told for event in one.events) == place
            ends = [stream(plan, case, [received], reason) for reason in ("stop", "length")]
            check_order(ends[0])
            aborted = ChatStream(plan, prompt=case.prompt, stamp=STAMP)
            left = frames([*aborted.feed(*received), *aborted.abort()])
            assert left == frames(ends[0][:-1]) == frames(ends[1][:-1])
            assert [chunks[-1]["choices"][0]["finish_reason"] for chunks in ends][1] == "length"
            assert (left + failure("gone")).endswith(failure("gone"))


def test_an_error_is_one_frame_and_done() -> None:
    body = failure("the engine is gone", code=503)
    first, last, rest = body.split(b"\n\n")
    assert (last + b"\n\n", rest) == (DONE, b"")
    error = json.loads(first.removeprefix(b"data: "))["error"]
    assert (error["message"], error["code"]) == ("the engine is gone", 503)
    assert frame({"error": error}) == first + b"\n\n"
