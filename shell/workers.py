"""Many items through one function by several processes, in order.

    for answer in in_order(function, items, workers): ...

`function` and the items must be fit to be sent to another process; it is sent once to each, so that what it holds is the same
object for all items there. Only so much is read ahead that no worker waits, so the
memory does not grow with the number of items. Workers are started afresh ("spawn"), which is safe beside threads.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import Any, Final, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AT_ONCE: Final = 64
"""Items that are sent together."""

AHEAD: Final = 4
"""Groups of items, for each worker, that are under way."""


def in_order(function: Callable[[Item], Answer], items: Iterable[Item], workers: int) -> Iterator[Answer]:
    """`map(function, items)`, computed by `workers` processes; by this one if `workers` is 1."""
    if workers == 1:
        return map(function, items)
    return _by_processes(function, items, workers)


def _by_processes(function: Callable[[Item], Answer], items: Iterable[Item], workers: int) -> Iterator[Answer]:
    waiting: deque[Future[list[Answer]]] = deque()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _keep, (function,)) as pool:
        for group in _groups(items):
            waiting.append(pool.submit(_all, group))
            if len(waiting) >= workers * AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _groups(items: Iterable[Item]) -> Iterator[Sequence[Item]]:
    rest = iter(items)
    while group := list(islice(rest, AT_ONCE)):
        yield group


_SENT: Final[list[Callable[[Any], Any]]] = []
"""In a worker: the function it was started with."""


def _keep(function: Callable[[Any], Any]) -> None:
    _SENT[:] = [function]


def _all(group: Sequence[Item]) -> list[Any]:
    (function,) = _SENT
    return [function(item) for item in group]
