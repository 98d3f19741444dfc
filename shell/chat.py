"""A Chat Completions stream: deltas of a model in, chunks for a client out.

    stream  = role-chunk body-chunk* finish-chunk
    role    = {"role": "assistant", "content": ""}     sent with the first step, so that an early failure can still be one
    body    = the deltas of one step (`deltas`); a step that decides nothing sends nothing
    finish  = an empty delta with the finish reason

A chunk is a plain dictionary that can be dumped as it is.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence

from attrs import frozen

from unbraid.core.bind import Machine
from unbraid.core.events import Anomaly, Events, ToolCallEnd
from unbraid.shell.call_ids import call_ids
from unbraid.shell.chat_shapes import ChatChunk, Delta
from unbraid.shell.deltas import ReasoningField, deltas
from unbraid.shell.finish_reasons import EngineReason, FinishReason, finish_reason
from unbraid.shell.session import FeedKind, Prompt, Reduced, StartAt
from unbraid.shell.truncated import Truncated


@frozen
class ChatOptions:
    """How a stream is written.

    `reasoning_field`: key of reasoning in deltas. `truncated`: what becomes of calls that are cut off. `named_choice`: the
    request forced one function, so a call is no reason to finish. `history`: calls in earlier messages, for ids that count
    on. `choice`: index of this answer. `chunk_id`, `created` (seconds since 1970): the same for all answers of a request;
    made up if not given.
    """

    reasoning_field: ReasoningField = "reasoning_content"
    truncated: Truncated = "emit"
    named_choice: bool = False
    history: int = 0
    choice: int = 0
    chunk_id: str | None = None
    created: int | None = None


class ChatStream:
    """One answer of one request. `anomalies` collects what was odd, for logs and metrics."""

    def __init__(
        self,
        machine: Machine,
        model: str,
        feed: FeedKind = "text",
        *,
        prompt: Prompt = None,
        at: StartAt = "auto",
        options: ChatOptions = ChatOptions(),
    ) -> None:
        self.anomalies: list[Anomaly] = []
        self._session = Reduced(machine, feed, prompt=prompt, at=at, truncated=options.truncated)
        self._name_call = call_ids(machine.format.ids, options.history)
        self._options = options
        self._model = model
        self._id = options.chunk_id or f"chatcmpl-{secrets.token_hex(12)}"
        self._created = int(time.time()) if options.created is None else options.created
        self._complete = 0
        self._opened = False

    def feed(self, text: str | None = None, ids: Sequence[int] = ()) -> tuple[ChatChunk, ...]:
        """The chunks of one step of the model; the first step begins with the role chunk."""
        return tuple(self._opening() + self._body(self._session.feed(text, ids)))

    def finish(self, reason: EngineReason = "stop") -> tuple[ChatChunk, ...]:
        """The last chunks. `reason`: why the engine stopped."""
        body = self._opening() + self._body(self._session.finish())
        end = finish_reason(reason, self._complete, named=self._options.named_choice)
        return (*body, self._chunk({}, end))

    def _opening(self) -> list[ChatChunk]:
        if self._opened:
            return []
        self._opened = True
        return [self._chunk({"role": "assistant", "content": ""})]

    def _body(self, events: Events) -> list[ChatChunk]:
        self._note(events)
        parts: Iterable[Delta] = deltas(events, self._name_call, self._options.reasoning_field)
        return [self._chunk(part) for part in parts]

    def _note(self, events: Events) -> None:
        for event in events:
            if isinstance(event, Anomaly):
                self.anomalies.append(event)
            elif isinstance(event, ToolCallEnd) and event.complete:
                self._complete += 1

    def _chunk(self, delta: Delta, end: FinishReason | None = None) -> ChatChunk:
        return {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
            "choices": [{"index": self._options.choice, "delta": delta, "finish_reason": end}],
        }
