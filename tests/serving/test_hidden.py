"""Hidden reasoning leaves no trace: neither text nor log probability nor token id, nor a difference in what is sent when.

Two runs that differ only in hidden tokens, of equal number, give the same bytes apart from usage; every visible token keeps
its id and its log probability. What is visible is computed here from the events of the core and the bytes of the tokens.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

import pytest
from attrs import evolve

from tests.corpus.reader import Case, cases
from tests.laws.hosts import Host
from tests.laws.machines import begin, machine_of, made
from tests.laws.made_vocabulary import SPECIALS
from tests.laws.test_views import between_code_points
from tests.serving.samples import STAMP, groups, name_of, telling
from tests.unit.test_session import start_of
from unbraid.core.events import ArgumentsChunk, ContentChunk, Events, ReasoningChunk, ToolName
from unbraid.core.machine import finish, step
from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.plan import Plan
from unbraid.shell.replay import lagging, token_texts
from unbraid.shell.sse import compact, frames
from unbraid.shell.visible import Logprob

THINKING: Final = [
    case for case in telling() if case.message.reasoning and (case.message.content or case.message.calls)
]


def events_of(case: Case, ids: Sequence[int]) -> Events:
    machine = machine_of(case, ids=True)
    state, events = step(machine, begin(case, machine, "ids"), None, tuple(ids))
    return events + finish(machine, state)[1]


def read_by_client(events: Events, *, reasoning: bool) -> list[bool]:
    """For each code point of the source whether the client reads it."""
    kinds = (ContentChunk, ArgumentsChunk, ToolName, *((ReasoningChunk,) if reasoning else ()))
    return [isinstance(event, kinds) for event in events for _ in range(event.points)]


def visible(case: Case, ids: Sequence[int], *, reasoning: bool) -> list[int]:
    """Places of the tokens that the client may know of, from the bytes of the source."""
    vocabulary = made(case.reasoning, case.tools).vocabulary
    seen = read_by_client(events_of(case, ids), reasoning=reasoning)
    source = b"".join(map(vocabulary.piece, ids)).decode()
    point_of = [point for point, char in enumerate(source) for _ in char.encode()]
    places, start = [], 0
    for place, token in enumerate(ids):
        end = start + len(vocabulary.piece(token))
        if end > start and all(seen[point_of[byte]] for byte in range(start, end)):
            places.append(place)
        start = end
    return places


def other_thoughts(case: Case, ids: Sequence[int]) -> tuple[int, ...]:
    """`ids` with each word of the reasoning replaced by another word, token by token."""
    vocabulary = made(case.reasoning, case.tools).vocabulary
    random = Random(case.name)
    shown, told = visible(case, ids, reasoning=False), visible(case, ids, reasoning=True)
    words = {token for token, piece in enumerate(vocabulary.pieces) if piece.strip(b" ").isalpha() and piece.isascii()}
    spoken = set(told) - set(shown)
    return tuple(
        random.choice(sorted(words - {token})) if place in spoken and token in words else token
        for place, token in enumerate(ids)
    )


def chunks_of(case: Case, ids: Sequence[int], seed: int, **fields: Any) -> tuple[list[ChatChunk], bytes]:
    """The chunks, and the bytes of the stream without the usage."""
    plan = Plan(machine_of(case, ids=True), at=start_of(case), stream=True, usage="last", **fields)
    vocabulary = made(case.reasoning, case.tools)
    prompt = None if case.prompt is None else vocabulary.encode(case.prompt)
    stream = ChatStream(plan, "ids", prompt=prompt, stamp=STAMP)
    chunks: list[ChatChunk] = []
    place = 0
    for group in groups(ids, Random(seed)):
        logprobs = [Logprob(vocabulary.decode([token]), -float(place + shift)) for shift, token in enumerate(group)]
        chunks += stream.feed(None, group, logprobs)
        place += len(group)
    chunks += stream.finish()
    end = last_bytes([stream], len(prompt or ())).split(b"\n\n")
    assert b"reasoning_tokens" in end[0]
    return chunks, frames(chunks) + b"\n\n".join(end[1:])


def encoded(case: Case) -> list[tuple[int, ...]]:
    vocabulary = made(case.reasoning, case.tools)
    return [vocabulary.encode(case.text, split_markers=split) for split in (False, True)]


@pytest.mark.parametrize("case", THINKING, ids=name_of)
def test_streams_of_different_thoughts_are_the_same_bytes(case: Case) -> None:
    for ids in encoded(case):
        others = other_thoughts(case, ids)
        for seed in range(3):
            hidden = {"reasoning_field": "none", "logprobs": 0, "token_ids": True}
            assert chunks_of(case, ids, seed, **hidden)[1] == chunks_of(case, others, seed, **hidden)[1]
        if others != ids:
            assert chunks_of(case, ids, 0)[1] != chunks_of(case, others, 0)[1]


@pytest.mark.parametrize("case", THINKING, ids=name_of)
@pytest.mark.parametrize("compat", [None, "vllm", "sglang"])
def test_whole_messages_of_different_thoughts_are_the_same(case: Case, compat: Any) -> None:
    """Another server's message too, which may hold the output as it was written."""
    plan = Plan(
        machine_of(case, ids=True), at=start_of(case), reasoning_field="none", logprobs=0, token_ids=True, compat=compat
    )
    for ids in encoded(case):
        said = []
        for given in (ids, other_thoughts(case, ids)):
            answer = ChatAnswer(plan, "ids", prompt=case.prompt, stamp=STAMP)
            answer.feed(None, given, [Logprob("t", -float(place)) for place in range(len(given))])
            said.append(answer.finish())
        assert said[0] == said[1]


@pytest.mark.parametrize("case", THINKING, ids=name_of)
@pytest.mark.parametrize("stops", [(), ("e", "an")])
def test_different_thoughts_behind_a_lagging_host(case: Case, stops: tuple[str, ...]) -> None:
    plan = Plan(
        machine_of(case, ids=True), at=start_of(case), reasoning_field="none", logprobs=0, token_ids=True, stops=stops
    )
    vocabulary = made(case.reasoning, case.tools).vocabulary
    for lag, ids in enumerate(encoded(case)):
        said = []
        for given in (ids, other_thoughts(case, ids)):
            stream = ChatStream(plan, "both", prompt=case.prompt, stamp=STAMP)
            chunks: list[ChatChunk] = []
            for text, some in lagging(given, token_texts(vocabulary, given), 4 * lag):
                chunks += stream.feed(text, some, [Logprob("t", -1.0) for _ in some])
            said.append(frames([*chunks, *stream.finish()]))
        assert said[0] == said[1]


def test_some_thoughts_are_different() -> None:
    """Else the test above says nothing."""
    changed = [case for case in THINKING if any(other_thoughts(case, ids) != ids for ids in encoded(case))]
    assert len(changed) > len(THINKING) // 3


@pytest.mark.parametrize("case", THINKING, ids=name_of)
@pytest.mark.parametrize("field", ["none", "reasoning"])
def test_visible_tokens_keep_theirs(case: Case, field: str) -> None:
    for seed, ids in enumerate(encoded(case)):
        chunks, _ = chunks_of(case, ids, seed, reasoning_field=field, logprobs=0, token_ids=True)
        places = visible(case, ids, reasoning=field != "none")
        choices = [chunk["choices"][0] for chunk in chunks]
        assert [token for choice in choices for token in choice.get("token_ids", [])] == [
            ids[place] for place in places
        ]
        told = [one for choice in choices if "logprobs" in choice for one in choice["logprobs"]["content"]]
        assert [one["logprob"] for one in told] == [-float(place) for place in places]


@pytest.mark.parametrize("case", THINKING, ids=name_of)
@pytest.mark.parametrize(("lag", "drops"), [(0, True), (3, False), (4, True), (64, True)])
def test_visible_tokens_keep_theirs_where_the_host_writes(case: Case, lag: int, drops: bool) -> None:
    """Its text lags, is cut anywhere, and may lack special tokens, which stand between the others here."""
    vocabulary, random = made(case.reasoning, case.tools).vocabulary, Random(case.name)
    given = list(encoded(case)[0])
    for name in SPECIALS:
        given.insert(random.choice(between_code_points(case, given)), vocabulary.added[name])
    plan = Plan(machine_of(case, ids=True), at=start_of(case), reasoning_field="none", logprobs=0)
    stream = ChatStream(plan, "both", prompt=case.prompt, stamp=STAMP)
    chunks: list[ChatChunk] = []
    place = 0
    for text, ids in Host(vocabulary, lag, drops).deltas(tuple(given), random):
        chunks += stream.feed(text, ids, [Logprob("t", -float(place + shift)) for shift in range(len(ids))])
        place += len(ids)
    choices = [chunk["choices"][0] for chunk in [*chunks, *stream.finish()]]
    told = [one for choice in choices if "logprobs" in choice for one in choice["logprobs"]["content"]]
    assert [one["logprob"] for one in told] == [-float(place) for place in visible(case, given, reasoning=False)]


@pytest.mark.parametrize("case", THINKING[:20], ids=name_of)
def test_straddling_tokens_are_hidden(case: Case) -> None:
    """With markers in ordinary tokens, some token holds the end of what is hidden and the beginning of what is not."""
    ids = encoded(case)[1]
    seen = read_by_client(events_of(case, ids), reasoning=False)
    shown = visible(case, ids, reasoning=False)
    chunks, _ = chunks_of(case, ids, 0, reasoning_field="none", token_ids=True)
    content = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert content == (case.message.content or "")
    piece = made(case.reasoning, case.tools).vocabulary.piece
    assert len(b"".join(piece(ids[place]) for place in shown).decode("utf-8", "ignore")) <= sum(seen)


def straddling(case: Case, ids: Sequence[int]) -> int:
    """How many tokens hold text that the client reads, and other text."""
    piece, place, count = made(case.reasoning, case.tools).vocabulary.piece, 0, 0
    seen = read_by_client(events_of(case, ids), reasoning=False)
    source = b"".join(map(piece, ids)).decode()
    of_byte = [seen[point] for point, char in enumerate(source) for _ in char.encode()]
    for token in ids:
        size = len(piece(token))
        count += len(set(of_byte[place : place + size])) == 2
        place += size
    return count


def test_some_tokens_straddle() -> None:
    """Else the test above says nothing."""
    assert sum(straddling(case, encoded(case)[1]) > 0 for case in THINKING) > len(THINKING) // 3


def test_nothing_is_shown_behind_a_desync() -> None:
    """The host's text is not the ids': the places of tokens are lost, so no token is shown any more."""
    case = next(case for case in cases() if case.reasoning == "qwen3" and case.tools and not case.policies)
    vocabulary = made("qwen3", "hermes")
    plan = Plan(machine_of(case, ids=True), at="content", token_ids=True)
    stream = ChatStream(plan, "both", stamp=STAMP)
    a, b = vocabulary.encode("a"), vocabulary.encode("b")
    before = stream.feed("a", a)
    after = [*stream.feed("x", b), *stream.feed("b", b), *stream.finish()]
    assert before[-1]["choices"][0]["token_ids"] == list(a)
    assert "token_ids" not in compact(after)
    assert any(odd.kind == "desync" for odd in stream.anomalies)


def test_hidden_tokens_are_counted() -> None:
    case = THINKING[0]
    ids = encoded(case)[0]
    plan = Plan(machine_of(case, ids=True), at=start_of(case), reasoning_field="none")
    for shown in (plan, evolve(plan, reasoning_field="both")):
        stream = ChatStream(shown, "ids", prompt=made(case.reasoning, case.tools).encode(case.prompt or ""))
        stream.feed(None, ids)
        stream.finish()
        counted = sum(event.tokens for event in events_of(case, ids) if isinstance(event, ReasoningChunk))
        assert (stream.spent.completion, stream.spent.reasoning) == (len(ids), counted)


def test_json_of_nothing_hidden() -> None:
    """The message says what is visible and no more."""
    case = THINKING[0]
    chunks, _ = chunks_of(case, encoded(case)[0], 1, reasoning_field="none", logprobs=0, token_ids=True)
    keys = {key for chunk in chunks for key in chunk["choices"][0]["delta"]}
    assert keys <= {"role", "content", "tool_calls"}
    assert json.loads(compact(chunks)) == chunks
