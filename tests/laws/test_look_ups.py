"""What is looked up, and what is taken without the cursor, is what the cursor gives: state and events, whatever was read before.

The cursor alone (`reading.read`) is the definition. Everything faster must agree with it at every step, in a machine that has
read much and in one that has read little. (Inside of a block the law of splits says the same.)
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.laws.effort import EFFORT
from tests.laws.inputs import Pair, walked
from tests.laws.machines import bare, made
from tests.laws.walks import walk
from unbraid.core.bind import Machine
from unbraid.core.events import Events
from unbraid.core.feeds import arriving
from unbraid.core.machine import Delta, start, step
from unbraid.core.reading import read
from unbraid.core.records import InStep, ParserState, Tentative
from unbraid.core.tentative import whole

LENGTHS = (1, 3, 9, 27)


def by_cursor(machine: Machine, state: InStep, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    feed, arrived, marks = arriving(machine, state.feed, ids) if text is None else (state.feed, text, [])
    after, events = read(machine, state, feed, arrived, marks)
    return plainly(after), events


def plainly(state: ParserState) -> ParserState:
    """A state in a block with all that was read of it, as the cursor keeps it."""
    return whole(state) if isinstance(state, Tentative) else state


def cut(text: str, random: Random) -> Iterator[str]:
    """In pieces of one size or another."""
    most, place = random.choice(LENGTHS), 0
    while place < len(text):
        size = random.randint(1, most)
        yield text[place : place + size]
        place += size


def texts(pair: Pair, random: Random) -> Iterator[str]:
    """Walks over the table; every other one is short, so that states are met again."""
    for count in range(EFFORT.examples):
        yield walk(pair.ground, random, 4 if count % 2 else 12)


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_steps_by_text(pair: Pair) -> None:
    machine, random = bare(pair.reasoning, pair.tools, None, ids=False), Random(str(pair))
    for text in texts(pair, random):
        check(machine, start(machine), [(piece, ()) for piece in cut(text, random)])


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_steps_by_ids(pair: Pair) -> None:
    machine, random = bare(pair.reasoning, pair.tools, None, ids=True), Random(str(pair))
    vocabulary = made(pair.reasoning, pair.tools)
    for text in texts(pair, random):
        tokens = [token for piece in cut(text, random) for token in vocabulary.encode(piece)]
        check(machine, start(machine, "ids"), [(None, (token,)) for token in tokens])


def check(machine: Machine, state: ParserState, deltas: list[Delta]) -> None:
    """Every step of them."""
    for text, ids in deltas:
        after, events = step(machine, state, text, ids)
        if isinstance(state, InStep):
            assert (plainly(after), events) == by_cursor(machine, state, text, ids), (state, text, ids)
        state = after
