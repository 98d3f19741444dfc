"""What the engine's grammar must let through, for one request: made from the format that reads the answer.

    strictness   choice auto                                             forced choices
    auto         only if a tool is strict, or calls may not be parallel  always
    function     always: names and syntax                                always
    parameter    always, and all arguments fit their schema              always, and all arguments fit

At every level the arguments of a strict tool fit its schema; those of another one are an object. `none` is constrained, to text
without calls, from `function` on. Forced calls in plain JSON always fit their schemas. A `response_format` beside tools, at every
level: either it or calls, since a grammar that is there must let through what the request allows; it alone if calls cannot be
written by a grammar and nothing else asks for one. A forced choice wins over it.

Two grammars are the same but for the thoughts before the answer: an engine whose grammar begins with the first token takes
`answer`, one that begins it where reasoning has ended takes `content` (where answers are messages: at the header behind it). Thoughts come first if generation starts in them, and
may come if the model opens them itself and no switch was turned off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from returns.result import Result, Success

from unbraid.core.bind import Machine
from unbraid.core.prompt import start_region
from unbraid.shell.bind import BindError
from unbraid.shell.call_schema import JsonSchema, Offered, named_schema, required_schema
from unbraid.shell.demand import Constraint, Demand
from unbraid.shell.opening import StartAt
from unbraid.shell.sayable import sayable
from unbraid.shell.structural import call_tag, spoken
from unbraid.shell.tag_nodes import Node, either, json_schema, sequence, structural_tag
from unbraid.shell.thoughts import Thoughts, begins_thoughts, thinking

Strictness: TypeAlias = Literal["auto", "function", "parameter"]
"""How much of a call is constrained that need not be."""

ANY_JSON: Final[JsonSchema] = {"type": "object"}


Found: TypeAlias = Result[Constraint | None, BindError]


def offered(tools: Iterable[Mapping[str, object]]) -> tuple[Offered, ...]:
    """Tools as the OpenAI API lists them, checked before.

    >>> offered([{"type": "function", "function": {"name": "now"}}])
    (Offered(name='now', parameters=None),)
    """
    functions = [tool.get("function", tool) for tool in tools]
    return tuple(
        Offered(str(one["name"]), one.get("parameters"))
        for one in functions
        if isinstance(one, Mapping) and "name" in one
    )


def constraint(
    machine: Machine,
    demand: Demand,
    tools: Sequence[Offered] = (),
    strictness: Strictness = "auto",
    at: StartAt = "auto",
) -> Found:
    """The constraint of a request, None if there is nothing to constrain; a failure says why its calls cannot be."""
    known = [tool for tool in tools if tool.name in demand.names]
    level = "function" if strictness == "auto" and not demand.parallel and demand.output is None else strictness
    thoughts, region = _thoughts(machine, at)
    if demand.form == "json" and demand.calls in ("required", "named"):
        return _json(demand, known).map(
            lambda schema: _whole(machine, spoken(machine, json_schema(sayable(schema))), thoughts, region, schema)
        )
    output = _output(machine, demand)
    asked = _applies(demand, level)
    if demand.calls == "free" and not (known and (asked or _beside_calls(demand))):
        return Success(None if output is None else _whole(machine, output, thoughts, region))
    if demand.calls == "none" and (output is not None or level == "auto" or not machine.format.tools):
        return Success(None if output is None else _whole(machine, output, thoughts, region))
    calls = "required" if output is not None and demand.calls == "free" else demand.calls
    exact = frozenset(tool.name for tool in known if level == "parameter" or tool.name in demand.strict)
    made = call_tag(machine, calls, known, exact, parallel=demand.parallel).alt(BindError)
    if output is not None:
        made = made.map(lambda node: either([node, output]))
        made = made if asked else made.lash(lambda _: Success(output))
    return made.map(lambda node: _whole(machine, node, thoughts, region))


def _applies(demand: Demand, level: Strictness) -> bool:
    """Is a free choice constrained?"""
    return level != "auto" or any(name in demand.strict for name in demand.names)


def _beside_calls(demand: Demand) -> bool:
    """Is an output asked for that calls may take the place of? A structural tag of the request's own is the whole answer."""
    return demand.output is not None and demand.output.get("type") != "structural_tag"


def _json(demand: Demand, tools: Sequence[Offered]) -> Result[JsonSchema, BindError]:
    if demand.calls == "named" and tools:
        return Success(named_schema(tools[0]))
    return required_schema(tools, parallel=demand.parallel).alt(BindError)


def _output(machine: Machine, demand: Demand) -> Node | None:
    """The grammar of a `response_format`, unless calls are forced."""
    asked = demand.output
    if asked is None or demand.calls in ("required", "named"):
        return None
    if asked.get("type") == "structural_tag":
        found = asked.get("format")
        return found if isinstance(found, Mapping) else None
    inner = asked.get("json_schema")
    schema = inner.get("schema") if isinstance(inner, Mapping) else None
    return spoken(machine, json_schema(ANY_JSON if schema is None else schema))


def _thoughts(machine: Machine, at: StartAt) -> tuple[Thoughts, str]:
    fmt = machine.format
    channels = {region.name: region.channel for region in fmt.regions}
    region = {"reasoning": fmt.start.on, "content": fmt.start.off}.get(at) or start_region(fmt, machine.kwargs)
    if channels[region] == "reasoning":
        return "must", region
    switched = channels[start_region(fmt, {})] == "reasoning"
    return ("may" if at != "content" and not switched and begins_thoughts(machine) else "none"), region


def _whole(
    machine: Machine, content: Node, thoughts: Thoughts, region: str, schema: JsonSchema | None = None
) -> Constraint:
    answer = sequence([*thinking(machine, thoughts, region), content])
    return Constraint(structural_tag(answer), structural_tag(content), schema)
