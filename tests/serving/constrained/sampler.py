"""Strings that a grammar lets through: token by token among the allowed tokens of a real vocabulary, steered so that they end.

With p = `STEER` the next token is one that goes on with a literal of the tag, closes an open string, or stops. Free text is steered for
sure after `FREE` tokens, white space ends after `BLANKS`, a string after `MOST`. Only outputs that the grammar terminates count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any, Final

import numpy as np
import xgrammar
from attrs import frozen

from tests.vocabularies import qwen_pypi

STEER: Final = 0.3
FREE: Final = 8
BLANKS: Final = 4
MOST: Final = 400
STOP: Final = "<|im_end|>"
STOPS: Final = 0.5
TEXT: Final = "\u2603q"
TRIES: Final = 48
_CLOSERS: Final = ('"', "}", "]", '":', ", ")
_CLOSING: Final = (b"}", b"]")
_WHITESPACE: Final = b" \n\r\t"


class Vocabulary:
    """The tokens of Qwen 3.6, and the compiler for them."""

    def __init__(self) -> None:
        encoding = qwen_pypi()
        self.pieces = [encoding.decode_single_token_bytes(token) for token in range(encoding.n_vocab)]
        self.ids = {piece: token for token, piece in enumerate(self.pieces)}
        self.stop = self.ids[STOP.encode()]
        self.blank = [not piece.strip(_WHITESPACE) for piece in self.pieces]
        info = xgrammar.TokenizerInfo(
            self.pieces, vocab_type=xgrammar.VocabType.RAW, vocab_size=len(self.pieces), stop_token_ids=[self.stop]
        )
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=2, cache_enabled=False)

    def compiled(self, tag: Mapping[str, object]) -> xgrammar.CompiledGrammar:
        """The tag's grammar. Raises what xgrammar raises if it cannot be compiled."""
        return self.compiler.compile_structural_tag(dict(tag))


@cache
def vocabulary() -> Vocabulary:
    """Loaded once per process."""
    return Vocabulary()


def accepts(grammar: xgrammar.CompiledGrammar, text: str) -> bool:
    """Does the grammar let the whole text through, and may it end there?"""
    matcher = xgrammar.GrammarMatcher(grammar)
    return bool(matcher.accept_string(text)) and bool(matcher.accept_token(vocabulary().stop))


def literals(node: Any) -> set[str]:
    """All that a tag writes out."""
    if isinstance(node, Mapping):
        own = {str(node[word]) for word in ("value", "begin", "end") if isinstance(node.get(word), str)}
        return own.union(*(literals(inner) for word, inner in node.items() if word != "json_schema"))
    return set().union(*(literals(inner) for inner in node)) if isinstance(node, list) else set()


def told(node: Any, name: str) -> set[str]:
    """All strings that the nodes of a tag list under a name."""
    if isinstance(node, Mapping):
        own = {str(word) for word in node.get(name, ())}
        return own.union(*(told(inner, name) for word, inner in node.items() if word != "json_schema"))
    return set().union(*(told(inner, name) for inner in node)) if isinstance(node, list) else set()


def style_closers(node: Any) -> set[str]:
    """What closes values in styles that are no JSON."""
    if isinstance(node, Mapping):
        own: set[str] = set()
        if node.get("style") == "gemma":
            own = {'<|"|>'}
        if node.get("style") == "minimax_m3_xml":
            own = {f"]<]minimax[>[</{key}>" for key in ("item", *_keys(node["json_schema"]))}
        return own.union(*(style_closers(inner) for inner in node.values()))
    return set().union(*(style_closers(inner) for inner in node)) if isinstance(node, list) else set()


def _keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from schema.get("properties", ())
        for inner in schema.values():
            yield from _keys(inner)


def _begun(text: bytes, word: bytes) -> int:
    """How much of `word` the text ends with, less than all."""
    return next((size for size in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:size])), 0)


@frozen
class Sample:
    """An output, as text and as the ids of its tokens."""

    text: str
    ids: tuple[int, ...]


class Sampler:
    """Draws outputs of one tag."""

    def __init__(self, tag: Mapping[str, object], seed: str, grammar: xgrammar.CompiledGrammar | None = None) -> None:
        self.vocabulary = vocabulary()
        self.grammar = grammar or self.vocabulary.compiled(tag)
        self.random = Random(seed)
        self._triggers = [word.encode() for word in told(tag, "triggers")]
        words = {*literals(tag), *style_closers(tag), *_CLOSERS}
        self._ends = {word.encode() for word in told(tag, "excludes")}  # of texts that other texts follow
        self._literals = [word.encode() for word in sorted(words) if word]
        self._mask = xgrammar.allocate_token_bitmask(1, len(self.vocabulary.pieces))
        self._words = self._mask.numpy()[0].view(np.uint32)

    def outputs(self, most: int, tries: int) -> Iterator[Sample]:
        """At most `most` outputs that end, found in at most so many tries."""
        for _ in range(tries):
            found = self.output() if most else None
            if found is not None:
                most -= 1
                yield found

    def output(self) -> Sample | None:
        """One output, None if it does not end."""
        matcher, ids, text, free, blanks = xgrammar.GrammarMatcher(self.grammar), list[int](), b"", 0, 0
        for _ in range(MOST):
            matcher.fill_next_token_bitmask(self._mask)
            steered = self.random.random() < STEER or free >= FREE
            token, whole = self._end(text), False
            if token is None and steered:
                token, whole = self._steered(matcher, text)
            if token is None:
                token = self._any(no_blanks=blanks >= BLANKS)
            if token is None or not matcher.accept_token(token):
                return None
            if token == self.vocabulary.stop:
                return Sample(text.decode("utf-8", "replace"), tuple(ids)) if matcher.is_terminated() else None
            ids.append(token)
            text += self.vocabulary.pieces[token]
            free = 0 if whole else free + 1
            blanks = blanks + 1 if self.vocabulary.blank[token] else 0
        return None

    def _allowed(self, token: int) -> bool:
        return bool(int(self._words[token >> 5]) >> (token & 31) & 1)

    def _end(self, text: bytes) -> int | None:
        """The stop token, now and then, where it may stand; seldom before any call."""
        called = not self._triggers or any(word in text for word in self._triggers)
        likely = STOPS if called else STOPS / 50
        return self.vocabulary.stop if self._allowed(self.vocabulary.stop) and self.random.random() < likely else None

    def _steered(self, matcher: xgrammar.GrammarMatcher, text: bytes) -> tuple[int | None, bool]:
        """A token that goes on with the tag's next literal or closes a string, and whether it completes that. A literal in a text
        is no part of the tag: any text may follow it."""
        words = ((_begun(text, word), word in _CLOSING, self.random.random(), word) for word in self._literals)
        perhaps = b""
        for size, _, _, word in sorted(words, reverse=True):
            rest, fork = word[size:], matcher.fork()
            if fork.accept_string(rest):
                if not fork.accept_string(TEXT):
                    return self._part(rest)
                perhaps = perhaps or (rest if word in self._ends else b"")
        return self._part(perhaps) if perhaps else (None, False)

    def _part(self, rest: bytes) -> tuple[int | None, bool]:
        token = self.random.choice([one for one in self._prefixes(rest) if self._allowed(one)] or [None])
        return token, token is not None and self.vocabulary.pieces[token] == rest

    def _prefixes(self, word: bytes) -> Iterator[int]:
        for size in range(1, len(word) + 1):
            token = self.vocabulary.ids.get(word[:size])
            if token is not None:
                yield token

    def _any(self, *, no_blanks: bool) -> int | None:
        """An allowed token; none that is white space if there is another."""
        for _ in range(TRIES):
            token = self.random.randrange(len(self.vocabulary.pieces))
            if self._allowed(token) and not (no_blanks and self.vocabulary.blank[token]):
                return token
        filled = np.flatnonzero(self._words)
        bits = np.unpackbits(self._words[filled].view(np.uint8), bitorder="little").reshape(-1, 32)
        every = [int(filled[row]) * 32 + int(bit) for row, bit in zip(*np.nonzero(bits), strict=True)]
        some = [token for token in every if not (no_blanks and self.vocabulary.blank[token])]
        return self.random.choice(some or every) if every else None
