"""Grammars of text of some length that holds none of some strings: the tag language says either, not both.

    at most `SHORT`    characters that begin none of the strings, or one of those alone
    least = 0          any text, with the most that it may be
    else               its first characters one by one, such that no string stands in them or reaches out of them; then any text

Such a first character is one that begins none of the strings, or the beginning of some of them and a character with which it goes on
otherwise: of `</a>` and `<b>`, that is `[^<]`, `<[^/b<]`, `</[^a<]` and so on, up to `DEEPEST` characters. Up to `EXACT` characters are said
so, more of them by `[^<]` alone. What is said is never too much and seldom too little: a text that begins almost like a marker may
not be quite as short or as long as it might.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from unbraid.shell.char_sets import one_of, outside, ranges, repeated
from unbraid.shell.tag_nodes import Node, any_text, either, literal, regex, sequence

EXACT: Final = 4
"""First characters that may be the beginning of a string."""

DEEPEST: Final = 4
"""Longest beginning of a string, with the character behind it."""

LEAST_MOST: Final = 32
"""The greatest least length that is said; each character of it takes its place in the compiled grammar."""

SHORT: Final = 32
"""Longest text whose characters are counted one by one."""

MOST_MOST: Final = 256
"""The longest text whose length is said; each such length takes seconds to compile."""


def long_text(excludes: Sequence[str], least: int, most: int | None, away: str = "") -> Node:
    """Text of a length. `away`: what none of its first characters may be."""
    least, most = min(least, LEAST_MOST), None if most is None or most > MOST_MOST else most
    firsts = "".join(sorted({*(word[0] for word in excludes), *away}))
    alone = {word[0] for word in excludes} - {*excludes, *away}
    ways = [regex(one_of(ranges(alone)))] if least <= 1 and most != 0 and alone else []
    if most is not None and most <= SHORT:
        plain = one_of(outside(ranges(firsts))) + repeated(min(least, most), most)
        return either([regex(plain) if most else literal(""), *ways])
    if not least:
        return any_text(excludes, most)
    return either([_begun(excludes, least, most, firsts), *ways])


def _begun(excludes: Sequence[str], least: int, most: int | None, firsts: str) -> Node:
    """First characters, and any text. How long that may be is one number, whichever way the text begins."""
    plain = one_of(outside(ranges(firsts)))
    astray = goes_on_otherwise(excludes, firsts, bounded=most is not None) if least <= EXACT else []
    size = least * (DEEPEST if astray else 1)
    unit = f"(?:{'|'.join((plain, *astray))})" + repeated(least, least)
    first = regex(f"(?:{plain}{repeated(least, size)}|{unit})" if astray and most is not None else unit)
    rest = None if most is None else most - size
    return first if rest == 0 else sequence([first, any_text(excludes, rest)])


def goes_on_otherwise(words: Iterable[str], firsts: str, *, bounded: bool = False) -> list[str]:
    """Regular expressions of what begins as some words do and then goes on otherwise, with none of the characters `firsts`. Their first
    character may stand there more than once, unless their length is `bounded`.

    >>> goes_on_otherwise(["<a>", "</"], "<", bounded=True)
    ['<(?:[^\\\\u002f\\\\u003ca\\\\ud800-\\\\udfff]|a[^\\\\u003c\\\\u003e\\\\ud800-\\\\udfff])']
    """
    return [
        one_of(ranges(char)) + ("" if bounded or _repeats(char, rests) else "+") + _onward(rests, firsts, DEEPEST - 1)
        for char, rests in _by_first(words).items()
        if "" not in rests
    ]


def beginnings(words: Iterable[str]) -> str:
    """A regular expression of what may stand at the end of a text that holds none of some words: their first characters.

    >>> beginnings(["<a>", "</"]), beginnings([])
    ('<*', '')
    """
    some = [char for char, rests in _by_first(words).items() if "" not in rests and not _repeats(char, rests)]
    return one_of(ranges(some)) + "*" if len(some) == 1 else ""


def _repeats(char: str, rests: Iterable[str]) -> bool:
    return any(rest.startswith(char) for rest in rests)


def _by_first(words: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[0], []).append(word[1:])
    return found


def _onward(rests: Iterable[str], firsts: str, deep: int) -> str:
    further = _by_first(rests)
    ways = [one_of(outside(ranges({*further, *firsts})))]
    if deep > 1:
        ways += [
            one_of(ranges(char)) + _onward(more, firsts, deep - 1) for char, more in further.items() if "" not in more
        ]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
