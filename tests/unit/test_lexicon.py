"""Searching for literals: the leftmost one, the longest there, whichever way it is found."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.laws.machines import bare, compositions
from unbraid.core.lexer import Lexeme, lexicon

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


def test_most_tables_are_searched_for_terminals_alone() -> None:
    """No format's markers begin with its framing, but where a line break is a marker."""
    tables = [bare(*pair, None, ids=False).text_table for pair in compositions()]
    lexicons = [region.lexicon for table in tables for region in table.regions.values()]
    assert sum(words.behind is not None for words in lexicons) > 0.9 * len(lexicons)
