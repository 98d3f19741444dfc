"""From deltas to text: what a step reads, and where tokens begin in it.

    text   the text itself; no tokens
    ids    each id's own text; a token begins at the first code point it contributes to
    both   ids are the truth; the host's text only says how far they are visible (`lag`)

A dedicated id stands in the text as its spelling, or, where only ids are evidence, as its sentinel.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from unbraid.core.detokenize import decode, flush
from unbraid.core.records import BothFeed, Feed, IdsFeed, TextFeed

if TYPE_CHECKING:
    from unbraid.core.bind import Machine

Arrived: TypeAlias = tuple[Feed, str, list[int]]
"""What a delta brings: the feed behind it, its text, and where tokens begin in that."""


def arriving(machine: Machine, feed: Feed, ids: Sequence[int]) -> Arrived:
    """What `ids` bring."""
    reader = Reader(machine, feed)
    reader.read_all(ids)
    return reader.feed(), reader.text, reader.marks


class Reader:
    """Ids to text, for one step. `text` and `marks` are what was read so far."""

    __slots__ = ("before", "blank", "machine", "marks", "parts", "pending", "sentinels", "size")

    def __init__(self, machine: Machine, feed: Feed) -> None:
        self.machine = machine
        self.sentinels = machine.ids_table.sentinels
        self.before = feed
        self.pending, self.blank = (b"", False) if isinstance(feed, TextFeed) else (feed.pending, feed.blank)
        self.parts: list[str] = []
        self.marks: list[int] = []
        self.size = 0

    def read(self, token: int) -> str:
        """The text that `token` completes."""
        sentinel = self.sentinels.get(token)
        if sentinel is not None:
            return self._sentinel(sentinel)
        whole = None if self.pending else self.machine.text_of(token)
        if whole is None:
            text, self.pending, lead = decode(self.pending, self.machine.piece(token))
        else:
            text, lead = whole, 0
        if self.blank and text:
            self.blank = False
            text = text.removeprefix(" ")
        self.add(text, lead)
        return text

    def read_all(self, tokens: Sequence[int]) -> None:
        """Read `tokens`: those that stand alone in one go, the others one by one."""
        texts = self.machine.texts
        size, alone = len(texts), self.sentinels
        whole = [None if token in alone or not 0 <= token < size else texts[token] for token in tokens]
        place, count = 0, len(tokens)
        while place < count:
            if self.pending or self.blank or whole[place] is None:
                self.read(tokens[place])
                place += 1
                continue
            try:
                stop = whole.index(None, place)
            except ValueError:
                stop = count
            parts = [text for text in whole[place:stop] if text is not None]
            self.parts += parts
            self.marks += accumulate(map(len, parts[:-1]), initial=self.size)
            self.size = self.marks[-1] + len(parts[-1])
            place = stop

    def _sentinel(self, sentinel: str) -> str:
        lost = flush(self.pending)
        self.pending = b""
        self.add(lost + sentinel, len(lost))
        self.blank = False
        return lost + sentinel

    def add(self, text: str, lead: int | None) -> None:
        """`text` was read; a token begins `lead` code points into it (None: no token begins)."""
        if lead is not None:
            self.marks.append(self.size + lead)
        if text:
            self.parts.append(text)
            self.size += len(text)

    def feed(self) -> Feed:
        """The feed behind what was read."""
        before = self.before
        if isinstance(before, TextFeed) or (before.pending == self.pending and before.blank == self.blank):
            return before
        return IdsFeed(self.pending, self.blank) if isinstance(before, IdsFeed) else BothFeed(self.pending, self.blank)

    @property
    def text(self) -> str:
        """All that was read."""
        return "".join(self.parts)
