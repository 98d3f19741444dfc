"""Law 6 with a real tokenizer: a host whose text comes late, cut inside markers, without its special tokens, or ended by a
stop string. Needs the Qwen3 vocabulary (see `tests.vocabularies`); markers that it lacks stand beside it as added tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any, Final

import pytest

from tests.corpus.reader import Case, few_cases
from tests.laws.effort import EFFORT, some
from tests.laws.hosts import Host
from tests.laws.inputs import name_of
from tests.laws.machines import begin, chosen, composed, fold_both, fold_ids, fold_text, right, without_tokens
from tests.laws.round_trip.coder import Coder, coder
from tests.laws.test_views import cut, without
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.grammar import Policies

SPECIALS: Final = ("<|im_start|>", "<|endoftext|>")
LAGS: Final = tuple(range(65))
CASES: Final = few_cases(2)


@cache
def real(reasoning: str | None, tools: str | None) -> Coder:
    fmt = composed(reasoning, tools)
    dedicated = [word for one in fmt.terminals if one.dedicated for word in one.spellings]
    return coder("qwen3", dedicated, (*SPECIALS, *fmt.specials))


def machine_of(case: Case) -> Machine:
    fmt, words = chosen(case.reasoning, case.tools, case.kwargs), dict[str, Any](case.policies)
    bound = bind(fmt, real(case.reasoning, case.tools).vocabulary, Policies(**words), case.kwargs)
    return right(with_tools(right(bound), case.offered))


def tokens_of(case: Case) -> tuple[int, ...]:
    return real(case.reasoning, case.tools).encode(case.text)


def lags(case: Case) -> list[int]:
    return some(LAGS, None if EFFORT.lags is None else 4 * EFFORT.lags, case.name)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_late_and_cut_anywhere(case: Case) -> None:
    machine, tokens = machine_of(case), tokens_of(case)
    whole = without_tokens(fold_ids(machine, begin(case, machine, "ids"), [tokens]))
    assert whole == fold_text(machine, begin(case, machine, "text"), [case.text])
    for lag in lags(case):
        deltas = list(Host(real(case.reasoning, case.tools).vocabulary, lag).deltas(tokens, Random(lag)))
        assert without_tokens(fold_both(machine, begin(case, machine, "both"), deltas)) == whole, (lag, deltas)


def with_specials(case: Case, random: Random) -> tuple[int, ...]:
    """The tokens with a special one between two code points, behind anything."""
    vocabulary = real(case.reasoning, case.tools).vocabulary
    tokens = list(tokens_of(case))
    places = [place for place, _ in enumerate((*tokens, None)) if _is_text(vocabulary.piece, tokens[:place])]
    for name in SPECIALS:
        tokens.insert(random.choice(places), vocabulary.added[name])
        places = [place for place in places if _is_text(vocabulary.piece, tokens[:place])]
    return tuple(tokens)


def _is_text(piece: object, tokens: list[int]) -> bool:
    assert callable(piece)
    try:
        b"".join(map(piece, tokens)).decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_special_tokens_that_the_host_leaves_out(case: Case) -> None:
    machine, random = machine_of(case), Random(case.name)
    tokens = with_specials(case, random)
    whole = without_tokens(fold_ids(machine, begin(case, machine, "ids"), [tokens]))
    for lag in lags(case):
        host = Host(real(case.reasoning, case.tools).vocabulary, lag, drops=True)
        deltas = list(host.deltas(tokens, random))
        assert without_tokens(fold_both(machine, begin(case, machine, "both"), deltas)) == whole, (lag, deltas)


def stops(case: Case, random: Random) -> Iterator[int]:
    """Where a stop string may end what the host shows: anywhere but inside a special token, whose id says it all."""
    vocabulary = real(case.reasoning, case.tools).vocabulary
    tokens = tokens_of(case)
    ends = accumulate(len(vocabulary.piece(token).decode("utf-8", "ignore")) for token in tokens)
    hidden = {
        place
        for token, end in zip(tokens, ends, strict=True)
        if token in vocabulary.special
        for place in range(end - len(vocabulary.piece(token)), end)
    }
    yield from (place for place in random.sample(range(len(case.text) + 1), len(case.text) + 1) if place not in hidden)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_ended_by_a_stop_string(case: Case) -> None:
    """What is visible means what it means as text; the hidden ids are one Markup."""
    machine, tokens, random = machine_of(case), tokens_of(case), Random(case.name)
    for lag, stop in zip(lags(case), stops(case, random), strict=False):
        host = Host(real(case.reasoning, case.tools).vocabulary, lag, stop=stop)
        by_both = fold_both(machine, begin(case, machine, "both"), list(host.deltas(tokens, random)))
        by_text = fold_text(machine, begin(case, machine, "text"), [host.text(tokens)])
        assert without(by_both, "cut") == without(by_text, "cut"), host.stop
        assert cut(by_both) == cut(by_text) + case.text[stop:], host.stop
        assert sum(event.tokens for event in by_both) == len(tokens)
