"""The clock: runs that are compared take turns, so that a busy minute of the machine falls on all of them.

Each sample is the time of enough calls to last `LEAST`; CPU time is this process's own, wall time is what a user waits. The
first call is not counted (it fills the tables that a warm machine has), nor is one before each sample: other runs have
had the processor's caches since. A run that may be made once only (`take_fresh`) is made anew for each sample, outside the
clock, and timed once. Objects made before are out of the garbage
collector's sight, as in a server that has frozen them; the collector runs.

A ready-made harness was no fit: pyperf runs each benchmark in processes of its own, one after the other, so what is
compared is not interleaved; pytest-benchmark neither.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter, process_time
from typing import Final, TypeAlias, TypeVar

from attrs import field, frozen

Key = TypeVar("Key")
Run: TypeAlias = Callable[[], object]

REPEATS: Final = 7
LEAST: Final = 0.004
"""Seconds of one sample, at least."""

MOST: Final = 1.5
"""Seconds for all samples of one run, but for the first two."""

CALLS: Final = 100_000


@frozen
class Times:
    """Seconds of one call: median and fastest sample, by CPU and by wall clock."""

    cpu_median: float
    cpu: float
    wall_median: float
    wall: float

    def per(self, count: int) -> Times:
        """The same in microseconds for each of `count` things."""
        scale = 1e6 / count
        return Times(self.cpu_median * scale, self.cpu * scale, self.wall_median * scale, self.wall * scale)


@frozen(eq=False)
class _Samples:
    make: Callable[[], Run]
    calls: int
    left: int
    fresh: bool
    cpu: list[float] = field(factory=list)
    wall: list[float] = field(factory=list)

    def take(self) -> None:
        """One more sample."""
        run = self.make()
        if not self.fresh:
            run()
        wall, cpu = perf_counter(), process_time()
        for _ in range(self.calls):
            run()
        self.cpu.append((process_time() - cpu) / self.calls)
        self.wall.append((perf_counter() - wall) / self.calls)


def take_turns(runs: Mapping[Key, Run], repeats: int = REPEATS) -> dict[Key, Times]:
    """The times of `runs`, interleaved."""
    return _taken({key: _calibrated(run, repeats) for key, run in runs.items()}, repeats)


def take_fresh(makers: Mapping[Key, Callable[[], Run]], repeats: int = REPEATS) -> dict[Key, Times]:
    """The times of what `makers` make, each of it run once, interleaved."""
    return _taken({key: _Samples(make, 1, repeats, fresh=True) for key, make in makers.items()}, repeats)


def pace() -> float:
    """Microseconds of a call of a Python function now: 0.02 to 0.03 on a machine that does nothing else."""
    times = take_turns({"": _calls}, 5)
    return times[""].per(CALLS).cpu


def _calls() -> None:
    for _ in range(CALLS):
        _nothing()


def _nothing() -> None:
    """The shortest function."""


def _taken(waiting: Mapping[Key, _Samples], repeats: int) -> dict[Key, Times]:
    gc.collect()
    gc.freeze()
    for turn in range(repeats):
        for samples in waiting.values():
            if turn < samples.left:
                samples.take()
    gc.unfreeze()
    return {key: _times(samples) for key, samples in waiting.items()}


def _calibrated(run: Run, repeats: int) -> _Samples:
    run()
    began = perf_counter()
    run()
    took = perf_counter() - began
    calls = max(1, round(LEAST / max(took, 1e-9)))
    return _Samples(lambda: run, calls, max(2, min(repeats, int(MOST / max(took, LEAST)))), fresh=False)


def _times(samples: _Samples) -> Times:
    return Times(median(samples.cpu), min(samples.cpu), median(samples.wall), min(samples.wall))
