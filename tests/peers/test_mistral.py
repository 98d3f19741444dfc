"""Mistral's array against mistral-common: what its v3 tokenizer renders comes back.

The wheel ships this tokenizer; those of v11 and v13 are published with the models only.
"""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import message
from tests.corpus.reader import Call, Message
from tests.laws.machines import chosen, fold_ids, fold_text, right
from unbraid.core.bind import Machine
from unbraid.core.events import Events, ToolName
from unbraid.core.machine import start
from unbraid.shell.bind import bind, with_tools

PACKAGE: Final = "mistral_common"


@frozen(eq=False)
class Peer:
    """The tokenizer, its message types, and our machine over its vocabulary."""

    tokenizer: Any
    messages: Any
    calls: Any
    machine: Machine

    def tokens(self, content: str | None, calls: Sequence[tuple[str, str, str]]) -> tuple[int, ...]:
        """What the model writes for a message; calls are (name, arguments, id)."""
        made = [
            self.calls.ToolCall(id=key, function=self.calls.FunctionCall(name=name, arguments=arguments))
            for name, arguments, key in calls
        ]
        sent = self.messages.AssistantMessage(content=content, tool_calls=made or None)
        return tuple(self.tokenizer.encode_assistant_message(sent, is_before_last_user_message=False))

    def read(self, tokens: Sequence[int]) -> Events:
        """What we read, by ids."""
        return fold_ids(self.machine, start(self.machine, feed="ids"), [[token] for token in tokens])


@cache
def peer() -> Peer:
    """The package with its tokenizer."""
    loaded = import_module(f"{PACKAGE}.tokens.tokenizers.mistral")
    tokenizer = loaded.MistralTokenizer.v3(is_tekken=True)
    return Peer(
        tokenizer.instruct_tokenizer,
        import_module(f"{PACKAGE}.protocol.instruct.messages"),
        import_module(f"{PACKAGE}.protocol.instruct.tool_calls"),
        right(with_tools(right(bind("mistral", "mistral", tokenizer)))),
    )


TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="[<"), min_size=1, max_size=30)
ANSWERS: Final = TEXTS.map(lambda text: text.rstrip(" ") + ".")  # it strips blanks at the end
VALUES: Final = st.none() | st.booleans() | st.integers(-9, 9) | TEXTS | st.lists(TEXTS, max_size=2)
ARGUMENTS: Final = st.builds(json.dumps, st.dictionaries(TEXTS, VALUES, max_size=3))
IDS: Final = st.text(string.ascii_letters + string.digits, min_size=9, max_size=9)
CALLS: Final = st.lists(st.tuples(st.sampled_from(["get_weather", "run"]), ARGUMENTS, IDS), min_size=1, max_size=3)


@given(calls=CALLS)
def test_calls_come_back(calls: list[tuple[str, str, str]]) -> None:
    events = peer().read(peer().tokens(None, calls))
    got = message(events)
    assert (got.reasoning, got.content, got.anomalies) == (None, None, ())
    assert all(call.complete for call in got.calls)
    written = [(call.name, json.loads(call.arguments)) for call in got.calls]
    assert written == [(name, json.loads(arguments)) for name, arguments, _ in calls]
    # The id stands behind the arguments, too late for the call's announcement.
    assert [event.call_id for event in events if isinstance(event, ToolName)] == [None for _ in calls]


@given(content=ANSWERS)
def test_answers_come_back(content: str) -> None:
    assert message(peer().read(peer().tokens(content, []))) == Message(None, content, (), ())


def test_its_vocabulary_chooses_the_array() -> None:
    """No `[ARGS]`, no `[THINK]`: the generation before v11, without reasoning."""
    assert peer().machine.format.name == "identity+mistral_json"
    assert chosen("mistral", "mistral", {}).name == "mistral+mistral"


def test_both_formats_read_the_array_as_text() -> None:
    text = b"".join(map(peer().machine.bound.vocabulary.piece, peer().tokens(None, [("run", "{}", "VvvODy9mT")])))  # type: ignore[union-attr]  # bound to one
    for tools in ("mistral", "mistral_json"):
        machine = right(with_tools(right(bind(None, tools))))
        got = message(fold_text(machine, start(machine), [text.decode()]))
        assert got == Message(None, None, (Call("run", "{}"),), ())
