"""One answer as a pure machine: a plan and the engine's output in, events for the client out.

    parser      deltas to events (the core)
    named       content to the arguments of a forced call          `forced_json`
    whole       calls that are cut off                              `truncated`
    calls       calls that the client does not see                  `hidden`
    promotion   reasoning as content, at the end                    `promotion`
    stop        stop strings                                        `stops`
    tokens      which tokens the client may know of                 `visible`

Every step takes events and gives events that account for the same source, so each can rely on counts. The state is one
frozen record of all of them: going back is using an older one, whatever was fed in between.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from unbraid.core.events import Event, Events, ReasoningChunk, ToolCallEnd
from unbraid.core.machine import finish, start, step
from unbraid.core.records import ParserState
from unbraid.shell import transcript
from unbraid.shell.forced_json import Named, named_call, named_end
from unbraid.shell.hidden import visible_calls
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.plan import Plan
from unbraid.shell.promotion import Thought, promote, remember
from unbraid.shell.stops import Stop, stop_at, stop_end
from unbraid.shell.transcript import Source
from unbraid.shell.truncated import Cut, opening_terminals, whole_calls, whole_calls_end
from unbraid.shell.visible import Logprob, Shown, Tokens, add_tokens, show_tokens


@frozen
class Spent:
    """Tokens of one answer: all that the engine gave, and those of reasoning text, shown or not."""

    completion: int = 0
    reasoning: int = 0


@frozen
class ChoiceState:
    """Where an answer stands. `complete`: how many calls with complete arguments the client has seen."""

    parser: ParserState
    named: Named = Named()
    cut: Cut = Cut()
    thought: Thought = Thought()
    stop: Stop = Stop()
    tokens: Tokens = Tokens()
    complete: int = 0
    spent: Spent = Spent()


@frozen
class Told:
    """What one step tells the client: events, and for each the tokens that it makes visible (none if nobody asks)."""

    events: Events = ()
    shown: tuple[Shown, ...] = ()


def begin(plan: Plan, feed: FeedKind = "text", prompt: Prompt = None) -> ChoiceState:
    """The state before the first delta. Raises as `start` does."""
    parser = start(plan.machine, feed, prompt, plan.at)
    blank: bool = getattr(parser.feed, "blank", False)
    return ChoiceState(parser, cut=Cut(source=Source(blank=blank)), tokens=Tokens(blank=blank))


def advance(
    plan: Plan, state: ChoiceState, text: str | None, ids: tuple[int, ...], logprobs: Sequence[Logprob] = ()
) -> tuple[ChoiceState, Told]:
    """One delta. `logprobs`: one for each id, where the plan asks for them. Raises as `step` does."""
    parser, events = step(plan.machine, state.parser, text, ids)
    source, tokens = state.cut.source, state.tokens
    vocabulary = plan.machine.vocabulary if ids else None
    if plan.truncated != "emit":
        source = transcript.feed(source, vocabulary, None if ids else _fed(plan, state, text), ids)
    if plan.shows_tokens and vocabulary is not None:
        tokens = add_tokens(tokens, vocabulary, ids, logprobs)
    spent = _spend(state.spent, len(ids), events)
    return _reduce(plan, _State(parser, state.named, state.cut, source, state.thought, state.stop, tokens), events)


"""E
python3 - <<'E'
