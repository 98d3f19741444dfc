"""JSON Schemas of forced calls in plain JSON."""

from __future__ import annotations

from typing import Any, Final

import pytest

from unbraid.shell.call_schema import (
    ANY_ORDER,
    NO_ARGUMENTS,
    Offered,
    arguments_schema,
    in_any_order,
    named_schema,
    required_schema,
)

LEVEL: Final = {"type": "integer", "minimum": 1}


def tool(name: str, level: Any = LEVEL, word: str = "$defs") -> Offered:
    properties = {"level": {"$ref": f"#/{word}/level"}}
    return Offered(name, {"type": "object", "properties": properties, word: {"level": level}})


def test_required() -> None:
    schema = required_schema([Offered("now"), tool("note")], parallel=True).unwrap()
    assert (schema["type"], schema["minItems"], "maxItems" in schema) == ("array", 1, False)
    items: Any = schema["items"]
    assert [one["properties"]["name"] for one in items["anyOf"]] == [
        {"type": "string", "enum": ["now"]},
        {"type": "string", "enum": ["note"]},
    ]
    assert [one["required"] for one in items["anyOf"]] == [["name", "parameters"]] * 2
    assert items["anyOf"][0]["properties"]["parameters"] == NO_ARGUMENTS


def test_one_call_at_most() -> None:
    assert required_schema([tool("note")], parallel=False).unwrap()["maxItems"] == 1


@pytest.mark.parametrize("word", ["$defs", "definitions"])
def test_definitions_are_lifted_once(word: str) -> None:
    schema: Any = required_schema([tool("a", word=word), tool("b", word=word)], parallel=True).unwrap()
    assert schema[word] == {"level": LEVEL}
    for one in schema["items"]["anyOf"]:
        assert word not in one["properties"]["parameters"]
        assert one["properties"]["parameters"]["properties"]["level"] == {"$ref": f"#/{word}/level"}


def test_definitions_that_clash() -> None:
    wrong = required_schema([tool("a"), tool("b", {"type": "string"}), tool("c", {"type": "null"})], parallel=True)
    assert [(one.key, one.tools) for one in wrong.failure()] == [("level", ("a", "b")), ("level", ("a", "c"))]
    assert wrong.failure()[0].describe() == "the tools 'a' and 'b' both define $defs/level, each in its own way"


def test_references_into_the_parameters_move_along() -> None:
    tree = Offered(
        "tree", {"type": "object", "properties": {"child": {"$ref": "#"}, "left": {"$ref": "#/properties/child"}}}
    )
    schema: Any = required_schema([Offered("now"), tree], parallel=True).unwrap()
    found = schema["items"]["anyOf"][1]["properties"]["parameters"]["properties"]
    place = "#/items/anyOf/1/properties/parameters"
    assert found == {"child": {"$ref": place}, "left": {"$ref": f"{place}/properties/child"}}


def test_definitions_that_refer_to_their_tool_are_its_own() -> None:
    wrong = required_schema([tool("a", {"$ref": "#"}), tool("b", {"$ref": "#"})], parallel=True)
    assert len(wrong.failure()) == 1


def test_named() -> None:
    assert named_schema(tool("note")) == tool("note").parameters
    assert named_schema(Offered("now")) == NO_ARGUMENTS
    assert arguments_schema({"$ref": "#/$defs/x", "$defs": {}}) == {"$ref": "#/$defs/x", "$defs": {}}


def keyed(keys: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {key: {"title": key} for key in keys}, **more}


def orders(schema: Any) -> set[str]:
    return {"".join(one["properties"]) for one in schema["anyOf"]}


def test_few_keys_in_any_order() -> None:
    """What they may be is told once."""
    found: Any = in_any_order(keyed("bca", required=["a"], **{"$defs": {"level": LEVEL}}))
    assert orders(found) == {"abc", "acb", "bac", "bca", "cab", "cba"}
    assert {one["properties"]["a"]["$ref"] for one in found["anyOf"]} == {"#/$defs/argument_2"}
    assert found["$defs"] == {
        "level": LEVEL,
        **{f"argument_{number}": {"title": key} for number, key in enumerate("bca")},
    }
    assert all(one["required"] == ["a"] for one in found["anyOf"])


@pytest.mark.parametrize(
    "schema",
    [
        keyed("a"),
        keyed("abcdefg"[: ANY_ORDER + 1]),
        {"$ref": "#/$defs/level", "$defs": {"level": LEVEL}},
        keyed("ab", anyOf=[{"$ref": "#/properties/a"}]),
        keyed("ab", **{"$defs": {"argument_0": LEVEL}}),
        True,
    ],
)
def test_others_in_theirs(schema: Any) -> None:
    """Many keys, none, such as are referred to where they stand."""
    assert in_any_order(schema) is schema


def test_sorted_keys_beside_others() -> None:
    inner = keyed("dC")
    found: Any = in_any_order({"properties": {**keyed("feba")["properties"], "x": inner}}, or_sorted=True)
    assert orders(found) == {"febax", "abefx"}
    nested = [found["$defs"][one["properties"]["x"]["$ref"].rpartition("/")[2]] for one in found["anyOf"]]
    assert {"".join(one["properties"]) for one in nested} == {"dC", "Cd"}
