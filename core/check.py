"""Compile-time checks: every way in which a format can be wrong without being run (law 10).

`check` finds all defects at once. What it looks at, a file each:

    here               names: what is declared, and whether everything that is used is
    check_shape        single regions and rows: kinds, channels, trials, exits, groups of conditional rows
    check_spelling     the literals that are live together in one region
    check_parameters   what is filled or chosen when the format is bound
    check_walk         all ways through the format: what is reached, which calls are open, which slots are filled

A half is checked as it would run alone, that is, composed with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from returns.result import Success

from unbraid.core.check_parameters import parameter_defects
from unbraid.core.check_shape import shape_defects
from unbraid.core.check_spelling import spelling_defects
from unbraid.core.check_walk import walk_defects
from unbraid.core.compose import complete
from unbraid.core.errors import Defect, RegionDefect, StartDefect, TerminalDefect, UnknownName
from unbraid.core.grammar import WHITESPACE, Format
from unbraid.core.index import index_of
from unbraid.core.nearest import nearest
from unbraid.core.notation import PSEUDO, REGION_NAME, SAME, TERMINAL_NAME
from unbraid.core.resolve import fill

NAME_LENGTH = 64
"""Most code points of a format's, region's or terminal's name."""


def check(fmt: Format) -> tuple[Defect, ...]:
    """All defects of `fmt`, in the order of the files above; empty if it can be compiled."""
    whole = complete(fill(fmt, None, {}))  # with the defaults of its parameters
    return (*parameter_defects(fmt), *whole.map(_defects).lash(Success).unwrap())


def _defects(fmt: Format) -> tuple[Defect, ...]:
    index = index_of(fmt)
    found = (*_names(fmt), *shape_defects(index), *spelling_defects(index), *walk_defects(index))
    return tuple(dict.fromkeys(found))


def _names(fmt: Format) -> Iterator[Defect]:
    if not all(_is_name(half) for half in fmt.name.split("+")):
        yield StartDefect(fmt.name, "bad_name", fmt.name)
    yield from _declared(fmt)
    yield from _used(fmt)
    yield from _start(fmt)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= NAME_LENGTH and not any(char in WHITESPACE for char in name)


def _declared(fmt: Format) -> Iterator[Defect]:
    regions = [region.name for region in fmt.regions]
    for name in _repeated(regions):
        yield RegionDefect(fmt.name, name, "twice")
    for name in regions:
        if not REGION_NAME.fullmatch(name):
            yield RegionDefect(fmt.name, name, "bad_name")
    terminals = [terminal.name for terminal in fmt.terminals]
    for name in _repeated(terminals):
        yield TerminalDefect(fmt.name, name, "twice")
    for name in terminals:
        if not TERMINAL_NAME.fullmatch(name):
            yield TerminalDefect(fmt.name, name, "bad_name")


def _used(fmt: Format) -> Iterator[Defect]:
    regions = [region.name for region in fmt.regions]
    terminals = [terminal.name for terminal in fmt.terminals]
    for row in fmt.rows:
        where = f"row `{row.region} {row.on} -> {row.to}`"
        for name in (row.region, row.to):
            if name not in regions and not (name == SAME and name is row.to):
                yield UnknownName(fmt.name, "region", name, where, nearest(name, [*regions, SAME]))
        if row.on not in terminals and row.on not in PSEUDO:
            yield UnknownName(fmt.name, "terminal", row.on, where, nearest(row.on, [*terminals, *PSEUDO]))


def _start(fmt: Format) -> Iterator[Defect]:
    start, regions = fmt.start, [region.name for region in fmt.regions]
    for where, name in (("start", start.on), ("start", start.off), *(("prompt scan", to) for _, to in start.scan)):
        if name not in regions:
            yield UnknownName(fmt.name, "region", name, where, nearest(name, regions))
    spellings = [spelling for spelling, _ in start.scan]
    for spelling in _repeated(spellings):
        yield StartDefect(fmt.name, "scan_twice", spelling)
    if "" in (*spellings, *start.stops):
        yield StartDefect(fmt.name, "empty_scan")
    if any(not switch.keys for switch in start.switches):
        yield StartDefect(fmt.name, "no_keys")


def _repeated(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)
