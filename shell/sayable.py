"""A tool's JSON Schema as the compiler of grammars understands it: what it says of strings, rewritten where that would be misread.

    pattern                 for the whole string (`patterns`): the compiler takes any pattern so, and fails at what it does not know
    pattern and lengths     one pattern, where that can be said; the compiler forgets the lengths
    lengths                 of at most `SHORT` characters: a pattern, without escapes
                            up to `LONG`: the compiler's own, without escapes, but with control characters; where it forgets them, as longer
                            longer: the least one alone, as a pattern

A pattern for more characters would take long to compile. Without the spellings in `Strings.excludes` a pattern is said without their
first characters, or without their last ones, or left out.

A pattern that asks for a least length allows escapes. xgrammar 0.2.9 matches a pattern against what a string means, so that no
escape fits one; but with a character beyond ASCII in it against what is written. `RAW` is such a character, which no text holds. Where
a pattern is never matched against what is written, such a string is one without escapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Final

from attrs import frozen

from unbraid.core.schema import as_mapping
from unbraid.shell.char_sets import Ranges, joined, one_of, outside, ranges, repeated
from unbraid.shell.patterns import said
from unbraid.shell.text_nodes import beginnings, goes_on_otherwise

SHORT: Final = 32
"""Longest string whose lengths are a pattern."""

LONG: Final = 256
"""Longest string that has a greatest length."""

LEAST_MOST: Final = 4
"""The greatest least length of other strings."""

RAW: Final = "\uffff"
ESCAPE: Final = r'\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4})'

DEEPEST: Final = 64
"""Schemas within schemas that are rewritten."""

ESCAPED: Final = '"\\' + "".join(map(chr, range(0x20)))
"""What stands in no JSON string as it is."""

SCHEMAS: Final = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
NAMED: Final = frozenset(("properties", "patternProperties", "propertyNames"))
"""Keywords that say something of an object's keys."""
STRING_WORDS: Final = frozenset(("pattern", "minLength", "maxLength"))
MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


@frozen
class Strings:
    """How strings are written. `quoted`: as JSON, with escapes; `excludes`: spellings that must not stand in one; `keys`: a pattern for
    keys that no schema declares, where not all can be written."""

    quoted: bool = True
    excludes: tuple[str, ...] = ()
    keys: str = ""


JSON: Final = Strings()


def sayable(schema: object, strings: Strings = JSON, depth: int = 0) -> object:
    """The schema; the same object if nothing in it is rewritten.

    >>> sayable({"type": "string", "pattern": "^[ab]|^$"})
    {'type': 'string', 'pattern': '(?:[a-b][^\\\\u0000-\\\\u001f\\\\u0022\\\\u005c\\\\ud800-\\\\udfff]*|)'}
    """
    found = as_mapping(schema)
    if found is None or depth > DEEPEST:
        return schema
    made = dict(_string(found, strings))
    if strings.keys and found.get("type") == "object" and found.keys().isdisjoint(NAMED):
        made["propertyNames"] = {"pattern": strings.keys}
    for word, inner in found.items():
        if word in MAPS and isinstance(inner, Mapping):
            made[word] = _same(inner, {key: sayable(one, strings, depth + 1) for key, one in inner.items()})
        elif word in LISTS and isinstance(inner, list):
            rewritten = [sayable(one, strings, depth + 1) for one in inner]
            made[word] = inner if all(map(is_, inner, rewritten)) else rewritten
        elif word in SCHEMAS:
            made[word] = sayable(inner, strings, depth + 1)
    return _same(found, made)


def _same(old: Mapping[str, object], new: dict[str, object]) -> Mapping[str, object]:
    return old if len(old) == len(new) and all(new.get(key, new) is value for key, value in old.items()) else new


def _string(schema: Mapping[str, object], strings: Strings) -> Mapping[str, object]:
    """What a schema says of a string, with all else that it says."""
    pattern, bounds = schema.get("pattern"), lengths(schema)
    if not isinstance(pattern, str) and (bounds is None or _is_known(bounds[1], strings)):
        return schema
    told = _pattern(pattern if isinstance(pattern, str) else None, bounds or (0, None), strings)
    rest = {word: value for word, value in schema.items() if word not in STRING_WORDS}
    if told is None:
        return rest
    return {**rest, "pattern": told} if told else {**rest, "const": ""}


def _is_known(most: int | None, strings: Strings) -> bool:
    """Does the compiler know what a greatest length means?"""
    return strings == JSON and most is not None and SHORT < most <= LONG


def lengths(schema: Mapping[str, object]) -> tuple[int, int | None] | None:
    """The lengths that a string may have; None if nothing is said of them."""
    low, high = (_length(schema.get(word)) for word in ("minLength", "maxLength"))
    return None if not low and high is None else (low or 0, high)


def _length(found: object) -> int | None:
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _pattern(pattern: str | None, bounds: tuple[int, int | None], strings: Strings) -> str | None:
    low, high = bounds
    if pattern is not None:
        return whole(pattern, strings.excludes, low, high, ranges(ESCAPED) if strings.quoted else ())
    away = "".join(word[0] for word in strings.excludes) + (ESCAPED if strings.quoted else "")
    plain = one_of(outside(ranges(away)))
    if high is not None and high <= SHORT:
        return plain + repeated(min(low, high), high)
    if not low:
        return None
    units = [plain, *goes_on_otherwise(strings.excludes, away)]
    if strings.quoted:
        units = [one_of(outside(ranges(away + RAW))).replace(f"\\u{ord(RAW):04x}", RAW), ESCAPE, *units[1:]]
    unit = f"(?:{'|'.join(units)})"
    return unit * min(low, LEAST_MOST) + unit + "*" + beginnings(strings.excludes)


def whole(
    pattern: str, excludes: Sequence[str], least: int = 0, most: int | None = None, away: Ranges = ()
) -> str | None:
    """A pattern for all of a text that holds none of some spellings: without their first characters, or without their last ones."""
    for index in (0, -1):
        chars = ranges({word[index] for word in excludes})
        found = said(pattern, joined((*chars, *away)), least, most)
        if found is not None:
            return found
    return None
