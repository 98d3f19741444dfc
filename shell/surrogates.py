"""Lone surrogates, which a Python string may hold and no encoding of Unicode can.

    in text    each becomes U+FFFD
    in JSON    each becomes its escape; JSON text can hold one only inside of a string, where the escape says the same

A stream cuts anywhere, so both go by single code points: two halves that would make a pair are two lone ones.
"""

from __future__ import annotations

import json
import re
from codecs import utf_16_le_encode
from typing import Final

PORTION: Final = 1 << 14
"""Code points that are looked at together."""

_LONE: Final = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """`text` as it can be sent: without surrogates, of the same length in code points.

    >>> clean_text("a\\ud800b")
    'a\\ufffdb'
    """
    return text if _is_clean(text) else _LONE.sub("\ufffd", text)


def clean_json(text: str) -> str:
    r"""JSON text as it can be sent: surrogates escaped.

    >>> clean_json('{"a": "\ud800"}')
    '{"a": "\\ud800"}'
    """
    return text if _is_clean(text) else _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_clean(text: str) -> bool:
    """Has `text` no surrogate? Encoding it says so ten times sooner than looking for one; long text in portions, which need
    no new memory, as UTF-16, which takes half the time of UTF-8."""
    if text.isascii():
        return True
    try:
        if len(text) <= PORTION:
            text.encode()
        else:
            for place in range(0, len(text), PORTION):
                utf_16_le_encode(text[place : place + PORTION])
    except UnicodeEncodeError:
        return False
    return True


def json_line(value: object, indent: int | None = None) -> str:
    r"""`value` as JSON, on one line unless there is an indent; other than ASCII unescaped where it can be encoded.

    >>> json_line({"id": "é\ud800", "n": [1]})
    '{"id": "é\\ud800", "n": [1]}'
    """
    return clean_json(json.dumps(value, ensure_ascii=False, indent=indent))
