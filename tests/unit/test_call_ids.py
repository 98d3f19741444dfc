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
    assert len({call_ids(Ids())(ToolName(index, "now")) for index in (0, 1) for _ in range(50)}) == 100


@pytest.mark.parametrize("ids", [Ids(), Ids("model"), Ids("pattern", "{alnum9}")])
def test_an_id_is_a_function_of_the_seed_and_the_call(ids: Ids) -> None:
    found = {(seed, index): call_ids(ids, seed=seed)(ToolName(index, "now")) for seed in "ab" for index in range(3)}
    assert len(set(found.values())) == 6
    assert all(call_ids(ids, seed=seed)(ToolName(index, "other")) == one for (seed, index), one in found.items())
