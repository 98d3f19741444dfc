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
