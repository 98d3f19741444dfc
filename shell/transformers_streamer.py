"""What `model.generate` of transformers writes, as events or chunks, while it writes.

    streamer = EventStreamer(machine)                       or ChunkStreamer(plan)
    thread   = Thread(target=model.generate, kwargs={..., "streamer": streamer})
    for event in streamer: ...                              ends with the generation

`generate` puts the prompt first, which says where the output starts, then the new ids, and ends. Both sides meet in a queue, so
one thread generates and another one reads. A batch of several prompts has no single stream, and is refused by `put`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from queue import Queue
from typing import Generic, Protocol, TypeVar

from transformers.generation.streamers import BaseStreamer

from unbraid.core.bind import Machine
from unbraid.core.events import Event, Events
from unbraid.shell.chat import ChatStream
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.opening import StartAt
from unbraid.shell.plan import Plan
from unbraid.shell.session import Session
from unbraid.shell.stamps import Stamp

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Reading(Protocol[Item_co]):
    """A stream of output that is being read."""

    def feed(self, ids: tuple[int, ...]) -> Sequence[Item_co]:
        """What new ids decide."""
        ...

    def finish(self, reason: EngineReason) -> Sequence[Item_co]:
        """What the end decides."""
        ...


class IdStreamer(BaseStreamer, Generic[Item]):
    """A streamer, and the iterator over what it gives. `ends`: ids that end a generation; another last id means that it was
    cut off. `timeout`: seconds to wait for the next item; then `queue.Empty` is raised."""

    def __init__(self, ends: Collection[int] = (), timeout: float | None = None) -> None:
        self._ends = ends
        self._timeout = timeout
        self._items: Queue[Sequence[Item] | None] = Queue()
        self._reading: Reading[Item] | None = None
        self._last = -1

    def begin(self, prompt: tuple[int, ...]) -> Reading[Item]:
        """A stream behind `prompt`."""
        raise NotImplementedError

    def put(self, value: object) -> None:
        """Called by `generate`: first the prompt, then new ids. Raises ValueError for more than one sequence."""
        ids = _ids(value)
        if self._reading is None:
            self._reading = self.begin(ids)
            return
        self._last = ids[-1] if ids else self._last
        self._items.put(self._reading.feed(ids))

    def end(self) -> None:
        """Called by `generate` at the end."""
        if self._reading is None:
            self._reading = self.begin(())
        self._items.put(self._reading.finish("stop" if not self._ends or self._last in self._ends else "length"))
        self._items.put(None)
        self._reading, self._last = None, -1

    def __iter__(self) -> Iterator[Item]:
        while (items := self._items.get(timeout=self._timeout)) is not None:
            yield from items


class EventStreamer(IdStreamer[Event]):
    """Gives events. `machine` must have been bound with the model's tokenizer."""

    def __init__(
        self, machine: Machine, *, at: StartAt = "auto", ends: Collection[int] = (), timeout: float | None = None
    ) -> None:
        super().__init__(ends, timeout)
        self._machine = machine
        self._at = at

    def begin(self, prompt: tuple[int, ...]) -> Reading[Event]:
        """A session behind `prompt`."""
        return _Events(Session(self._machine, "ids", prompt=prompt or None, at=self._at))


class ChunkStreamer(IdStreamer[ChatChunk]):
    """Gives Chat Completions chunks; the arguments are those of `ChatStream`. `stream` is there once the prompt was put, and
    counts the tokens (`spent`). Raises ValueError for a plan that asks for log probabilities."""

    def __init__(
        self,
        plan: Plan,
        *,
        choice: int = 0,
        stamp: Stamp | None = None,
        ends: Collection[int] = (),
        timeout: float | None = None,
    ) -> None:
        if plan.logprobs is not None:
            raise ValueError("plan: it asks for log probabilities, which `generate` does not give to a streamer")
        super().__init__(ends, timeout)
        self.stream: ChatStream | None = None
        self._plan = plan
        self._choice = choice
        self._stamp = stamp

    def begin(self, prompt: tuple[int, ...]) -> Reading[ChatChunk]:
        """An answer behind `prompt`."""
        self.stream = ChatStream(self._plan, "ids", prompt=prompt or None, choice=self._choice, stamp=self._stamp)
        return _Chunks(self.stream)


class _Events:
    def __init__(self, session: Session) -> None:
        self._session = session

    def feed(self, ids: tuple[int, ...]) -> Events:
        return self._session.feed(None, ids)

    def finish(self, _: EngineReason) -> Events:
        return self._session.finish()


class _Chunks:
    def __init__(self, stream: ChatStream) -> None:
        self._stream = stream

    def feed(self, ids: tuple[int, ...]) -> Sequence[ChatChunk]:
        return self._stream.feed(None, ids)

    def finish(self, reason: EngineReason) -> Sequence[ChatChunk]:
        return self._stream.finish(reason)


def _ids(value: object) -> tuple[int, ...]:
    """The ids in a tensor, or in a list: of one sequence, as itself or as a batch of one."""
    tolist = getattr(value, "tolist", None)
    found: object = value if tolist is None else tolist()
    if isinstance(found, int):
        return (found,)
    if not isinstance(found, list | tuple):
        raise TypeError(f"put: expected token ids, found {type(value).__name__}")
    if found and isinstance(found[0], list | tuple):
        if len(found) > 1:
            raise ValueError(f"put: a batch of {len(found)} sequences; a streamer reads one")
        found = found[0]
    return tuple(found)
