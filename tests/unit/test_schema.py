"""The kinds that schemas give, the typing of value texts by them, and the probe that answers early."""

import json
import math
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import chain
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from returns.pipeline import is_successful

from unbraid.core import schema as sc
from unbraid.core.json_text import quote
from unbraid.core.type_names import KINDS

Schema = dict[str, object] | bool

DEFS: Final[dict[str, object]] = {
    **{kind: {"type": kind} for kind in KINDS},
    "a/b": {"type": "integer"},
    "a~b": {"type": "number"},
    "a b": {"type": "boolean"},
    "again": {"$ref": "#/$defs/again"},
    "ping": {"anyOf": [{"$ref": "#/$defs/pong"}, {"type": "integer"}]},
    "pong": {"anyOf": [{"$ref": "#/$defs/ping"}, {"type": "array"}]},
    "tree": {"oneOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]},
    "list": [{"type": "integer"}, {"type": "boolean"}],
}


def tool(properties: Mapping[str, object], **others: object) -> dict[str, object]:
    parameters = {"type": "object", "properties": properties, "$defs": DEFS, "definitions": DEFS, **others}
    return {"type": "function", "function": {"name": "f", "parameters": parameters}}


def kinds_of(schema: Schema) -> sc.Kinds:
    return sc.resolve_tool(tool({"p": schema, "other": {"type": "boolean"}})).unwrap().kinds("p")


def defects_of(broken: Mapping[str, object]) -> list[tuple[str, str, str]]:
    result = sc.resolve_tool(broken)
    assert not is_successful(result)
    return [(defect.path, defect.problem, defect.nearest) for defect in result.failure()]


# The typing table. Each line: a type, a value text, and its JSON text if the schema allows
#   only the type  |  the type or null  |  the type or a string  |  says nothing

EXAMPLES: Final[dict[str, object]] = {
    "null": None,
    "boolean": False,
    "integer": 7,
    "number": 0.5,
    "string": "seven",
    "array": [7],
    "object": {"seven": 7},
}

TYPING: Final = [
    ("null", "null", "null", "null", "null", '"null"'),
    ("null", "None", "null", "null", "null", '"None"'),
    ("null", '"null"', '"null"', '"null"', r'"\"null\""', r'"\"null\""'),
    ("null", "nothing", '"nothing"', '"nothing"', '"nothing"', '"nothing"'),
    ("null", "NULL", '"NULL"', '"NULL"', '"NULL"', '"NULL"'),
    ("null", "", '""', '""', '""', '""'),
    ("boolean", "true", "true", "true", "true", '"true"'),
    ("boolean", "False", "false", "false", "false", '"False"'),
    ("boolean", '"true"', '"true"', '"true"', r'"\"true\""', r'"\"true\""'),
    ("boolean", "yes", '"yes"', '"yes"', '"yes"', '"yes"'),
    ("boolean", "TRUE", '"TRUE"', '"TRUE"', '"TRUE"', '"TRUE"'),
    ("boolean", "1", "1", "1", '"1"', '"1"'),
    ("boolean", "null", "null", "null", '"null"', '"null"'),
    ("integer", "5", "5", "5", "5", '"5"'),
    ("integer", " \n5\t", "5", "5", "5", r'" \n5\t"'),
    ("integer", "3.0", "3.0", "3.0", "3.0", '"3.0"'),
    ("integer", "1e3", "1e3", "1e3", "1e3", '"1e3"'),
    ("integer", '"5"', '"5"', '"5"', r'"\"5\""', r'"\"5\""'),
    ("integer", "five", '"five"', '"five"', '"five"', '"five"'),
    ("integer", "3.5", "3.5", "3.5", '"3.5"', '"3.5"'),
    ("integer", "2026-01-15", '"2026-01-15"', '"2026-01-15"', '"2026-01-15"', '"2026-01-15"'),
    ("integer", "1_000", '"1_000"', '"1_000"', '"1_000"', '"1_000"'),
    ("integer", "\u0663", '"\u0663"', '"\u0663"', '"\u0663"', '"\u0663"'),
    ("integer", "02134", '"02134"', '"02134"', '"02134"', '"02134"'),
    ("integer", "\u00a05", '"\u00a05"', '"\u00a05"', '"\u00a05"', '"\u00a05"'),
    ("number", "2.5", "2.5", "2.5", "2.5", '"2.5"'),
    ("number", "-1E-7", "-1E-7", "-1E-7", "-1E-7", '"-1E-7"'),
    ("number", "5", "5", "5", "5", '"5"'),
    ("number", '"2.5"', '"2.5"', '"2.5"', r'"\"2.5\""', r'"\"2.5\""'),
    ("number", "2,5", '"2,5"', '"2,5"', '"2,5"', '"2,5"'),
    ("number", "inf", '"inf"', '"inf"', '"inf"', '"inf"'),
    ("number", "NaN", '"NaN"', '"NaN"', '"NaN"', '"NaN"'),
    ("number", "1e999", '"1e999"', '"1e999"', '"1e999"', '"1e999"'),
    ("number", "True", "true", "true", '"True"', '"True"'),
    ("string", "five", '"five"', '"five"', '"five"', '"five"'),
    ("string", '"five"', r'"\"five\""', r'"\"five\""', r'"\"five\""', r'"\"five\""'),
    ("string", "5", '"5"', '"5"', '"5"', '"5"'),
    ("string", "1e5", '"1e5"', '"1e5"', '"1e5"', '"1e5"'),
    ("string", "true", '"true"', '"true"', '"true"', '"true"'),
    ("string", "null", '"null"', "null", '"null"', '"null"'),
    ("string", " a\n", r'" a\n"', r'" a\n"', r'" a\n"', r'" a\n"'),
    ("string", '{"v": 1}', r'"{\"v\": 1}"', r'"{\"v\": 1}"', r'"{\"v\": 1}"', r'"{\"v\": 1}"'),
    ("array", "[1, 2.50]", "[1, 2.50]", "[1, 2.50]", "[1, 2.50]", '"[1, 2.50]"'),
    ("array", ' ["a"]\n', '["a"]', '["a"]', '["a"]', r'" [\"a\"]\n"'),
    ("array", '"[1]"', '"[1]"', '"[1]"', r'"\"[1]\""', r'"\"[1]\""'),
    ("array", "1, 2", '"1, 2"', '"1, 2"', '"1, 2"', '"1, 2"'),
    ("array", "[1, 2", '"[1, 2"', '"[1, 2"', '"[1, 2"', '"[1, 2"'),
    ("array", "[True]", '"[True]"', '"[True]"', '"[True]"', '"[True]"'),
    ("array", "{}", "{}", "{}", '"{}"', '"{}"'),
    ("object", '{"id": 1}', '{"id": 1}', '{"id": 1}', '{"id": 1}', r'"{\"id\": 1}"'),
    ("object", '"{}"', '"{}"', '"{}"', r'"\"{}\""', r'"\"{}\""'),
    ("object", "{'a': 1}", '''"{'a': 1}"''', '''"{'a': 1}"''', '''"{'a': 1}"''', '''"{'a': 1}"'''),
    ("object", "{} {}", '"{} {}"', '"{} {}"', '"{} {}"', '"{} {}"'),
    ("object", "[1]", "[1]", "[1]", '"[1]"', '"[1]"'),
    ("object", '{"a": "b\nc"}', r'"{\"a\": \"b\nc\"}"', r'"{\"a\": \"b\nc\"}"', r'"{\"a\": \"b\nc\"}"', r'"{\"a\": \"b\nc\"}"'),
]  # fmt: skip

FORMS: Final[Mapping[str, tuple[Callable[[str], Schema], ...]]] = {
    "only": (
        lambda kind: {"type": kind},
        lambda kind: {"type": [kind]},
        lambda kind: {"anyOf": [{"type": kind}]},
        lambda kind: {"oneOf": [{"type": kind}, {"description": "any"}]},
        lambda kind: {"allOf": [{"type": kind}, {"description": "any"}]},
        lambda kind: {"allOf": [{"type": kind}, {"type": [kind, "array" if kind == "object" else "object"]}]},
        lambda kind: {"$ref": f"#/$defs/{kind}"},
        lambda kind: {"allOf": [{"$ref": f"#/definitions/{kind}"}], "default": None},
        lambda kind: {"enum": [EXAMPLES[kind]]},
        lambda kind: {"const": EXAMPLES[kind]},
    ),
    "or null": (
        lambda kind: {"type": kind, "nullable": True},
        lambda kind: {"$ref": f"#/$defs/{kind}", "nullable": True},
        lambda kind: {"type": [kind, "null"]},
        lambda kind: {"anyOf": [{"type": kind}, {"type": "null"}]},
        lambda kind: {"oneOf": [{"const": None}, {"$ref": f"#/$defs/{kind}"}]},
        lambda kind: {"enum": [EXAMPLES[kind], None]},
        lambda kind: {"type": kind, "enum": [EXAMPLES[kind], None]},
    ),
    "or string": (
        lambda kind: {"type": [kind, "string"]},
        lambda kind: {"type": ["string", kind]},
        lambda kind: {"anyOf": [{"type": "string"}, {"anyOf": [{"$ref": f"#/$defs/{kind}"}]}]},
        lambda kind: {"enum": [EXAMPLES[kind], "x"]},
        lambda kind: {"type": [kind], "const": "x"},
    ),
    "nothing": (
        lambda _: {},
        lambda _: True,
        lambda _: False,
        lambda _: {"description": "any"},
        lambda _: {"type": "mystery"},
        lambda _: {"anyOf": [{}, True]},
        lambda _: {"allOf": []},
        lambda _: {"$ref": "#/$defs/again"},
    ),
}


@pytest.mark.parametrize("column", FORMS)
@pytest.mark.parametrize("row", TYPING, ids=lambda row: f"{row[0]} {row[1]}")
def test_typing(row: tuple[str, ...], column: str) -> None:
    kind, raw, *texts = row
    expected = texts[list(FORMS).index(column)]
    for form in FORMS[column]:
        assert sc.type_value(raw, kinds_of(form(kind))) == expected


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "integer", "enum": ["a", None, 1.5, [1], (1,), {}, True, 2]}, "array boolean integer null number object string"),
        ({"type": ["string", "null"], "anyOf": [{"type": "integer"}]}, "integer null string"),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "integer"]}]}, "string"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "integer string"),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "integer"),
        ({"allOf": [{"type": "number"}, {"type": ["number", "null"]}]}, "number"),
        ({"allOf": [{}, {"anyOf": [{"type": "array"}, {"type": "null"}]}]}, "array null"),
        ({"properties": {"a": {}}}, "object"),
        ({"additionalProperties": {"type": "integer"}}, "object"),
        ({"items": {"type": "integer"}}, "array"),
        ({"prefixItems": []}, "array"),
        ({"type": "string", "items": {}}, "string"),
        ({"nullable": True}, "null string"),
        ({"nullable": "true"}, "string"),
        ({"nullable": False, "type": "integer"}, "integer"),
        ({"type": []}, "string"),
        ({"type": ["mystery", "null"]}, "null string"),
        ({"$ref": "#/$defs/a~1b"}, "integer"),
        ({"$ref": "#/$defs/a~0b"}, "number"),
        ({"$ref": "#/$defs/a%20b"}, "boolean"),
        ({"$ref": "#/$defs/list/1"}, "boolean"),
        ({"$ref": "#/properties/other"}, "boolean"),
        ({"$ref": "#/properties/p"}, "string"),
        ({"$ref": "#"}, "object"),
        ({"$ref": "#/$defs/ping"}, "array integer"),
        ({"$ref": "#/$defs/pong"}, "array integer"),
        ({"$ref": "#/$defs/tree"}, "array null"),
        ({"anyOf": [{"$ref": "#/$defs/again"}, {"type": "integer"}]}, "integer"),
        ({"$ref": "#/$defs/integer", "type": "null"}, "integer null"),
    ],
)  # fmt: skip
def test_kinds(schema: Schema, types: str) -> None:
    assert sorted(kinds_of(schema).types) == types.split()


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("string str text varchar char enum Str mystery any", "string"),
        ("integer int int32 int64 Integer uint uint8 long short unsigned", "integer"),
        ("number float float64 double", "number"),
        ("boolean bool", "boolean"),
        ("object dict", "object"),
        ("array arr list sequence", "array"),
        ("null", "null"),
    ],
)
def test_type_names(names: str, kind: str) -> None:
    for name in names.split():
        assert kinds_of({"type": name}) == sc.Kinds(frozenset({kind}))


def test_what_is_found_in_loops_does_not_depend_on_the_order() -> None:
    def ref(name: str) -> Schema:
        return {"$ref": f"#/$defs/{name}"}

    for names in (("ping", "pong"), ("pong", "ping"), ("ping", "again", "ping")):
        found = sc.resolve_tool(tool({f"{at}": ref(name) for at, name in enumerate(names)})).unwrap()
        assert {frozenset(kinds.types) for kinds in found.properties.values()} <= {
            frozenset({"integer", "array"}),
            frozenset({"string"}),
        }
        assert found.kinds("0").types == {"integer", "array"}


def test_both_shapes_of_a_tool() -> None:
    function = {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}
    bare = sc.resolve_tool(function).unwrap()
    assert bare == sc.resolve_tool({"type": "function", "function": function}).unwrap()
    assert bare == sc.resolve_tool({"type": "function", **function}).unwrap()
    assert hash(bare) == hash(sc.resolve_tool(function).unwrap())
    assert (bare.name, dict(bare.properties)) == ("f", {"n": sc.Kinds(frozenset({"integer"}))})


@pytest.mark.parametrize("parameters", [{}, None, {"type": "object"}, {"properties": {}}, True])
def test_no_parameters(parameters: object) -> None:
    found = sc.resolve_tool({"name": "f", "parameters": parameters}).unwrap()
    assert dict(found.properties) == {}
    assert found.kinds("p") == sc.STRING
    assert sc.resolve_tool({"name": "f"}).unwrap() == found


def test_properties_cannot_be_changed() -> None:
    found = sc.resolve_tool(tool({"p": {}})).unwrap()
    with pytest.raises(TypeError):
        found.properties["q"] = sc.STRING  # type: ignore[index]  # the type forbids it too


@pytest.mark.parametrize(("others", "types"), [(True, "string"), (False, "string"), ({"type": "integer"}, "integer"), ({}, "string")])  # fmt: skip
def test_properties_that_are_not_declared(others: object, types: str) -> None:
    found = sc.resolve_tool(tool({"p": {"type": "boolean"}}, additionalProperties=others)).unwrap()
    assert found.kinds("unheard of").types == {types}
    assert found.kinds("p").types == {"boolean"}


def test_properties_behind_references_and_unions() -> None:
    parameters = {
        "$ref": "#/$defs/Args",
        "properties": {"d": {"type": "boolean"}},
        "allOf": [{"properties": {"a": {"type": "null"}, "c": {"type": "array"}}}],
        "$defs": {
            "Args": {"properties": {"a": {"type": "integer"}}, "anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/Args"}]}
        },
    }
    found = sc.resolve_tool({"name": "f", "parameters": parameters}).unwrap()
    expected = {"a": {"integer", "null"}, "c": {"array"}, "d": {"boolean"}}
    assert {key: set(kinds.types) for key, kinds in found.properties.items()} == expected


IN: Final = "/function/parameters"

DEFECTS: Final[list[tuple[dict[str, object], list[tuple[str, str, str]]]]] = [
    ({}, [("/name", "no_name", "")]),
    ({"name": ""}, [("/name", "no_name", "")]),
    ({"name": 5, "parameters": {}}, [("/name", "no_name", "")]),
    ({"function": None}, [("/function", "no_object", "")]),
    ({"function": {"parameters": []}}, [("/function/name", "no_name", ""), (IN, "no_object", "")]),
    ({"name": "f", "parameters": "{}"}, [("/parameters", "no_object", "")]),
    ({"name": "f", "parameters": {"properties": ["a"]}}, [("/parameters/properties", "no_object", "")]),
    (tool({"p": "string"}), [(f"{IN}/properties/p", "no_object", "")]),
    (tool({"p": {"anyOf": {}}}), [(f"{IN}/properties/p/anyOf", "no_list", "")]),
    (tool({"p": {"enum": "ab"}}), [(f"{IN}/properties/p/enum", "no_list", "")]),
    (tool({"p": {"type": 5}}), [(f"{IN}/properties/p/type", "no_type", "")]),
    (tool({"p": {"type": ["string", None]}}), [(f"{IN}/properties/p/type", "no_type", "")]),
    (tool({"p": {"oneOf": [{}, 5]}}), [(f"{IN}/properties/p/oneOf/1", "no_object", "")]),
    (tool({"p": {"$ref": "https://example.org/x"}}), [(f"{IN}/properties/p/$ref", "foreign_ref", "")]),
    (tool({"p": {"$ref": "#anchor"}}), [(f"{IN}/properties/p/$ref", "foreign_ref", "")]),
    (tool({"p": {"$ref": ["#"]}}), [(f"{IN}/properties/p/$ref", "foreign_ref", "")]),
    (tool({"p": {"$ref": "#/$defs/boolaen"}}), [(f"{IN}/properties/p/$ref", "dangling_ref", "boolean")]),
    (tool({"p": {"$ref": "#/$def/integer"}}), [(f"{IN}/properties/p/$ref", "dangling_ref", "$defs")]),
    (tool({"p": {"$ref": "#/$defs/list/2"}}), [(f"{IN}/properties/p/$ref", "dangling_ref", "")]),
    (tool({"p": {"$ref": "#/$defs/list/\u00b2"}}), [(f"{IN}/properties/p/$ref", "dangling_ref", "")]),
    (tool({"p": {"$ref": "#/type/x"}}), [(f"{IN}/properties/p/$ref", "dangling_ref", "")]),
    (
        tool({"a/b": {"$ref": "#/1"}, "c~d": {"items": 5, "$ref": "#/2"}}),
        [
            (f"{IN}/properties/a~1b/$ref", "dangling_ref", ""),
            (f"{IN}/properties/c~0d/$ref", "dangling_ref", ""),
        ],
    ),
    (
        {"name": "f", "parameters": {"properties": {"p": {"$ref": "#/x/y"}}, "x": {"y": {"type": {}}}}},
        [("/parameters/x/y/type", "no_type", "")],
    ),
]


@pytest.mark.parametrize(("broken", "expected"), DEFECTS)
def test_defects(broken: dict[str, object], expected: list[tuple[str, str, str]]) -> None:
    assert defects_of(broken) == expected


def test_a_defect_describes_itself() -> None:
    (defect,) = sc.resolve_tool(tool({"p": {"$ref": "#/$defs/boolaen"}})).failure()
    assert defect.describe() == (
        "tool 'f': $ref points to nothing: '#/$defs/boolaen' at /function/parameters/properties/p/$ref;"
        " did you mean 'boolean'?"
    )
    for broken, _ in DEFECTS:
        for each in sc.resolve_tool(broken).failure():
            assert each.path in each.describe()
            assert "{" not in each.describe().replace("'{}'", "")


def nested(levels: int) -> Schema:
    schema: Schema = {"type": "integer"}
    for _ in range(levels):
        schema = {"anyOf": [schema]}
    return schema


def test_levels_have_a_limit() -> None:
    assert kinds_of(nested(sc.MAX_LEVELS - 1)).types == {"integer"}
    assert [problem for _, problem, _ in defects_of(tool({"p": nested(sc.MAX_LEVELS)}))] == ["too_deep"]
    assert [problem for _, problem, _ in defects_of(tool({"p": nested(100_000)}))] == ["too_deep"]


def many(fan: int, levels: int, ending: Schema, others: Mapping[str, Schema] = {}) -> dict[str, object]:
    """Definitions of which each refers to the next `fan` times."""
    steps = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * fan} for at in range(levels)}
    defs = {"$defs": {**steps, f"d{levels}": ending, **others}}
    return {"name": "f", "parameters": {"properties": {"p": {"$ref": "#/$defs/d0"}}, **defs}}


def test_each_target_is_resolved_once() -> None:
    assert sc.resolve_tool(many(8, 25, {"type": "integer"})).unwrap().kinds("p").types == {"integer"}


def big_loop(ending: dict[str, object], others: Mapping[str, Schema] = {}) -> dict[str, object]:
    return many(20, 12, {"anyOf": [{"$ref": "#/$defs/d0"}], **ending}, others)


HOSTILE: Final[dict[str, dict[str, object]]] = {
    "loops that multiply": big_loop({}),
    "loops with long lists": big_loop({"enum": list(range(100_000))}),
    "loops with long types": big_loop({"type": ["string"] * 100_000}),
    "loops with long references": big_loop({"oneOf": [{"$ref": "#/$defs/" + "%78" * 100_000}]}, {"x" * 100_000: {}}),
    "long names": tool({"p" * 1_000_000: {"anyOf": [{"$ref": "#/x"}] * 9_000}}),
    "many members": tool({"p": {"anyOf": [{}] * 200_000}}),
    "many properties": tool({str(at): {"$ref": "#/$defs/integr"} for at in range(200_000)}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_cost_little(name: str) -> None:
    begun = time.process_time()
    defects = sc.resolve_tool(HOSTILE[name]).failure()
    assert time.process_time() - begun < 6  # without the limits: minutes
    assert 1 <= len(defects) <= sc.MAX_DEFECTS
    assert all(defect.describe() for defect in defects)


JSON_VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
KEYWORDS: Final = st.sampled_from(
    "type enum const anyOf oneOf allOf $ref properties additionalProperties items nullable".split()
)
SCHEMAS: Final = st.recursive(
    JSON_VALUES | st.sampled_from(["integer", "#", "#/$defs/a", "#/$defs/a/anyOf/0", "#/properties/p"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | st.sampled_from("ap"), inner, max_size=3),
    max_leaves=12,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_any_schema_is_resolved_or_refused(root: object, p: object, a: object) -> None:
    parameters = {**(root if isinstance(root, dict) else {}), "properties": {"p": p}, "$defs": {"a": a}}
    result = sc.resolve_tool({"name": "f", "parameters": parameters})
    if is_successful(result):
        for kinds in (*result.unwrap().properties.values(), result.unwrap().additional):
            assert kinds.types
            assert kinds.types <= set(KINDS)
    else:
        assert all(defect.describe() for defect in result.failure())
    assert result == sc.resolve_tool({"name": "f", "parameters": parameters})


# Typing and probing, against oracles

ALL_KINDS: Final = st.frozensets(st.sampled_from(KINDS), min_size=1).map(sc.Kinds)
NUMBERS: Final = st.from_regex(r"-?(0|[1-9][0-9]{0,4})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,4})?", fullmatch=True)
RAW: Final = st.one_of(
    st.text('{}[]",:\\ \n\t\x01tfnTFNrueasloN0123-+.eE\u00e9\u00a0\ud83d', max_size=12),
    st.sampled_from(
        ["true", "False", "None", "null", "Tru", "1.50", "-0", "[1, [2]]", '{"a": "\\u00e9"}', '"x"', "1e400"]
    ),
    JSON_VALUES.map(json.dumps),
    NUMBERS,
)
RAWS: Final = st.builds(
    lambda before, raw, behind: before + raw + behind,
    st.text(" \n\r\t", max_size=2),
    RAW,
    st.text(" \n\r\t", max_size=2) | st.text(max_size=2),
)


def refuse(word: str) -> None:
    raise ValueError(word)


def finite(number: str) -> float:
    if math.isinf(float(number)):
        raise ValueError(number)
    return float(number)


def types_of(value: object) -> set[str]:
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"integer", "number"} if value.is_integer() else {"number"}
        case str():
            return set()
        case list():
            return {"array"}
        case _:
            return {"object"}


def expected_json(raw: str, kinds: sc.Kinds) -> str:
    """The rule of the module docstring, through `json.loads`."""
    trimmed = raw.strip(" \n\r\t")
    trimmed = {"True": "true", "False": "false", "None": "null"}.get(trimmed, trimmed)
    try:
        top = trimmed.lstrip("-")[:1].isdigit()
        value = json.loads(trimmed, parse_constant=refuse, parse_float=finite if top else None)
    except ValueError:
        return quote(raw)
    return quote(raw) if "string" in kinds.types and not types_of(value) & kinds.types else trimmed


@given(RAWS, ALL_KINDS)
def test_typing_is_what_the_rule_says(raw: str, kinds: sc.Kinds) -> None:
    typed = sc.type_value(raw, kinds)
    assert typed == expected_json(raw, kinds)
    if sc.streams(kinds):
        assert typed == quote(raw)
    json.loads(typed)


@given(NUMBERS)
@example("1.7976931348623157e308")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
@example("0.00017976931348623159e312")
@example("179769313486231580793e289")
@example("17976931348623157" + "0" * 292 + ".0")
@example("2" + "0" * 308 + ".0")
@example("0e99999999999999999999999")
@example("1e99999999999999999999999")
@example("-1.5e-99999999999999999999999")
@example("1e-0")
@example("0." + "0" * 400 + "1e700")
@example("1" + "0" * 400 + "e-400")
@example("1" + "0" * 400 + "e-401")
def test_numbers(number: str) -> None:
    integer = sc.Kinds(frozenset({"integer", "string"}))
    any_number = sc.Kinds(frozenset({"number", "string"}))
    written = number.isdecimal() or number[1:].isdecimal()
    fits = written or math.isfinite(float(number))
    assert sc.type_value(number, any_number) == (number if fits else quote(number))
    mantissa, _, exponent = number.lower().partition("e")
    tiny = len(exponent) > 6
    whole = Fraction(mantissa) == 0 if tiny else Fraction(number).denominator == 1
    assert sc.type_value(number, integer) == (number if fits and whole else quote(number))


def test_the_limit_of_floats_is_exact() -> None:
    number = sc.Kinds(frozenset({"number"}))
    limit = (1 << 1024) - (1 << 970)
    for value, fits in ((limit - 1, True), (limit, False), (limit + 1, False)):
        assert math.isfinite(float(f"{value}.0")) is fits
        for text in (f"{value}.0", f"-{value}e0", f"{value}000e-3"):
            assert sc.type_value(text, number) == (text if fits else quote(text))
        assert sc.type_value(str(value), number) == str(value)


@pytest.mark.parametrize("raw", ["9" * 100_000, "1." + "0" * 100_000, "1e" + "0" * 100_000, "[" * 9_999 + "]" * 9_999])
def test_long_values_stay_whole(raw: str) -> None:
    assert sc.type_value(raw, sc.Kinds(frozenset({"integer", "array", "string"}))) == raw


@pytest.mark.parametrize("raw", ["[" * 10_001 + "]" * 10_001, "[" * 100_000, "1e" + "9" * 100_000, "-" * 100_000])
def test_long_values_that_are_none(raw: str) -> None:
    assert sc.type_value(raw, sc.Kinds(frozenset({"integer", "array"}))) == quote(raw)


def probed(pieces: list[str], start: sc.ValueScan) -> tuple[sc.ValueScan, bool]:
    probe, undecided = start, True
    for piece in pieces:
        before = undecided
        probe, undecided = sc.advance(probe, piece)
        assert before or not undecided
        assert json.loads(json.dumps(probe)) == list(probe)
    return probe, undecided


@given(RAWS, ALL_KINDS, st.lists(st.integers(0, 20), max_size=3))
@example("True", sc.Kinds(frozenset({"boolean"})), [2])
@example("None \n", sc.Kinds(frozenset({"null"})), [4])
@example("False x", sc.Kinds(frozenset({"boolean"})), [5])
@example("1 ", sc.Kinds(frozenset({"integer"})), [1])
def test_the_law_of_probes(raw: str, kinds: sc.Kinds, cuts: list[int]) -> None:
    bounds = sorted(min(cut, len(raw)) for cut in cuts)
    pieces = [raw[start:stop] for start, stop in zip([0, *bounds], [*bounds, len(raw)], strict=True)]
    for start in (sc.start_scan(), sc.start_scan(kinds)):
        whole = probed([raw], start)
        assert probed(pieces, start) == whole
        assert probed([*chain.from_iterable((char, "") for char in raw)], start)[1] is (whole[1] or not raw)
        assert (sc.type_value(raw, kinds) if whole[1] else quote(raw)) == sc.type_value(raw, kinds)


@given(RAWS)
def test_a_probe_is_undecided_as_long_as_json_may_come(raw: str) -> None:
    _, undecided = sc.advance(sc.start_scan(), raw)
    typed = sc.type_value(raw, sc.Kinds(frozenset(set(KINDS) - {"string"})))
    assert undecided or typed == quote(raw)


@pytest.mark.parametrize(
    ("types", "raw", "undecided"),
    [
        ("null string", " \n", True),
        ("null string", " nul", True),
        ("null string", "None ", True),
        ("null string", "nob", False),
        ("null string", "{", False),
        ("null string", "5", False),
        ("null string", "T", False),
        ("null string", '"', False),
        ("integer string", "-1", True),
        ("integer string", "n", False),
        ("boolean string", "Fals", True),
        ("array string", "[", True),
        ("array string", "{", False),
        ("object string", '{"a": "b\n', False),
        ("integer", "{", True),
        ("integer", '"', True),
        ("integer", "five", False),
        ("object", "{} {", False),
        ("object", "{} \n", True),
        ("null", "", True),
    ],
)
def test_a_probe_decides_as_early_as_it_can(types: str, raw: str, *, undecided: bool) -> None:
    start = sc.start_scan(sc.Kinds(frozenset(types.split())))
    assert probed(list(raw), start)[1] is undecided
    assert probed([raw], start)[1] is undecided


def test_only_strings_stream_at_once() -> None:
    for kind in KINDS:
        assert sc.streams(kinds_of({"type": kind})) is (kind == "string")
        assert not sc.streams(kinds_of({"type": [kind, "null"]}))
