"""Bytes of chunks that were written before.

The core gives the same event for the same plain token, in every request of a bound format, so the part of a chunk that says
what is new can be kept as bytes, by the identity of that event. What is in front of it (id, time, model, index) is the answer's; it is written once.

    line      = front head (logprobs tail)?
    head      = what a chunk adds behind `"delta":`, to the end of its event, or to the log probabilities in it
    logprobs  = those of its tokens; the host's, new each time
    tail      = what follows them
    head      = before said behind                    one event of a strand; before and behind are the strand's (`Seam`)
    several   = before said+ behind                   events of one strand are one chunk

A step may go by its fragment where no reducer holds anything (`Fed.quick`): what it does then depends on the event alone, and was
found out by the step that the fragment is of. Where tokens are shown, it depends on them too: `Covers`.

Fragments are kept per bound format and way of writing, at most `KEPT` of them, each of at most `LONGEST` bytes. An entry
holds its event, so no other one can have its identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from attrs import field, frozen

from unbraid.core.bind import Bound
from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, ReasoningChunk
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.plan import Plan
from unbraid.shell.sse import frame

KEPT: Final = 1 << 16
LONGEST: Final = 512


@frozen(eq=False)
class Covers:
    """The tokens that an event of `points` code points is of: `ids`. Of the first one `ahead` code points stand in events before,
    and some of them hidden if it is `dimmed`; of the last one `left` stand in this event and others in the next, if that is
    more than 0."""

    ids: tuple[int, ...]
    points: int
    ahead: int = 0
    dimmed: bool = False
    left: int = 0
    whole: bool = field(init=False)

    @whole.default
    def _whole(self) -> bool:
        return not (self.ahead or self.left)

    @property
    def shown(self) -> tuple[int, ...]:
        """The ids that a client gets with the event, if it reads it."""
        return self.ids[1 if self.dimmed else 0 : -1 if self.left else None]


@frozen(eq=False)
class Seam:
    """What stands around what is said in the chunks of one strand; nothing, if the client does not get it."""

    before: bytes
    behind: bytes


@frozen(eq=False)
class Fragment:
    """What the client gets for one `event` of text: nothing if there is no `head`. `thought`: its tokens of reasoning. `covers`: its
    tokens, where tokens are shown. `seam`: its strand's, and `said`, what is in it, if it can share a chunk with others."""

    event: Event
    head: bytes
    tail: bytes
    thought: int
    covers: Covers | None
    seam: Seam | None = None
    said: bytes = b""


Key: TypeAlias = int | tuple[int, int]
"""The identity of an event; where tokens are shown, with the first of the ids that wait, -1 if none does."""

Fragments: TypeAlias = dict[Key, Fragment]

Seams: TypeAlias = dict[tuple[type[Event], int], Seam | None]
"""By class of event, and index of the call."""

_SEAMS: Final[WeakKeyDictionary[Bound, dict[str, Seams]]] = WeakKeyDictionary()
_KEPT: Final[WeakKeyDictionary[Bound, dict[tuple[str, bool, bool], Fragments]]] = WeakKeyDictionary()

_MARK: Final = b'"delta":'

_PROBE: Final = "\ue000"
"""A text that no chunk holds behind its delta."""

TextEvent: TypeAlias = ContentChunk | ReasoningChunk | ArgumentsChunk
"""What fragments are of."""


def fragments(plan: Plan) -> Fragments:
    """The fragments of answers that are read and written as those of `plan`."""
    way = (plan.reasoning_field, plan.token_ids, plan.logprobs is not None)
    return _KEPT.setdefault(plan.machine.bound, {}).setdefault(way, {})


def seams(plan: Plan) -> Seams:
    """The seams of answers that are written as those of `plan`, without tokens."""
    return _SEAMS.setdefault(plan.machine.bound, {}).setdefault(plan.reasoning_field, {})


def seam_of(known: Seams, event: TextEvent, write: Callable[[Event], bytes]) -> Seam | None:
    """The seam of the strand of `event`; None if what it says stands in a chunk more than once. `write`: the bytes behind the
    front of a chunk for one event, none if the client does not get it."""
    index = event.index if isinstance(event, ArgumentsChunk) else -1
    key = (event.__class__, index)
    if key not in known:
        probe = ArgumentsChunk(index, _PROBE, 1) if isinstance(event, ArgumentsChunk) else event.__class__(_PROBE, 1)
        before, *behind = write(probe).split(_PROBE.encode())
        known[key] = Seam(before, behind[0] if behind else b"") if len(behind) < 2 else None
    return known[key]


def joined(pieces: Sequence[Fragment]) -> bytes | None:
    """What a chunk that says all of `pieces` adds; None if they are not of one strand."""
    seam = pieces[0].seam
    if seam is None or any(one.seam is not seam for one in pieces):
        return None
    return seam.before + b"".join([one.said for one in pieces]) + seam.behind


def front(chunk: ChatChunk) -> bytes:
    """What stands in front of the delta in every chunk like `chunk`, whose delta is empty."""
    written = frame(chunk)
    return written[: written.rindex(_MARK) + len(_MARK)]


def keep(
    known: Fragments,
    key: Key,
    event: Event,
    written: bytes,
    covers: Covers | None = None,
    own: bytes = b"",
    seam: Seam | None = None,
) -> None:
    """Keep what was `written` behind the front of its chunk for `event`, if that is text and one chunk, or none. `own`: the log
    probabilities in it. `seam`: that of its strand."""
    if not isinstance(event, TextEvent):
        return
    if written[:1] not in (b"", b"{") or own not in written or len(written) - len(own) > LONGEST:
        return
    if len(known) >= KEPT:
        known.clear()
    head, _, tail = written.partition(own) if own else (written, b"", b"")
    thought = event.tokens if isinstance(event, ReasoningChunk) else 0
    said = b""
    if seam is not None and bool(head) is bool(seam.before):
        said = head[len(seam.before) : len(head) - len(seam.behind)]
    else:
        seam = None
    known[key] = Fragment(event, head, tail, thought, covers, seam, said)
