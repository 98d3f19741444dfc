"""Tools of the constraint tests, and random arguments that fit them. Their types are told apart by the schema alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

FORECAST: Final = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "opts": {
            "type": "object",
            "properties": {"unit": {"enum": ["C", "F"]}, "deep": {"type": "boolean"}},
            "required": ["unit"],
            "additionalProperties": False,
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "ratio": {"type": "number"},
        "mode": {"type": "string", "enum": ["fast", "slow", "as it comes"]},
        "flag": {"type": "boolean"},
    },
    "required": ["city", "mode"],
    "additionalProperties": False,
}
NOTE: Final = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "level": {"$ref": "#/$defs/level"},
        "day": {"type": "string", "format": "date"},
    },
    "required": ["text"],
    "additionalProperties": False,
    "$defs": {"level": {"type": "integer", "minimum": 1, "maximum": 5}},
}
LABEL: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "short": {"type": "string", "minLength": 2, "maxLength": 12},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{1,3}(\\.[a-z]+)?$"},
    },
    "required": ["title", "code"],
    "additionalProperties": False,
}
NOW: Final = {"type": "object", "properties": {}, "additionalProperties": False}

SCHEMAS: Final[Mapping[str, Any]] = {"forecast": FORECAST, "note": NOTE, "label": LABEL, "now": NOW}
TOOLS: Final[Sequence[Mapping[str, Any]]] = [
    {"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in SCHEMAS.items()
]

FEW: Final = 3
"""Most arguments that may stand in any order in every notation."""

_TITLES: Final = ("T", " ", "é", "{", "<b>", "</i>")
_PIECES: Final = (
    *(
        "Lima",
        " ",
        "\n",
        '"',
        "'",
        "\\",
        "{",
        "}",
        "[1]",
        "<b>",
        "</b>",
        "<",
        ">",
        "&amp;",
        "é",
        "☃",
        "true",
        "12",
        "null",
    ),
    *(":", ",", "```", "<tool", "</", "a=b", "\t", "𝄞"),
)


def words(random: Random) -> str:
    """A string that is hard on notations."""
    return "".join(random.choice(_PIECES) for _ in range(random.randint(0, 6)))


def arguments(tool: str, random: Random) -> dict[str, Any]:
    """Arguments of a tool, in the order of its schema or, if they are few, in any; what is not required is there now and then."""
    made: dict[str, Any] = {
        "city": words(random),
        "days": random.randint(-5, 10 ** random.randint(0, 20)),
        "opts": {"unit": random.choice("CF"), **({"deep": True} if random.random() < 0.5 else {})},
        "tags": [words(random) for _ in range(random.randint(0, 3))],
        "ratio": random.choice([0.5, -2.25, 3, 1e-7, 0]),
        "mode": random.choice(["fast", "slow", "as it comes"]),
        "flag": random.random() < 0.5,
        "text": words(random),
        "level": random.randint(1, 5),
        "title": random.choice(_TITLES) + words(random),
        "short": random.choice(["a b", "(-)", "née", "x" * 12]),
        "code": random.choice(["AB-1", "XY-042", "QQ-7.md"]),
        "day": f"2024-0{random.randint(1, 9)}-1{random.randint(0, 9)}",
    }
    schema = SCHEMAS[tool]
    wanted = [key for key in schema["properties"] if key in schema.get("required", ()) or random.random() < 0.5]
    if len(schema["properties"]) <= FEW:
        random.shuffle(wanted)
    return {key: made[key] for key in wanted}
