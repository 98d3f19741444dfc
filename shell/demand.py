"""What a request demands of the engine, beside what it does to the answer's reading: the ground for grammars.

    free       anything; calls, if any, as the model likes
    none       no call
    required   at least one call
    named      one call, of the one tool in `names`

`form` says in which notation forced calls are written: the format's own, or plain JSON (`forced_json`). `constraint` makes the
grammar that goes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from attrs import field, frozen

Calls: TypeAlias = Literal["free", "none", "required", "named"]
Form: TypeAlias = Literal["native", "json"]


@frozen
class Constraint:
    """The engine's grammar, as structural tags, plain JSON data: `answer` from the first token on, `content` from where reasoning
    has ended. `schema`: the content as a JSON Schema, if that is what it is."""

    answer: Mapping[str, object] = field(hash=False)
    content: Mapping[str, object] = field(hash=False)
    schema: Mapping[str, object] | None = field(default=None, hash=False)


@frozen
class Demand:
    """`names`: the tools that may be called; `strict`: those of them whose arguments must fit their schema; `parallel`: more
    than one call may be made. `output`: the request's `response_format`, if it asks for more than text. `stops`: strings
    that the engine itself must stop at. `most_tokens`: the longest answer, in tokens. `constraint`: the grammar of the answer, None
    if it is free; `unconstrained`: why it is, though it should not be."""

    calls: Calls = "free"
    form: Form = "native"
    names: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    parallel: bool = True
    output: Mapping[str, object] | None = field(default=None, hash=False)
    stops: tuple[str, ...] = ()
    most_tokens: int | None = None
    constraint: Constraint | None = None
    unconstrained: str = ""
