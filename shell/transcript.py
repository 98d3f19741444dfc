"""The source text that events have not accounted for yet, as a value.

    source = feed(source, delta)                            what came in
    taker = Taker(source); taker.take(points); taker.left()   the next code points of it; what is left

Events say how many code points of the source they stand for, not which (law 2). Who needs the source text itself, to give a
call back as it was written, keeps it here: what came in and has not left. With ids it is the text of the ids, the truth
about what the model wrote; only where a host's text disagrees with its ids (`desync`) may the two run apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from unbraid.core.detokenize import decode, flush
from unbraid.core.pieces import append, join
from unbraid.core.vocabulary import Vocabulary


@frozen
class Source:
    """What was fed and not taken: `pieces`, a rope. `pending`: bytes of a code point that is not complete. `blank`: the
    first text of all loses a leading blank."""

    pieces: tuple[str, ...] = ()
    pending: bytes = b""
    blank: bool = False


def feed(source: Source, vocabulary: Vocabulary | None, text: str | None, ids: Sequence[int]) -> Source:
    """One delta more. Where there is a vocabulary, text is left aside: the ids are the truth.

    >>> feed(Source(), None, "abc", ()).pieces
    ('abc',)
    """
    if vocabulary is None:
        return _added(source, text or "", source.pending)
    for token in ids:
        piece, pending, _ = decode(source.pending, vocabulary.piece(token))
        source = _added(source, piece, pending)
    return source


def finish(source: Source) -> Source:
    """No more will come."""
    return _added(source, flush(source.pending), b"")


def _added(source: Source, text: str, pending: bytes) -> Source:
    if source.blank and text:
        return Source(append(source.pieces, text.removeprefix(" ")), pending)
    return Source(append(source.pieces, text), pending, source.blank)


class Taker:
    """Takes from `source`, in one step; the text is joined only if something is taken.

    >>> taker = Taker(Source(("abcd", "e")))
    >>> taker.take(2), taker.take(1), taker.left().pieces
    ('ab', 'c', ('de',))
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text: str | None = None
        self._place = 0

    def take(self, points: int) -> str:
        """The next `points` code points; fewer if there are no more."""
        if not points:
            return ""
        if self._text is None:
            self._text = join(self._source.pieces)
        taken = self._text[self._place : self._place + points]
        self._place += len(taken)
        return taken

    def left(self) -> Source:
        """What was not taken."""
        if self._text is None:
            return self._source
        rest = self._text[self._place :]
        return Source((rest,) if rest else (), self._source.pending, self._source.blank)
