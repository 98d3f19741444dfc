"""Law 2. Running sums of the events' counts are their extents in the source, and the source there is what they say.

A text event's slice equals its text; a Markup's slice equals its text and is a spelling of its terminal or framing; a
ToolName's slice contains the name; arguments account for the wire text they stand for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import ill_formed
from tests.corpus.reader import Case, law_cases
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import begin, composed, machine_of, made
from tests.laws.walks import walk
from unbraid.core.bind import Machine
from unbraid.core.events import (
    PLAIN_MARKUP,
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ReasoningStart,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.core.grammar import WHITESPACE, Format
from unbraid.core.machine import finish, step
from unbraid.core.records import ParserState

OTHER_NOTATION: Final = frozenset('{}[]":, \\truefalsn0123456789abcdef')
"""What JSON may write without its being there on the wire."""

ESCAPED: Final = re.compile(r"\\[xu]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})")
"""Code points that Python writes by their numbers."""

WORDS_OF_PYTHON: Final = {"True": "true", "False": "false", "None": "null"}


def slices(source: str, events: Events) -> Iterator[tuple[Event, str]]:
    """Each event with the source that it accounts for."""
    place = 0
    for event in events:
        yield event, source[place : place + event.points]
        place += event.points


def check(fmt: Format, source: str, events: Events, tokens: int) -> None:
    assert sum(event.points for event in events) == len(source)
    assert sum(event.tokens for event in events) == tokens
    assert not ill_formed(events)
    for event, text in slices(source, events):
        assert _fits(fmt, event, text), (event, text)


def _fits(fmt: Format, event: Event, text: str) -> bool:
    match event:
        case ReasoningChunk(text=own) | ContentChunk(text=own):
            return own == text
        case Markup(terminal=terminal, text=own):
            return own == text and _is_markup(fmt, terminal, own)
        case ToolName(name=name):
            return not text or name in text or json.dumps(name) == json.dumps(_unquoted(text))
        case ArgumentsChunk(json=written):
            return _stands_for(written, text)
        case ReasoningStart() | ReasoningEnd() | ToolCallStart() | ToolCallEnd() | Anomaly():
            return not text


def _unquoted(text: str) -> str:
    """A name that was written with escapes."""
    return str(json.loads(text)) if text[:1] == '"' else text


def _is_markup(fmt: Format, terminal: str, text: str) -> bool:
    if terminal == "framing":
        return not text.strip(WHITESPACE)
    spellings = {name.name: name.spellings for name in fmt.terminals}
    return terminal in PLAIN_MARKUP or text in spellings[terminal]


def _stands_for(written: str, text: str) -> bool:
    """Verbatim, or as the inside of a JSON string, or a typed value without the white space around it."""
    if not text or written == text or written == json.dumps(text, ensure_ascii=False)[1:-1]:
        return True
    bare = text.strip(WHITESPACE)
    return written.strip(WHITESPACE) in (
        bare,
        WORDS_OF_PYTHON.get(bare),
        json.dumps(text, ensure_ascii=False),
    ) or _decoded(written, text)


def _decoded(written: str, text: str) -> bool:
    """A piece of arguments that was given in another notation, say inside a JSON string or as Python: what it writes is made
    of what stood there, escapes and the words of JSON, and not longer than all of it escaped, in quotation marks."""
    escaped = {chr(int(digits, 16)) for digits in ESCAPED.findall(text)}
    return len(written) <= 6 * len(text) + 2 and not set(written) - set(text) - OTHER_NOTATION - escaped


def all_events(machine: Machine, state: ParserState, deltas: Sequence[tuple[str | None, tuple[int, ...]]]) -> Events:
    """Events as they come, not merged."""
    out: list[Event] = []
    for text, ids in deltas:
        state, events = step(machine, state, text, ids)
        out.extend(events)
    return (*out, *finish(machine, state)[1])


def check_case(case: Case) -> None:
    fmt = composed(case.reasoning, case.tools)
    machine = machine_of(case)
    state = begin(case, machine)
    check(fmt, case.text, all_events(machine, state, [(case.text, ())]), 0)
    check(fmt, case.text, all_events(machine, state, [(point, ()) for point in case.text]), 0)


def check_ids(case: Case, *, split_markers: bool) -> None:
    vocabulary = made(case.reasoning, case.tools)
    fmt = composed(case.reasoning, case.tools)
    machine = machine_of(case, ids=True)
    state = begin(case, machine, "ids")
    tokens = vocabulary.encode(case.text, split_markers=split_markers)
    for deltas in ([tokens], [(token,) for token in tokens]):
        check(fmt, case.text, all_events(machine, state, [(None, ids) for ids in deltas]), len(tokens))


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_corpus(case: Case) -> None:
    check_case(case)
    check_ids(case, split_markers=False)
    check_ids(case, split_markers=True)


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks(pair: Pair, random: Random) -> None:
    case = pair.case(walk(pair.ground, random, 8))
    check_case(case)
    check_ids(case, split_markers=random.random() < 0.5)


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(tokens=st.lists(st.integers(0, 400), max_size=30))
def test_any_ids(pair: Pair, tokens: list[int]) -> None:
    """Broken UTF-8 included; an id past the end of the vocabulary writes nothing."""
    case = pair.case("")
    machine = machine_of(case, ids=True)
    source = made(case.reasoning, case.tools).decode(tokens)
    events = all_events(machine, begin(case, machine, "ids"), [(None, (token,)) for token in tokens])
    check(composed(case.reasoning, case.tools), source, events, len(tokens))


def straddles(case: Case) -> bool | None:
    """Does a token hold code points of two events? None: the case has no marker."""
    vocabulary = made(case.reasoning, case.tools)
    machine = machine_of(case, ids=True)
    tokens = vocabulary.encode(case.text, split_markers=True)
    events = all_events(machine, begin(case, machine, "ids"), [(None, tokens)])
    if not any(isinstance(event, Markup) for event in events):
        return None
    borders = set(accumulate(event.points for event in events))
    return bool(borders - set(accumulate(len(vocabulary.decode([token])) for token in tokens)))


ONE_EDGE: Final = "harmony/messages/prefilled_header"
"""Its only marker stands behind a token of two letters."""


@pytest.mark.parametrize("case", [case for case in law_cases() if case.name != ONE_EDGE], ids=name_of)
def test_a_token_straddles_a_border(case: Case) -> None:
    """The made vocabulary does what it is made for: in each case with a marker, a token holds code points of two events."""
    assert straddles(case) is not False
