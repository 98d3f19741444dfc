"""Random schemas of arguments, of keywords that grammars say: strings above all, alone and in arrays, objects and unions. Patterns are
such as random outputs come to an end of."""

from __future__ import annotations

from random import Random
from typing import Any, Final

KEYS: Final = ("city", "n_days", "Unit", "opts", "tags", "id", "Zed")
PATTERNS: Final = (
    "^[a-z]{1,5}$",
    "^[A-Z]{2}-[0-9]+$",
    "^(x[ab]+)?y$",
    r"^[^,\s]{1,6}$",
    r"^\d{4}$",
    "^a|b$",
    "^[ -~]{3}$",
)
FORMATS: Final = ("date", "uuid", "time", "ipv4", "weird")
DEFINITIONS: Final = {
    "letter": {"type": "string", "enum": ["u", "v"]},
    "word": {
        "type": "object",
        "properties": {"w": {"type": "string", "minLength": 1}},
        "required": ["w"],
        "additionalProperties": False,
    },
}
SIMPLE: Final[tuple[dict[str, Any], ...]] = (
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "integer", "minimum": 0, "maximum": 9},
    {"$ref": "#/$defs/letter"},
    {"$ref": "#/$defs/word"},
    {"type": ["string", "null"], "minLength": 2},
    {"type": ["string", "null"], "pattern": "^z+$"},
    {"enum": ["p", 1, None, True]},
    {"const": "k"},
    {"type": "object"},
)


def arguments_schema(random: Random) -> dict[str, Any]:
    """A schema of a tool's arguments."""
    return {**_object(random, 2), "$defs": DEFINITIONS}


def _object(random: Random, deep: int) -> dict[str, Any]:
    keys = random.sample(KEYS, random.randint(1, 4))
    return {
        "type": "object",
        "properties": {key: _value(random, deep) for key in keys},
        "required": [key for key in keys if random.random() < 0.5],
        "additionalProperties": False,
    }


def _value(random: Random, deep: int) -> dict[str, Any]:
    kind = random.random()
    if kind < 0.5:
        return _string(random)
    if kind < 0.6:
        return {"anyOf": [_string(random), {"type": random.choice(["null", "integer"])}]}
    if kind < 0.7 and deep:
        bounds = random.choice([{}, {"minItems": 1, "maxItems": 3}])
        return {"type": "array", "items": _value(random, deep - 1), **bounds}
    if kind < 0.8 and deep:
        return _object(random, deep - 1)
    return random.choice(SIMPLE)


def _string(random: Random) -> dict[str, Any]:
    least = random.randint(0, 3)
    told: list[dict[str, Any]] = [
        {},
        {"minLength": least},
        {"minLength": least, "maxLength": random.randint(3, 20)},
        {"maxLength": random.choice([5, 300])},
        {"pattern": random.choice(PATTERNS)},
        {"format": random.choice(FORMATS)},
        {"enum": ["a", "b c", "<d>", "</x>"]},
    ]
    return {"type": "string", **random.choice(told)}
