"""The command line of the benchmark; `python -m tests.bench --help` lists the options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

import typer
from attrs import frozen
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.bench.feeding import FEEDS, SPLITS, Arrival, arrival, reading, unseen
from tests.bench.peer import Peer
from tests.bench.results import Cell, Held, Rival, load, results, save
from tests.bench.rivals import present, rivals, subjects_of
from tests.bench.sizes import sizes
from tests.bench.subjects import Subject, pairs, subject
from tests.bench.timing import REPEATS, Run, Times, pace, take_fresh, take_turns
from tests.bench.views import comparison, grid, holdings, rivalry
from tests.bench.workloads import NAMES, WORKLOADS, meant, streams
from unbraid.shell.messages import Message

QUICK: Final = "mixed,dense,think-2k,arg-2k"
FRESH_REPEATS: Final = 4
USUAL: Final = "qwen3_coder,hermes,deepseek_v4,glm45,harmony"

app: Final = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
out: Final = Console(width=220, highlight=False)
err: Final = Console(stderr=True, highlight=False)


@frozen
class Plan:
    """What to measure."""

    pairs: list[tuple[str | None, str | None]]
    workloads: list[str]
    feeds: list[str]
    splits: list[str]
    repeats: int
    unseen: bool


Names = Annotated[str, typer.Option("--formats", help="Tool halves (or reasoning halves without one), or `all`.")]
Loads = Annotated[str, typer.Option("--workloads", help=f"Of {', '.join(NAMES)}; or `quick`, or `all`.")]
Feeds = Annotated[str, typer.Option("--feeds", help=f"Of {', '.join(FEEDS)}; or `all`.")]
Splits = Annotated[str, typer.Option("--splits", help=f"Of {', '.join(SPLITS)} tokens in a delta; or `all`.")]


@app.command()
def bench(
    formats: Names = USUAL,
    workloads: Loads = "quick",
    feeds: Feeds = "all",
    splits: Splits = "all",
    repeats: Annotated[int, typer.Option(min=2, help="Samples of each number; long runs take fewer.")] = REPEATS,
    unseen: Annotated[
        bool, typer.Option("--unseen", help="Machines have read 50k other tokens, but never the text that is measured.")
    ] = False,
    memory: Annotated[bool, typer.Option("--memory", help="Also slowest delta, peak memory, size of states.")] = False,
    peers: Annotated[bool, typer.Option("--peers", help="Also other systems' parsers, as far as installed.")] = False,
    only_peers: Annotated[bool, typer.Option("--only-peers", help="Nothing but these.")] = False,
    save_to: Annotated[Path | None, typer.Option("--save", metavar="FILE", help="Save everything as JSON.")] = None,
    compare: Annotated[tuple[Path, Path] | None, typer.Option(metavar="A B", help="Compare two saved runs.")] = None,
) -> None:
    """Measure unbraid: formats × workloads × sizes of deltas × feeds, in microseconds per token."""
    if compare is not None:
        out.print(comparison(load(compare[0]), load(compare[1])))
        return
    plan = Plan(
        _pairs(formats),
        _workloads(workloads, unseen=unseen),
        _known(feeds, FEEDS),
        _known(splits, SPLITS),
        repeats,
        unseen,
    )
    cells, held = ([], []) if only_peers else _ours(plan, memory=memory)
    against = list(_peers(plan)) if peers or only_peers else []
    if held:
        out.print(holdings(held))
    for view in rivalry(against):
        out.print(view)
    if save_to is not None:
        save(save_to, results(cells, held, against))


def _known(words: str, among: Iterable[str]) -> list[str]:
    names = [*among] if words == "all" else words.split(",")
    for name in names:
        if name not in among:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(among)}")
    return names


def _workloads(words: str, *, unseen: bool) -> list[str]:
    """Those of one stream only, where every stream takes a new machine."""
    return _known(QUICK if words == "quick" else words, WORKLOADS if unseen else NAMES)


def _pairs(words: str) -> list[tuple[str | None, str | None]]:
    every = {tools or reasoning or "": (reasoning, tools) for reasoning, tools in pairs()}
    return [every[name] for name in _known(words, every)]


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True)


# -- ours --------------------------------------------------------------------------------------------------------------


def _ours(plan: Plan, *, memory: bool) -> tuple[list[Cell], list[Held]]:
    """All cells; each subject's table is printed when it is done. Workloads of a kind stand together: they take turns."""
    cells: list[Cell] = []
    held: list[Held] = []
    with _progress() as progress:
        task = progress.add_task("", total=len(plan.pairs) * len(plan.workloads))
        for pair in plan.pairs:
            one = subject(*pair)
            for kind, names in groupby(plan.workloads, lambda name: name.partition("-")[0]):
                progress.update(task, description=f"{one.name}, {kind}")
                arrivals = [_arrivals(one, name, progress) for name in names]
                cells += _cells([there for there in arrivals if there], plan)
                held += [_held(there[0], feed) for there in arrivals if there and memory for feed in plan.feeds]
                progress.advance(task, len(arrivals))
            out.print(grid(one.name, [cell for cell in cells if cell.subject == one.name], pace()))
    return cells, held


def _arrivals(one: Subject, name: str, progress: Progress) -> tuple[Arrival, ...]:
    found = streams(name, one)
    if not found:
        progress.console.print(f"{one.name} cannot say {name}")
    return tuple(arrival(one, stream) for stream in found)


@frozen(eq=False)
class _Place:
    """The streams of a workload, and how they come."""

    streams: tuple[Arrival, ...]
    feed: str
    split: str

    @property
    def names(self) -> tuple[str, str, str, str]:
        """Subject, workload, feed, split."""
        first = self.streams[0]
        return first.subject.name, first.workload.name, self.feed, self.split

    def cell(self, times: Times) -> Cell:
        """What one call took, told per token."""
        count = sum(len(one.workload.ids) for one in self.streams)
        return Cell(*self.names, count, times.per(count))


def _cells(loads: list[tuple[Arrival, ...]], plan: Plan) -> list[Cell]:
    """The cells of some workloads, measured in turns. Raises ValueError if a reading is wrong."""
    places = [_Place(load, feed, split) for load in loads for feed in plan.feeds for split in plan.splits]
    runs = {place: run for place in places if (run := _run(place)) is not None}
    for place, run in runs.items():
        if not all(meant(one.workload.turn, message) for one, message in zip(place.streams, run(), strict=True)):
            raise ValueError(f"{', '.join(place.names)}: the message is wrong")
    times = _unseen(list(runs), plan) if plan.unseen else take_turns(runs, plan.repeats)
    return [place.cell(found) for place, found in times.items()]


def _run(place: _Place) -> Callable[[], list[Message]] | None:
    """What reads the streams one after the other; None if the feed has no such split."""
    runs = [run for one in place.streams if (run := reading(one, place.feed, place.split)) is not None]
    return (lambda: [run() for run in runs]) if runs else None


def _unseen(places: list[_Place], plan: Plan) -> dict[_Place, Times]:
    makers = {place: partial(_made, place.streams[0], place.feed, place.split) for place in places}
    return take_fresh(makers, max(2, min(plan.repeats, FRESH_REPEATS)))


def _made(there: Arrival, feed: str, split: str) -> Run:
    run = unseen(there, feed, split)
    return run if run is not None else lambda: None


def _held(there: Arrival, feed: str) -> Held:
    return Held(there.subject.name, there.workload.name, feed, sizes(there, feed))


# -- peers -------------------------------------------------------------------------------------------------------------


def _peers(plan: Plan) -> Iterator[Rival]:
    found = present(err.print)
    with _progress() as progress:
        for peer in found:
            yield from _peer(peer, plan, progress)


def _peer(peer: Peer, plan: Plan, progress: Progress) -> Iterator[Rival]:
    known = subjects_of(peer, plan.pairs)
    task = progress.add_task(peer.name, total=len(known))
    for one in known:
        progress.update(task, description=f"{peer.name}: {one.name}")
        yield from rivals(
            peer, one, [name for name in plan.workloads if name in WORKLOADS], plan.repeats, progress.console.print
        )
        progress.advance(task)
