"""The types that a user of the facade sees. mypy checks each `assert_type`; at run time the same lines must work."""

from typing import assert_type

from returns.result import Result

import unbraid
from unbraid.core.errors import Defect
from unbraid.core.events import Event
from unbraid.shell.chat_shapes import ChatChunk, Delta
from unbraid.shell.snapshot import SnapshotDefect
from unbraid.shell.vocabulary_draft import VocabularyDefect

Step = tuple[unbraid.ParserState, tuple[Event, ...]]


def machine() -> unbraid.Machine:
    bound = unbraid.bind("qwen3", "hermes")
    assert_type(bound, Result[unbraid.Bound, unbraid.BindError])
    assert_type(bound.unwrap(), unbraid.Bound)
    made = unbraid.with_tools(bound.unwrap(), None)
    assert_type(made, Result[unbraid.Machine, unbraid.BindError])
    return made.unwrap()


def test_core() -> None:
    state = unbraid.start(machine())
    assert_type(state, unbraid.ParserState)
    assert_type(unbraid.step(machine(), state, "a", ()), Step)
    assert_type(unbraid.finish(machine(), state), Step)
    assert_type(unbraid.fold(machine(), state, [("a", ()), ("b", ())]), Step)
    assert_type(unbraid.merge(()), tuple[Event, ...])


def test_formats() -> None:
    composed = unbraid.compose(None, None)
    assert_type(composed, Result[unbraid.Format, tuple[Defect, ...]])
    assert_type(unbraid.check(composed.unwrap()), tuple[Defect, ...])
    assert_type(unbraid.read_vocabulary(3), Result[unbraid.Vocabulary, tuple[VocabularyDefect, ...]])


def test_messages() -> None:
    found = unbraid.parse(machine(), "a</think>b")
    assert_type(found, unbraid.Message)
    assert_type(found.reasoning, str | None)
    assert_type(found.tool_calls, tuple[unbraid.ToolCall, ...])
    assert_type(unbraid.message(()), unbraid.Message)


def test_streams() -> None:
    session = unbraid.Session(machine())
    assert_type(session.feed("a"), tuple[Event, ...])
    assert_type(session.snapshot(), unbraid.ParserState)
    stream = unbraid.ChatStream(unbraid.Plan(machine(), "m", reasoning_field="reasoning"))
    chunks = stream.feed("a")
    assert_type(chunks, tuple[ChatChunk, ...])
    assert_type(chunks[0]["choices"][0]["delta"], Delta)
    assert_type(stream.finish("length"), tuple[ChatChunk, ...])


def test_snapshots() -> None:
    text = unbraid.to_json(machine(), unbraid.start(machine()))
    assert_type(text, str)
    assert_type(unbraid.from_json(machine(), text), Result[unbraid.ParserState, SnapshotDefect])
