"""What a model's tokens stand for: an immutable table of bytes, read once.

    id -> piece     the bytes that the token writes
    id -> text      its text, when the bytes stand alone as complete UTF-8

Pieces are bytes, not text, because a byte-level token may end in the middle of a code point; `detokenize` joins them.
A piece does not depend on its neighbours. The one exception that tokenizers know, a blank that is dropped at the start
of a whole text, is the flag `drops_first_blank`.

*Added* tokens were put beside the trained vocabulary and are never the result of merging ordinary text; they are the
only tokens that can be a marker's dedicated id. *Special* is what the tokenizer flags so, to be left out when it decodes
for people. Neither implies the other: a thinking marker is often added and not special.

An id without a piece (a hole in the table, or an id past its end: models pad their output layer) writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from attrs import field, frozen


def _copied(mapping: Mapping[str, int]) -> Mapping[str, int]:
    """A mapping that nobody else can change."""
    return dict(mapping)


@frozen(eq=False)
class Vocabulary:
    r"""The tokens of one tokenizer; compared by identity, `fingerprint` compares contents.

    >>> vocabulary = Vocabulary((b"Hi", b"\xf0\x9f", b"<think>"), special=frozenset(), added={"<think>": 2})
    >>> vocabulary.texts
    ['Hi', None, '<think>']
    >>> vocabulary
    Vocabulary(fingerprint='efe8a...')

    Raises `ValueError` if `special` or `added` names an id that is no index of `pieces`.
    """

    pieces: tuple[bytes, ...] = field(repr=False)
    """The bytes of each id, `b""` for ids that are not in use."""

    special: frozenset[int] = field(default=frozenset(), repr=False)
    """The ids that the tokenizer flags as special."""

    added: Mapping[str, int] = field(factory=dict, converter=_copied, repr=False)
    """The id of each added token, special or not, by its spelling."""

    drops_first_blank: bool = field(default=False, repr=False)
    """Decoding drops one blank (U+0020) at the very start of a text."""

    texts: list[str | None] = field(init=False, repr=False)
    """The text of each id whose piece is complete, valid UTF-8 and not empty, else None. As long as `pieces`; read only."""

    fingerprint: str = field(init=False, repr=lambda digest: f"'{digest[:5]}...'")
    """SHA-256 of the other fields, in hexadecimal; the same in every process and on every machine."""

    @texts.default
    def _texts(self) -> list[str | None]:
        return [_text(piece) for piece in self.pieces]

    @fingerprint.default
    def _fingerprint(self) -> str:
        return _digest(self.pieces, self.special, self.added, self.drops_first_blank)

    def __attrs_post_init__(self) -> None:
        _check_ids("special", self.special, len(self.pieces))
        _check_ids("added", self.added.values(), len(self.pieces))

    def piece(self, token: int) -> bytes:
        """The bytes that `token` writes; `b""` for an id that is not in use, past the end or negative."""
        return self.pieces[token] if 0 <= token < len(self.pieces) else b""


def _text(piece: bytes) -> str | None:
    """`piece` as text if it stands alone."""
    try:
        return piece.decode() or None
    except UnicodeDecodeError:
        return None


def _digest(pieces: Sequence[bytes], special: Iterable[int], added: Mapping[str, int], drops_first_blank: bool) -> str:
    """SHA-256 over an encoding of the fields that no two different contents share."""
    head = (sorted(special), sorted(added.items()), drops_first_blank, list(map(len, pieces)))
    return sha256(ascii(head).encode("ascii") + b"".join(pieces)).hexdigest()


def _check_ids(argument: str, ids: Iterable[int], count: int) -> None:
    """Raise if one of `ids` is no index of a table of `count` pieces."""
    for token in ids:
        if not 0 <= token < count:
            raise ValueError(f"{argument}: {token} is not a token id; pieces has {count} ids, from 0")
