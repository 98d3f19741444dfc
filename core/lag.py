"""The `both` feed: ids are the truth, the host's text says how far they are visible.

Ids wait in a queue until their text was shown. Host text is compared with the texts that the queue's ids complete:

    it continues them                     they are read, the last one as far as it was shown
    a special id's spelling is missing,
    and what follows it fits              the host left it out; it counts where it stands
    neither                               the text is text of the current region, with Anomaly(desync), and the queue is
                                          cut back to the next marker

At the end of the stream special ids at the front of the queue count (a host that leaves them out never shows them); the
rest was cut off by a stop string.
"""

from __future__ import annotations

from attrs import frozen

from unbraid.core.detokenize import decode, flush
from unbraid.core.feeds import Reader
from unbraid.core.records import BothFeed
from unbraid.core.table import Table
from unbraid.core.vocabulary import Vocabulary


@frozen
class Shown:
    """What one delta made visible: the reader that holds it, the feed from here on, and the host text that fits nowhere."""

    reader: Reader
    feed: BothFeed
    desync: str = ""


def read_both(table: Table, vocabulary: Vocabulary, feed: BothFeed, text: str, ids: tuple[int, ...]) -> Shown:
    """Move the queue on by what the host shows."""
    queue = _Queue(Reader(table, vocabulary, feed.pending, blank=feed.blank), vocabulary, feed, ids)
    return queue.show(feed.ahead + text)


class _Queue:
    """The queue of one step. `first` counts the ids already read, `shown` the visible code points of the next one."""

    def __init__(self, reader: Reader, vocabulary: Vocabulary, feed: BothFeed, ids: tuple[int, ...]) -> None:
        self.reader = reader
        self.vocabulary = vocabulary
        self.ids = (*feed.queue, *ids) if ids else feed.queue
        self.first = 0
        self.shown = feed.shown

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
        return self._done() if place == size else self._lost(host[place:])

    def _special(self, token: int) -> bool:
        return token in self.vocabulary.special

    def _visible(self, token: int, pending: bytes | None = None) -> str:
        """What the host shows of `token` if it shows all of it."""
        reader = self.reader
        text, _, _ = decode(reader.pending if pending is None else pending, self.vocabulary.piece(token))
        return text.removeprefix(" ") if reader.blank and pending is None else text

    def _finish(self, token: int) -> None:
        """All of `token` is visible."""
        if self.shown:
            reader = self.reader
            text, reader.pending, _ = decode(reader.pending, self.vocabulary.piece(token))
            reader.add((text.removeprefix(" ") if reader.blank else text)[self.shown :], None)
            reader.blank = False
            self.shown = 0
        else:
            self.reader.read(token)
        self.first += 1

    def _partly(self, token: int, host: str) -> Shown:
        """The host stopped inside the text of `token`; of a special id's spelling nothing counts before all is there."""
        if self._special(token) or token in self.reader.table.sentinels:
            return self._done(ahead=host)
        if host:
            _, _, lead = decode(self.reader.pending, self.vocabulary.piece(token))
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
            _, pending, _ = decode(pending, self.vocabulary.piece(token))
        return False

    def _lost(self, host: str) -> Shown:
        """`host` fits nowhere: the ids up to the next marker are given up for it."""
        self.reader.add(flush(self.reader.pending) + host, 0 if self.first < len(self.ids) else None)
        self.reader.pending, self.shown = b"", 0
        markers = self.vocabulary.added.values()
        while self.first < len(self.ids) and self.ids[self.first] not in markers:
            self.first += 1
            if self.first < len(self.ids) and self.ids[self.first] not in markers:
                self.reader.marks.append(self.reader.size)
        return self._done(desync=host)

    def _done(self, ahead: str = "", desync: str = "") -> Shown:
        reader = self.reader
        return Shown(reader, BothFeed(reader.pending, reader.blank, self.ids[self.first :], self.shown, ahead), desync)


def release_queue(table: Table, vocabulary: Vocabulary, feed: BothFeed) -> tuple[Reader, str, int]:
    """The end of the stream: (what still counts, the text that nobody saw, its tokens)."""
    reader = Reader(table, vocabulary, feed.pending, blank=feed.blank)
    queue = list(feed.queue)
    while queue and not feed.shown and not feed.ahead and queue[0] in vocabulary.special:
        reader.read(queue.pop(0))
    pending, parts = reader.pending, []
    for token in queue:
        text, pending, _ = decode(pending, vocabulary.piece(token))
        parts.append(text)
    unseen = "".join(parts) + flush(pending)
    if not queue:
        return reader, "", 0
    reader.pending = b""
    return reader, unseen[feed.shown :], len(queue) - (1 if feed.shown else 0)
