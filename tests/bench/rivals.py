"""Peers against ours: the same text, in turns, and what both make of it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

from attrs import frozen

from tests.bench.feeding import KINDS, Arrival, arrival, deltas
from tests.bench.peer import Absent, Peer
from tests.bench.peer_harmony import harmony
from tests.bench.peer_sglang import sglang
from tests.bench.peer_transformers import transformers
from tests.bench.results import Rival
from tests.bench.subjects import Subject, subject
from tests.bench.timing import take_turns
from tests.bench.workloads import meant, workload
from unbraid.core.machine import Delta
from unbraid.shell.bench import read
from unbraid.shell.messages import Message
from unbraid.shell.session import parse

MAKERS: Final[tuple[Callable[[], Peer], ...]] = (transformers, sglang, harmony)
SPLITS: Final = ("1", "4", "one-shot")

LIMIT: Final = 2.0
"""Seconds that a peer gets for one stream; what it read until then is compared."""


def present(say: Callable[[str], object]) -> list[Peer]:
    """The peers that can run; `say` is told why the others cannot."""
    found: list[Peer] = []
    for make in MAKERS:
        try:
            found.append(make())
        except Absent as reason:
            say(f"no {reason}")
    return found


def subjects_of(peer: Peer, pairs: Iterable[tuple[str | None, str | None]]) -> list[Subject]:
    """The pairs that `peer` knows; ids are of the vocabulary that it needs."""
    return [subject(*pair, "gptoss" if peer.feed == "ids" else "qwen3") for pair in pairs if peer.knows(*pair)]


def rivals(
    peer: Peer, one: Subject, names: Iterable[str], repeats: int, say: Callable[[str], object]
) -> Iterator[Rival]:
    """`peer` against ours on the workloads `names`; `say` is told where the peer raises."""
    for name in names:
        load = workload(name, one)
        if load is None:
            continue
        there = arrival(one, load)
        for split in SPLITS:
            try:
                yield _rival(peer, there, split, repeats)
            except Exception as error:  # noqa: BLE001 - a peer may raise anything
                say(f"{peer.name}, {one.name}, {name}, {split}: {type(error).__name__}: {error}")


@frozen(eq=False)
class _Race:
    """Both readings of the same deltas. `whole`: they are all of the text."""

    theirs: Callable[[], Message]
    ours: Callable[[], Message]
    tokens: int
    whole: bool


def _rival(peer: Peer, there: Arrival, split: str, repeats: int) -> Rival:
    race = _one_shot(peer, there) if split == "one-shot" else _streams(peer, there, split)
    verdict = "cut" if not race.whole else "equal" if meant(there.workload.turn, _in_time(race.theirs)) else "differs"
    if race.whole and not meant(there.workload.turn, race.ours()):
        raise ValueError("our message is wrong")
    times = take_turns({"theirs": race.theirs, "ours": race.ours}, repeats)
    theirs, ours = (times[who].per(race.tokens) for who in ("theirs", "ours"))
    return Rival(peer.name, there.subject.name, there.workload.name, split, race.tokens, theirs, ours, verdict)


def _one_shot(peer: Peer, there: Arrival) -> _Race:
    machine, at, load = there.subject.machine, there.subject.at, there.workload
    ours: Callable[[], Message] = (
        (lambda: parse(machine, ids=load.ids, at=at))
        if peer.feed == "ids"
        else (lambda: parse(machine, load.text, at=at))
    )
    return _Race(lambda: peer.whole(there), ours, len(load.ids), whole=True)


def _streams(peer: Peer, there: Arrival, split: str) -> _Race:
    machine, at, feed = there.subject.machine, there.subject.at, KINDS[peer.feed]
    fed = deltas(there, peer.feed, split)
    kept = fed[: _readable(peer, there, fed)]
    count = min(len(there.workload.ids), len(kept) * int(split))
    return _Race(
        lambda: _read(peer, there, kept), lambda: read(machine, feed, kept, at), count, whole=len(kept) == len(fed)
    )


def _read(peer: Peer, there: Arrival, fed: Sequence[Delta]) -> Message:
    stream = peer.open(there)
    feed = stream.feed
    for text, ids in fed:
        feed(text, ids)
    return stream.close()


def _readable(peer: Peer, there: Arrival, fed: Sequence[Delta]) -> int:
    """How many deltas the peer reads within `LIMIT`; one may be its last, if a pattern of the peer's runs away in it."""
    stream, read = peer.open(there), 0
    with suppress(_Late), _alarm():
        for text, ids in fed:
            stream.feed(text, ids)
            read += 1
    return read


def _in_time(read: Callable[[], Message]) -> Message:
    try:
        with _alarm():
            return read()
    except _Late:
        raise TimeoutError(f"more than {LIMIT} s") from None


class _Late(BaseException):
    """The time is over. Not an `Exception`: a peer may catch those."""


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: object) -> NoReturn:
        raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
