"""The rows of a format's file, each with the line it stands on, and the names in them.

Names are looked up in the document as it was read, so that a wrong name in a row is told beside everything else, also where
the regions or terminals have defects of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from unbraid.core.compose import NOTHING
from unbraid.core.errors import Defect, NotationDefect
from unbraid.core.events import ANOMALIES
from unbraid.core.grammar import Row
from unbraid.core.nearest import nearest
from unbraid.core.notation import PSEUDO, SAME, read_rows
from unbraid.shell.format_defects import FileDefect, WrongField, WrongRow

ODDITIES: Final = (*ANOMALIES, "unknown_channel")
"""The kinds of anomalies that rows may report: the core's, and those that rows of the registered formats have of their own."""


@frozen
class Line:
    """A line of rows: its text, its number in the file if it is found there, and the rows that it is short for."""

    text: str
    number: int | None
    rows: tuple[Row, ...]


def read_lines(found: object, text: str, file: str, place: int | None, wrong: list[FileDefect]) -> tuple[Line, ...]:
    """The rows `found` in the document of `text`: a text, or a list of texts. `place`: the line where they begin."""
    given = found if isinstance(found, list) else [found]
    texts = [one for one in given if isinstance(one, str)]
    if len(texts) < len(given):
        wrong.append(WrongField(file, "rows", "expected a text, or a list of texts", line=place))
        return ()
    lines: list[Line] = []
    for row, number in _numbered("\n".join(texts), text, place):
        read = read_rows(row, file)
        wrong += [WrongRow(file, row, _reason(defect), line=number) for defect in read.swap().value_or(())]
        lines.append(Line(row, number, read.value_or(())))
    return tuple(lines)


def _reason(defect: Defect) -> str:
    return defect.problem if isinstance(defect, NotationDefect) else defect.describe()


def _numbered(rows: str, text: str, place: int | None) -> Iterator[tuple[str, int | None]]:
    """The lines of `rows`, each with its line in `text`; None where the file writes it in another way."""
    offset = 0
    for _ in range((place or 1) - 1):
        offset = text.index("\n", offset) + 1
    number, counted = place or 1, offset
    for line in rows.split("\n"):
        row = line.strip("\n\r\t ")
        found = text.find(row, offset) if row else -1
        if found >= 0:
            number, counted = number + text.count("\n", counted, found), found
            offset = found + len(row)
        if row:
            yield row, number if found >= 0 else None


# -- names -------------------------------------------------------------------------------------------------------------------


def unknown_names(document: Mapping[str, object], lines: tuple[Line, ...], file: str) -> Iterator[WrongRow]:
    """The names in rows that the document does not declare."""
    regions = _declared(document, "regions", tuple(region.name for region in NOTHING.regions))
    terminals = _declared(document, "terminals", PSEUDO)
    for line in lines:
        for kind, name, known in _used(line, regions, terminals):
            if known is not None and name not in known:
                near = nearest(name, known)
                others = f"; there are {', '.join(ODDITIES)}" if known is ODDITIES and not near else ""
                yield WrongRow(file, line.text, f"there is no {kind} {name!r}{others}", near, line.number)


def _used(
    line: Line, regions: tuple[str, ...] | None, terminals: tuple[str, ...] | None
) -> Iterator[tuple[str, str, tuple[str, ...] | None]]:
    """The names in a line, each once, with its kind and those that there are."""
    for name in dict.fromkeys(name for row in line.rows for name in (row.region, row.to) if name != SAME):
        yield "region", name, regions
    for name in dict.fromkeys(row.on for row in line.rows):
        yield "terminal", name, terminals
    for name in dict.fromkeys(row.odd for row in line.rows if row.odd):
        yield "anomaly kind", name, ODDITIES


def _declared(document: Mapping[str, object], key: str, more: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names under `key` and `more`; None if some of them cannot be read, so that nobody knows."""
    found = document.get(key)
    if not isinstance(found, list):
        return None
    names = [item.get("name") if isinstance(item, dict) else None for item in found]
    known = [name for name in names if isinstance(name, str)]
    return (*known, *more) if len(known) == len(names) else None
