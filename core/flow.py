"""Regions where text flows: content, reasoning, stray text, and argument values written as plain text.

    settle what precedes the leftmost marker; take the marker's row; or settle all but the hold-back and wait

In text that a refused trial gave back (before `run.dead`) openers are dead: the search passes over them.
"""

from __future__ import annotations

from unbraid.core.grammar import WHITESPACE
from unbraid.core.records import InValue
from unbraid.core.rows import lexeme
from unbraid.core.run import Run
from unbraid.core.table import RegionTable
from unbraid.core.values import value_text


def flow(run: Run) -> bool:
    """Read on in a text or value region. False: more input is needed."""
    region, start = run.region, run.pos
    words = region.lexicon
    found = words.leftmost(run.buf, start)
    while found is not None:
        place, literal = found
        entry = words.lexemes[literal]
        if place + entry.before >= run.dead or entry.terminal not in region.openers:
            break
        found = words.leftmost(run.buf, place + 1)
    if found is None:
        _settle(run, len(run.buf) if run.final else _tail(run, region, start))
        return False
    if not run.final:
        begun = min(place, _tail(run, region, start)) if literal in words.nested else place
        if begun < place or words.waits(run.buf, place, literal):
            _settle(run, begun)
            return False
    _settle(run, place)
    lexeme(run, entry.terminal, entry.before, entry.size)
    return True


def _settle(run: Run, place: int) -> None:
    """The text before `place` is certain."""
    if isinstance(run.at, InValue):
        value_text(run, place - run.pos)
    else:
        run.text(place - run.pos)


def _tail(run: Run, region: RegionTable, start: int) -> int:
    """Where the hold-back begins."""
    words, buf = region.lexicon, run.buf
    place = words.tail(buf, start)
    while place < run.dead and place < len(buf) and not _alive(run, region, place):
        place = words.tail(buf, place + 1)
    return place


def _alive(run: Run, region: RegionTable, place: int) -> bool:
    """In given-back text: may a literal begin at `place` that is no opener, or whose framing only lies there?"""
    held = run.buf[place:]
    if held[: run.dead - place].strip(WHITESPACE) == "":
        return True
    words = region.lexicon
    return any(
        literal.startswith(held) and len(literal) > len(held)
        for literal, entry in words.lexemes.items()
        if entry.terminal not in region.openers
    )
