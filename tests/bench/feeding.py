"""How a workload arrives: feeds × sizes of deltas.

feed    ids · text · both (the host's text in step) · lagging (the host's text `LAG` tokens behind its ids)
split   1 · 4 (tokens in a delta) · whole (one delta) · one-shot (`parse`, where the feed has it)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from attrs import frozen

from tests.bench.subjects import Subject, renewed
from tests.bench.workloads import OTHER, Workload, workload
from unbraid.core.machine import Delta
from unbraid.shell.bench import join, read, texts_of
from unbraid.shell.messages import Message
from unbraid.shell.opening import FeedKind
from unbraid.shell.session import parse

FEEDS: Final = ("ids", "text", "both", "lagging")
SPLITS: Final = ("1", "4", "whole", "one-shot")
LAG: Final = 3

WARMING: Final = ("think-30k", "arg-20k")
"""What a machine has read that is warm but has not seen a text before."""

KINDS: Final[dict[str, FeedKind]] = {"ids": "ids", "text": "text", "both": "both", "lagging": "both"}


@frozen(eq=False)
class Arrival:
    """A workload, ready to be fed."""

    subject: Subject
    workload: Workload
    texts: Sequence[str]


def arrival(subject: Subject, workload: Workload) -> Arrival:
    """With the host's text of each token."""
    return Arrival(subject, workload, texts_of(subject.encoder.vocabulary, workload.ids))


def reading(one: Arrival, feed: str, split: str) -> Callable[[], Message] | None:
    """What reads it all, from the first delta to the message; None if `feed` has no such split."""
    machine, at = one.subject.machine, one.subject.at
    if split != "one-shot":
        fed = deltas(one, feed, split)
        return lambda: read(machine, KINDS[feed], fed, at)
    if feed == "ids":
        return lambda: parse(machine, ids=one.workload.ids, at=at)
    return (lambda: parse(machine, one.workload.text, at=at)) if feed == "text" else None


def unseen(one: Arrival, feed: str, split: str) -> Callable[[], Message] | None:
    """As `reading`, on a new machine that has read other texts: `WARMING`, and one of the same kind, fed the same way."""
    subject = renewed(one.subject)
    for name in (*WARMING, one.workload.name):
        other = workload(name, subject, OTHER)
        run = None if other is None else reading(arrival(subject, other), feed, split)
        if run is not None:
            run()
    return reading(Arrival(subject, one.workload, one.texts), feed, split)


def deltas(one: Arrival, feed: str, split: str) -> list[Delta]:
    """The deltas of `one`; the last ones of a lagging host hold text alone."""
    ids, texts = one.workload.ids, one.texts
    size = len(texts) if split == "whole" else int(split)
    if feed != "lagging":
        return join(KINDS[feed], texts, ids, size)
    steps = [*zip(["", *[""] * (LAG - 1), *texts], [*((token,) for token in ids), *[()] * LAG], strict=True)]
    groups = [steps[place : place + size] for place in range(0, len(steps), size)]
    return [("".join(text for text, _ in group), tuple(token for _, new in group for token in new)) for group in groups]
