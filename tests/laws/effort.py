"""Numbers of tries, chosen by `UNBRAID_EFFORT`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from attrs import frozen

T = TypeVar("T")


@frozen
class Effort:
    """`examples` per Hypothesis test and composition · `short`: letters of the texts that are tried exhaustively ·
    `forks` per stream · `fuzz` inputs per format · and, None meaning all: `floods` per composition, three-way `cuts` per
    text, `places` per case at which every terminal is tried, `prefixes` per text, `lags` of a host."""

    examples: int
    short: int
    forks: int
    fuzz: int
    floods: int | None
    cuts: int | None
    places: int | None
    prefixes: int | None
    lags: int | None


_EFFORTS: Final = {
    "ci": Effort(6, 3, 12, 300, 12, 10, 6, 16, 2),
    "nightly": Effort(1000, 5, 50, 100_000, None, None, None, None, None),
}

EFFORT: Final = _EFFORTS[os.environ.get("UNBRAID_EFFORT") or "ci"]


def some(items: Sequence[T], most: int | None, seed: str) -> list[T]:
    """At most `most` of `items` in their order, the same in every run for one `seed`; None: all.

    >>> some("abc", None, ""), len(some("abc", 2, "x"))
    (['a', 'b', 'c'], 2)
    """
    if most is None or len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(Random(seed).sample(range(len(items)), most))]
