"""How a stream begins: the words for what is fed, and for where generation starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from unbraid.core import machine

FeedKind: TypeAlias = machine.FeedName
"""`text`, `ids` (token ids only), `both` (token ids and the host's text of them)."""

StartAt: TypeAlias = machine.StartAt
"""Where generation starts; `auto`: format, template kwargs and prompt say it."""

Prompt: TypeAlias = str | Sequence[int] | None
"""What was rendered for the model, as text or token ids, if it is known."""


def prompt_ids(prompt: Prompt) -> tuple[int, ...]:
    """Its token ids, none if they are not known.

    >>> prompt_ids([7, 8]), prompt_ids("<think>")
    ((7, 8), ())
    """
    return () if prompt is None or isinstance(prompt, str) else tuple(prompt)


def prompt_size(prompt: Prompt, told: int | None) -> int:
    """How many tokens it has: as many as the host has `told`, else as there are ids. Of a text nobody but the host knows: 0.

    >>> prompt_size([7, 8], None), prompt_size("<think>", 3), prompt_size("<think>", None)
    (2, 3, 0)
    """
    return len(prompt_ids(prompt)) if told is None else told
