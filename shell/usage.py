"""Token counts as the API writes them."""

from __future__ import annotations

from collections.abc import Iterable

from unbraid.shell.chat_shapes import Usage
from unbraid.shell.choice import Spent


def total(spent: Iterable[Spent]) -> Spent:
    """What several answers took together.

    >>> total([Spent(3, 1), Spent(2)])
    Spent(completion=5, reasoning=1)
    """
    counts = [(one.completion, one.reasoning) for one in spent]
    return Spent(sum(count for count, _ in counts), sum(count for _, count in counts))


def usage(prompt_tokens: int, spent: Spent, *, reasons: bool) -> Usage:
    """The counts. `reasons`: the format has reasoning, so its tokens are counted apart.

    >>> usage(4, Spent(3, 1), reasons=True)["completion_tokens_details"]
    {'reasoning_tokens': 1}
    """
    found: Usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": spent.completion,
        "total_tokens": prompt_tokens + spent.completion,
    }
    if reasons:
        found["completion_tokens_details"] = {"reasoning_tokens": spent.reasoning}
    return found
