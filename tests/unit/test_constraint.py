"""Which grammar a request puts on the engine: strictness, thoughts, and what cannot be constrained. The grammars themselves are tested
against xgrammar in `tests/serving/test_constraints.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from attrs import evolve

from tests.laws.machines import made
from unbraid.core.bind import Machine
from unbraid.core.grammar import Braces, Policies
from unbraid.formats.gemma import GEMMA4
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.constraint import Strictness, constraint, offered
from unbraid.shell.demand import Calls, Constraint, Demand
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.tag_nodes import any_order, either, escaped, literal, optional, regex, repeat, sequence, space, star

SCHEMA: Final = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS: Final[list[dict[str, Any]]] = [
    {"type": "function", "function": {"name": "one", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "two", "parameters": SCHEMA}},
]
NAMES: Final = ("one", "two")
USER: Final = [{"role": "user", "content": "Hi."}]


def machine(tools: str | None = "hermes", reasoning: str | None = None, **kwargs: Any) -> Machine:
    return with_tools(bind(reasoning, tools, template_kwargs=kwargs).unwrap(), TOOLS).unwrap()


def asked(
    demand: Demand, strictness: Strictness = "auto", of: Machine | None = None, at: Any = "auto"
) -> Constraint | None:
    return constraint(of or machine(), demand, offered(TOOLS), strictness, at).unwrap()


def nodes(node: Any, kind: str) -> Iterator[Any]:
    """All nodes of a kind in a tag."""
    if isinstance(node, Mapping):
        if node.get("type") == kind:
            yield node
        for name, inner in node.items():
            if name != "json_schema":
                yield from nodes(inner, kind)
    elif isinstance(node, list):
        for inner in node:
            yield from nodes(inner, kind)


def schemas(found: Constraint | None) -> list[Any]:
    return [] if found is None else [node["json_schema"] for node in nodes(found.content, "json_schema")]


# -- strictness --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strictness", ["auto", "function", "parameter"])
@pytest.mark.parametrize("calls", ["required", "named"])
def test_forced_calls_are_always_constrained(calls: Calls, strictness: Strictness) -> None:
    found = asked(Demand(calls, names=NAMES if calls == "required" else ("two",)), strictness)
    exact = strictness == "parameter"
    assert all((one == SCHEMA) is exact for one in schemas(found))
    assert found is not None
    assert ('"one"' in json.dumps(found.content).replace("\\", "")) is (calls == "required")


@pytest.mark.parametrize(
    ("demand", "strictness", "constrained"),
    [
        (Demand(names=NAMES), "auto", False),
        (Demand(names=NAMES, strict=("one",)), "auto", True),
        (Demand(names=NAMES, parallel=False), "auto", True),
        (Demand(names=NAMES), "function", True),
        (Demand(names=NAMES), "parameter", True),
        (Demand("none", names=NAMES), "auto", False),
        (Demand("none", names=NAMES), "function", True),
        (Demand(), "parameter", False),
    ],
)
def test_free_choices_are_constrained_when_asked(demand: Demand, strictness: Strictness, constrained: bool) -> None:
    assert (asked(demand, strictness) is not None) is constrained


@pytest.mark.parametrize(("strictness", "exact"), [("auto", 1), ("function", 1), ("parameter", 2)])
def test_strict_tools_fit_their_schema(strictness: Strictness, exact: int) -> None:
    found = schemas(asked(Demand(names=NAMES, strict=("two",)), strictness))
    assert (len(found), found.count(SCHEMA)) == (2, exact)


@pytest.mark.parametrize("parallel", [True, False])
def test_parallel(parallel: bool) -> None:
    free = asked(Demand(names=NAMES, parallel=parallel), "function")
    assert free is not None
    assert [node["stop_after_first"] for node in nodes(free.content, "triggered_tags")] == [not parallel]
    forced = asked(Demand("required", names=NAMES, parallel=parallel), "function")
    assert forced is not None
    assert bool(list(nodes(forced.content, "star"))) is parallel


def test_named_is_one_call() -> None:
    found = asked(Demand("named", names=("one",)))
    assert found is not None
    assert not list(nodes(found.content, "star"))


# -- plain JSON and response_format ------------------------------------------------------------------------------------


def test_plain_json() -> None:
    required = asked(Demand("required", "json", NAMES, parallel=False))
    assert required is not None
    assert required.schema is not None
    assert required.schema["maxItems"] == 1
    assert schemas(required) == [required.schema]
    assert schemas(asked(Demand("named", "json", ("one",)))) == [SCHEMA]


def test_definitions_that_clash_are_told() -> None:
    tools = [
        {"name": name, "parameters": {"type": "object", "$defs": {"x": {"type": kind}}}}
        for name, kind in zip(NAMES, ("string", "null"), strict=True)
    ]
    wrong = constraint(machine(), Demand("required", "json", NAMES), offered(tools)).failure()
    assert "$defs/x" in wrong.describe()


OUTPUT: Final = {"type": "json_schema", "json_schema": {"schema": {"type": "array"}}}


def kind(found: Constraint | None) -> Any:
    assert found is not None
    return found.content["format"]["type"]  # type: ignore[index]  # plain data


@pytest.mark.parametrize("strictness", ["auto", "function", "parameter"])
@pytest.mark.parametrize("strict", [(), NAMES])
@pytest.mark.parametrize("parallel", [True, False])
def test_an_output_beside_tools(strictness: Strictness, strict: tuple[str, ...], parallel: bool) -> None:
    """Either it or calls, whatever the level: else tools that the request offers could not be called."""
    demand = Demand(names=NAMES, strict=strict, parallel=parallel, output=OUTPUT)
    found = asked(demand, strictness)
    assert kind(found) == "or"
    *calls, output = schemas(found)
    exact = strictness == "parameter" or bool(strict)
    assert (output, len(calls) % 2) == ({"type": "array"}, 0)
    assert calls
    assert all((one == SCHEMA) is exact for one in calls)


def test_an_output_alone() -> None:
    """Where there are no calls, or the request's own tag says everything. Forced calls win over it."""
    assert schemas(asked(Demand("none", names=NAMES, output=OUTPUT), "parameter")) == [{"type": "array"}]
    assert schemas(asked(Demand(output=OUTPUT))) == [{"type": "array"}]
    assert schemas(asked(Demand(output={"type": "json_object"}))) == [{"type": "object"}]
    node = {"type": "any_text", "excludes": []}
    for names in ((), NAMES):
        own = asked(Demand(names=names, output={"type": "structural_tag", "format": node}))
        assert own is not None
        assert own.content["format"] == node
    for calls in ("required", "named"):
        assert {"type": "array"} not in schemas(asked(Demand(calls, names=NAMES[:1], output=OUTPUT)))


def test_an_output_beside_calls_that_no_grammar_writes() -> None:
    """The output is kept to; but what a strict tool asks for cannot be had."""
    python = machine("pythonic")
    assert schemas(asked(Demand(names=NAMES, output=OUTPUT), of=python)) == [{"type": "array"}]
    wrong = constraint(python, Demand(names=NAMES, strict=NAMES, output=OUTPUT), offered(TOOLS)).failure()
    assert "its calls are Python" in wrong.describe()


# -- thoughts ----------------------------------------------------------------------------------------------------------


def thoughts(of: Machine, at: Any = "auto") -> str:
    """What stands before the calls: `must`, `may` or `none`."""
    found = asked(Demand("named", names=("one",)), of=of, at=at)
    assert found is not None
    if found.answer == found.content:
        return "none"
    elements: Any = found.answer["format"]["elements"]  # type: ignore[index]  # plain data
    return "may" if elements[0]["type"] == "optional" else "must"


@pytest.mark.parametrize(
    ("reasoning", "tools", "kwargs", "at", "meant"),
    [
        ("qwen3", "hermes", {}, "auto", "must"),
        ("qwen3", "hermes", {"enable_thinking": False}, "auto", "none"),
        ("qwen3", "hermes", {"enable_thinking": False}, "reasoning", "must"),
        ("qwen3", "hermes", {}, "content", "none"),
        ("mistral", "mistral", {}, "auto", "may"),
        ("mistral", "mistral", {}, "content", "none"),
        (None, "gemma4", {}, "auto", "may"),
        ("glm45", "glm45", {"enable_thinking": False}, "auto", "none"),
        ("deepseek_v3", "deepseek_v31", {}, "auto", "none"),
        ("deepseek_v3", "deepseek_v31", {"thinking": True}, "auto", "must"),
        (None, "hermes", {}, "auto", "none"),
    ],
)
def test_thoughts_first(reasoning: str | None, tools: str, kwargs: dict[str, Any], at: str, meant: str) -> None:
    assert thoughts(machine(tools, reasoning, **kwargs), at) == meant


# -- what cannot be written --------------------------------------------------------------------------------------------


def test_formats_without_a_wire() -> None:
    wrong = constraint(machine("pythonic"), Demand("required", names=NAMES), offered(TOOLS)).failure()
    assert "Python" in wrong.describe()


@pytest.mark.parametrize(
    ("tools", "name", "key", "found"),
    [
        ("qwen3_coder", "a>b", "k", "'>'"),
        ("qwen3_coder", "a", "k>", "'>'"),
        ("deepseek_v32", 'a"b', "k", "'\"'"),
        ("glm45", "a b", "k", "' '"),
        ("kimi_k2", "a<b", "k", "'<'"),
    ],
)
def test_names_that_would_end_themselves(tools: str, name: str, key: str, found: str) -> None:
    own = [{"name": name, "parameters": {"type": "object", "properties": {key: {"type": "string"}}}}]
    bound = with_tools(bind(None, tools).unwrap(), own).unwrap()
    wrong = constraint(bound, Demand("required", names=(name,)), offered(own), "parameter").failure()
    assert f"{found} stands in its" in wrong.describe()


def test_own_braces_have_no_style() -> None:
    regions = tuple(evolve(one, kind=Braces()) if isinstance(one.kind, Braces) else one for one in GEMMA4.regions)
    bound = with_tools(bind(None, evolve(GEMMA4, name="mine", regions=regions)).unwrap(), TOOLS).unwrap()
    assert "braces" in constraint(bound, Demand("required", names=NAMES), offered(TOOLS)).failure().describe()


def test_ids_where_only_ids_count() -> None:
    vocabulary = made(None, "hermes").vocabulary
    bound = bind(None, "hermes", vocabulary, Policies(marker_evidence="ids")).unwrap()
    found = asked(Demand("required", names=NAMES), of=with_tools(bound, TOOLS).unwrap())
    assert found is not None
    ids = {node["token"] for node in nodes(found.content, "token")}
    assert ids == {vocabulary.added["<tool_call>"], vocabulary.added["</tool_call>"]}


# -- plans -------------------------------------------------------------------------------------------------------------


def test_a_plan_has_it() -> None:
    body = {"messages": USER, "tools": TOOLS, "tool_choice": "required"}
    serving = Serving("qwen3", "hermes")
    found = plan_for(serving, body).unwrap().demand
    assert found.constraint is not None
    assert found.unconstrained == ""
    assert found.constraint.answer != found.constraint.content
    assert plan_for(Serving("qwen3", "hermes", strictness=None), body).unwrap().demand.constraint is None
    assert plan_for(serving, {"messages": USER, "tools": TOOLS}).unwrap().demand.constraint is None
    strict = [{"type": "function", "function": {**TOOLS[0]["function"], "strict": True}}]
    assert plan_for(serving, {"messages": USER, "tools": strict}).unwrap().demand.constraint is not None


def test_a_plan_says_why_not() -> None:
    body = {"messages": USER, "tools": TOOLS, "tool_choice": "required"}
    found = plan_for(Serving(None, "pythonic"), body).unwrap().demand
    assert found.constraint is None
    assert "Python" in found.unconstrained


# -- nodes -------------------------------------------------------------------------------------------------------------


def test_sequences_are_flat() -> None:
    gap = space(" ")
    assert sequence([literal("a"), sequence([literal("b"), gap]), gap, literal("")]) == {
        "type": "sequence",
        "elements": [literal("ab"), gap],
    }
    assert sequence([optional(regex("x"))]) == {"type": "optional", "content": regex("x")}
    assert escaped("[x]\t") == "\\[x\\]\\t"


def test_any_order() -> None:
    a, b = regex("a"), regex("b")
    assert any_order([]) == literal("")
    assert any_order([(a, True)]) == a
    assert any_order([(a, False)]) == optional(a)
    assert any_order([(a, True), (b, False)]) == either([sequence([a, optional(b)]), sequence([b, a])])
    for many in ("abcde", ("a" * 20_000, "b")):
        assert any_order([(regex(one), False) for one in many]) == sequence(optional(regex(one)) for one in many)


def test_repeated() -> None:
    assert repeat(regex("a"), 0, None) == star(regex("a"))
    assert repeat(regex("a"), 1, None) == {"type": "repeat", "min": 1, "max": -1, "content": regex("a")}
    assert repeat(regex("a"), 2, 1) == {"type": "repeat", "min": 2, "max": 2, "content": regex("a")}


def test_elements_that_no_schema_names_are_json() -> None:
    """An element ends with its own name, so only what a schema declares is one."""
    loop = {"type": "object", "properties": {"down": {"$ref": "#/$defs/loop"}}}
    own = {
        "type": "object",
        "properties": {
            "free": {"type": "object"},
            "loop": {"$ref": "#/$defs/loop"},
            "n": {"type": ["integer", "null"]},
        },
        "$defs": {"loop": loop},
    }
    tools = [{"name": "one", "parameters": own}]
    bound = with_tools(bind(None, "minimax_m3").unwrap(), tools).unwrap()
    found = constraint(bound, Demand("named", names=("one",)), offered(tools), "parameter").unwrap()
    assert found is not None
    kinds = [schema.get("type", schema.get("$ref")) for schema in schemas(found)]
    assert set(map(str, kinds)) == {"object", "#/$defs/loop", "['integer', 'null']"}
    assert "<down>" in json.dumps(found.content)


@pytest.mark.parametrize("key", ["a>b", "a\nb", "/a", ""])
def test_keys_that_are_no_elements(key: str) -> None:
    tools = [{"name": "one", "parameters": {"type": "object", "properties": {key: {"type": "string"}}}}]
    bound = with_tools(bind(None, "minimax_m3").unwrap(), tools).unwrap()
    wrong = constraint(bound, Demand("named", names=("one",)), offered(tools), "parameter").failure()
    assert "stands in its parameter" in wrong.describe()
