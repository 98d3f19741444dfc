"""Messages whose headers say where their bodies go: how each kind of header is written, read off a format's table.

    answer = message (turn message)*        message = header body end

Fields stand anywhere in such a header, so that many ways lead to one body. All that visit no marker twice are found; each says
which of the header's texts holds which field. What a row asks of a field is what is written there: a body of reasoning is
opened by `channel=analysis`, so its header holds that word. A call asks only for a name; in its header stands the channel of
those texts that must have none ("commentary" to nobody is text), if a format has such a channel.

A text that has no field to hold may hold a word that means nothing (the type of what follows); so may one with a field, behind
it, where a marker of such a word may stand. Before a name stands all that the format takes away there, or what else it looks for
(`to=now` for `to=functions.now`), but before names that are no calls then (`to=python`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from attrs import frozen

from unbraid.core.grammar import Capture, Field, Format, Gap, Json, Row, Terminal, Text
from unbraid.core.notation import SAME
from unbraid.shell.wire import Graph, Mark

KEPT: Final = 64
"""Formats whose messages are kept."""

NAME: Final = "name"
BLANK: Final = " "
SEGMENT: Final = "."
"""Between the segments of a name."""


@frozen
class Named:
    """A tool's name, behind what is written before names. `short`: what is read there as well, for the names that begin with none of
    the words `apart`."""

    before: str
    short: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def ways(self, name: str) -> tuple[str, ...]:
        """How a name is written.

        >>> to = Named("to=tools.", ("to=",), ("python",))
        >>> to.ways("now"), to.ways("python.run")
        (('to=tools.now', 'to=now'), ('to=tools.python.run',))
        """
        short = () if name.partition(SEGMENT)[0] in self.apart else self.short
        return tuple(before + name for before in (self.before, *short))


@frozen
class Told:
    """A word of the format."""

    text: str


@frozen
class AnyWord:
    """A word that means nothing; `optional`: or none."""

    optional: bool


@frozen
class Blank:
    """A blank, or none; `word`: perhaps with a word behind it that means nothing."""

    word: bool = False


Piece: TypeAlias = Mark | Named | Told | AnyWord | Blank
Header: TypeAlias = tuple[Piece, ...]


@frozen
class Messages:
    """How a format writes messages. `calls`: ways to write a call's header; `texts`: a header for each kind of content, the answer's own
    first; `thoughts`: that of reasoning, None if it knows none. `end` ends a body, `turn` stands before a further message. `live`: markers
    that no body should hold."""

    calls: tuple[Header, ...]
    texts: tuple[Header, ...]
    thoughts: Header | None
    end: Terminal
    turn: Header
    live: tuple[str, ...]


@lru_cache(KEPT)
def messages(fmt: Format) -> Messages | None:
    """How a composed format writes its messages, None if its answers are no messages with headers, or none of them is a call.
    Every part of a request's grammar asks, and finding the ways takes milliseconds, so the last answers are kept."""
    graph = Graph(fmt)
    if not isinstance(graph.regions[fmt.start.off].kind, Capture):
        return None
    bodies = [row for row in fmt.rows if _opens(graph, row)]
    calls = list(
        dict.fromkeys(way for row in bodies if "call" in row.do for way in _written(graph, row, _word(bodies)))
    )
    texts = _shortest(graph, (row for row in bodies if graph.regions[row.to].channel == "content"))
    thoughts = _shortest(graph, (row for row in bodies if graph.regions[row.to].channel == "reasoning"))
    end = _end(graph)
    turn = None if end is None else _turn(graph, end.to)
    if not calls or not texts or end is None or turn is None:
        return None
    live = tuple(word for one in fmt.terminals if one.dedicated for word in one.spellings)
    return Messages(tuple(calls), texts, thoughts[0] if thoughts else None, graph.terminals[end.on], turn, live)


def _opens(graph: Graph, row: Row) -> bool:
    """Does a header lead to a body by this row, as a well-behaved model writes it?"""
    header = row.region != graph.format.start.off and isinstance(graph.regions[row.region].kind, Capture)
    if not (header and _is_regular(graph, row) and _word_of(row)):
        return False
    target = graph.regions[row.to]
    text = isinstance(target.kind, Text) and target.channel in ("content", "reasoning")
    return text or isinstance(target.kind, Json)


def _is_regular(graph: Graph, row: Row) -> bool:
    return row.on in graph.terminals and row.to != SAME and not (row.odd or row.release or row.keep)


def _word_of(row: Row) -> Mapping[str, str]:
    """The fields that a row asks for, with a word that each may be; a call's name is no word of the format."""
    told = {test.slot: test.among[0] for test in row.when if test.among and not test.negate}
    return {**told, **({NAME: ""} if "call" in row.do else {})}


def _word(bodies: Iterable[Row]) -> Mapping[str, str]:
    """What a call's header says beside the name: the words of texts for which something must be missing that calls have."""
    asked = {test.slot for row in bodies if "call" in row.do for test in row.when}
    return next((_word_of(row) for row in bodies if any(_missing(row) & asked)), {})


def _missing(row: Row) -> frozenset[str]:
    return frozenset(test.slot for test in row.when if test.negate and not test.among)


def _shortest(graph: Graph, bodies: Iterable[Row]) -> tuple[Header, ...]:
    """The shortest header for each word, those for which nothing must be missing first."""
    found: dict[tuple[str, ...], Header] = {}
    for row in sorted(bodies, key=lambda one: len(_missing(one))):
        for way in _written(graph, row, {}):
            word = tuple(_word_of(row).values())
            found[word] = min(found.get(word, way), way, key=len)
    return tuple(found.values())


# -- ways ------------------------------------------------------------------------------------------------------------------


def _written(graph: Graph, last: Row, words: Mapping[str, str]) -> Iterator[Header]:
    """All headers that lead to a body by its row."""
    wanted = {**words, **_word_of(last)}
    for way in _ways(graph, last):
        header = _header(graph, way, wanted)
        if header is not None:
            yield header


def _ways(graph: Graph, last: Row) -> Iterator[tuple[Row, ...]]:
    """Rows from where generation starts to `last`, no marker twice."""
    stack: list[tuple[Row, ...]] = [()]
    while stack:
        way = stack.pop()
        here = way[-1].to if way else graph.format.start.off
        if here == last.region:
            yield (*way, last)
        for row in graph.format.rows:
            onward = row.region == here and _is_regular(graph, row)
            if onward and isinstance(graph.regions[row.to].kind, Capture) and row.on not in {one.on for one in way}:
                stack.append((*way, row))


def _header(graph: Graph, way: tuple[Row, ...], wanted: Mapping[str, str]) -> Header | None:
    """What is written on a way so that all fields are there; None if a row would not be taken."""
    pieces: list[Piece] = []
    left = dict(wanted)
    for number, row in enumerate(way):
        before = way[number - 1] if number else None
        text, slot = _text(graph, row.region, {} if before and _is_remark(graph, before.on) else left, way[-1])
        if slot is not None:
            left.pop(slot)
            pieces += text
        elif before is not None:
            pieces.append(AnyWord(optional=not graph.words(before.on)[0].strip(BLANK)))
        if row is not way[-1] and not _taken(row, frozenset(wanted) - frozenset(left)):
            return None
        pieces.append(Mark(graph.terminals[row.on]))
    return None if left else tuple(pieces)


def _is_remark(graph: Graph, terminal: str) -> bool:
    """Does a marker lead to where it stands, so that what stands behind it says nothing?"""
    return any(row.on == terminal and row.region == row.to and not row.when for row in graph.format.rows)


def _taken(row: Row, full: frozenset[str]) -> bool:
    """Is a row on the way taken, where these fields are full and all others are not?"""
    return all(test.negate and test.slot not in full for test in row.when)


def _text(graph: Graph, region: str, left: Mapping[str, str], last: Row) -> tuple[tuple[Piece, ...], str | None]:
    """What a header's text holds: the field that it reads first of those that are left. `last`: the row of the header's body."""
    kind, live = graph.regions[region].kind, graph.live(region)
    fields = [one for one in kind.fields if one.slot in left] if isinstance(kind, Capture) else []
    if not fields:
        return (), None
    some = [one for one in fields if one.slot == fields[0].slot]
    field = max(some, key=lambda one: len(_before(one)))
    told = _named(some, last) if field.slot == NAME else Told(_before(field) + left[field.slot])
    remarks = any(row.region == row.to == region and not row.when for row in graph.format.rows)
    blank: tuple[Piece, ...] = (Blank(remarks),) if field.take != "all" and BLANK not in live else ()
    return (told, *blank), field.slot


def _named(fields: Collection[Field], last: Row) -> Named:
    """A name that any of these fields reads."""
    whole = max(map(_before, fields), key=len)
    short = sorted({before for one in fields for before in (_before(one), one.after)} - {whole})
    apart = {word for test in last.when if test.negate for word in test.among}
    return Named(
        whole,
        tuple(short),
        (*sorted(apart), *sorted({one.drop_prefix.rstrip(SEGMENT) for one in fields if one.drop_prefix})),
    )


def _before(field: Field) -> str:
    return field.after + field.drop_prefix


# -- around bodies ---------------------------------------------------------------------------------------------------------


def _end(graph: Graph) -> Row | None:
    """The row that ends a body of text."""
    bodies = [
        one.name
        for one in graph.format.regions
        if isinstance(one.kind, Text) and one.channel in ("content", "reasoning")
    ]
    rows = (row for body in bodies for row in graph.regular(body))
    return next((row for row in rows if isinstance(graph.regions[row.to].kind, Gap)), None)


def _turn(graph: Graph, region: str) -> Header | None:
    """What stands between the end of a body and a further header."""
    queue: list[tuple[str, Header]] = [(region, ())]
    seen = {region}
    for here, pieces in queue:
        for row in graph.regular(here):
            further = (*pieces, Mark(graph.terminals[row.on]))
            if row.to == graph.format.start.off:
                return further
            if row.to not in seen and isinstance(graph.regions[row.to].kind, Gap):
                seen.add(row.to)
                queue.append((row.to, further))
    return None
