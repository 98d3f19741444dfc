"""Ropes: what they hold, how many pieces they have, how often an element is copied."""

from itertools import chain, pairwise
from math import log2
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.pieces import SHORT, append, append_all, join, join_all

SIZES: Final = st.lists(st.integers(0, 40), max_size=60)


def grown(sizes: list[int]) -> list[tuple[str, ...]]:
    """The rope after each addition; the added pieces are distinct slices of one text."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + sum(sizes))))
    ropes: list[tuple[str, ...]] = [()]
    pos = 0
    for size in sizes:
        ropes.append(append(ropes[-1], text[pos : pos + size]))
        pos += size
        assert join(ropes[-1]) == text[:pos]
    return ropes


def copied(ropes: list[tuple[str, ...]]) -> int:
    """Code points of the pieces that an addition made."""
    return sum(len(rope[-1]) for before, rope in pairwise(ropes) if rope != before)


@given(SIZES)
def test_pieces_fall_and_copies_are_bounded(sizes: list[int]) -> None:
    ropes, size = grown(sizes), sum(sizes)
    for rope in ropes:
        assert all(len(left).bit_length() > len(right).bit_length() for left, right in pairwise(rope))
        assert all(rope)
    if size:
        assert len(ropes[-1]) <= log2(size) + 1
        assert copied(ropes) <= size * (log2(size) + 2 + SHORT)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 9, 64, 1000])
def test_bounds_on_a_long_text(size: int) -> None:
    sizes = [size] * (20_000 // size)
    ropes, length = grown(sizes), sum(sizes)
    assert max(map(len, ropes)) <= log2(length) + 1
    assert copied(ropes) <= length * (log2(length) + 2 + SHORT / 2 / size)  # a short piece is half full on average


def test_what_is_short_is_one_piece() -> None:
    ropes = grown([1] * 100)
    assert all(len(rope) == 1 for rope in ropes[1 : SHORT + 1])
    assert all(sum(map(len, rope[-2:])) > SHORT for rope in ropes if len(rope) > 1)


def test_bounds_against_sizes_chosen_to_be_copied() -> None:
    sizes: list[int] = []
    rope: tuple[str, ...] = ()
    while sum(sizes) < 10_000:  # always just enough to carry over the smallest piece
        last = len(rope[-1]) if rope else 1
        sizes.append(1 if last == 1 else max(1, last // 2 + 1))
        rope = append(rope, "x" * sizes[-1])
    length = sum(sizes)
    assert copied(grown(sizes)) <= length * (log2(length) + 2 + SHORT)


def test_nothing_added_gives_the_same_rope() -> None:
    rope = append((), "abc")
    assert append(rope, "") is rope
    items = append_all((), (1, 2))
    assert append_all(items, ()) is items
    assert join(()) == ""
    assert join_all(()) == ()


@given(st.lists(st.lists(st.integers(), max_size=9), max_size=40))
def test_items_are_kept_like_text(additions: list[list[int]]) -> None:
    rope: tuple[tuple[int, ...], ...] = ()
    texts: tuple[str, ...] = ()
    for addition in additions:
        rope = append_all(rope, tuple(addition))
        texts = append(texts, "x" * len(addition))
        assert list(map(len, rope)) == list(map(len, texts))
    assert join_all(rope) == tuple(chain.from_iterable(additions))


def test_a_rope_is_a_flat_value() -> None:
    rope = grown([1] * 20_000)[-1]
    assert rope == grown([1] * 20_000)[-1]
    assert hash(rope) == hash(tuple(rope))
    assert all(type(piece) is str for piece in rope)
    assert repr(rope)
