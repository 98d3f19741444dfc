"""A host that detokenizes by itself: its text follows the ids late, is cut anywhere, and may lack special tokens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from random import Random

from attrs import frozen

from unbraid.core.vocabulary import Vocabulary

Delta = tuple[str, tuple[int, ...]]


@frozen
class Host:
    """`lag`: most tokens whose text is not shown yet. `drops`: special tokens have no text. `stop`: code points of the
    whole text after which a stop string ends it, None: none does."""

    vocabulary: Vocabulary
    lag: int = 0
    drops: bool = False
    stop: int | None = None

    def text(self, tokens: tuple[int, ...]) -> str:
        """All that the host ever shows."""
        whole = b"".join(self._pieces(tokens)).decode("utf-8", "replace")
        return whole if self.stop is None else whole[: self.stop]

    def deltas(self, tokens: tuple[int, ...], random: Random) -> Iterator[Delta]:
        """The stream, in deltas of up to 4 ids; the last ones may be text without ids."""
        text, shown, given = self.text(tokens), 0, 0
        known = list(accumulate(map(len, self._pieces(tokens)), initial=0))
        data = b"".join(self._pieces(tokens))
        while given < len(tokens) or shown < len(text):
            size = random.choice((1, 1, 1, 2, 4))
            ids, given = tokens[given : given + size], min(len(tokens), given + size)
            least = len(data[: known[max(0, given - self.lag)]].decode("utf-8", "ignore"))
            most = len(data[: known[given]].decode("utf-8", "ignore"))
            stop = len(text) if not ids else min(len(text), random.randint(min(least, most), most))
            yield text[shown:stop], ids
            shown = max(shown, stop)

    def _pieces(self, tokens: tuple[int, ...]) -> list[bytes]:
        hidden = self.vocabulary.special if self.drops else frozenset[int]()
        return [b"" if token in hidden else self.vocabulary.piece(token) for token in tokens]
