"""JSON Schemas of forced calls that are written as plain JSON (`forced_json`).

    required   [{"name": NAME, "parameters": ARGUMENTS}, ...]   at least one; exactly one if calls may not be parallel
    named      ARGUMENTS                                        the parameters of the one tool

`$defs` and `definitions` of all tools are lifted to the top, where their references point. Two tools may share a key there only
if they mean the same by it. A reference to anything else in a tool's own parameters is led to where those stand now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final, TypeAlias

from attrs import frozen
from returns.result import Failure, Result, Success

from unbraid.core.schema import as_mapping
from unbraid.shell.value_nodes import DEFINITIONS

JsonSchema: TypeAlias = Mapping[str, object]

NO_ARGUMENTS: Final[JsonSchema] = {"type": "object", "properties": {}, "additionalProperties": False}
ANY_ORDER: Final = 4
"""Most properties of an object that may stand in any order: each order is a schema of its own."""

_LOCAL: Final = re.compile(r'"\$ref": "(?!#/(?:\$defs|definitions)/)')
"""A reference to anything but a definition."""

ANY_ARGUMENTS: Final[JsonSchema] = {"type": "object"}
_ANY: Final = {"$ref": "#/$defs/any"}
_OBJECT: Final = {"$ref": "#/$defs/object"}
ANY_NESTED: Final[JsonSchema] = {
    **_OBJECT,
    "$defs": {
        "object": {"type": "object", "additionalProperties": _ANY},
        "any": {
            "anyOf": [{"type": ["string", "number", "boolean", "null"]}, {"type": "array", "items": _ANY}, _OBJECT],
        },
    },
}
"""The same, with all that stands in it, so that something can be said of each object."""


@frozen
class Offered:
    """A tool that may be called: `parameters` as the request has them, None if it has none."""

    name: str
    parameters: object = None


@frozen
class DefinitionClash:
    """Two tools that mean different things by one key of their definitions."""

    key: str
    tools: tuple[str, str]
    where: str = "$defs"

    def describe(self) -> str:
        """One sentence."""
        first, second = self.tools
        return f"the tools {first!r} and {second!r} both define {self.where}/{self.key}, each in its own way"


def arguments_schema(parameters: object) -> JsonSchema:
    """The schema of one tool's arguments: its parameters, which are those of an object; without any, no argument.

    >>> arguments_schema(None)["properties"]
    {}
    >>> arguments_schema({"properties": {"n": {"type": "integer"}}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}}
    """
    found = as_mapping(parameters)
    if not found:
        return NO_ARGUMENTS
    return found if "type" in found or "$ref" in found else {"type": "object", **found}


def in_any_order(schema: object, *, or_sorted: bool = False) -> object:
    """A schema of an object with at most `ANY_ORDER` properties: they may stand in any order. Grammars hold to the order that is written.
    `or_sorted`: the properties of all objects in it may stand in alphabetical order as well. What the properties may be stands in
    definitions, once for all orders.

    >>> [list(one["properties"]) for one in in_any_order({"properties": {"a": {}, "b": {}}})["anyOf"]]
    [['a', 'b'], ['b', 'a']]
    """
    found = as_mapping(schema) or {}
    kept = as_mapping(with_sorted_keys(found)) or {} if or_sorted else found
    some = [as_mapping(one.get("properties")) or {} for one in ((found, kept) if or_sorted else (found,))]
    told = {json.dumps(one): one for properties in some for one in properties.values()}
    names = {written: f"argument_{number}" for number, written in enumerate(told)}
    ways = {json.dumps(way): way for way in _orders(some, names)}
    shared = {word: as_mapping(kept[word]) or {} for word in DEFINITIONS if word in kept}
    known = shared.get("$defs", {})
    if len(ways) < 2 or _LOCAL.search(json.dumps(found)) or known.keys() & {*names.values()}:
        return schema
    rest = {word: told for word, told in found.items() if word not in DEFINITIONS}
    shared["$defs"] = {**known, **{names[written]: one for written, one in told.items()}}
    return {**shared, "anyOf": [{**rest, "properties": way} for way in ways.values()]}


def _orders(some: Sequence[Mapping[str, object]], names: Mapping[str, str]) -> Iterator[Mapping[str, object]]:
    """The orders of the same properties, each written in some ways, as references to definitions. `names`: theirs, by what they say."""
    for properties in some:
        written = {key: {"$ref": f"#/$defs/{names[json.dumps(told)]}"} for key, told in properties.items()}
        orders = permutations(written) if len(written) <= ANY_ORDER else (tuple(one) for one in some)
        yield from ({key: written[key] for key in order} for order in orders)


def with_sorted_keys(schema: object) -> object:
    """A schema whose properties stand in alphabetical order, also of objects in objects: as Jinja's `dictsort` has them.

    >>> with_sorted_keys({"properties": {"b": {}, "A": {"properties": {"d": {}, "c": {}}}}})
    {'properties': {'A': {'properties': {'c': {}, 'd': {}}}, 'b': {}}}
    """
    inner = as_mapping(schema)
    if inner is None:
        return [with_sorted_keys(one) for one in schema] if isinstance(schema, list) else schema
    made = {word: with_sorted_keys(told) for word, told in inner.items()}
    properties = as_mapping(made.get("properties"))
    if properties is not None:
        made["properties"] = dict(sorted(properties.items(), key=lambda one: one[0].lower()))
    return made


def named_schema(tool: Offered) -> JsonSchema:
    """What the answer to a named choice must be."""
    return arguments_schema(tool.parameters)


def required_schema(tools: Sequence[Offered], *, parallel: bool) -> Result[JsonSchema, tuple[DefinitionClash, ...]]:
    """What the answer to `required` must be, or the definitions that clash.

    >>> required_schema([Offered("now")], parallel=False).unwrap()["maxItems"]
    1
    """
    lifted: dict[str, dict[str, object]] = {}
    owners: dict[tuple[str, str], str] = {}
    clashes: list[DefinitionClash] = []
    for number, tool in enumerate(tools):
        for word, key, value in _definitions(tool, number):
            owner = owners.setdefault((word, key), tool.name)
            if lifted.setdefault(word, {}).setdefault(key, value) != value:
                clashes.append(DefinitionClash(key, (owner, tool.name), word))
    if clashes:
        return Failure(tuple(clashes))
    schema: dict[str, object] = {"type": "array", "minItems": 1, **({} if parallel else {"maxItems": 1})}
    schema["items"] = {"type": "object", "anyOf": [_call(tool, number) for number, tool in enumerate(tools)]}
    return Success({**schema, **lifted})


def _definitions(tool: Offered, number: int) -> list[tuple[str, str, object]]:
    found = as_mapping(tool.parameters) or {}
    every = [(word, as_mapping(found.get(word)) or {}) for word in DEFINITIONS]
    return [(word, key, _moved(value, _place(number))) for word, inner in every for key, value in inner.items()]


def _place(number: int) -> str:
    """Where the parameters of a tool stand."""
    return f"#/items/anyOf/{number}/properties/parameters"


def _call(tool: Offered, number: int) -> JsonSchema:
    parameters = {word: told for word, told in arguments_schema(tool.parameters).items() if word not in DEFINITIONS}
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": [tool.name]},
            "parameters": _moved(parameters, _place(number)),
        },
        "required": ["name", "parameters"],
        "additionalProperties": False,
    }


def _moved(schema: object, place: str) -> object:
    """A schema that stands at `place` now. References to definitions point to the top before and after."""
    inner = as_mapping(schema)
    if inner is not None:
        return {
            word: _reference(told, place) if word == "$ref" else _moved(told, place) for word, told in inner.items()
        }
    return [_moved(one, place) for one in schema] if isinstance(schema, list) else schema


def _reference(told: object, place: str) -> object:
    if not isinstance(told, str) or not told.startswith("#") or told.startswith(tuple(f"#/{w}/" for w in DEFINITIONS)):
        return told
    return place + told[1:]
