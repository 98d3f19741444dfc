"""What the serving tests run over: every case of the corpus, and of each format one to be looked at closely."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Final

from tests.corpus.reader import Case, cases, few_cases
from unbraid.shell.stamps import Stamp

STAMP: Final = Stamp("chatcmpl-1", 1, "seed")
NIGHTLY: Final = os.environ.get("UNBRAID_EFFORT") == "nightly"
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


@cache
def spread(points: int) -> tuple[Case, ...]:
    """The cases of `close`, and others from everywhere, of at most `points` code points together; with `UNBRAID_EFFORT=nightly`
    all there are."""
    if NIGHTLY:
        return cases()
    found, left = list(close()), points - sum(len(case.text) for case in close())
    for case in Random("spread").sample(cases(), len(cases())):
        if case not in close() and len(case.text) <= left:
            found.append(case)
            left -= len(case.text)
    return tuple(found)


@cache
def telling() -> tuple[Case, ...]:
    """A few cases of each folder, and for each half and each strand that it has anywhere a case in which it has it."""
    found: dict[tuple[str, str, str], Case] = {}
    for case in sorted(cases(), key=lambda case: len(case.text)):
        for role, name in (("reasoning", case.reasoning), ("tools", case.tools)):
            for strand in strands(case):
                if name is not None:
                    found.setdefault((role, name, strand), case)
    return tuple(dict.fromkeys([*few_cases(), *found.values()]))


def strands(case: Case) -> list[str]:
    """What there is in the message of a case."""
    said = case.message
    there: Mapping[str, object] = {
        "reasoning": said.reasoning,
        "content": said.content,
        "call": [call for call in said.calls if call.complete],
        "open call": [call for call in said.calls if not call.complete],
    }
    return [strand for strand, what in there.items() if what]


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
