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
    "properties": {"text": {"type": "string"}, "level": {"$ref": "#/$defs/level"}},
    "required": ["text"],
    "additionalProperties": False,
    "$defs": {"level": {"type": "integer", "minimum": 1, "maximum": 5}},
}
NOW: Final = {"type": "object", "properties": {}, "additionalProperties": False}

SCHEMAS: Final[Mapping[str, Any]] = {"forecast": FORECAST, "note": NOTE, "now": NOW}
TOOLS: Final[Sequence[Mapping[str, Any]]] = [
    {"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in SCHEMAS.items()
]

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
    """Arguments of a tool, in the order of its schema; what is not required is there now and then."""
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
    }
    schema = SCHEMAS[tool]
    wanted = [key for key in schema["properties"] if key in schema.get("required", ()) or random.random() < 0.5]
    return {key: made[key] for key in wanted}
