"""How fast a format is read on this machine: what is behind `unbraid bench`.

    load    an output, written as the format writes it (`outputs`): prose, a long thought, a long argument
    feed    its deltas: token ids, the host's text of them, or both; one token at a time, four, or all at once
    clock   CPU time of this process from the first delta to the whole message

The fastest of several passes counts: the machine is warm then, and what else runs on the computer only adds to a pass.
Without a vocabulary words take the place of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pydoc_data.topics import topics
from time import process_time
from typing import Final, TypeAlias

from attrs import frozen
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode
from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, ReasoningChunk, ToolName
from unbraid.core.machine import Delta, finish, start, step
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import Role, lookup
from unbraid.shell.arriving import words
from unbraid.shell.bind import Tools
from unbraid.shell.encoding import encode
from unbraid.shell.messages import Message, ToolCall, by_kind
from unbraid.shell.opening import FeedKind, StartAt
from unbraid.shell.outputs import Asked, Turn, Writer, writer

SECONDS: Final = 0.25
"""CPU time that one number of the table may take."""

BATCH: Final = 4

TOOLS: Final[tuple[dict[str, object], ...]] = (
    {
        "type": "function",
        "function": {
            "name": "run",
            "parameters": {
                "type": "object",
                "properties": {
                    "cmd": {"type": "string"},
                    "times": {"type": "integer"},
                    "data": {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}},
                },
            },
        },
    },
)
"""What the calls of a load may call, and how its arguments are typed."""

Rates: TypeAlias = dict[str, dict[str, float]]
"""Load, column -> tokens per second."""


# -- loads -------------------------------------------------------------------------------------------------------------


@cache
def prose() -> str:
    """Half a million code points of English about Python, with its brackets, quotes and code: the same everywhere."""
    return "\n\n".join(topics[name].strip("\n\r\t ") for name in sorted(topics))


@frozen
class Load:
    """A turn to be written and read."""

    name: str
    turn: Turn


def excerpt(start: int, size: int) -> str:
    """A part of the prose, in code points, without white space at its edges."""
    return prose()[start : start + size].strip("\n\r\t ")


def loads(halves: Writer) -> tuple[Load, ...]:
    """The loads that `halves` has words for: a long thought takes reasoning, a long argument calls."""
    calls = tuple(Asked("run", {"cmd": excerpt(20_000 + 300 * n, 200), "times": n}) for n in range(2))
    every = (
        Load("mixed", Turn(excerpt(0, 8_000), excerpt(10_000, 2_000), calls)),
        Load("long thought", Turn(excerpt(0, 80_000), "Done.")),
        Load("long argument", Turn("Hm.", "", (Asked("run", {"cmd": excerpt(0, 80_000)}),))),
    )
    said = (Load(load.name, halves.says(load.turn)) for load in every)
    return tuple(load for load in said if _says_its_part(load))


def _says_its_part(load: Load) -> bool:
    """Is there that which the load is named after?"""
    parts: dict[str, object] = {"long thought": load.turn.reasoning, "long argument": load.turn.calls}
    return bool(parts.get(load.name, load.turn != Turn()))


# -- deltas ------------------------------------------------------------------------------------------------------------


def texts_of(vocabulary: Vocabulary, ids: Iterable[int]) -> list[str]:
    """What a host shows for each id: its text, less what is not complete yet."""
    texts: list[str] = []
    pending = b""
    for token in ids:
        text, pending, _ = decode(pending, vocabulary.piece(token))
        texts.append(text)
    return texts


def join(feed: FeedKind, texts: Sequence[str], ids: Sequence[int], size: int) -> list[Delta]:
    """Deltas of `size` tokens each."""
    return [
        (
            None if feed == "ids" else "".join(texts[place : place + size]),
            () if feed == "text" else tuple(ids[place : place + size]),
        )
        for place in range(0, len(texts), size)
    ]


# -- reading -----------------------------------------------------------------------------------------------------------


def read(machine: Machine, feed: FeedKind, deltas: Iterable[Delta], at: StartAt = "auto") -> Message:
    """The message of a stream; each call's id is left empty."""
    state = start(machine, feed, at=at)
    said: list[Event] = []
    for text, ids in deltas:
        state, events = step(machine, state, text, ids)
        said.extend(events)
    _, events = finish(machine, state)
    said.extend(events)
    return added_up(said)


def added_up(events: Iterable[Event]) -> Message:
    """What a lean host makes of `events`: the texts, joined."""
    said = by_kind(events)
    calls: dict[int, list[str]] = {name.index: [] for name in said.get(ToolName, ())}
    for piece in said.get(ArgumentsChunk, ()):
        calls[piece.index].append(piece.json)
    return Message(
        "".join([piece.text for piece in said.get(ReasoningChunk, ())]) or None,
        "".join([piece.text for piece in said.get(ContentChunk, ())]) or None,
        tuple(ToolCall("", name.name, "".join(calls[name.index]), complete=True) for name in said.get(ToolName, ())),
    )


# -- clock -------------------------------------------------------------------------------------------------------------


@frozen
class Column:
    """A way to feed an output: `size` tokens in a delta, 0 for all of them."""

    title: str
    feed: FeedKind
    size: int


COLUMNS: Final = (
    Column("ids", "ids", 1),
    Column(f"ids, {BATCH} a delta", "ids", BATCH),
    Column("text", "text", 1),
    Column("text and ids", "both", 1),
    Column("whole text", "text", 0),
)


def columns(machine: Machine) -> tuple[Column, ...]:
    """Those that `machine` can be fed."""
    return tuple(one for one in COLUMNS if one.feed == "text" or machine.vocabulary is not None)


def measure(machine: Machine, halves: Writer, at: StartAt, passed: Callable[[], object] = lambda: None) -> Rates:
    """Tokens per second for each load and column. `passed` is called behind each number.

    Raises ValueError if the vocabulary cannot write a load.
    """
    rates: Rates = {}
    for load in loads(halves):
        texts, ids = tokens(machine.vocabulary, halves.write(load.turn))
        rates[load.name] = {}
        for column in columns(machine):
            deltas = join(column.feed, texts, ids, column.size or len(texts))
            rates[load.name][column.title] = len(texts) / fastest(partial(read, machine, column.feed, deltas, at))
            passed()
    return rates


def tokens(vocabulary: Vocabulary | None, text: str) -> tuple[list[str], Sequence[int]]:
    """The texts and the ids of the tokens of `text`; words without a vocabulary."""
    if vocabulary is None:
        return words(text), ()
    ids = encode(vocabulary, text)
    if ids is None:
        raise ValueError("the vocabulary cannot write this text")
    return texts_of(vocabulary, ids), ids


def fastest(run: Callable[[], object], seconds: float = SECONDS) -> float:
    """CPU seconds of the fastest of several calls of `run`, three at least."""
    run()
    times: list[float] = []
    while len(times) < 3 or sum(times) < seconds:
        began = process_time()
        run()
        times.append(process_time() - began)
    return min(times)


# -- view --------------------------------------------------------------------------------------------------------------


def show_rates(make: Callable[[Tools], Machine], reasoning: str | None, tools: str | None) -> None:
    """Measure the machine that `make` gives for the loads' tools; the table goes to stdout, a progress bar to stderr."""
    machine = make(TOOLS)
    halves = writer(_own_name("reasoning", reasoning), _own_name("tools", tools))
    at: StartAt = "reasoning" if halves.prompted else "auto"
    steps = len(loads(halves)) * len(columns(machine))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=steps)
        rates = measure(machine, halves, at, lambda: progress.advance(task))
    Console(highlight=False).print(table(machine, rates))


def _own_name(role: Role, name: str | None) -> str | None:
    return None if name is None else lookup(role, name).map(lambda form: form.name).value_or(name)


def table(machine: Machine, rates: Rates) -> Table:
    """The numbers, in million tokens per second."""
    unit = "words" if machine.vocabulary is None else "tokens"
    view = Table(title=f"{machine.format.name}: million {unit} per second on one core", title_justify="left")
    view.add_column("output")
    for column in columns(machine):
        view.add_column(column.title, justify="right")
    for load, row in rates.items():
        view.add_row(load, *(f"{rate / 1e6:.2f}" for rate in row.values()))
    return view
