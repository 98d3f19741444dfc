"""The tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import exp, log

from rich.table import Table
from rich.text import Text

from tests.bench.feeding import FEEDS, SPLITS
from tests.bench.results import Cell, Held, Results, Rival, ratios

SLOWER = 1.05
FASTER = 0.95
GROWTH = {"50x2k": "fifty of 2k, the same text", "2k": "one of 2k"}


def grid(subject: str, cells: Sequence[Cell], pace: float) -> Table:
    """One subject: workloads × feeds × splits, median and fastest CPU microseconds per token. `pace`: see `timing`."""
    columns = [
        (feed, split) for feed in FEEDS for split in SPLITS if any((c.feed, c.split) == (feed, split) for c in cells)
    ]
    note = f"an empty call takes {pace:.3f} µs at the moment (0.02 to 0.03 on a quiet machine)"
    title = f"{subject}: µs per token, median over fastest, CPU time"
    view = Table(title=title, title_justify="left", caption=note, caption_justify="left")
    view.add_column("workload")
    view.add_column("tokens", justify="right")
    for feed, split in columns:
        view.add_column(f"{feed}\n{split}", justify="right")
    for name, row in groupby(cells, key=lambda cell: cell.workload):
        by_column = {(cell.feed, cell.split): cell for cell in row}
        count = next(iter(by_column.values())).tokens
        view.add_row(name, f"{count:,}", *(_time(by_column.get(column)) for column in columns))
    for kind in ("think", "arg"):
        for short, name in GROWTH.items():
            grown = [_growth(cells, kind, short, *column) for column in columns]
            if any(grown):
                view.add_row(f"{kind}: 100k / {name}", "", *grown, style="dim")
    return view


def _time(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.times.cpu_median:.3f}\n{cell.times.cpu:.3f}"


def _growth(cells: Sequence[Cell], kind: str, short: str, feed: str, split: str) -> str:
    found = {c.workload: c.times.cpu for c in cells if (c.feed, c.split) == (feed, split)}
    small, large = found.get(f"{kind}-{short}"), found.get(f"{kind}-100k")
    return "" if small is None or large is None else f"{large / small:.2f}×"


def holdings(held: Iterable[Held]) -> Table:
    """Slowest delta, peak memory, state and scratch of every stream."""
    view = Table(title="one token per delta: slowest delta, peak memory above it, largest state", title_justify="left")
    for name in ("subject", "workload", "feed"):
        view.add_column(name)
    for name in ("slowest, µs", "peak, bytes", "state, bytes", "scratch, bytes"):
        view.add_column(name, justify="right")
    for one in held:
        sizes = one.sizes
        bytes_taken = (f"{size:,}" for size in (sizes.peak, sizes.state, sizes.scratch))
        view.add_row(one.subject, one.workload, one.feed, f"{sizes.slowest:.0f}", *bytes_taken)
    return view


def rivalry(rivals: Sequence[Rival]) -> Iterator[Table]:
    """A table for each peer: its time, ours, how many times faster ours is."""
    for peer in dict.fromkeys(rival.peer for rival in rivals):
        of_peer = [rival for rival in rivals if rival.peer == peer]
        view = Table(title=f"{peer}: µs per token, fastest CPU time", title_justify="left")
        for name in ("subject", "workload", "split"):
            view.add_column(name)
        for name in ("tokens", "theirs", "ours", "ratio"):
            view.add_column(name, justify="right")
        view.add_column("messages")
        for one in of_peer:
            where = (one.subject, one.workload, one.split, f"{one.tokens:,}")
            view.add_row(*where, f"{one.theirs.cpu:.3f}", f"{one.ours.cpu:.3f}", f"{one.ratio:.1f}×", one.verdict)
        for split, group in _by_split(of_peer):
            found = [one.ratio for one in group]
            view.add_row("geometric mean", "", split, "", "", "", f"{mean(found):.1f}×", f"least {min(found):.1f}×")
        yield view


def _by_split(rivals: Sequence[Rival]) -> Iterator[tuple[str, list[Rival]]]:
    for split in SPLITS:
        if found := [one for one in rivals if one.split == split]:
            yield split, found


def mean(found: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, found)) / len(found))


def comparison(before: Results, after: Results) -> Table:
    """Two runs, cell by cell."""
    view = Table(title=f"{before.date} against {after.date}: µs per token, fastest CPU time", title_justify="left")
    for name in ("subject", "workload", "feed", "split"):
        view.add_column(name)
    for name in ("before", "after", "after / before"):
        view.add_column(name, justify="right")
    both = ratios(before, after)
    for place, (old, new) in both.items():
        view.add_row(*place, f"{old:.3f}", f"{new:.3f}", _coloured(new / old))
    if both:
        view.add_row("geometric mean", "", "", "", "", "", _coloured(mean([new / old for old, new in both.values()])))
    return view


def _coloured(ratio: float) -> Text:
    return Text(f"{ratio:.2f}", style="red" if ratio > SLOWER else "green" if ratio < FASTER else "")
