r"""Python's literals as JSON: words and numbers whole, the bodies of strings piece by piece.

    word   = "True" | "False" | "None" | "true" | "false" | "null" | number
    number = ("+" | "-")? (digits ("." digits?)? | "." digits) (("e" | "E") ("+" | "-")? digits)?
    string = prefix? quote body quote             prefix = r | u | f | rf, quote = ' | " | ''' | triple "

A number keeps its spelling where that is JSON; leading zeros, `_` and `+` go, a bare point gets its zero. What is no finite
decimal number (hexadecimal, complex, `nan`, `1e999`) is none.

A string's escapes become what they mean, one that is none stays as it is written. A surrogate's `\uXXXX` stays an escape, so
that two halves are one code point for whoever reads the JSON. A raw line break is data, and so is everything else. In an
f-string `{{` and `}}` are braces, and a placeholder is no literal. `\N{...}` is not looked up: it is written text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Final, Literal, TypeAlias

from attrs import frozen

from unbraid.core.json_text import escape
from unbraid.core.run import Run
from unbraid.core.schema import Kinds, type_value

# -- words ---------------------------------------------------------------------------------------------------------------

_WORDS: Final = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_DIGITS: Final = r"[0-9](?:_?[0-9])*+"
_NUMBER: Final = re.compile(
    rf"(?P<sign>[+-]?)(?:(?P<whole>{_DIGITS})(?P<point>\.(?P<part>{_DIGITS})?)?|\.(?P<rest>{_DIGITS}))"
    rf"(?P<exponent>[eE][+-]?{_DIGITS})?"
)
_FINITE: Final = Kinds(frozenset({"number"}))


def word_json(word: str) -> str | None:
    """The JSON of a number or a constant; None if `word` is neither.

    >>> word_json("None"), word_json("-007_0.50"), word_json(".5e+3"), word_json("0x1f")
    ('null', '-70.50', '0.5e+3', None)
    """
    known = _WORDS.get(word)
    found = _NUMBER.fullmatch(word) if known is None else None
    if found is None:
        return known
    whole = (found["whole"] or "").replace("_", "").lstrip("0") or "0"
    part = found["part"] or found["rest"] or ("0" if found["point"] else "")
    number = found["sign"].replace("+", "") + whole + (f".{part}" if part else "") + (found["exponent"] or "")
    number = number.replace("_", "")
    return number if type_value(number, _FINITE) == number else None


# -- strings -------------------------------------------------------------------------------------------------------------

NO_STRING: Final = (0, "")

_OPENING: Final = re.compile(r"(?P<prefix>[rR][fF]|[fF][rR]|[rRuUfF])?(?P<quote>'''|\"\"\"|'|\")")
_CUT_OPENING: Final = re.compile(r"(?:[rR][fF]?|[fF][rR]?|[uU])?(?:''?|\"\"?)?")
_LONGEST_OPENING: Final = 5

_HEX: Final = "[0-9a-fA-F]"
_ESCAPE: Final = re.compile(
    rf"\\(?:(?P<octal>[0-7]{{1,3}})|x(?P<two>{_HEX}{{2}})|u(?P<four>{_HEX}{{4}})|U(?P<eight>{_HEX}{{8}})"
    r"|(?P<one>[\\'\"abfnrtv]))"
)
_CUT_ESCAPE: Final = re.compile(rf"\\(?:[0-7]{{0,2}}|x{_HEX}?|u{_HEX}{{0,3}}|U{_HEX}{{0,7}})")
_LONGEST_ESCAPE: Final = 10
_CONTINUED: Final = "\\\n"
_SHORT: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


def _special(prefix: str, mark: str) -> re.Pattern[str]:
    return re.compile(rf"[\\{mark[0]}{'{}' if 'f' in prefix else ''}]")


_SPECIALS: Final = {
    prefix + mark: _special(prefix, mark) for prefix, mark in product(("", "r", "f", "rf"), ("'", '"', "'''", '"""'))
}

Status: TypeAlias = Literal["data", "more", "closed", "bad", "skip"]
"""What stands at a place in a body: data · more: input ran out · closed: the end · bad: a placeholder · skip: a line that is
continued, nobody's code points."""


@frozen
class Body:
    """A piece of a body: it ends before `end`, and its JSON is `json`. What stands there has `size` code points."""

    end: int
    json: str
    status: Status
    size: int = 0


def string_start(text: str, place: int) -> tuple[int, str] | None:
    """(size, quote) of a string's opening at `place`; `NO_STRING` if none is there; None if more input decides.

    `quote` is the quotation mark behind `r` and `f`, as far as they count.

    >>> string_start("Rf'x'", 0), string_start("red", 0), string_start("r", 0)
    ((3, "rf'"), (0, ''), None)
    """
    rest = text[place : place + _LONGEST_OPENING]
    if len(rest) < _LONGEST_OPENING and rest and _CUT_OPENING.fullmatch(rest):
        return None
    found = _OPENING.match(rest)
    if found is None:
        return NO_STRING
    prefix = (found["prefix"] or "").lower()
    kept = ("r" if "r" in prefix else "") + ("f" if "f" in prefix else "")
    return found.end(), kept + found["quote"]


def read_body(run: Run, start: int, quote: str, ends: Callable[[int], bool | None], *, whole: bool = False) -> Body:
    """Read on in a string's body from `start`, without moving. `ends`: may the string end before this place? `whole`: read
    over what is to be skipped."""
    special = _SPECIALS[quote]
    parts: list[str] = []
    while True:
        found = special.search(run.buf, start)
        place = len(run.buf) if found is None else found.start()
        parts.append(escape(run.source(start, place)))
        if found is None:
            return Body(place, "".join(parts), "more")
        status, size, json = _at_special(run, place, quote, ends)
        if status != "data" and not (status == "skip" and whole):
            return Body(place, "".join(parts), status, size)
        parts.append(json)
        start = place + size


def _at_special(run: Run, place: int, quote: str, ends: Callable[[int], bool | None]) -> tuple[Status, int, str]:
    """(status, code points, their JSON) of what stands at `place`."""
    char = run.buf[place]
    if char == "\\":
        return _raw_backslash(run.buf, place) if "r" in quote else _backslash(run.buf, place)
    if char in "{}":
        return _brace(run.buf, place)
    return _quote(run.buf, place, quote.lstrip("rf"), ends)


def _quote(text: str, place: int, mark: str, ends: Callable[[int], bool | None]) -> tuple[Status, int, str]:
    size = len(mark)
    if not text.startswith(mark, place):
        if mark.startswith(text[place : place + size]):
            return "more", 0, ""
        return "data", 1, escape(mark[0])
    verdict = ends(place + size)
    if verdict is None:
        return "more", 0, ""
    return ("closed", size, "") if verdict else ("data", size, escape(mark))


def _brace(text: str, place: int) -> tuple[Status, int, str]:
    doubled = text[place : place + 2]
    if len(doubled) == 1:
        return "more", 0, ""
    return ("data", 2, doubled[0]) if doubled[0] == doubled[1] else ("bad", 0, "")


def _raw_backslash(text: str, place: int) -> tuple[Status, int, str]:
    pair = text[place : place + 2]
    if len(pair) == 1:
        return "more", 0, ""
    size = 2 if pair[1] in "\\'\"" else 1
    return "data", size, escape(pair[:size])


def _backslash(text: str, place: int) -> tuple[Status, int, str]:
    rest = text[place : place + _LONGEST_ESCAPE]
    if place + len(rest) == len(text) and _CUT_ESCAPE.fullmatch(rest):
        return "more", 0, ""
    if rest.startswith(_CONTINUED):
        return "skip", len(_CONTINUED), ""
    found = _ESCAPE.match(rest)
    json = None if found is None else _meaning(found)
    return ("data", 1, "\\\\") if found is None or json is None else ("data", found.end(), json)


def _meaning(found: re.Match[str]) -> str | None:
    """The JSON of an escape; None if there is no such code point."""
    one = found["one"]
    if one is not None:
        return escape(_SHORT.get(one, one))
    digits = found["two"] or found["four"] or found["eight"]
    code = int(digits, 16) if digits else int(found["octal"], 8)
    if code in _SURROGATES:
        return f"\\u{code:04x}"
    return escape(chr(code)) if code <= _LAST else None
