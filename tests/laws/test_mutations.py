"""The mutations still apply to the core; whether the laws notice them is `python -m tests.laws.mutate` (run in CI)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.mutate import ROOT, Mutation, applies, mutations


@pytest.mark.parametrize("mutation", list(mutations()), ids=lambda mutation: mutation.name)
def test_applies(mutation: Mutation) -> None:
    assert applies(mutation, ROOT, check=True), "rewrite the patch for the present core"
    assert Path(__file__).with_name(f"test_{mutation.law}.py").is_file()


def test_there_are_enough() -> None:
    assert len(list(mutations())) >= 8
