"""One stream in the hands of a host: the machine, and the state it stands in.

    session = Session(machine)
    events = session.feed("Hel"), session.feed("lo"), session.finish()

A session adds nothing to `start`, `step` and `finish` but a place to keep the state. `snapshot` gives the state, which is a
value; `restore` goes back to one, to drop what was fed since (rejected draft tokens). `parse` is a session that is fed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from unbraid.core.bind import Machine
from unbraid.core.events import Events
from unbraid.core.machine import finish, known_word, start, step
from unbraid.core.records import ParserState
from unbraid.shell.call_ids import call_ids
from unbraid.shell.choice import advance, begin, conclude
from unbraid.shell.messages import Message, message
from unbraid.shell.opening import FeedKind, Prompt, StartAt
from unbraid.shell.plan import Plan
from unbraid.shell.truncated import Truncated


class Session:
    """A stream. `feed` kinds: `text`, `ids` (token ids only), `both` (token ids and the host's text of them).

    `prompt`: what was rendered for the model, as text or ids; it says whether reasoning is open. `at` overrides it.
    Not for use by two threads at a time; the machine may be shared.
    """

    def __init__(
        self, machine: Machine, feed: FeedKind = "text", *, prompt: Prompt = None, at: StartAt = "auto"
    ) -> None:
        self.machine = machine
        self._state = start(machine, feed, prompt, at)
        self._finished = False

    def feed(self, text: str | None = None, ids: Sequence[int] = ()) -> Events:
        """The events that one delta decides. `text` is None in a session fed by ids, `ids` empty in one fed by text."""
        if self._finished:
            raise ValueError("feed: the session is finished; restore a snapshot or open a new session")
        self._state, events = step(self.machine, self._state, text, tuple(ids))
        return events

    def finish(self) -> Events:
        """The events that the end of the stream decides."""
        if self._finished:
            raise ValueError("finish: the session is finished already")
        self._state, events = finish(self.machine, self._state)
        self._finished = True
        return events

    def snapshot(self) -> ParserState:
        """Where the stream stands. A value: keep it, compare it, fork from it; `to_json` writes it down."""
        return self._state

    def restore(self, state: ParserState) -> None:
        """Stand where `state` was taken; the session is open again. The state must be of this session's machine."""
        self._state = state
        self._finished = False


class Reduced:
    """A session whose events go through the reducers of a plan."""

    def __init__(self, plan: Plan, feed: FeedKind = "text", *, prompt: Prompt = None) -> None:
        self.plan = plan
        self._state = begin(plan, feed, prompt)

    def feed(self, text: str | None = None, ids: Sequence[int] = ()) -> Events:
        """As `Session.feed`, less what the reducers hold."""
        self._state, told = advance(self.plan, self._state, text, tuple(ids))
        return told.events

    def finish(self) -> Events:
        """As `Session.finish`, and what the reducers held."""
        self._state, told = conclude(self.plan, self._state)
        return told.events


def parse(
    machine: Machine,
    text: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    prompt: Prompt = None,
    at: StartAt = "auto",
    truncated: Truncated = "emit",
    history: int = 0,
) -> Message:
    """The message of one whole output, given as `text` or as token `ids`.

    `history`: calls that earlier messages hold, for ids that count on. Raises ValueError unless exactly one of `text` and
    `ids` is given.
    """
    if (text is None) == (ids is None):
        raise ValueError("parse: give the output either as text or as ids")
    known_word("truncated", truncated, get_args(Truncated))
    feed: FeedKind = "text" if ids is None else "ids"
    stream: Session | Reduced = (
        Session(machine, feed, prompt=prompt, at=at)
        if truncated == "emit"
        else Reduced(Plan(machine, at=at, truncated=truncated), feed, prompt=prompt)
    )
    events = stream.feed(text, ids or ()) + stream.finish()
    return message(events, call_ids(machine.format.ids, history))
