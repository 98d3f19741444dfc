"""Law 10. Every (region, terminal) pair has a row or is inert, text there; nothing raises; a format has no defects."""

from __future__ import annotations

import pytest

from tests.corpus.reader import Case, law_cases
from tests.laws.effort import EFFORT, some
from tests.laws.inputs import Pair, name_of, pairs
from tests.laws.machines import begin, composed, inside, machine_of
from tests.laws.tiny import TINY
from unbraid.core.check import check
from unbraid.core.events import ContentChunk, ReasoningChunk, merge
from unbraid.core.grammar import Format, Text
from unbraid.core.machine import finish, step
from unbraid.core.notation import PSEUDO, rows, show_row
from unbraid.formats.registry import formats


@pytest.mark.parametrize("fmt", [*formats(), *(tiny.fmt for tiny in TINY.values())], ids=lambda fmt: fmt.name)
def test_no_defects(fmt: Format) -> None:
    assert check(fmt) == ()


@pytest.mark.parametrize("pair", pairs(), ids=str)
def test_no_defects_composed(pair: Pair) -> None:
    assert check(composed(pair.reasoning, pair.tools)) == ()


@pytest.mark.parametrize("pair", pairs(), ids=str)
def test_rows_read_as_they_are_shown(pair: Pair) -> None:
    fmt = composed(pair.reasoning, pair.tools)
    assert rows("\n".join(map(show_row, fmt.rows))) == fmt.rows


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_every_terminal_everywhere(case: Case) -> None:
    """Behind every code point of every case, each terminal is read; where it has no row and text flows, it is that text."""
    machine, fmt = machine_of(case), composed(case.reasoning, case.tools)
    texts: dict[str, str] = {region.name: region.channel for region in fmt.regions if isinstance(region.kind, Text)}
    live = {(row.region, row.on) for row in fmt.rows}
    spellings = {one.name: one.spellings for one in fmt.terminals}
    for place in some(range(len(case.text) + 1), EFFORT.places, case.name):
        state = inside(step(machine, begin(case, machine), case.text[:place], ())[0])
        for words in spellings.values():
            after, events = step(machine, state, words[0], ())
            everything = merge((*events, *finish(machine, after)[1]))
            inert = not any(
                (state.at.region, other) in live for other in spellings if set(words) & set(spellings[other])
            )
            if (
                inert
                and state.trial is None
                and texts.get(state.at.region) in ("content", "reasoning")
                and not state.hold
            ):
                assert [e.text for e in everything if isinstance(e, ContentChunk | ReasoningChunk)][:1] == [words[0]]


def test_pseudo_terminals_are_known() -> None:
    assert set(PSEUDO) == {"@text", "@closed", "@bad"}
