"""Grammars of argument values that stand as plain text between tags, by the property's JSON Schema.

The parser types a value by the kinds that its schema allows (`core/schema.py`); the grammar allows what that typing turns into
a value that fits:

    text    `const`, `enum`, `pattern`, `format`, `minLength` and `maxLength`; else any text
    JSON    JSON that fits the schema, with white space around it
    both    any of its members, as text or as JSON

No value may hold a string that means something in its region, so that the parser's rule for such strings never applies. A line break that a
format writes at the edges of a value (`Edges`) may be missing: the parser takes one away where one stands, so text that is not to
be shorter begins with another character then.

What is not said of text: a `format` that is not one of `FORMATS`; a least length over `text_nodes.LEAST_MOST`, a greatest one over
`text_nodes.MOST_MOST`; lengths beside a pattern that is more than one repetition; what `patterns` cannot say, or not without the
characters that markers begin or end with; `not`, `if` and an `allOf` of several schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from unbraid.core.schema import Kinds, Walk, as_mapping, type_value
from unbraid.shell.char_sets import outside, ranges
from unbraid.shell.patterns import single
from unbraid.shell.sayable import JSON, Strings, lengths, sayable, whole
from unbraid.shell.tag_nodes import Node, any_text, either, json_schema, literal, optional, regex, sequence, space
from unbraid.shell.text_nodes import long_text
from unbraid.shell.wire import BLANKS

NUMBER: Final = r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+\-]?[0-9]{1,2})?"
"""A number that a 64-bit float can hold; only such ones are numbers."""

_DATE: Final = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])"
_TIME: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_BYTE: Final = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
FORMATS: Final[Mapping[str, str]] = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}T{_TIME}$",
    "uuid": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    "ipv4": rf"^{_BYTE}(\.{_BYTE}){{3}}$",
    "email": r"^[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@[A-Za-z0-9]+(-[A-Za-z0-9]+)*(\.[A-Za-z0-9]+(-[A-Za-z0-9]+)*)+$",
}
"""Formats of strings that are said, as patterns."""

DEFINITIONS: Final = ("$defs", "definitions")
MEMBERS: Final = ("anyOf", "oneOf")
SPREAD: Final = 64
"""Most characters outside of a set that text may hold all but."""

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


def kinds_of(schema: object, root: Mapping[str, object]) -> frozenset[str]:
    """The JSON types that a part of the parameters `root` allows; a string's if it says nothing of them.

    >>> sorted(kinds_of({"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/a"}]}, {"$defs": {"a": {"type": "null"}}}))
    ['integer', 'null']
    """
    return Walk("", (), root).types(schema, (), 0) or frozenset({"string"})


def alone(schema: object, root: Mapping[str, object]) -> object:
    """A property's schema that stands for itself: with the definitions it may refer to."""
    found = as_mapping(schema)
    known = {word: root[word] for word in DEFINITIONS if word in root}
    return schema if found is None or not known else {**known, **found}


def json_value(schema: object, root: Mapping[str, object], strings: Strings = JSON) -> Node:
    """A value that is JSON on the wire."""
    gap = space(BLANKS)
    if {word: told for word, told in resolved(schema, root).items() if word not in _REMARKS} == {"type": "number"}:
        return sequence([gap, regex(NUMBER), gap])
    said = sayable(alone(schema, root), strings)
    return sequence([gap, json_schema(said, excludes=strings.excludes), gap])


@frozen
class Edges:
    """White space that a format writes before a text and behind it."""

    opens: str = ""
    closes: str = ""

    def around(self, node: Node) -> Node:
        """Text with its edges."""
        return sequence([literal(self.opens), node, literal(self.closes)])

    def either_way(self, word: str) -> Node:
        """A text with its edges or without them, where they would not be taken for its own."""
        opens, closes = literal(self.opens), literal(self.closes)
        begins, ends = word.startswith(self.opens), word.endswith(self.closes)
        return sequence([opens if begins else optional(opens), literal(word), closes if ends else optional(closes)])


@frozen
class Texts:
    """Writes values that are text. `excludes`: what must not stand in one; `kinds`: those that the value may have in the parser's
    eyes, None if the format says that it is a string."""

    root: Mapping[str, object]
    excludes: tuple[str, ...]
    edges: Edges = Edges()
    kinds: Kinds | None = None

    def node(self, schema: object) -> Node:
        """A value that fits."""
        return either(self._ways(resolved(schema, self.root), set()) or [any_text(self.excludes)])

    def _ways(self, schema: Mapping[str, object], seen: set[int]) -> list[Node]:
        """The ways to write a value. `seen`: schemas whose ways are told already, or are being told."""
        if id(schema) in seen:
            return []
        seen.add(id(schema))
        members = next((schema[word] for word in MEMBERS if isinstance(schema.get(word), list)), None)
        if isinstance(members, list):
            return [way for one in members for way in self._ways(resolved(one, self.root), seen)]
        only = schema.get("allOf")
        if isinstance(only, list) and len(only) == 1:
            return self._ways(resolved(only[0], self.root), seen)
        if "const" in schema or isinstance(schema.get("enum"), list):
            return [self.edges.either_way(word) for word in self._words(schema)]
        types = kinds_of(schema, self.root)
        other = sorted(types - {"string"}) if self.kinds is not None else []
        ways = list(self._strings(schema)) if "string" in types else []
        if not other or any_text(self.excludes) in ways:
            return ways
        return [*ways, json_value({**schema, "type": other}, self.root, Strings(excludes=self.excludes))]

    def _words(self, schema: Mapping[str, object]) -> Iterator[str]:
        """The values of `enum` or `const`, as they are written, of those that are read as what they are."""
        found = schema.get("enum") if "const" not in schema else [schema["const"]]
        for value in found if isinstance(found, list) else ():
            word = value if isinstance(value, str) else json.dumps(value)
            if not any(live in word for live in self.excludes) and self._read(word) == (type(value), value):
                yield word

    def _read(self, word: str) -> tuple[type, object]:
        value = word if self.kinds is None else json.loads(type_value(word, self.kinds))
        return type(value), value

    def _strings(self, schema: Mapping[str, object]) -> Iterator[Node]:
        least, most = lengths(schema) or (0, None)
        pattern = schema.get("pattern")
        if not isinstance(pattern, str):
            pattern = FORMATS.get(str(schema.get("format")))
        if pattern is None:
            yield from self._long(least, most)
            return
        one = single(pattern)
        if one is not None and len(away := _members(outside(one.found))) <= SPREAD:
            yield from self._long(max(least, one.least), min(filter(None, (one.most, most)), default=None), away)
            return
        said = whole(pattern, self.excludes, least, most)
        if said is None:
            yield from self._long(least, most)
            return
        yield self.edges.around(_all_of(said))
        bare = whole(pattern, self.excludes, least, most, ranges(self.edges.opens + self.edges.closes))
        if bare is not None and self.edges != Edges():
            yield _all_of(bare)

    def _long(self, least: int, most: int | None, away: Sequence[str] = ()) -> Iterator[Node]:
        """Text of some length, without some characters."""
        excludes = tuple(dict.fromkeys((*self.excludes, *away)))
        if not least and most is None and not away:
            yield any_text(excludes)
            return
        yield self.edges.around(long_text(excludes, least, most))
        if self.edges != Edges():
            yield long_text(excludes, least, most, self.edges.opens + self.edges.closes)


def _members(found: Iterable[tuple[int, int]]) -> list[str]:
    """The characters of a set, up to one more than matter."""
    return [chr(code) for low, high in found for code in range(low, min(high, low + SPREAD) + 1)][: SPREAD + 1]


def _all_of(pattern: str) -> Node:
    return regex(pattern) if pattern else literal("")


def kind_word(kinds: Kinds, string_tags: Sequence[str]) -> str:
    """What a format that tells each value's type says of one that is JSON, as a regular expression.

    >>> kind_word(Kinds(frozenset({"integer"})), ("string",)), kind_word(Kinds(frozenset({"object"})), ("true",))
    ('integer|number', 'false')
    """
    if "true" in string_tags:
        return "false"
    words = sorted(kinds.types - {"string"}) or ["object", "array", "number", "boolean", "null"]
    return "|".join(dict.fromkeys([*words, *(["number"] if "integer" in words else [])]))
