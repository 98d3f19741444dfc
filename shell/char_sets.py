"""Sets of characters, and how a regular expression says them: as ranges alone, for compilers differ in what `\\w` or an escape is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from unbraid.shell.tag_nodes import escaped

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points, as ranges in order."""

LAST: Final = 0x10FFFF
SURROGATES: Final = ((0xD800, 0xDFFF),)
_NEGATION: Final = ord("^")


def ranges(chars: Iterable[str]) -> Ranges:
    """These characters.

    >>> ranges("cab")
    ((97, 99),)
    """
    return joined((ord(char), ord(char)) for char in chars)


def outside(found: Ranges) -> Ranges:
    """All other characters."""
    made: list[tuple[int, int]] = []
    begin = 0
    for low, high in found:
        if begin < low:
            made.append((begin, low - 1))
        begin = high + 1
    return (*made, (begin, LAST)) if begin <= LAST else tuple(made)


def joined(some: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in any order, as they are kept."""
    made: list[tuple[int, int]] = []
    for low, high in sorted(some):
        if made and low <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(made[-1][1], high))
        else:
            made.append((low, high))
    return tuple(made)


def without(found: Ranges, away: Ranges) -> Ranges:
    """The characters of one set that are not in another."""
    return outside(joined((*outside(found), *away)))


DIGITS: Final = joined([(0x30, 0x39)])
WORDS: Final = joined([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
NEWLINES: Final = ranges("\n\r\u2028\u2029")
SPACES: Final = joined([*ranges("\t\v\f \xa0\u1680\u202f\u205f\u3000\ufeff"), *NEWLINES, (0x2000, 0x200A)])
SETS: Final = {
    "d": DIGITS,
    "D": outside(DIGITS),
    "w": WORDS,
    "W": outside(WORDS),
    "s": SPACES,
    "S": outside(SPACES),
}


def one_of(found: Ranges) -> str:
    """One of some characters, as a regular expression. Surrogates are none: compilers would let their bytes through.

    >>> one_of(ranges("ab-")), one_of(outside(ranges("<"))), one_of(ranges("^")), one_of(ranges("x"))
    ('[\\\\u002da-b]', '[^\\\\u003c\\\\ud800-\\\\udfff]', '\\\\^', 'x')
    """
    found = without(found, SURROGATES)
    if len(found) == 1 and found[0][0] == found[0][1]:
        char = chr(found[0][0])
        return escaped(char) if char.isascii() and char.isprintable() else _char(found[0][0])
    if found[-1][1] == LAST:
        return f"[^{_ranges(outside(found))}]"
    return f"[{_ranges(_negation_last(found))}]"


def _negation_last(found: Ranges) -> Sequence[tuple[int, int]]:
    """A class may not begin with `^`, however it is written."""
    low, high = found[0]
    if low != _NEGATION:
        return found
    rest = ((low + 1, high),) if low < high else ()
    return (*rest, *found[1:], (low, low))


def _ranges(found: Iterable[tuple[int, int]]) -> str:
    return "".join(_char(low) if low == high else f"{_char(low)}-{_char(high)}" for low, high in found)


def _char(code: int) -> str:
    char = chr(code)
    plain = char.isalnum() or (code > 0xFFFF)
    return char if plain else f"\\u{code:04x}"


def repeated(least: int, most: int | None) -> str:
    """How often something stands there. `?` is not written: xgrammar 0.2.9 lets a part of `(?:ab+)?` stand alone.

    >>> repeated(0, None), repeated(1, None), repeated(0, 1), repeated(2, 2), repeated(2, None), repeated(2, 5), repeated(1, 1)
    ('*', '+', '{0,1}', '{2}', '{2,}', '{2,5}', '')
    """
    short = {(0, None): "*", (1, None): "+", (1, 1): ""}.get((least, most))
    if short is not None:
        return short
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
