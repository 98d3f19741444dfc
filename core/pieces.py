"""Growing texts and tuples that are never rebuilt for each addition: ropes, flat.

A rope is a tuple of non-empty pieces whose sizes, measured in binary digits, strictly fall from left to right: each
piece is of a lower power of two than the one before it. Whatever is added is joined, once, with the pieces at the end
that are not larger in that measure, as the carry runs in a binary counter, and with those that are short together (`SHORT`):
what holds little is one object. From that follow

- the length of the tuple: at most log2(n) + 1 pieces for n elements;
- the work: an element is copied once when it comes, less than `SHORT` times while its piece is short, and later only into
  a piece with more digits than the one that held it, so at most log2(n) + 2 + SHORT times in all.

A rope holds no other rope: `==`, `hash` and `repr` never recurse, and equal additions give equal ropes. The same
elements added in other sizes give another rope; compare what `join` gives.
"""

from collections.abc import Sequence, Sized
from itertools import chain
from typing import Final, TypeVar

SHORT: Final = 32
"""Pieces of no more elements together are one."""

_Element = TypeVar("_Element")


def append(pieces: tuple[str, ...], piece: str) -> tuple[str, ...]:
    """The rope of text `pieces` with `piece` added at its end. The empty rope is `()`.

    >>> append(("ab", "c"), "d")
    ('abcd',)
    >>> [len(piece) for piece in append(("a" * 64,), "b" * 20)]
    [64, 20]
    """
    if not piece:
        return pieces
    kept = _kept(pieces, len(piece))
    return (*pieces[:kept], "".join((*pieces[kept:], piece)))


def join(pieces: tuple[str, ...]) -> str:
    """The whole text.

    >>> join(("abcd", "ef", "g"))
    'abcdefg'
    """
    return "".join(pieces)


def append_all(pieces: tuple[tuple[_Element, ...], ...], piece: Sequence[_Element]) -> tuple[tuple[_Element, ...], ...]:
    """The rope of tuples `pieces` with the elements of `piece` added at its end. The empty rope is `()`.

    >>> append_all(((1, 2, 3),), (4, 5))
    ((1, 2, 3, 4, 5),)
    """
    if not piece:
        return pieces
    kept = _kept(pieces, len(piece))
    return (*pieces[:kept], tuple(chain(*pieces[kept:], piece)))


def join_all(pieces: tuple[tuple[_Element, ...], ...]) -> tuple[_Element, ...]:
    """All elements.

    >>> join_all(((1, 2), (3,)))
    (1, 2, 3)
    """
    return tuple(chain.from_iterable(pieces))


def _kept(pieces: Sequence[Sized], size: int) -> int:
    """How many pieces stay as they are when `size` elements are added."""
    kept = len(pieces)
    while kept:
        last = len(pieces[kept - 1])
        if last + size > SHORT and last.bit_length() > size.bit_length():
            break
        kept -= 1
        size += last
    return kept
