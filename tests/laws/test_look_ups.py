"""What is looked up, and what is taken without the cursor, is what the cursor gives: state and events, whatever was read before.

The cursor alone (`reading.read`) is the definition. Everything faster must agree with it at every step, in a machine that has
read much and in one that has read little. (Inside of a block the law of splits says the same.)
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.corpus.reader import law_cases
from tests.laws.effort import EFFORT
from tests.laws.inputs import Pair, walked
from tests.laws.machines import bare, made
from tests.laws.walks import walk
from unbraid.core.bind import Machine
from unbraid.core.events import Events
from unbraid.core.feeds import arriving
from unbraid.core.machine import FEW, Delta, fold, start, step
from unbraid.core.reading import read
from unbraid.core.records import InStep, ParserState, Tentative
from unbraid.core.tentative import RECENT, whole

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


@pytest.mark.parametrize("size", [2, 3, 5, 16])
def test_several_ids_in_a_block(size: int) -> None:
    """Known together or one by one, in the same state: what is recent does not tell them apart."""
    machine = bare("k2_horizon", "k2_horizon", None, ids=True)
    case = next(one for one in law_cases() if one.name == "k2_horizon/calls/group")
    tokens = made("k2_horizon", "k2_horizon").encode(case.text)
    inside = 0
    for _ in range(2):
        state = start(machine, "ids", at="content")
        for place in range(len(tokens) - size):
            one_by_one, _ = fold(machine, state, [(None, (token,)) for token in tokens[place : place + size]])
            together, _ = step(machine, state, None, tokens[place : place + size])
            assert together == one_by_one
            state, _ = step(machine, state, None, tokens[place : place + 1])
            inside += isinstance(state, Tentative) and len(state.recent) > RECENT - size
    assert inside, "past what is recent"


def test_several_plain_ids_where_steps_are_not_kept() -> None:
    machine, encode = bare("qwen3", "qwen3_coder", None, ids=True), made("qwen3", "qwen3_coder").encode
    many = "".join(f"<parameter={key}>\n1\n</parameter>\n" for key in "abcdefghijklmnopqr")
    text = f"<tool_call>\n<function=f>\n{many}<parameter=z>\n"
    state, _ = fold(machine, start(machine, "ids", at="content"), [(None, (token,)) for token in encode(text)])
    state, _ = step(machine, state, None, encode("word, word, "))
    ids = encode("word, ") * 12
    assert state.steps is None
    for token in ids[:6]:
        step(machine, state, None, (token,))
    assert len(step(machine, state, None, ids)[1]) == len(ids) > FEW


def check(machine: Machine, state: ParserState, deltas: list[Delta]) -> None:
    """Every step of them."""
    for text, ids in deltas:
        after, events = step(machine, state, text, ids)
        if isinstance(state, InStep):
            assert (plainly(after), events) == by_cursor(machine, state, text, ids), (state, text, ids)
        state = after
