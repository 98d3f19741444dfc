"""JSON of unknown shape, from files and texts: what is not there reads as empty, what cannot be read is a defect."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

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
