"""Chat Completions streams: what the SDK reads from them is the message, in every case of the corpus."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from tests.corpus.reader import Case, few_cases
from tests.laws.machines import bare, machine_of, made
from tests.unit.test_session import start_of
from unbraid.core.events import ContentChunk, ToolName
from unbraid.shell.chat import ChatStream
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.choice import Spent, advance, begin
from unbraid.shell.chunks import writer
from unbraid.shell.fragments import Covers, Fragments, fragments, keep
from unbraid.shell.opening import FeedKind, Prompt, prompt_ids, prompt_size
from unbraid.shell.plan import Plan
from unbraid.shell.session import parse
from unbraid.shell.sse import frames
from unbraid.shell.stamps import Stamp
from unbraid.shell.visible import Logprob

STAMP = Stamp("c", 1, "s")


def chunks_of(stream: ChatStream, deltas: list[str]) -> list[ChatChunk]:
    body = [chunk for delta in deltas for chunk in stream.feed(delta)]
    return [*body, *stream.finish()]


def deltas_of(chunks: list[ChatChunk]) -> list[Any]:
    return [chunk["choices"][0]["delta"] for chunk in chunks]


def cut_at_random(text: str) -> list[str]:
    places = sorted(random.Random(text).choices(range(len(text) + 1), k=12))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_sdk_reads_the_message(case: Case) -> None:
    machine = machine_of(case)
    stream = ChatStream(Plan(machine, at=start_of(case)), prompt=case.prompt)
    chunks = chunks_of(stream, cut_at_random(case.text))
    sdk = ChatCompletionStreamState()
    for chunk in chunks:
        sdk.handle_chunk(ChatCompletionChunk.model_validate(chunk, strict=True))
    got = sdk.current_completion_snapshot.choices[0]
    expected = parse(machine, case.text, prompt=case.prompt, at=start_of(case))
    assert (got.message.content or None) == expected.content
    assert "".join(delta.get("reasoning_content", "") for delta in deltas_of(chunks)) == (expected.reasoning or "")
    calls = [(call.function.name, call.function.arguments) for call in got.message.tool_calls or ()]
    assert calls == [(call.name, call.arguments) for call in expected.tool_calls]
    assert tuple(stream.anomalies) == expected.anomalies
    complete = any(call.complete for call in expected.tool_calls)
    assert got.finish_reason == ("tool_calls" if complete else "stop")


CALLS = 'Hi<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


def test_order_of_chunks() -> None:
    machine = bare("qwen3", "hermes", None, ids=False)
    stream = ChatStream(Plan(machine, "m"), stamp=Stamp("c", 7, ""))
    chunks = chunks_of(stream, ["hm", "</think>\n\n", CALLS, "Bye"])
    first = deltas_of(chunks)[2]["tool_calls"][0]
    assert deltas_of(chunks) == [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "hm"},
        {"content": "Hi", "tool_calls": [{**first, "function": {"name": "f", "arguments": '{"a": 1}'}}]},
        {"content": "Bye"},
        {},
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, None, None, None, "tool_calls"]
    assert {(chunk["id"], chunk["object"], chunk["created"], chunk["model"]) for chunk in chunks} == {
        ("c", "chat.completion.chunk", 7, "m")
    }


def test_ids_and_names_are_sent_once() -> None:
    stream = ChatStream(Plan(bare(None, "hermes", None, ids=False)))
    calls = [call for delta in deltas_of(chunks_of(stream, list(CALLS))) for call in delta.get("tool_calls", [])]
    assert [call["index"] for call in calls] == [0] * len(calls)
    assert [sorted(call) for call in calls] == [
        ["function", "id", "index", "type"],
        *[["function", "index"]] * (len(calls) - 1),
    ]
    assert [call["function"].get("name") for call in calls] == ["f", *[None] * (len(calls) - 1)]
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a": 1}'


def test_nothing_was_said() -> None:
    stream = ChatStream(Plan(bare("qwen3", None, None, ids=False)))
    assert deltas_of(list(stream.finish("length"))) == [{"role": "assistant", "content": ""}, {}]


def test_a_step_that_decides_nothing_sends_nothing() -> None:
    stream = ChatStream(Plan(bare(None, "hermes", None, ids=False)))
    assert len(stream.feed("a")) == 2
    assert stream.feed("<tool_c") == ()


@pytest.mark.parametrize(
    ("text", "reason", "plan", "expected"),
    [
        (CALLS, "stop", {}, "tool_calls"),
        (CALLS, "stop", {"call_finish": "stop"}, "stop"),
        (CALLS, "length", {}, "length"),
        (CALLS[:-15], "stop", {}, "stop"),
        (CALLS[:-15], "stop", {"truncated": "drop"}, "stop"),
        ("Hi", "stop", {}, "stop"),
    ],
)
def test_finish_reason(text: str, reason: Any, plan: dict[str, Any], expected: str) -> None:
    stream = ChatStream(Plan(bare(None, "hermes", None, ids=False), **plan))
    stream.feed(text)
    assert stream.finish(reason)[-1]["choices"][0]["finish_reason"] == expected


def test_choice_and_reasoning_field() -> None:
    stream = ChatStream(Plan(bare("qwen3", None, None, ids=False), reasoning_field="reasoning"), choice=2)
    chunks = stream.feed("hm")
    assert [chunk["choices"][0]["index"] for chunk in chunks] == [2, 2]
    assert chunks[1]["choices"][0]["delta"] == {"reasoning": "hm"}


def test_ids() -> None:
    machine = bare(None, "hermes", None, ids=True)
    stream = ChatStream(Plan(machine), "ids")
    assert machine.vocabulary is not None
    chunks = stream.feed(None, (machine.vocabulary.pieces.index(b"A"),))
    assert chunks[1]["choices"][0]["delta"] == {"content": "A"}


def test_a_finished_answer_says_so() -> None:
    stream = ChatStream(Plan(bare(None, "hermes", None, ids=True)))
    stream.finish()
    with pytest.raises(ValueError, match="finished"):
        stream.feed("x")
    with pytest.raises(ValueError, match="finished"):
        stream.finish()


def test_tokens_need_ids() -> None:
    machine = bare(None, "hermes", None, ids=True)
    with pytest.raises(ValueError, match="feed of ids"):
        ChatStream(Plan(machine, token_ids=True), "text")
    with pytest.raises(ValueError, match="one log probability for each of 1 ids"):
        ChatStream(Plan(machine, logprobs=0), "ids").feed(None, (1,))


class Pure:
    """An answer by the pure functions alone: nothing passes by, nothing is kept."""

    def __init__(self, plan: Plan, feed: FeedKind, prompt: Prompt) -> None:
        self.plan, self.state = plan, begin(plan, feed, prompt)
        self.write = writer(plan, STAMP, 0, prompt_ids(prompt), prompt_size(prompt, None))
        self.opened = False

    def feed(self, text: str | None, ids: tuple[int, ...]) -> tuple[ChatChunk, ...]:
        self.state, told = advance(self.plan, self.state, text, ids)
        if not (self.opened or text or ids):
            return ()
        opening = [] if self.opened else self.write.opening()
        self.opened = True
        return (*opening, *self.write.body(told, self.state.spent))


FIELDS: tuple[dict[str, Any], ...] = ({}, {}, {"truncated": "text"}, {"reasoning_field": "none", "usage": "every"})


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_bytes_are_those_of_the_chunks(case: Case) -> None:
    """Whatever was written before; ids and text; what is kept of one answer serves the next."""
    machine, ids = machine_of(case, ids=True), made(case.reasoning, case.tools).encode(case.text)
    plan = Plan(machine, at=start_of(case), **random.Random(case.name).choice(FIELDS))
    steps: dict[FeedKind, list[tuple[str | None, tuple[int, ...]]]] = {
        "ids": [(None, (token,)) for token in ids],
        "text": [(piece, ()) for piece in cut_at_random(case.text)],
    }
    several: list[tuple[str | None, tuple[int, ...]]] = [(None, group) for group in groups(ids, case.name)]
    for feed, deltas in (*steps.items(), ("ids", several), ("ids", several)):
        plain, quick = (ChatStream(plan, feed, prompt=case.prompt, stamp=STAMP) for _ in range(2))
        pure = Pure(plan, feed, case.prompt)
        for delta in deltas:
            chunks = plain.feed(*delta)
            assert chunks == pure.feed(*delta)
            assert quick.feed_bytes(*delta) == frames(chunks)
        assert plain.snapshot().choice == pure.state
        assert (quick.spent, quick.snapshot(), quick.anomalies) == (plain.spent, plain.snapshot(), plain.anomalies)
        assert frames(quick.finish()) == frames(plain.finish())


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_bytes_with_stop_strings(case: Case) -> None:
    """Stop strings that occur, that only begin, and that do neither; on fragments that other answers kept."""
    machine, ids, chance = (
        machine_of(case, ids=True),
        made(case.reasoning, case.tools).encode(case.text),
        random.Random(case.name),
    )
    text = case.text or "x"
    pieces = [text[place : place + size] for size in (2, 3, 5) for place in [chance.randrange(len(text))]]
    for stops in ((), *((piece, piece[0] + "\x00") for piece in pieces), (pieces[0] + "\x00", "\x01")):
        plan = Plan(machine, at=start_of(case), stops=stops)
        plain, quick = (ChatStream(plan, "ids", prompt=case.prompt, stamp=STAMP) for _ in range(2))
        pure = Pure(plan, "ids", case.prompt)
        for group in (*groups(ids, case.name),) if stops else ((token,) for token in ids):
            chunks = plain.feed(None, group)
            assert chunks == pure.feed(None, group)
            assert quick.feed_bytes(None, group) == frames(chunks)
            assert (quick.stopped, quick.spent) == (plain.stopped, plain.spent)
        assert (quick.snapshot(), quick.anomalies) == (plain.snapshot(), plain.anomalies)
        assert frames(quick.finish()) == frames(plain.finish())


def groups(ids: Sequence[int], seed: str) -> Iterator[tuple[int, ...]]:
    """`ids` in deltas of one to six."""
    chance, place = random.Random(seed), 0
    while place < len(ids):
        size = chance.randint(1, 6)
        yield tuple(ids[place : place + size])
        place += size


@pytest.mark.parametrize("way", [{}, {"reasoning_field": "both"}, {"reasoning_field": "none"}])
def test_several_tokens_of_one_strand_are_one_chunk(way: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    machine, encode = bare("qwen3", "hermes", None, ids=True), made("qwen3", "hermes").encode
    stream = ChatStream(Plan(machine, **way), "ids", stamp=STAMP)
    stream.feed_bytes(None, encode("<think>"))
    ids = encode('then a "plan", so')
    assert len(ids) > 3
    first = [stream.feed_bytes(None, ids) for _ in range(3)][-1]
    if way != {"reasoning_field": "both"}:  # what it says stands there twice
        monkeypatch.setattr(ChatStream, "_take", lambda *_: pytest.fail("written anew"))
    assert stream.feed_bytes(None, ids) == first
    assert (first.count(b"data: "), first.count(b'then a \\"plan\\", so')) == SAID[way.get("reasoning_field", "")]


SAID = {"": (1, 1), "both": (1, 2), "none": (0, 0)}
"""Chunks, and how often they say it, by where reasoning goes."""


def test_bytes_of_plain_tokens_are_kept() -> None:
    machine = bare("qwen3", "hermes", None, ids=True)
    token = made("qwen3", "hermes").encode(" plan")
    first, second = (ChatStream(Plan(machine, "m"), "ids", stamp=Stamp(name, 1, "")) for name in "ab")
    written = []
    for stream in (first, second):
        written += [stream.feed_bytes(None, token) for _ in range(2)]
    assert any(one.head in written[1] for one in fragments(Plan(machine)).values())
    assert written[3] == written[1].replace(b'"id":"a"', b'"id":"b"')
    assert second.spent == Spent(2, 2)


def test_kept_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.shell.fragments.KEPT", 2)
    known: Fragments = {}
    for text in "abc":
        event = ContentChunk(text, 1, 1)
        keep(known, ord(text), event, b"{" + text.encode())
        keep(known, 1, ToolName(0, "f"), b"{")
        keep(known, 2, event, b"data: {")
        keep(known, 3, event, b"{", Covers((1,), 1), b"not there")
    assert [(key, one.head) for key, one in known.items()] == [(ord("c"), b"{c")]
    keep(known, 4, ContentChunk("long", 4), b"{" + b"x" * 512)
    assert len(known) == 1


@pytest.mark.parametrize("count", [0, 1, 3])
def test_log_probabilities_that_nobody_asked_for_are_ignored(count: int) -> None:
    machine, ids = bare("qwen3", "hermes", None, ids=True), made("qwen3", "hermes").encode("Well, the plan.")
    given = [Logprob("x", -1.0)] * count
    written = []
    for logprobs in ([], given):
        stream = ChatStream(Plan(machine, at="content", token_ids=True), "ids", stamp=STAMP)
        body = b"".join(stream.feed_bytes(ids=(token, token), logprobs=logprobs) for token in ids)
        written.append(body + frames(stream.finish()))
    assert written[0] == written[1]
