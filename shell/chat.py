"""A Chat Completions stream: deltas of a model in, chunks for a client out.

    stream = ChatStream(plan, "ids", prompt=prompt_ids)
    chunks = stream.feed(ids=(7, 8)) ... stream.finish("stop")
    end    = last_bytes([stream])                              when all answers of the request are finished

A `ChatStream` is one answer, and the only thing here that changes; what it writes is made by `choice` and `chunks`, which are
pure. `sse.frames` makes bytes of chunks; `feed_bytes` does both at once, and fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from unbraid.core.events import Event, Events
from unbraid.core.machine import step
from unbraid.core.records import ParserState
from unbraid.core.tokens import count_reasoning_tokens
from unbraid.shell.answering import Answer, Fed, Standing
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.choice import Delta, Spent, Told
from unbraid.shell.chunks import usage_chunks, writer
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.fragments import (
    Fragment,
    Fragments,
    Seams,
    TextEvent,
    fragments,
    front,
    joined,
    keep,
    seam_of,
    seams,
)
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.passing import Passing
from unbraid.shell.plan import Plan
from unbraid.shell.sse import DONE, frames
from unbraid.shell.stamps import Stamp
from unbraid.shell.stops import touches
from unbraid.shell.token_shapes import written_logprobs
from unbraid.shell.visible import Given, Logprob, Shown, is_read

FEW: Final = 16
"""Most events of a step that are kept."""


class ChatStream(Answer):
    """One answer of one request, as chunks.

    `feed`: `text`, `ids`, or `both`. `prompt`: the rendered prompt; as token ids it is counted and, if asked for, sent.
    `prompt_tokens`: how many tokens it has, where it is a text, which only the host can count: without it, usage in every chunk
    says 0. `choice`: index of this answer. `stamp`: the same for all answers of a request; made up if not given.

    Raises ValueError for a feed of text if the plan asks for token ids or log probabilities.
    """

    def __init__(
        self,
        plan: Plan,
        feed: FeedKind = "text",
        *,
        prompt: Prompt = None,
        prompt_tokens: int | None = None,
        choice: int = 0,
        stamp: Stamp | None = None,
    ) -> None:
        super().__init__(plan, Fed(plan, feed, prompt, prompt_tokens), stamp)
        self._write = writer(plan, self.stamp, choice, self._fed.prompt, self._fed.prompt_tokens)
        self._opened = False
        self._front = front(self._write.chunk({}, Spent()))
        self._known: Fragments = fragments(plan) if plan.plain else {}
        self._seams: Seams = seams(plan) if plan.plain else {}
        self._stops, self._most, self._shows_tokens = plan.stops, plan.logprobs, plan.shows_tokens

    def feed(
        self, text: str | None = None, ids: Sequence[int] = (), logprobs: Sequence[Logprob] = ()
    ) -> tuple[ChatChunk, ...]:
        """The chunks of one step of the model; the first that gives anything begins with the role chunk, so that until then
        a failure can be an ordinary response.

        `logprobs`: one for each of `ids`, or ValueError, if the plan asks for them; else they are ignored.
        """
        if self._fed.quick and self._opened and not self._shows_tokens:
            return self._pass(text, tuple(ids))
        told = self._fed.feed(text, ids, logprobs)
        return self._chunks(told) if self._opened or text or ids else ()

    def feed_bytes(self, text: str | None = None, ids: Sequence[int] = (), logprobs: Sequence[Logprob] = ()) -> bytes:
        """As `feed`, as server-sent events. The bytes of a token that was written before are looked up."""
        fed, ids = self._fed, tuple(ids)
        logprobs = () if self._most is None else logprobs
        if not (fed.quick and self._opened) or (self._most is not None and len(logprobs) != len(ids)):
            return frames(self.feed(text, ids, logprobs))
        parser, events = step(self.plan.machine, fed.parser, text, ids)
        if self._shows_tokens:
            return self._with_tokens(parser, (text, ids, logprobs), events)
        if not events:
            fed.move(parser, ids)
            return b""
        if len(events) > 1:
            return self._several(parser, (text, ids, logprobs), events)
        known = self._known.get(id(events[0]))
        if known is None or (self._stops and touches(self._stops, known.event)):
            return self._take(parser, (text, ids, logprobs), events)
        fed.move(parser, ids, known.thought)
        return self._front + known.head if known.head else b""

    def finish(self, reason: EngineReason | None = None, stop_reason: str | int | None = None) -> tuple[ChatChunk, ...]:
        """The last chunks. `reason`: why the engine stopped; `stop_reason`: the string or token id it stopped at.

        Without a reason: `length` if the answer has as many tokens as the request allows and does not end with one that ends
        a turn (`turn_ends`), else `stop`. A feed of text counts no tokens: there only the engine can say `length`.
        """
        return (*self.abort(), self._write.end(self._fed.state, reason, stop_reason))

    def abort(self) -> tuple[ChatChunk, ...]:
        """What was held, if the engine breaks off: `sse.failure` should follow, and no finish reason does."""
        return self._chunks(self._fed.conclude())

    def snapshot(self) -> Standing:
        """Where the answer stands. A value: keep it, go back to it, write it down (`handover`)."""
        return Standing(self._fed.state, self._opened, self._fed.finished)

    def restore(self, standing: Standing) -> None:
        """Stand where `standing` was taken, of this plan. What was fed since never was; `anomalies` keeps its entries."""
        self._fed.stand(standing.choice, finished=standing.finished)
        self._opened = standing.opened

    def _pass(self, text: str | None, ids: tuple[int, ...]) -> tuple[ChatChunk, ...]:
        """The chunks of a step where no reducer holds anything: text passes them all."""
        fed = self._fed
        parser, events = step(self.plan.machine, fed.parser, text, ids)
        for event in events:
            if not isinstance(event, TextEvent) or (self._stops and touches(self._stops, event)):
                return self._chunks(fed.take(parser, (text, ids, ()), events))
        fed.move(parser, ids, count_reasoning_tokens(events))
        return tuple(self._write.body(Told(events), Spent())) if events else ()

    def _several(self, parser: ParserState, delta: Delta, events: Events) -> bytes:
        """The bytes of a step that gave several events: one chunk, if they are of one strand."""
        pieces: list[Fragment] = []
        for event in events:
            known = self._known.get(id(event))
            if known is None or (self._stops and touches(self._stops, event)):
                return self._take(parser, delta, events)
            pieces.append(known)
        body = joined(pieces)
        if body is None:
            return self._take(parser, delta, events)
        self._fed.move(parser, delta[1], sum([piece.thought for piece in pieces]))
        return self._front + body if body else b""

    def _with_tokens(self, parser: ParserState, delta: Delta, events: Events) -> bytes:
        """The bytes of a step where tokens are shown."""
        fed, (_, ids, logprobs) = self._fed, delta
        if not events:
            fed.move(parser, ids)
            fed.passing.hold(ids, logprobs)
            return b""
        known = self._known.get(fed.passing.key(events[0])) if len(events) == 1 else None
        if known is None or (self._stops and touches(self._stops, known.event)):
            return self._take(parser, delta, events)
        shown = fed.passing.passed(ids, logprobs, known)
        if shown is None:
            return self._take(parser, delta, events)
        fed.move(parser, ids, known.thought)
        if self._most is None or not known.head:
            return self._front + known.head if known.head else b""
        return self._front + known.head + self._own(shown) + known.tail

    def _take(self, parser: ParserState, delta: Delta, events: Events) -> bytes:
        """The bytes of a step that might have gone by its fragment, but was not known; if it can be, it is from now on."""
        fed, before = self._fed, self._fed.passing
        told = fed.take(parser, delta, events)
        written = frames(self._write.body(told, fed.spent))
        if not fed.quick or told.events != events:
            return written
        if not self._shows_tokens:
            self._keep_each(events)
        elif len(events) == 1:
            self._keep(events[0], before, delta[1], written, told.shown[0])
        return written

    def _keep_each(self, events: Events) -> None:
        """Keep what is written for each of `events` alone; of many that would take longer than it saves."""
        for event in events if len(events) <= FEW else ():
            if isinstance(event, TextEvent) and id(event) not in self._known:
                seam = seam_of(self._seams, event, self._alone)
                keep(self._known, id(event), event, self._alone(event), seam=seam)

    def _alone(self, event: Event) -> bytes:
        """What is behind the front of a chunk for `event` alone, without tokens."""
        return frames(self._write.body(Told((event,)), Spent())).removeprefix(self._front)

    def _keep(self, event: Event, before: Passing, ids: tuple[int, ...], written: bytes, shown: Shown) -> None:
        """Keep what was written for an event of tokens: `ids`, and those that waited."""
        covers = before.covers(ids, event.points, self._fed.passing)
        tokens = [(token.id, token.logprob) for token in shown]
        read = is_read(event, reasoning=self.plan.shows_reasoning)
        if covers is not None and (not read or tuple([token for token, _ in tokens]) == covers.shown):
            own = b"" if self._most is None else self._own(tokens)
            keep(self._known, before.key(event), event, written.removeprefix(self._front), covers, own)

    def _own(self, tokens: Iterable[Given]) -> bytes:
        """The log probabilities of `tokens`."""
        return written_logprobs(tokens, self.plan.machine.vocabulary, self._most or 0).encode()

    def _chunks(self, told: Told) -> tuple[ChatChunk, ...]:
        opening = [] if self._opened else self._write.opening()
        self._opened = True
        return (*opening, *self._write.body(told, self._fed.spent))


def last_bytes(streams: Sequence[ChatStream], prompt_tokens: int | None = None) -> bytes:
    """What follows the answers of a request: the usage chunk, if it is asked for, and the end of the stream. `prompt_tokens`: if
    the streams do not know them."""
    first = streams[0]
    prompt_tokens = first.prompt_tokens if prompt_tokens is None else prompt_tokens
    spent = [stream.spent for stream in streams]
    return frames(usage_chunks(first.plan, first.stamp, prompt_tokens, spent)) + DONE
