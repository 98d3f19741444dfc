r"""Law 4. What is held back is the longest suffix of the text that is a proper prefix of a live literal.

Live literals of a region: spellings of the terminals that have a row there, each alone and behind each of its framing
literals; special tokens, which text absorbs; directly behind a marker, the framing that may follow it. Beside the literals, white space in a gap
that text or a call may follow is held (up to 16 code points: it belongs to what follows), and a tentative text up to its
commit point: nothing is emitted while a trial is open.

The oracle `held` knows the format record and nothing of the lexer.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reader import Case, law_cases
from tests.laws.inputs import Pair, name_of, walked
from tests.laws.machines import begin, composed, inside, machine_of
from tests.laws.walks import walk
from unbraid.core.events import Event, Markup, ToolCallEnd, ToolName
from unbraid.core.grammar import (
    GAP_CAP,
    NAME_CAP,
    WHITESPACE,
    Capture,
    Envelope,
    Format,
    Gap,
    Json,
    Payload,
    PythonCalls,
    Region,
    Terminal,
    Text,
    Tree,
)
from unbraid.core.machine import step
from unbraid.core.records import Flowing, InValue


def held(fmt: Format, region: Region, after: tuple[str, ...], since: str) -> int:
    """Code points at the end of `since`, the text behind the last markup, that may still belong to something else."""
    if since and any(literal.startswith(since) and literal != since for literal in after):
        return len(since)
    since = since[max((len(literal) for literal in after if since.startswith(literal)), default=0) :]
    words = literals(fmt, region)
    blanks = len(since) - len(since.lstrip(WHITESPACE))
    if _waits(fmt, region) and blanks <= GAP_CAP and any(_begins(since[blanks:], word) for word in words):
        return len(since)
    return max(
        size for size in range(len(since) + 1) if not size or any(_begins(since[-size:], word) for word in words)
    )


def _begins(text: str, word: str) -> bool:
    return word.startswith(text) and word != text


def literals(fmt: Format, region: Region) -> list[str]:
    """The live literals of a region. Inside a block white space is markup whatever follows, so it needs no framing."""
    live = [one for one in fmt.terminals if any(row.region == region.name and row.on == one.name for row in fmt.rows)]
    absorbed = fmt.specials if isinstance(region.kind, Text | Gap) else ()
    bare = isinstance(region.kind, Gap) and region.channel in ("call", "none")
    framed = (
        (before, word) for one in live for word in one.spellings for before in ("", *(() if bare else one.before))
    )
    return [*absorbed, *(before + word for before, word in framed)]


def _waits(fmt: Format, region: Region) -> bool:
    """Whether white space in this region belongs to what follows."""
    regions = {one.name: one for one in fmt.regions}
    targets = [regions[row.to] for row in fmt.rows if row.region == region.name and row.to != "@same"]
    opens = any(target.trial in ("opening", "block") or target.channel == "call" for target in targets)
    return (
        isinstance(region.kind, Gap) and region.channel in ("content", "reasoning") and (region.kind.touches or opens)
    )


PLAIN = [case for case in law_cases() if not case.policies and case.prompt is None and case.offered != ()]


class Watch:
    """What an onlooker knows of a stream, one code point at a time: what was fed, what was accounted for."""

    def __init__(self, case: Case) -> None:
        self.machine = machine_of(case)
        self.fmt = self.machine.format
        self.terminals: dict[str, Terminal] = {one.name: one for one in self.fmt.terminals}
        self.regions = {region.name: region for region in self.fmt.regions}
        self.state = inside(begin(case, self.machine))
        self.text, self.done, self.border = "", 0, 0
        self.after: tuple[str, ...] = ()

    def feed(self, point: str) -> tuple[Event, ...]:
        state, events = step(self.machine, self.state, point, ())
        self.state = inside(state)
        self.text += point
        for event in events:
            self.done += event.points
            if isinstance(event, Markup | ToolCallEnd):
                known = self.terminals.get(event.terminal) if isinstance(event, Markup) else None
                self.border, self.after = self.done, known.after if known else ()
        return events


def check(case: Case) -> None:
    watch = Watch(case)
    for point in case.text:
        events = watch.feed(point)
        held_now = len(watch.text) - watch.done
        if watch.state.trial is not None:
            assert not events or held_now, "a trial emits nothing"
        elif _is_plain(watch):
            region = watch.regions[watch.state.at.region]
            assert held_now == held(watch.fmt, region, watch.after, watch.text[watch.border :]), watch.text


def _is_plain(watch: Watch) -> bool:
    """Captures hold their text until a marker, payloads have an own test, an undecided value waits for its end."""
    at = watch.state.at
    if isinstance(at, InValue):
        return isinstance(at.shape, Flowing)
    return not isinstance(watch.regions[at.region].kind, Capture | Payload | Tree)


@pytest.mark.parametrize("case", PLAIN, ids=name_of)
def test_corpus(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("pair", walked(), ids=str)
@given(random=st.randoms(use_true_random=False))
def test_walks(pair: Pair, random: Random) -> None:
    check(pair.case(walk(pair.ground, random, 8)[:400]))


def _payload_holds(case: Case) -> Iterator[int]:
    watch = Watch(case)
    for point in case.text:
        watch.feed(point)
        announced = watch.state.call is not None and watch.state.trial is None
        if announced and isinstance(watch.regions[watch.state.at.region].kind, Json | Envelope):
            yield len(watch.text) - watch.done


@pytest.mark.parametrize("case", [case for case in law_cases() if case.tools is not None], ids=name_of)
def test_arguments_on_the_wire_are_never_withheld(case: Case) -> None:
    """But for the beginning of a marker, or a line break and a marker, in JSON: no brace waits for the next code point."""
    longest = 1 + max(len(word) for one in composed(case.reasoning, case.tools).terminals for word in one.spellings)
    assert all(size < longest for size in _payload_holds(case))


@pytest.mark.parametrize("case", [case for case in law_cases() if case.message.calls], ids=name_of)
def test_a_call_is_announced_where_its_name_ends(case: Case) -> None:
    """The commit point: nothing behind the name but the code point, or the marker, that ends it."""
    watch = Watch(case)
    enders = sorted({word for one in watch.fmt.terminals for word in one.spellings} | {'"'}, key=len, reverse=True)
    for point in case.text:
        for event in watch.feed(point):
            if isinstance(event, ToolName) and not _is_late(watch.fmt):
                behind = next(watch.text[: -len(word)] for word in enders if watch.text.endswith(word))
                named = behind.rstrip(WHITESPACE + "\"'")  # a name may be quoted, or white space may stand behind it
                headed = _names_in_headers(watch.fmt) and event.name in behind[-NAME_CAP:]
                assert headed or named.endswith(event.name) or "\\u" in behind, watch.text


def _names_in_headers(fmt: Format) -> bool:
    """Names that stand among other words, or before the call's id."""
    fields = [field for region in fmt.regions if isinstance(region.kind, Capture) for field in region.kind.fields]
    return any(field.slot == "id" or field.take != "all" or field.cut for field in fields if field.slot != "key")


def _is_late(fmt: Format) -> bool:
    """Formats that decide later on purpose: a whole block, or the key of the arguments too."""
    late = any(region.trial == "block" or isinstance(region.kind, PythonCalls) for region in fmt.regions)
    return late or fmt.unmarked
