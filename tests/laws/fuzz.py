"""Random near-marker inputs for every registered format: what must never happen, and what was reached.

    python -m tests.laws.fuzz [--inputs N] [--seed S] [--format NAME ...] [--alone]

Inputs are walks over a format's rows with noise (`walks`), half of them behind a way to the least reached row (`aims`), cut
anywhere, a few of them with broken UTF-8 through ids, and for each format some monsters: nesting 10,000 deep, floods of
openers, one value of 5 MB. For every input: no exception, the events tile the source, the state stays within its bound,
equals its copy from JSON and hashes like it; for the monsters the work is counted and linear in their length. At the end a
table says how many inputs reached each (region, terminal) pair of the format; under 95 % of the pairs, or on any fault, the
exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from random import Random
from typing import Final, Literal, TypeAlias

from attrs import frozen
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.laws.aims import aim
from tests.laws.inputs import OFFERED, Pair, pairs
from tests.laws.machines import bare, fold_ids, made
from tests.laws.test_linearity import PER_DELTA, PER_POINT, work
from tests.laws.walks import Ground, walk
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.events import Events
from unbraid.core.grammar import Row
from unbraid.core.machine import finish, start, step
from unbraid.core.records import ParserState
from unbraid.shell.snapshot import from_json, to_json

LEAST_REACHED: Final = 0.95
STATE_BOUND: Final = 20_000
"""Most characters of a state's repr for inputs of at most 10,000 code points whose format keeps no block (about ten times
its bytes)."""

MONSTER: Final = 100_000
"""Code points of floods and deep nesting."""

VALUE: Final = 50 * MONSTER
"""Code points of a single value."""

Reached = Counter[tuple[str, str]]

At: TypeAlias = Literal["auto", "reasoning", "content"]
AT: Final[tuple[At, ...]] = ("reasoning", "content")


class Watched(dict[str, tuple[Row, ...]]):
    """The rows of a region that note which terminals were met."""

    def __init__(self, region: str, rows: dict[str, tuple[Row, ...]], met: set[tuple[str, str]]) -> None:
        super().__init__(rows)
        self.region, self.met = region, met

    def get(self, on: str, default: object = ()) -> object:  # type: ignore[override]  # only looked up by name
        """Note the pair."""
        if on in self:
            self.met.add((self.region, on))
        return super().get(on, ())


@frozen
class Outcome:
    """What the inputs of one format showed."""

    pair: Pair
    inputs: int
    wanted: frozenset[tuple[str, str]]
    reached: Reached
    faults: tuple[str, ...]

    @property
    def share(self) -> float:
        return len(self.wanted & self.reached.keys()) / len(self.wanted) if self.wanted else 1.0


def fuzz(pair: Pair, inputs: int, seed: int = 0, monster: int = MONSTER) -> Outcome:
    """Read `inputs` random inputs and, unless `monster` is 0, the monsters of that size."""
    random, place = Random(f"{seed}/{pair}"), pair.ground
    machine, met = watched(pair)
    reached: Reached = Counter()
    faults: list[str] = []
    for count in range(inputs):
        at = random.choice(AT)
        text = _input(place, random, reached, at)
        met.clear()
        faults.extend(_faults(machine, pair, text, at, random, count))
        reached.update(met)
    for name, text in _monsters(place, monster) if monster else ():
        faults.extend(_monstrous(machine, pair, name, text))
    return Outcome(pair, inputs, wanted(place), reached, tuple(faults[:5]))


def _input(place: Ground, random: Random, reached: Reached, at: At) -> str:
    """The next input."""
    text = walk(place, random, random.choice((2, 4, 8, 16)))
    if random.random() < 0.5 or not wanted(place):
        return text
    least = min((reached[pair] for pair in wanted(place)), default=0)
    rows = [row for row in place.fmt.rows if row.on != "@text" and reached[row.region, row.on] == least]
    begun = place.fmt.start.on if at == "reasoning" else place.fmt.start.off
    return aim(place, random.choice(rows), begun, random) + random.choice(("", text))


def watched(pair: Pair) -> tuple[Machine, set[tuple[str, str]]]:
    """A machine of its own whose rows note what was met, and the set of what was."""
    machine = with_tools(bind(pair.ground.fmt).unwrap(), OFFERED).unwrap()
    met: set[tuple[str, str]] = set()
    for region in machine.text_table.regions.values():
        object.__setattr__(region, "rows", Watched(region.name, dict(region.rows), met))
    return machine, met


def wanted(place: Ground) -> frozenset[tuple[str, str]]:
    """Every pair of the table that a marker, or the end of a payload, reaches."""
    return _wanted(place)


@cache
def _wanted(place: Ground) -> frozenset[tuple[str, str]]:
    return frozenset((row.region, row.on) for row in place.fmt.rows if row.on != "@text")


def _faults(machine: Machine, pair: Pair, text: str, at: At, random: Random, count: int) -> Iterator[str]:
    pieces = _cut(text, random)
    try:
        events, largest = _read(machine, pieces, at)
        if _tiled(events) != len(text):
            yield f"{pair}: events account for {_tiled(events)} of {len(text)} code points: {pieces!r}"
        if largest > STATE_BOUND and not _keeps_blocks(pair):
            yield f"{pair}: a state of {largest} characters: {pieces!r}"
        if count % 20 == 0:
            _read_broken(pair, text, random)
    except Exception as error:  # noqa: BLE001  (any exception is the fault that is looked for)
        yield f"{pair}: {type(error).__name__}: {error}: {pieces!r}"


def _read(machine: Machine, pieces: Sequence[str], at: At = "auto") -> tuple[Events, int]:
    state: ParserState = start(machine, at=at)
    events: list[Events] = []
    largest = 0
    for piece in pieces:
        state, more = step(machine, state, piece, ())
        events.append(more)
        largest = max(largest, len(repr(state)))
        again = from_json(machine, to_json(machine, state)).unwrap()
        assert (again, hash(again)) == (state, hash(state)), "not the same from JSON"
    events.append(finish(machine, state)[1])
    return tuple(event for group in events for event in group), largest


def _tiled(events: Events) -> int:
    return sum(event.points for event in events)


def _read_broken(pair: Pair, text: str, random: Random) -> None:
    """The text's bytes as single-byte tokens, some of them lost."""
    machine = bare(pair.reasoning, pair.tools, OFFERED, ids=True)
    vocabulary = made(pair.reasoning, pair.tools)
    data = [byte for byte in text.encode("utf-8", "replace") if random.random() > 0.02]
    single = {piece: token for token, piece in enumerate(vocabulary.vocabulary.pieces) if len(piece) == 1}
    fold_ids(machine, start(machine, "ids"), [[single[bytes([byte])]] for byte in data if bytes([byte]) in single])


def _cut(text: str, random: Random) -> list[str]:
    places = sorted(random.randint(0, len(text)) for _ in range(random.choice((0, 1, 3, 9))))
    return [text[start:stop] for start, stop in zip((0, *places), (*places, len(text)), strict=True)]


def _keeps_blocks(pair: Pair) -> bool:
    return any(region.trial == "block" for region in pair.ground.fmt.regions)


def _monsters(place: Ground, size: int) -> Iterator[tuple[str, str]]:
    openers = _openers(place)
    yield "nesting", openers[0] + '{"name": "run", "arguments": ' + '{"a": [' * (size // 7)
    yield "brackets", openers[0] + "[" * size
    everything = "".join(spelling for terminal in place.fmt.terminals for spelling in terminal.spellings)
    for marker in filter(None, (*openers, everything)):
        yield f"flood of {marker!r}", marker * (size // len(marker))
    value = "x" * (size * VALUE // MONSTER)
    yield "one value", openers[0] + json.dumps({"name": "run", "arguments": {"cmd": value}})
    yield "one text", "x\n" * (len(value) // 2)


def _openers(place: Ground) -> list[str]:
    """Spellings that lead out of text."""
    texts = {region.name for region in place.fmt.regions if region.channel in ("content", "reasoning")}
    names = {row.on for row in place.fmt.rows if row.region in texts and row.on in place.terminals}
    return [place.terminals[name].spellings[0] for name in sorted(names)] or ["<"]


def _monstrous(machine: Machine, pair: Pair, name: str, text: str) -> Iterator[str]:
    try:
        events, _ = _read(machine, [text])
        if _tiled(events) != len(text):
            yield f"{pair}: {name}: events account for {_tiled(events)} of {len(text)} code points"
        counted = work(pair, text, len(text))
        if counted > PER_POINT * len(text) + PER_DELTA:
            yield f"{pair}: {name}: {counted / len(text):.0f} units of work per code point"
    except Exception as error:  # noqa: BLE001  (any exception is the fault that is looked for)
        yield f"{pair}: {name}: {type(error).__name__}: {error}"


def report(outcomes: Sequence[Outcome]) -> bool:
    """Print the table; is everything as it must be?"""
    table = Table("format", "inputs", "pairs", "reached", "share", "least reached", "faults")
    for outcome in outcomes:
        missing = sorted(outcome.wanted - outcome.reached.keys())
        rarest = ", ".join(f"{region} {on}" for region, on in missing[:3]) or "-"
        share = f"[{'green' if outcome.share >= LEAST_REACHED else 'red'}]{outcome.share:.0%}"
        hit = len(outcome.wanted & outcome.reached.keys())
        cells = (str(outcome.pair), str(outcome.inputs), str(len(outcome.wanted)), str(hit), share, rarest)
        table.add_row(*cells, str(len(outcome.faults)))
    Console().print(table)
    for fault in (fault for outcome in outcomes for fault in outcome.faults):
        Console(stderr=True, markup=False).print(fault[:2000])
    return all(outcome.share >= LEAST_REACHED and not outcome.faults for outcome in outcomes)


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="random inputs per format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", action="append", default=[], help="only pairs with this half; may be repeated")
    parser.add_argument(
        "--monster", type=int, default=MONSTER, help="code points of floods; 50 times as many of values"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--alone", action="store_true", help="each half alone, no compositions")
    options = parser.parse_args(arguments)
    chosen = [pair for pair in pairs() if not options.format or {pair.reasoning, pair.tools} & set(options.format)]
    if options.alone:
        chosen = [pair for pair in chosen if not (pair.reasoning and pair.tools)]
    run = partial(fuzz, inputs=options.inputs, seed=options.seed, monster=options.monster)
    with ProcessPoolExecutor(options.workers) as pool:
        outcomes = list(track(pool.map(run, chosen), "formats", len(chosen), console=Console(stderr=True)))
    return 0 if report(outcomes) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
