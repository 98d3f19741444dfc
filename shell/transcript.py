"""The source text that events have not accounted for yet, as a value.

    feed(source, delta) ... take(source, points) = the next `points` code points, and what is left

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


def take(source: Source, points: int) -> tuple[str, Source]:
    """The next `points` code points, fewer if there are no more, and what is left.

    >>> take(Source(("abcd", "e")), 3)
    ('abc', Source(pieces=('de',), pending=b'', blank=False))
    """
    if not points:
        return "", source
    text = join(source.pieces)
    left = text[points:]
    return text[:points], Source((left,) if left else (), source.pending, source.blank)


def _added(source: Source, text: str, pending: bytes) -> Source:
    blank = source.blank and not text
    if source.blank and text:
        text = text.removeprefix(" ")
    return Source(append(source.pieces, text), pending, blank)
