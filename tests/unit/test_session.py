"""A stream in one object, and whole outputs."""

from collections.abc import Iterable

import pytest

from tests.corpus.reader import Case, few_cases
from tests.laws.machines import bare, begin, machine_of, made
from unbraid.core.events import ContentChunk, Events, merge
from unbraid.core.machine import finish, step
from unbraid.shell.messages import Message, message
from unbraid.shell.opening import FeedKind, StartAt
from unbraid.shell.plan import Plan
from unbraid.shell.session import Reduced, Session, parse
from unbraid.shell.truncated import Truncated

HALF_CALL = '<tool_call>\n{"name": "f", "arguments": {"a": '
TWO = f'a\n<tool_call>\n{{"name": "f", "arguments": {{}}}}\n</tool_call>\n{HALF_CALL}'


def said(found: Message) -> tuple[object, ...]:
    """A message without the random ids."""
    calls = [(call.name, call.arguments, call.complete) for call in found.tool_calls]
    return found.reasoning, found.content, calls, found.anomalies


def start_of(case: Case) -> StartAt:
    return {"auto": "auto", "reasoning": "reasoning", "content": "content"}[case.at]  # type: ignore[return-value]  # words


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_session_is_start_step_finish(case: Case) -> None:
    machine = machine_of(case)
    session = Session(machine, prompt=case.prompt, at=start_of(case))
    state = begin(case, machine)
    for point in case.text:
        state, events = step(machine, state, point, ())
        assert session.feed(point) == events
    assert session.finish() == finish(machine, state)[1]


@pytest.mark.parametrize("case", few_cases(), ids=lambda case: case.name)
def test_parse_is_one_delta_and_the_end(case: Case) -> None:
    machine = machine_of(case, ids=True)
    ids = made(case.reasoning, case.tools).encode(case.text)
    for feed, text, tokens in (("text", case.text, None), ("ids", None, ids)):
        state, events = step(machine, begin(case, machine, feed), text, tokens or ())
        found = parse(machine, text, ids=tokens, prompt=case.prompt, at=start_of(case))
        assert said(found) == said(message(events + finish(machine, state)[1]))


def test_restore_drops_what_was_fed_since() -> None:
    session = Session(bare("qwen3", "hermes", None, ids=False))
    session.feed("plan</think>\n\n")
    kept = session.snapshot()
    first = session.feed("No <tool_") + session.finish()
    session.restore(kept)
    assert session.feed("No <tool_") + session.finish() == first
    assert merge(first)[-1] == ContentChunk("No <tool_", 9)


def test_a_finished_session_says_so() -> None:
    session = Session(bare(None, "hermes", None, ids=False))
    session.finish()
    with pytest.raises(ValueError, match="finished"):
        session.feed("x")
    with pytest.raises(ValueError, match="finished"):
        session.finish()


@pytest.mark.parametrize(("text", "ids"), [(None, None), ("a", (1,))])
def test_parse_takes_one_output(text: str | None, ids: tuple[int, ...] | None) -> None:
    with pytest.raises(ValueError, match="either as text or as ids"):
        parse(bare(None, "hermes", None, ids=True), text, ids=ids)


@pytest.mark.parametrize(
    ("truncated", "content", "calls"),
    [
        ("emit", "a", [("f", "{}", True), ("f", '{"a": ', False)]),
        ("drop", "a", [("f", "{}", True)]),
        ("text", f"a{HALF_CALL}", [("f", "{}", True)]),
    ],
)
@pytest.mark.parametrize("feed", ["text", "ids"])
def test_truncated(truncated: Truncated, content: str, calls: list[object], feed: str) -> None:
    machine = bare(None, "hermes", None, ids=True)
    ids = made(None, "hermes").encode(TWO)
    found = parse(machine, TWO, truncated=truncated) if feed == "text" else parse(machine, ids=ids, truncated=truncated)
    assert said(found)[1:3] == (content, calls)


def reduced(stream: Reduced, deltas: Iterable[tuple[str | None, tuple[int, ...]]]) -> Events:
    events = [event for text, ids in deltas for event in stream.feed(text, ids)]
    return merge((*events, *stream.finish()))


@pytest.mark.parametrize("truncated", ["drop", "text"])
@pytest.mark.parametrize("case", [case for case in few_cases() if not case.policies], ids=lambda case: case.name)
def test_reducers_are_split_invariant_and_account_for_the_source(case: Case, truncated: Truncated) -> None:
    machine = machine_of(case, ids=True)
    ids = made(case.reasoning, case.tools).encode(case.text)

    def stream(feed: FeedKind) -> Reduced:
        return Reduced(Plan(machine, at=start_of(case), truncated=truncated), feed, prompt=case.prompt)

    whole = reduced(stream("text"), [(case.text, ())])
    assert reduced(stream("text"), ((point, ()) for point in case.text)) == whole
    assert sum(event.points for event in whole) == len(case.text)
    by_ids = reduced(stream("ids"), ((None, (token,)) for token in ids))
    assert said(message(by_ids)) == said(message(whole))
    assert all(call.complete for call in message(whole).tool_calls)
