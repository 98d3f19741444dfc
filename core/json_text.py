r"""The bodies of JSON strings: writing text as one, and reading one back piece by piece.

A *body* is what stands between the quotes. Writing is per code point: `escape(a + b) == escape(a) + escape(b)`, so
that a stream can be written piece by piece. Only what the grammar demands is escaped: the quote, the backslash, and
the control code points below U+0020. Everything else, U+007F, U+2028 and lone surrogates too, stays as it is.

Reading needs a memory, because an escape may be cut, and because `\ud83d` means a code point of its own only if no low
half follows. `unescape_step` keeps what is undecided as text, the *pending* tail: at most 11 code points, the length of
`\ud83d\ude0`. An unpaired surrogate comes out as a lone surrogate code point; a pair in two raw halves is not joined.
"""

import re
from json.encoder import encode_basestring
from typing import Final

MAX_PENDING: Final = 11
"""Code points that `unescape_step` leaves pending, at most."""

_SHORT: Final = {r"\"": '"', r"\\": "\\", r"\/": "/", r"\b": "\b", r"\f": "\f", r"\n": "\n", r"\r": "\r", r"\t": "\t"}
_UNICODE_ESCAPE: Final = 6  # code points
_HEX: Final = "[0-9a-fA-F]"
_HIGH: Final = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_LOW: Final = rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
_LOW_CUT: Final = rf"\\(?:u(?:[dD](?:[c-fC-F]{_HEX}?)?)?)?"
_next_escape: Final = re.compile(
    rf"(?P<cut>\\(?:u{_HEX}{{0,3}})?\Z|{_HIGH}(?:{_LOW_CUT})?\Z)|(?P<pair>{_HIGH}{_LOW})|(?P<one>\\u{_HEX}{{4}})|\\.",
    re.DOTALL,
).finditer


def escape(text: str) -> str:
    r"""The JSON string body for `text`. Per code point, so that pieces may be escaped one by one.

    >>> print(escape('say "é"\n'))
    say \"é\"\n
    """
    return encode_basestring(text)[1:-1]


def quote(text: str) -> str:
    r"""The JSON string for `text`, quotes included.

    >>> print(quote("a\\b\x00"))
    "a\\b\u0000"
    """
    return encode_basestring(text)


def unescape_step(pending: str, text: str) -> tuple[str, str]:
    r"""Read the next piece `text` of a body behind what was `pending`, and return `(decoded, pending)`.

    The first `pending` is `""`. At the end of the body only a high surrogate can be pending; `unescape_end` gives it.
    The body has passed the scanner; should an escape be none of the grammar's, it is kept as it is written.

    >>> unescape_step("", r"tab\tand \ud83d\ude")
    ('tab\tand ', '\\ud83d\\ude')
    >>> unescape_step(r"\ud83d\ude", "00!") == ("\U0001f600!", "")
    True
    """
    body = pending + text
    if "\\" not in body:
        return body, ""
    if r"\u" not in body:
        return _unescape_short(body)
    parts: list[str] = []
    pos = 0
    for found in _next_escape(body):
        parts.append(body[pos : found.start()])
        pos = found.end()
        if found["cut"] is not None:
            return "".join(parts), found[0]
        parts.append(_meaning(found))
    parts.append(body[pos:])
    return "".join(parts), ""


def unescape_end(pending: str) -> str:
    r"""What `pending` means when the body ends there: a high surrogate alone. A cut escape is kept as it is written.

    >>> unescape_end(r"\ud83d") == "\ud83d"
    True
    """
    if len(pending) < _UNICODE_ESCAPE:
        return pending
    return _code_point(pending) + pending[_UNICODE_ESCAPE:]


def unescape(body: str) -> str:
    r"""The text of a whole body.

    >>> unescape(r"\u00e9\/\\")
    'é/\\'
    """
    decoded, pending = unescape_step("", body)
    return decoded + unescape_end(pending)


def _unescape_short(body: str) -> tuple[str, str]:
    r"""As `unescape_step`, for a body without `\u`. Two backslashes side by side are always one escape there."""
    *parts, last = body.split(r"\\")
    pending = "\\" if last.endswith("\\") else ""
    last = last[: len(last) - len(pending)]
    return "\\".join([_replaced(part) for part in (*parts, last)]), pending


def _replaced(part: str) -> str:
    """`part`, in which no backslash is escaped, with the short escapes replaced by what they stand for."""
    if "\\" in part:
        for written, meant in _SHORT.items():
            part = part.replace(written, meant)
    return part


def _meaning(found: re.Match[str]) -> str:
    """What a whole escape stands for."""
    written = found[0]
    if found["pair"] is not None:
        high, low = ord(_code_point(written)), ord(_code_point(written[_UNICODE_ESCAPE:]))
        return chr(0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF))
    if found["one"] is not None:
        return _code_point(written)
    return _SHORT.get(written, written)


def _code_point(written: str) -> str:
    return chr(int(written[2:_UNICODE_ESCAPE], 16))
