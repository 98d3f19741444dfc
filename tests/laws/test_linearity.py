"""Law 8. Any input: no exception, work linear in its length with copies counted, no recursion on its depth, bounded state.

Work is counted in a second build of the core (`counted`): steps, lengths of what is built, code points that searches look
at. It is a number, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import law_cases
from tests.laws.counted import install
from tests.laws.effort import EFFORT, some
from tests.laws.inputs import OFFERED, Pair, walked
from tests.laws.machines import begin, inside, machine_of
from tests.laws.walks import walk
from unbraid.core.machine import finish, step
from unbraid.core.records import InValue, Undecided

WORK: Final = install()
LETTERS: Final = ("<", "\n", " ", "x", "é", "\\", '"', "[", '{"a":', "[]", '\\"', "\x01", "1", "a b")
PER_POINT: Final = 100.0
"""Most work per code point of any input, beside `PER_DELTA` per delta."""

PER_DELTA: Final = 1000.0


@cache
def counted_bound(pair: Pair) -> Any:
    """The bound format of a composition in the counting build; its types are another build's, so they are `Any` here."""
    from counted.core.bind import bind  # type: ignore[import-not-found]
    from counted.core.compose import compose  # type: ignore[import-not-found]
    from counted.formats.registry import lookup  # type: ignore[import-not-found]

    first = None if pair.reasoning is None else lookup("reasoning", pair.reasoning).unwrap()
    second = None if pair.tools is None else lookup("tools", pair.tools).unwrap()
    return bind(compose(first, second).unwrap()).unwrap()


def work(pair: Pair, text: str, size: int) -> int:
    """The work of `text` in deltas of `size` code points, on a machine that has not read anything before."""
    from counted.core.bind import with_tools
    from counted.core.machine import finish, start, step  # type: ignore[import-not-found]

    machine = with_tools(counted_bound(pair), OFFERED).unwrap()
    WORK.reset()
    state = start(machine)
    for place in range(0, len(text), size):
        state, _ = step(machine, state, text[place : place + size], ())
    finish(machine, state)
    return WORK.total


def patterns(pair: Pair) -> list[tuple[str, str]]:
    """(beginning, repeated): marker floods, cut markers, nested and long values, behind each beginning of a corpus call."""
    spellings = [word for one in pair.ground.fmt.terminals for word in one.spellings]
    broken = [word[:-1] for word in spellings if len(word) > 1]
    repeated = list(dict.fromkeys([*spellings, *broken, *LETTERS]))
    behind = [(beginning, one) for beginning in _beginnings(pair) for one in repeated]
    return [*(("", one) for one in spellings[:6]), *some(behind, EFFORT.floods, str(pair))]


def _beginnings(pair: Pair) -> list[str]:
    texts = [
        case.text
        for case in law_cases()
        if (case.reasoning, case.tools) == (pair.reasoning, pair.tools) and case.message.calls
    ]
    openers = [one.spellings[0] for one in pair.ground.fmt.terminals]
    cut = [text[: len(text) * part // 4] for text in texts[:4] for part in (2, 3)]
    return list(dict.fromkeys(["", "x", *openers, *cut]))


@pytest.mark.parametrize(("size", "points"), [(1, 700), (7, 900), (10**9, 1500)], ids=["points", "sevens", "whole"])
@pytest.mark.parametrize("pair", walked(), ids=str)
def test_work_is_linear(pair: Pair, size: int, points: int) -> None:
    """Twice the input, at most 2.6 times the work: 2 is linear, 4 quadratic."""
    for beginning, repeated in patterns(pair):
        half, whole = (beginning + repeated * (factor * points // len(repeated)) for factor in (1, 2))
        work(pair, half, size)  # fills the tables of this region
        less, more = work(pair, half, size), work(pair, whole, size)
        assert more <= 2.6 * less + 3000, (beginning, repeated, less, more)
        assert more <= PER_POINT * len(whole) + PER_DELTA * -(-len(whole) // size) + 20_000, (beginning, repeated, more)


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_work_in_a_value_that_is_kept_is_linear(pair: Pair) -> None:
    """A value that is no string waits as a whole; markers that turn out to be data must not make it be read again."""
    words = [word for one in pair.ground.fmt.terminals for word in one.spellings]
    for beginning, word in product(_kept_values(pair), words):
        for size in (1, 10**9):
            work(pair, beginning + word * 8, size)
            less, more = (work(pair, beginning + word * count, size) for count in (60, 120))
            assert more <= 2.6 * less + 3000, (beginning, word, size, less, more)


def _kept_values(pair: Pair) -> list[str]:
    """A text of the corpus up to an argument value that waits for its end, and one up to a JSON string in such a value."""
    found: dict[bool, str] = {}
    for text in [case.text for case in law_cases() if case.tools == pair.tools and not case.policies]:
        case = pair.case(text)
        machine = machine_of(case)
        state = inside(begin(case, machine))
        for place, point in enumerate(text if len(found) < 2 else ""):
            at = state.at
            if isinstance(at, InValue) and isinstance(at.shape, Undecided) and at.shape.raw:
                found.setdefault('{"' in "".join(at.shape.raw), text[:place])
            state = inside(step(machine, state, point, ())[0])
    return list(found.values())


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_anything_is_read(pair: Pair, random: Random) -> None:
    """No exception: law 2 asks the same of ids."""
    case = pair.case(walk(pair.ground, random, 20) + random.choice(("", "\ud800", "\udfff\ud800", "\U0010ffff")))
    machine = machine_of(case)
    state, _ = step(machine, begin(case, machine), case.text, ())
    assert sum(
        event.points for event in (*step(machine, begin(case, machine), case.text, ())[1], *finish(machine, state)[1])
    ) == len(case.text)


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_deep_and_long_inputs(pair: Pair) -> None:
    for beginning in some(_beginnings(pair), EFFORT.floods and 5, "deep"):
        for rest in ("[" * 100_000, '{"a":' * 50_000, "x" * 1_000_000, '"' * 100_001, "\\" * 100_001):
            case = pair.case(beginning + rest)
            machine = machine_of(case)
            state, events = step(machine, begin(case, machine), case.text, ())
            _, last = finish(machine, state)
            assert sum(event.points for event in (*events, *last)) == len(case.text)


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_states_are_bounded(pair: Pair) -> None:
    """But for the named exceptions: a block, an undecided value, an object whose name was not read yet."""
    for beginning, rest in _streams(pair):
        case = pair.case(beginning + rest * 40)
        machine = machine_of(case)
        state = begin(case, machine)
        sizes = []
        for place in range(0, len(case.text), 50):
            state, _ = step(machine, state, case.text[place : place + 50], ())
            sizes.append(len(repr(state)))
        assert max(sizes[len(sizes) // 2 :]) < 4096 or _may_grow(repr(state)), (beginning, rest)


def _streams(pair: Pair) -> Sequence[tuple[str, str]]:
    return [
        (beginning, rest)
        for beginning in some(_beginnings(pair), EFFORT.floods and 6, "streams")
        for rest in ("word " * 50, "\n" * 250, "<" * 250, "</" * 125)
    ]


def _may_grow(state: str) -> bool:
    undecided = "at=InEnvelope(" in state and "trial=Trial(" in state
    return undecided or any(word in state for word in ("kind='block'", "Undecided(", "late=("))
