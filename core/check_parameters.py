"""Checks of what is open until a format is bound: its parameters and choices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from unbraid.core.errors import Defect, ResolveDefect, ResolveProblem
from unbraid.core.grammar import Choice, Format, Parameter

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


def parameter_defects(fmt: Format) -> Iterator[Defect]:
    """All defects of parameters and choices."""
    used = _spellings(fmt)
    names = [one.name for one in fmt.parameters]
    for place, one in enumerate(fmt.parameters):
        if one.name in names[:place]:
            yield ResolveDefect(fmt.name, "parameter_twice", one.name)
        if not any(f"{{{one.name}}}" in spelling for spelling in used):
            yield ResolveDefect(fmt.name, "parameter_unused", one.name)
        for problem in _parameter(one):
            yield ResolveDefect(fmt.name, problem, one.name)
    for choice in fmt.choices:
        for fault in _choice(fmt, choice):
            yield ResolveDefect(fmt.name, fault, choice.use)


def _spellings(fmt: Format) -> list[str]:
    terminals = [spelling for terminal in fmt.terminals for spelling in terminal.spellings]
    return [*terminals, *(spelling for spelling, _ in fmt.start.scan), *fmt.start.stops, *fmt.specials]


def _parameter(one: Parameter) -> Iterator[ResolveProblem]:
    if not NAME.fullmatch(one.name):
        yield "parameter_name"
    if one.source == "vocabulary" and not one.prefix:
        yield "parameter_prefix"
    if one.source == "kwarg" and not (one.key and one.values):
        yield "parameter_key"


def _choice(fmt: Format, choice: Choice) -> Iterator[ResolveProblem]:
    conditions = (choice.has, choice.lacks, choice.kwarg, choice.off, choice.template_has, choice.template_lacks)
    if not any(conditions):
        yield "choice_always"
    if bool(choice.kwarg) != bool(choice.among):
        yield "choice_kwarg"
    if choice.use == fmt.name:
        yield "choice_circle"
