"""Grammars of argument values that stand as plain text between tags, by the property's JSON Schema.

The parser types a value by the kinds that its schema allows (`core/schema.py`); the grammar allows what that typing turns into
a value that fits:

    text only      the text as it stands: `enum`, `const`, `pattern`, `maxLength`; else any text
    JSON only      JSON that fits the schema
    both           any text, unless the format says of each value which of the two it is

No value may hold a string that means something in its region, so that the parser's rule for such strings never applies.
`minLength` and `format` of text cannot be said together with that and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from unbraid.core.schema import Kinds, as_mapping
from unbraid.shell.tag_nodes import Node, any_text, either, json_schema, literal, regex

NUMBER: Final = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+\-]?[0-9]{1,2})?"
"""A number that a 64-bit float can hold; only such ones are numbers."""

DEFINITIONS: Final = ("$defs", "definitions")
DEEP: Final = 8  # references that are followed
_REMARKS: Final = frozenset(("title", "description", "default", "examples", "deprecated", "$comment"))


def resolved(schema: object, root: Mapping[str, object]) -> Mapping[str, object]:
    """A schema with the references at its top followed; empty if it is `true` or leads nowhere.

    >>> resolved({"$ref": "#/$defs/a"}, {"$defs": {"a": {"type": "string"}}})
    {'type': 'string'}
    """
    for _ in range(DEEP):
        found = as_mapping(schema)
        reference = None if found is None else found.get("$ref")
        if found is None or not isinstance(reference, str):
            return found or {}
        schema = _target(reference, root)
    return {}


def _target(reference: str, root: Mapping[str, object]) -> object:
    found: object = root
    for step in reference.removeprefix("#").split("/")[1:]:
        inner = as_mapping(found)
        found = None if inner is None else inner.get(step.replace("~1", "/").replace("~0", "~"))
    return found


def alone(schema: object, root: Mapping[str, object]) -> object:
    """A property's schema that stands for itself: with the definitions it may refer to."""
    found = as_mapping(schema)
    known = {word: root[word] for word in DEFINITIONS if word in root}
    return schema if found is None or not known else {**known, **found}


def json_value(schema: object, root: Mapping[str, object], excludes: Sequence[str]) -> Node:
    """A value that is JSON on the wire."""
    if {word: told for word, told in resolved(schema, root).items() if word not in _REMARKS} == {"type": "number"}:
        return regex(NUMBER)
    return json_schema(alone(schema, root), excludes=excludes)


def text_value(schema: object, root: Mapping[str, object], excludes: Sequence[str]) -> Node:
    """A value that is a string, as it stands."""
    return either(_texts(resolved(schema, root), root, excludes, DEEP) or [any_text(excludes)])


def _texts(schema: Mapping[str, object], root: Mapping[str, object], excludes: Sequence[str], deep: int) -> list[Node]:
    """The ways to write a string that fits; none if the schema says nothing that could be said here."""
    members = next((schema[word] for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list)), None)
    if isinstance(members, list) and deep:
        inner = (resolved(one, root) for one in members)
        return [node for one in inner for node in _texts(one, root, excludes, deep - 1) or [any_text(excludes)]]
    if "const" in schema or isinstance(schema.get("enum"), list):
        return [literal(word) for word in _words(schema) if not any(live in word for live in excludes)]
    pattern, most = schema.get("pattern"), schema.get("maxLength")
    if isinstance(pattern, str):
        return [regex(pattern.removeprefix("^").removesuffix("$"))]
    return [any_text(excludes, most)] if isinstance(most, int) else []


def _words(schema: Mapping[str, object]) -> Iterator[str]:
    found = schema.get("enum") if "const" not in schema else [schema["const"]]
    for value in found if isinstance(found, list) else ():
        yield value if isinstance(value, str) else json.dumps(value)


def kind_word(kinds: Kinds, string_tags: Sequence[str]) -> str:
    """What a format that tells each value's type says of one that is JSON, as a regular expression.

    >>> kind_word(Kinds(frozenset({"integer"})), ("string",)), kind_word(Kinds(frozenset({"object"})), ("true",))
    ('integer|number', 'false')
    """
    if "true" in string_tags:
        return "false"
    words = sorted(kinds.types - {"string"}) or ["object", "array", "number", "boolean", "null"]
    return "|".join(dict.fromkeys([*words, *(["number"] if "integer" in words else [])]))
