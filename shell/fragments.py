"""Bytes of chunks that were written before.

The core gives the same event for the same plain token, in every request of a bound format, so the part of a chunk that says
what is new can be kept as bytes, by the identity of that event. What is in front of it (id, time, model, index) is the answer's; it is written once.

    line      = front head (logprobs tail)?
    head      = what a chunk adds behind `"delta":`, to the end of its event, or to the log probabilities in it
    logprobs  = those of its tokens; the host's, new each time
    tail      = what follows them

A step may go by its fragment where no reducer holds anything (`Fed.quick`): what it does then depends on the event alone, and was
found out by the step that the fragment is of. Where tokens are shown, it depends on them too: `Covers`.

Fragments are kept per bound format and way of writing, at most `KEPT` of them, each of at most `LONGEST` bytes. An entry
holds its event, so no other one can have its identity.
"""

from __future__ import annotations

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
class Fragment:
    """What the client gets for one `event` of text: nothing if there is no `head`. `thought`: its tokens of reasoning. `covers`: its
    tokens, where tokens are shown."""

    event: Event
    head: bytes
    tail: bytes
    thought: int
    covers: Covers | None


Key: TypeAlias = int | tuple[int, int]
"""The identity of an event; where tokens are shown, with the first of the ids that wait, -1 if none does."""

Fragments: TypeAlias = dict[Key, Fragment]

_KEPT: Final[WeakKeyDictionary[Bound, dict[tuple[str, bool, bool], Fragments]]] = WeakKeyDictionary()

_MARK: Final = b'"delta":'


def fragments(plan: Plan) -> Fragments:
    """The fragments of answers that are read and written as those of `plan`."""
    way = (plan.reasoning_field, plan.token_ids, plan.logprobs is not None)
    return _KEPT.setdefault(plan.machine.bound, {}).setdefault(way, {})


def front(chunk: ChatChunk) -> bytes:
    """What stands in front of the delta in every chunk like `chunk`, whose delta is empty."""
    written = frame(chunk)
    return written[: written.rindex(_MARK) + len(_MARK)]


def keep(
    known: Fragments, key: Key, event: Event, written: bytes, covers: Covers | None = None, own: bytes = b""
) -> None:
    """Keep what was `written` behind the front of its chunk for `event`, if that is text and one chunk, or none. `own`: the log
    probabilities in it."""
    if not isinstance(event, ContentChunk | ReasoningChunk | ArgumentsChunk):
        return
    if written[:1] not in (b"", b"{") or own not in written or len(written) - len(own) > LONGEST:
        return
    if len(known) >= KEPT:
        known.clear()
    head, _, tail = written.partition(own) if own else (written, b"", b"")
    known[key] = Fragment(event, head, tail, event.tokens if isinstance(event, ReasoningChunk) else 0, covers)
