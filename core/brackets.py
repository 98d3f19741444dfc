"""What payloads made of brackets share: the next code point, markers, strings that end, keys, and giving up.

A payload outside of strings looks at one code point at a time (`ahead`). White space is markup; a marker of the region
wins over everything else. Inside strings markers are data; what an unterminated string swallows cannot be told from data,
so the openers in it are counted (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from unbraid.core.arguments import marker_at
from unbraid.core.grammar import GAP_CAP, KEYS_CAP
from unbraid.core.json_text import quote
from unbraid.core.lexer import blanks_end
from unbraid.core.records import Call, InBraces, InCalls
from unbraid.core.rows import lexeme
from unbraid.core.run import Run
from unbraid.core.trials import refuse

WORD_CAP: Final = 512
"""Most code points of a number or a word that is not in quotes."""

MARKER: Final = "marker"
OVERLONG: Final = "overlong"

Place = TypeVar("Place", InCalls, InBraces)


def walk(run: Run, at: Place, kind: type[Place], steps: Mapping[str, Callable[[Run, Place], Place | bool]]) -> bool:
    """Step through a payload's grammar. False: more input is needed."""
    while True:
        run.at = at
        after = steps[at.where](run, at)
        if not isinstance(after, kind):
            return bool(after)
        at = after


# -- what stands ahead -------------------------------------------------------------------------------------------------


def ahead(run: Run) -> str:
    """Skip white space. The code point there, or why there is none: "" (input ran out), MARKER, or OVERLONG, because white
    space before the commit point is capped and stays in the hold-back until it ends."""
    buf, here = run.buf, run.pos
    place = blanks_end(buf, here)
    if run.trial is not None and run.trial.kind == "opening":
        if place - here > GAP_CAP:
            return OVERLONG
        if place == len(buf):
            return ""
    if place > here:
        run.markup("syntax", place - here)
    if place == len(buf):
        return ""
    if buf[place] in run.region.stops:
        found = marker_at(run, place)
        if found is not False:
            return MARKER if found else ""
    return buf[place]


def stop(run: Run, why: str) -> bool:
    """`ahead` gave no code point. False: more input is needed."""
    if why == OVERLONG:
        return give_up(run, run.pos + GAP_CAP)
    return why == MARKER and take_marker(run)


def take_marker(run: Run) -> bool:
    """A marker stands at the cursor: the payload ends too early if a call is open, and was none if nothing is certain."""
    found = run.region.lexicon.bare.match(run.buf, run.pos)
    if found is None or run.trial is not None:
        return give_up(run, run.pos)
    entry = run.region.lexicon.lexemes[found.group()]
    run.break_off("malformed")
    lexeme(run, entry.terminal, 0, entry.size)
    return True


def first_marker(run: Run, start: int, end: int) -> tuple[int, bool]:
    """(where the first marker in `buf[start:end]` begins, whether that is certain); (end, True) without one."""
    stops = run.region.stops
    if stops.isdisjoint(run.buf[start:end]):
        return end, True
    for place in range(start, end):
        if run.buf[place] in stops:
            found = marker_at(run, place)
            if found is not False:
                return place, found is True
    return end, True


def give_up(run: Run, place: int) -> bool:
    """The code point at `place` cannot stand there: a trial is refused; a call breaks off, and what follows the last that
    was read is for the row of @bad."""
    if run.trial is not None:
        refuse(run, place)
        return True
    if run.call is None:
        run.anomaly("stray_text")
    run.break_off("malformed")
    lexeme(run, "@bad", 0, 0)
    return True


# -- strings -------------------------------------------------------------------------------------------------------------


def closes(run: Run, place: int, followers: str) -> bool | None:
    """May a string end before `place`? White space, at most `GAP_CAP`, and one of `followers`, a marker, or the end of the
    stream must stand there. None: more input decides."""
    buf = run.buf
    stop = blanks_end(buf, place)
    if stop - place > GAP_CAP:
        return False
    if stop == len(buf):
        return True if run.final else None
    if buf[stop] in followers:
        return True
    return marker_at(run, stop) if buf[stop] in run.region.stops else False


def watch(run: Run, openers: int, echo: str, text: str) -> tuple[int, str]:
    """(openers, echo) behind `text`, the next piece of an open string: openers counted, and the end as far as it may begin
    one."""
    words = run.region.watched
    if not words.longest or not (echo or any(first in text for first in words.firsts)):
        return openers, ""
    text, end = echo + text, 0
    for found in words.find.finditer(text):
        openers, end = openers + 1, found.end()
    return openers, text[words.tail(text, end) :]


# -- arguments -----------------------------------------------------------------------------------------------------------


def write(run: Run, json: str, *, muted: bool) -> None:
    """JSON that stands for no code point. `muted`: inside the value of a key that was given before."""
    if json and not muted:
        run.arguments(json)


def piece(run: Run, size: int, json: str, *, muted: bool) -> None:
    """JSON that the next `size` code points stand for."""
    if muted:
        run.markup("stray", size)
    elif not json:
        run.markup("syntax", size)
    else:
        text, tokens = run.take(size)
        run.arguments(json, text, tokens)


def begin_member(run: Run, key: str) -> bool:
    """A value for `key` of the open call follows. True: it is nobody's, since the first one counts."""
    call = run.call
    if call is None or key in call.keys or len(call.keys) >= KEYS_CAP:
        run.anomaly("overlong" if call is None or key not in call.keys else "duplicate_key", key)
        return True
    run.call = Call(call.index, call.name, (*call.keys, key))
    run.arguments(f"{', ' if call.keys else '{'}{quote(key)}: ")
    return False
