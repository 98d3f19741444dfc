"""Ids of tool calls: where a call's id comes from is part of a format (`Ids`); what is random in it comes from a seed.

    host       `call_` and 24 hexadecimal digits
    model      the id that the model wrote; without one as `host`
    pattern    the id that the model wrote, else the pattern with its places filled:
               {name}     the function's name
               {n}        the number of the call, counted from the first call of the conversation
               {alnum9}   nine letters and digits

An id is a pure function of (scheme, calls before, seed, call), so that a stream that is rolled back, or goes on in another
process, names a call as it would have been named anyway. The seed is the only effect: without one, a new one is made up.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Callable
from hashlib import sha256
from typing import Final, TypeAlias

from unbraid.core.events import ToolName
from unbraid.core.grammar import Ids
from unbraid.shell.surrogates import clean_text

NameCall: TypeAlias = Callable[[ToolName], str]
"""The id of the call that was just named."""

_PLACE: Final = re.compile(r"\{(name|n|alnum9)\}")
_ALPHANUMERIC: Final = string.ascii_letters + string.digits


def random_seed() -> str:
    """32 random hexadecimal digits."""
    return secrets.token_hex(16)


def random_id(_: ToolName | None = None) -> str:
    """`call_` and 24 random hexadecimal digits.

    >>> len(random_id())
    29
    """
    return f"call_{secrets.token_hex(12)}"


def call_ids(ids: Ids, history: int = 0, seed: str | None = None) -> NameCall:
    """How calls of a format with `ids` get theirs. `history`: calls that earlier messages of the conversation hold.

    >>> call_ids(Ids("pattern", "functions.{name}:{n}"), history=2)(ToolName(0, "now"))
    'functions.now:2'
    >>> call_ids(Ids(), seed="a")(ToolName(0, "now")) == call_ids(Ids(), seed="a")(ToolName(0, "now"))
    True
    """
    known = random_seed() if seed is None else seed
    if ids.source == "host":
        return lambda call: _host_id(known, call)
    if ids.source == "model":
        return lambda call: clean_text(call.call_id) if call.call_id else _host_id(known, call)
    return lambda call: clean_text(call.call_id) if call.call_id else _filled(ids.pattern, history, known, call)


def _host_id(seed: str, call: ToolName) -> str:
    return f"call_{_digest(seed, call).hex()[:24]}"


def _digest(seed: str, call: ToolName) -> bytes:
    return sha256(f"{seed}:{call.index}".encode()).digest()


def _filled(pattern: str, history: int, seed: str, call: ToolName) -> str:
    def place(match: re.Match[str]) -> str:
        match match[1]:
            case "name":
                return clean_text(call.name)
            case "n":
                return str(history + call.index)
            case _:
                return _alphanumeric(_digest(seed, call), 9)

    return _PLACE.sub(place, pattern)


def _alphanumeric(digest: bytes, size: int) -> str:
    number = int.from_bytes(digest, "big")
    letters: list[str] = []
    for _ in range(size):
        number, digit = divmod(number, len(_ALPHANUMERIC))
        letters.append(_ALPHANUMERIC[digit])
    return "".join(letters)
