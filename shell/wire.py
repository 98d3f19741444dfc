"""How a format writes its calls, read off its table: the way from text to a call, through its arguments, and back.

    calls = prefix call (between call)* suffix
    call  = head arguments tail

A format says what every marker means in every region. The way of a well-behaved model is the shortest one of rows that are
no recovery (`odd`), and its parts are what stands on it: markers, white space where a gap allows it, captured names. So
nothing about writing is told twice, and a format of one's own has a wire as well. What a table cannot say:

    Python calls        their values are literals of another language
    free headers        (Harmony) fields stand anywhere in a header; no single way is the model's own: see `headers`

These are failures, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from types import UnionType
from typing import Final, Literal, TypeAlias

from attrs import field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.grammar import (
    Braces,
    Capture,
    Envelope,
    Format,
    Gap,
    Json,
    PythonCalls,
    Region,
    Row,
    Terminal,
    Test,
    Text,
    Tree,
    Value,
)
from unbraid.core.notation import SAME

DETOUR_MOST: Final = 3
"""Regions that a detour leads through."""

NEWLINES: Final = "\n"
BLANKS: Final = "\n "

Missing: TypeAlias = Literal["no_calls", "python_calls", "free_header", "no_way", "no_end"]

_REASONS: Final[dict[Missing, str]] = {
    "no_calls": "it knows no calls",
    "python_calls": "its calls are Python, whose values no schema describes",
    "free_header": "its headers hold their fields in any place",
    "no_way": "no rows lead from text to the arguments of a call",
    "no_end": "no rows lead from a call back to text",
}


@frozen
class NoWire:
    """A format whose calls cannot be written by its table alone."""

    format: str
    problem: Missing

    def describe(self) -> str:
        """One sentence."""
        return f"no grammar can be made for the calls of {self.format!r}: {_REASONS[self.problem]}"


@frozen
class Mark:
    """A marker."""

    terminal: Terminal

    @property
    def spelling(self) -> str:
        """As it is written."""
        return self.terminal.spellings[0]


@frozen
class Space:
    """White space that may stand here: any of `chars`."""

    chars: str = BLANKS


@frozen
class Slots:
    """Captured text: what of a name, a key or a type stands in it; none: a word that means nothing. `live`: the spellings
    that end it."""

    capture: Capture
    live: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The slots that are read from it."""
        return frozenset(one.slot for one in self.capture.fields)


@frozen
class Detour:
    """Parts that may be left out: a further header, such as a call's id; a marker that the next one stands for."""

    parts: tuple[Mark | Space | Slots | Detour, ...]


Part: TypeAlias = Mark | Space | Slots | Detour
Parts: TypeAlias = tuple[Part, ...]


@frozen
class Pairs:
    """Arguments as keys and values: `parts` up to a value, among them the one with the key; `opens` and `closes`, white space
    that must be written at its edges; `close`, what ends it. `live`: spellings that mean something in a value."""

    parts: Parts
    value: Value
    opens: str
    closes: str
    close: Mark
    live: tuple[str, ...]


Payload: TypeAlias = Json | Tree | Braces
Arguments: TypeAlias = Payload | Envelope | Pairs


@frozen
class Wire:
    """`unmarked`: spellings, of which one begins the calls as part of their JSON; empty if a marker does. `section`: calls repeat
    inside of what `prefix` opened; else each call is a block of its own, and `prefix` and `suffix` are empty. `ends`: markers that
    mean nothing in text and behind calls; where a turn ends, one may stand. `wrapper`: markers around text, if a format has some;
    they may stand around none."""

    prefix: Parts
    head: Parts
    arguments: Arguments
    tail: Parts
    suffix: Parts
    section: bool
    unmarked: tuple[str, ...]
    ends: tuple[Mark, ...] = ()
    wrapper: tuple[Mark, Mark] | None = None
    between: Parts = field(default=(Space(),))

    @property
    def opener(self) -> Mark | None:
        """The marker that every block of calls begins with; None if there is none."""
        return next((part for part in (*self.prefix, *self.head)[:1] if isinstance(part, Mark)), None)


def wire(fmt: Format) -> Result[Wire, NoWire]:
    """How a composed format writes its calls."""
    try:
        return Success(_wire(Graph(fmt)))
    except _NoWayError as error:
        return Failure(NoWire(fmt.name, error.problem))


class _NoWayError(Exception):
    """Inside of this module: there is no wire."""

    def __init__(self, problem: Missing) -> None:
        super().__init__(problem)
        self.problem: Missing = problem


@frozen
class _Way:
    """Rows from one region to another, and what is written on them."""

    rows: tuple[Row, ...] = ()
    parts: Parts = ()


_Cost: TypeAlias = int
_KEPT: Final = 1
_ROW: Final = 4
_CAPTURED: Final = (
    16  # a call that is announced by its first key: the way of a call without arguments is the general one
)


class Graph:
    """The rows of a format as ways between regions."""

    def __init__(self, fmt: Format) -> None:
        self.format = fmt
        self.regions = {region.name: region for region in fmt.regions}
        self.terminals = {terminal.name: terminal for terminal in fmt.terminals}
        self._rows: dict[str, list[Row]] = {}
        for row in fmt.rows:
            self._rows.setdefault(row.region, []).append(row)

    def rows(self, region: str) -> Iterator[Row]:
        """The row that holds for each marker of a region, captured slots taken as present."""
        seen: set[str] = set()
        captured = self.captured(region)
        for row in self._rows.get(region, ()):
            if row.on in self.terminals and row.on not in seen and all(_holds(test, captured) for test in row.when):
                seen.add(row.on)
                yield row

    def regular(self, region: str) -> Iterator[Row]:
        """Those that a well-behaved model takes."""
        return (row for row in self.rows(region) if not row.odd and not row.release and row.to != SAME)

    def captured(self, region: str) -> frozenset[str]:
        """The slots that are full where a region is left."""
        kind = self.regions[region].kind
        return frozenset(one.slot for one in kind.fields) if isinstance(kind, Capture) else frozenset()

    def closed(self, region: str) -> str | None:
        """Where a payload leads that ended."""
        found = (row.to for row in self._rows.get(region, ()) if row.on == "@closed")
        return next(found, None)

    def live(self, *regions: str) -> tuple[str, ...]:
        """All spellings that mean something in these regions."""
        names = dict.fromkeys(row.on for region in regions for row in self._rows.get(region, ()))
        return tuple(dict.fromkeys(word for name in names if name in self.terminals for word in self.words(name)))

    def words(self, terminal: str) -> tuple[str, ...]:
        """The spellings of a terminal."""
        return self.terminals[terminal].spellings

    def written(self, row: Row) -> Parts:
        """What is written on a row, and in the region that it leads to."""
        marker = self.terminals[row.on]
        here: list[Part] = [] if row.keep else [Mark(marker)]
        target = self.regions[row.to]
        if isinstance(target.kind, Gap):
            here.append(self._space(row))
        elif isinstance(target.kind, Capture):
            here.append(Slots(target.kind, self.live(row.to)))
        elif isinstance(target.kind, Json | Envelope) and not row.keep:
            here.append(Space())
        return tuple(here)

    def _space(self, row: Row) -> Space:
        """White space in a gap; behind a name that nothing ends it is the name's, which may not hold any."""
        kind = self.regions[row.region].kind
        if not row.keep or not isinstance(kind, Capture):
            return Space()
        return Space("".join(char for char in NEWLINES if char not in kind.stops))


def _holds(test: Test, captured: frozenset[str]) -> bool:
    """Does a test hold if the slots in `captured` hold something that is not one of the words it asks for?"""
    there = test.slot in captured
    if test.among and test.part in ("whole", "first_segment"):
        return test.negate
    return there is not test.negate


# -- the ways ----------------------------------------------------------------------------------------------------------


def _wire(graph: Graph) -> Wire:
    fmt = graph.format
    if not fmt.tools:
        raise _NoWayError("no_calls")
    if isinstance(graph.regions[fmt.start.off].kind, Capture) and _searches(graph):
        raise _NoWayError("free_header")
    opening = _opening(graph)
    announced = opening.rows[-1].to
    pre, arguments, ended, tail = _inside(graph, announced)
    used = {row.on for row in opening.rows} | {part.terminal.name for part in tail if isinstance(part, Mark)}
    stages = list(_closing(graph, ended, used))
    section = _section(graph, opening, ended, stages)
    first = 0 if section is None else section[0]
    last = len(stages) if section is None else section[1]
    steps = list(_steps(graph, opening))
    return Wire(
        prefix=tuple(part for step in steps[:first] for part in step),
        head=(*(part for step in steps[first:] for part in step), *pre),
        arguments=arguments,
        tail=_without_space((*tail, *(part for stage in stages[:last] for part in stage.parts))),
        suffix=_without_space(tuple(part for stage in stages[last:] for part in stage.parts)),
        section=section is not None,
        unmarked=graph.words(opening.rows[0].on) if opening.rows[0].keep else (),
        ends=_ends(graph, ended, stages),
        wrapper=next(_wrappers(graph), None),
    )


def _steps(graph: Graph, opening: _Way) -> Iterator[Parts]:
    """What is written on each row of the opening, with what else may stand before it."""
    for index, row in enumerate(opening.rows):
        detour = _detour(graph, row) if index and not row.keep else ()
        written = graph.written(row)
        if row is opening.rows[-1] and not row.keep:
            skipping = next((one for one in graph.regular(row.region) if _skips(graph, one, row)), None)
            written = written if skipping is None else (Detour(written), *graph.written(skipping))
        yield (Detour(detour), *written) if detour else written


def _detour(graph: Graph, row: Row) -> Parts:
    """The longest way round a row: by further headers to where its marker leads to the same."""
    longest: Parts = ()
    queue: list[tuple[str, Parts, tuple[str, ...]]] = [(row.region, (), (row.region,))]
    for here, parts, seen in queue:
        if len(seen) > 1 and any((one.on, one.to, one.do) == (row.on, row.to, row.do) for one in graph.regular(here)):
            longest = max(longest, parts, key=len)
        for step in graph.regular(here) if len(seen) <= DETOUR_MOST else ():
            target = graph.regions[step.to]
            headers = isinstance(target.kind, Gap | Capture) and target.channel in ("call", "none")
            if headers and not step.keep and not step.do and step.on != row.on and step.to not in seen:
                queue.append((step.to, (*parts, *graph.written(step)), (*seen, step.to)))
    return longest


def _skips(graph: Graph, row: Row, last: Row) -> bool:
    """Is the call announced as well by what follows the marker of `last`?"""
    return row.keep and row.to == last.to and "call" in row.do and isinstance(graph.regions[row.to].kind, Gap)


def _wrappers(graph: Graph) -> Iterator[tuple[Mark, Mark]]:
    """Markers that lead into text from before it, and out of it."""
    for opens in graph.regular(graph.format.start.off):
        region = graph.regions[opens.to]
        if isinstance(region.kind, Text) and region.channel == "content" and not opens.keep:
            for closes in graph.regular(opens.to):
                target = graph.regions[closes.to]
                if isinstance(target.kind, Gap) and target.channel == "content" and not closes.keep:
                    yield Mark(graph.terminals[opens.on]), Mark(graph.terminals[closes.on])


def _ends(graph: Graph, ended: str, stages: list[_Way]) -> tuple[Mark, ...]:
    """What means nothing in text, nor in the region behind all calls, and ends no call."""
    rows = [row for stage in stages for row in stage.rows]
    last, closers = (rows[-1].to if rows else ended), {row.on for row in rows}
    here, there = ({row.on for row in graph.rows(one) if row.to == SAME and not row.odd} for one in ("content", last))
    return tuple(Mark(one) for one in graph.format.terminals if one.name in here & there - closers)


def _without_space(parts: Parts) -> Parts:
    """Parts without the white space behind them."""
    return _without_space(parts[:-1]) if parts and isinstance(parts[-1], Space) else parts


def _searches(graph: Graph) -> bool:
    """Is the name looked for in a header, wherever it stands?"""
    kinds = [region.kind for region in graph.format.regions if isinstance(region.kind, Capture)]
    return any({one.slot for one in kind.fields} >= {"name", "channel"} for kind in kinds)


def _opening(graph: Graph) -> _Way:
    """From where text may stand to where arguments do. The name of a call is on it, or in an envelope behind it."""
    fmt = graph.format
    queue: list[tuple[_Cost, int, str, _Way]] = [(0, 0, fmt.start.off, _Way())]
    count, seen = 0, set[str]()
    while queue:
        cost, _, region, way = heappop(queue)
        if way.rows and _announces(graph, way.rows[-1]):
            return way
        if region in seen:
            continue
        seen.add(region)
        for row in graph.regular(region):
            target = graph.regions[row.to]
            if isinstance(target.kind, PythonCalls):
                raise _NoWayError("python_calls")
            if _opens(row, target):
                count += 1
                # What begins calls without a marker is its model's own way, if a format has some.
                kept = -_KEPT if fmt.unmarked and not way.rows else _KEPT
                step = _ROW + kept * row.keep + _CAPTURED * ("call" in row.do and isinstance(target.kind, Capture))
                next_way = _Way((*way.rows, row), (*way.parts, *graph.written(row)))
                heappush(queue, (cost + step, count, row.to, next_way))
    raise _NoWayError("no_way")


def _announces(graph: Graph, row: Row) -> bool:
    return "call" in row.do or isinstance(graph.regions[row.to].kind, Envelope)


def _opens(row: Row, target: Region) -> bool:
    """May a row stand on the way to a call?"""
    if "end" in row.do:
        return False
    if target.channel not in ("call", "none") or not isinstance(target.kind, Gap | Capture | Envelope | Payload):
        return False
    return not row.keep or "call" in row.do or isinstance(target.kind, Envelope)


def _inside(graph: Graph, region: str) -> tuple[Parts, Arguments, str, Parts]:
    """From where a call was announced: what stands before its arguments, they, the region behind them, and what stands
    between."""
    kind = graph.regions[region].kind
    if isinstance(kind, Tree):
        end = _end(graph, region)
        return (), kind, end.to, graph.written(end)
    if isinstance(kind, Envelope | Payload):
        return (), kind, _ended(graph, region), ()
    pairs = _reach(graph, region, Value)
    if pairs is not None:
        return _paired(graph, region, pairs)
    direct = _reach(graph, region, Json | Braces)
    target = region if direct is None else direct.rows[-1].to
    found = graph.regions[target].kind
    if direct is None or not isinstance(found, Json | Braces):
        raise _NoWayError("no_way")
    return direct.parts, found, _ended(graph, target), ()


def _ended(graph: Graph, region: str) -> str:
    ended = graph.closed(region)
    if ended is None:
        raise _NoWayError("no_end")
    return ended


def _end(graph: Graph, region: str) -> Row:
    """What ends a call whose arguments do not end themselves."""
    end = next((row for row in graph.regular(region) if "end" in row.do and not row.keep), None)
    if end is None:
        raise _NoWayError("no_end")
    return end


def _reach(graph: Graph, region: str, kinds: type | UnionType) -> _Way | None:
    """The shortest regular way from a region to one of such a kind, inside a call."""
    queue: list[tuple[str, _Way]] = [(region, _Way())]
    seen = {region}
    for here, way in queue:
        for row in graph.regular(here):
            target = graph.regions[row.to]
            if row.do or row.keep or row.to in seen or target.channel != "call" or target.trial == "closing":
                continue
            further = _Way((*way.rows, row), (*way.parts, *graph.written(row)))
            if isinstance(target.kind, kinds):
                return further
            if isinstance(target.kind, Gap | Capture):
                seen.add(row.to)
                queue.append((row.to, further))
    return None


def _paired(graph: Graph, region: str, way: _Way) -> tuple[Parts, Arguments, str, Parts]:
    value = way.rows[-1].to
    kind = graph.regions[value].kind
    closer = next((row for row in graph.regular(value) if isinstance(graph.regions[row.to].kind, Gap)), None)
    if closer is None or not isinstance(kind, Value):
        raise _NoWayError("no_end")
    end = _end(graph, region)
    opens, closes = graph.terminals[way.rows[-1].on].after, graph.terminals[closer.on].before
    pairs = Pairs(
        way.parts,
        kind,
        "".join(opens[:1]),
        "".join(closes[:1]),
        Mark(graph.terminals[closer.on]),
        graph.live(value),
    )
    return (), pairs, end.to, graph.written(end)


def _closing(graph: Graph, region: str, opened: set[str]) -> Iterator[_Way]:
    """From behind the arguments outwards, a marker at a time: the first that opens no call. A marker that leads to where it
    stands belongs there all the same: without it the call would be read as well."""
    seen, used = {region}, set(opened)
    if isinstance(graph.regions[region].kind, Gap):
        yield _Way((), (Space(),))
    while True:
        steps = [row for row in graph.regular(region) if row.on not in used and _closes(graph, row)]
        around = [row for row in steps if row.to == region]
        onward = [row for row in steps if row.to not in seen]
        for row in (*around[:1], *onward[:1]):
            used.add(row.on)
            yield _Way((row,), _optional(graph, row))
        if not onward:
            return
        region = onward[0].to
        seen.add(region)


def _optional(graph: Graph, row: Row) -> Parts:
    """What is written on a row that closes; it may be missing where it leads from behind all calls to behind all calls."""
    written = graph.written(row)
    return (Detour(written),) if row.to == row.region and graph.regions[row.to].channel == "content" else written


def _closes(graph: Graph, row: Row) -> bool:
    target = graph.regions[row.to]
    if row.keep or "call" in row.do or not isinstance(target.kind, Gap):
        return False
    return target.channel != "reasoning" and target.trial not in ("opening", "closing")


def _section(graph: Graph, opening: _Way, ended: str, stages: list[_Way]) -> tuple[int, int] | None:
    """Where calls repeat inside of a section: rows of the opening before a repeated call, and stages of the closing. None:
    what begins a further call may also stand behind everything."""
    places = [(0, ended), *((number, row.to) for number, stage in enumerate(stages) for row in stage.rows)]
    for index, row in enumerate(opening.rows[1:], 1):
        if row.keep:
            continue
        levels = [number for number, region in places if any(one.on == row.on for one in graph.regular(region))]
        if levels and max(levels) < len(stages) - 1:
            return index, max(levels) + 1
    return None
