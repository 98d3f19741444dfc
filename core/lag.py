"""The `both` feed: ids are the truth, the host's text says how far they are visible.

Ids wait in a queue until their text was shown. Host text is compared with the texts that the queue's ids complete:

    it continues them                     they are read, the last one as far as it was shown
    it is U+FFFD behind the last of them  the host gave up the bytes that are pending
    a special id's spelling is missing,
    and what follows it fits              the host left it out; it counts where it stands
    neither                               the text is text of the current region, with Anomaly(desync), and the queue is
                                          cut back to the next marker

At the end of the stream special ids at the front of the queue count (a host that leaves them out never shows them), and
text that could have begun a special id's spelling is the text of the ids behind it if these spell just that; the rest was
cut off by a stop string.

One thing cannot be told: where a host leaves special ids out and the model spells one in ordinary ids right behind it, the
text is taken for the special id's own.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode, flush
from unbraid.core.feeds import Reader
from unbraid.core.records import Behind, Visible, Within


@frozen
class Shown:
    """What one delta made visible: the reader that holds it, what is left of the queue (see `records.Within`), and the
    host text that fits nowhere."""

    reader: Reader
    queue: tuple[int, ...]
    shown: int
    ahead: str
    desync: str = ""


def read_both(machine: Machine, state: Behind | Within, text: str, ids: tuple[int, ...]) -> Shown:
    """Move the queue `ids` on by what the host shows."""
    shown, ahead = _seen(state)
    return _Queue(machine, state.base, ids, shown).show(ahead + text)


def _seen(state: Behind | Within) -> tuple[int, str]:
    return (state.shown, state.ahead) if isinstance(state, Within) else (0, "")


class _Queue:
    """The queue of one step. `first` counts the ids already read, `shown` the visible code points of the next one."""

    def __init__(self, machine: Machine, base: Visible, ids: tuple[int, ...], shown: int) -> None:
        self.reader = Reader(machine, base.feed)
        self.machine = machine
        self.ids = ids
        self.first = 0
        self.shown = shown

    def show(self, host: str) -> Shown:
        place, size = 0, len(host)
        while self.first < len(self.ids):
            token = self.ids[self.first]
            rest = self._visible(token)[self.shown :]
            if host.startswith(rest, place) and (rest or not self._special(token)):
                self._finish(token)
                place += len(rest)
            elif rest.startswith(host[place : place + len(rest)]) and size - place < len(rest):
                return self._partly(token, host[place:])
            elif self._special(token) and self._fits_behind(host[place:]):
                self._finish(token)
            else:
                return self._lost(host[place:])
        if self.reader.pending and host.startswith("\ufffd", place):
            self.reader.add(flush(self.reader.pending), None)
            self.reader.pending, place = b"", place + 1
        return self._done() if place == size else self._lost(host[place:])

    def _special(self, token: int) -> bool:
        return self.machine.is_special(token)

    def _visible(self, token: int, pending: bytes | None = None) -> str:
        """What the host shows of `token` if it shows all of it."""
        reader = self.reader
        text, _, _ = decode(reader.pending if pending is None else pending, self.machine.piece(token))
        return text.removeprefix(" ") if reader.blank and pending is None else text

    def _finish(self, token: int) -> None:
        """All of `token` is visible."""
        if self.shown:
            reader = self.reader
            text, reader.pending, _ = decode(reader.pending, self.machine.piece(token))
            reader.add((text.removeprefix(" ") if reader.blank else text)[self.shown :], None)
            reader.blank = False
            self.shown = 0
        else:
            self.reader.read(token)
        self.first += 1

    def _partly(self, token: int, host: str) -> Shown:
        """The host stopped inside the text of `token`; of a special id's spelling nothing counts before all is there."""
        if self._special(token) or token in self.reader.sentinels:
            return self._done(ahead=host)
        if host:
            _, _, lead = decode(self.reader.pending, self.machine.piece(token))
            self.reader.add(host, None if self.shown else min(lead, len(host)))
            self.shown += len(host)
        return self._done()

    def _fits_behind(self, host: str) -> bool:
        """Does `host` continue with the ids behind the next one? Special ids there may be left out as well."""
        pending = b""
        for token in self.ids[self.first + 1 :]:
            text = self._visible(token, pending)
            if text and (host.startswith(text) or text.startswith(host)):
                return True
            if text and not self._special(token):
                return False
            _, pending, _ = decode(pending, self.machine.piece(token))
        return False

    def _lost(self, host: str) -> Shown:
        """`host` fits nowhere: the ids up to the next marker are given up for it."""
        self.reader.add(flush(self.reader.pending) + host, 0 if self.first < len(self.ids) else None)
        self.reader.pending, self.shown = b"", 0
        markers = self.machine.added
        while self.first < len(self.ids) and self.ids[self.first] not in markers:
            self.first += 1
            if self.first < len(self.ids) and self.ids[self.first] not in markers:
                self.reader.marks.append(self.reader.size)
        return self._done(desync=host)

    def _done(self, ahead: str = "", desync: str = "") -> Shown:
        return Shown(self.reader, self.ids[self.first :], self.shown, ahead, desync)


def release_queue(machine: Machine, state: Behind | Within) -> tuple[Reader, str, int]:
    """The end of the stream: (what still counts, the text that nobody saw, its tokens)."""
    reader = Reader(machine, state.base.feed)
    shown, ahead = _seen(state)
    first = 0 if shown else _still_counting(machine, state.queue, ahead, reader.pending)
    for token in state.queue[:first]:
        reader.read(token)
    queue = state.queue[first:]
    if not queue:
        return reader, "", 0
    unseen = _text(machine, queue, reader.pending)
    reader.pending = b""
    if ahead:  # a stop string cut a special token's own text: what was shown of it is text
        reader.add(ahead, 0)
    return reader, unseen[shown or len(ahead) :], len(queue) - bool(shown or ahead)


def _still_counting(machine: Machine, queue: tuple[int, ...], ahead: str, pending: bytes) -> int:
    """How many ids of the queue count though the host never showed them, or showed them without the special ones."""
    if ahead:
        ordinary = [token for token in queue if not machine.is_special(token)]
        return len(queue) if _text(machine, ordinary, pending) == ahead else 0
    count = 0
    while count < len(queue) and machine.is_special(queue[count]):
        count += 1
    return count


def _text(machine: Machine, ids: Iterable[int], pending: bytes) -> str:
    """What `ids` write behind the bytes `pending`."""
    parts = []
    for token in ids:
        text, pending, _ = decode(pending, machine.piece(token))
        parts.append(text)
    return "".join(parts) + flush(pending)
