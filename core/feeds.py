"""From deltas to text: what a step reads, and where tokens begin in it.

    text   the text itself; no tokens
    ids    each id's own text; a token begins at the first code point it contributes to
    both   ids are the truth; the host's text only says how far they are visible (`lag`)

A dedicated id stands in the text as its spelling, or, where only ids are evidence, as its sentinel.
"""

from __future__ import annotations

from unbraid.core.detokenize import decode, flush
from unbraid.core.table import Table
from unbraid.core.vocabulary import Vocabulary


class Reader:
    """Ids to text, for one step. `text` and `marks` are what was read so far."""

    __slots__ = ("blank", "marks", "parts", "pending", "size", "table", "vocabulary")

    def __init__(self, table: Table, vocabulary: Vocabulary, pending: bytes, *, blank: bool) -> None:
        self.table = table
        self.vocabulary = vocabulary
        self.pending = pending
        self.blank = blank
        self.parts: list[str] = []
        self.marks: list[int] = []
        self.size = 0

    def read(self, token: int) -> str:
        """The text that `token` completes."""
        sentinel = self.table.sentinels.get(token)
        if sentinel is not None:
            return self._sentinel(sentinel)
        text, self.pending, lead = decode(self.pending, self.vocabulary.piece(token))
        if self.blank and text:
            self.blank = False
            text = text.removeprefix(" ")
        self.add(text, lead)
        return text

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

    @property
    def text(self) -> str:
        """All that was read."""
        return "".join(self.parts)
