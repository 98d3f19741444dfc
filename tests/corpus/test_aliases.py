"""Every name of every format reads a sample of that model's card: `aliases.toml` says which case of the corpus it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Final, get_args

import pytest
from attrs import evolve

from tests.corpus.message import message
from tests.corpus.reader import HERE, Case, cases
from tests.laws.machines import begin, fold_text, machine_of, right
from unbraid.formats.registry import Role, lookup, names

ROLES: Final[tuple[Role, ...]] = get_args(Role)
ROWS: Final[Mapping[str, Mapping[str, str]]] = tomllib.loads((HERE / "aliases.toml").read_text(encoding="utf-8"))
CASES: Final = {case.name: case for case in cases()}


@pytest.mark.parametrize("role", ROLES)
def test_every_name_has_a_row(role: Role) -> None:
    assert sorted(ROWS[role]) == sorted(names(role))


@pytest.mark.parametrize(("role", "name"), [(role, name) for role in ROLES for name in ROWS[role]])
def test_the_name_reads_its_sample(role: Role, name: str) -> None:
    case = CASES[ROWS[role][name]]
    assert "card" in case.source
    own = case.reasoning if role == "reasoning" else case.tools
    assert own is not None
    assert lookup(role, name) == lookup(role, own), "the sample is of another model"
    named = _under(case, role, name)
    machine = machine_of(named)
    assert message(fold_text(machine, begin(named, machine), [named.text])) == case.message
    assert message(fold_text(machine, begin(named, machine), list(named.text))) == case.message


def _under(case: Case, role: Role, name: str) -> Case:
    """The case with `name` for its half, or for both halves if the format is whole."""
    form = right(lookup(role, name))
    whole = form.reasoning and form.tools
    reasoning = name if role == "reasoning" or (whole and case.reasoning is not None) else case.reasoning
    tools = name if role == "tools" or (whole and case.tools is not None) else case.tools
    return evolve(case, reasoning=reasoning, tools=tools)
