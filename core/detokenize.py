"""Bytes of tokens to text, incrementally and purely.

    text, pending, lead = decode(pending, piece)      for every token, beginning with pending = b""
    text = flush(pending)                             at the end of input

Law: over any split of any bytes, the texts concatenate to `data.decode("utf-8", "replace")`.

*Pending* is what was read of a code point that is not complete: at most 3 bytes, and always a prefix of some valid
sequence. Bytes that cannot go on are given up by the maximal-subpart rule of Unicode (chapter 3.9, U+FFFD
substitution): the longest valid beginning becomes one U+FFFD, and every byte that begins nothing becomes one. So pending
bytes are worth exactly one U+FFFD when they are given up, and an honest U+FFFD (EF BF BD) is text like any other.
"""

from __future__ import annotations

from codecs import utf_8_decode


def decode(pending: bytes, piece: bytes) -> tuple[str, bytes, int]:
    r"""The text that `piece` completes after `pending`, the bytes still pending, and the lead of the piece.

    The *lead* is the index, in code points of the text, of the code point that the first byte of `piece` belongs to: 1 if
    the pending bytes were given up, else 0. If it is the length of the text, that code point is still pending.

    >>> decode(b"", b"caf\xc3")
    ('caf', b'\xc3', 0)
    >>> decode(b"\xc3", b"\xa9!")
    ('é!', b'', 0)
    >>> decode(b"\xc3", b"!")
    ('\ufffd!', b'', 1)
    """
    if not pending:
        text, rest = _complete(piece)
        return text, rest, 0
    text, rest = _complete(pending + piece)
    return text, rest, 0 if _continues(pending, piece) else 1


def flush(pending: bytes) -> str:
    r"""The text of bytes that nothing follows.

    >>> flush(b"\xf0\x9f"), flush(b"")
    ('\ufffd', '')
    """
    return "\ufffd" if pending else ""


def _complete(data: bytes) -> tuple[str, bytes]:
    """The text of the longest part of `data` that later bytes cannot change, and the bytes after it."""
    text, used = utf_8_decode(data, "replace", False)
    if used == len(data):
        return text, b""
    rest = data[used:]
    if len(rest) == 2 and rest[0] == 0xED and rest[1] >= 0xA0:
        # Half a surrogate: the decoder waits for a third byte, though no byte makes it valid.
        return text + "\ufffd\ufffd", b""
    return text, rest


def _continues(pending: bytes, piece: bytes) -> bool:
    """Whether the first byte of `piece` (if any) goes on with the code point of `pending`."""
    text, rest = _complete(pending + piece[:1])
    return len(text) + bool(rest) == 1
