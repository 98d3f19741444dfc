"""What a schema says of nested values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from unbraid.core.bind import bind, with_tools
from unbraid.core.compose import complete
from unbraid.core.schema import Kinds, resolve_tool
from unbraid.core.shapes import Shape, shape_of
from unbraid.formats.minimax import MINIMAX_M3_TOOLS


def shape(parameters: Mapping[str, object], *path: str) -> Shape:
    """The shape at `path`; `[]` stands for an item."""
    found = shape_of(resolve_tool({"name": "f", "parameters": parameters}).unwrap())
    for name in path:
        found = found.item() if name == "[]" else found.member(name)
    return found


NODE = {"properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}
SCHEMA: Mapping[str, object] = {
    "$defs": {"node": NODE, "bad": {"$ref": "#/nowhere"}, "round": {"$ref": "#/$defs/round"}},
    "properties": {
        "node": {"$ref": "#/$defs/node"},
        "list": {"type": "array", "items": {"type": "array", "items": {"enum": [1, "a"]}}},
        "tuple": {"prefixItems": [{"type": "integer"}, {"type": "null"}]},
        "old": {"type": "array", "items": [{"type": "boolean"}]},
        "map": {"type": "object", "additionalProperties": {"type": "number"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "object"}]},
        "both": {
            "allOf": [{"properties": {"a": {"type": "null"}}}, {"properties": {"a": {"type": "string"}, "b": {}}}]
        },
        "said": {"description": "anything"},
        "names": {"type": ["null", "object", "array"]},
        "true": True,
    },
}


@pytest.mark.parametrize(
    ("path", "kinds", "holds"),
    [
        ((), "object", "object"),
        (("node",), "object", "object"),
        (("node", "next", "next", "v"), "integer", ""),
        (("list",), "array", "array"),
        (("list", "[]"), "array", "array"),
        (("list", "[]", "[]"), "integer string", ""),
        (("tuple",), "array", "array"),
        (("tuple", "[]"), "integer null", ""),
        (("old", "[]"), "boolean", ""),
        (("map", "x"), "number", ""),
        (("map", "x", "y"), "", ""),
        (("either",), "string array object", "array"),
        (("both", "a"), "null string", ""),
        (("both", "b"), "", ""),
        (("said",), "", ""),
        (("names",), "null object array", "object"),
        (("true",), "", ""),
        (("nothing", "[]", "x"), "", ""),
    ],
)
def test_paths(path: Sequence[str], kinds: str, holds: str) -> None:
    found = shape(SCHEMA, *path)
    assert found.kinds == (Kinds(frozenset(kinds.split(" "))) if kinds else None)
    assert found.holds == holds


def test_references_that_go_round_give_the_same_shapes() -> None:
    found = shape(SCHEMA, "node")
    seen = {id(found := found.member("next")) for _ in range(1000)}
    assert len(seen) == 1
    assert len(found.kept) < 5


def test_what_cannot_be_read_says_nothing() -> None:
    nested = {
        "properties": {
            "a": {"properties": {"b": {"$ref": "#/nowhere"}, "c": 3, "d": {"$ref": "#/properties/a/properties/d"}}}
        }
    }
    assert [shape(nested, "a", name).kinds for name in "bcd"] == [None, None, None]


def test_a_machine_keeps_the_shapes_of_its_tools() -> None:
    bound = bind(complete(MINIMAX_M3_TOOLS).unwrap()).unwrap()
    machine = with_tools(bound, [{"name": "f", "parameters": SCHEMA}]).unwrap()
    assert machine.shape("f") is machine.shape("f")
    assert machine.shape("g").kinds is None
    assert list(machine.shapes) == ["f"]


def test_nested_schemas_are_part_of_a_machine_s_fingerprint() -> None:
    bound = bind(complete(MINIMAX_M3_TOOLS).unwrap()).unwrap()
    prints = {
        with_tools(bound, [{"name": "f", "parameters": {"properties": {"a": {"items": {"type": kind}}}}}])
        .unwrap()
        .fingerprint
        for kind in ("string", "integer")
    }
    assert len(prints) == 2
