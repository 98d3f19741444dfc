"""A small engine for tests: it answers a plan as it is told to, and serves it as a server would.

An output is what the model writes; the engine stops at the strings that the plan leaves to it, keeps to the longest answer,
and writes a forced call if one is demanded. The bytes are those of the response.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from unbraid.shell.chat import ChatStream, last_bytes
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.completions import ChatAnswer, completion
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.opening import FeedKind
from unbraid.shell.plan import Plan
from unbraid.shell.sse import compact, frames
from unbraid.shell.stamps import Stamp
from unbraid.shell.visible import Alternative, Logprob

STAMP = Stamp("chatcmpl-1", 1, "seed")


def output(plan: Plan, text: str) -> tuple[str, EngineReason, str | None]:
    """What the model gets to write of `text`, why it stopped, and the stop string that the engine saw."""
    demand = plan.demand
    if demand.calls in ("required", "named"):
        text = f'<tool_call>{{"name": "{demand.names[0]}", "arguments": {{}}}}</tool_call>'
    for stop in demand.stops:
        if stop in text:
            return text[: text.index(stop)], "stop", stop
    if demand.most_tokens is not None and demand.most_tokens < len(text):
        return text[: demand.most_tokens], "length", None
    return text, "stop", None


def tokens_of(plan: Plan, text: str) -> list[tuple[int, str]]:
    """Single bytes, or dedicated markers, as the made vocabularies have them; without a vocabulary single code points."""
    vocabulary = plan.machine.vocabulary
    if vocabulary is None:
        return [(0, point) for point in text]
    ids: list[tuple[int, str]] = []
    while text:
        marker = next((word for word in vocabulary.added if text.startswith(word)), text[0])
        added = vocabulary.added.get(marker)
        ids.append((vocabulary.pieces.index(marker.encode()) if added is None else added, marker))
        text = text[len(marker) :]
    return ids


def respond(plan: Plan, text: str, prompt: Sequence[int] | str | None = None) -> bytes:
    """The response, streamed or not."""
    prompt_tokens = 0 if prompt is None or isinstance(prompt, str) else len(prompt)
    if not plan.stream:
        answers = [ChatAnswer(plan, _feed(plan), prompt=prompt, choice=one, stamp=STAMP) for one in range(plan.choices)]
        choices = []
        for answer in answers:
            _, reason, stop = _run(plan, text, answer)
            choices.append(answer.finish(reason, stop))
        return compact(completion(answers, choices, prompt_tokens)).encode()
    streams = [ChatStream(plan, _feed(plan), prompt=prompt, choice=one, stamp=STAMP) for one in range(plan.choices)]
    body = b""
    for stream in streams:
        chunks, reason, stop = _run(plan, text, stream)
        body += frames([*chunks, *stream.finish(reason, stop)])
    return body + last_bytes(streams, prompt_tokens)


def _feed(plan: Plan) -> FeedKind:
    return "text" if plan.machine.vocabulary is None else "ids"


def _run(plan: Plan, text: str, to: ChatStream | ChatAnswer) -> tuple[list[ChatChunk], EngineReason, str | None]:
    written, reason, stop = output(plan, text)
    chunks: list[ChatChunk] = []
    for token, piece in tokens_of(plan, written):
        if _feed(plan) == "text":
            told = to.feed(piece)
        else:
            top = (Alternative(piece, -0.5), Alternative("x", -1.5))
            told = to.feed(None, (token,), (Logprob(piece, -0.5, top=top),))
        chunks += told or ()
        if to.stopped is not None:
            break
    return chunks, reason, stop


def events(body: bytes) -> list[dict[str, object]]:
    """The objects of a stream, without the end."""
    *found, end, rest = body.split(b"\n\n")
    assert (end, rest) == (b"data: [DONE]", b"")
    return [json.loads(event.removeprefix(b"data: ")) for event in found]
