"""Policies by name, as people write them: `framing=verbatim`, `truncated=drop`.

Most are the core's (`Policies`); `truncated` is a reducer of the shell. What a policy may be is read off the types.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeAlias, get_args, get_type_hints

from attrs import frozen
from returns.result import Failure, Result, Success

from unbraid.core.errors import hint
from unbraid.core.grammar import Policies
from unbraid.core.nearest import nearest
from unbraid.shell.truncated import Truncated


@frozen
class Choices:
    """All policies of a reading of outputs."""

    policies: Policies = Policies()
    truncated: Truncated = "emit"


@frozen
class NotAPair:
    """A setting without `=`."""

    text: str

    def describe(self) -> str:
        """One sentence."""
        return f"policy {self.text!r}: expected NAME=VALUE, as in framing=verbatim"


@frozen
class UnknownPolicy:
    """A name that no policy has."""

    name: str
    known: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"there is no policy {self.name!r}{hint(nearest(self.name, self.known, 1) or self.known)}"


@frozen
class UnknownChoice:
    """A value that a policy does not have."""

    policy: str
    value: object
    known: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"policy {self.policy}: {self.value!r} is none of {', '.join(self.known)}"


PolicyDefect: TypeAlias = NotAPair | UnknownPolicy | UnknownChoice


@cache
def choices() -> dict[str, tuple[str, ...]]:
    """What each policy may be, the default first.

    >>> choices()["truncated"]
    ('emit', 'drop', 'text')
    """
    kinds = {**get_type_hints(Policies), "truncated": Truncated}
    return {name: get_args(kind) for name, kind in kinds.items()}


def read_policies(settings: Iterable[str]) -> Result[Choices, tuple[PolicyDefect, ...]]:
    """The policies of settings `NAME=VALUE`; the last of a name counts.

    >>> read_policies(["truncated=drop", "framing=verbatim"]).unwrap().policies.framing
    'verbatim'
    >>> [defect.describe() for defect in read_policies(["framin=verbatim", "framing=x"]).failure()]
    ["there is no policy 'framin'; did you mean 'framing'?", "policy framing: 'x' is none of template, verbatim"]
    """
    pairs = [setting.partition("=") for setting in settings]
    defects = [defect for name, equals, value in pairs for defect in _defects(name, equals, value)]
    if defects:
        return Failure(tuple(defects))
    named: dict[str, Any] = {name: value for name, _, value in pairs}
    truncated: Truncated = named.pop("truncated", "emit")
    return Success(Choices(Policies(**named), truncated))


def wrong_policies(policies: Policies) -> tuple[PolicyDefect, ...]:
    """The values of `policies` that none of them has: a type checker sees these, a caller without one does not."""
    values = {name: getattr(policies, name) for name in choices() if name != "truncated"}
    return tuple(defect for name, value in values.items() for defect in _choice(name, value))


def _defects(name: str, equals: str, value: str) -> Iterable[PolicyDefect]:
    if not equals:
        return (NotAPair(name),)
    if name not in choices():
        return (UnknownPolicy(name, tuple(choices())),)
    return _choice(name, value)


def _choice(name: str, value: object) -> tuple[PolicyDefect, ...]:
    return () if value in choices()[name] else (UnknownChoice(name, value, choices()[name]),)
