"""Law 1. For every text and every cut the merged events are the same; within one feed, token counts too."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.cuts import Span, cuts, pieces
from tests.laws.effort import EFFORT
from tests.laws.inputs import Pair, name_of, spans, walked
from tests.laws.machines import bare, begin, composed, fold_ids, fold_text, machine_of, made
from tests.laws.tiny import TINY, TINY_BEGINNINGS, short_texts, tiny_machine
from tests.laws.walks import walk
from unbraid.core.events import Anomaly
from unbraid.core.machine import start, step


def check_text(case: Case) -> None:
    machine = machine_of(case)
    state = begin(case, machine)
    whole = fold_text(machine, state, [case.text])
    for cut in cuts(len(case.text), spans(composed(case.reasoning, case.tools), case.text)):
        assert fold_text(machine, state, pieces(case.text, cut)) == whole, f"cut at {cut}"


def check_ids(case: Case, *, split_markers: bool) -> None:
    machine = machine_of(case, ids=True)
    state = begin(case, machine, "ids")
    tokens = made(case.reasoning, case.tools).encode(case.text, split_markers=split_markers)
    whole = fold_ids(machine, state, [tokens])
    for cut in cuts(len(tokens), _token_spans(case, tokens)):
        assert fold_ids(machine, state, pieces(tokens, cut)) == whole, f"cut at token {cut}"


def _token_spans(case: Case, tokens: tuple[int, ...]) -> list[Span]:
    """The tokens that hold a marker."""
    places, place = [], 0
    for token in tokens:
        places.append(place)
        place += len(made(case.reasoning, case.tools).decode([token]))
    found = spans(composed(case.reasoning, case.tools), case.text)
    return [Span(*(sum(start < edge for start in places) for edge in (span.start, span.stop))) for span in found]


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus_as_text(case: Case) -> None:
    check_text(case)


@pytest.mark.parametrize("split_markers", [False, True], ids=["dedicated", "spelled"])
@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus_as_ids(case: Case, split_markers: bool) -> None:
    check_ids(case, split_markers=split_markers)


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks_as_text(pair: Pair, random: Random) -> None:
    check_text(pair.case(walk(pair.ground, random, 5)[:100]))


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False), split_markers=st.booleans())
def test_walks_as_ids(pair: Pair, random: Random, split_markers: bool) -> None:
    check_ids(pair.case(walk(pair.ground, random, 5)[:100]), split_markers=split_markers)


@pytest.mark.parametrize(("name", "beginning"), TINY_BEGINNINGS)
def test_all_short_texts(name: str, beginning: str) -> None:
    """Every text of a few code points over made one- and two-letter markers, behind a beginning, cut in every way."""
    machine = tiny_machine(name)
    state, _ = step(machine, start(machine), beginning, ())
    for text in short_texts(TINY[name].alphabet, EFFORT.short):
        whole = fold_text(machine, state, [text])
        for cut in cuts(len(text)):
            assert fold_text(machine, state, pieces(text, cut)) == whole, (beginning, text, cut)


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        ("hermes", r'<tool_call>{"name":"n","arguments":{"":"<tool_call>\"'),
        ("hermes", r'<tool_call>{"name":"n","arguments":{"":"<tool_call>\\","b":"<tool_call>\"<tool_call>'),
        ("llama3_json", r'{"name":"n","parameters":{"a":"; \"'),
        ("granite", r'<tool_call>[{"name":"n","arguments":"<tool_call>\"'),
    ],
)
def test_openers_before_an_escape_count_once(tools: str, text: str) -> None:
    """A cut behind a backslash: the quotation mark that follows ends no string, and what was counted stays."""
    machine = bare(None, tools, None, ids=False)
    whole = fold_text(machine, start(machine), [text])
    assert any(isinstance(event, Anomaly) and event.kind == "unterminated_string" for event in whole)
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            parts = (text[:first], text[first:second], text[second:])
            assert fold_text(machine, start(machine), parts) == whole, parts
