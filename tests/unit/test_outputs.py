"""Outputs made to order: every format has a shape, and reads back what was written in it."""

import json

import pytest
from attrs import evolve

from tests.bench.subjects import THINKING, pairs
from tests.bench.workloads import meant
from unbraid.shell.bench import TOOLS
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.outputs import Asked, Turn, Writer, writer
from unbraid.shell.session import parse

TURN = Turn(
    'I think <of> {it},\nthen "act" [now].',
    "So <be> it: 3 < 4.",
    (Asked("run", {"cmd": 'ls "a" <b> \\ {x}\nmore é', "times": 3}), Asked("run", {"data": [[True, False], [True]]})),
)
SPEECHLESS = {"identity", "minimax_m2_append_think"}
"""Reasoning halves that read no reasoning."""


@pytest.mark.parametrize(("reasoning", "tools"), pairs(), ids=str)
def test_every_format_reads_what_was_written(reasoning: str | None, tools: str | None) -> None:
    halves = writer(reasoning, tools)
    assert halves.reasoning or reasoning in SPEECHLESS, f"shell/outputs.py: no shape of {reasoning}'s reasoning"
    assert halves.calls or tools is None, f"shell/outputs.py: no shape of {tools}'s calls"
    turn = halves.says(TURN)
    machine = with_tools(bind(reasoning, tools, template_kwargs=THINKING).unwrap(), (tools and TOOLS) or None).unwrap()
    message = parse(machine, halves.write(turn), at="reasoning" if halves.prompted else "auto")
    assert meant(turn, message), (halves.write(turn), message)
    assert message.anomalies == ()


def test_meant_sees_every_strand() -> None:
    halves = writer("qwen3", "hermes")
    machine = with_tools(bind("qwen3", "hermes").unwrap(), TOOLS).unwrap()
    message = parse(machine, halves.write(TURN))
    assert meant(TURN, message)
    other = Asked("run", {"cmd": "other"})
    for wrong in (evolve(TURN, reasoning="x"), evolve(TURN, answer="x"), evolve(TURN, calls=(*TURN.calls[:1], other))):
        assert not meant(wrong, message)


def test_what_has_no_shape_is_not_written() -> None:
    assert writer(None, None) == Writer("", "$TEXT", None)
    assert writer(None, None).write(TURN) == TURN.answer
    assert writer(None, None).says(TURN) == Turn("", TURN.answer)


def test_json_is_written_as_templates_do() -> None:
    text = writer(None, "llama3_json").write(Turn(calls=(Asked("f", {"é": [1, None], "b": {}}),)))
    assert text == '{"name": "f", "parameters": {"é": [1, null], "b": {}}}'
    assert json.loads(text)["parameters"] == {"é": [1, None], "b": {}}
