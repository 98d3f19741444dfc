"""What a request demands of the engine, beside what it does to the answer's reading: the ground for grammars.

    free       anything; calls, if any, as the model likes
    none       no call
    required   at least one call
    named      one call, of the one tool in `names`

`form` says in which notation forced calls are written: the format's own, or plain JSON (`forced_json`). The grammar itself is
made from these records and the format by whoever drives the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

Calls: TypeAlias = Literal["free", "none", "required", "named"]
Form: TypeAlias = Literal["native", "json"]


@frozen
class Demand:
    """`names`: the tools that may be called; `strict`: those of them whose arguments must fit their schema; `parallel`: more
    than one call may be made. `output`: the request's `response_format`, if it asks for more than text. `stops`: strings
    that the engine itself must stop at. `most_tokens`: the longest answer, in tokens."""

    calls: Calls = "free"
    form: Form = "native"
    names: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    parallel: bool = True
    output: Mapping[str, object] | None = field(default=None, hash=False)
    stops: tuple[str, ...] = ()
    most_tokens: int | None = None
