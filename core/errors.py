"""Defects: what is wrong in a configuration, as records.

A defect has fields, so that programs can act on it; its text is derived. `describe()` names the format, what is wrong,
where, and the nearest right name. Configuration functions collect all defects and return them in a `Result`; nothing
here is ever raised, and model output is never an error.

To add a kind: a frozen subclass of `Defect` with a method `_what`, or a word with its sentence in one of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import frozen

from unbraid.core.grammar import Row

RowProblem: TypeAlias = Literal[
    "shadowed",
    "not_exhaustive",
    "wrong_pseudo",
    "same_not_allowed",
    "release_without_capture",
    "slot_not_captured",
    "origin_without_capture",
    "bad_test",
    "bad_actions",
    "loop",
    "call_in_call",
    "end_without_call",
    "call_left_open",
    "needs_open_call",
    "mixed_trials",
    "trial_in_payload",
]

ROW_PROBLEMS: Final[Mapping[RowProblem, str]] = {
    "shadowed": "is never reached: an earlier row for the same region and terminal always holds",
    "not_exhaustive": "is the last one for its region and terminal and has a condition, outside of any trial",
    "wrong_pseudo": "waits for what a region of this kind never gives",
    "same_not_allowed": "goes to @same, which only texts and gaps allow",
    "release_without_capture": "releases a capture, but its region is none",
    "slot_not_captured": "needs a slot that is not captured on every way to it",
    "origin_without_capture": "asks for `from` or `mark`, which only rows that leave a capture know",
    "bad_test": "has a condition that cannot be read",
    "bad_actions": "has actions other than `call`, `end`, or `end` and then `call`",
    "loop": "may go round for ever without reading anything",
    "call_in_call": "begins a call while one is open",
    "end_without_call": "ends a call while none is open",
    "call_left_open": "leads to text while a call is open",
    "needs_open_call": "leads to a value or to arguments while no call is open",
    "mixed_trials": "leads from one kind of trial into another; leave the first one before",
    "trial_in_payload": "begins a trial inside a capture or a payload, where it could not be taken back",
}

RegionProblem: TypeAlias = Literal[
    "twice",
    "bad_name",
    "unreachable",
    "no_exit",
    "no_closed_row",
    "no_bad_row",
    "no_text_row",
    "no_text_behind",
    "never_refuses",
    "wrong_channel",
    "wrong_kind",
    "at_end_without_trial",
    "bad_field",
    "no_keys",
]

REGION_PROBLEMS: Final[Mapping[RegionProblem, str]] = {
    "twice": "is declared twice",
    "bad_name": "must be named in lower case, with at most 64 letters, digits and underscores",
    "unreachable": "is not reached from any start region",
    "no_exit": "is never left by any row",
    "no_closed_row": "is a payload without a row for @closed",
    "no_bad_row": "may fail, but has no row for @bad",
    "no_text_row": "is a gap outside of any trial, but has no row for @text",
    "no_text_behind": "is a gap that trials begin in, but its row for @text leads to no text",
    "never_refuses": "belongs to a trial but takes any text, so that the trial cannot be refused",
    "wrong_channel": "has a channel that does not go with its kind",
    "wrong_kind": "has a kind that does not go with its name or its trial",
    "at_end_without_trial": "says what it is at the end of the stream, but is neither a trial nor a gap",
    "bad_field": "captures a field that cannot be read",
    "no_keys": "is an envelope without keys for name or arguments",
}

TerminalProblem: TypeAlias = Literal[
    "twice",
    "bad_name",
    "no_spelling",
    "empty_spelling",
    "no_such_spelling",
    "unused",
    "same_spelling",
    "inner_spelling",
    "framing_overlap",
    "too_many_framings",
    "bad_framing",
    "framing_order",
]

TERMINAL_PROBLEMS: Final[Mapping[TerminalProblem, str]] = {
    "twice": "is declared twice",
    "bad_name": "must be named in upper case, with at most 64 letters, digits and underscores",
    "no_spelling": "has no spelling",
    "empty_spelling": "has an empty spelling",
    "no_such_spelling": "says of a spelling that it is the last of a turn, but has no such spelling",
    "unused": "stands in no row",
    "same_spelling": "is spelled like another terminal of the same region",
    "inner_spelling": "is spelled inside another terminal of the same region, which would have to wait",
    "framing_overlap": "begins with white space that may be the framing of another terminal of the same region",
    "too_many_framings": "has more than four framing literals on one side",
    "bad_framing": "has framing that is empty, longer than 16 code points, or not white space",
    "framing_order": "has a framing literal behind a shorter one, where it would never be taken",
}

StartProblem: TypeAlias = Literal["bad_name", "start_in_trial", "start_in_call", "scan_twice", "empty_scan", "no_keys"]

START_PROBLEMS: Final[Mapping[StartProblem, str]] = {
    "bad_name": "a format's name has 1 to 64 code points without white space (two names are joined by '+')",
    "start_in_trial": "generation cannot start inside a trial",
    "start_in_call": "generation cannot start inside a call's value",
    "scan_twice": "the prompt is scanned twice for one spelling",
    "empty_scan": "the prompt is scanned for an empty spelling",
    "no_keys": "a switch has no keys",
}

ComposeProblem: TypeAlias = Literal[
    "no_reasoning_half", "no_tool_half", "whole_format", "terminal_clash", "spelling_clash", "region_clash", "row_clash"
]

COMPOSE_PROBLEMS: Final[Mapping[ComposeProblem, str]] = {
    "no_reasoning_half": "has no reasoning half",
    "no_tool_half": "has no tool half",
    "whole_format": "is a whole format and cannot be put together with another one",
    "terminal_clash": "the halves mean different terminals by one name",
    "spelling_clash": "the halves give one spelling to different terminals",
    "region_clash": "the halves mean different regions by one name",
    "row_clash": "the halves have different rows for one region and terminal",
}


ResolveProblem: TypeAlias = Literal[
    "unknown_choice",
    "choice_circle",
    "choice_always",
    "choice_kwarg",
    "parameter_twice",
    "parameter_unused",
    "parameter_name",
    "parameter_prefix",
    "parameter_key",
]

RESOLVE_PROBLEMS: Final[Mapping[ResolveProblem, str]] = {
    "unknown_choice": "a choice names a format that does not exist",
    "choice_circle": "choices lead round in a circle",
    "choice_always": "a choice has no condition, so the format itself would never be meant",
    "choice_kwarg": "a choice by a template kwarg needs both the kwarg and its values",
    "parameter_twice": "a parameter is declared twice",
    "parameter_unused": "a parameter stands in no spelling, as its name in braces",
    "parameter_name": "a parameter must be named in lower case, with at most 64 letters, digits and underscores",
    "parameter_prefix": "a parameter from the vocabulary needs the prefix of the token to look for",
    "parameter_key": "a parameter from a template kwarg needs the kwarg's key and values",
}


@frozen
class Defect:
    """Something that is wrong in a configuration. `format`: the name of the format it is in."""

    format: str

    def describe(self) -> str:
        """One sentence for people."""
        return f"format {self.format!r}: {self._what()}"

    def _what(self) -> str:
        raise NotImplementedError


@frozen
class UnknownName(Defect):
    """`name` is used at `where` as a `kind` (region, terminal) that does not exist; `nearest` are right names."""

    kind: str
    name: str
    where: str
    nearest: tuple[str, ...] = ()

    def _what(self) -> str:
        return f"{self.where}: there is no {self.kind} {self.name!r}{hint(self.nearest)}"


@frozen
class RowDefect(Defect):
    """A row that cannot work. `detail`: the slot, target or row that it is about."""

    row: Row
    problem: RowProblem
    detail: str = ""

    def _what(self) -> str:
        row = f"{self.row.region} {self.row.on} -> {self.row.to}"
        return f"row `{row}` {ROW_PROBLEMS[self.problem]}{_detail(self.detail)}"


@frozen
class RegionDefect(Defect):
    """A region that cannot work."""

    region: str
    problem: RegionProblem
    detail: str = ""

    def _what(self) -> str:
        return f"region {self.region!r} {REGION_PROBLEMS[self.problem]}{_detail(self.detail)}"


@frozen
class TerminalDefect(Defect):
    """A terminal that cannot work. `region`: where, if not everywhere; `detail`: the literal or terminal in its way."""

    terminal: str
    problem: TerminalProblem
    region: str = ""
    detail: str = ""

    def _what(self) -> str:
        where = f" in region {self.region!r}" if self.region else ""
        return f"terminal {self.terminal!r} {TERMINAL_PROBLEMS[self.problem]}{where}{_detail(self.detail)}"


@frozen
class StartDefect(Defect):
    """A name, start rule or prompt scan that cannot work."""

    problem: StartProblem
    detail: str = ""

    def _what(self) -> str:
        return f"{START_PROBLEMS[self.problem]}{_detail(self.detail)}"


@frozen
class ComposeDefect(Defect):
    """Two halves that do not fit together."""

    problem: ComposeProblem
    detail: str = ""

    def _what(self) -> str:
        return f"{COMPOSE_PROBLEMS[self.problem]}{_detail(self.detail)}"


@frozen
class ResolveDefect(Defect):
    """A parameter or choice that cannot work. `detail`: its name, or the name of the format it chooses."""

    problem: ResolveProblem
    detail: str = ""

    def _what(self) -> str:
        return f"{RESOLVE_PROBLEMS[self.problem]}{_detail(self.detail)}"


@frozen
class NotationDefect(Defect):
    """Line `line` (from 1) of a table of rows is none: `problem` says why."""

    line: int
    text: str
    problem: str

    def _what(self) -> str:
        return f"line {self.line}: {self.problem}: `{self.text}`"


@frozen
class UnknownFormat(Defect):
    """There is no format of this name for `role`. `other_half`: there is one for the other role."""

    role: str
    nearest: tuple[str, ...] = ()
    other_half: bool = False

    def describe(self) -> str:
        """One sentence for people."""
        other = {"reasoning": "tools", "tools": "reasoning"}.get(self.role, "the other half")
        elsewhere = f" (that name exists for {other})" if self.other_half else ""
        return f"there is no {self.role} format {self.format!r}{elsewhere}{hint(self.nearest)}"


@frozen
class MissingMarker(Defect):
    """The vocabulary has no token for `spelling`, the marker of `terminal`; `nearest` are added tokens like it."""

    terminal: str
    spelling: str
    nearest: tuple[str, ...] = ()

    def _what(self) -> str:
        return f"the vocabulary has no token {self.spelling!r} (terminal {self.terminal}){hint(self.nearest)}"


def hint(nearest: tuple[str, ...]) -> str:
    """The end of a sentence that proposes names.

    >>> hint(("qwen3", "qwen25"))
    "; did you mean 'qwen3' or 'qwen25'?"
    """
    return f"; did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""


def _detail(detail: str) -> str:
    return f": {detail}" if detail else ""
