"""Work in numbers that no clock makes: steps, lengths built and code points searched, the same on every machine.

    python -m tests.bench.steps             count, and compare with `steps.toml`
    python -m tests.bench.steps --update    write `steps.toml` anew

One fixed turn is read by every pair of formats in the counting build (`tests.laws.counted`): as single tokens of the pair's
made vocabulary, as words, and whole. `first` is a machine that has read nothing yet (all of the slow path, and the filling of
its tables), `again` the same machine on the same text (what is left when everything was seen before).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer
from rich.console import Console
from rich.progress import track

from tests.bench.subjects import THINKING, pairs
from tests.laws.counted import install
from tests.laws.made_vocabulary import MadeVocabulary, made_vocabulary
from unbraid.shell.arriving import words
from unbraid.shell.bench import TOOLS
from unbraid.shell.bind import bind
from unbraid.shell.outputs import Asked, Turn, writer

WORK: Final = install()
FILE: Final = Path(__file__).with_name("steps.toml")
MARGIN: Final = 1.03
"""More work than recorded by this factor is a regression."""

Count: TypeAlias = tuple[int, int, int]
"""Steps, built, scanned."""

Counts: TypeAlias = dict[str, dict[str, Count]]
"""Pair, reading -> count."""

PROSE: Final = (
    'The plan: if 3 < 4 and x > y, then call it "now". Some [notes] in {braces} follow, with a \\ and an é.\n'
    "A second line says less; <b>tags</b> and a|b are only text.\n"
)
TURN: Final = Turn(
    (PROSE * 4).strip(),
    (PROSE * 2).strip(),
    (Asked("run", {"cmd": (PROSE * 2).strip(), "times": 3}), Asked("run", {"data": [[True, False]] * 8})),
)

HEAD: Final = """\
# Work per pair and reading: [steps, lengths built, code points searched]; see steps.py. Written by
# `python -m tests.bench.steps --update`.
"""


def counted(reasoning: str | None, tools: str | None) -> dict[str, Count]:
    """The counts of one pair."""
    halves = writer(reasoning, tools)
    text = halves.write(halves.says(TURN))
    made = made_vocabulary(bind(reasoning, tools, template_kwargs=THINKING).unwrap().format)
    at = "reasoning" if halves.prompted else "auto"
    readings: dict[str, tuple[str, list[tuple[str | None, tuple[int, ...]]]]] = {
        "ids": ("ids", [(None, (token,)) for token in made.encode(text)]),
        "words": ("text", [(word, ()) for word in words(text)]),
        "whole": ("text", [(text, ())]),
    }
    found: dict[str, Count] = {}
    for name, (feed, deltas) in readings.items():
        machine = _machine(reasoning, tools, made)
        for turn in ("first", "again"):
            found[f"{name} {turn}"] = _work(machine, feed, at, deltas)
    return found


def _machine(reasoning: str | None, tools: str | None, made: MadeVocabulary) -> Any:
    """A machine of the counting build, whose types are another build's, so they are `Any` here."""
    from counted.core.bind import bind, with_tools  # type: ignore[import-not-found]
    from counted.core.compose import compose  # type: ignore[import-not-found]
    from counted.core.vocabulary import Vocabulary  # type: ignore[import-not-found]
    from counted.formats.registry import lookup  # type: ignore[import-not-found]

    first = None if reasoning is None else lookup("reasoning", reasoning).unwrap()
    second = None if tools is None else lookup("tools", tools).unwrap()
    known = made.vocabulary
    vocabulary = Vocabulary(known.pieces, known.special, known.added, known.drops_first_blank)
    bound = bind(compose(first, second).unwrap(), vocabulary, kwargs=THINKING).unwrap()
    return with_tools(bound, None if tools is None else TOOLS).unwrap()


def _work(machine: Any, feed: str, at: str, deltas: list[tuple[str | None, tuple[int, ...]]]) -> Count:
    from counted.core.machine import finish, start, step  # type: ignore[import-not-found]

    WORK.reset()
    state = start(machine, feed, at=at)
    for text, ids in deltas:
        state, _ = step(machine, state, text, ids)
    finish(machine, state)
    return WORK.steps, WORK.built, WORK.scanned


def name_of(reasoning: str | None, tools: str | None) -> str:
    """A pair in one word."""
    return f"{reasoning or '-'}+{tools or '-'}"


def recorded() -> Counts:
    """What the file says."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {pair: {name: (row[0], row[1], row[2]) for name, row in rows.items()} for pair, rows in table.items()}


def written(counts: Counts) -> str:
    """The file's text."""
    tables = (f'\n["{pair}"]\n' + "".join(_line(*row) for row in rows.items()) for pair, rows in counts.items())
    return HEAD + "".join(tables)


def _line(name: str, count: Count) -> str:
    return f'"{name}" = [{", ".join(map(str, count))}]\n'


def regressions(before: Mapping[str, Count], after: Mapping[str, Count]) -> Iterator[str]:
    """What takes more work than before."""
    for name, count in after.items():
        old, new = sum(before.get(name, (0, 0, 0))), sum(count)
        if new > old * MARGIN + 20:
            yield f"{name}: {old} -> {new} ({', '.join(map(str, count))})"


def main(update: Annotated[bool, typer.Option("--update", help="Write the file anew.")] = False) -> None:
    """Count the work of every pair of formats."""
    every = track(pairs(), "counting", console=Console(stderr=True), transient=True)
    counts = {name_of(*pair): counted(*pair) for pair in every}
    out = Console(highlight=False)
    known = recorded() if FILE.exists() else {}
    for pair, found in counts.items():
        old, new = (sum(map(sum, rows.values())) for rows in (known.get(pair, {}), found))
        out.print(f"{pair:40} {old:>10,} -> {new:>10,}" + (f"  {new / old:.2f}" if old else ""))
    if update:
        FILE.write_text(written(counts), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
