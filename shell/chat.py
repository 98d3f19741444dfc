"""A Chat Completions stream: deltas of a model in, chunks for a client out.

    stream = ChatStream(plan, "ids", prompt=prompt_ids)
    chunks = stream.feed(ids=(7, 8)) ... stream.finish("stop")
    end    = last_bytes([stream], prompt_tokens)               when all answers of the request are finished

A `ChatStream` is one answer, and the only thing here that changes; what it writes is made by `choice` and `chunks`, which are
pure. `sse.frames` makes bytes of chunks; `feed_bytes` does both at once, and fast.
"""

from __future__ import annotations

from collections.abc import Sequence

from unbraid.core.events import Anomaly
from unbraid.core.machine import step
from unbraid.shell.answering import Fed, Standing
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.choice import Spent, Told
from unbraid.shell.chunks import usage_chunks, writer
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.fragments import Fragments, fragments, front, keep
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.plan import Plan
from unbraid.shell.sse import DONE, frames
from unbraid.shell.stamps import Stamp, new_stamp
from unbraid.shell.stops import touches
from unbraid.shell.visible import Logprob


class ChatStream:
    """One answer of one request, as chunks.

    `feed`: `text`, `ids`, or `both`. `prompt`: the rendered prompt; as token ids it is counted and, if asked for, sent.
    `choice`: index of this answer. `stamp`: the same for all answers of a request; made up if not given.

    Raises ValueError for a feed of text if the plan asks for token ids or log probabilities.
    """

    def __init__(
        self,
        plan: Plan,
        feed: FeedKind = "text",
        *,
        prompt: Prompt = None,
        choice: int = 0,
        stamp: Stamp | None = None,
    ) -> None:
        self.plan = plan
        self.stamp = stamp or new_stamp()
        self._fed = Fed(plan, feed, prompt)
        self._write = writer(plan, self.stamp, choice, self._fed.prompt)
        self._opened = False
        self._front = front(self._write.chunk({}, Spent()))
        self._known: Fragments = fragments(plan.machine.bound, plan.reasoning_field) if plan.stopped_only else {}

    @property
    def anomalies(self) -> list[Anomaly]:
        """What was odd so far, for logs and metrics."""
        return self._fed.anomalies

    @property
    def spent(self) -> Spent:
        """Tokens so far."""
        return self._fed.spent

    @property
    def stopped(self) -> str | None:
        """The stop string that was found: the engine may stop, nothing that follows will be shown."""
        return self._fed.stopped

    def feed(
        self, text: str | None = None, ids: Sequence[int] = (), logprobs: Sequence[Logprob] = ()
    ) -> tuple[ChatChunk, ...]:
        """The chunks of one step of the model; the first that gives anything begins with the role chunk, so that until then
        a failure can be an ordinary response.

        `logprobs`: one for each of `ids`, if the plan asks for them; else ValueError.
        """
        told = self._fed.feed(text, ids, logprobs)
        return self._chunks(told) if self._opened or text or ids else ()

    def feed_bytes(self, text: str | None = None, ids: Sequence[int] = (), logprobs: Sequence[Logprob] = ()) -> bytes:
        """As `feed`, as server-sent events. The bytes of a token that was written before are looked up."""
        fed, stops = self._fed, self.plan.stops
        if not self._opened or fed.finished or not self.plan.stopped_only or (stops and not fed.idle):
            return frames(self.feed(text, ids, logprobs))
        ids = tuple(ids)
        parser, events = step(self.plan.machine, fed.parser, text, ids)
        if not events:
            fed.move(parser, ids)
            return b""
        known = self._known.get(id(events[0])) if len(events) == 1 else None
        if known is not None and not (stops and touches(stops, known[0])):
            fed.move(parser, ids, known[2])
            return self._front + known[1]
        told = fed.take(parser, ids, events)
        written = frames(self._write.body(told, fed.spent))
        if told.events == events:
            keep(self._known, events, self._front, written)
        return written

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
        self._fed.state, self._fed.finished = standing.choice, standing.finished
        self._opened = standing.opened

    def _chunks(self, told: Told) -> tuple[ChatChunk, ...]:
        opening = [] if self._opened else self._write.opening()
        self._opened = True
        return (*opening, *self._write.body(told, self._fed.spent))


def last_bytes(streams: Sequence[ChatStream], prompt_tokens: int) -> bytes:
    """What follows the answers of a request: the usage chunk, if it is asked for, and the end of the stream."""
    first = streams[0]
    spent = [stream.spent for stream in streams]
    return frames(usage_chunks(first.plan, first.stamp, prompt_tokens, spent)) + DONE
