"""The splits of law 1."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.shell.cuts import cuts, pieces, smallest


@pytest.mark.parametrize("size", range(11))
def test_short_streams_are_cut_in_every_way(size: int) -> None:
    found = list(cuts(size))
    assert len(set(found)) == len(found) == 2 ** max(size - 1, 0)
    assert [len(cut) for cut in found] == sorted(len(cut) for cut in found)


@given(st.integers(11, 40), st.integers(0, 30), st.integers(1, 9))
def test_long_streams(size: int, start: int, length: int) -> None:
    end = min(start + length, size)
    found = set(cuts(size, [(min(start, end), end)]))
    assert () in found
    assert {(place,) for place in range(1, size)} <= found
    assert {tuple(range(step, size, step)) for step in range(1, 9)} <= found
    inner = range(max(start, 1), min(end + 1, size))
    assert {(left, right) for left in inner for right in inner if left < right} <= found


@given(st.integers(0, 40))
def test_cuts_are_increasing_and_inside(size: int) -> None:
    for cut in cuts(size, [(0, 3), (size - 2, size)] if size > 3 else ()):
        assert all(0 < place < size for place in cut)
        assert all(left < right for left, right in pairwise(cut))


@given(st.text(min_size=1, max_size=9), st.data())
def test_pieces_join_to_the_whole(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.sampled_from(list(cuts(len(text)))))
    assert "".join(pieces(text, cut)) == text
    assert len(pieces(text, cut)) == len(cut) + 1


@given(st.sets(st.integers(1, 60), min_size=1), st.data())
def test_smallest_keeps_what_matters(places: set[int], data: st.DataObject) -> None:
    cut = tuple(sorted(places))
    needed = data.draw(st.sets(st.sampled_from(cut), max_size=4))
    trials = 0

    def fails(less: tuple[int, ...]) -> bool:
        nonlocal trials
        trials += 1
        return needed <= set(less)

    assert smallest(cut, fails) == tuple(sorted(needed))
    assert trials <= 8 * (len(cut) + 1)
