"""Bytes to deltas."""

from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from unbraid.shell.arriving import LONGEST, arriving, words


class Trickle(BytesIO):
    """Gives `size` bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(min(size or 0, self._size))


@given(st.binary(max_size=60), st.integers(1, 9))
def test_nothing_is_lost(data: bytes, size: int) -> None:
    assert "".join(arriving(Trickle(data, size))) == data.decode("utf-8", "replace")


@given(st.text())
def test_words_join_and_are_short(text: str) -> None:
    assert "".join(words(text)) == text
    assert all(0 < len(word) <= LONGEST + 1 for word in words(text))
