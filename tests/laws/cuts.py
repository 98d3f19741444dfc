"""Where law 1 cuts: a cut is a tuple of places, each strictly inside the input, ascending.

Inputs are sequences of code points or of tokens; `marks` are the spans of markers in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise
from typing import Final, TypeAlias, TypeVar, overload

from attrs import frozen

from tests.laws.effort import EFFORT, some

Cut: TypeAlias = tuple[int, ...]

SHORT: Final = 10
"""Inputs of at most this many items are cut in every way."""

SIZES: Final = range(1, 9)
"""Sizes of equal pieces; 1 is single code points, or single tokens."""


@frozen
class Span:
    """Items `start` to `stop` of the input."""

    start: int
    stop: int


def cuts(size: int, marks: Iterable[Span] = ()) -> Iterator[Cut]:
    """Every cut that the law asks for, each once; the first is the whole input. Of the three-way cuts a sample, unless
    the effort is nightly.

    >>> list(cuts(3))
    [(), (1,), (2,), (1, 2)]
    >>> (4,) in list(cuts(20, [Span(4, 8)])), (4, 15) in list(cuts(20, [Span(4, 8)]))
    (True, False)
    """
    return iter(dict.fromkeys(_all_cuts(size) if size <= SHORT else _many_cuts(size, marks)))


def _all_cuts(size: int) -> Iterator[Cut]:
    places = range(1, size)
    return chain.from_iterable(combinations(places, count) for count in range(max(size, 1)))


def _many_cuts(size: int, marks: Iterable[Span]) -> Iterator[Cut]:
    yield ()
    yield from ((place,) for place in range(1, size))
    around = [cut for span in marks for cut in _around(size, span)]
    yield from some(around, EFFORT.cuts, f"{size} {len(around)}")
    yield from (tuple(range(step, size, step)) for step in SIZES)


def _around(size: int, span: Span) -> Iterator[Cut]:
    """Three pieces: a cut at the marker's start or one item beside it, and a later one up to its end and one beyond."""
    for first in range(max(1, span.start - 1), min(span.start + 2, size)):
        yield from ((first, second) for second in range(first + 1, min(span.stop + 2, size)))


Item = TypeVar("Item")


@overload
def pieces(items: str, cut: Cut) -> Sequence[str]: ...


@overload
def pieces(items: Sequence[Item], cut: Cut) -> Sequence[Sequence[Item]]: ...


def pieces(items: Sequence[Item], cut: Cut) -> Sequence[Sequence[Item]]:
    """`items` cut into `len(cut) + 1` pieces.

    >>> pieces("abcd", (1, 3))
    ['a', 'bc', 'd']
    """
    places = (0, *cut, len(items))
    return [items[start:stop] for start, stop in pairwise(places)]
