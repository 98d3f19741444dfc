"""Ids that write a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.encoding import encode

PIECES = (*(bytes([byte]) for byte in range(256)), b">\n", b"</", b"ab", "é".encode(), b"<x>")
BYTES = Vocabulary(PIECES, added={"<x>": 260})


@given(st.text() | st.lists(st.sampled_from(["<x>", "</", ">\n", "ab", "é"])).map("".join))
def test_ids_write_the_text(text: str) -> None:
    ids = encode(BYTES, text)
    assert ids is not None
    assert b"".join(map(BYTES.piece, ids)) == text.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ()), ("<x>", (260,)), ("a<x>>\n", (97, 260, 256)), ("abab", (258, 258)), ("<x", (60, 120))],
)
def test_longest_and_added_first(text: str, expected: tuple[int, ...]) -> None:
    assert encode(BYTES, text) == expected


def test_first_blank_is_written() -> None:
    assert encode(Vocabulary((b" a", b"a", b" "), drops_first_blank=True), "a") == (0,)


def test_what_cannot_be_written() -> None:
    assert encode(Vocabulary((b"a",)), "ab") is None
