"""A small byte-level vocabulary, made so that ordinary tokens straddle every border of a format's markers.

It has all 256 single bytes; merges that join a marker's last code point with what often follows it and what often
precedes it with its first (`>\\n`, `"}}\\n`, `.\\n`, `</`, `\\n<`), pieces of markers (`<tool`, `_call`), words, and pieces
that end inside a code point; the format's dedicated markers as added tokens; and special tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from string import printable
from typing import Final

from attrs import field, frozen

from unbraid.core.grammar import Format
from unbraid.core.vocabulary import Vocabulary

SPECIALS: Final = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
WORDS: Final = (
    " the plan weather get _weather city Oslo Rome arguments name function parameter value days run cmd ls".split(" ")
)
PYTHON_JOINTS: Final = (
    "a\n<",
    ".</",
    "[r",
    "[n",
    "[g",
    "\n[",
    "(c",
    "(d",
    '="',
    "='",
    "=[",
    ")]",
    '")',
    '",',
    "()",
    ":{",
    "l:",
    ":r",
    ":n",
    "n{",
    "w{",
    "<r",
    "<n",
    ">r",
    ">n",
    ">[",
    ">g",
)
JOINTS: Final = (
    *PYTHON_JOINTS,
    ">\n",
    ">\n\n",
    '"}}\n',
    "}}\n",
    ".\n",
    ".\n\n",
    "</",
    "\n</",
    "\n<",
    "\n\n<",
    " <",
    '{"',
    '": "',
    '": {"',
    '"}',
    "\n{",
    '>{"',
    "}\n",
    "\n\n",
)
OFTEN_DEDICATED: Final = ("TOOL_START", "TOOL_END")
"""Terminals that some vocabularies have as added tokens though the format does not ask for it."""

BESIDE: Final = tuple(printable)
"""What may stand beside a marker."""

HALVES: Final = (
    b" \xe6",
    b"\x9f\xa5",
    b"\x80\x9d\xe8",
    b"\xf0\x9f",
    b"\xa9\n",
    b"\xbc</",
    b"n\xc3",
    b"\xc5",
    b"\x81\xc3\xb3",
)
"""Pieces that begin or end inside a code point."""


@frozen(eq=False)
class MadeVocabulary:
    """The vocabulary and its encoder."""

    vocabulary: Vocabulary
    longest: int = field(init=False)

    @longest.default
    def _longest(self) -> int:
        return max(map(len, self.vocabulary.pieces))

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The ordinary tokens by their bytes."""
        added = set(self.vocabulary.added.values())
        return {piece: token for token, piece in enumerate(self.vocabulary.pieces) if token not in added}

    def encode(self, text: str, *, split_markers: bool = False) -> tuple[int, ...]:
        """The tokens of `text`: the longest piece at each place. Added tokens come first, unless `split_markers`."""
        tokens: list[int] = []
        for part in self._parts(text, split_markers=split_markers):
            token = None if split_markers else self.vocabulary.added.get(part)
            tokens.extend(self._ordinary(part.encode()) if token is None else [token])
        return tuple(tokens)

    def _parts(self, text: str, *, split_markers: bool) -> Iterator[str]:
        start = 0
        added = () if split_markers else sorted(self.vocabulary.added, key=len, reverse=True)
        while start < len(text):
            found = [(place, -len(word), word) for word in added if (place := text.find(word, start)) >= 0]
            place, _, word = min(found, default=(len(text), 0, ""))
            yield from (part for part in (text[start:place], word) if part)
            start = place + len(word)

    def _ordinary(self, data: bytes) -> Iterator[int]:
        start = 0
        while start < len(data):
            stop = next(
                end for end in range(min(len(data), start + self.longest), start, -1) if data[start:end] in self.ids
            )
            yield self.ids[data[start:stop]]
            start = stop

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`, special ones included."""
        return b"".join(map(self.vocabulary.piece, tokens)).decode("utf-8", "replace")


def made_vocabulary(fmt: Format) -> MadeVocabulary:
    """The vocabulary of one format."""
    ordinary = dict.fromkeys([*(bytes([byte]) for byte in range(256)), *HALVES, *map(str.encode, _merges(fmt))])
    dedicated = [
        word for one in fmt.terminals if one.dedicated or one.name in OFTEN_DEDICATED for word in one.spellings
    ]
    names = list(dict.fromkeys([*dedicated, *SPECIALS, *fmt.specials]))
    added = {name: len(ordinary) + place for place, name in enumerate(names)}
    special = frozenset(token for name, token in added.items() if name not in dedicated)
    return MadeVocabulary(Vocabulary((*ordinary, *map(str.encode, names)), special=special, added=added))


def _merges(fmt: Format) -> Iterator[str]:
    yield from (word for word in WORDS if word)
    yield from (f" {word}" for word in WORDS if word)
    yield from JOINTS
    for terminal in fmt.terminals:
        for spelling in terminal.spellings:
            yield from _pieces_of(spelling)


def _pieces_of(spelling: str) -> Iterator[str]:
    """Parts of a marker, and its edges with what often stands beside them. No part ends where the marker does, so that a
    longest piece that begins in the marker holds what follows it."""
    half = len(spelling) // 2
    for part in (spelling[:half], spelling[half:-2], spelling[1:-2]):
        if len(part) > 1:
            yield part
    if len(spelling) > 2:
        yield from (spelling[-2:] + after for after in BESIDE)
        yield from (before + spelling[:2] for before in BESIDE)
