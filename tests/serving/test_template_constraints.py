"""What the models' own chat templates write is what the grammars of their calls let through, white space and all.

Values are such as every template writes in the one way that can be read back: lists, which Seed-OSS prints as Python does, are left out. A
sample (`constrained/effort.py`) writes each call behind a thought only.
"""

from __future__ import annotations

from typing import Any, Final, Literal

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
CALL: Final = Call("forecast", {"days": 3, "mode": "fast", "city": "Lima <b>\nPeru"})
LEFT_OUT: Final = {
    "inkling": "further headers before a call, which no grammar of ours lets through",
    "k2_horizon_typed": "the stated template knows the types of the tools of its own test only",
}


WAYS: Final = [("required", None), ("free", "Let me see.")]
"""What is asked for, and what the model says before its call."""


@pytest.mark.parametrize("row", [row for row in ROWS if row.tools is not None and row.span.calls], ids=str)
@pytest.mark.parametrize("thought", ["why", None] if WHOLE else ["why"])
@pytest.mark.parametrize(("wanted", "content"), WAYS, ids=["required", "free"])
def test_templates(row: Row, thought: str | None, wanted: Literal["required", "free"], content: str | None) -> None:
    one, sent = trip(row), Sent(thought, content if row.span.both or thought is None else None, (CALL,))
    kwargs = row.kwargs_of(sent)
    found = rendered(one.source, row.shape, sent, TOOLS, {**row.words, **kwargs})
    meant = one._meant(kwargs, one.coder.vocabulary)
    unknown = messages(meant) is None and wire(meant).swap().value_or(None) is not None
    if found.output is None or unknown or str(row) in LEFT_OUT:
        return  # not a continuation of its prompt, or a format without a grammar (tests/unit/test_wire.py lists them)
    output = found.output.removesuffix(next((word for word in row.end if found.output.endswith(word)), ""))
    machine = with_tools(bind(meant, None, kwargs=kwargs).unwrap(), TOOLS).unwrap()
    made = constraint(machine, Demand(wanted, names=("forecast",)), offered(TOOLS), "parameter").unwrap()
    assert made is not None
    assert accepts(vocabulary().compiled(made.answer), output), (found.prompt[-40:], output)
