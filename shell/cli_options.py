"""What the commands read from their options: files, settings, machines; every defect of them at once.

Each function returns its value, or writes one line for each defect to stderr and ends the program with exit code 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeVar

import typer
from attrs import frozen
from returns.result import Result

from unbraid.core.bind import Machine
from unbraid.core.grammar import Format
from unbraid.formats.registry import Role
from unbraid.shell.batch_line import Request, Setup, read_request
from unbraid.shell.bind import Defect, bind, with_tools
from unbraid.shell.format_files import load_format
from unbraid.shell.planning import Half
from unbraid.shell.policies import Choices, read_policies

Value = TypeVar("Value")


@frozen
class BadInput:
    """A file or option that cannot be read."""

    where: str
    reason: str

    def describe(self) -> str:
        """One sentence."""
        return f"{self.where}: {self.reason}"


def stop(defects: Iterable[Defect]) -> NoReturn:
    """Exit code 2, one line for each defect."""
    for defect in defects:
        typer.echo(f"unbraid: {defect.describe()}", err=True)
    raise typer.Exit(2)


def given(result: Result[Value, tuple[Defect, ...]]) -> Value:
    """The value, or the end."""
    value = result.value_or(None)
    if value is None:
        stop(result.failure())
    return value


def read_setup(
    reasoning: str | None,
    tools: str | None,
    tokenizer: str | None,
    settings: Iterable[str],
    files: Iterable[Path] = (),
) -> Setup:
    """What all outputs have in common; it is known to bind. `files`: formats for the halves that no name is given for."""
    defects: list[Defect] = []
    halves = _halves(reasoning, tools, files, defects)
    read = read_policies(settings)
    choices = read.value_or(Choices())
    bound = bind(*halves, tokenizer, choices.policies)
    defects += (*read.swap().value_or(()), *bound.alt(lambda error: error.defects).swap().value_or(()))
    if defects:
        stop(defects)
    return Setup(*halves, tokenizer, choices)


def _halves(
    reasoning: str | None, tools: str | None, files: Iterable[Path], defects: list[Defect]
) -> tuple[Half, Half]:
    """What stands for each half: a name, or the format of a file that has this half."""
    halves: dict[Role, Half] = {"reasoning": reasoning, "tools": tools}
    for path in files:
        read = load_format(path)
        defects += read.swap().value_or(())
        form = read.value_or(None)
        for role in () if form is None else _roles(form):
            if halves[role] is not None:
                defects.append(BadInput(str(path), f"has a half for {role}, and so has {_said(role, halves[role])}"))
            halves[role] = halves[role] or form
    return halves["reasoning"], halves["tools"]


def _roles(form: Format) -> Iterator[Role]:
    if form.reasoning:
        yield "reasoning"
    if form.tools:
        yield "tools"


def _said(role: Role, half: Half) -> str:
    """Where a half comes from."""
    return f"the file of {half.name!r}" if isinstance(half, Format) else f"--{role} {half}"


def machine_for(setup: Setup, request: Request) -> Machine:
    """The machine that reads the output of `request`."""
    bound = bind(setup.reasoning, setup.tools, setup.tokenizer, setup.choices.policies, request.template_kwargs)
    return given(bound.bind(lambda made: with_tools(made, request.tools)).alt(lambda error: error.defects))


def request_of(
    schema: Path | None, kwargs: Iterable[str], start: str, prompt: str | None, finish_reason: str = "stop"
) -> Request:
    """The request that the options describe, with an empty output. `schema`: a file with a request's tools."""
    fields = {
        "text": "",
        "tools": None if schema is None else _tools(schema),
        "chat_template_kwargs": dict(map(_kwarg, kwargs)),
        "start": start,
        "prompt": prompt,
        "finish_reason": finish_reason,
    }
    return given(read_request(fields))


def _tools(path: Path) -> object:
    """The tools in a file: an array of them, or a request that has one under `tools`."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        stop([BadInput(str(path), error.strerror or str(error))])
    except (ValueError, RecursionError) as error:
        stop([BadInput(str(path), f"not JSON: {error}")])
    return found.get("tools") if isinstance(found, dict) else found


def _kwarg(setting: str) -> tuple[str, object]:
    """NAME=JSON; what is not JSON is a string."""
    name, equals, value = setting.partition("=")
    if not equals:
        stop([BadInput(f"template kwarg {setting!r}", "expected NAME=JSON, as in enable_thinking=false")])
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def open_bytes(path: Path | None) -> BinaryIO:
    """The file, or stdin if there is none or it is `-`."""
    if path is None or str(path) == "-":
        return sys.stdin.buffer
    try:
        return path.open("rb")
    except OSError as error:
        stop([BadInput(str(path), error.strerror or str(error))])


def read_text(path: Path | None) -> str:
    """The whole file as text; invalid bytes are replaced."""
    with open_bytes(path) as source:
        return source.read().decode("utf-8", "replace")
