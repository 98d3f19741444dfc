"""A vocabulary while it is being read, and all that may be wrong with what it is read from.

Readers fill one `Draft` and note every defect in it; `seal` gives the vocabulary, or all defects at once.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from attrs import define, field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.vocabulary import Vocabulary

MOST_IDS: Final = 1 << 24
"""No table has more ids."""

BAD_ID: Final = f"is no token id (a whole number from 0 to {MOST_IDS - 1})"


@frozen
class Unreadable:
    """A file that cannot be read, or is not what its name says."""

    path: str
    reason: str

    def describe(self) -> str:
        """One sentence."""
        return f"{self.path}: cannot be read: {self.reason}"


@frozen
class NothingToRead:
    """A folder without a tokenizer file."""

    path: str
    looked_for: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"{self.path}: no tokenizer in this folder; looked for {', '.join(self.looked_for)}"


@frozen
class Malformed:
    """A part of a tokenizer that is missing or has the wrong shape."""

    where: str
    problem: str

    def describe(self) -> str:
        """One sentence."""
        return f"{self.where}: {self.problem}"


@frozen
class UnsupportedDecoder:
    """A decoder whose tokens have no bytes of their own."""

    where: str
    decoder: str
    supported: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"{self.where}: decoder {self.decoder} is not supported here; supported: {', '.join(self.supported)}"


@frozen
class UnsupportedSource:
    """An object that is no tokenizer we know."""

    type_name: str

    def describe(self) -> str:
        """One sentence."""
        return (
            f"{self.type_name}: not a known tokenizer; give a path, or an object with to_str() (tokenizers), "
            "backend_tokenizer (transformers, fast), decode_single_token_bytes() (tiktoken) or id_to_byte_piece() (tekken)"
        )


VocabularyDefect: TypeAlias = Unreadable | NothingToRead | Malformed | UnsupportedDecoder | UnsupportedSource
Reading: TypeAlias = Result[Vocabulary, tuple[VocabularyDefect, ...]]


@define
class Draft:
    """A vocabulary that is being read, and what is wrong with it so far."""

    pieces: dict[int, bytes] = field(factory=dict)
    special: set[int] = field(factory=set)
    added: dict[str, int] = field(factory=dict)
    drops_first_blank: bool = False
    defects: list[VocabularyDefect] = field(factory=list)

    def add(self, token: int, spelling: str, piece: bytes, *, special: bool) -> None:
        """An added token. It hides the ordinary token that has its id."""
        self.pieces[token] = piece
        self.added[spelling] = token
        if special:
            self.special.add(token)

    def wrong(self, where: str, problem: str) -> None:
        """Something is missing or has the wrong shape."""
        self.defects.append(Malformed(where, problem))

    def seal(self) -> Reading:
        """The vocabulary, or all defects."""
        if not self.pieces and not self.defects:
            self.wrong("vocabulary", "there are no tokens")
        if self.defects:
            return Failure(tuple(self.defects))
        get = self.pieces.get
        pieces = tuple([get(token, b"") for token in range(max(self.pieces) + 1)])
        special = frozenset(token for token in self.special if token in self.pieces)
        return Success(Vocabulary(pieces, special, self.added, self.drops_first_blank))


def is_id(value: object) -> bool:
    """Whether this is a token id that a table can have."""
    return type(value) is int and 0 <= value < MOST_IDS
