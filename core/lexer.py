"""Finding literals in a growing text: the only file that knows about hold-back.

A region's live *literals* are its terminals' spellings, each alone and behind each of its framing literals. The
leftmost literal counts, the longest at a tie. Text is settled up to the longest suffix that is a proper prefix of a
live literal; that suffix is the hold-back, nothing else is ever held (law 4, eagerness).

`leftmost` looks for terminals alone and then back for their framing: a marker is rare, a line break is not. Where a
terminal can begin inside of framing that would miss something, so there all literals are looked for. Either way it is one
regular expression, a trie of literals: linear, no backtracking beyond the length of a literal. In long text whose literals
all begin alike it is tried where they may begin: that place is found sooner, as long as such places are rare. `tail` looks
once at the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import field, frozen

from unbraid.core.grammar import WHITESPACE

FAR: Final = 1024
"""Code points whose search costs more than a place where no literal begins."""

TRIES: Final = 4
"""Such places that are tried in any case."""


@frozen
class Lexeme:
    """A live literal: `terminal` behind `before` code points of framing; `size` code points in all."""

    terminal: str
    before: int
    size: int


@frozen(eq=False)
class Lexicon:
    """The live literals of one region, compiled.

    `find`: a pattern of all; `bare`: of those without framing, for a place where white space was already read; `opens`: of
    what may begin one.
    `behind`: by bare literal, what may stand for it and how many code points of that are before it, the longest framing
    first; None if framing and terminals overlap. `extendable`: literals that others begin with; `nested`: those that stand
    inside of others (only special tokens do), where an earlier one may have begun. `first`: what all begin with that are
    looked for, one code point, or nothing.
    """

    lexemes: Mapping[str, Lexeme]
    find: re.Pattern[str]
    bare: re.Pattern[str]
    opens: re.Pattern[str]
    prefixes: frozenset[str]
    firsts: frozenset[str]
    longest: int
    extendable: frozenset[str] = field(default=frozenset())
    nested: frozenset[str] = field(default=frozenset())
    behind: Mapping[str, tuple[tuple[str, int], ...]] | None = None
    first: str = ""

    def leftmost(self, text: str, start: int) -> tuple[int, str] | None:
        """The leftmost literal from `start` on, the longest one there, and its place."""
        behind = self.behind
        pattern = self.find if behind is None else self.bare
        found = pattern.search(text, start) if len(text) - start <= FAR else self._far(pattern, text, start)
        if found is None:
            return None
        place, literal = found.start(), found.group()
        for framed, before in () if behind is None else behind[literal]:
            if place - before >= start and text.startswith(framed, place - before):
                return place - before, framed
        return place, literal

    def _far(self, pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
        """As `pattern.search`; if no literal is near, from one place where it may begin to the next, as long as they are rare."""
        near = place = start + FAR
        found = pattern.search(text, start, near + self.longest)
        if found is not None and found.start() < near:
            return found
        tried, most = 0, TRIES if self.first else 0
        while tried < most + (place - near) // FAR:
            place = text.find(self.first, place)
            if place < 0:
                return None
            found = pattern.match(text, place)
            if found is not None:
                return found
            place, tried = place + 1, tried + 1
        return pattern.search(text, place)

    def tail(self, text: str, start: int) -> int:
        """Where the hold-back of `text[start:]` begins; `len(text)` if nothing is held."""
        size, prefixes = len(text), self.prefixes
        found = self.opens.search(text, max(start, size - self.longest + 1))
        while found is not None:
            place = found.start()
            if text[place:] in prefixes:
                return place
            found = self.opens.search(text, place + 1)
        return size

    def clear(self, text: str) -> bool:
        """Whether no literal occurs in `text`, and none begins at its end."""
        return self.leftmost(text, 0) is None and self.tail(text, 0) == len(text)

    def begins(self, text: str, start: int) -> bool:
        """Whether all that stands from `start` on is the beginning of a literal, but none yet."""
        return len(text) - start < self.longest and text[start:] in self.prefixes

    def waits(self, text: str, start: int, literal: str) -> bool:
        """Whether `literal`, found at `start`, may still turn out to be the beginning of a longer one."""
        return literal in self.extendable and self.begins(text, start)


def lexicon(lexemes: Mapping[str, Lexeme]) -> Lexicon:
    """Compile literals. An empty mapping gives a lexicon that finds and holds nothing."""
    literals = tuple(lexemes)
    bare = tuple(literal for literal in literals if not lexemes[literal].before)
    prefixes = frozenset(literal[:size] for literal in literals for size in range(1, len(literal)))
    behind = _behind(lexemes, bare)
    begun = {literal[0] for literal in (literals if behind is None else bare)}
    return Lexicon(
        lexemes=dict(lexemes),
        find=re.compile(trie(literals)),
        bare=re.compile(trie(bare)),
        opens=re.compile(trie({literal[0] for literal in literals})),
        prefixes=prefixes,
        firsts=frozenset(literal[0] for literal in literals),
        longest=max(map(len, literals), default=0),
        extendable=frozenset(literal for literal in literals if literal in prefixes),
        nested=frozenset(inner for inner in bare if any(inner in literal[1:] for literal in bare)),
        behind=behind,
        first=begun.pop() if len(begun) == 1 else "",
    )


def _behind(lexemes: Mapping[str, Lexeme], bare: Iterable[str]) -> dict[str, tuple[tuple[str, int], ...]] | None:
    """What may be found where each of `bare` is, framing first."""
    framed = [(literal, lexeme.before) for literal, lexeme in lexemes.items() if lexeme.before]
    framing = {char for literal, before in framed for char in literal[:before]}
    cores = {literal[before:] for literal, before in framed}
    if not cores.issubset(bare) or any(literal[0] in framing for literal in bare):
        return None
    return {
        literal: tuple(
            sorted(
                ((one, before) for one, before in framed if literal.startswith(one[before:])),
                key=lambda found: (-found[1], -len(found[0])),
            )
        )
        for literal in bare
    }


_BLANK: Final = frozenset(WHITESPACE)
_BLANKS: Final = re.compile(f"[{WHITESPACE}]*+")


def blanks_end(text: str, place: int) -> int:
    """Where the white space at `place` ends.

    >>> blanks_end("a  b", 1)
    3
    """
    if text[place : place + 1] not in _BLANK:
        return place
    found = _BLANKS.match(text, place)
    return place if found is None else found.end()


NEVER: Final = "(?!)"


def trie(literals: Iterable[str]) -> str:
    """A pattern that matches the longest of `literals`; each code point is read once.

    >>> trie(["ab", "abc", "ad"])
    'a(?:b(?:c)?|d)'
    """
    words = sorted(set(literals))
    return _branch(words, 0) if words else NEVER


def _branch(words: list[str], depth: int) -> str:
    ended = len(words[0]) == depth
    groups: dict[str, list[str]] = {}
    for word in words[1:] if ended else words:
        groups.setdefault(word[depth], []).append(word)
    arms = [re.escape(first) + _rest(group, depth + 1) for first, group in groups.items()]
    body = arms[0] if len(arms) == 1 and not ended else f"(?:{'|'.join(arms)})"
    return f"{body}?" if ended else body


def _rest(words: list[str], depth: int) -> str:
    if len(words) == 1:
        return re.escape(words[0][depth:])
    return _branch(words, depth)
