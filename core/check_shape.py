"""Checks of single regions and single rows.

A region's kind goes with its channel and its trial, something leaves it, what may fail says where to; a row asks for
what its region can give, and the last row of a group for one terminal has no condition.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.core.errors import Defect, RegionDefect, RegionProblem, RowDefect, RowProblem
from unbraid.core.grammar import (
    Braces,
    Capture,
    Envelope,
    Field,
    Gap,
    Json,
    Kind,
    Payload,
    PythonCalls,
    Region,
    Row,
    Test,
    Text,
    Tree,
    Value,
)
from unbraid.core.index import Index
from unbraid.core.notation import SAME


def shape_defects(index: Index) -> Iterator[Defect]:
    """All defects of single regions and rows."""
    name = index.format.name
    starts = index.starts()
    for region in index.regions.values():
        for problem in (*_region(region), *_exits(index, region, starts)):
            yield RegionDefect(name, region.name, problem)
        for group in index.rows[region.name].values():
            for row, fault in _group(region, group):
                yield RowDefect(name, row, fault)
            for row in group:
                for fault in _row(region, row, index.target(row)):
                    yield RowDefect(name, row, fault)


def _region(region: Region) -> Iterator[RegionProblem]:
    kind, channel, trial = region.kind, region.channel, region.trial
    if isinstance(kind, Value | Payload | Tree) and channel != "call":
        yield "wrong_channel"
    if isinstance(kind, Text) and channel == "call":
        yield "wrong_channel"
    if _misnamed(region) or (isinstance(kind, Json | Tree | Braces) and trial):
        yield "wrong_kind"
    if isinstance(kind, Text | Value) and trial in ("opening", "closing"):
        yield "never_refuses"
    if region.at_end and not trial and not isinstance(kind, Gap):
        yield "at_end_without_trial"
    if isinstance(kind, Capture) and not all(map(_readable, kind.fields)):
        yield "bad_field"
    if isinstance(kind, Envelope) and not (kind.name and kind.arguments):
        yield "no_keys"


def _misnamed(region: Region) -> bool:
    """`content` and `fresh` are what every composition relies on."""
    if region.name == "content":
        return not isinstance(region.kind, Text) or region.channel != "content"
    if region.name == "fresh":
        return not isinstance(region.kind, Gap) or region.channel != "content"
    return False


def _readable(field: Field) -> bool:
    return bool(field.slot) and (field.take == "after") == bool(field.after) and all(old for old, _ in field.decode)


def _exits(index: Index, region: Region, starts: tuple[str, ...]) -> Iterator[RegionProblem]:
    kind, rows = region.kind, index.rows[region.name]
    final = isinstance(kind, Text) and (region.channel == "content" or region.name in starts)
    if isinstance(kind, Text | Capture | Value | Tree) and not final and not _left(index, region):
        yield "no_exit"
    if _closes(kind) and "@closed" not in rows:
        yield "no_closed_row"
    if isinstance(kind, Payload | Tree) and "@bad" not in rows:
        yield "no_bad_row"
    if isinstance(kind, Capture) and not region.trial and "@bad" not in rows:
        yield "no_bad_row"
    if isinstance(kind, Gap) and not region.trial and "@text" not in rows:
        yield "no_text_row"
    if isinstance(kind, Gap) and region.trial and "@text" in rows:
        yield "never_refuses"
    if isinstance(kind, Gap) and not region.trial and _no_text_behind(index, region):
        yield "no_text_behind"


def _closes(kind: Kind) -> bool:
    """Does a payload say itself where it ends?"""
    return isinstance(kind, Payload) and not (isinstance(kind, PythonCalls) and kind.shape == "lines")


def _no_text_behind(index: Index, region: Region) -> bool:
    """A trial that began in a gap and is refused becomes text there."""
    begins = any(index.target(row).trial for row in index.leaving(region.name) if row.on != "@text")
    behind = [index.target(row) for row in index.rows[region.name].get("@text", ())]
    return begins and any(not isinstance(target.kind, Text) for target in behind)


def _left(index: Index, region: Region) -> bool:
    return any(index.target(row) is not region for row in index.leaving(region.name) if row.on != "@bad")


def _group(region: Region, group: tuple[Row, ...]) -> Iterator[tuple[Row, RowProblem]]:
    certain = next((place for place, row in enumerate(group) if not row.when), len(group))
    for row in group[certain + 1 :]:
        yield row, "shadowed"
    for place, row in enumerate(group[:certain]):
        if any(earlier.when == row.when for earlier in group[:place]):
            yield row, "shadowed"
    if certain == len(group) and not region.trial:
        yield group[-1], "not_exhaustive"


def _row(region: Region, row: Row, target: Region) -> Iterator[RowProblem]:
    kind = region.kind
    waits = {
        "@text": isinstance(kind, Gap),
        "@closed": _closes(kind),
        "@bad": isinstance(kind, Payload | Tree | Capture),
    }
    if not waits.get(row.on, True):
        yield "wrong_pseudo"
    if row.do not in ((), ("call",), ("end",), ("end", "call")):
        yield "bad_actions"
    if row.to == SAME and (not isinstance(kind, Text | Gap) or row.on == "@text"):
        yield "same_not_allowed"
    if row.release and not isinstance(kind, Capture):
        yield "release_without_capture"
    if region.trial and target.trial and region.trial != target.trial:
        yield "mixed_trials"
    if target.trial and (isinstance(kind, Payload | Tree) or (isinstance(kind, Capture) and not region.trial)):
        yield "trial_in_payload"
    for test in row.when:
        if test.slot in ("from", "mark") and not isinstance(kind, Capture):
            yield "origin_without_capture"
        if not _sensible(test):
            yield "bad_test"


def _sensible(test: Test) -> bool:
    if test.part == "first_segment":
        return bool(test.among)
    return test.part == "whole" or not test.among
