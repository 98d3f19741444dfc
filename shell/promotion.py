"""Content promotion: what was only thought is also said, where the request asks for content in any case.

    chat_template_kwargs      formats
    force_nonempty_content    all          true: an answer that has no content takes its reasoning as content
    enable_thinking           PROMOTING    false: the same, since what the model wrote was meant as the answer

It happens at the end of the stream, when nothing but white space was said and no call was made. Reasoning that was sent as
such cannot be taken back, so it stands in both strands, in a whole message too: one output, one answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from unbraid.core.events import ContentChunk, Events, ReasoningChunk, ToolCallStart
from unbraid.core.grammar import WHITESPACE, JsonScalar
from unbraid.core.pieces import append, join

PROMOTING: Final = frozenset(("nemotron_v3", "granite_thinking"))
"""Reasoning formats whose publishers want it when thinking is off."""


@frozen
class Thought:
    """Where the reducer stands: a rope of the reasoning, as long as nothing was `said`."""

    pieces: tuple[str, ...] = ()
    said: bool = False


def promotes(reasoning: str | None, kwargs: Mapping[str, JsonScalar]) -> bool:
    """Does a request with these template kwargs ask for it? `reasoning`: the name of the format's reasoning half.

    >>> promotes("qwen3", {"force_nonempty_content": True}), promotes("qwen3", {"enable_thinking": False})
    (True, False)
    """
    asked = kwargs.get("force_nonempty_content") is True
    return asked or (reasoning in PROMOTING and kwargs.get("enable_thinking") is False)


def remember(thought: Thought, events: Events) -> Thought:
    """Follow `events`; they leave as they are."""
    for event in events:
        if thought.said:
            return thought
        if isinstance(event, ReasoningChunk):
            thought = Thought(append(thought.pieces, event.text))
        elif isinstance(event, ToolCallStart) or (isinstance(event, ContentChunk) and event.text.strip(WHITESPACE)):
            thought = Thought(said=True)
    return thought


def promote(thought: Thought) -> Events:
    """The content of a stream that is over, if nothing was said. It accounts for no source: its reasoning does.

    >>> promote(remember(Thought(), (ReasoningChunk("Yes.", 4),)))
    (ContentChunk(text='Yes.', points=0, tokens=0),)
    """
    text = "" if thought.said else join(thought.pieces)
    return (ContentChunk(text, 0),) if text else ()
