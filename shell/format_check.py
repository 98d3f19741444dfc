"""The core's checks of a format, told in the words of its file.

The core checks a half as it runs alone: completed with rows that the file does not hold. What is wrong with such a row is told
with the row of the file that it is a copy of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from unbraid.core.check import check
from unbraid.core.compose import FRESH_ROW, NOTHING
from unbraid.core.errors import (
    ComposeDefect,
    Defect,
    RegionDefect,
    RowDefect,
    StartDefect,
    TerminalDefect,
    UnknownName,
)
from unbraid.core.grammar import Format, Row
from unbraid.core.notation import show_row
from unbraid.shell.format_defects import FileDefect, WrongField, WrongFormat, WrongRow
from unbraid.shell.format_rows import Line
from unbraid.shell.toml_places import line_at


def format_defects(
    form: Format, lines: Sequence[Line], places: Mapping[str, int], file: str, known: Sequence[FileDefect]
) -> list[FileDefect]:
    """What `check` finds in `form`, without the names that are `known` to be wrong.

    What is no half is checked as the halves that it seems to be; it may be meant as a whole that has neither.
    """
    defects = check(form)
    told: list[FileDefect] = []
    if defects and not (form.reasoning or form.tools):
        told.append(WrongField(file, "the file", "is no half: write reasoning = true, tools = true, or both"))
        channels = {region.channel for region in form.regions}
        defects = check(evolve(form, reasoning="reasoning" in channels, tools="call" in channels))
    where = _Places(form, lines, places)
    names = {one.reason for one in known if isinstance(one, WrongRow)}
    for defect in defects:
        if not (isinstance(defect, UnknownName) and f"there is no {defect.kind} {defect.name!r}" in names):
            text, line = where.told(defect)
            told.append(WrongFormat(file, text, defect, line))
    return told


@frozen
class _Places:
    """Where in a file the parts of a format stand."""

    form: Format
    lines: Sequence[Line]
    places: Mapping[str, int]

    def told(self, defect: Defect) -> tuple[str, int | None]:
        """What a defect says, and the line of what it is about."""
        text = defect.describe().removeprefix(f"format {defect.format!r}: ")
        match defect:
            case RowDefect(row=row):
                said, line = self._row(row)
                return said + text.removeprefix(_core_name(row)), line
            case UnknownName(where=where) if where.startswith("row "):
                return self._unknown(where, text)
            case UnknownName() | StartDefect():
                return text, line_at(self.places, "start")
            case ComposeDefect(detail=detail):
                return self._given(detail, text)
            case RegionDefect(region=name):
                return text, self._named("regions", [region.name for region in self.form.regions], name)
            case TerminalDefect(terminal=name):
                return text, self._named("terminals", [terminal.name for terminal in self.form.terminals], name)
            case _:
                return text, None

    def _given(self, detail: str, text: str) -> tuple[str, int | None]:
        """What differs from what every half is completed with."""
        for region in NOTHING.regions:
            if region.name == detail:
                kind = type(region.kind).__name__.lower()
                said = f"region {detail!r} is the same in every half: kind {kind!r}, channel {region.channel!r}"
                return said, self._named("regions", [one.name for one in self.form.regions], detail)
        for line in self.lines:
            if any(f"{row.region} {row.on}" == detail for row in line.rows):
                return f"row `{line.text}`: every half gets `{show_row(FRESH_ROW)}`", line.number
        return text, None

    def _named(self, key: str, names: list[str], name: str) -> int | None:
        return line_at(self.places, f"{key}[{names.index(name)}]") if name in names else None

    def _unknown(self, where: str, text: str) -> tuple[str, int | None]:
        """A name that only completing the format shows to be unknown."""
        for line in self.lines:
            if any(_core_name(row) == where for row in line.rows):
                return f"row `{line.text}`{text.removeprefix(where)}", line.number
        return text, None

    def _row(self, row: Row) -> tuple[str, int | None]:
        """A row as the file has it, or where it comes from."""
        for line in self.lines:
            if row in line.rows:
                pair = f" (for {row.region} {row.on})" if len(line.rows) > 1 else ""
                return f"row `{line.text}`{pair}", line.number
        for line in self.lines:
            if any(_copied(one, row) for one in line.rows):
                return f"row `{line.text}`, copied to region {row.region!r} as every opener is,", line.number
        return f"{_core_name(row)}, which is not in the file,", None


def _core_name(row: Row) -> str:
    """A row as the core's defects name it."""
    return f"row `{row.region} {row.on} -> {row.to}`"


def _copied(row: Row, copy: Row) -> bool:
    return evolve(row, region=copy.region) == copy
