r"""Objects as server-sent events, ready to be sent.

    event    "data: " JSON "\n\n"
    end      "data: [DONE]\n\n"
    error    an event that holds an error object; only the end follows

JSON in them has no white space between its tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from unbraid.shell.surrogates import clean_json

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

DONE: Final = b"data: [DONE]\n\n"
"""The end of every stream."""


def frame(value: Mapping[str, object]) -> bytes:
    r"""One event.

    >>> frame({"a": "é\ud800"}).decode()
    'data: {"a":"é\\ud800"}\n\n'
    """
    return f"data: {compact(value)}\n\n".encode()


def frames(values: Iterable[Mapping[str, object]]) -> bytes:
    """Several events."""
    return b"".join(map(frame, values))


def compact(value: object) -> str:
    """JSON without white space, that can be encoded."""
    return clean_json(_ENCODE(value))


def failure(message: str, kind: str = "internal_server_error", code: int = 500) -> bytes:
    """A stream that breaks off: an error object, and the end. `code`: the HTTP status that it would have been.

    >>> failure("the engine is gone").endswith(DONE)
    True
    """
    return frame({"error": {"message": message, "type": kind, "param": None, "code": code}}) + DONE
