"""What a tool's JSON Schema says about values that are not JSON on the wire, and the typing of such a value.

*Resolving*, once for each tool, finds for each property the JSON types that its schema allows: its `Kinds`. The types
found in one schema are united:

    type                          each name listed; the aliases of `type_names`; a name that is no type is a string
    enum, const                   the types of the values
    anyOf, oneOf                  the types of the members
    allOf                         the types that all members with any types have in common; if none, those of any member
    $ref                          the types of the target: a JSON pointer into the same `parameters`; a loop adds nothing
    properties, additionalProperties (no `type`)   object
    items, prefixItems (no `type`)                 array
    nullable: true                null beside the others

A schema in which nothing is found (`{}`, `true`, only a description) is a string: text that claims nothing stays text.
The work is bounded for hostile schemas: `MAX_LEVELS` nested schemas, `MAX_SCHEMAS` visited; beyond is a defect.

*Typing*, once for each value, takes the raw text and its kinds and gives JSON text. Kinds are tried in the order of
`KINDS`; whitespace around counts for a string only.

    null       `null` or `None`
    integer    a JSON number without a fractional value: `5`, `-0`, `3.0`, `1e3`, `1.5e1`
    number     any JSON number
    boolean    `true`, `false`, `True`, `False`
    object     JSON that begins with `{`
    array      JSON that begins with `[`
    string     any text; the text as it is, in quotes

If none fits and `string` is not among them, JSON (and `True`, `False`, `None`) stays what it is, other text becomes a
string. The wire spelling is kept: nothing is converted, `1e3` stays `1e3`, whole numbers of any length stay whole. What
is JSON is decided by `json_scan` alone, with one rule beside the grammar: a number with a fraction or an exponent that a
64-bit float cannot hold (`1e999`) is no number, because readers would make it infinite.

*Probing* answers early: `advance` follows the raw text as it comes and says whether it is still undecided. Once it is
not, the value is the raw text as a string, whatever follows, and can be streamed. The law: for every text, every split
and all kinds, `type_value(raw, kinds) == quote(raw)` if a probe of `raw` was decided.
"""

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from hashlib import sha256
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, cast
from urllib.parse import unquote

from attrs import define, field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.json_scan import BAD, DONE, EMPTY, VALUE, complete, scan
from unbraid.core.json_text import quote
from unbraid.core.type_names import IMPLIED, KINDS, kind_of_name, kind_of_value

MAX_LEVELS: Final = 64
"""Schemas within schemas on the way to one property, references included."""

MAX_SCHEMAS: Final = 10_000
"""Schemas visited for one tool; long lists and references count in proportion."""

MAX_DEFECTS: Final = 100
"""Defects collected for one tool; the others of a very bad schema are not reported."""

Problem: TypeAlias = Literal[
    "no_name", "no_object", "no_list", "no_type", "foreign_ref", "dangling_ref", "too_deep", "too_large"
]

ValueScan: TypeAlias = tuple[int, int, str]
"""Where a probe is in a value text: a mode of `json_scan` or a place before it, its `nest`, and what that place needs."""

_Types: TypeAlias = frozenset[str]


@frozen
class Kinds:
    """The JSON types that a property may have: a non-empty set of names out of `KINDS`."""

    types: frozenset[str]


STRING: Final = Kinds(frozenset({"string"}))
"""Text that claims nothing: the kinds of a property of which no schema says anything."""


@frozen
class ToolSchema:
    """The kinds of a tool's properties."""

    name: str
    properties: Mapping[str, Kinds] = field(hash=False)
    """Each declared property; read only, in the order of the schema."""

    additional: Kinds = STRING
    """What `additionalProperties` says of the others."""

    parameters: object = field(default=None, eq=False, repr=False)
    """The whole schema of the parameters, as it was given; `shapes` looks into it."""

    fingerprint: str = field(default="", eq=False)
    """SHA-256 of `parameters`, in hexadecimal; "" if they cannot be written as JSON."""

    def kinds(self, key: str) -> Kinds:
        """The kinds of property `key`, declared or not."""
        return self.properties.get(key, self.additional)


@frozen
class SchemaDefect:
    """Something in a tool that cannot be read as a schema."""

    tool: str
    """The tool's name, or "" if it has none."""

    path: str
    """Where, as a JSON pointer into the tool."""

    problem: Problem

    found: str = ""
    """What stands there."""

    nearest: str = ""
    """The existing name that is most like the missing one, if any is."""

    def describe(self) -> str:
        """One line for whoever wrote the schema."""
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else ""
        what = _DESCRIPTIONS[self.problem].format(found=self.found)
        return f"tool {self.tool!r}: {what} at {self.path or '/'}{hint}"


_DESCRIPTIONS: Final[Mapping[Problem, str]] = {
    "no_name": "a tool needs a name, a string that is not empty; found {found}",
    "no_object": "an object must stand here, found {found}",
    "no_list": "a list must stand here, found {found}",
    "no_type": "a type is a name or a list of names, found {found}",
    "foreign_ref": "$ref must point into the same parameters, as in '#/$defs/Item'; found {found}",
    "dangling_ref": "$ref points to nothing: {found}",
    "too_deep": f"schemas are nested more than {MAX_LEVELS} levels",
    "too_large": f"more than {MAX_SCHEMAS} schemas decide the types",
}


# Resolving


def resolve_tool(tool: Mapping[str, object]) -> Result[ToolSchema, tuple[SchemaDefect, ...]]:
    """The schema of an OpenAI tool: `{"type": "function", "function": {...}}`, or the function object itself.

    A function object has a `name` and may have `parameters`, a JSON Schema of an object. All defects are collected.

    >>> found = resolve_tool({"name": "f", "parameters": {"properties": {"n": {"type": ["integer", "null"]}}}})
    >>> sorted(found.unwrap().kinds("n").types)
    ['integer', 'null']
    """
    if as_mapping(tool) is None:
        return Failure((SchemaDefect("", "", "no_object", _shown(tool)),))
    place = ("function",) if "function" in tool else ()
    function = as_mapping(tool["function"]) if place else tool
    if function is None:
        return Failure((SchemaDefect("", "/function", "no_object", _shown(tool["function"])),))
    name, parameters = function.get("name"), function.get("parameters")
    walk = Walk(name if isinstance(name, str) else "", (*place, "parameters"), {} if parameters is None else parameters)
    if not walk.tool:
        walk.defect((*place, "name"), "no_name", _shown(name))
    walk.object_schema(walk.root, walk.base, 0)
    if walk.defects:
        return Failure(tuple(walk.defects))
    declared = {key: Kinds(types or STRING.types) for key, types in walk.properties.items()}
    others = Kinds(walk.additional or STRING.types)
    return Success(ToolSchema(walk.tool, MappingProxyType(declared), others, walk.root, _fingerprint(walk.root)))


def _fingerprint(parameters: object) -> str:
    try:
        written = json.dumps(parameters, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""
    return sha256(written.encode()).hexdigest()


_Path: TypeAlias = tuple[str, ...]

_NONE: Final[_Types] = frozenset()
_SHARE: Final = 64  # values of a list, or code points of a reference, that cost as much as a schema
_SHOWN: Final = 80  # code points of a text that a defect shows
_COMBINED: Final = frozenset(("enum", "const", "allOf", "anyOf", "oneOf", "$ref", "nullable"))
_INDEXES: Final = {str(index): index for index in range(1000)}


@define
class Walk:
    """One walk over a tool's parameters: what it found, and what keeps it finite."""

    tool: str
    base: _Path
    root: object
    properties: dict[str, _Types] = field(factory=dict)
    additional: _Types = _NONE
    defects: dict[SchemaDefect, None] = field(factory=dict)
    spent: int = 0
    """Schemas visited, and long lists and references in proportion."""
    entered: set[str] = field(factory=set)
    """References whose target's properties were collected."""
    active: set[str] = field(factory=set)
    """References that are being resolved."""
    looped: set[str] = field(factory=set)
    """Those of `active` that were met again: what is found below them is not yet whole."""
    resolved: dict[str, _Types] = field(factory=dict)

    def defect(self, path: _Path, problem: Problem, found: str = "", nearest: str = "") -> None:
        """Collect what is wrong at `path`."""
        if len(self.defects) < MAX_DEFECTS:
            pointer = "".join(f"/{_escaped(step)}" for step in path)
            self.defects[SchemaDefect(self.tool, pointer, problem, found, nearest)] = None

    def enter(self, schema: object, path: _Path, level: int) -> Mapping[str, object] | None:
        """The members of a schema, or None if it has none, is no schema, or is one too many."""
        self.spent += 1
        found = as_mapping(schema)
        if found is None and not isinstance(schema, bool):
            self.defect(path, "no_object", _shown(schema))
        elif level > MAX_LEVELS:
            self.defect(path, "too_deep")
        elif self.spent > MAX_SCHEMAS:
            self.defect(self.base, "too_large")
        else:
            return found
        return None

    def object_schema(self, schema: object, path: _Path, level: int) -> None:
        """Collect the properties that a schema of the parameters declares, itself or through other schemas."""
        members = self.enter(schema, path, level)
        if members is None:
            return
        self.declared(members, path, level)
        for part, where in self.parts(members, path, ("allOf", "anyOf", "oneOf")):
            self.object_schema(part, where, level + 1)
        target = self.target(members, path)
        if target is not None and target[0] not in self.entered:
            self.entered.add(target[0])
            self.object_schema(target[1], target[2], level + 1)

    def declared(self, members: Mapping[str, object], path: _Path, level: int) -> None:
        """Collect what `properties` and `additionalProperties` say."""
        declared = as_mapping(members.get("properties", {}))
        if declared is None:
            self.defect((*path, "properties"), "no_object", _shown(members["properties"]))
            return
        for key, schema in declared.items():
            types = self.types(schema, (*path, "properties", key), level + 1)
            self.properties[key] = self.properties.get(key, _NONE) | types
            if self.spent > MAX_SCHEMAS:
                return
        others = members.get("additionalProperties", True)
        self.additional |= self.types(others, (*path, "additionalProperties"), level + 1)

    def types(self, schema: object, path: _Path, level: int) -> _Types:
        """The types found in one schema; empty if it says nothing about them."""
        members = self.enter(schema, path, level)
        if members is None:
            return _NONE
        found = self.named(members, path)
        if _COMBINED.isdisjoint(members):
            return found
        if "enum" in members or "const" in members:
            found |= self.listed(members, path)
        if "allOf" in members:
            found |= self.common(members, path, level)
        for part, where in self.parts(members, path, ("anyOf", "oneOf")):
            found |= self.types(part, where, level + 1)
        if "$ref" in members:
            found |= self.referred(members, path, level)
        if members.get("nullable") is True:
            return (found or STRING.types) | {"null"}
        return found

    def named(self, members: Mapping[str, object], path: _Path) -> _Types:
        """What `type` names, or what other keywords imply without it."""
        if "type" not in members:
            return frozenset(kind for keyword, kind in IMPLIED.items() if keyword in members)
        named = members["type"]
        names = self.list_at(members, path, "type") if isinstance(named, list | tuple) else (named,)
        kinds = [kind_of_name(name) for name in names if isinstance(name, str)]
        if len(kinds) < len(names):
            self.defect((*path, "type"), "no_type", _shown(named))
        return frozenset(kinds)

    def listed(self, members: Mapping[str, object], path: _Path) -> _Types:
        """The types of the values of `enum` and `const`."""
        one_of_each = {type(value): value for value in self.list_at(members, path, "enum")}
        found = {kind_of_value(value) for value in one_of_each.values()}
        if "const" in members:
            found.add(kind_of_value(members["const"]))
        return frozenset(found)

    def common(self, members: Mapping[str, object], path: _Path, level: int) -> _Types:
        """What the members of `allOf` have in common."""
        parts = [self.types(part, where, level + 1) for part, where in self.parts(members, path, ("allOf",))]
        said = [types for types in parts if types]
        if not said:
            return _NONE
        shared = frozenset.intersection(*[_with_integers(types) for types in said])
        if "number" in shared:
            shared -= {"integer"}
        return shared or _NONE.union(*said)

    def referred(self, members: Mapping[str, object], path: _Path, level: int) -> _Types:
        """The types of the target of `$ref`. A loop adds nothing; what was found within one is not remembered."""
        named = members["$ref"]
        if isinstance(named, str) and named in self.resolved:
            self.spent += len(named) // _SHARE
            return self.resolved[named]
        target = self.target(members, path)
        if target is None:
            return _NONE
        ref, schema, where = target
        if ref in self.active:
            self.looped.add(ref)
            return _NONE
        self.active.add(ref)
        found = self.types(schema, where, level + 1)
        self.active.remove(ref)
        self.looped.discard(ref)
        if not self.looped:
            self.resolved[ref] = found
        return found

    def target(self, members: Mapping[str, object], path: _Path) -> tuple[str, object, _Path] | None:
        """`$ref`, the schema that it points to, and that schema's own path; None without one."""
        ref = members.get("$ref")
        if ref is None:
            return None
        if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
            self.defect((*path, "$ref"), "foreign_ref", _shown(ref))
            return None
        self.spent += len(ref) // _SHARE
        steps = [step.replace("~1", "/").replace("~0", "~") for step in unquote(ref).split("/")[1:]]
        found = self.root
        for step in steps:
            inner = _inner(found, step)
            if inner is None:
                self.spent += _SHARE  # looking for the nearest name is dear
                self.defect((*path, "$ref"), "dangling_ref", _shown(ref), _nearest(found, step))
                return None
            (found,) = inner
        return ref, found, (*self.base, *steps)

    def parts(
        self, members: Mapping[str, object], path: _Path, keywords: tuple[str, ...]
    ) -> Iterator[tuple[object, _Path]]:
        """The schemas in the lists of `keywords`, each with its path."""
        for keyword in keywords:
            if keyword not in members:
                continue
            for index, part in enumerate(self.list_at(members, path, keyword)):
                yield part, (*path, keyword, str(index))
                if self.spent > MAX_SCHEMAS:
                    return

    def list_at(self, members: Mapping[str, object], path: _Path, keyword: str) -> list[object] | tuple[object, ...]:
        """The list of `keyword`, empty if there is none."""
        found = members.get(keyword, ())
        if isinstance(found, list | tuple):
            self.spent += len(found) // _SHARE
            return found
        self.defect((*path, keyword), "no_list", _shown(found))
        return ()


def _shown(value: object) -> str:
    """A value as it is named in a defect: what it is, and the beginning of a text."""
    if isinstance(value, str):
        return repr(value[:_SHOWN])
    return "nothing" if value is None else f"a value of type {kind_of_value(value)}"


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def as_mapping(value: object) -> Mapping[str, object] | None:
    """`value` if it is an object of JSON."""
    return cast("Mapping[str, object]", value) if isinstance(value, (dict, Mapping)) else None


def _inner(value: object, step: str) -> tuple[object] | None:
    """What a step of a JSON pointer leads to, in a tuple, or None if to nothing."""
    if isinstance(value, list | tuple):
        index = _INDEXES.get(step, len(value))
        return (value[index],) if index < len(value) else None
    members = as_mapping(value)
    return None if members is None or step not in members else (members[step],)


def _nearest(value: object, step: str) -> str:
    """The key of `value` that is most like `step`, or ""; long keys and those behind the first few are not looked at."""
    keys = islice(as_mapping(value) or (), _SHARE)
    near = get_close_matches(step[:_SHOWN], [key for key in keys if len(key) <= _SHOWN], 1)
    return "".join(near)


def _with_integers(types: _Types) -> _Types:
    return types | {"integer"} if "number" in types else types


# Typing

_WHITESPACE: Final = "\n\r\t "
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_KIND_OF_FIRST: Final = {"n": "null", "t": "boolean", "f": "boolean", "{": "object", "[": "array", '"': ""}
_FLOAT_LIMIT: Final = str((1 << 1024) - (1 << 970))  # the least number that rounds to infinity; 309 digits
_LONG_EXPONENT: Final = 18  # digits; more than any text is long


def streams(kinds: Kinds) -> bool:
    """Whether a value can only be a string, so that its text streams at once."""
    return kinds == STRING


def type_value(raw: str, kinds: Kinds) -> str:
    """The JSON text of the value that `raw` stands for.

    >>> type_value(" 5 ", Kinds(frozenset({"integer", "string"}))), type_value(" x ", Kinds(frozenset({"integer"})))
    ('5', '" x "')
    """
    if streams(kinds):
        return quote(raw)
    json = _json(raw.strip(_WHITESPACE))
    if json is None or ("string" in kinds.types and not _fits(json, kinds.types)):
        return quote(raw)
    return json


def as_json(raw: str, types: frozenset[str]) -> str | None:
    """The JSON text that `raw` is, if that is of one of `types`.

    >>> as_json(" [1] ", frozenset({"array"})), as_json("[1]", frozenset({"object", "string"}))
    ('[1]', None)
    """
    json = _json(raw.strip(_WHITESPACE))
    return json if json is not None and _fits(json, types) else None


def _json(text: str) -> str | None:
    """The JSON that `text`, without whitespace around, is accepted as."""
    word = _WORDS.get(text)
    if word is not None:
        return word
    pos, mode, nest = scan(text, 0, len(text), VALUE, EMPTY)
    if pos < len(text) or not complete(mode, nest):
        return None
    return text if text[0] in _KIND_OF_FIRST or _is_finite(text) else None


def _fits(json: str, types: _Types) -> bool:
    kind = _KIND_OF_FIRST.get(json[0])
    if kind is not None:
        return kind in types
    return "number" in types or ("integer" in types and _is_whole(json))


def _is_finite(number: str) -> bool:
    """Whether a 64-bit float can hold the number's size. Integers written as such are never made floats."""
    whole, fraction, exponent, integer = _number(number)
    digits = (whole + fraction).lstrip("0")
    if integer or not digits:
        return True
    point = len(digits) - len(fraction) + exponent  # the number is 0.DIGITS times ten to the power of `point`
    limit = len(_FLOAT_LIMIT)
    return point < limit or (point == limit and digits < _FLOAT_LIMIT)


def _is_whole(number: str) -> bool:
    """Whether nothing but zeros stands behind the decimal point once the exponent has moved it."""
    whole, fraction, exponent, _ = _number(number)
    digits = (whole + fraction).rstrip("0")
    return not digits or len(digits) <= len(whole) + exponent


def _number(number: str) -> tuple[str, str, int, bool]:
    """The digits before the point and behind it, the exponent, and whether it is written as an integer."""
    mantissa, mark, exponent = number.lower().partition("e")
    whole, point, fraction = mantissa.lstrip("-").partition(".")
    size = _exponent(exponent.lstrip("+-0"))
    return whole, fraction, -size if exponent[:1] == "-" else size, not (mark or point)


def _exponent(digits: str) -> int:
    """The value of an exponent's digits, or 10**18 if they are more than 18: no text has as many digits to make up for it."""
    if len(digits) > _LONG_EXPONENT:
        return 10**_LONG_EXPONENT
    value = 0
    for digit in digits:
        value = 10 * value + ord(digit) - ord("0")
    return value


# Probing

_BEFORE: Final = -1  # only whitespace was read; the text: the code points that may begin other JSON than a string
_WORD: Final = -2  # within True, False, None; the text: what was read of it
_FIRSTS: Final[Mapping[str, str]] = {
    "null": "nN",
    "boolean": "tfTF",
    "integer": "-0123456789",
    "number": "-0123456789",
    "object": "{",
    "array": "[",
    "string": "",
}
_ANY_FIRST: Final = "nNtfTF-0123456789{[" + '"'
_STRING_FOUND: Final[ValueScan] = (BAD, EMPTY, "")


def start_scan(kinds: Kinds | None = None) -> ValueScan:
    """The probe of a value text that begins. With `kinds` it may decide earlier: at the first code point.

    >>> advance(start_scan(Kinds(frozenset({"null", "string"}))), "{")[1], advance(start_scan(), "{")[1]
    (False, True)
    """
    if kinds is None or "string" not in kinds.types:
        return _BEFORE, EMPTY, _ANY_FIRST
    return _BEFORE, EMPTY, "".join([_FIRSTS[kind] for kind in KINDS if kind in kinds.types])


def advance(probe: ValueScan, text: str) -> tuple[ValueScan, bool]:
    """Follow `text`, the next piece of a value text, and return `(probe, undecided)`.

    While `undecided`, the value may still be JSON. Once it is not, the value is its raw text as a string, for good.

    >>> probe, undecided = advance(start_scan(), "[1, 2")
    >>> undecided, advance(probe, "] and more")[1]
    (True, False)
    """
    mode, nest, note = probe
    pos = 0
    if mode == BAD:
        return probe, False
    if mode == _BEFORE:
        pos = len(text) - len(text.lstrip(_WHITESPACE))
        if pos == len(text):
            return probe, True
        if text[pos] not in note:
            return _STRING_FOUND, False
        mode, note = (_WORD if text[pos] in "TFN" else VALUE), ""
    if mode == _WORD:
        pos, mode, note = _advance_word(note, text, pos)
    if mode >= 0:
        pos, mode, nest = scan(text, pos, len(text), mode, nest)
        if pos < len(text) and (mode != DONE or text[pos:].strip(_WHITESPACE)):
            return _STRING_FOUND, False
    return (mode, nest, note), True


def _advance_word(read: str, text: str, pos: int) -> tuple[int, int, str]:
    """Follow a word of which `read` was read: `(position, mode, read)`, where the mode is `DONE` behind a whole one."""
    seen = read + text[pos : pos + len("False")]
    for word in _WORDS:
        if seen.startswith(word):
            return pos + len(word) - len(read), DONE, ""
        if word.startswith(seen):
            return len(text), _WORD, seen
    return pos, BAD, ""
