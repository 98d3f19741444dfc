"""Detokenizing gives at every split what decoding all bytes at once gives, and says whose each code point is."""

import codecs
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core import detokenize

# One byte of each kind that the rules of UTF-8 tell apart.
KINDS: Final = bytes((0x41, 0x80, 0x90, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xEF, 0xBD, 0xF0, 0xF4, 0xFF))
ALL_PREFIXES: Final = {
    encoded[:size]
    for point in range(0x80, 0x110000)
    if not 0xD800 <= point < 0xE000
    for encoded in [chr(point).encode()]
    for size in range(len(encoded))
}


def stream(pieces: list[bytes]) -> str:
    texts, pending = [], b""
    for piece in pieces:
        text, pending, lead = detokenize.decode(pending, piece)
        assert lead in (0, 1)
        assert text or not lead
        assert pending in ALL_PREFIXES
        texts.append(text)
    return "".join([*texts, detokenize.flush(pending)])


def starts(data: bytes) -> list[int]:
    """The place of the first byte of each code point of `data`, by the codec's own report of what it replaces."""
    bad: list[tuple[int, int]] = []

    def report(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        bad.append((error.start, error.end))
        return "", error.end

    codecs.register_error("tests.report", report)
    codecs.decode(data, "utf-8", "tests.report")
    good = {place for place, byte in enumerate(data) if not 0x80 <= byte < 0xC0}
    inside = {place for start, end in bad for place in range(start, end)}
    return sorted((good - inside) | {start for start, _ in bad})


def two_way(data: bytes) -> list[list[bytes]]:
    return [[data[:cut], data[cut:]] for cut in range(1, len(data))]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_split_of_small_inputs(size: int) -> None:
    for kinds in product(KINDS, repeat=size):
        data = bytes(kinds)
        whole = data.decode("utf-8", "replace")
        for pieces in ([data], [bytes([byte]) for byte in data], *two_way(data)):
            assert stream(pieces) == whole, pieces


@given(st.lists(st.binary(max_size=6) | st.text(max_size=3).map(str.encode)))
def test_any_split(pieces: list[bytes]) -> None:
    assert stream(pieces) == b"".join(pieces).decode("utf-8", "replace")


@given(st.text(), st.integers(1, 5))
def test_valid_text_cut_at_any_width(text: str, width: int) -> None:
    data = text.encode()
    assert stream([data[place : place + width] for place in range(0, len(data), width)]) == text


@pytest.mark.parametrize("size", [2, 3, 4])
def test_lead_is_where_the_first_byte_went(size: int) -> None:
    for kinds in product(KINDS, repeat=size):
        data = bytes(kinds)
        for before, piece in two_way(data):
            head, pending, _ = detokenize.decode(b"", before)
            text, _, lead = detokenize.decode(pending, piece)
            owner = max(index for index, start in enumerate(starts(data)) if start <= len(before))
            assert lead == (owner - len(head) if text else 0), (before, piece)


@pytest.mark.parametrize(
    ("pending", "piece", "expected"),
    [
        (b"", b"", ("", b"", 0)),
        (b"", b"\xe2\x82", ("", b"\xe2\x82", 0)),
        (b"\xe2\x82", b"", ("", b"\xe2\x82", 0)),
        (b"\xe2\x82", b"\xac", ("€", b"", 0)),
        (b"\xe2\x82", b"\xac\xf0\x9f", ("€", b"\xf0\x9f", 0)),
        (b"\xe2\x82", b"a", ("\ufffda", b"", 1)),
        (b"\xe2\x82", b"\xf0", ("\ufffd", b"\xf0", 1)),  # its own code point is still to come
        (b"\xe2\x82", b"\xff", ("\ufffd\ufffd", b"", 1)),
        (b"\xef\xbf", b"\xbd", ("\ufffd", b"", 0)),  # an honest U+FFFD
        (b"", b"\xed\xa0", ("\ufffd\ufffd", b"", 0)),  # half a surrogate is never pending
        (b"\xed", b"\xa0", ("\ufffd\ufffd", b"", 1)),
        (b"\xf0\x9f\x92", b"\xa9", ("💩", b"", 0)),
    ],
)
def test_decode(pending: bytes, piece: bytes, expected: tuple[str, bytes, int]) -> None:
    assert detokenize.decode(pending, piece) == expected


def test_flush() -> None:
    assert detokenize.flush(b"") == ""
    assert detokenize.flush(b"\xf0\x9f\x92") == "\ufffd"
