"""Text to token ids, to try out a vocabulary: not the ids that a model would have written, but ids that write the text.

Spellings of added tokens become those; between them the longest token that fits is taken, which is greedier than the merges
a model was trained with, so tokens reach across the borders of markers more often.
"""

from __future__ import annotations

import re

from unbraid.core.vocabulary import Vocabulary


def encode(vocabulary: Vocabulary, text: str) -> tuple[int, ...] | None:
    """Ids whose pieces are `text` in UTF-8; None if the vocabulary cannot write it.

    >>> encode(Vocabulary((b"a", b"ab", b"c", b"<x>"), added={"<x>": 3}), "abc<x>a")
    (1, 2, 3, 0)
    """
    added = set(vocabulary.added.values())
    ordinary = {piece: token for token, piece in enumerate(vocabulary.pieces) if piece and token not in added}
    longest = max(map(len, ordinary), default=0)
    ids: list[int] = []
    for part in _split(vocabulary, f" {text}" if vocabulary.drops_first_blank else text):
        data = part.encode("utf-8", "replace")
        token = vocabulary.added.get(part)
        found = (token,) if token is not None else _greedy(data, ordinary, longest)
        if found is None:
            return None
        ids += found
    return tuple(ids)


def _split(vocabulary: Vocabulary, text: str) -> list[str]:
    """`text` in parts that are, or hold no, spellings of added tokens."""
    spellings = sorted(filter(None, vocabulary.added), key=len, reverse=True)
    if not spellings:
        return [text]
    return [part for part in re.split(f"({'|'.join(map(re.escape, spellings))})", text) if part]


def _greedy(data: bytes, ordinary: dict[bytes, int], longest: int) -> tuple[int, ...] | None:
    ids: list[int] = []
    place = 0
    while place < len(data):
        size = min(longest, len(data) - place)
        while size and data[place : place + size] not in ordinary:
            size -= 1
        if not size:
            return None
        ids.append(ordinary[data[place : place + size]])
        place += size
    return tuple(ids)
