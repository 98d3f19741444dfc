"""Checks of the literals that are live together.

In one region the leftmost literal counts and the longest at a tie; that can be decided while the text grows only if no
literal lies strictly inside another one, and it has one answer only if no two terminals are spelled alike and no white
space may be both a terminal's own beginning and another one's framing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from unbraid.core.errors import Defect, TerminalDefect, TerminalProblem
from unbraid.core.grammar import GAP_CAP, WHITESPACE, Kind, Terminal, Tree
from unbraid.core.index import Index

FRAMINGS = 4
"""Most framing literals on one side of a terminal."""


def spelling_defects(index: Index) -> Iterator[Defect]:
    """All defects of terminals, alone and together."""
    name = index.format.name
    used = {row.on for row in index.format.rows}
    for terminal in index.terminals.values():
        for problem, detail in _alone(terminal):
            yield TerminalDefect(name, terminal.name, problem, "", detail)
        if terminal.name not in used:
            yield TerminalDefect(name, terminal.name, "unused")
    for region in index.regions:
        live = (*index.live(region), *_tags(index.regions[region].kind))
        for terminal in live:
            for spelling in _inner(terminal, terminal):
                yield TerminalDefect(name, terminal.name, "inner_spelling", region, repr(spelling))
        for one, other in permutations(live, 2):
            for problem, detail in _together(one, other):
                yield TerminalDefect(name, one.name, problem, region, detail)


def _tags(kind: Kind) -> Iterator[Terminal]:
    """The beginning of a tag is a literal too."""
    if isinstance(kind, Tree):
        yield Terminal("@tag", (kind.prefix + "<",))


def _alone(terminal: Terminal) -> Iterator[tuple[TerminalProblem, str]]:
    if not terminal.spellings:
        yield "no_spelling", ""
    if "" in terminal.spellings:
        yield "empty_spelling", ""
    for spelling in terminal.last:
        if spelling not in terminal.spellings:
            yield "no_such_spelling", repr(spelling)
    for literals in (terminal.before, terminal.after):
        if len(literals) > FRAMINGS:
            yield "too_many_framings", str(len(literals))
        for place, literal in enumerate(literals):
            if not 0 < len(literal) <= GAP_CAP or literal.strip(WHITESPACE):
                yield "bad_framing", repr(literal)
            if any(literal.startswith(shorter) or literal.endswith(shorter) for shorter in literals[:place] if shorter):
                yield "framing_order", repr(literal)


def _together(one: Terminal, other: Terminal) -> Iterator[tuple[TerminalProblem, str]]:
    """What is wrong with `one` because of `other`."""
    if one.name < other.name and not set(one.spellings).isdisjoint(other.spellings):
        yield "same_spelling", other.name
    for spelling in _inner(one, other):
        yield "inner_spelling", f"{spelling!r} of {other.name}"
    for spelling in one.spellings:
        if any(_overlap(literal, spelling) for literal in other.before):
            yield "framing_overlap", other.name


def _inner(one: Terminal, other: Terminal) -> Iterator[str]:
    """Spellings of `other` that hold one of `one` strictly inside. At the end is no harm: both are complete there."""
    for inner in filter(None, one.spellings):
        for outer in other.spellings:
            if 0 < outer.find(inner, 1) < len(outer) - len(inner):
                yield outer


def _overlap(framing: str, spelling: str) -> bool:
    """May white space at the end of `framing` be the beginning of `spelling`?"""
    return any(spelling.startswith(framing[place:]) for place in range(len(framing)))
