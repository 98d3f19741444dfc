"""What one delta costs at worst, and what is held: the slowest delta, peak memory, the size of a state.

Each on a warm machine, at one token per delta. The slowest delta is the longest of the shortest times that each delta took
in several passes. Peak memory is what Python allocated beyond what was there before the stream: the states before and
after a step, its events, and its scratch, which is gone with the step and is told on its own. A state's size is that of
everything in it but what is the machine's: its tables (`plain`, `steps`, `passes`, `settled`), the names of its regions, the
literals of its terminals. Of a workload of many streams only the first is looked at.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Collection
from functools import cache
from time import perf_counter
from types import FunctionType
from typing import Final

from attrs import fields, frozen, has

from tests.bench.feeding import KINDS, Arrival, deltas
from unbraid.core.bind import Machine
from unbraid.core.machine import Delta, start, step
from unbraid.core.records import ParserState

PASSES: Final = 5
MOST_POINTS: Final = 500
"""States of one stream whose size is taken."""

SMALL: Final = 257
"""Python has each integer below this once (and above -6)."""

TABLES: Final = frozenset({"passes", "plain", "settled", "steps"})


@frozen
class Sizes:
    """`slowest`: microseconds; `peak`, `state`, `scratch`: bytes."""

    slowest: float
    peak: int
    state: int
    scratch: int = 0


def sizes(one: Arrival, feed: str) -> Sizes:
    """The sizes of a stream of single tokens."""
    fed = deltas(one, feed, "1")
    slowest = _slowest(one, feed, fed)
    peak, scratch = _peak(one, feed, fed)
    return Sizes(slowest, peak, _state(one, feed, fed), scratch)


def _begin(one: Arrival, feed: str) -> ParserState:
    return start(one.subject.machine, KINDS[feed], at=one.subject.at)


def _slowest(one: Arrival, feed: str, fed: list[Delta]) -> float:
    machine = one.subject.machine
    best = [float("inf")] * len(fed)
    gc.collect()
    gc.freeze()
    for _ in range(PASSES):
        state = _begin(one, feed)
        for place, (text, ids) in enumerate(fed):
            began = perf_counter()
            state, _events = step(machine, state, text, ids)
            took = perf_counter() - began
            best[place] = min(best[place], took)
    gc.unfreeze()
    return max(best) * 1e6


def _peak(one: Arrival, feed: str, fed: list[Delta]) -> tuple[int, int]:
    """The peak, and the most scratch of a step."""
    machine, peak, scratch = one.subject.machine, 0, 0
    tracemalloc.start()
    try:
        state = _begin(one, feed)
        before, _ = tracemalloc.get_traced_memory()
        for text, ids in fed:
            tracemalloc.reset_peak()
            after, _events = step(machine, state, text, ids)  # `state` is kept: it is what the step was given
            left, most = tracemalloc.get_traced_memory()
            peak, scratch = max(peak, most - before), max(scratch, most - left)
            state = after
        return peak, scratch
    finally:
        tracemalloc.stop()


def _state(one: Arrival, feed: str, fed: list[Delta]) -> int:
    machine, state = one.subject.machine, _begin(one, feed)
    shared = parts_of(machine)
    every = max(1, len(fed) // MOST_POINTS)
    largest = size_of(state, shared)
    for place, (text, ids) in enumerate(fed):
        state, _events = step(machine, state, text, ids)
        if place % every == 0:
            largest = max(largest, size_of(state, shared))
    return largest


def size_of(value: object, shared: Collection[int] = ()) -> int:
    """The bytes of `value` and everything in it, each object once; without objects whose id is in `shared`, and without
    those that Python has only one of (small numbers, truth values, empty things, single characters of Latin-1)."""
    return sum(map(sys.getsizeof, _parts(value, {*shared}).values()))


def parts_of(machine: Machine) -> frozenset[int]:
    """The ids of what a machine's states share: names of regions, literals of terminals, what is written in the core's code."""
    return frozenset(_parts(machine.format, set())) | _written()


@cache
def _written() -> frozenset[int]:
    """The ids of the constants and defaults in the core's code, of which there is one each however many states there are."""
    modules = [module for name, module in sys.modules.items() if name.startswith("unbraid.core.")]
    made = [part for module in modules for part in vars(module).values() if part.__class__ in (FunctionType, type)]
    kinds = [part for part in made if isinstance(part, type)]
    inner = [part for kind in kinds for part in vars(kind).values() if isinstance(part, FunctionType)]
    defaults = [field.default for kind in kinds if has(kind) for field in fields(kind)]
    codes = [part.__code__ for part in (*made, *inner) if isinstance(part, FunctionType)]
    constants = [constant for code in codes for constant in code.co_consts]
    return frozenset(map(id, (*_parts(defaults, set()).values(), *_parts(constants, set()).values())))


def _parts(value: object, seen: set[int]) -> dict[int, object]:
    found: dict[int, object] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not one or (isinstance(one, int) and one < SMALL) or _is_character(one):
            continue
        seen.add(id(one))
        found[id(one)] = one
        if isinstance(one, tuple | list):
            waiting.extend(one)
        elif has(kind := type(one)):
            waiting.extend(getattr(one, part.name) for part in fields(kind) if part.name not in TABLES)
    return found


def _is_character(one: object) -> bool:
    return isinstance(one, str) and len(one) == 1 and one < "\u0100"
