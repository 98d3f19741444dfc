"""The arguments of one call as JSON on the wire, passed on verbatim as they come.

    arguments = ws* ( object | array | string | number | word )

What is written is what is sent, with three exceptions: no arguments (`null`, `""`) are `{}`; a raw control character in
a string is escaped; a string that holds an object is unwrapped where the envelope says so (`inner`). The scanner checks
every code point, so arguments that closed are valid JSON (law 7), and everything sent is their prefix.

Inside a string every marker is data. A raw line break directly before the block's closer, impossible in valid JSON,
breaks the string off. What an unterminated string swallows cannot be told from data; the openers in it are counted.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from unbraid.core.grammar import WHITESPACE
from unbraid.core.inner import read_inner
from unbraid.core.json_scan import BAD, DONE, EMPTY, STRING, VALUE, in_string, scan
from unbraid.core.json_text import escape
from unbraid.core.records import Argument
from unbraid.core.run import Run

Status: TypeAlias = Literal["more", "done", "bad", "marker", "broken"]
"""more: input ran out · done: the JSON closed · bad: the code point at the cursor cannot stand there · marker: a marker of
the region stands at the cursor, outside of strings · broken: the block's closer behind a line break, inside a string."""

NO_ARGUMENTS: Final = "{}"


def read_argument(run: Run, argument: Argument, *, decode: bool) -> tuple[Argument, Status]:
    """Read on; emits what is settled."""
    if argument.form == "start":
        started = _start(run, decode=decode)
        if isinstance(started, str):
            return argument, started
        argument = started
    if argument.form == "inner":
        return read_inner(run, argument)
    return _raw(run, argument)


def _start(run: Run, *, decode: bool) -> Argument | Status:
    """Decide by the first code point what is written here."""
    buf, place = run.buf, run.pos
    size = len(buf)
    while place < size and buf[place] in WHITESPACE:
        place += 1
    run.markup("framing", place - run.pos)
    if place == size:
        return "more"
    first = buf[place]
    if first == "n":
        return _empty(run, "null")
    if first == '"' and decode:
        return _quoted(run)
    if first in run.region.stops:
        found = marker_at(run, place)
        if found is not False:
            return "marker" if found else "more"
    return Argument("raw", VALUE, EMPTY)


def _empty(run: Run, word: str) -> Argument | Status:
    """`null` or an empty string: the call has no arguments."""
    here = run.buf[run.pos : run.pos + len(word)]
    if here == word:
        run.markup("syntax", len(word))
        run.arguments(NO_ARGUMENTS)
        return "done"
    return "more" if word.startswith(here) and not run.final else Argument("raw", VALUE, EMPTY)


def _quoted(run: Run) -> Argument | Status:
    """A string: empty, an object in quotes, or just a string."""
    here = run.buf[run.pos : run.pos + 2]
    if here == '""':
        return _empty(run, '""')
    if here == '"{':
        run.markup("syntax", 1)
        return Argument("inner", STRING, EMPTY)
    return "more" if len(here) == 1 and not run.final else Argument("raw", VALUE, EMPTY)


def _raw(run: Run, argument: Argument) -> tuple[Argument, Status]:
    mode, nest = argument.mode, argument.nest
    buf, stops, size = run.buf, run.region.stops, len(run.buf)
    start = run.pos
    place = start
    status: Status = "more"
    while True:
        place, mode, nest = scan(buf, place, size, mode, nest, stops)
        if mode == DONE or mode == BAD:
            status = "done" if mode == DONE else "bad"
            break
        if place == size:
            break
        if in_string(mode):
            found = breaker_at(run, place)
            if found is False:
                argument = _watch(run, argument, start, place, mode)
                _control(run, place)
                start = place = run.pos
                continue
            status = "broken" if found else "more"
            break
        found = marker_at(run, place)
        if found is not False:
            status = "marker" if found else "more"
            break
        place, mode, nest = scan(buf, place, place + 1, mode, nest)
    argument = _watch(run, argument, start, place, mode)
    run.verbatim(place - run.pos)
    return Argument("raw", mode, nest, openers=argument.openers, echo=argument.echo), status


def _control(run: Run, place: int) -> None:
    """The raw control character at `place` leaves escaped."""
    run.verbatim(place - run.pos)
    run.anomaly("control_character", f"U+{ord(run.buf[place]):04X}")
    text, tokens = run.take(1)
    run.arguments(escape(text), text, tokens)


def marker_at(run: Run, place: int) -> bool | None:
    """Does a marker of the region stand at `place`? None: more input decides."""
    words = run.region.lexicon
    found = words.bare.match(run.buf, place)
    open_end = not run.final or found is None
    if open_end and (found is None or found.group() in words.extendable) and run.buf[place:] in words.prefixes:
        return None
    return found is not None


def breaker_at(run: Run, place: int) -> bool | None:
    """Does the block's closer stand directly behind the line break at `place`? None: more input decides."""
    buf = run.buf
    if buf[place] != "\n":
        return False
    breakers = run.region.breakers
    if buf.startswith(breakers, place):
        return True
    rest = buf[place : place + 1 + run.region.lexicon.longest]
    if run.final or place + len(rest) < len(buf):
        return False
    return None if any(literal.startswith(rest) for literal in breakers) else False


def _watch(run: Run, argument: Argument, start: int, stop: int, mode: int) -> Argument:
    """Count the openers in the string that is open at `stop`, if one is."""
    watched = run.region.watched
    if not watched.longest:
        return argument
    if not in_string(mode):
        return Argument(argument.form) if argument.openers or argument.echo else argument
    body = string_start(run.buf, start, stop)
    fresh = body > start
    echo, openers = ("", 0) if fresh else (argument.echo, argument.openers)
    text = echo + run.buf[body:stop]
    if not echo and not any(first in text for first in watched.firsts):
        return argument if openers == argument.openers and echo == argument.echo else Argument(argument.form)
    end = 0
    for found in watched.find.finditer(text):
        openers, end = openers + 1, found.end()
    return Argument(argument.form, openers=openers, echo=text[watched.tail(text, end) :])


def string_start(text: str, start: int, stop: int) -> int:
    """Where the body of the string that is open at `stop` begins; `start` if it was open there already.

    >>> string_start('{"a": "x\\\\"y', 0, 11)
    7
    """
    place = stop
    while (place := text.rfind('"', start, place)) >= 0:
        slashes = place
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        if (place - slashes) % 2 == 0:
            return place + 1
    return start
