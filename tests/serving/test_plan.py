"""Every field of a plan matters: with another value, other bytes leave the server."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from attrs import evolve, fields

from tests.laws.machines import bare, made
from tests.serving.clients import joined
from tests.serving.engine import events, respond
from unbraid.core.grammar import Ids
from unbraid.shell.demand import Demand
from unbraid.shell.plan import Plan

TOOL: Final = {"type": "function", "function": {"name": "now"}}
CALL: Final = '<tool_call>{"name": "now", "arguments": {}}</tool_call>'
TEXT: Final = f"so.</think>Hi, you.{CALL}{CALL}"
CUT: Final = f"so.</think>Hi.{CALL[:-15]}"
BESIDE: Final = f"so.</think>Hi, you.  {CALL} Bye."


def machine(offered: Any = (TOOL,)) -> Any:
    return bare("qwen3", "hermes", list(offered), ids=True)


PLAIN: Final = Plan(machine())
NUMBERED: Final = Ids("pattern", "functions.{name}:{n}")

FLIPS: Final[dict[str, tuple[Plan, Any, str]]] = {
    "machine": (PLAIN, machine(()), TEXT),
    "model": (PLAIN, "other", TEXT),
    "at": (PLAIN, "content", "Hi."),
    "stream": (PLAIN, True, TEXT),
    "choices": (PLAIN, 2, TEXT),
    "role": (PLAIN, "tutor", TEXT),
    "echo": (PLAIN, "Well. ", TEXT),
    "reasoning_field": (PLAIN, "reasoning", TEXT),
    "truncated": (PLAIN, "drop", CUT),
    "named": (Plan(bare("qwen3", None, None, ids=True)), "now", 'so.</think>{"a": 1}'),
    "calls": (PLAIN, "first", TEXT),
    "call_finish": (PLAIN, "stop", TEXT),
    "promote": (PLAIN, True, "so."),
    "stops": (PLAIN, (", ",), TEXT),
    "logprobs": (PLAIN, 1, TEXT),
    "token_ids": (PLAIN, True, TEXT),
    "usage": (evolve(PLAIN, stream=True), "last", TEXT),
    "ids": (PLAIN, NUMBERED, TEXT),
    "history": (evolve(PLAIN, ids=NUMBERED), 4, TEXT),
    "demand": (PLAIN, Demand(most_tokens=5), TEXT),
    "compat": (PLAIN, "vllm", f"{TEXT} Bye."),
}


def test_every_field_is_flipped() -> None:
    assert list(FLIPS) == [field.name for field in fields(Plan)]


@pytest.mark.parametrize("name", FLIPS)
@pytest.mark.parametrize("stream", [False, True])
def test_another_value_gives_other_bytes(name: str, stream: bool) -> None:
    plan, value, text = FLIPS[name]
    plan = plan if name == "stream" else evolve(plan, stream=stream)
    if name == "usage" and not stream:  # a whole message always has it
        plan = evolve(plan, stream=True)
    assert respond(plan, text) != respond(evolve(plan, **{name: value}), text)


def test_the_same_plan_gives_the_same_bytes() -> None:
    """Else the test above says nothing."""
    for plan, _, text in FLIPS.values():
        assert respond(plan, text) == respond(evolve(plan), text)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("reasoning_field", ("reasoning_content", "reasoning", "both", "none")),
        ("truncated", ("emit", "drop", "text")),
        ("calls", ("all", "first", "none")),
        ("usage", ("never", "last", "every")),
        ("logprobs", (None, 0, 1, 2)),
        ("compat", (None, "vllm", "sglang")),
    ],
)
def test_all_values_differ(field: str, values: tuple[Any, ...]) -> None:
    text = {"truncated": CUT, "compat": BESIDE}.get(field, TEXT)
    assert len({respond(evolve(PLAIN, stream=True, **{field: value}), text) for value in values}) == len(values)


@pytest.mark.parametrize(
    ("demand", "other"),
    [
        (Demand(), Demand(calls="named", names=("now",))),
        (Demand(), Demand(stops=("you",))),
        (Demand(calls="named", names=("now",)), Demand(calls="named", names=("then",))),
        (Demand(), Demand(most_tokens=3)),
    ],
)
def test_the_engine_keeps_to_the_demand(demand: Demand, other: Demand) -> None:
    assert respond(evolve(PLAIN, demand=demand), TEXT) != respond(evolve(PLAIN, demand=other), TEXT)


@pytest.mark.parametrize("offered", [None, [TOOL]])
def test_a_named_call_needs_a_machine_without_calls(offered: Any) -> None:
    """Two readers of calls would both begin with number 0."""
    with pytest.raises(ValueError, match=r"named='now': .* the machine reads calls of format 'qwen3\+hermes'"):
        Plan(bare("qwen3", "hermes", offered, ids=True), named="now")
    with pytest.raises(ValueError, match="named='now'"):
        evolve(PLAIN, named="now")


@pytest.mark.parametrize("of", [("qwen3", None, None), ("qwen3", "hermes", ()), ("harmony", "harmony", ())])
def test_a_named_call_of_any_other_machine(of: Any) -> None:
    plan = Plan(bare(*of, ids=True), named="now", at="content")
    text = f'{{"a": "{CALL[:11]}"}} {CALL}'
    text = text if of[0] == "qwen3" else f"<|channel|>final<|message|>{text}<|return|>"
    whole = json.loads(respond(plan, text))["choices"][0]["message"]
    found = joined(events(respond(evolve(plan, stream=True), text)))  # type: ignore[arg-type]  # chunks that went through JSON
    [call] = whole["tool_calls"]
    assert call["function"] == {"name": "now", "arguments": f'{{"a": "{CALL[:11]}"}}'}
    assert [(one["name"], one["arguments"]) for one in found["tool_calls"]] == [tuple(call["function"].values())]
    assert found["content"] == whole["content"]


def test_fingerprints() -> None:
    """Equal for equal plans; another value of any field that an answer under way depends on gives another one."""
    assert Plan(machine()).fingerprint == PLAIN.fingerprint
    for name, (plan, value, _) in FLIPS.items():
        assert evolve(plan, **{name: value}).fingerprint != plan.fingerprint, name
    for demand in (Demand(stops=("x",)), Demand(calls="required", names=("now",)), Demand(form="json")):
        assert evolve(PLAIN, demand=demand).fingerprint == PLAIN.fingerprint  # it is the engine's to keep
    other = evolve(PLAIN, compat="vllm")
    assert evolve(other, demand=Demand(form="json")).fingerprint != other.fingerprint
    assert made("qwen3", "hermes").vocabulary is machine().vocabulary
