"""The source text that events have not accounted for yet.

    feed(delta)... take(points) = the next `points` code points of the source

Events say how many code points of the source they stand for, not which (law 2). Who needs the source text itself, to give a
call back as it was written, keeps it here: what came in and has not left. With ids it is the text of the ids, the truth
about what the model wrote; only where a host's text disagrees with its ids (`desync`) may the two run apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from unbraid.core.detokenize import decode, flush
from unbraid.core.vocabulary import Vocabulary


class Transcript:
    """What was fed and not taken. `drops_blank`: the first text of all loses a leading blank.

    >>> transcript = Transcript()
    >>> transcript.feed("abcde")
    >>> transcript.take(2), transcript.take(2)
    ('ab', 'cd')
    """

    def __init__(self, vocabulary: Vocabulary | None = None, *, drops_blank: bool = False) -> None:
        self._vocabulary = vocabulary
        self._blank = drops_blank
        self._pending = b""
        self._pieces: deque[str] = deque()

    def feed(self, text: str | None = None, ids: Sequence[int] = ()) -> None:
        """Add one delta. Where there are ids, its text is left aside."""
        if self._vocabulary is None:
            self._add(text or "")
            return
        for token in ids:
            piece, self._pending, _ = decode(self._pending, self._vocabulary.piece(token))
            self._add(piece)

    def finish(self) -> None:
        """No more will come."""
        self._add(flush(self._pending))
        self._pending = b""

    def take(self, points: int) -> str:
        """The next `points` code points; fewer if there are no more."""
        taken: list[str] = []
        while points > 0 and self._pieces:
            piece = self._pieces.popleft()
            if len(piece) > points:
                self._pieces.appendleft(piece[points:])
                piece = piece[:points]
            taken.append(piece)
            points -= len(piece)
        return "".join(taken)

    def _add(self, text: str) -> None:
        if text and self._blank:
            self._blank = False
            text = text.removeprefix(" ")
        if text:
            self._pieces.append(text)
