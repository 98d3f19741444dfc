"""States written down and read back: every state that the corpus reaches, in every feed; and what is no such state."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from tests.corpus.reader import Case, few_cases
from tests.laws.machines import bare, begin, machine_of, made
from unbraid.core.bind import Machine
from unbraid.core.events import Anomaly, Markup, ToolName
from unbraid.core.machine import finish, start, step
from unbraid.core.records import Argument, InJson, InStep, ParserState, Spot, Trial
from unbraid.shell.snapshot import TAG, VERSION, NoSnapshot, OtherMachine, OtherVersion, from_json, to_json


def reached(case: Case) -> Iterator[tuple[Machine, ParserState]]:
    """Every state of `case`, by code points and by tokens."""
    machine = machine_of(case)
    state = begin(case, machine)
    for point in case.text:
        yield machine, state
        state, _ = step(machine, state, point, ())
    machine = machine_of(case, ids=True)
    ids = made(case.reasoning, case.tools).encode(case.text)
    by_ids, by_both = begin(case, machine, "ids"), begin(case, machine, "both")
    for place, token in enumerate(ids):
        yield machine, by_ids
        yield machine, by_both
        by_ids, _ = step(machine, by_ids, None, (token,))
        text = made(case.reasoning, case.tools).decode(ids[place - 3 : place - 2]) if place >= 3 else ""
        by_both, _ = step(machine, by_both, text, (token,))
    yield machine, finish(machine, by_ids)[0]


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_round_trip(case: Case) -> None:
    last: ParserState | None = None
    for machine, state in reached(case):
        if state is not last:
            text = to_json(machine, state)
            assert text.isascii()
            assert from_json(machine, text).unwrap() == state
        last = state


def test_what_text_cannot_hold() -> None:
    """Two halves of a pair, which JSON would read as one code point."""
    machine = bare(None, "hermes", None, ids=False)
    late = ((Markup("syntax", "\ud83d\ude00", 2), ToolName(0, "n", "id")), (Anomaly("desync"),))
    plain = start(machine)
    assert isinstance(plain, InStep)
    trial = Trial("opening", "call", 3, Spot(plain.at, 0, None, False), ("a", "b"), ((1,), ()), late)
    state = evolve(plain, at=InJson("call", Argument(echo="\udc00")), trial=trial, hold="\ud800\udc00")
    assert from_json(machine, to_json(machine, state)).unwrap() == state


def test_a_restored_state_goes_on_alike() -> None:
    machine = bare("qwen3", "hermes", None, ids=False)
    state, _ = step(machine, start(machine), 'x</think>\n<tool_call>{"name": "f", "argu', ())
    restored = from_json(machine, to_json(machine, state)).unwrap()
    rest = 'ments": {}}</tool_call>'
    assert step(machine, restored, rest, ()) == step(machine, state, rest, ())


def written() -> tuple[Machine, dict[str, Any]]:
    machine = bare("qwen3", "hermes", None, ids=False)
    state, _ = step(machine, start(machine), "x</think>\n\n<tool_call>", ())
    found: dict[str, Any] = json.loads(to_json(machine, state))
    return machine, found


def test_another_machine() -> None:
    machine, found = written()
    other = bare("qwen3", "hermes", (), ids=False)
    failure = from_json(other, json.dumps(found)).failure()
    assert failure == OtherMachine(machine.fingerprint, other.fingerprint)
    assert machine.fingerprint in failure.describe()


def test_another_version() -> None:
    machine, found = written()
    failure = from_json(machine, json.dumps({**found, "unbraid": VERSION + 1})).failure()
    assert failure == OtherVersion(VERSION + 1)
    assert failure.describe() == f"the snapshot has version {VERSION + 1}, this library reads version {VERSION}"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", "[" * 100_000, '"x"'])
def test_no_snapshot(text: str) -> None:
    machine, _ = written()
    failure = from_json(machine, text).failure()
    assert isinstance(failure, NoSnapshot)
    assert failure.describe().startswith("this is no snapshot: ")


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("an unknown field", {"more": 1}),
    ("text for a number", {"calls": "3"}),
    ("a truth value for a number", {"calls": True}),
    ("a number for a truth value", {"thinking": 0}),
    ("an unknown record", {"at": {TAG: "Nowhere"}}),
    ("a record without its name", {"at": {"region": "content"}}),
    ("no record", {"at": None}),
    ("a number for an array", {"marks": 3}),
    ("text in an array of numbers", {"marks": ["1"]}),
    ("code points that are none", {"hold": [-1]}),
    ("an incomplete record", {"trial": {"kind": "opening"}}),
]


@pytest.mark.parametrize(("name", "change"), CHANGES, ids=[name for name, _ in CHANGES])
def test_malformed(name: str, change: dict[str, Any]) -> None:
    machine, found = written()
    found["state"].update(change)
    failure = from_json(machine, json.dumps(found)).failure()
    assert isinstance(failure, NoSnapshot)
    assert next(iter(change)) in failure.describe()


@pytest.mark.parametrize(
    ("old", "new"), [('"where": "name"', '"where": "zz"'), ('"region": "content"', '"region": "nope"')]
)
def test_words_that_no_state_has(old: str, new: str) -> None:
    machine = bare(None, "hermes", None, ids=False)
    state, _ = step(machine, start(machine), 'a<tool_call>\n{"name": "', ())
    text = json.dumps(json.loads(to_json(machine, state)))
    assert old in text
    failure = from_json(machine, text.replace(old, new)).failure()
    assert isinstance(failure, NoSnapshot)
    assert "no state of this machine" in failure.describe()


@pytest.mark.parametrize("gone", ["at", "feed"])
def test_missing(gone: str) -> None:
    machine, found = written()
    del found["state"][gone]
    assert isinstance(from_json(machine, json.dumps(found)).failure(), NoSnapshot)


_PRINTS = """
from unbraid import bind, with_tools
word = {"anyOf": [{"type": "integer"}, {"type": "null"}, {"type": "boolean"}]}
tools = [{"name": "f", "parameters": {"properties": {"a": word}}}]
print(with_tools(bind("qwen3", "qwen3_coder").unwrap(), tools).unwrap().fingerprint)
"""


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    """Sets have another order in another process."""
    prints = {
        subprocess.run(
            [sys.executable, "-c", _PRINTS],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(prints) == 1
