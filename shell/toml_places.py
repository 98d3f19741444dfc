r"""On which line of a TOML text each key and each item of an array stands; `tomllib` does not say.

    text -> {"name": 1, "regions": 4, "regions[0]": 5, "regions[0].kind": 5 ...}

The text must be valid TOML: `tomllib` has read it. So this is a walk over its tokens with a stack of the open arrays and inline
tables, which knows nothing of values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import define

_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
    r"|#[^\n]*|\n|[\[\]{},=.]|[^\n\r\t \[\]{},=.#\"']+",
    re.DOTALL,
)
_STEP: Final = re.compile(r"(?:\.[^.\[]*|\[\d+\])$")


def places_of(text: str) -> Mapping[str, int]:
    r"""The line, from 1, of each path.

    >>> dict(places_of("\n".join(["a = 1", "[[b]]", "c = [", "2,", "{ d.e = 3 }]"])))
    {'a': 1, 'b[0]': 2, 'b[0].c': 3, 'b[0].c[0]': 4, 'b[0].c[1]': 5, 'b[0].c[1].d': 5, 'b[0].c[1].d.e': 5}
    """
    walk = _Walk()
    line = 1
    for match in _TOKEN.finditer(text):
        walk.take(match.group(), line)
        line += match.group().count("\n")
    return walk.places


def line_at(places: Mapping[str, int], path: str) -> int | None:
    """The line of `path`, or of the nearest place around it; None if that is the whole file.

    >>> line_at({"a[0]": 7}, "a[0].missing.b"), line_at({"a[0]": 7}, "b.c")
    (7, None)
    """
    while path not in places:
        shorter = _STEP.sub("", path)
        if shorter == path:
            return None
        path = shorter
    return places[path]


@define
class _Open:
    """An array (with `item`, the number of its present item) or a table that is open. `here`: the path of its present value."""

    path: str
    item: int | None = None
    here: str = ""


class _Walk:
    """The places found so far."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.open: list[_Open] = [_Open("")]
        self.counts: dict[str, int] = {}
        self.keys: list[str] = []  # of the key or header that is being read
        self.header = 0  # brackets of the header that is being read
        self.wants_key = True

    def take(self, token: str, line: int) -> None:
        """One token, which begins on `line`."""
        if token == "\n":
            self._end_of_line(line)
        elif token.startswith("#"):
            return
        elif self.wants_key:
            self._key(token, line)
        else:
            self._value(token, line)

    def _end_of_line(self, line: int) -> None:
        """Lines count only outside of brackets."""
        if len(self.open) == 1:
            if self.header:
                self.open[0].path = self._headed(line)
            self.keys, self.header, self.wants_key = [], 0, True

    def _key(self, token: str, line: int) -> None:
        if token == "=":
            for part in self.keys:
                self.open[-1].here = _joined(self.open[-1].here, part)
                self.places.setdefault(self.open[-1].here, line)
            self.keys, self.wants_key = [], False
        elif token == "[" and not self.keys:
            self.header += 1
        elif token == "}":
            self._close()
        elif token not in {"]", ".", ","}:
            self.open[-1].here = self.open[-1].path
            self.keys.append(token.strip("\"'"))

    def _headed(self, line: int) -> str:
        """The path of the table behind a header."""
        path = ""
        for place, part in enumerate(self.keys):
            path = _joined(path, part)
            if self.header > 1 and place == len(self.keys) - 1:
                self.counts[path] = self.counts.get(path, 0) + 1
            if path in self.counts:
                path = f"{path}[{self.counts[path] - 1}]"
        self.places.setdefault(path, line)
        return path

    def _value(self, token: str, line: int) -> None:
        top = self.open[-1]
        if token in {"]", "}"}:
            self._close()
            return
        if top.item is None:
            self.wants_key = token == ","
        elif token == ",":
            top.item += 1
        else:
            top.here = f"{top.path}[{top.item}]"
            self.places.setdefault(top.here, line)
        if token in {"[", "{"}:
            self.open.append(_Open(top.here, item=0 if token == "[" else None))
            self.wants_key = token == "{"

    def _close(self) -> None:
        self.open.pop()
        self.keys, self.wants_key = [], False


def _joined(path: str, part: str) -> str:
    return f"{path}.{part}" if path else part
