"""An answer under speculative decoding: draft tokens are proposed, some are accepted, the rest never was.

    draft  = chat.propose(ids)           what they would mean; the client sees nothing
    chunks = chat.accept(count)          the first `count` of them count, the others are rolled back
    chunks = chat.finish("stop")

Parser, detokenizer, token view, stop strings and chunks go back together, because all of them are one value. The chunks are
those of a `ChatStream` that is fed the accepted tokens one by one. A draft tells the engine where its grammar applies:

    reasoning_end    ids of the draft that belong to reasoning; None: it does not end in it
    provisional      after each id, how many tokens ago a call's opener began that is still pending; None: none is
    stopped          ids up to and with the one that completes a stop string; None: none does
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from unbraid.core.events import Anomaly, Events
from unbraid.core.tokens import provisional_since, reasoning_end_index
from unbraid.shell.answering import Standing
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.choice import ChoiceState, Spent, Told, advance, begin, conclude
from unbraid.shell.chunks import writer
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.opening import Prompt, prompt_ids, prompt_size
from unbraid.shell.plan import Plan
from unbraid.shell.stamps import Stamp, new_stamp
from unbraid.shell.visible import Logprob


@frozen
class Draft:
    """Proposed ids, and what they mean if all are accepted: for each id its `events`, and the words above."""

    ids: tuple[int, ...]
    events: tuple[Events, ...] = ()
    reasoning_end: int | None = None
    provisional: tuple[int | None, ...] = ()
    stopped: int | None = None


@frozen
class Proposed:
    """One draft token: what the host gave, and where the answer stands behind it."""

    id: int
    logprob: Logprob | None
    state: ChoiceState
    told: Told


class SpeculativeChat:
    """One answer of one request, fed with token ids. The arguments are those of `ChatStream`.

    Raises ValueError if the plan's machine was bound without a vocabulary.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        prompt: Prompt = None,
        prompt_tokens: int | None = None,
        choice: int = 0,
        stamp: Stamp | None = None,
    ) -> None:
        self.plan = plan
        self.stamp = stamp or new_stamp()
        self.choice = choice
        self.prompt = prompt_ids(prompt)
        self.prompt_tokens = prompt_size(prompt, prompt_tokens)
        self.anomalies: list[Anomaly] = []
        self.standing = Standing(begin(plan, "ids", prompt))
        self.proposed: tuple[Proposed, ...] = ()
        self._write = writer(plan, self.stamp, choice, self.prompt, self.prompt_tokens)

    @property
    def spent(self) -> Spent:
        """Accepted tokens so far."""
        return self.standing.choice.spent

    @property
    def stopped(self) -> str | None:
        """The stop string that was found in accepted tokens."""
        return self.standing.choice.stop.found

    def propose(self, ids: Sequence[int], logprobs: Sequence[Logprob] = ()) -> Draft:
        """What the draft means. `logprobs`: one for each id, if the plan asks for them.

        Raises ValueError if there is a draft already, or the answer is finished.
        """
        self._must_be_open("propose")
        if self.proposed:
            raise ValueError(f"propose: a draft of {len(self.proposed)} ids is open; accept some of them, or 0")
        if self.plan.logprobs is not None and len(logprobs) != len(ids):
            raise ValueError(f"propose: the plan asks for one log probability for each of {len(ids)} ids")
        state, proposed = self.standing.choice, []
        for place, token in enumerate(ids):
            logprob = logprobs[place] if logprobs else None
            state, told = advance(self.plan, state, None, (token,), (logprob,) if logprob is not None else ())
            proposed.append(Proposed(token, logprob, state, told))
        self.proposed = tuple(proposed)
        return self.draft()

    def draft(self) -> Draft:
        """The open draft."""
        ids = tuple(one.id for one in self.proposed)
        machine, parser = self.plan.machine, self.standing.choice.parser
        stops = (count for count, one in enumerate(self.proposed, 1) if one.state.stop.found is not None)
        return Draft(
            ids,
            tuple(one.told.events for one in self.proposed),
            reasoning_end_index(machine, parser, ids),
            tuple(provisional_since(one.state.parser) for one in self.proposed),
            next(stops, None),
        )

    def accept(self, count: int) -> tuple[ChatChunk, ...]:
        """The first `count` ids of the draft count, the others never were. The chunks of these tokens, one by one.

        Raises ValueError for a count that the draft does not have.
        """
        if not 0 <= count <= len(self.proposed):
            raise ValueError(f"accept: {count} of a draft of {len(self.proposed)} ids")
        accepted, self.proposed = self.proposed[:count], ()
        return tuple(chunk for one in accepted for chunk in self._move(one.state, one.told))

    def finish(self, reason: EngineReason | None = None, stop_reason: str | int | None = None) -> tuple[ChatChunk, ...]:
        """The last chunks; an open draft never was. `reason`, `stop_reason`: as in `ChatStream.finish`."""
        self._must_be_open("finish")
        self.proposed = ()
        state, told = conclude(self.plan, self.standing.choice)
        chunks = self._move(state, told)
        self.standing = Standing(state, opened=True, finished=True)
        return (*chunks, self._write.end(state, reason, stop_reason))

    def _move(self, state: ChoiceState, told: Told) -> list[ChatChunk]:
        """Stand at `state`; what the client reads on the way there."""
        opening = [] if self.standing.opened else self._write.opening()
        self.standing = Standing(state, opened=True)
        self.anomalies += [event for event in told.events if isinstance(event, Anomaly)]
        return [*opening, *self._write.body(told, state.spent)]

    def _must_be_open(self, what: str) -> None:
        if self.standing.finished:
            raise ValueError(f"{what}: the answer is finished")
