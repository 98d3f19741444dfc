"""One answer in the hands of a host: a plan, and the state that the answer stands in.

    fed       = Fed(plan, "ids", prompt=prompt_ids)
    told      = fed.feed(ids=(7, 8)) ... fed.conclude()

What a step tells is written by whoever feeds: as chunks (`chat`), or as one message at the end (`completions`).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from unbraid.core.events import Anomaly
from unbraid.shell.choice import ChoiceState, Spent, Told, advance, begin, conclude
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.plan import Plan
from unbraid.shell.visible import Logprob


@frozen
class Standing:
    """Where an answer stands, as a value. `opened`: its first chunks were written; `finished`: its last ones."""

    choice: ChoiceState
    opened: bool = False
    finished: bool = False


class Fed:
    """An answer that is fed. `anomalies` collects what was odd, for logs and metrics.

    `feed`: `text`, `ids`, or `both`. `prompt`: the rendered prompt; as token ids it is counted and, if asked for, sent.

    Raises ValueError for a feed of text if the plan asks for token ids or log probabilities.
    """

    def __init__(self, plan: Plan, feed: FeedKind, prompt: Prompt) -> None:
        if feed == "text" and plan.shows_tokens:
            raise ValueError("feed='text': token ids and log probabilities need a feed of ids, or of both")
        self.plan = plan
        self.prompt: tuple[int, ...] = () if prompt is None or isinstance(prompt, str) else tuple(prompt)
        self.anomalies: list[Anomaly] = []
        self.state: ChoiceState = begin(plan, feed, prompt)
        self.finished = False

    @property
    def spent(self) -> Spent:
        """Tokens so far."""
        return self.state.spent

    @property
    def stopped(self) -> str | None:
        """The stop string that was found: the engine may stop, nothing that follows will be shown."""
        return self.state.stop.found

    def feed(self, text: str | None, ids: Sequence[int], logprobs: Sequence[Logprob]) -> Told:
        """One step of the model. Raises ValueError if the answer is finished, or log probabilities are missing."""
        if self.finished:
            raise ValueError("feed: the answer is finished")
        if self.plan.logprobs is not None and len(logprobs) != len(ids):
            raise ValueError(f"feed: the plan asks for one log probability for each of {len(ids)} ids")
        self.state, told = advance(self.plan, self.state, text, tuple(ids), logprobs)
        return self._noted(told)

    def conclude(self) -> Told:
        """The engine's output is over. Raises ValueError if it was already."""
        if self.finished:
            raise ValueError("finish: the answer is finished already")
        self.finished = True
        self.state, told = conclude(self.plan, self.state)
        return self._noted(told)

    def _noted(self, told: Told) -> Told:
        self.anomalies += [event for event in told.events if isinstance(event, Anomaly)]
        return told
