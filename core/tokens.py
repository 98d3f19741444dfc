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
from unbraid.core.records import Behind, IdsFeed, InStep, ParserState, Spot, Tentative, TextFeed, Within


def reasoning_ended(machine: Machine, state: ParserState) -> bool:
    """Is the visible output past its reasoning? A provisional opener does not end it yet (see `provisional_since`)."""
    here = _here(state)
    trial = here.trial
    return _past(machine, trial.before if trial is not None and trial.kind != "closing" else here)


def _here(state: ParserState) -> InStep:
    """Where the state stands, without what a block has read so far."""
    base = state.base if isinstance(state, Behind | Within) else state
    return base.place.here if isinstance(base, Tentative) else base


def _past(machine: Machine, spot: InStep | Spot) -> bool:
    channel = machine.text_table.regions[spot.at.region].channel
    if channel == "none":
        return not spot.thinking and spot.calls > 0
    return channel != "reasoning"


def provisional_since(state: ParserState) -> int | None:
    """How many tokens ago an opener that is still pending began, with the white space that belongs to it; a grammar for
    calls must already apply. None: none is pending.

    Counts tokens, 0 in text feeds.
    """
    base = state.base if isinstance(state, Behind | Within) else state
    trial = _here(base).trial
    return None if trial is None or trial.kind == "closing" else _waiting(base)


def reasoning_end_index(machine: Machine, state: ParserState, draft_ids: tuple[int, ...]) -> int | None:
    """How many of `draft_ids` belong to reasoning: up to and including the id that completes the end marker, or, if a call
    ends it, the ids before the opener and the white space that belongs to it.

    None if reasoning does not end in the draft; 0 if it is over already. Raises TypeError for a state of a text feed.
    """
    if reasoning_ended(machine, state):
        return 0
    here: ParserState = _as_ids(machine, state)
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
    if isinstance(state, Behind | Within):
        return len(state.queue) + _waiting(state.base)
    if isinstance(state, Tentative):
        recent = sum(len(one.marks) for one in state.recent)
        return state.past.tokens + recent + len(state.place.here.marks)
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
    base, queue = (state.base, state.queue) if isinstance(state, Behind | Within) else (state, ())
    feed = base.feed
    if isinstance(feed, TextFeed):
        raise TypeError("the token view needs a state of an ids or both feed, not of a text feed")
    ids = IdsFeed(feed.pending, feed.blank)
    if isinstance(base, Tentative):
        place = machine.pool.place(_fed(base.place.here, ids))
        return step(machine, Tentative(place, base.recent, base.past), None, queue)[0]
    return step(machine, _fed(base, ids), None, queue)[0]


def _fed(base: InStep, feed: IdsFeed) -> InStep:
    """`base`, fed otherwise."""
    return InStep(
        base.at,
        feed,
        base.calls,
        base.call,
        base.thinking,
        base.edge,
        base.trial,
        base.hold,
        base.marks,
    )


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
