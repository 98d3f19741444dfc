"""A format seen from its regions: what the checks and the compiler of other views look things up in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from unbraid.core.grammar import Format, Region, Row, Terminal
from unbraid.core.notation import PSEUDO, SAME


@frozen(eq=False)
class Index:
    """The regions and terminals of a format by name, and its rows by region and terminal.

    Rows that use unknown names are left out, so that everything else can still be checked.
    """

    format: Format
    regions: Mapping[str, Region]
    terminals: Mapping[str, Terminal]
    rows: Mapping[str, Mapping[str, tuple[Row, ...]]]

    def target(self, row: Row) -> Region:
        """Where `row` leads."""
        return self.regions[row.region if row.to == SAME else row.to]

    def leaving(self, region: str) -> Iterator[Row]:
        """All rows of `region`."""
        for group in self.rows[region].values():
            yield from group

    def live(self, region: str) -> tuple[Terminal, ...]:
        """The terminals that `region` has rows for."""
        return tuple(self.terminals[on] for on in self.rows[region] if on not in PSEUDO)

    def starts(self) -> tuple[str, ...]:
        """The regions that generation may start in, without unknown ones."""
        start = self.format.start
        named = (start.on, start.off, *(region for _, region in start.scan))
        return tuple(dict.fromkeys(region for region in named if region in self.regions))


def index_of(fmt: Format) -> Index:
    """The index of `fmt`; of two records with one name the first counts."""
    regions = {region.name: region for region in reversed(fmt.regions)}
    terminals = {terminal.name: terminal for terminal in reversed(fmt.terminals)}
    known = {*terminals, *PSEUDO}
    rows: dict[str, dict[str, tuple[Row, ...]]] = {region.name: {} for region in fmt.regions}
    for row in fmt.rows:
        if row.region in regions and row.on in known and (row.to in regions or row.to == SAME):
            here = rows[row.region]
            here[row.on] = (*here.get(row.on, ()), row)
    return Index(fmt, regions, terminals, rows)
