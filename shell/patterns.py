"""The `pattern` of a JSON Schema as a grammar can say it: a regular expression of sets, groups and repetitions alone, for the whole text.

    ECMA 262, found anywhere            for the whole text
    ^[a-z]+\\.md$                        [a-z]+\\.md
    b|^c, without `<`                   (?:[^<]*b[^<]*|c[^<]*)

A set is a character, `.`, a class or an escape like `\\d`. It is written as the ranges that it holds, less the characters that must not stand
in the text. What can then not be written is left out: an optional part, one of several alternatives. Lengths beside a pattern go into
its only open repetition, if everything else in it is of a fixed length; else they are not said.

    less than the schema     anchors inside of a pattern or of a group are dropped, and the pattern is then the whole text
    more than the schema     look-around is dropped; many repetitions of a wide set (`WIDE_MOST`) are any number
    not at all               back references, `\\b`, Unicode properties, flags
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from attrs import define, evolve, frozen

from unbraid.shell.char_sets import (
    LAST,
    NEWLINES,
    SETS,
    SURROGATES,
    Ranges,
    joined,
    one_of,
    outside,
    ranges,
    repeated,
    without,
)

KEPT: Final = 512
"""Patterns that are kept."""

LONGEST: Final = 2_000
"""Code points of a pattern."""

DEEPEST: Final = 32
"""Groups within groups."""

DIGITS_MOST: Final = 4
"""Digits of a number of repetitions."""

NARROW: Final = 256
"""Characters of a set that is not wide."""

WIDE_MOST: Final = 64
"""Repetitions of a wide set that are said; more of them are any number. Each takes long to compile, for most tokens may stand there."""

_HEXADECIMAL: Final = re.compile("[0-9A-Fa-f]{1,6}")
CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


# -- reading -----------------------------------------------------------------------------------------------------------


class _UnsayableError(Exception):
    """Inside of this module: a pattern holds what no grammar says."""


@frozen
class _Item:
    """A part of a pattern: what is written for it, None if nothing can be. `found`: it is one of these characters."""

    text: str | None = ""
    least: int = 1
    most: int | None = 1
    found: Ranges | None = None
    anchor: Literal["", "^", "$"] = ""

    @property
    def fixed(self) -> bool:
        """Is its length known?"""
        return self.found is not None and self.least == self.most

    def written(self) -> str | None:
        """With its repetitions."""
        if self.text is None:
            return None if self.least else ""
        wide = self.found is not None and sum(high - low + 1 for low, high in self.found) > NARROW
        most = None if wide and self.most is not None and self.most > WIDE_MOST else self.most
        counts = (min(self.least, WIDE_MOST) if wide else self.least, most)
        return self.text and self.text + repeated(*counts)


_Way: TypeAlias = list[_Item]


@lru_cache(KEPT)
def said(pattern: str, away: Ranges = (), least: int = 0, most: int | None = None) -> str | None:
    """A pattern for the whole of a text without the characters `away`, and of this length if that can be said; None if it cannot.

    >>> said("(?i)a"), said("^[a-z]+$", (), 2, 8), said("^<.*>$", ranges("<"))
    (None, '[a-z]{2,8}', None)
    """
    ways, inner = _read(pattern, away)
    if len(ways) == 1 and not inner:
        ways = [_bounded(ways[0], least, most)]
    found = [text for way in ways if (text := _whole(way, away, inner)) is not None]
    return _either(found) if found else None


@frozen
class Repeated:
    """A character of a set, so often."""

    found: Ranges
    least: int
    most: int | None


@lru_cache(KEPT)
def single(pattern: str) -> Repeated | None:
    """A pattern that is but one set, repeated; None if it is another one.

    >>> single("^[^a]+$"), single("^a.$")
    (Repeated(found=((0, 96), (98, 1114111)), least=1, most=None), None)
    """
    ways = _read(pattern, ())[0]
    items = ways[0] if len(ways) == 1 else []
    if [item.anchor for item in items] != ["^", "", "$"] or items[1].found is None:
        return None
    return Repeated(items[1].found, items[1].least, items[1].most)


def _read(pattern: str, away: Ranges) -> tuple[list[_Way], bool]:
    """The alternatives of a pattern, and whether an anchor stands inside of one; no alternative if it cannot be said."""
    reader = _Reader(pattern, away)
    try:
        ways = reader.ways(0) if len(pattern) <= LONGEST else []
    except _UnsayableError:
        return [], False
    return (ways if reader.place == len(pattern) else []), reader.inner  # else a parenthesis too many


def _whole(way: _Way, away: Ranges, inner: bool) -> str | None:
    """An alternative for the whole text, with what may stand around it."""
    body = _written(item for item in way if not item.anchor)
    if body is None:
        return None
    begins = inner or bool(way and way[0].anchor == "^")
    ends = inner or bool(way and way[-1].anchor == "$")
    rest = one_of(outside(away)) + "*"
    return ("" if begins else rest) + body + ("" if ends or not (body or begins) else rest)


def _written(way: Iterable[_Item]) -> str | None:
    texts = [item.written() for item in way]
    return None if None in texts else "".join(text or "" for text in texts)


def _either(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"


def _bounded(way: _Way, least: int, most: int | None) -> _Way:
    """An alternative of characters for the whole text, with one repetition of no fixed length, of a length within bounds."""
    if len(way) < 2 or (way[0].anchor, way[-1].anchor) != ("^", "$"):
        return way
    items = [item for item in way if not item.anchor and item.text != ""]
    rest = [item for item in items if not item.fixed]
    if len(rest) != 1 or rest[0].found is None:
        return way
    size = sum(item.least for item in items if item.fixed)
    low = max(rest[0].least, least - size)
    ends = [end for end in (rest[0].most, None if most is None else most - size) if end is not None]
    high = min(ends, default=None)
    if high is not None and high < low:
        return way
    return [evolve(item, least=low, most=high) if item is rest[0] else item for item in way]


def _is_inner(way: _Way, index: int, depth: int) -> bool:
    """Does an anchor stand elsewhere than at its end of an alternative of the whole?"""
    anchor = way[index].anchor
    return anchor != "" and (depth > 0 or index != (0 if anchor == "^" else len(way) - 1))


@define
class _Reader:
    """Reads a pattern. `inner`: an anchor stood elsewhere than at the ends of an alternative."""

    text: str
    away: Ranges
    place: int = 0
    inner: bool = False

    def ways(self, depth: int) -> list[_Way]:
        """Alternatives, up to the end or a closing parenthesis."""
        found: list[_Way] = [[]]
        while self.place < len(self.text) and self.text[self.place] != ")":
            if self._takes("|"):
                found.append([])
            else:
                found[-1].append(self._item(depth))
        self.inner |= any(_is_inner(way, index, depth) for way in found for index in range(len(way)))
        return found

    def _takes(self, word: str) -> bool:
        found = self.text.startswith(word, self.place)
        self.place += len(word) if found else 0
        return found

    def _next(self) -> str:
        if self.place >= len(self.text):
            raise _UnsayableError
        self.place += 1
        return self.text[self.place - 1]

    def _item(self, depth: int) -> _Item:
        atom = self._atom(depth)
        if self.place >= len(self.text):
            return atom
        counts = self._counts()
        if counts is None:
            return atom
        if atom.anchor or self._takes("+"):
            raise _UnsayableError
        self._takes("?")
        least, most = counts
        return evolve(atom, least=least, most=most)

    def _counts(self) -> tuple[int, int | None] | None:
        for sign, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._takes(sign):
                return counts
        end = self.text.find("}", self.place)
        if self.text[self.place] != "{" or end < 0:
            return None
        low, comma, high = self.text[self.place + 1 : end].partition(",")
        if not low.isdecimal() or not (high.isdecimal() or not high):
            return None  # a brace
        if max(len(low), len(high)) > DIGITS_MOST:
            raise _UnsayableError
        self.place = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def _atom(self, depth: int) -> _Item:
        char = self._next()
        if char in "^$":
            return _Item(anchor="^" if char == "^" else "$")
        if char == "(":
            return self._group(depth + 1)
        if char in "*+?":
            raise _UnsayableError
        return self._one(self._set(char))

    def _set(self, char: str) -> Ranges:
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        return outside(NEWLINES) if char == "." else ranges(char)

    def _one(self, found: Ranges) -> _Item:
        left = without(found, joined((*self.away, *SURROGATES)))
        return _Item(one_of(left) if left else None, found=found)

    def _group(self, depth: int) -> _Item:
        if depth > DEEPEST:
            raise _UnsayableError
        looks = any(self._takes(sign) for sign in ("?=", "?!", "?<=", "?<!"))
        if not looks and self._takes("?") and not self._takes(":"):
            self._named()
        inner = self.inner
        ways = self.ways(depth)
        if not self._takes(")"):
            raise _UnsayableError
        if looks:
            self.inner = inner
            return _Item()
        found = [text for way in ways if (text := _written(item for item in way if not item.anchor)) is not None]
        return _Item(f"(?:{'|'.join(found)})" if found else None)

    def _named(self) -> None:
        self._takes("P")
        end = self.text.find(">", self.place)
        if not self._takes("<") or end < 0:
            raise _UnsayableError
        self.place = end + 1

    def _class(self) -> Ranges:
        away = self._takes("^")
        found: list[tuple[int, int]] = []
        while not self._takes("]"):
            low = self._member()
            if self.text.startswith("-", self.place) and not self.text.startswith("-]", self.place):
                self.place += 1
                high = self._member()
                if len(low) != 1 or len(high) != 1 or low[0][0] > high[0][0]:
                    raise _UnsayableError
                found.append((low[0][0], high[0][0]))
            else:
                found += low
        return outside(joined(found)) if away else joined(found)

    def _member(self) -> Ranges:
        char = self._next()
        if char != "\\":
            return ranges(char)
        return ranges("\b") if self._takes("b") else self._escape()

    def _escape(self) -> Ranges:
        char = self._next()
        if char in SETS:
            return SETS[char]
        if char in CONTROLS:
            return ranges(CONTROLS[char])
        if char in "xu":
            return self._code(2 if char == "x" else 4)
        if char.isalnum():
            raise _UnsayableError
        return ranges(char)

    def _code(self, size: int) -> Ranges:
        braced = size > 2 and self._takes("{")
        end = self.text.find("}", self.place) if braced else self.place + size
        digits = self.text[self.place : max(end, self.place)]
        if not _HEXADECIMAL.fullmatch(digits) or not (braced or len(digits) == size):
            raise _UnsayableError
        self.place = end + braced
        code = int(digits, 16)
        if code > LAST:
            raise _UnsayableError
        return ((code, code),)
