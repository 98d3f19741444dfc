"""What may be wrong in a format's file: a line of text for each defect, which says where in the file it is.

As in `own.toml, line 7: regions[1].kind: there is no kind 'envelop'; did you mean 'envelope'?`
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from unbraid.core.errors import Defect as FormatDefect
from unbraid.core.errors import hint


@frozen
class UnreadableFile:
    """A file that cannot be read, or that is no TOML."""

    file: str
    reason: str
    line: int | None = None

    def describe(self) -> str:
        """One sentence."""
        return f"{_at(self.file, self.line)}: {self.reason}"


@frozen
class WrongField:
    """Something in a file that the format records have no place for. `path`: where, from the top of the file."""

    file: str
    path: str
    reason: str
    nearest: tuple[str, ...] = ()
    line: int | None = None

    def describe(self) -> str:
        """One sentence."""
        return f"{_at(self.file, self.line)}: {self.path}: {self.reason}{hint(self.nearest)}"


@frozen
class WrongRow:
    """A row that is none, or that names what is not there. `row`: as it stands in the file."""

    file: str
    row: str
    reason: str
    nearest: tuple[str, ...] = ()
    line: int | None = None

    def describe(self) -> str:
        """One sentence."""
        return f"{_at(self.file, self.line)}: row `{self.row}`: {self.reason}{hint(self.nearest)}"


@frozen
class WrongFormat:
    """A file that is well written, and still no format that can be run. `text`: what `defect` says, in the file's words."""

    file: str
    text: str
    defect: FormatDefect
    line: int | None = None

    def describe(self) -> str:
        """One sentence."""
        return f"{_at(self.file, self.line)}: {self.text}"


FileDefect: TypeAlias = UnreadableFile | WrongField | WrongRow | WrongFormat


def by_line(defects: list[FileDefect]) -> tuple[FileDefect, ...]:
    """Each once, in the order of the file; what is about the whole file first."""
    return tuple(sorted(dict.fromkeys(defects), key=lambda defect: defect.line or 0))


def _at(file: str, line: int | None) -> str:
    return file if line is None else f"{file}, line {line}"
