"""Law 3. Events of steps over p, merged, are a prefix of those over p + q; the last chunk may be one of its counterpart."""

from __future__ import annotations

from random import Random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.effort import EFFORT, some
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import begin, machine_of, made
from tests.laws.walks import walk
from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, Markup, ReasoningChunk, merge
from unbraid.core.machine import step


def is_prefix(less: Events, more: Events) -> bool:
    """Whether `less` may grow into `more`; both merged.

    >>> is_prefix((ContentChunk("a", 1),), (ContentChunk("ab", 2), ReasoningChunk("x", 1)))
    True
    >>> is_prefix((ContentChunk("a", 1),), (ContentChunk("b", 1),))
    False
    """
    if not less:
        return True
    *settled, last = less
    return tuple(settled) == more[: len(settled)] and len(more) >= len(less) and _grows(last, more[len(settled)])


def _grows(part: Event, whole: Event) -> bool:
    if part == whole:
        return True
    if part.points > whole.points or part.tokens > whole.tokens:
        return False
    match part, whole:
        case (ContentChunk(text=a), ContentChunk(text=b)) | (ReasoningChunk(text=a), ReasoningChunk(text=b)):
            return b.startswith(a)
        case Markup(text=a), Markup(text=b):
            return b.startswith(a) and evolve(part, text=b, points=whole.points, tokens=whole.tokens) == whole
        case ArgumentsChunk(index=i, json=a), ArgumentsChunk(index=j, json=b):
            return i == j and b.startswith(a)
        case _:
            return False


def check(case: Case) -> None:
    machine = machine_of(case)
    state = begin(case, machine)
    whole = merge(step(machine, state, case.text, ())[1])
    for place in some(range(len(case.text) + 1), EFFORT.prefixes, case.text):
        assert is_prefix(merge(step(machine, state, case.text[:place], ())[1]), whole), place


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus_as_ids(case: Case) -> None:
    machine = machine_of(case, ids=True)
    state = begin(case, machine, "ids")
    tokens = made(case.reasoning, case.tools).encode(case.text)
    whole = merge(step(machine, state, None, tokens)[1])
    for place in some(range(len(tokens) + 1), EFFORT.prefixes, case.text):
        assert is_prefix(merge(step(machine, state, None, tokens[:place])[1]), whole), place


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks(pair: Pair, random: Random) -> None:
    check(pair.case(walk(pair.ground, random, 6)[:300]))
