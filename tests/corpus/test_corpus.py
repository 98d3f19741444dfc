"""Every case of the corpus means what it says, as text and as ids."""

from __future__ import annotations

import pytest

from tests.corpus.message import ill_formed, message
from tests.corpus.reader import Case, cases
from tests.laws.inputs import name_of
from tests.laws.machines import begin, fold_ids, fold_text, machine_of, made


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_text(case: Case) -> None:
    machine = machine_of(case)
    events = fold_text(machine, begin(case, machine), [case.text])
    assert message(events) == case.message
    assert not ill_formed(events)


@pytest.mark.parametrize("split_markers", [False, True], ids=["dedicated", "spelled"])
@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_ids(case: Case, split_markers: bool) -> None:
    machine = machine_of(case, ids=True)
    tokens = made(case.reasoning, case.tools).encode(case.text, split_markers=split_markers)
    assert message(fold_ids(machine, begin(case, machine, "ids"), [tokens])) == case.message
