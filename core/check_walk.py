"""Checks of all ways through a format.

A *place* is a region, whether a call is open there, and, in a capture, where it was entered from and by which terminal:
what the machine knows, without the text. From every start region all places are visited along the rows, conditions on
`from` and `mark` decided, all others left open. On the way it shows

- which regions are reached;
- calls that begin in a call, end outside of one, stay open in text, and values outside of calls;
- slots that a row needs and that are not captured on every way to it;
- rows that read nothing and lead round in a circle.

A `Json` or `Braces` region ends its call itself, a `Tree` only when it fails; `Envelope` and `PythonCalls` announce and end
their calls themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attrs import frozen

from unbraid.core.errors import Defect, RegionDefect, RowDefect, RowProblem, StartDefect, StartProblem
from unbraid.core.grammar import (
    Braces,
    Capture,
    Envelope,
    Gap,
    Json,
    PythonCalls,
    Region,
    Row,
    Test,
    Text,
    Tree,
    Value,
)
from unbraid.core.index import Index

ORIGIN = ("from", "mark")
"""The slots that every capture has."""

Slots: TypeAlias = frozenset[str]
Node: TypeAlias = tuple[str, str]
"""A region and what stands at the cursor: a terminal or `@text`."""


@frozen
class Place:
    """A region with what is known there. `origin`, `mark`: only in a capture."""

    region: str
    open: bool = False
    origin: str = ""
    mark: str = ""


def walk_defects(index: Index) -> Iterator[Defect]:
    """All defects that a walk shows."""
    name = index.format.name
    for region in index.starts():
        problem = _start_problem(index.regions[region])
        if problem is not None:
            yield StartDefect(name, problem, region)
    places = _explore(index)
    reached = {place.region for place in places}
    for region in index.regions:
        if region not in reached:
            yield RegionDefect(name, region, "unreachable")
    for place, slots in places.items():
        for row in _possible(index, place):
            for fault in _call_faults(index, place, row):
                yield RowDefect(name, row, fault)
            for slot in _missing(index, row, slots):
                yield RowDefect(name, row, "slot_not_captured", slot)
    for row in _circles(index):
        yield RowDefect(name, row, "loop")


def _start_problem(region: Region) -> StartProblem | None:
    if region.trial:
        return "start_in_trial"
    return "start_in_call" if isinstance(region.kind, Value | Json | Tree | Braces) else None


# -- the walk ------------------------------------------------------------------------------------------------------------


def _explore(index: Index) -> dict[Place, Slots]:
    """All places that can be reached, each with the slots that are filled on every way to it."""
    starts = [region for region in index.starts() if _start_problem(index.regions[region]) is None]
    filled: dict[Place, Slots] = {Place(region): frozenset() for region in starts}
    waiting = list(filled)
    while waiting:
        place = waiting.pop()
        for row in _possible(index, place):
            following, slots = _follow(index, place, row, filled[place])
            known = filled.get(following)
            if known is None or not known <= slots:
                filled[following] = slots if known is None else known & slots
                waiting.append(following)
    return filled


def _possible(index: Index, place: Place) -> Iterator[Row]:
    """The rows that may be taken at `place`."""
    for group in index.rows[place.region].values():
        for row in group:
            answers = [_answer(test, place) for test in row.when]
            if False not in answers:
                yield row
                if all(answers):
                    break


def _answer(test: Test, place: Place) -> bool | None:
    """Whether `test` holds at `place`; None if that depends on the text."""
    if test.slot not in ORIGIN or not place.origin:
        return None
    value = place.origin if test.slot == "from" else place.mark
    return (not test.among or value in test.among) is not test.negate


def _follow(index: Index, place: Place, row: Row, slots: Slots) -> tuple[Place, Slots]:
    """The place behind `row`, and what is filled there."""
    target = index.target(row)
    is_open, _ = _calls(index, place, row)
    slots = _read(index, row, slots)
    if "call" in row.do:
        slots -= {"name", "id"}
    if isinstance(target.kind, Capture):
        return Place(target.name, is_open, row.region, row.on), slots
    # Text, values, payloads and gaps between texts forget what was captured.
    keeps = isinstance(target.kind, Gap) and target.channel != "content"
    return Place(target.name, is_open), slots if keeps else frozenset()


def _read(index: Index, row: Row, slots: Slots) -> Slots:
    """The slots when `row` leaves: with the fields of its capture, unless that failed."""
    kind = index.regions[row.region].kind
    if isinstance(kind, Capture) and row.on != "@bad":
        return slots | {field.slot for field in kind.fields} | set(ORIGIN)
    return slots - set(ORIGIN)


def _calls(index: Index, place: Place, row: Row) -> tuple[bool, list[RowProblem]]:
    """Whether a call is open behind `row`, and what is wrong with its actions."""
    kind = index.regions[place.region].kind
    is_open = place.open and not (isinstance(kind, Json | Tree | Braces) and row.on in ("@closed", "@bad"))
    faults: list[RowProblem] = []
    for action in row.do:
        if is_open is (action == "call"):
            faults.append("call_in_call" if is_open else "end_without_call")
        is_open = action == "call"
    return is_open, faults


def _call_faults(index: Index, place: Place, row: Row) -> Iterator[RowProblem]:
    is_open, faults = _calls(index, place, row)
    yield from faults
    target = index.target(row)
    if isinstance(target.kind, Value | Json | Tree | Braces) and not is_open:
        yield "needs_open_call"
    if isinstance(target.kind, Envelope | PythonCalls) and is_open:
        yield "call_in_call"
    if target.channel in ("content", "reasoning") and is_open:
        yield "call_left_open"


def _missing(index: Index, row: Row, slots: Slots) -> Iterator[str]:
    """The slots that `row` needs and that may never have been captured."""
    there = _read(index, row, slots) | set(ORIGIN)
    needed = [test.slot for test in row.when]
    needed += ["name"] * ("call" in row.do)
    entered = isinstance(index.target(row).kind, Value) and not isinstance(index.regions[row.region].kind, Value)
    needed += ["key"] * entered
    for slot in dict.fromkeys(needed):
        if slot not in there:
            yield slot


# -- rows that read nothing ------------------------------------------------------------------------------------------------


def _circles(index: Index) -> Iterator[Row]:
    """Rows from which the same row is reached again without reading anything."""
    for region in index.regions:
        for row in index.leaving(region):
            if row.keep or row.on in ("@text", "@bad"):
                here = (region, row.on if row.keep else "@text")
                if _comes_back(index, here, row):
                    yield row


def _comes_back(index: Index, here: Node, row: Row) -> bool:
    seen: set[Node] = set()
    waiting = [(index.target(row).name, here[1])]
    while waiting:
        node = waiting.pop()
        if node == here:
            return True
        if node not in seen:
            seen.add(node)
            waiting += ((index.target(step).name, node[1]) for step in _unread(index, node))
    return False


def _unread(index: Index, node: Node) -> Iterator[Row]:
    """The rows that may be taken at `node` and leave what stands there unread."""
    region, lexeme = node
    rows = index.rows[region]
    if lexeme in rows and lexeme != "@text":
        yield from (row for row in rows[lexeme] if row.keep)
        return
    kind = index.regions[region].kind
    if not isinstance(kind, Text | Value):
        yield from rows.get("@text" if isinstance(kind, Gap) else "@bad", ())
