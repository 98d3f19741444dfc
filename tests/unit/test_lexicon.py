"""Searching for literals: the leftmost one, the longest there, whichever way it is found."""

from __future__ import annotations

import re
from typing import cast

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from tests.laws.machines import bare, compositions
from unbraid.core.lexer import FAR, TRIES, Lexeme, lexicon

WORDS = st.lists(st.text("<ab\n", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)
FRAMINGS = st.lists(st.text("\n ", min_size=1, max_size=2), max_size=3, unique=True)


def _lexemes(framings: dict[str, list[str]]) -> dict[str, Lexeme]:
    """Each word alone, and behind each of its framings where that is no other literal."""
    found = {word: Lexeme(word, 0, len(word)) for word in framings}
    for word, before in framings.items():
        for one in before:
            found.setdefault(one + word, Lexeme(word, len(one), len(one) + len(word)))
    return found


def _leftmost(literals: list[str], text: str, start: int) -> tuple[int, str] | None:
    found = [(place, literal) for literal in literals if (place := text.find(literal, start)) >= 0]
    return min(found, key=lambda one: (one[0], -len(one[1])), default=None)


@given(
    WORDS.flatmap(lambda words: st.fixed_dictionaries(dict.fromkeys(words, FRAMINGS))), st.text("<ab\n ", max_size=20)
)
@example({"<a": ["\n\n"], "<ab": ["\n"]}, "x\n\n<ab")
@example({"<a": ["\n", "\n\n"], "<b": []}, "<\n\n<a")
@example({"\na": [], "b": ["\n"]}, "\n\nab")
def test_leftmost(framings: dict[str, list[str]], text: str) -> None:
    lexemes = _lexemes(framings)
    words = lexicon(lexemes)
    for start in range(len(text) + 1):
        assert words.leftmost(text, start) == _leftmost(list(lexemes), text, start)


@given(
    st.sampled_from(
        [{"<a": ["\n"], "<ab": []}, {"<a": [], "<b": []}, {"a": [], "<b": ["\n"]}, {"\n<": ["\n"], "<b": []}]
    ),
    st.lists(st.sampled_from(["<", "<a", "<ab", "\n", "b", "x" * FAR, "é" * (FAR - 1)]), max_size=12),
    st.integers(0, 3),
)
@example({"<a": [], "<b": []}, ["x" * FAR, *["<"] * 12, "<b"], 0)
@example({"<a": [], "<b": []}, ["x" * FAR] * 12, 0)
@example({"<a": [], "<b": []}, ["<", "<b", "x" * FAR, "x" * FAR], 0)
def test_leftmost_far_in_long_text(framings: dict[str, list[str]], parts: list[str], start: int) -> None:
    lexemes, text = _lexemes(framings), "".join(parts)
    assert lexicon(lexemes).leftmost(text, start) == _leftmost(list(lexemes), text, start)


class Probed:
    """A pattern that counts where it is tried."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.search, self._pattern, self.probes = pattern.search, pattern, 0

    def match(self, text: str, place: int) -> re.Match[str] | None:
        self.probes += 1
        return self._pattern.match(text, place)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (("<" * 20 + "<a>") * FAR, 0),
        ("x" * FAR + "<" * 90 * FAR, TRIES),
        (("x" * (FAR - 1) + "<") * 90, 90 + TRIES),
        (("x" * 9 + "<") * 9 * FAR + "<a>", TRIES),
    ],
)
def test_false_beginnings_that_are_not_rare_are_the_patterns(text: str, most: int) -> None:
    words = lexicon(_lexemes({"<a>": []}))
    probed = Probed(words.bare)
    assert evolve(words, bare=cast(re.Pattern[str], probed)).leftmost(text, 0) == _leftmost(["<a>"], text, 0)
    assert probed.probes <= most


def test_most_tables_are_searched_for_terminals_alone() -> None:
    """No format's markers begin with its framing, but where a line break is a marker."""
    tables = [bare(*pair, None, ids=False).text_table for pair in compositions()]
    lexicons = [region.lexicon for table in tables for region in table.regions.values()]
    assert sum(words.behind is not None for words in lexicons) > 0.9 * len(lexicons)
