"""What was measured, as records that can be saved as JSON and compared."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from attrs import frozen
from cattrs import structure, unstructure

from tests.bench.sizes import Sizes
from tests.bench.timing import Times, pace

Place: TypeAlias = tuple[str, str, str, str]
"""Subject, workload, feed, split."""


@frozen
class Cell:
    """Microseconds per token of one reading."""

    subject: str
    workload: str
    feed: str
    split: str
    tokens: int
    times: Times

    @property
    def place(self) -> Place:
        """What tells cells apart."""
        return self.subject, self.workload, self.feed, self.split


@frozen
class Held:
    """Sizes of one stream of single tokens."""

    subject: str
    workload: str
    feed: str
    sizes: Sizes


@frozen
class Rival:
    """A peer and ours on the same text, in turns; microseconds per token. `verdict`: `equal`, `differs`, `cut` (too slow
    to be read whole: the beginning was measured), or what it raised."""

    peer: str
    subject: str
    workload: str
    split: str
    tokens: int
    theirs: Times
    ours: Times
    verdict: str

    @property
    def ratio(self) -> float:
        """How many times as long the peer takes."""
        return self.theirs.cpu / self.ours.cpu


@frozen
class Results:
    """A whole run. `pace`: microseconds of an empty call meanwhile (`timing.pace`), for what else the machine did."""

    python: str
    machine: str
    date: str
    pace: float
    cells: list[Cell]
    held: list[Held]
    rivals: list[Rival]


def results(cells: Iterable[Cell], held: Iterable[Held], rivals: Iterable[Rival]) -> Results:
    """With where and when."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Results(platform.python_version(), platform.machine(), now, pace(), [*cells], [*held], [*rivals])


def save(path: Path, run: Results) -> None:
    """Write `run` to a file."""
    path.write_text(json.dumps(unstructure(run), indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> Results:
    """Read what `save` wrote."""
    return structure(json.loads(path.read_text(encoding="utf-8")), Results)


def ratios(before: Results, after: Results) -> dict[Place, tuple[float, float]]:
    """Fastest CPU microseconds per token before and after, for each cell of both runs."""
    known: Mapping[Place, Cell] = {cell.place: cell for cell in before.cells}
    both = ((known[cell.place], cell) for cell in after.cells if cell.place in known)
    return {new.place: (old.times.cpu, new.times.cpu) for old, new in both}
