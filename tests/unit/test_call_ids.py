"""Ids by scheme."""

import re

import pytest

from unbraid.core.events import ToolName
from unbraid.core.grammar import Ids
from unbraid.shell.call_ids import call_ids

HOST = r"call_[0-9a-f]{24}"


@pytest.mark.parametrize(
    ("ids", "history", "call", "expected"),
    [
        (Ids(), 0, ToolName(0, "now"), HOST),
        (Ids(), 0, ToolName(0, "now", "mine"), HOST),
        (Ids("model"), 0, ToolName(0, "now", "mine"), "mine"),
        (Ids("model"), 0, ToolName(0, "now"), HOST),
        (Ids("model"), 0, ToolName(0, "now", ""), HOST),
        (Ids("pattern", "functions.{name}:{n}"), 3, ToolName(1, "now"), r"functions\.now:4"),
        (Ids("pattern", "functions.{name}:{n}"), 3, ToolName(1, "now", "functions.now:9"), r"functions\.now:9"),
        (Ids("pattern", "{name}"), 0, ToolName(0, "{n}{alnum9}"), r"\{n\}\{alnum9\}"),
        (Ids("pattern", "{alnum9}"), 0, ToolName(0, "now"), "[0-9A-Za-z]{9}"),
        (Ids("model"), 0, ToolName(0, "now", "a\ud800"), "a\ufffd"),
    ],
)
def test_scheme(ids: Ids, history: int, call: ToolName, expected: str) -> None:
    assert re.fullmatch(expected, call_ids(ids, history)(call))


def test_random_ids_differ() -> None:
    make = call_ids(Ids())
    assert len({make(ToolName(0, "now")) for _ in range(100)}) == 100
