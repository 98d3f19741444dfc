"""The right name beside a wrong one, for error texts only."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

LIKE: Final = 0.65
"""Least likeness of a suggestion, of 1."""


def nearest(name: str, known: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """At most `most` names from `known` that are like `name`, the best one first. Case, `-`, `_` and `.` do not matter.

    >>> nearest("Qwen3-Coder", ["qwen3", "qwen3_coder", "hermes"])
    ('qwen3_coder',)
    >>> nearest("hermes2", ["qwen3", "hermes"])
    ('hermes',)
    """
    plain: dict[str, str] = {}
    for right in known:
        plain.setdefault(_plain(right), right)
    if _plain(name) in plain:
        return (plain[_plain(name)],)
    return tuple(plain[match] for match in get_close_matches(_plain(name), plain, most, LIKE))


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(".", "")
