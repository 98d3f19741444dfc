"""Where a stream may be cut: the splits of law 1.

A *cut* is the increasing places, in units from the start, at which a stream of `size` units is divided; the empty cut is the
whole. The fewest places come first, so that the first cut that fails is among the smallest.

    size <= 10      every cut there is
    longer          the whole · every cut in two · around each marker every cut in three · pieces of 8, 7 ... 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, TypeAlias, TypeVar

Cut: TypeAlias = tuple[int, ...]
Extent: TypeAlias = tuple[int, int]
"""Start and end of a marker, in units."""

EXHAUSTIVE: Final = 10
"""Longest stream, in units, of which every cut is tried."""

LARGEST_PIECE: Final = 8

Unit = TypeVar("Unit", str, tuple[int, ...])


def cuts(size: int, markers: Sequence[Extent] = ()) -> Iterator[Cut]:
    """The cuts of a stream of `size` units with `markers` in it.

    >>> list(cuts(3))
    [(), (1,), (2,), (1, 2)]
    """
    if size <= EXHAUSTIVE:
        for places in range(max(size, 1)):
            yield from combinations(range(1, size), places)
        return
    yield ()
    yield from ((place,) for place in range(1, size))
    yield from _around(size, markers)
    for piece in range(LARGEST_PIECE, 0, -1):
        yield tuple(range(piece, size, piece))


def _around(size: int, markers: Sequence[Extent]) -> Iterator[Cut]:
    """Cuts in three, both places at a marker or directly beside it."""
    done: set[Cut] = set()
    for start, end in markers:
        for cut in combinations(range(max(start - 1, 1), min(end + 2, size)), 2):
            if cut not in done:
                done.add(cut)
                yield cut


def pieces(stream: Unit, cut: Cut) -> list[Unit]:
    """`stream` divided at `cut`.

    >>> pieces("abc", (1,))
    ['a', 'bc']
    """
    return [stream[start:end] for start, end in pairwise((0, *cut, len(stream)))]


def smallest(cut: Cut, fails: Callable[[Cut], bool]) -> Cut:
    """A cut with places of `cut` only that fails too, and of which no place can be left out.

    Leaves out runs of places, halving their length: at most about 2 n trials for n places that do not matter.

    >>> smallest((1, 2, 3, 4, 5), lambda cut: 2 in cut and 5 in cut)
    (2, 5)
    """
    run = len(cut)
    while run:
        place = 0
        while place < len(cut):
            less = cut[:place] + cut[place + run :]
            if fails(less):
                cut = less
            else:
                place += run
        run //= 2
    return cut
