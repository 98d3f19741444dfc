"""The JSON types by the names that schemas give them, and by values.

names      those of JSON Schema, and aliases that people write; a name that is no type means a string
keywords   those that only one type has
values     the type of a value of `enum` or `const`
"""

from collections.abc import Mapping
from typing import Final

KINDS: Final = ("null", "integer", "number", "boolean", "object", "array", "string")
"""The JSON types, in the order in which a value text is tried as one."""

_ALIASES: Final[Mapping[str, str]] = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("long", "short", "unsigned"), "integer"),
    **dict.fromkeys(("arr", "list", "sequence"), "array"),
    "double": "number",
    "bool": "boolean",
    "dict": "object",
}
_ALIAS_STARTS: Final = (("int", "integer"), ("uint", "integer"), ("float", "number"))
IMPLIED: Final = {"properties": "object", "additionalProperties": "object", "items": "array", "prefixItems": "array"}
"""By keyword, the type of a schema that has it and names none."""


def kind_of_name(name: str) -> str:
    """The JSON type that a schema means by `name`."""
    lower = name.lower()
    known = _ALIASES.get(lower)
    if known is not None:
        return known
    return next((kind for start, kind in _ALIAS_STARTS if lower.startswith(start)), "string")


def kind_of_value(value: object) -> str:
    """The JSON type of a value of a schema."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case list() | tuple():
            return "array"
        case Mapping():
            return "object"
        case _:
            return "string"
