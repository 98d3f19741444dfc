r"""The arguments of calls as other servers write them: read as JSON and written anew.

    dumped    {"a":1, "a": 2, "b": 1e2}        {"a": 2, "b": 100.0}              Python's `json`, there and back
    typed     {"days": "3"}                    {"days": 3}                       by the schema; rewritten only if that changes it
    closed    {"a": 1, "b": "l                 {"a": 1}                          the members that are whole
    repeated  {"a": 1}, later a=2              {"a": 2}                          the last value, in the place of the first

Text that is no JSON, or is too deep for Python's reader, stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from json import JSONDecoder
from math import isfinite
from typing import Final, TypeAlias

from unbraid.core.schema import STRING, ToolSchema, type_value
from unbraid.core.type_names import kind_of_name
from unbraid.shell.surrogates import clean_json

DEEPEST: Final = 64
"""Levels of a schema that are looked into."""

_WHITESPACE: Final = "\n\r\t "
_NONE: Final = object()
_Types: TypeAlias = frozenset[str]


def dumped(text: str, *, ascii_only: bool = False) -> str:
    """JSON text as Python's `json` writes what it reads.

    >>> dumped('{"a":1, "a": 2, "b": 1e2}')
    '{"a": 2, "b": 100.0}'
    """
    value = _read(text)
    return text if value is _NONE else _write(value, ascii_only=ascii_only)


def typed(text: str, tool: ToolSchema | None) -> str:
    """The arguments with values of the types that the schema names, where their text can be read so.

    >>> from unbraid.core.schema import resolve_tool
    >>> days = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> typed('{"days":"3"}', resolve_tool({"name": "f", "parameters": days}).unwrap()), typed('{"days":3}', None)
    ('{"days": 3}', '{"days":3}')
    """
    value = _read(text)
    if tool is None or value is _NONE:
        return text
    wanted = _write(_coerced(value, tool.parameters, 0))
    return text if wanted == _write(value) else wanted


def closed(text: str) -> str:
    """The members of an object that is cut off, as far as they are whole.

    >>> closed('{"a": 1, "b": "l'), closed('{"a": 1'), closed("")
    ('{"a": 1}', '{}', '{}')
    """
    members: dict[str, object] = {}
    place = _blank(text, 0) + 1
    while True:
        key, place = _value(text, place)
        place = _blank(text, place)
        if not isinstance(key, str) or text[place : place + 1] != ":":
            break
        value, place = _value(text, place + 1)
        place = _blank(text, place)
        if value is _NONE or text[place : place + 1] not in (",", "}"):
            break
        members[key] = value
        place += 1
    return _write(members)


def repeated(text: str, again: Iterable[tuple[str, str]], tool: ToolSchema | None) -> str:
    """The arguments with the last value of each key that was given again.

    >>> repeated('{"a": "x", "b": "y"}', [("a", "z")], None)
    '{"a": "z", "b": "y"}'
    """
    members = _read(text)
    if not isinstance(members, dict):
        return text
    for key, raw in again:
        value = _read(type_value(raw, STRING if tool is None else tool.kinds(key)))
        members[key] = raw if value is _NONE else value
    return _write(members)


# -- reading and writing -------------------------------------------------------------------------------------------------


def _read(text: str) -> object:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return _NONE
    return found


def _write(value: object, *, ascii_only: bool = False) -> str:
    return clean_json(json.dumps(value, ensure_ascii=ascii_only))


def _value(text: str, place: int) -> tuple[object, int]:
    """The JSON value at `place`, and what is behind it."""
    start = _blank(text, place)
    try:
        found: tuple[object, int] = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _NONE, start
    return found


_DECODER: Final = JSONDecoder()


def _blank(text: str, place: int) -> int:
    while place < len(text) and text[place] in _WHITESPACE:
        place += 1
    return place


# -- types ---------------------------------------------------------------------------------------------------------------


def _coerced(value: object, schema: object, level: int) -> object:
    """`value` as the schema wants it. What the schema does not know stays as it is."""
    if not isinstance(schema, Mapping) or level > DEEPEST:
        return value
    if isinstance(value, dict):
        known = schema.get("properties")
        inner = known if isinstance(known, Mapping) else {}
        return {key: _coerced(one, inner.get(key), level + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_coerced(one, schema.get("items"), level + 1) for one in value]
    return _from_text(value if isinstance(value, str) else _write(value), _types(schema, level))


def _types(schema: Mapping[str, object], level: int = 0) -> _Types:
    """The types that a schema names, in any of its alternatives; a string if it names none."""
    return _named(schema, level) or frozenset({"string"})


def _named(schema: object, level: int) -> _Types:
    if not isinstance(schema, Mapping) or level > DEEPEST:
        return frozenset()
    given = schema.get("type")
    words = given if isinstance(given, list) else [given]
    found = {kind_of_name(word) for word in words if isinstance(word, str)}
    values = schema.get("enum")
    found.update(_KIND_OF[type(one)] for one in (values if isinstance(values, list) else ()) if type(one) in _KIND_OF)
    for keyword in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(keyword)
        for part in parts if isinstance(parts, list) else ():
            found |= _named(part, level + 1)
    return frozenset(found)


_KIND_OF: Final[Mapping[type, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
}


def _from_text(text: str, types: _Types) -> object:
    """The value of the first type, in a fixed order, that `text` can be read as."""
    for kind, read in _READERS.items():
        if kind in types and (found := read(text)) is not _NONE:
            return found
    if "string" in types:
        return text
    found = _read(text)
    return text if found is _NONE or (isinstance(found, float) and not isfinite(found)) else found


def _null(text: str) -> object:
    return None if text.lower() == "null" else _NONE


def _integer(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        return _NONE


def _number(text: str) -> object:
    whole = _integer(text)
    if whole is not _NONE:
        return whole
    try:
        found = float(text)
    except ValueError:
        return _NONE
    if not isfinite(found):
        return _NONE
    return int(found) if found.is_integer() else found


def _boolean(text: str) -> object:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip(_WHITESPACE).lower(), _NONE)


def _container(text: str) -> object:
    return _read(text)


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "null": _null,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _container,
    "array": _container,
}
