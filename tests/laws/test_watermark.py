"""Law 7. The concatenation of ArgumentsChunk is at every moment a prefix of the final text; of a complete call it is JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import begin, machine_of
from tests.laws.walks import walk
from unbraid.core.events import ArgumentsChunk, Event, ToolCallEnd
from unbraid.core.machine import finish, step


class Arguments:
    """The arguments of each call so far."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.ends: dict[int, bool] = {}

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case ArgumentsChunk(index=index, json=piece):
                    assert index not in self.ends, "arguments after the end of their call"
                    self.texts[index] = self.texts.get(index, "") + piece
                case ToolCallEnd(index=index, complete=complete):
                    self.ends[index] = complete
                case _:
                    pass


def check(case: Case) -> None:
    machine = machine_of(case)
    state = begin(case, machine)
    seen = Arguments()
    moments: list[dict[int, str]] = []
    for point in case.text:
        state, events = step(machine, state, point, ())
        seen.add(events)
        moments.append(dict(seen.texts))
    seen.add(finish(machine, state)[1])
    for moment in moments:
        assert all(seen.texts[index].startswith(text) for index, text in moment.items())
    for index, complete in seen.ends.items():
        assert not complete or _is_json(seen.texts.get(index, "")), seen.texts.get(index, "")
        assert complete or not _is_closed(seen.texts.get(index, "")), "valid and whole, but called incomplete"


def _is_json(text: str) -> bool:
    """Strict: no NaN, no Infinity."""
    try:
        json.loads(text, parse_constant=_refused, parse_int=str, parse_float=str)
    except (ValueError, RecursionError) as error:
        return isinstance(error, RecursionError)
    return True


def _is_closed(text: str) -> bool:
    return text[-1:] in {"}", "]", '"'} and text[:1] in {"{", "["} and _is_json(text)


def _refused(word: str) -> object:
    raise ValueError(word)


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks(pair: Pair, random: Random) -> None:
    check(pair.case(walk(pair.ground, random, 10)))
