"""Law 5. Stepping from an old state gives what a fresh fold gives, whatever was stepped in between.

One stream is forked at every token into branches; they are stepped in a random order, interleaved. A state is a value:
equal states are equal and hash equal, and `repr` works.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.effort import EFFORT, some
from tests.laws.hosts import Delta
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import begin, composed, fold_ids, machine_of, made
from tests.laws.walks import walk
from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode
from unbraid.core.events import Event, Events, merge
from unbraid.core.machine import finish, step
from unbraid.core.records import ParserState


class Branch:
    """A stream that went another way after `taken` tokens."""

    def __init__(self, state: ParserState, events: list[Event], tokens: tuple[int, ...], taken: int) -> None:
        self.state, self.events, self.tokens, self.place = state, list(events), tokens, taken

    def go(self, machine: Machine) -> bool:
        """One token further; False at the end."""
        if self.place == len(self.tokens):
            return False
        self.state, new = step(machine, self.state, None, self.tokens[self.place : self.place + 1])
        self.events.extend(new)
        self.place += 1
        return True


def check(case: Case, random: Random) -> None:
    machine = machine_of(case, ids=True)
    tokens = made(case.reasoning, case.tools).encode(case.text, split_markers=random.random() < 0.5)
    fresh = begin(case, machine, "ids")
    each = max(1, EFFORT.forks // max(1, len(tokens)))
    forks = _branches(machine, fresh, tokens, random, each)
    step_all(machine, fresh, random.sample(forks, min(len(forks), EFFORT.forks)), random)


def step_all(machine: Machine, fresh: ParserState, branches: list[Branch], random: Random) -> None:
    """Step the branches in a random order to their ends; each must equal its fresh fold."""
    live = list(branches)
    while live:
        branch = random.choice(live)
        if not branch.go(machine):
            live.remove(branch)
    for branch in branches:
        events = merge((*branch.events, *finish(machine, branch.state)[1]))
        assert events == fold_ids(machine, fresh, [(token,) for token in branch.tokens])


def _branches(machine: Machine, fresh: ParserState, tokens: tuple[int, ...], random: Random, each: int) -> list[Branch]:
    """`each` forks of one stream at every token; each continues with a part of the stream in another place."""
    stem = Branch(fresh, [], tokens, 0)
    forks: list[Branch] = []
    while stem.go(machine):
        for _ in range(each):
            turn = random.randrange(len(tokens))
            way = tokens[: stem.place] + tokens[turn : turn + 12]
            forks.append(Branch(stem.state, stem.events, way, stem.place))
    return forks


@pytest.mark.parametrize("name", ["qwen3_coder", "hermes", "harmony"])
def test_fifty_ways_at_every_token(name: str) -> None:
    """Nothing is sampled: fifty branches leave one stream at each of its tokens."""
    case = max((case for case in law_cases() if case.name.startswith(f"{name}/")), key=lambda case: len(case.text))
    machine, random = machine_of(case, ids=True), Random(name)
    tokens = made(case.reasoning, case.tools).encode(case.text)[:80]
    fresh = begin(case, machine, "ids")
    branches = _branches(machine, fresh, tokens, random, each=50)
    assert len(branches) == 50 * len(tokens)
    step_all(machine, fresh, branches, random)


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus(case: Case) -> None:
    check(case, Random(case.name))


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks(pair: Pair, random: Random) -> None:
    check(pair.case(walk(pair.ground, random, 5)[:150]), random)


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_states_are_values(case: Case) -> None:
    machine = machine_of(case)
    left = right = begin(case, machine)
    for point in case.text:
        left, _ = step(machine, left, point, ())
        right, _ = step(machine, right, point, ())
        assert left == right
        assert hash(left) == hash(right)
        assert repr(left) == repr(right)
        assert step(machine, left, "", ())[0] == left


@pytest.mark.parametrize("pair", walked(), ids=str)
def test_deep_states_are_values(pair: Pair) -> None:
    """Neither deep nesting nor long values make `==`, `hash` or `repr` fail."""
    for opener in some(_openings(pair), EFFORT.floods and 4, str(pair)):
        for rest in ("[" * 20_000, '{"a":' * 20_000, "x" * 100_000):
            case = pair.case(opener + rest)
            state, again = (_state_after(case, 997) for _ in range(2))
            assert state == again
            assert hash(state) == hash(again)
            assert repr(state)


def _state_after(case: Case, size: int) -> ParserState:
    machine = machine_of(case)
    state = begin(case, machine)
    for place in range(0, len(case.text), size):
        state, _ = step(machine, state, case.text[place : place + size], ())
    return state


def _openings(pair: Pair) -> list[str]:
    """The texts of corpus cases up to an argument value, and an opener alone."""
    texts = [
        case.text
        for case in law_cases()
        if (case.reasoning, case.tools) == (pair.reasoning, pair.tools) and case.message.calls
    ]
    openers = [terminal.spellings[0] for terminal in composed(pair.reasoning, pair.tools).terminals]
    return ["", *(text[: len(text) * 2 // 3] for text in texts[:3]), *openers]


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_steps_do_not_depend_on_what_was_read_before(case: Case) -> None:
    """A machine that has read a lot and a new one go the same way, state by state, wherever the host's text lies."""
    known = machine_of(case, ids=True)
    tokens = made(case.reasoning, case.tools).encode(case.text + " \u0142: \u0142\u0142 \U0001f600!")
    texts = _texts(case, tokens)
    for late in (0, 1, 2):
        _walk(known, begin(case, known, "both"), _late(texts, tokens, late))
    for late in (0, 1, 2):
        new = renewed(known)
        deltas = _late(texts, tokens, late)
        assert _walk(new, begin(case, new, "both"), deltas) == _walk(known, begin(case, known, "both"), deltas)


def _texts(case: Case, tokens: tuple[int, ...]) -> list[str]:
    """What a host shows with each token."""
    pending, texts = b"", []
    for token in tokens:
        text, pending, _ = decode(pending, made(case.reasoning, case.tools).vocabulary.piece(token))
        texts.append(text)
    return texts


def _late(texts: list[str], tokens: tuple[int, ...], late: int) -> list[Delta]:
    ids: list[tuple[int, ...]] = [*((token,) for token in tokens), *[()] * late]
    return list(zip([*[""] * late, *texts], ids, strict=True))


def _walk(machine: Machine, state: ParserState, deltas: list[Delta]) -> list[tuple[ParserState, Events]]:
    passed = []
    for text, ids in deltas:
        state, events = step(machine, state, text, ids)
        passed.append((state, events))
    return passed


def renewed(machine: Machine) -> Machine:
    """The same machine, that has read nothing yet."""
    known = machine.bound
    return Machine(
        known,
        machine.tools,
        machine.text_table,
        machine.ids_table,
        machine.fingerprint,
        machine.texts,
        machine.unknown_is_text,
    )
