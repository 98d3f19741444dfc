"""One answer as a pure machine: a plan and the engine's output in, events for the client out.

    parser      deltas to events (the core)
    named       content to the arguments of a forced call          `forced_json`
    cut         calls that are cut off                              `truncated`
    fit         what another server drops or trims                  `compat_stream`
    calls       calls that the client does not see                  `hidden`
    thought     reasoning as content, at the end                    `promotion`
    stop        stop strings                                        `stops`
    tokens      which tokens the client may know of                 `visible`

Every step takes events and gives events that account for the same source, so each can rely on counts. The state is one
frozen record of all of them: going back is using an older one, whatever was fed in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from attrs import evolve, field, frozen

from unbraid.core.events import Events, ToolCallEnd
from unbraid.core.machine import finish, start, step
from unbraid.core.records import InStep, ParserState, TextFeed
from unbraid.core.tokens import count_reasoning_tokens
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell import transcript
from unbraid.shell.compat_stream import Fit, fitting, fitting_end
from unbraid.shell.forced_json import Named, named_call, named_end
from unbraid.shell.hidden import visible_calls
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.plan import Plan
from unbraid.shell.promotion import Thought, promote, remember
from unbraid.shell.stops import Stop, stop_at, stop_end
from unbraid.shell.transcript import Source
from unbraid.shell.truncated import Cut, whole_calls, whole_calls_end
from unbraid.shell.visible import Logprob, Shown, Tokens, add_tokens, show_tokens

Delta: TypeAlias = tuple[str | None, tuple[int, ...], Sequence[Logprob]]
"""What the engine gave in one step: text, ids, and one log probability for each id or none."""


@frozen
class Spent:
    """Tokens of one answer: all that the engine gave, and those of reasoning text, shown or not."""

    completion: int = 0
    reasoning: int = 0


@frozen
class ChoiceState:
    """Where an answer stands. `complete`: how many calls with complete arguments the client has seen. `last`: the last token id,
    -1 if there is none."""

    parser: ParserState
    named: Named = field(factory=Named)
    cut: Cut = field(factory=Cut)
    thought: Thought = field(factory=Thought)
    stop: Stop = field(factory=Stop)
    tokens: Tokens = field(factory=Tokens)
    complete: int = 0
    spent: Spent = Spent()
    fit: Fit = field(factory=Fit)
    last: int = -1


@frozen
class Told:
    """What one step tells the client: events, and for each the tokens that it makes visible (empty if nobody asks)."""

    events: Events = ()
    shown: tuple[Shown, ...] = ()


def begin(plan: Plan, feed: FeedKind = "text", prompt: Prompt = None) -> ChoiceState:
    """The state before the first delta. Raises as `start` does."""
    parser = start(plan.machine, feed, prompt, plan.at)
    blank: bool = getattr(parser.feed, "blank", False) if isinstance(parser, InStep) else False
    return ChoiceState(parser, cut=Cut(source=Source(blank=blank)), tokens=Tokens(blank=blank))


def advance(
    plan: Plan, state: ChoiceState, text: str | None, ids: tuple[int, ...], logprobs: Sequence[Logprob] = ()
) -> tuple[ChoiceState, Told]:
    """One delta. `logprobs`: one for each id, or none. Raises as `step` does."""
    parser, events = step(plan.machine, state.parser, text, ids)
    return take(plan, state, parser, (text, ids, logprobs), events)


def take(plan: Plan, state: ChoiceState, parser: ParserState, delta: Delta, events: Events) -> tuple[ChoiceState, Told]:
    """Behind a step by `delta`, which gave `events` and left the parser where it is."""
    text, ids, logprobs = delta
    known = None if _by_text(parser) else plan.machine.vocabulary
    fed = _feed(plan, state, known, text, ids, logprobs)
    return _reduce(plan, fed, parser, ids, events)


def conclude(plan: Plan, state: ChoiceState) -> tuple[ChoiceState, Told]:
    """The engine's output is over."""
    parser, events = finish(plan.machine, state.parser)
    cut = state.cut
    cut = Cut(cut.waiting, cut.open, cut.gone, transcript.finish(cut.source))
    fed = evolve(state, cut=cut)
    return _reduce(plan, fed, parser, (), events, final=True)


def moved(state: ChoiceState, parser: ParserState, tokens: Tokens, spent: Spent, last: int) -> ChoiceState:
    """Behind steps that moved nothing else."""
    return ChoiceState(
        parser, state.named, state.cut, state.thought, state.stop, tokens, state.complete, spent, state.fit, last
    )


def _complete(events: Events) -> int:
    return sum(isinstance(event, ToolCallEnd) and event.complete for event in events)


def _by_text(parser: ParserState) -> bool:
    return isinstance(parser, InStep) and isinstance(parser.feed, TextFeed)


def _feed(
    plan: Plan,
    state: ChoiceState,
    known: Vocabulary | None,
    text: str | None,
    ids: tuple[int, ...],
    logprobs: Sequence[Logprob],
) -> ChoiceState:
    """What must be remembered of the delta itself."""
    cut, tokens = state.cut, state.tokens
    if plan.truncated != "emit":
        cut = Cut(cut.waiting, cut.open, cut.gone, transcript.feed(cut.source, known, text, ids))
    if plan.shows_tokens and known is not None:
        tokens = add_tokens(tokens, known, ids, logprobs)
    if cut is state.cut and tokens is state.tokens:
        return state
    return ChoiceState(
        state.parser,
        state.named,
        cut,
        state.thought,
        state.stop,
        tokens,
        state.complete,
        state.spent,
        state.fit,
        state.last,
    )


def _reduce(
    plan: Plan, state: ChoiceState, parser: ParserState, ids: tuple[int, ...], events: Events, *, final: bool = False
) -> tuple[ChoiceState, Told]:
    """The `events` of `ids`, behind which the parser stands, through all reducers, in the order of the table above."""
    spent = Spent(state.spent.completion + len(ids), state.spent.reasoning + count_reasoning_tokens(events))
    named, cut, fit, thought = state.named, state.cut, state.fit, state.thought
    if plan.reduced:
        named, events = _named(plan, named, events, final=final)
        cut, events = _whole(plan, cut, events, final=final)
        fit, events = _fitted(plan, fit, events, final=final)
        events = visible_calls(plan.calls, events)
        thought, events = _promoted(plan, thought, events, final=final)
    stop, events = _stopped(plan, state.stop, events, final=final) if plan.stops else (state.stop, events)
    tokens, shown = _tokens(plan, state.tokens, events)
    complete = state.complete + sum(isinstance(event, ToolCallEnd) and event.complete for event in events)
    last = ids[-1] if ids else state.last
    return ChoiceState(parser, named, cut, thought, stop, tokens, complete, spent, fit, last), Told(events, shown)


def _named(plan: Plan, named: Named, events: Events, *, final: bool) -> tuple[Named, Events]:
    named, events = named_call(plan.named, named, events)
    if not final:
        return named, events
    named, rest = named_end(plan.named, named)
    return named, events + rest


def _whole(plan: Plan, cut: Cut, events: Events, *, final: bool) -> tuple[Cut, Events]:
    if plan.truncated == "emit":
        return cut, events
    cut, events = whole_calls(plan.truncated, plan.openers, cut, events)
    if not final:
        return cut, events
    cut, rest = whole_calls_end(plan.truncated, plan.openers, cut)
    return cut, events + rest


def _fitted(plan: Plan, fit: Fit, events: Events, *, final: bool) -> tuple[Fit, Events]:
    if plan.habit is None:
        return fit, events
    fit, events = fitting(plan.habit, plan.machine.tools, fit, events)
    if not final:
        return fit, events
    fit, rest = fitting_end(plan.habit, fit)
    return fit, events + rest


def _promoted(plan: Plan, thought: Thought, events: Events, *, final: bool) -> tuple[Thought, Events]:
    if not plan.promote:
        return thought, events
    thought = remember(thought, events)
    return thought, (events + promote(thought) if final else events)


def _stopped(plan: Plan, stop: Stop, events: Events, *, final: bool) -> tuple[Stop, Events]:
    stop, events = stop_at(plan.stops, stop, events)
    if not final:
        return stop, events
    stop, rest = stop_end(stop)
    return stop, events + rest


def _tokens(plan: Plan, tokens: Tokens, events: Events) -> tuple[Tokens, tuple[Shown, ...]]:
    if not plan.shows_tokens:
        return tokens, ()
    return show_tokens(tokens, events, reasoning=plan.shows_reasoning)
