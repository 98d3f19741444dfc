"""Fields of a JSON object that somebody else wrote: what is wrong with them, each with its path.

A reader of fields never fails; it notes a defect, gives what stands in for the field, and goes on, so that all defects are
known at the end. A field that is null counts as left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from attrs import frozen

from unbraid.core.errors import hint
from unbraid.core.grammar import JsonScalar
from unbraid.core.nearest import nearest

Word = TypeVar("Word", bound=str)

_SCALARS: Final = (str, int, float, bool)

LONGEST_SHOWN: Final = 60
"""Code points of a wrong value that a defect shows."""

MOST_BITS: Final = 1 << 10
"""Of a whole number; Python refuses to write very large ones."""

DEEPEST: Final = 200
"""Objects and arrays within each other, in a schema."""


@frozen
class RequestDefect:
    """A field of a request that cannot stand as it is. `path`: as in `tools[0].function.name`; "" is the whole."""

    path: str
    problem: str
    allowed: str

    def describe(self) -> str:
        """One sentence.

        >>> RequestDefect("n", "0 is too small", "a whole number from 1 to 128").describe()
        'n: 0 is too small; allowed: a whole number from 1 to 128'
        """
        return f"{self.path or 'request'}: {self.problem}; allowed: {self.allowed}"


class Fields:
    """An object at `path`. `defects` are shared by all objects of a request."""

    def __init__(self, found: Mapping[str, object], path: str, defects: list[RequestDefect]) -> None:
        self.path = path
        self.defects = defects
        self._found = found

    def given(self, name: str) -> bool:
        """Is there something other than null?"""
        return self._found.get(name) is not None

    def value(self, name: str) -> object:
        """The field as it is."""
        return self._found.get(name)

    def items(self) -> Iterable[tuple[str, object]]:
        """All fields."""
        return self._found.items()

    def scalars(self) -> dict[str, JsonScalar]:
        """The fields whose values are neither objects nor arrays; a number that nobody can write is wrong."""
        found: dict[str, JsonScalar] = {}
        for name, value in self._found.items():
            if isinstance(value, int) and value.bit_length() > MOST_BITS:
                self.wrong(name, shown(value), f"a number of at most {MOST_BITS} bits")
            elif value is None or isinstance(value, _SCALARS):
                found[name] = value
        return found

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def wrong(self, name: str, problem: str, allowed: str) -> None:
        """Note a defect of a field."""
        self.defects.append(RequestDefect(self.at(name), problem, allowed))

    def flag(self, name: str, *, default: bool) -> bool:
        """A truth value."""
        value = self._found.get(name)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.wrong(name, shown(value), "true or false")
        return default

    def number(self, name: str, least: int, most: int, default: int | None) -> int | None:
        """A whole number."""
        value = self._found.get(name)
        if value is None:
            return default
        if type(value) is not int:
            self.wrong(name, shown(value), f"a whole number from {least} to {most}")
            return default
        if not least <= value <= most:
            size, given = "small" if value < least else "large", shown(value).removeprefix("found ")
            self.wrong(name, f"{given} is too {size}", f"a whole number from {least} to {most}")
            return default
        return value

    def text(self, name: str) -> str | None:
        """A string that is not empty."""
        value = self._found.get(name)
        if value is None or (isinstance(value, str) and value):
            return value
        self.wrong(name, shown(value), "a string that is not empty")
        return None

    def word(self, name: str, known: Sequence[Word]) -> Word | None:
        """One of some words."""
        value = self._found.get(name)
        if value is None:
            return None
        for word in known:
            if value == word:
                return word
        self.wrong(name, one_of(value, known), ", ".join(known))
        return None

    def inner(self, name: str) -> Fields | None:
        """An object."""
        value = self._found.get(name)
        if value is None or isinstance(value, Mapping):
            return None if value is None else Fields(value, self.at(name), self.defects)
        self.wrong(name, shown(value), "an object")
        return None

    def shallow(self, name: str) -> bool:
        """Is the field nested no deeper than anybody needs?"""
        if _depth_within(self._found.get(name), DEEPEST):
            return True
        self.wrong(name, f"nested more than {DEEPEST} deep", f"at most {DEEPEST} objects and arrays within each other")
        return False

    def array(self, name: str, what: str) -> Sequence[object] | None:
        """An array with at least one item."""
        value = self._found.get(name)
        if value is None or (isinstance(value, list) and value):
            return value
        self.wrong(name, "an empty array" if value == [] else shown(value), f"an array of {what}, at least one")
        return None

    def objects(self, name: str, what: str) -> list[Fields] | None:
        """An array of objects, at least one."""
        items = self.array(name, what)
        if items is None:
            return None
        found: list[Fields] = []
        for place, item in enumerate(items):
            if isinstance(item, Mapping):
                found.append(Fields(item, f"{self.at(name)}[{place}]", self.defects))
            else:
                self.wrong(f"{name}[{place}]", shown(item), f"one of the {what}: an object")
        return found


def shown(value: object) -> str:
    """A wrong value, as far as it helps.

    >>> shown(3), shown({"a": 1}), shown("x" * 99)
    ('found 3', 'found an object', 'found a string of 99 code points')
    """
    if isinstance(value, Mapping | list):
        return f"found an {'object' if isinstance(value, Mapping) else 'array'}"
    if isinstance(value, str) and len(value) > LONGEST_SHOWN:
        return f"found a string of {len(value)} code points"
    if isinstance(value, bool) or value is None:
        return f"found {str(value).lower().replace('none', 'null')}"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"found a number of {value.bit_length()} bits"
    return f"found {value!r}"


def _depth_within(value: object, most: int) -> bool:
    """Are at most `most` objects and arrays within each other? Level by level, so that no depth is too much for it."""
    level = [value]
    for _ in range(most):
        level = [inner for one in level for inner in _inner(one)]
    return not any(isinstance(one, Mapping | list) for one in level)


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def one_of(value: object, known: Sequence[str]) -> str:
    """A wrong word, with the nearest right ones.

    >>> one_of("requird", ["auto", "required"])
    "found 'requird'; did you mean 'required'?"
    """
    near = nearest(value, known) if isinstance(value, str) and len(value) <= LONGEST_SHOWN else ()
    return f"{shown(value)}{hint(near)}"
