"""One answer in the hands of a host: a plan, and the state that the answer stands in.

    fed       = Fed(plan, "ids", prompt=prompt_ids)
    told      = fed.feed(ids=(7, 8)) ... fed.conclude()

What a step tells is written by whoever feeds: as chunks (`chat`), or as one message at the end (`completions`).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from unbraid.core.events import Anomaly, Events
from unbraid.core.records import ParserState
from unbraid.shell.choice import ChoiceState, Delta, Spent, Told, advance, begin, conclude, moved, take
from unbraid.shell.opening import FeedKind, Prompt, prompt_ids, prompt_size
from unbraid.shell.passing import Passing
from unbraid.shell.plan import Plan
from unbraid.shell.stamps import Stamp, new_stamp
from unbraid.shell.visible import Logprob


@frozen
class Standing:
    """Where an answer stands, as a value. `opened`: its first chunks were written; `finished`: its last ones."""

    choice: ChoiceState
    opened: bool = False
    finished: bool = False


class Fed:
    """An answer that is fed. `anomalies` collects what was odd, for logs and metrics. `quick`: what a step by known text does is
    known, whatever was said before (`fragments`): no reducer holds anything.

    `feed`: `text`, `ids`, or `both`. `prompt`: the rendered prompt; as token ids it is counted and, if asked for, sent.
    `prompt_tokens`: how many tokens it has, where it is a text, which only the host can count.

    Raises ValueError for a feed of text if the plan asks for token ids or log probabilities.
    """

    def __init__(self, plan: Plan, feed: FeedKind, prompt: Prompt, prompt_tokens: int | None = None) -> None:
        if feed == "text" and plan.shows_tokens:
            raise ValueError("feed='text': token ids and log probabilities need a feed of ids, or of both")
        self.plan = plan
        self.prompt = prompt_ids(prompt)
        self.prompt_tokens = prompt_size(prompt, prompt_tokens)
        self.anomalies: list[Anomaly] = []
        self.parser: ParserState
        self.stand(begin(plan, feed, prompt), finished=False)

    @property
    def state(self) -> ChoiceState:
        """Where the answer stands."""
        if self._count or self.parser is not self._state.parser:
            tokens = self._state.tokens if self._passing is None else self._passing.tokens
            self._stand(moved(self._state, self.parser, tokens, self.spent, self._last))
        return self._state

    def stand(self, state: ChoiceState, *, finished: bool) -> None:
        """Stand at `state`; `finished`: the answer is over there."""
        self.finished = finished
        self._stand(state)

    def _stand(self, state: ChoiceState) -> None:
        plan = self.plan
        self._state = state
        self.parser = state.parser
        self._count = self._thought = 0
        self._last = state.last
        self._passing: Passing | None = None
        clear = not plan.shows_tokens or state.tokens.ahead is not None
        self.quick = plan.plain and not self.finished and state.stop.idle and clear

    @property
    def passing(self) -> Passing:
        """The tokens of steps that go by fragments; only where they are `quick`."""
        if self._passing is None:
            self._passing = Passing(self._state.tokens, self.plan.machine.vocabulary)
        return self._passing

    def move(self, parser: ParserState, ids: tuple[int, ...], thought: int = 0) -> None:
        """Stand at `parser`, behind a step by `ids`, `thought` tokens of them reasoning, that gave nothing but text, which
        reaches the client as it is. The record of the state is made when it is asked for."""
        self.parser = parser
        if ids:
            self._count += len(ids)
            self._last = ids[-1]
        self._thought += thought

    def take(self, parser: ParserState, delta: Delta, events: Events) -> Told:
        """Stand at `parser`, behind a step by `delta` that gave `events`."""
        state, told = take(self.plan, self.state, parser, delta, events)
        self._stand(state)
        return self._noted(told)

    @property
    def spent(self) -> Spent:
        """Tokens so far."""
        spent = self._state.spent
        return Spent(spent.completion + self._count, spent.reasoning + self._thought)

    @property
    def stopped(self) -> str | None:
        """The stop string that was found: the engine may stop, nothing that follows will be shown."""
        return self._state.stop.found

    def feed(self, text: str | None, ids: Sequence[int], logprobs: Sequence[Logprob]) -> Told:
        """One step of the model. Raises ValueError if the answer is finished, or log probabilities are missing."""
        if self.finished:
            raise ValueError("feed: the answer is finished")
        if self.plan.logprobs is not None and len(logprobs) != len(ids):
            raise ValueError(f"feed: the plan asks for one log probability for each of {len(ids)} ids")
        given = () if self.plan.logprobs is None else logprobs
        state, told = advance(self.plan, self.state, text, tuple(ids), given)
        self._stand(state)
        return self._noted(told)

    def conclude(self) -> Told:
        """The engine's output is over. Raises ValueError if it was already."""
        if self.finished:
            raise ValueError("finish: the answer is finished already")
        state, told = conclude(self.plan, self.state)
        self.stand(state, finished=True)
        return self._noted(told)

    def _noted(self, told: Told) -> Told:
        self.anomalies += [event for event in told.events if isinstance(event, Anomaly)]
        return told


class Answer:
    """What a host may ask of an answer that it feeds. `stamp`: the same for all answers of a request; made up if not given."""

    def __init__(self, plan: Plan, fed: Fed, stamp: Stamp | None) -> None:
        self.plan = plan
        self.stamp = stamp or new_stamp()
        self._fed = fed

    @property
    def anomalies(self) -> list[Anomaly]:
        """What was odd so far, for logs and metrics."""
        return self._fed.anomalies

    @property
    def spent(self) -> Spent:
        """Tokens so far."""
        return self._fed.spent

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the prompt, as far as they are known."""
        return self._fed.prompt_tokens

    @property
    def stopped(self) -> str | None:
        """The stop string that was found: the engine may stop, nothing that follows will be shown."""
        return self._fed.stopped
