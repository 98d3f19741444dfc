"""Law 6. Under `marker_evidence=both`, ids, text and both give the same merged events, token counts aside.

The host's text is cut anywhere, lags by 0 to 64 tokens, has special tokens or not, and may be ended by a stop string.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.effort import EFFORT, some
from tests.laws.hosts import Host
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import bare, begin, fold_both, fold_ids, fold_text, machine_of, made, without_tokens
from tests.laws.made_vocabulary import SPECIALS
from tests.laws.walks import walk
from unbraid.core.events import Events, Markup, merge
from unbraid.core.grammar import Braces
from unbraid.core.machine import start

LAGS = (0, 1, 2, 7, 64)


def lags(seed: str) -> list[int]:
    """Most tokens by which a host lags."""
    return some(LAGS, EFFORT.lags, seed)


def tokens_of(case: Case, text: str, *, split_markers: bool) -> tuple[int, ...]:
    return made(case.reasoning, case.tools).encode(text, split_markers=split_markers)


def between_code_points(case: Case, tokens: list[int]) -> list[int]:
    """Where a special token may stand: a model that writes one inside a code point broke that code point."""
    texts = [made(case.reasoning, case.tools).vocabulary.piece(token) for token in tokens]
    return [place for place in range(len(texts) + 1) if _is_text(b"".join(texts[:place]))]


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def without(events: Events, *terminals: str) -> Events:
    """`events` without the markup of `terminals`, merged and without token counts."""
    kept = (event for event in events if not (isinstance(event, Markup) and event.terminal in terminals))
    return merge(without_tokens(tuple(kept)))


def cut(events: Events) -> str:
    """What nobody saw."""
    return "".join(event.text for event in events if isinstance(event, Markup) and event.terminal == "cut")


def check(case: Case, random: Random, *, split_markers: bool) -> None:
    machine = machine_of(case, ids=True)
    tokens = tokens_of(case, case.text, split_markers=split_markers)
    by_ids = without_tokens(fold_ids(machine, begin(case, machine, "ids"), [tokens]))
    by_text = fold_text(machine, begin(case, machine, "text"), [case.text])
    assert by_text == by_ids
    for lag in lags(case.text):
        host = Host(made(case.reasoning, case.tools).vocabulary, lag)
        by_both = fold_both(machine, begin(case, machine, "both"), list(host.deltas(tokens, random)))
        assert without_tokens(by_both) == by_ids, f"lag {lag}"


def check_dropped(case: Case, random: Random) -> None:
    """Special tokens between the tokens: absorbed as Markup, whether the host shows them or not."""
    machine = machine_of(case, ids=True)
    tokens = list(tokens_of(case, case.text, split_markers=False))
    for name in SPECIALS:
        tokens.insert(
            random.choice(between_code_points(case, tokens)), made(case.reasoning, case.tools).vocabulary.added[name]
        )
    by_ids = without_tokens(fold_ids(machine, begin(case, machine, "ids"), [tokens]))
    for lag in lags(case.text):
        for drops in (False, True):
            host = Host(made(case.reasoning, case.tools).vocabulary, lag, drops)
            deltas = list(host.deltas(tuple(tokens), random))
            assert without_tokens(fold_both(machine, begin(case, machine, "both"), deltas)) == by_ids, (
                lag,
                drops,
                deltas,
            )


def check_stopped(case: Case, random: Random) -> None:
    """A stop string hides the end: what is visible means what it means as text; the hidden ids are one Markup."""
    machine = machine_of(case, ids=True)
    tokens = tokens_of(case, case.text, split_markers=False)
    for lag in lags(case.text):
        host = Host(made(case.reasoning, case.tools).vocabulary, lag, stop=random.randint(0, len(case.text)))
        if _hides_special(host, tokens):
            continue
        by_both = fold_both(machine, begin(case, machine, "both"), list(host.deltas(tokens, random)))
        by_text = fold_text(machine, begin(case, machine, "text"), [host.text(tokens)])
        assert without(by_both, "cut") == without(by_text, "cut"), host
        assert cut(by_both) == cut(by_text) + case.text[len(host.text(tokens)) :], host
        assert sum(event.tokens for event in by_both) == len(tokens)


def _hides_special(host: Host, tokens: tuple[int, ...]) -> bool:
    """Is the first hidden token a special one? It counts, since a host that leaves special tokens out never shows it."""
    seen = 0
    for token in tokens:
        seen += len(host.vocabulary.piece(token).decode("utf-8", "ignore"))
        if host.stop is not None and seen > host.stop:
            return token in host.vocabulary.special
    return False


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus(case: Case) -> None:
    check(case, Random(case.name), split_markers=False)
    check(case, Random(case.name), split_markers=True)


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_special_tokens(case: Case) -> None:
    for turn in range(len(lags("")) // 2 + 1):
        check_dropped(case, Random(f"{case.name} {turn}"))


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_stop_strings(case: Case) -> None:
    for turn in range(len(lags("")) // 2 + 1):
        check_stopped(case, Random(f"{case.name} {turn}"))


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False), split_markers=st.booleans())
def test_walks(pair: Pair, random: Random, split_markers: bool) -> None:
    case = pair.case(walk(pair.ground, random, 6)[:300])
    check(case, random, split_markers=split_markers)
    check_dropped(case, random)
    check_stopped(case, random)


def test_text_that_could_begin_a_special_token() -> None:
    """The host leaves special tokens out, and what it shows of the next token could have been the special one's beginning."""
    machine = bare("qwen3", "hermes", (), ids=True)
    vocabulary = made("qwen3", "hermes")
    special, less = vocabulary.vocabulary.added["<|endoftext|>"], vocabulary.ids[b"<"]
    deltas = [("</think>", vocabulary.encode("</think>")), ("", (special,)), ("<", (less,))]
    events = fold_both(machine, start(machine, "both", at="reasoning"), deltas)
    ids = fold_ids(machine, start(machine, "ids", at="reasoning"), [ids for _, ids in deltas])
    assert without_tokens(events) == without_tokens(ids)
    assert sum(event.tokens for event in events) == 3


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_ids_alone_are_evidence_enough(case: Case) -> None:
    """Markers that are written with their ids count where ids are the only evidence, be they one token or several. (One that
    is cut has no id, so there it is text.)"""
    if _ends_cut(case):
        return
    machine = machine_of(case, ids=True, marker_evidence="ids")
    tokens = [(token,) for token in made(case.reasoning, case.tools).encode(case.text)]
    assert _said(fold_ids(machine, begin(case, machine, "ids"), tokens)) == _said(
        fold_text(machine_of(case), begin(case, machine_of(case)), [case.text])
    )


def _ends_cut(case: Case) -> bool:
    fmt = machine_of(case).format
    quotes = [region.kind.quote for region in fmt.regions if isinstance(region.kind, Braces)]
    words = [*quotes, *(word for one in fmt.terminals for word in one.spellings)]
    return any(case.text.endswith(word[:size]) for word in words for size in range(1, len(word)))


def _said(events: Events) -> Events:
    return without_tokens(tuple(event for event in merge(events) if not isinstance(event, Markup)))
