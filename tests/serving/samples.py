"""What the serving tests run over: every case of the corpus, and of each format one to be looked at closely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Final

from tests.corpus.reader import Case, cases
from unbraid.shell.stamps import Stamp

STAMP: Final = Stamp("chatcmpl-1", 1, "seed")
CLOSE: Final = 160
"""Code points of a case that is cut everywhere, at most."""


@cache
def close() -> tuple[Case, ...]:
    """For each pair of halves its longest case that is not too long to be cut everywhere."""
    longest: dict[tuple[str | None, str | None], Case] = {}
    for case in sorted(cases(), key=lambda case: len(case.text)):
        halves = (case.reasoning, case.tools)
        if len(case.text) <= CLOSE or halves not in longest:
            longest[halves] = case
    return tuple(longest.values())


def at_random(text: str, seed: str, most: int = 9) -> list[str]:
    """`text` in some pieces."""
    places = sorted(Random(seed).choices(range(len(text) + 1), k=most))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def groups(ids: Sequence[int], random: Random) -> Iterator[tuple[int, ...]]:
    """`ids` in deltas of one to four."""
    start = 0
    while start < len(ids):
        size = random.randint(1, 4)
        yield tuple(ids[start : start + size])
        start += size


def name_of(case: Case) -> str:
    """The pytest id of a case."""
    return f"{case.name}"
