"""Names, tokenizers and tools to machines: what happens once at start-up, and once per set of tools.

    bind(reasoning, tools, tokenizer, policies, template_kwargs)  -> Bound       every table; kept by its arguments
    with_tools(bound, tools)                                      -> Machine     kept by the tools' canonical JSON

A server binds at start-up, where every defect is reported at once; a request that names its tools cannot fail in any other
way than by a bad schema. Both results are immutable and may be shared between threads.

Kept: `BOUND_KEPT` bound formats, `VOCABULARIES_KEPT` vocabularies (by the tokenizer object, or by the path: a folder is
read once per process), `MACHINES_KEPT` machines. Failures are not kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from attrs import frozen
from returns.result import Failure, Result, Success

from unbraid.core import bind as core
from unbraid.core.bind import Bound, Machine
from unbraid.core.compose import compose
from unbraid.core.grammar import Format, JsonScalar, Policies
from unbraid.core.resolve import resolve
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import lookup
from unbraid.shell.chat_template import chat_template, needs_template
from unbraid.shell.lru import Lru
from unbraid.shell.policies import wrong_policies
from unbraid.shell.tokenizers import read_vocabulary

BOUND_KEPT: Final = 64
VOCABULARIES_KEPT: Final = 8
MACHINES_KEPT: Final = 256

_NO_KWARGS: Final[Mapping[str, JsonScalar]] = MappingProxyType({})

Role: TypeAlias = Literal["reasoning", "tools"]
_ROLES: Final[tuple[Role, ...]] = ("reasoning", "tools")
Tools: TypeAlias = Sequence[Mapping[str, object]] | None
"""Tools as a request lists them. None: not known, every call is delivered. Empty: none offered, calls are text."""


class Defect(Protocol):
    """A record of what is wrong."""

    def describe(self) -> str:
        """One sentence that names what is wrong, where, and the nearest right name."""
        ...


@frozen
class BindError:
    """Everything that is wrong with what was to be bound."""

    defects: tuple[Defect, ...]

    def describe(self) -> str:
        """One line per defect."""
        return "\n".join(defect.describe() for defect in self.defects)


def bind(
    reasoning: str | Format | None = None,
    tools: str | Format | None = None,
    tokenizer: object = None,
    policies: Policies = Policies(),
    template_kwargs: Mapping[str, JsonScalar] = _NO_KWARGS,
) -> Result[Bound, BindError]:
    """A format made of two halves, with everything that can be known before a request.

    `reasoning`, `tools`: names or own formats; without a half its markers are text. `tokenizer`: a path, a tokenizer
    object or a `Vocabulary`; without one only text can be fed. `template_kwargs`: what the chat template is given beside
    messages, where it says whether the model reasons.

    >>> print(bind(reasoning="qwen33").failure().describe())
    there is no reasoning format 'qwen33'; did you mean 'qwen3'...
    """
    wrong: list[Defect] = list(wrong_policies(policies))
    vocabulary = _collect(_vocabulary(tokenizer), wrong)
    halves = (_collect(_half("reasoning", reasoning), wrong), _collect(_half("tools", tools), wrong))
    if wrong:
        return Failure(BindError(tuple(wrong)))
    canonical = _canonical(dict(template_kwargs))
    key = (id(halves[0]), id(halves[1]), id(vocabulary), policies, canonical)
    kept = _BOUND.get(key) if canonical is not None else None
    if kept is not None:
        return Success(kept[0])
    template = chat_template(tokenizer) if any(map(needs_template, halves)) else None
    meant = [
        _collect(_meant(role, half, vocabulary, template_kwargs, template), wrong)
        for role, half in zip(_ROLES, halves, strict=True)
    ]
    if wrong:
        return Failure(BindError(tuple(wrong)))
    made = compose(*meant).bind(lambda form: core.bind(form, vocabulary, policies, template_kwargs)).alt(BindError)
    return made if canonical is None else made.map(lambda bound: _BOUND.keep(key, (bound, halves, vocabulary))[0])


def with_tools(bound: Bound, tools: Tools = None) -> Result[Machine, BindError]:
    """The machine for one set of tools.

    >>> machine = with_tools(bind(tools="hermes").unwrap(), [{"type": "function", "function": {"name": "now"}}]).unwrap()
    """
    canonical = _canonical(tools)
    key = (id(bound), canonical)
    kept = _MACHINES.get(key) if canonical is not None else None
    if kept is not None:
        return Success(kept)
    made = core.with_tools(bound, tools).alt(BindError)
    return made if canonical is None else made.map(lambda machine: _MACHINES.keep(key, machine))


# What is kept holds on to the objects whose `id` stands in its key, so that no other object can get that id meanwhile.
_BOUND: Final[Lru[tuple[object, ...], tuple[Bound, object, object]]] = Lru(BOUND_KEPT)
_VOCABULARIES: Final[Lru[object, tuple[Vocabulary, object]]] = Lru(VOCABULARIES_KEPT)
_MACHINES: Final[Lru[tuple[int, str | None], Machine]] = Lru(MACHINES_KEPT)

_Found = TypeVar("_Found")


def _collect(found: Result[_Found, tuple[Defect, ...]], wrong: list[Defect]) -> _Found | None:
    """The value, or None and its defects among the others."""
    wrong += found.swap().value_or(())
    return found.value_or(None)


def _half(role: Role, half: str | Format | None) -> Result[Format | None, tuple[Defect, ...]]:
    if not isinstance(half, str):
        return Success(half)
    return lookup(role, half).alt(lambda unknown: (unknown,))


def _meant(
    role: Role,
    half: Format | None,
    vocabulary: Vocabulary | None,
    kwargs: Mapping[str, JsonScalar],
    template: str | None,
) -> Result[Format | None, tuple[Defect, ...]]:
    """The format that `half` stands for with this vocabulary, these kwargs and this template."""
    if half is None:
        return Success(None)
    return resolve(half, lambda name: lookup(role, name).value_or(None), vocabulary, kwargs, template)


def _vocabulary(tokenizer: object) -> Result[Vocabulary | None, tuple[Defect, ...]]:
    if tokenizer is None or isinstance(tokenizer, Vocabulary):
        return Success(tokenizer)
    key = os.fsdecode(tokenizer) if isinstance(tokenizer, str | os.PathLike) else id(tokenizer)
    kept = _VOCABULARIES.get(key)
    if kept is not None:
        return Success(kept[0])
    read = read_vocabulary(tokenizer)
    return read.map(lambda vocabulary: _VOCABULARIES.keep(key, (vocabulary, tokenizer))[0])


def _canonical(value: object) -> str | None:
    """`value` as JSON text that does not depend on the order of keys; None if it is no JSON."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
