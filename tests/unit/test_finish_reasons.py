"""The table of finish reasons."""

import pytest

from unbraid.shell.finish_reasons import EngineReason, FinishReason, finish_reason

ROWS: list[tuple[EngineReason, int, bool, FinishReason]] = [
    ("stop", 0, False, "stop"),
    ("stop", 0, True, "stop"),
    ("stop", 1, False, "tool_calls"),
    ("stop", 2, True, "stop"),
    ("length", 0, False, "length"),
    ("length", 1, False, "length"),
    ("length", 1, True, "length"),
]


@pytest.mark.parametrize(("engine", "calls", "named", "expected"), ROWS)
def test_row(engine: EngineReason, calls: int, named: bool, expected: FinishReason) -> None:
    assert finish_reason(engine, calls, named=named) == expected
