"""What is made up for a response: its id, its time, the seed of its calls' ids. The one effect in answering."""

from __future__ import annotations

import secrets
import time

from attrs import frozen

from unbraid.shell.call_ids import random_seed


@frozen
class Stamp:
    """The same for all answers of a request, in every process that works on them. `created`: seconds since 1970."""

    id: str
    created: int
    seed: str


def new_stamp() -> Stamp:
    """A new one, of random digits and the time."""
    return Stamp(f"chatcmpl-{secrets.token_hex(12)}", int(time.time()), random_seed())


def choice_seed(stamp: Stamp, choice: int) -> str:
    """The seed of the ids of one answer's calls; answers differ.

    >>> choice_seed(Stamp("chatcmpl-1", 0, "ab"), 2)
    'ab:2'
    """
    return f"{stamp.seed}:{choice}"
