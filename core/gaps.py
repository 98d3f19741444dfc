"""Gaps: places where only white space is expected, and markers.

    inside a block     white space is markup at once; anything else takes the @text row
    inside a trial     white space, at most GAP_CAP; anything else refuses the trial
    between texts      white space belongs to what follows: framing before a call's opener, else text

More than GAP_CAP code points of white space are text wherever they may be.
"""

from __future__ import annotations

from unbraid.core.grammar import GAP_CAP, Gap
from unbraid.core.lexer import blanks_end
from unbraid.core.records import InGap
from unbraid.core.rows import lexeme, take_row
from unbraid.core.run import Run
from unbraid.core.table import SPECIAL
from unbraid.core.trials import refuse


def gap(run: Run) -> bool:
    """Read on in a gap. False: more input is needed."""
    end = blanks_end(run.buf, run.pos)
    if run.region.channel in ("content", "reasoning"):
        return _between(run, end)
    return _inside(run, end)


def _inside(run: Run, end: int) -> bool:
    if run.trial is None:
        run.markup("framing", end - run.pos)
    elif end - run.pos > GAP_CAP:
        refuse(run, run.pos + GAP_CAP)
        return True
    if end == len(run.buf):
        return False
    marker = _marker(run, end)
    if marker is None:
        return False
    if marker:
        run.markup("framing", end - run.pos)
        return _take(run, marker, 0)
    row = run.region.text_row
    if row is None:
        refuse(run, end)
    else:
        run.markup("framing", end - run.pos)
        take_row(run, row, "@text", 0, 0)
    return True


def _marker(run: Run, place: int) -> str | None:
    """The marker at `place`, "" if there is none, None if that is open."""
    words = run.region.lexicon
    found = words.bare.match(run.buf, place)
    literal = found.group() if found else ""
    open_end = (not literal or literal in words.extendable) and words.begins(run.buf, place)
    if open_end and (not run.final or (not literal and _cut_inside(run, run.buf[place:]))):
        return None
    return literal


def _cut_inside(run: Run, rest: str) -> bool:
    """At the end of the stream: is `rest` the beginning of a marker inside a trial, a call or its block, and so no text?"""
    if run.trial is not None or run.call is not None or run.region.channel == "call":
        return True
    words, closers = run.region.lexicon.lexemes, run.region.closers
    return any(literal.startswith(rest) for literal, entry in words.items() if entry.terminal in closers)


def _take(run: Run, literal: str, blanks: int) -> bool:
    entry = run.region.lexicon.lexemes[literal]
    lexeme(run, entry.terminal, blanks, blanks + entry.size)
    return True


def _between(run: Run, end: int) -> bool:
    region, blanks = run.region, end - run.pos
    if region.holds and blanks > GAP_CAP:
        return _to_text(run)
    marker = _marker(run, end) if end < len(run.buf) else None
    if marker is None:
        if not run.final:
            _settle(run, run.pos if region.holds else region.lexicon.tail(run.buf, run.pos))
        return False
    if not marker:
        return _to_text(run)
    terminal = region.lexicon.lexemes[marker].terminal
    if terminal in region.closers or (region.framed and (terminal in region.openers or _touches(run, terminal))):
        return _take(run, marker, blanks)
    run.text(blanks - _framing(run, terminal, end))
    return _take(run, marker, end - run.pos)


def _touches(run: Run, terminal: str) -> bool:
    kind = run.region.kind
    return isinstance(kind, Gap) and kind.touches and (terminal != SPECIAL or run.region.framed)


def _framing(run: Run, terminal: str, end: int) -> int:
    """How much of the white space before `end` is the marker's own framing."""
    known = run.table.terminals.get(terminal)
    blanks = run.buf[run.pos : end]
    return next((len(literal) for literal in (known.before if known else ()) if blanks.endswith(literal)), 0)


def _settle(run: Run, place: int) -> None:
    run.text(place - run.pos)


def _to_text(run: Run) -> bool:
    """Something else than a marker follows: it and the white space before it belong together."""
    row = run.region.text_row
    if row is None:
        refuse(run, run.pos)
    else:
        take_row(run, row, "@text", 0, 0)
    return True


def end_gap(run: Run) -> None:
    """The stream ends in a gap: white space that touches a call is framing, other is text."""
    kind = run.region.kind
    blanks = blanks_end(run.buf, run.pos) - run.pos
    if not isinstance(run.at, InGap) or not isinstance(kind, Gap):
        return
    if run.region.channel in ("content", "reasoning") and not (kind.touches and run.region.framed):
        run.text(blanks)
    else:
        run.markup("framing", blanks)
