"""Ids of tool calls: where a call's id comes from is part of a format (`Ids`), making one is an effect of the shell.

    host       `call_` and 24 random hexadecimal digits
    model      the id that the model wrote; without one as `host`
    pattern    the id that the model wrote, else the pattern with its places filled:
               {name}     the function's name
               {n}        the number of the call, counted from the first call of the conversation
               {alnum9}   nine random letters and digits

A call's id is asked for once, when its name is known.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Callable
from typing import Final, TypeAlias

from unbraid.core.events import ToolName
from unbraid.core.grammar import Ids
from unbraid.shell.surrogates import clean_text

NameCall: TypeAlias = Callable[[ToolName], str]
"""The id of the call that was just named."""

_PLACE: Final = re.compile(r"\{(name|n|alnum9)\}")
_ALPHANUMERIC: Final = string.ascii_letters + string.digits


def random_id(_: ToolName | None = None) -> str:
    """`call_` and 24 random hexadecimal digits.

    >>> len(random_id())
    29
    """
    return f"call_{secrets.token_hex(12)}"


def call_ids(ids: Ids, history: int = 0) -> NameCall:
    """How calls of a format with `ids` get theirs. `history`: calls that earlier messages of the conversation hold.

    >>> call_ids(Ids("pattern", "functions.{name}:{n}"), history=2)(ToolName(0, "now"))
    'functions.now:2'
    """
    if ids.source == "host":
        return random_id
    make = random_id if ids.source == "model" else _filled(ids.pattern, history)
    return lambda call: clean_text(call.call_id) if call.call_id else make(call)


def _filled(pattern: str, history: int) -> NameCall:
    def place(call: ToolName, name: str) -> str:
        if name == "alnum9":
            return "".join(secrets.choice(_ALPHANUMERIC) for _ in range(9))
        return clean_text(call.name) if name == "name" else str(history + call.index)

    return lambda call: _PLACE.sub(lambda match: place(call, match[1]), pattern)
