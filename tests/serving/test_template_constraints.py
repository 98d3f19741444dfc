"""What the models' own chat templates write is what the grammars of their calls let through, white space and all.

Values are such as every template writes in the one way that can be read back: lists, which Seed-OSS prints as Python does, and keys out of
alphabetical order, which Gemma 4 sorts, are left out. A sample (`constrained/effort.py`) writes each call behind a thought only.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.laws.round_trip.changes import Row
from tests.laws.round_trip.norms import ROWS
from tests.laws.round_trip.rendering import Call, Sent, rendered
from tests.laws.round_trip.trips import trip
from tests.serving.constrained import installed  # noqa: F401 -- skips the file where xgrammar is not there
from tests.serving.constrained.effort import WHOLE
from tests.serving.constrained.sampler import accepts, vocabulary
from unbraid.core.bind import bind, with_tools
from unbraid.shell.constraint import constraint, offered
from unbraid.shell.demand import Demand
from unbraid.shell.headers import messages
from unbraid.shell.wire import wire

SCHEMA: Final = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
    },
    "required": ["city"],
}
TOOLS: Final[list[dict[str, Any]]] = [
    {"type": "function", "function": {"name": "forecast", "description": "Tells the weather.", "parameters": SCHEMA}}
]
CALL: Final = Call("forecast", {"city": "Lima <b>\nPeru", "days": 3, "mode": "fast"})
LEFT_OUT: Final = {
    "inkling": "further headers before a call, which no grammar of ours lets through",
    "k2_horizon_typed": "the stated template knows the types of the tools of its own test only",
}


@pytest.mark.parametrize("row", [row for row in ROWS if row.tools is not None and row.span.calls], ids=str)
@pytest.mark.parametrize("thought", ["why", None] if WHOLE else ["why"])
def test_templates(row: Row, thought: str | None) -> None:
    one, sent = trip(row), Sent(thought, None, (CALL,))
    kwargs = row.kwargs_of(sent)
    found = rendered(one.source, row.shape, sent, TOOLS, {**row.words, **kwargs})
    meant = one._meant(kwargs, one.coder.vocabulary)
    unknown = messages(meant) is None and wire(meant).swap().value_or(None) is not None
    if found.output is None or unknown or str(row) in LEFT_OUT:
        return  # not a continuation of its prompt, or a format without a grammar (tests/unit/test_wire.py lists them)
    output = found.output.removesuffix(next((word for word in row.end if found.output.endswith(word)), ""))
    machine = with_tools(bind(meant, None, kwargs=kwargs).unwrap(), TOOLS).unwrap()
    asked = Demand("required", names=("forecast",))
    made = constraint(machine, asked, offered(TOOLS), "parameter").unwrap()
    assert made is not None
    assert accepts(vocabulary().compiled(made.answer), output), (found.prompt[-40:], output)
