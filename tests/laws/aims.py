"""Outputs that lead to a chosen row of a format: the shortest way there, written out with fillers that fit.

Conditions of rows may send the machine elsewhere; who aims looks at what was reached, and aims again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from random import Random
from typing import Final

from tests.laws.walks import Ground
from unbraid.core.grammar import Braces, Capture, Envelope, Field, Json, PythonCalls, Region, Row, Text, Tree, Value

NAMES: Final = ("run", "now", "get_weather", "functions.run:0", "functions.run", "nope")
KEYS: Final = ("cmd", "city", "days", "opts", "nope")
TYPES: Final = ("true", "false", "string", "number", "json")
BAD: Final = ("\x01", "<", "x" * 300, "]", "}", "x\n", '"', "::")


def aim(place: Ground, target: Row, begun: str, random: Random) -> str:
    """A text that may take `target`, starting in region `begun`; empty if no way leads there."""
    way = _way(place, target, begun, random)
    if way is None:
        return ""
    rest = _marker(place, target, random) if target.keep else ""
    return "".join(_written(place, row, random) for row in (*way, target)) + rest


def _way(place: Ground, target: Row, begun: str, random: Random) -> list[Row] | None:
    """The rows from the start to the target's region."""
    came: dict[str, Row | None] = {begun: None}
    todo = deque([begun])
    while todo and target.region not in came:
        region = todo.popleft()
        rows = list(place.rows[region])
        random.shuffle(rows)
        for row in rows:
            if row.to not in came and row.to != "@same":
                came[row.to] = row
                todo.append(row.to)
    return None if target.region not in came else _back(came, target.region)


def _back(came: Mapping[str, Row | None], region: str) -> list[Row]:
    way: list[Row] = []
    row = came[region]
    while row is not None:
        way.append(row)
        row = came[row.region]
    return way[::-1]


def _written(place: Ground, row: Row, random: Random) -> str:
    """What stands in the row's region, and what takes the row."""
    region = place.regions[row.region]
    if row.on == "@bad":
        return _begun(region, row, random) + random.choice(BAD)
    if row.on == "@text":
        return "x"
    if row.on == "@closed":
        return _whole(region, random)
    return _begun(region, row, random) + ("" if row.keep else _marker(place, row, random))


def _marker(place: Ground, row: Row, random: Random) -> str:
    """The marker of the row, with or without its framing."""
    terminal = place.terminals.get(row.on)
    if terminal is None:
        return ""
    return (
        random.choice(("", *terminal.before)) + random.choice(terminal.spellings) + random.choice(("", *terminal.after))
    )


def _begun(region: Region, row: Row, random: Random) -> str:
    """Something that the row's marker may follow."""
    match region.kind:
        case Text():
            return random.choice(("", "so "))
        case Capture(fields=fields):
            return _captured(fields, row, random)
        case Value():
            return random.choice(("Oslo", "3", "{}", ""))
        case Json() | Envelope() | PythonCalls() | Braces() | Tree():
            whole = _whole(region, random)
            return random.choice(("", "", whole[: random.randint(0, len(whole))]))
        case _:
            return ""


def _captured(fields: tuple[Field, ...], row: Row, random: Random) -> str:
    """A header that has what the row asks for; what nobody asks for stands there now and then."""
    asked = {test.slot: random.choice(test.among) if test.among else "" for test in row.when if not test.negate}
    unwanted = {test.slot for test in row.when if test.negate and not test.among}
    parts: dict[str, str] = {}
    for field in fields:
        if field.slot not in unwanted and (field.slot in asked or random.random() < 0.7):
            parts[field.after] = _field(field, asked.get(field.slot) or _value_of(field, random), random)
    return " ".join(part for _, part in sorted(parts.items()))


def _value_of(field: Field, random: Random) -> str:
    return random.choice(KEYS if field.slot == "key" else TYPES if field.slot == "type" else NAMES)


def _field(field: Field, value: str, random: Random) -> str:
    text = f'"{value}"' if field.unquote and random.random() < 0.8 else value
    return f" {field.after}{text}" if field.after else text


def _whole(region: Region, random: Random) -> str:
    """A payload that closes itself."""
    match region.kind:
        case Envelope(name=name, arguments=arguments, shape=shape):
            one = json.dumps({name[0]: "run", arguments[0]: {"cmd": "ls"}})
            return one if shape == "one" else f"[{one}]"
        case PythonCalls():
            return random.choice(("[run(cmd='ls'), now()]", "run(cmd='ls')\nnow()"))
        case Braces():
            return random.choice(('{cmd:<|"|>ls<|"|>}', "{}"))
        case _:
            return '{"cmd": "ls"}'
