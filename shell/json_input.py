"""JSON of unknown shape, from files and texts: what is not there reads as empty, what cannot be read is a defect.

Python's reader takes `NaN` and `Infinity`, which are no JSON, and makes infinite what is too large for it, which cannot be written
as JSON again. `strict_json` finds both, and says in which field.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from pathlib import Path

from attrs import frozen

from unbraid.shell.vocabulary_draft import Draft, Unreadable


def load_json(path: Path, draft: Draft) -> object:
    """The JSON value of a file; None (and a defect) if there is none."""
    data = read_bytes(path, draft)
    return None if data is None else parse_json(str(path), data, draft)


def read_bytes(path: Path, draft: Draft) -> bytes | None:
    """The content of a file; None (and a defect) if it cannot be had."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        hint = "" if path.exists() else " (names of hubs are not looked up)"
        draft.defects.append(Unreadable(str(path), f"{getattr(error, 'strerror', None) or error}{hint}"))
        return None


def parse_json(origin: str, data: bytes, draft: Draft) -> object:
    """The JSON value in `data`; None (and a defect) if it is none."""
    try:
        with _collector_paused():
            value: object = json.loads(data)
            return value
    except (ValueError, RecursionError) as error:
        draft.defects.append(Unreadable(origin, f"not JSON: {error}"))
        return None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Half a million little lists, none of them garbage: pausing the cycle collector saves 40 % of the parse."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def mapping_of(value: object) -> Mapping[str, object]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def array_of(value: object) -> list[object]:
    """`value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


# -- numbers that are none -----------------------------------------------------------------------------------------------------


@frozen
class WrongNumber:
    """A number that cannot be written as JSON again. `path`: its field, as in `request.seed` or `tools[0].x`; "" is the whole."""

    path: str
    reason: str

    def describe(self) -> str:
        """One sentence."""
        return f"{self.path}: {self.reason}" if self.path else self.reason


@frozen
class _Odd:
    """Stands for such a number while its place is looked for."""

    reason: str


def strict_json(data: str | bytes) -> tuple[object, tuple[WrongNumber, ...]]:
    """The JSON value in `data`, and the numbers in it that are none. Raises ValueError or RecursionError if it is no JSON.

    >>> [wrong.describe() for wrong in strict_json('{"id": 1e999, "x": [NaN, 1.5]}')[1]]
    ['id: 1e999 is too large a number', 'x[0]: NaN is no JSON']
    """
    odd: list[_Odd] = []

    def number(text: str) -> object:
        value = float(text)
        return noted(f"{text[:_SHOWN]} is too large a number") if isinf(value) else value

    def noted(reason: str) -> _Odd:
        odd.append(_Odd(reason))
        return odd[-1]

    value: object = json.loads(data, parse_float=number, parse_constant=lambda text: noted(f"{text} is no JSON"))
    return value, tuple(_wrong_numbers(value)) if odd else ()


_SHOWN = 30
"""Code points of a number that are shown."""


def _wrong_numbers(value: object) -> Iterator[WrongNumber]:
    """Every such number with its path, in the order of the text."""
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        path, found = waiting.pop()
        if isinstance(found, _Odd):
            yield WrongNumber(path, found.reason)
        elif isinstance(found, dict):
            waiting += reversed([(f"{path}.{key}" if path else str(key), inner) for key, inner in found.items()])
        elif isinstance(found, list):
            waiting += reversed([(f"{path}[{place}]", inner) for place, inner in enumerate(found)])
