"""JSON Lines of outputs to JSON Lines of messages.

The n-th line out answers the n-th line in. Lines are read as they are needed and written as they are done; a bad line is
answered by an error object (`batch_line`) and counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import BinaryIO, TextIO

from attrs import frozen
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TimeElapsedColumn

from unbraid.shell.batch_line import Setup, answer_line
from unbraid.shell.workers import in_order


@frozen
class Tally:
    """How many lines there were, and how many of them were bad."""

    lines: int
    bad: int


def run_batch(setup: Setup, lines: Iterable[bytes], out: TextIO, workers: int = 1) -> Tally:
    """Answer `lines` to `out`."""
    count = bad = 0
    for text, good in in_order(partial(_answer, setup), enumerate(lines, 1), workers):
        out.write(text + "\n")
        count += 1
        bad += not good
    return Tally(count, bad)


def _answer(setup: Setup, numbered: tuple[int, bytes]) -> tuple[str, bool]:
    return answer_line(setup, *numbered)


def run_file(setup: Setup, source: BinaryIO, size: int | None, out: TextIO, workers: int) -> Tally:
    """`run_batch` with a progress bar on stderr. `size`: of the source in bytes, if it is known."""
    columns = (BarColumn(), TaskProgressColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("read", total=size)

        def counted() -> Iterable[bytes]:
            for line in source:
                yield line
                progress.advance(task, len(line))

        return run_batch(setup, counted(), out, workers)
