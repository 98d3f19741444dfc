"""The token view: what an engine asks about reasoning, in token ids, answered by the same tables.

An engine that constrains the answer with a grammar must know, token by token, whether reasoning is over; with
speculative decoding it must know where in a draft. Nothing here reads text in another way than `step` does: a draft is
stepped through from an old state, which stays good.
"""

from __future__ import annotations

from collections.abc import Iterable

from unbraid.core.bind import Machine
from unbraid.core.events import Events, ReasoningChunk, ReasoningEnd, ToolCallStart
from unbraid.core.machine import step
from unbraid.core.records import IdsFeed, ParserState, Spot, TextFeed


def reasoning_ended(machine: Machine, state: ParserState) -> bool:
    """Is the output past its reasoning? A provisional opener does not end it yet (see `provisional_since`)."""
    trial = state.trial
    spot = trial.before if trial is not None and trial.kind != "closing" else state
    return _past(machine, spot)


def _past(machine: Machine, spot: ParserState | Spot) -> bool:
    channel = machine.text_table.regions[spot.at.region].channel
    if channel == "none":
        return not spot.thinking and spot.calls > 0
    return channel != "reasoning"


def provisional_since(state: ParserState) -> int | None:
    """How many tokens ago an opener (with the white space that belongs to it) began that is still pending; a grammar for calls must already apply. None: none is.

    Counts tokens, 0 in text feeds.
    """
    trial = state.trial
    if trial is None or trial.kind == "closing":
        return None
    return _waiting(state)


def reasoning_end_index(machine: Machine, state: ParserState, draft_ids: tuple[int, ...]) -> int | None:
    """How many of `draft_ids` belong to reasoning: up to and including the id that completes the end marker, or, if a call
    ends it, the ids before the opener and the white space that belongs to it. None if reasoning does not end in the draft; 0 if it is over already.

    Raises TypeError for a state of a text feed.
    """
    if reasoning_ended(machine, state):
        return 0
    here = _as_ids(machine, state)
    seen = -_waiting(here)
    for count, token in enumerate(draft_ids, 1):
        here, events = step(machine, here, None, (token,))
        if reasoning_ended(machine, here):
            implicit = _before_opener(events)
            return count if implicit is None else max(seen + implicit, 0)
        seen += sum(event.tokens for event in events)
    return None


def _waiting(state: ParserState) -> int:
    """Tokens that were read and are in no event yet."""
    return len(state.marks) + (0 if state.trial is None else sum(map(len, state.trial.marks)))


def _before_opener(events: Events) -> int | None:
    """Tokens before the end of reasoning, if a call ended it."""
    if not any(isinstance(event, ToolCallStart) for event in events):
        return None
    count = 0
    for event in events:
        if isinstance(event, ReasoningEnd):
            return count
        count += event.tokens
    return None


def _as_ids(machine: Machine, state: ParserState) -> ParserState:
    """The state as one that reads ids. Ids that its host did not show yet are read: the draft comes behind them."""
    feed = state.feed
    if isinstance(feed, TextFeed):
        raise TypeError("the token view needs a state of an ids or both feed, not of a text feed")
    if isinstance(feed, IdsFeed):
        return state
    plain = IdsFeed(feed.pending, feed.blank)
    here = ParserState(
        state.at, plain, state.calls, state.call, state.thinking, state.edge, state.trial, state.hold, state.marks
    )
    return step(machine, here, None, feed.queue)[0] if feed.queue else here


def count_reasoning_tokens(events: Iterable[object]) -> int:
    """The tokens of reasoning text; markers are none.

    >>> count_reasoning_tokens([ReasoningChunk("so", 2, 1), ReasoningEnd(), ReasoningChunk("on", 2, 2)])
    3
    """
    return sum(event.tokens for event in events if isinstance(event, ReasoningChunk))


def content_ids(machine: Machine, state: ParserState, ids: tuple[int, ...]) -> tuple[int, ...]:
    """The ids behind the end of reasoning: all if it was over before, none if it does not end in them."""
    index = reasoning_end_index(machine, state, ids)
    return () if index is None else ids[index:]
