r"""Rows as people write them. A table of rows is a text, one row a line:

    line       = places "->" target word*            # comment
    places     = region+ terminal+                   a row for each pair
    region     = a lower-case name
    terminal   = an upper-case name | "@text" | "@closed" | "@bad"
    target     = region | "@same"
    word       = "keep" | "release" | "do=" action ("," action)* | "odd=" kind | "when=" test ("&" test)*
    test       = slot [":" part] ["!"] ["=" value ("," value)*]
    part       = "first_segment" | "new_key" | "known_tool"

`slot` alone: it is present; `slot!`: it is absent; `!` negates any test. A value with white space, quotes or one of `&`,
`,` and `#` in it is written as a JSON string. Rows are sugar for `Row` records; `show_row` is the way back.

    >>> rows("call ended  TOOL_END -> after  do=end odd=missing_end")[1]
    Row(region='ended', on='TOOL_END', to='after', when=(), do=('end',), keep=False, release=False, odd='missing_end')
    >>> show_row(rows('header MESSAGE -> text  when=channel=final,"a b" & recipient!')[0])
    'header MESSAGE -> text when=channel=final,"a b" & recipient!'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from attrs import define
from returns.result import Failure, Result, Success

from unbraid.core.errors import Defect, NotationDefect
from unbraid.core.grammar import Action, Row, Test

Part: TypeAlias = Literal["whole", "first_segment", "new_key", "known_tool"]
"""What of a slot a test looks at."""

PSEUDO: Final = ("@text", "@closed", "@bad")
"""The pseudo-terminals."""

SAME: Final = "@same"
"""The pseudo-target: stay."""

REGION_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
TERMINAL_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")

_ACTIONS: Final[Mapping[str, Action]] = {"call": "call", "end": "end"}
_PARTS: Final[Mapping[str, Part]] = {
    "": "whole",
    "first_segment": "first_segment",
    "new_key": "new_key",
    "known_tool": "known_tool",
}

_STRING = r'"(?:[^"\\]|\\.)*+"'
_QUOTED: Final = re.compile(_STRING)
_WORD: Final = re.compile(rf"(?:{_STRING}|[^\n\r\t \"&])++|&|\"")
_ITEM: Final = re.compile(rf"(?:{_STRING}|[^,])*+")
_TEST: Final = re.compile(
    r"(?P<slot>[a-z][a-z0-9_]*)(?::(?P<part>[a-z_]+))?(?P<negate>!)?(?:=(?P<among>.+))?", re.DOTALL
)
_BARE: Final = re.compile(r"[^\n\r\t \"&,#]+")


class _Unreadable(Exception):
    """Why a line is no row; never leaves this module."""


def rows(text: str) -> tuple[Row, ...]:
    """The rows of a table that is part of a program. Raises ValueError, with every line that is none, because a wrong
    one is a programmer's error; `read_rows` is for tables from elsewhere."""
    found: list[Row] = []
    wrong = list(_read_lines("table", text.split("\n"), found))
    if wrong:
        raise ValueError("; ".join(defect.describe() for defect in wrong))
    return tuple(found)


def read_rows(text: str, name: str) -> Result[tuple[Row, ...], tuple[Defect, ...]]:
    """The rows of a table, or a `NotationDefect` for each line that is none. `name`: the format's."""
    found: list[Row] = []
    wrong = tuple(_read_lines(name, text.split("\n"), found))
    return Failure(wrong) if wrong else Success(tuple(found))


def _read_lines(name: str, lines: Iterable[str], found: list[Row]) -> Iterable[Defect]:
    for number, line in enumerate(lines, 1):
        try:
            found += _read_line(line)
        except _Unreadable as problem:
            yield NotationDefect(name, number, line.strip("\n\r\t "), str(problem))


def _read_line(line: str) -> list[Row]:
    line_words = _words(line)
    if not line_words:
        return []
    if "->" not in line_words:
        raise _Unreadable("a row needs `->`")
    arrow = line_words.index("->")
    target, *rest = line_words[arrow + 1 :] or [""]
    if not (target == SAME or REGION_NAME.fullmatch(target)):
        raise _Unreadable(f"{target!r} is no region, nor {SAME}")
    regions, terminals = _places(line_words[:arrow])
    tail = _read_tail(rest)
    return [
        Row(region, terminal, target, tail.when, tail.do, tail.keep, tail.release, tail.odd)
        for region in regions
        for terminal in terminals
    ]


def _words(line: str) -> list[str]:
    words: list[str] = []
    for match in _WORD.finditer(line):
        if match.group().startswith("#"):
            break
        words.append(match.group())
    return words


def _places(words: list[str]) -> tuple[list[str], list[str]]:
    regions = [word for word in words if REGION_NAME.fullmatch(word)]
    terminals = [word for word in words if word in PSEUDO or TERMINAL_NAME.fullmatch(word)]
    if words != regions + terminals:
        wrong = next((word for word in words if word not in regions and word not in terminals), "the order")
        raise _Unreadable(f"regions, then terminals stand before `->`, not {wrong}")
    if not (regions and terminals):
        raise _Unreadable("a row needs a region and a terminal before `->`")
    return regions, terminals


@define
class _Tail:
    """The words behind the target."""

    when: tuple[Test, ...] = ()
    do: tuple[Action, ...] = ()
    keep: bool = False
    release: bool = False
    odd: str = ""


def _read_tail(words: list[str]) -> _Tail:
    tail, rest = _Tail(), list(words)
    while rest:
        word, _, value = rest.pop(0).partition("=")
        if word == "keep" and not value:
            tail.keep = True
        elif word == "release" and not value:
            tail.release = True
        elif word == "do":
            tail.do = tuple(_action(action) for action in value.split(","))
        elif word == "odd" and value:
            tail.odd = value
        elif word == "when" and value:
            tests = [value]
            while rest[:1] == ["&"]:
                tests += rest[1:2] or [""]
                rest = rest[2:]
            tail.when = tuple(_test(test) for test in tests)
        else:
            raise _Unreadable(f"{word!r} is no word of a row")
    return tail


def _action(word: str) -> Action:
    action = _ACTIONS.get(word)
    if action is None:
        raise _Unreadable(f"{word!r} is no action")
    return action


def _test(text: str) -> Test:
    match = _TEST.fullmatch(text)
    if match is None:
        raise _Unreadable(f"{text!r} is no condition")
    return Test(match["slot"], _among(match["among"]), _part(match["part"]), negate=match["negate"] is not None)


def _part(word: str | None) -> Part:
    part = _PARTS.get(word or "")
    if part is None:
        raise _Unreadable(f"{word!r} is no part of a slot")
    return part


def _among(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    items = [match.group() for match in _ITEM.finditer(text + ",") if match.group()]
    return tuple(_value(item) for item in items)


def _value(item: str) -> str:
    if '"' not in item:
        return item
    if not _QUOTED.fullmatch(item):
        raise _Unreadable(f"{item} is no JSON string")
    try:
        return str(json.loads(item))
    except ValueError:
        raise _Unreadable(f"{item} is no JSON string") from None


def show_row(row: Row) -> str:
    """`row` in the notation; `rows` reads it back as it was."""
    words = [row.region, row.on, "->", row.to]
    words += ["keep"] * row.keep + ["release"] * row.release
    words += [f"do={','.join(row.do)}"] * bool(row.do)
    words += [f"when={' & '.join(map(_show_test, row.when))}"] * bool(row.when)
    words += [f"odd={row.odd}"] * bool(row.odd)
    return " ".join(words)


def _show_test(test: Test) -> str:
    part = "" if test.part == "whole" else f":{test.part}"
    among = f"={','.join(map(_show_value, test.among))}" if test.among else ""
    return f"{test.slot}{part}{'!' if test.negate else ''}{among}"


def _show_value(value: str) -> str:
    return value if _BARE.fullmatch(value) else json.dumps(value)


def show_rows(table: Iterable[Row]) -> str:
    """A whole table, one line a row, the arrows in one column."""
    pairs = [show_row(row).partition(" -> ") for row in table]
    width = max((len(left) for left, _, _ in pairs), default=0)
    return "\n".join(f"{left:{width}} -> {right}" for left, _, right in pairs)
