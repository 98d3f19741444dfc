"""Work does not grow: steps, lengths built and code points searched for one turn in every format, as recorded.

A faster machine shows nothing here and a slower one neither; see `tests.bench.steps`, which also updates the record.
"""

import pytest

from tests.bench.steps import counted, name_of, recorded, regressions, written
from tests.bench.subjects import pairs

UPDATE = "run `python -m tests.bench.steps --update` and look at the difference"


@pytest.mark.parametrize(("reasoning", "tools"), pairs(), ids=str)
def test_no_more_work_than_recorded(reasoning: str | None, tools: str | None) -> None:
    name = name_of(reasoning, tools)
    assert name in recorded(), f"{name} is not in steps.toml: {UPDATE}"
    found = [*regressions(recorded()[name], counted(reasoning, tools))]
    assert found == [], f"{name} takes more work: {UPDATE}"


def test_the_count_is_repeatable() -> None:
    assert counted("qwen3", "hermes") == counted("qwen3", "hermes")


def test_a_regression_shows() -> None:
    before = counted("qwen3", "hermes")
    after = {name: (steps + max(40, steps // 2), built, scanned) for name, (steps, built, scanned) in before.items()}
    assert [line.partition(":")[0] for line in regressions(before, after)] == list(before)
    assert [*regressions(before, before)] == []


def test_the_file_is_what_is_written() -> None:
    assert written({"a+b": {"ids first": (1, 2, 3)}}).endswith('["a+b"]\n"ids first" = [1, 2, 3]\n')
