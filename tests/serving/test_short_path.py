"""Bytes by the short path are those of the long one, where tokens are shown: whatever the stream is cut into, whoever wrote the
same text before, with tokens that straddle, with hidden reasoning, behind hosts that lag.

The long path is `feed`, which knows nothing of fragments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, few_cases
from tests.laws.effort import some
from tests.laws.hosts import Host
from tests.laws.machines import bare, machine_of, made
from tests.laws.made_vocabulary import HALVES
from tests.serving.samples import STAMP, close, groups, name_of
from tests.unit.test_session import start_of
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.chat import ChatStream
from unbraid.shell.choice import Delta
from unbraid.shell.plan import Plan
from unbraid.shell.replay import lagging, token_texts
from unbraid.shell.sse import compact, frames
from unbraid.shell.token_shapes import logprobs_of, written_logprobs
from unbraid.shell.visible import Alternative, Logprob, Token

FIELDS: Final[dict[str, dict[str, Any]]] = {
    "ids": {"token_ids": True},
    "hidden ids": {"token_ids": True, "reasoning_field": "none"},
    "logprobs": {"logprobs": 2},
    "all": {"token_ids": True, "logprobs": 0, "reasoning_field": "reasoning"},
    "hidden all": {"token_ids": True, "logprobs": 1, "reasoning_field": "none", "usage": "last"},
    "hidden": {"reasoning_field": "none"},
    "stops": {"token_ids": True, "logprobs": 1, "stops": ("e", "an\0", "Oslo")},
}
NO_PARSER: Final = ChatStream(Plan(bare("qwen3", "hermes", None, ids=False))).snapshot().choice.parser
NIGHTLY: Final = os.environ.get("UNBRAID_EFFORT") == "nightly"
HOSTS: Final = ((0, False), (0, True), (1, False), (3, True), (64, False))


def plan_of(case: Case, **fields: Any) -> Plan:
    return Plan(machine_of(case, ids=True), at=start_of(case), **fields)


def encoded(case: Case) -> list[tuple[int, ...]]:
    """With dedicated markers, and with markers in ordinary tokens, which straddle their ends."""
    return [made(case.reasoning, case.tools).encode(case.text, split_markers=split) for split in (False, True)]


def logprobs(ids: Sequence[int], place: int) -> list[Logprob]:
    """Other numbers at each place, and now and then a text that the token does not have."""
    return [
        Logprob(
            f"t{token % 7}\ud800",
            -(place + shift) / 7,
            None if token % 3 else (token % 256,),
            tuple(
                Alternative(f"a{token % 5}", -place - rank / 3, (7, 8) if rank else None) for rank in range(token % 4)
            ),
        )
        for shift, token in enumerate(ids)
    ]


def told(deltas: Sequence[tuple[str | None, tuple[int, ...]]]) -> Iterator[Delta]:
    place = 0
    for text, ids in deltas:
        yield text, ids, logprobs(ids, place)
        place += len(ids)


def check(plan: Plan, case: Case, deltas: Sequence[tuple[str | None, tuple[int, ...]]], seed: int = 0) -> None:
    """The same bytes; the same state wherever it is looked at, which must not change what follows."""
    feed: Any = "ids" if all(text is None for text, _ in deltas) else "both"
    random = Random(seed)
    long, short = (ChatStream(plan, feed, prompt=case.prompt, stamp=STAMP) for _ in range(2))
    for text, ids, given_logprobs in told(deltas):
        if random.random() < 0.1:
            kept = short.snapshot()
            assert beside_parser(short) == beside_parser(long)
            for _ in range(random.randint(0, 2)):
                short.feed_bytes(text, ids, given_logprobs)
            short.restore(kept)
        assert short.feed_bytes(text, ids, given_logprobs) == frames(long.feed(text, ids, given_logprobs))
        assert (short.spent, short.stopped) == (long.spent, long.stopped)
    assert beside_parser(short) == beside_parser(long)
    assert frames(short.finish()) == frames(long.finish())


def beside_parser(stream: ChatStream) -> tuple[object, ...]:
    """Where an answer stands, parser aside: it steps in both."""
    standing = stream.snapshot()
    return evolve(standing, choice=evolve(standing.choice, parser=NO_PARSER)), stream.spent


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
def test_ids(case: Case) -> None:
    """One by one, twice, since the second answer goes by what the first one wrote; then a few at a time."""
    for name in some(list(FIELDS), None if NIGHTLY else 2, case.name):
        plan = plan_of(case, **FIELDS[name])
        for ids in encoded(case):
            for seed in range(2):
                check(plan, case, [(None, (token,)) for token in ids], seed)
            check(plan, case, [(None, group) for group in groups(ids, Random(case.name))])


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
def test_hosts(case: Case) -> None:
    """The host's text is cut anywhere, comes late, and may lack special tokens."""
    vocabulary = made(case.reasoning, case.tools).vocabulary
    ways = [(name, host, ids) for name in FIELDS for host in HOSTS for ids in encoded(case)]
    for name, (lag, drops), ids in some(ways, None if NIGHTLY else 4, case.name):
        plan = plan_of(case, **FIELDS[name])
        for seed in (1, 1, 2):
            check(plan, case, list(Host(vocabulary, lag, drops).deltas(ids, Random(seed))), seed)


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
def test_a_host_that_is_a_few_tokens_late(case: Case) -> None:
    """Each token's text is whole, and comes `lag` tokens later."""
    vocabulary, random = made(case.reasoning, case.tools).vocabulary, Random(case.name)
    for ids in encoded(case):
        plan = plan_of(case, **FIELDS[random.choice(["ids", "hidden all", "logprobs"])])
        deltas = list(lagging(ids, token_texts(vocabulary, ids), random.choice([1, 2, 5])))
        for _ in range(2):
            check(plan, case, deltas)


@pytest.mark.parametrize("case", close(), ids=name_of)
def test_every_cut(case: Case) -> None:
    for place, ids in enumerate(encoded(case)):
        fields = [{"token_ids": True, "logprobs": 1}, FIELDS["hidden all"]][place]
        plan = plan_of(case, **fields)
        for cut in some(range(len(ids) + 1), None if NIGHTLY else 10, case.name):
            rest = [(None, (token,)) for token in ids[cut:]]
            check(plan, case, [(None, ids[:cut]), *rest[:3], (None, ids[cut + 3 :])])


PAIRS: Final = [("qwen3", "hermes"), ("deepseek_v3", "deepseek_v31"), ("kimi_k2", "kimi_k2"), ("gemma4", "gemma4")]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("name", ["all", "hidden all", "stops"])
def test_any_tokens(pair: tuple[str, str], name: str) -> None:
    """Few different ones, so that they come again behind each other: halves of code points, beginnings of markers, markers."""
    vocabulary = made(*pair)
    plan, random = Plan(bare(*pair, None, ids=True), **FIELDS[name]), Random(f"{pair} {name}")
    every = range(-1, len(vocabulary.vocabulary.pieces) + 1)
    odd = [*vocabulary.vocabulary.added.values(), *(vocabulary.ids[half] for half in HALVES if half in vocabulary.ids)]
    case = Case("any", *pair, "", few_cases()[0].message)
    for _ in range(400 if NIGHTLY else 15):
        few = [*random.sample(every, 3), *random.choices(odd, k=4), *vocabulary.encode("\n.\n <a")]
        ids = tuple(random.choices(few, k=60))
        check(plan, case, [(None, (token,)) for token in ids], random.randrange(99))
        check(plan, case, [(None, group) for group in groups(ids, random)], random.randrange(99))
        shown = tuple(token for token in ids if 0 <= token < len(vocabulary.vocabulary.pieces))
        host = Host(vocabulary.vocabulary, random.choice([0, 1, 3]), drops=random.random() < 0.5)
        check(plan, case, list(host.deltas(shown, random)), random.randrange(99))


@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize("lag", [0, 1, 4])
def test_the_short_path_is_taken(fields: dict[str, Any], lag: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests above say nothing. Of an answer that was given before, one step in ten takes the long way at most: where
    the reasoning ends, and where a stop string might begin."""
    long_steps: list[str] = []
    for name in ("feed", "_take"):
        monkeypatch.setattr(ChatStream, name, noting(long_steps, name, getattr(ChatStream, name)))
    vocabulary = made("qwen3", "hermes")
    plan = Plan(bare("qwen3", "hermes", None, ids=True), **fields | {"stops": ("Rome\0",)})
    thought, said = "The plan: go.\n\nAnd so on, 天. " * 9, "The city of Rome, é.\n" * 9
    ids = vocabulary.encode(f"{thought}</think>\n\n{said}")
    deltas = (
        list(lagging(ids, token_texts(vocabulary.vocabulary, ids), lag)) if lag else [(None, (token,)) for token in ids]
    )
    counts = []
    for _ in range(2):
        stream = ChatStream(plan, "both" if lag else "ids", stamp=STAMP)
        for delta in told(deltas):
            stream.feed_bytes(*delta)
        counts.append(len(long_steps))
        long_steps.clear()
    assert counts[1] * 10 < len(ids)


def noting(names: list[str], name: str, function: Any) -> Any:
    def noted(*given_arguments: Any) -> Any:
        names.append(name)
        return function(*given_arguments)

    return noted


# -- log probabilities as JSON ---------------------------------------------------------------------------------------------

BYTES: Final = Vocabulary((*(bytes([byte]) for byte in range(256)), b""))
NUMBERS: Final = st.floats() | st.integers(-(10**6), 10**6) | st.sampled_from([-1.5, 0, -0.0, 1e-300])
TEXTS: Final = st.text(max_size=4) | st.sampled_from(['","logprob":-1.5', "\ud800", '"logprob":-1.5,"', "]}", "\x00\\"])
RAW: Final = st.none() | st.lists(st.integers(0, 255), max_size=3).map(tuple)
TOP: Final = st.lists(st.builds(Alternative, TEXTS, NUMBERS, RAW), max_size=4).map(tuple)


@given(
    st.lists(st.tuples(st.integers(-1, 300), st.builds(Logprob, TEXTS, NUMBERS, RAW, TOP)), max_size=4),
    st.integers(0, 5),
)
def test_log_probabilities(tokens: list[tuple[int, Logprob]], most: int) -> None:
    """Written by what was cut out before, they are what the encoder makes of their objects."""
    shown = tuple(Token(token, 0, 1, one) for token, one in tokens)
    for vocabulary in (BYTES, None):
        expected = compact(logprobs_of(shown, vocabulary, most)["content"])
        for _ in range(2):
            assert f"[{written_logprobs(tokens, vocabulary, most)}]" == expected
