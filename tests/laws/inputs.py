"""What the laws run over: corpus cases, random walks, spans of markers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from attrs import frozen

from tests.corpus.reader import Case, Message, known_tools
from tests.laws.cuts import Span
from tests.laws.effort import EFFORT
from tests.laws.machines import composed, compositions
from tests.laws.walks import Ground, ground
from unbraid.core.grammar import Format

OFFERED: Final = tuple(known_tools()[name] for name in ("get_weather", "run", "now"))


def name_of(case: Case) -> str:
    """The pytest id of a case."""
    return case.name


@frozen
class Pair:
    """A composition by the names of its halves."""

    reasoning: str | None
    tools: str | None

    @property
    def ground(self) -> Ground:
        """The format, to walk over."""
        return _ground(self.reasoning, self.tools)

    def case(self, text: str, at: str = "auto") -> Case:
        """`text` as a case without an expectation."""
        return Case(f"{self}", self.reasoning, self.tools, text, Message(None, None, (), ()), at, offered=OFFERED)

    def __str__(self) -> str:
        return f"{self.reasoning}+{self.tools}"


@cache
def _ground(reasoning: str | None, tools: str | None) -> Ground:
    return ground(composed(reasoning, tools))


def pairs() -> list[Pair]:
    """Every composition that the laws run over."""
    return [Pair(*names) for names in compositions()]


def walked() -> list[Pair]:
    """Compositions for random walks: every format at least once; all of them in the nightly effort."""
    chosen: list[Pair] = []
    seen: set[tuple[str, str]] = set()
    for pair in sorted(pairs(), key=lambda pair: None in (pair.reasoning, pair.tools)):
        halves = {(role, name) for role, name in (("reasoning", pair.reasoning), ("tools", pair.tools)) if name}
        if EFFORT.floods is None or not halves <= seen:
            chosen.append(pair)
            seen |= halves
    return chosen


def spans(fmt: Format, text: str) -> list[Span]:
    """Where spellings of more than one code point stand in `text`."""
    spellings = {spelling for terminal in fmt.terminals for spelling in terminal.spellings if len(spelling) > 1}
    return sorted(
        {span for spelling in spellings for span in _occurrences(text, spelling)}, key=lambda span: span.start
    )


def _occurrences(text: str, word: str) -> Iterator[Span]:
    start = text.find(word)
    while start >= 0:
        yield Span(start, start + len(word))
        start = text.find(word, start + 1)
