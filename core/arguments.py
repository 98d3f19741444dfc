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

from unbraid.core.grammar import KEYS_CAP, NAME_CAP, WHITESPACE
from unbraid.core.inner import read_inner
from unbraid.core.json_scan import BAD, COLON, DONE, EMPTY, ESCAPES, KEY_STRING, STRING, VALUE, in_string, scan
from unbraid.core.json_text import escape, unescape
from unbraid.core.records import Argument
from unbraid.core.run import Run

Status: TypeAlias = Literal["more", "done", "bad", "marker", "broken"]
"""more: input ran out · done: the JSON closed · bad: the code point at the cursor cannot stand there · marker: a marker of
the region stands at the cursor, outside of strings · broken: the block's closer behind a line break, inside a string."""

NO_ARGUMENTS: Final = "{}"

TOP: Final = 0b11
"""The scanner's `nest` in the outermost object."""


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
    if first == '"':
        return _quoted(run, decode=decode)
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


def _quoted(run: Run, *, decode: bool) -> Argument | Status:
    """A string: empty, an object in quotes, or just a string."""
    here = run.buf[run.pos : run.pos + 2]
    if here == '""':
        return _empty(run, '""')
    if here == '"{' and decode:
        run.markup("syntax", 1)
        return Argument("inner", STRING, EMPTY)
    return "more" if len(here) == 1 and not run.final else Argument("raw", VALUE, EMPTY)


def _raw(run: Run, argument: Argument) -> tuple[Argument, Status]:
    reader = _Raw(run, argument)
    status = reader.read()
    run.verbatim(reader.place - run.pos)
    return reader.argument(), status


class _Raw:
    """One step through arguments that are passed on as they stand."""

    __slots__ = ("escaped", "key", "keys", "mode", "nest", "place", "run", "string", "was")

    def __init__(self, run: Run, argument: Argument) -> None:
        self.run = run
        self.was = argument
        self.escaped = argument.mode in ESCAPES
        self.mode, self.nest = argument.mode, argument.nest
        self.keys, self.key = argument.keys, argument.key
        self.place = self.string = run.pos

    def read(self) -> Status:
        """Read on to the end of the input, of the arguments, or of what is JSON."""
        run = self.run
        buf, stops, size = run.buf, run.region.stops, len(run.buf)
        while True:
            start = self.place
            self.place, self.mode, self.nest = scan(buf, start, size, self.mode, self.nest, stops, TOP)
            if self.mode in (DONE, BAD):
                return "done" if self.mode == DONE else "bad"
            if self.nest == TOP and self._at_key(start):
                continue
            if self.place == size:
                return "more"
            status = self._in_string() if in_string(self.mode) else self._outside()
            if status != "on":
                return status

    def _at_key(self, start: int) -> bool:
        """Follow the keys of the outermost object. True: a key's quote was just passed."""
        if self.mode == KEY_STRING and self.key is None:
            self.key = ""
            return True
        if self.key is None:
            return False
        ended = self.mode == COLON
        self.key = (self.key + self.run.buf[start : self.place - ended])[: NAME_CAP + 1]
        if ended:
            self._end_key(unescape(self.key))
        return ended

    def _end_key(self, key: str) -> None:
        run = self.run
        self.key = None
        if key in self.keys:
            run.verbatim(self.place - run.pos)
            run.anomaly("duplicate_key", key)
        elif len(self.keys) < KEYS_CAP and len(key) <= NAME_CAP:
            self.keys = (*self.keys, key)

    def _in_string(self) -> Status | Literal["on"]:
        """A raw control character stands in a string."""
        found = breaker_at(self.run, self.place)
        if found is not False:
            return "broken" if found else "more"
        self.was, self.escaped = self._watched(), False
        _control(self.run, self.place)
        self.place = self.string = self.run.pos
        return "on"

    def _outside(self) -> Status | Literal["on"]:
        """A code point that may begin a marker stands outside of strings."""
        found = marker_at(self.run, self.place)
        if found is not False:
            return "marker" if found else "more"
        buf = self.run.buf
        self.place, self.mode, self.nest = scan(buf, self.place, self.place + 1, self.mode, self.nest)
        return "on"

    def _watched(self) -> Argument:
        return _watch(self.run, self.was, self.string, self.place, self.mode, escaped=self.escaped)

    def argument(self) -> Argument:
        """Where the arguments are now."""
        seen = self._watched()
        openers, echo = seen.openers, seen.echo
        return Argument("raw", self.mode, self.nest, openers=openers, echo=echo, keys=self.keys, key=self.key)


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
    if open_end and (found is None or found.group() in words.extendable) and words.begins(run.buf, place):
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


def _watch(run: Run, argument: Argument, start: int, stop: int, mode: int, *, escaped: bool) -> Argument:
    """Count the openers in the string that is open at `stop`, if one is. `escaped`: a backslash stands before `start`."""
    watched = run.region.watched
    if not watched.longest:
        return argument
    if not in_string(mode):
        return Argument(argument.form) if argument.openers or argument.echo else argument
    body = string_start(run.buf, start + escaped, stop)
    fresh = body > start + escaped
    if not fresh:
        body = start
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
