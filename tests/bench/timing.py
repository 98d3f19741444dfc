"""The clock: runs that are compared take turns, so that a busy minute of the machine falls on all of them.

Each sample is the time of enough calls to last `LEAST`; CPU time is this process's own, wall time is what a user waits. The
first call is not counted (it fills the tables that a warm machine has). Objects made before are out of the garbage
collector's sight, as in a server that has frozen them; the collector runs.

A ready-made harness was no fit: pyperf runs each benchmark in processes of its own, one after the other, so what is
compared is not interleaved; pytest-benchmark neither.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter, process_time
from typing import Final, TypeVar

from attrs import field, frozen

Key = TypeVar("Key")

REPEATS: Final = 7
LEAST: Final = 0.004
"""Seconds of one sample, at least."""

MOST: Final = 1.5
"""Seconds for all samples of one run, but for the first two."""


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
    run: Callable[[], object]
    calls: int
    left: int
    cpu: list[float] = field(factory=list)
    wall: list[float] = field(factory=list)

    def take(self) -> None:
        """One more sample."""
        wall, cpu = perf_counter(), process_time()
        for _ in range(self.calls):
            self.run()
        self.cpu.append((process_time() - cpu) / self.calls)
        self.wall.append((perf_counter() - wall) / self.calls)


def take_turns(
    runs: Mapping[Key, Callable[[], object]], repeats: int = REPEATS, passed: Callable[[], object] = lambda: None
) -> dict[Key, Times]:
    """The times of `runs`, interleaved. `passed` is called when a run has all its samples."""
    gc.collect()
    gc.freeze()
    waiting = {key: _calibrated(run, repeats) for key, run in runs.items()}
    for turn in range(repeats):
        for samples in waiting.values():
            if turn < samples.left:
                samples.take()
            if turn == samples.left - 1:
                passed()
    gc.unfreeze()
    return {key: _times(samples) for key, samples in waiting.items()}


def _calibrated(run: Callable[[], object], repeats: int) -> _Samples:
    run()
    began = perf_counter()
    run()
    took = perf_counter() - began
    return _Samples(run, max(1, round(LEAST / max(took, 1e-9))), max(2, min(repeats, int(MOST / max(took, LEAST)))))


def _times(samples: _Samples) -> Times:
    return Times(median(samples.cpu), min(samples.cpu), median(samples.wall), min(samples.wall))
