"""Random outputs near a format's markers: a walk over its rows that writes what each region expects, and noise.

    region -> filler of its kind, one of its terminals (with framing or not, whole or cut) -> the row's target

The walk follows the record's rows alone; whether the machine is where the walk thinks it is does not matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from attrs import frozen

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
    Text,
    Tree,
    Value,
)

WORDS: Final = (
    "a", "plan", "so", "Oslo", "3 < 4", "x > y", "é", "東京", "👩‍🚀", "\n", "\n\n", " ", "\t", "\r\n", ".\n", "<", "</", "<|", "{", "}", '"', "\\",
    "`", "=", "null", "true", "1e3", "-", "\u2028", "\x00", "\ufffd", "{}", "[]", '{"a": 1}', '"x', "}}", "]}", " " * 17, "\n" * 17,
)  # fmt: skip
NAMES: Final = ("get_weather", "run", "now", "nope", "a.b", "x" * 300, "na me", "", "functions.run")
KEYS: Final = ("city", "days", "opts", "flag", "cmd", "nope", "", "x" * 300, "channel", "tags", "item", "arguments")
VALUES: Final = (
    "Oslo",
    '{"cmd": "ls"}',
    "3",
    "true",
    "None",
    '{"a": [1, null]}',
    "[1, 2",
    "1e3",
    "",
    "\n",
    "\nx\n",
    '"quoted"',
    " 7 ",
    "007",
    "\x01",
    "é\n",
)
PYTHON: Final = (
    "'Oslo'", '"it\\\'s"', "3", "-1.50", "007", "True", "None", "[1, {'a': (2,)}]", "{'a': [], 1: 'x'}", "{'a', 'b'}", "('x' \"y\")", r"'\n\x41\u00e9'",
    "'''a'b'''", r"r'\d'", "f'{{x}}'", "f'{x}'", "b'x'", "x", "1 + 1", f"'{'y' * 300}'", "{'" + "z" * 300 + "'}", "'\n'", "", "1e999", "é", r"'\u00",
)  # fmt: skip
TERMINAL_ODDS: Final = 0.85
NOISE_ODDS: Final = 0.12
CUT_ODDS: Final = 0.04


@frozen(eq=False)
class Ground:
    """A format, ready to be walked over."""

    fmt: Format
    regions: Mapping[str, Region]
    terminals: Mapping[str, Terminal]
    rows: Mapping[str, Sequence[Row]]


def ground(fmt: Format) -> Ground:
    """Index a format."""
    rows: dict[str, list[Row]] = {region.name: [] for region in fmt.regions}
    for row in fmt.rows:
        rows[row.region].append(row)
    return Ground(
        fmt,
        {region.name: region for region in fmt.regions},
        {terminal.name: terminal for terminal in fmt.terminals},
        rows,
    )


def walk(place: Ground, random: Random, steps: int) -> str:
    """One output of about `steps` markers."""
    region = random.choice([place.fmt.start.on, place.fmt.start.off])
    out: list[str] = []
    for _ in range(steps):
        out.append(_filler(place.regions[region], random))
        if random.random() < NOISE_ODDS:
            out.append(_noise(place, random))
        rows = place.rows[region]
        if not rows or random.random() > TERMINAL_ODDS:
            continue
        row = random.choice(rows)
        if row.on in place.terminals:
            out.append(_spelled(place.terminals[row.on], random))
        if row.to != "@same":
            region = row.to
    return "".join(out)[: random.choice((10_000, 10_000, 10_000, random.randint(0, 200)))]


def _spelled(terminal: Terminal, random: Random) -> str:
    before = random.choice(("", *terminal.before, *terminal.before))
    after = random.choice(("", *terminal.after, *terminal.after))
    spelling = random.choice(terminal.spellings)
    if random.random() < CUT_ODDS:
        spelling = spelling[: random.randrange(len(spelling))]
    return before + spelling + after


def _noise(place: Ground, random: Random) -> str:
    if place.terminals and random.random() < 0.5:
        return _spelled(random.choice(place.fmt.terminals), random)
    return random.choice(WORDS)


def _filler(region: Region, random: Random) -> str:
    match region.kind:
        case Text():
            return "".join(random.choice(WORDS) for _ in range(random.choice((0, 0, 1, 2, 3))))
        case Gap():
            return random.choice(("", "", "", "\n", " ", "\n\n", "x", "\n" * 17))
        case Capture(fields=fields):
            text = _captured({field.slot for field in fields}, random)
            return _attributes(text, random) if any(field.after == "name=" for field in fields) else text
        case Value():
            return random.choice(VALUES)
        case Json():
            return _damaged(json.dumps(_arguments(random), ensure_ascii=False), random)
        case Envelope():
            return _envelope(region.kind, random)
        case Tree(prefix=prefix):
            return _damaged("".join(_element(prefix, random, 3) for _ in range(random.randint(0, 4))), random)
        case PythonCalls(shape=shape):
            calls = [_python_call(random) for _ in range(random.randint(0, 3))]
            return _damaged("\n".join(calls) if shape == "lines" else f"[{', '.join(calls)}]", random)
        case Braces():
            return _damaged(_braces(region.kind, random), random)


def _attributes(text: str, random: Random) -> str:
    parts = [f'name="{text}"', random.choice(('string="true"', 'string="false"', ""))]
    random.shuffle(parts)
    return " ".join(parts)


def _element(prefix: str, random: Random, depth: int) -> str:
    """An element, with others in it or with a value; sometimes it is closed by another name."""
    name = random.choice(KEYS)
    inner = random.choice(VALUES)
    if depth and random.random() < 0.5:
        inner = random.choice(("", "", "\n", "x")).join(
            _element(prefix, random, depth - 1) for _ in range(random.randint(1, 3))
        )
    closer = name if random.random() < 0.95 else random.choice(KEYS)
    return f"{prefix}<{name}>{inner}{prefix}</{closer}>" + random.choice(("", "", "\n", "x"))


def _python_call(random: Random) -> str:
    keywords = [f"{random.choice(KEYS)}={random.choice(PYTHON)}" for _ in range(random.choice((0, 1, 1, 2, 4)))]
    return f"{random.choice(NAMES)}({', '.join(keywords)})"


def _braces(kind: Braces, random: Random) -> str:
    values = (
        f"{kind.quote}{random.choice(WORDS)}{kind.quote}",
        "3",
        "true",
        "two words",
        "[1,{a:2}]",
        f"{{b:{kind.quote}{kind.quote}}}",
    )
    pairs = [
        f"{random.choice(KEYS)}{random.choice(kind.pair)}{random.choice(values)}"
        for _ in range(random.choice((0, 1, 1, 2, 4)))
    ]
    place = random.randrange(len(kind.open))
    return kind.open[place] + ",".join(pairs) + kind.close[place]


def _captured(slots: set[str], random: Random) -> str:
    if "recipient" in slots or "channel" in slots:
        header = (
            "assistant",
            " to=functions.run",
            "<|channel|>analysis",
            "<|channel|>commentary",
            "<|channel|>final",
            " to=python",
            "<|constrain|>json",
        )
        return "".join(random.choice(header) for _ in range(random.randint(0, 4)))
    return random.choice(KEYS if "key" in slots else NAMES)


def _arguments(random: Random) -> object:
    plain: tuple[object, ...] = (
        {},
        {"cmd": "ls"},
        {"city": "Oß\n", "days": 2, "opts": {"u": [None, True, 1.5]}},
        [1],
        None,
        "",
        "x",
        '{"a": 1}',
        7,
    )
    return random.choice(plain)


def _envelope(kind: Envelope, random: Random) -> str:
    members = [
        (random.choice(kind.name), random.choice(NAMES)),
        (random.choice(kind.arguments), _arguments(random)),
        ("z", [1, {"name": 2}]),
    ]
    random.shuffle(members)
    one = json.dumps(dict(members[: random.randint(1, 3)]), ensure_ascii=random.random() < 0.2)
    many = kind.shape == "array" or (kind.shape == "either" and random.random() < 0.5)
    return _damaged(f"[{one}, {one}]" if many else one, random)


def _damaged(text: str, random: Random) -> str:
    """`text`, sometimes with one code point gone, doubled or changed, or cut."""
    if random.random() < 0.6 or not text:
        return text
    place = random.randrange(len(text))
    put = random.choice(("", "", text[place] * 2, '"', "\\", "\n", "{", "}", "\x01", "</"))
    return text[:place] if random.random() < 0.2 else text[:place] + put + text[place + 1 :]
