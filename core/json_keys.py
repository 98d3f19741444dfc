r"""The keys of a JSON object that the scanner has accepted."""

from __future__ import annotations

from typing import Final

from unbraid.core.json_scan import DONE, EMPTY, FIRST_KEY, KEY, VALUE, scan
from unbraid.core.json_text import unescape

_TOP: Final = EMPTY << 1 | 1
"""The nest inside one object."""


def top_keys(json: str) -> tuple[str, ...]:
    r"""The keys of the object `json`, without those of objects in it, in order. Linear, and never deeper than one call.

    >>> top_keys('{"a": {"x": "}"}, "b\\u0021": ["c", {"d": 1}]}')
    ('a', 'b!')
    """
    keys: list[str] = []
    pos, mode, nest, size = 0, VALUE, EMPTY, len(json)
    while pos < size and mode != DONE:
        pos, mode, nest = scan(json, pos, size, mode, nest, '"')
        if pos == size or mode == DONE:
            break
        start, is_key = pos + 1, nest == _TOP and mode in (KEY, FIRST_KEY)
        pos, mode, nest = scan(json, pos, start, mode, nest)
        pos, mode, nest = scan(json, pos, size, mode, nest, ':,]}"')
        if is_key:
            keys.append(unescape(json[start : json.rindex('"', start, pos)]))
    return tuple(keys)
