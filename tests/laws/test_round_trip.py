"""Law 9. parse(template(message)) == norm(message), with real chat templates and real tokenizers.

Templates print the messages that they are given as their models would have written them. So whatever a client sends must come back from
that text: at every split, by ids, by text and by both, but for what the template itself changes. Each template is a row of
`round_trip/norms.py`, which says what those changes are.

What is left out is counted: text that holds a spelling that means something where it stands, text that the tokenizer's normalisation joins
with a marker, and messages whose rendering does not begin with the rendered prompt. More than a fifth is a failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Final

import pytest
from attrs import define, frozen
from hypothesis import given, note
from hypothesis import strategies as st

from tests.corpus.message import message
from tests.laws.cuts import Cut, cuts, pieces
from tests.laws.effort import EFFORT
from tests.laws.hosts import Host
from tests.laws.inputs import spans
from tests.laws.machines import fold_both, fold_ids, fold_text, right, without_tokens
from tests.laws.round_trip.changes import Row
from tests.laws.round_trip.norms import ROWS
from tests.laws.round_trip.rendering import Call, Sent
from tests.laws.round_trip.strategies import Range, messages
from tests.laws.round_trip.trips import Trip, trip
from unbraid.core.bind import Machine
from unbraid.core.events import Events
from unbraid.core.grammar import Format
from unbraid.core.machine import start
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import formats, lookup

MOST_LEFT_OUT: Final = 0.2
MOST_CUTS: Final = 2 * EFFORT.examples
"""Cuts of each feed, beside the whole and single pieces."""
LAGS: Final = (0, 1, 7)


@define
class Tally:
    """How many messages were made, and how many of them were not compared."""

    made: int = 0
    left_out: int = 0


@frozen
class Stream:
    """What the model wrote behind `prompt`."""

    machine: Machine
    vocabulary: Vocabulary
    prompt: str
    prompt_ids: tuple[int, ...]
    text: str
    ids: tuple[int, ...]


def stream(one: Trip, sent: Sent, *, stopped: bool) -> Stream | None:
    """The rendering of `sent` as it comes out of the tokenizer; None if it is left out."""
    found, coder = one.rendered(sent), one.coder
    known = sent.mapped(coder.through)
    if found.output is None or one.leaves_out(known):
        return None
    end = one.row.end[0].strip() if stopped else ""
    written, ids = coder.through(found.output), coder.encode(found.output + end)
    if written != one.rendered(known).output:
        return None
    prompt_ids = coder.encode(found.prompt)
    return Stream(one.machine(sent), coder.vocabulary, found.prompt, prompt_ids, written + end, ids)


def expected(one: Trip, sent: Sent) -> tuple[object, ...]:
    """What must come back: reasoning, content, calls, anomalies. Arguments are JSON values, or text if that was sent."""
    normal = one.row.norm.apply(sent.mapped(one.coder.through))
    calls = [
        (call.name, call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments))
        for call in normal.calls
    ]
    return normal.reasoning, normal.content, calls, ()


def received(one: Trip, events: Events) -> tuple[object, ...]:
    """What came back. Values are compared as Python prints them: key order and kinds of numbers count."""
    found = message(events)
    read = str if one.row.span.verbatim else lambda text: json.dumps(json.loads(text))
    calls = [(call.name, read(call.arguments) if call.complete else f"{call.arguments} ...") for call in found.calls]
    begins_like_a_call = one.unmarked and (found.content or "").lstrip("\n\r\t ").startswith(("{", "["))
    odd = tuple(kind for kind in found.anomalies if not (begins_like_a_call and kind == "malformed"))  # reported, kept
    return found.reasoning, found.content, calls, odd


def some(every: Iterator[Cut], random: Random) -> list[Cut]:
    """The whole, and cuts of all kinds: in two, in three around markers, in equal pieces; nightly nearly all of them."""
    whole, *rest = every
    return [whole, *random.sample(rest, min(len(rest), MOST_CUTS))]


def check_text(run: Stream, whole: Events, random: Random) -> None:
    begun = start(run.machine, "text", run.prompt)
    assert fold_text(run.machine, begun, list(run.text)) == whole, "single code points"
    for cut in some(cuts(len(run.text), spans(run.machine.format, run.text)), random):
        assert fold_text(run.machine, begun, pieces(run.text, cut)) == whole, f"text cut at {cut}"


def check_ids(run: Stream, whole: Events, random: Random) -> None:
    begun = start(run.machine, "ids", run.prompt_ids)
    by_ids = fold_ids(run.machine, begun, [run.ids])
    assert without_tokens(by_ids) == whole
    assert fold_ids(run.machine, begun, [(token,) for token in run.ids]) == by_ids, "single tokens"
    for cut in some(cuts(len(run.ids)), random):
        assert fold_ids(run.machine, begun, pieces(run.ids, cut)) == by_ids, f"ids cut at {cut}"


def check_both(run: Stream, whole: Events, random: Random) -> None:
    begun = start(run.machine, "both", run.prompt_ids)
    for lag in LAGS:
        deltas = Host(run.vocabulary, lag).deltas(run.ids, random)
        assert without_tokens(fold_both(run.machine, begun, list(deltas))) == whole, f"lag {lag}"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_round_trip(row: Row) -> None:
    one, tally = trip(row), Tally()

    @given(messages(row.span, one.live), st.booleans())
    def check(sent: Sent, stopped: bool) -> None:
        tally.made += 1
        run = stream(one, sent, stopped=stopped)
        if run is None:
            tally.left_out += 1
            return
        note(repr(run.text))
        random = Random(run.text)
        whole = fold_text(run.machine, start(run.machine, "text", run.prompt), [run.text])
        assert received(one, whole) == expected(one, sent)
        check_text(run, whole, random)
        check_ids(run, whole, random)
        check_both(run, whole, random)

    check()
    assert tally.left_out <= MOST_LEFT_OUT * tally.made, tally


def covering(fmt: Format) -> str:
    """How a format is tested here: by a real template, a stated one, or none."""
    found = {"stated" if row.stated else "real" for row in ROWS if any(fmt is half for half in halves(row))}
    return next((word for word in ("real", "stated") if word in found), "none")


def halves(row: Row) -> Iterator[Format]:
    """The formats whose strands occur in messages of the row."""
    if row.reasoning is not None and True in row.span.reasoning:
        yield right(lookup("reasoning", row.reasoning))
    if row.tools is not None and row.span.calls:
        yield right(lookup("tools", row.tools))


def test_what_formats_say_about_their_template() -> None:
    assert {fmt.name: fmt.template for fmt in formats()} == {fmt.name: covering(fmt) for fmt in formats()}


BLANK: Final = ("\n\t", " ", "\n", "\n\n")
"""White space that a template may write where a format has framing."""


def spaced(span: Range) -> Iterator[Sent]:
    """Messages in which white space stands alone, or at the edges of content."""
    thoughts = [one for one in (None, "Hm.", *BLANK[:2]) if (one is not None) in span.reasoning]
    contents = (None, *BLANK, "a\n", "\n a")
    for reasoning, content, count in product(thoughts, contents, range(span.least, min(span.calls, 2) + 1)):
        silent = count > 0 and (not span.beside or (reasoning is not None and not span.both))
        if (count > 0) if content is None else not silent:
            yield Sent(reasoning, content, (Call("now", {}),) * count)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_white_space(row: Row) -> None:
    one = trip(row)
    for sent, stopped in product(spaced(row.span), (False, True)):
        run = stream(one, sent, stopped=stopped)
        if run is not None:
            whole = fold_text(run.machine, start(run.machine, "text", run.prompt), [run.text])
            assert received(one, whole) == expected(one, sent), repr(run.text)
