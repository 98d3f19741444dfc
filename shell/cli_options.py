"""What the commands read from their options: files, settings, machines; every defect of them at once.

Each function returns its value, or writes one line for each defect to stderr and ends the program with exit code 2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, TypeVar

import typer
from attrs import frozen
from returns.result import Result

from unbraid.core.bind import Machine
from unbraid.core.errors import hint
from unbraid.core.grammar import Format
from unbraid.core.nearest import nearest
from unbraid.formats.registry import Role, lookup
from unbraid.shell.batch_line import Request, Setup, read_request
from unbraid.shell.bind import Defect, bind, with_tools
from unbraid.shell.format_files import load_format
from unbraid.shell.json_input import strict_json
from unbraid.shell.listed_tools import not_objects, wrong_schemas
from unbraid.shell.planning import Half
from unbraid.shell.policies import Choices, read_policies
from unbraid.shell.request_fields import shown

Value = TypeVar("Value")
Word = TypeVar("Word", bound=str)

CLOSE: Final = 0.8
"""How like a known template kwarg (`difflib`'s ratio) an unknown one must be to be taken for a misspelt one."""


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


def one_word(option: str, word: str | None, known: Sequence[Word]) -> Word | None:
    """The word of an option that may be left out."""
    if word is None or word in known:
        return next((one for one in known if one == word), None)
    stop([BadInput(option, f"{word!r} is none of {', '.join(known)}{hint(nearest(word, known))}")])


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
    _warn_of_kwargs(setup, request)
    bound = bind(setup.reasoning, setup.tools, setup.tokenizer, setup.choices.policies, request.template_kwargs)
    return given(bound.bind(lambda made: with_tools(made, request.tools)).alt(lambda error: error.defects))


def _warn_of_kwargs(setup: Setup, request: Request) -> None:
    """One line for each template kwarg that the formats do not know, but one much like it: others are the template's own."""
    known = dict.fromkeys(_switches("reasoning", setup.reasoning) + _switches("tools", setup.tools))
    for name in request.template_kwargs:
        near = () if name in known else tuple(get_close_matches(name, known, 1, CLOSE))
        if near:
            typer.echo(f"unbraid: warning: template kwarg {name!r} switches nothing here{hint(near)}", err=True)


def _switches(role: Role, half: Half) -> list[str]:
    """The template kwargs that a format, or one that it may choose, looks at."""
    waiting, seen, keys = [half], set[str](), list[str]()
    while waiting:
        half = waiting.pop()
        form = lookup(role, half).value_or(None) if isinstance(half, str) else half
        if form is not None and form.name not in seen:
            seen.add(form.name)
            switches = (*form.start.switches, *(switch for choice in form.choices for switch in choice.off))
            keys += [key for switch in switches for key in switch.keys]
            keys += [one.key for one in form.parameters if one.key] + [one.kwarg for one in form.choices if one.kwarg]
            waiting += [choice.use for choice in form.choices]
    return keys


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


def said_by_lines(
    schema: Path | None, kwargs: Sequence[str], start: str, prompt: str | None, finish_reason: str
) -> list[BadInput]:
    """A defect for each option that is about one output, where each line of a batch says the same in a field of its own."""
    fields = {
        "--tool-schema": ("tools", schema is not None),
        "--template-kwarg": ("chat_template_kwargs", bool(kwargs)),
        "--start": ("start", start != "auto"),
        "--prompt": ("prompt", prompt is not None),
        "--finish-reason": ("finish_reason", finish_reason != "stop"),
    }
    return [
        BadInput(option, f"is about one output; each line of --batch has its own `{name}`")
        for option, (name, said) in fields.items()
        if said
    ]


def _tools(path: Path) -> object:
    """The tools in a file: an array of them, or a request that has one under `tools`."""
    found = _json_in(path)
    tools = found.get("tools") if isinstance(found, dict) else found
    if not isinstance(tools, list):
        stop(
            [BadInput(str(path), f"expected an array of tools, or an object with one under `tools`; {_said_of(found)}")]
        )
    defects = (*not_objects(tools), *wrong_schemas(tools))
    if defects:
        stop(BadInput(str(path), defect.describe()) for defect in defects)
    return tools


def _said_of(found: object) -> str:
    """What is wrong with a file that holds no tools."""
    if not isinstance(found, dict):
        return shown(found)
    if "tools" in found:
        return f"tools: {shown(found['tools'])}"
    return "found an object without `tools`"


def _json_in(path: Path) -> object:
    """The JSON value of a file."""
    try:
        found, wrong = strict_json(path.read_bytes())
    except OSError as error:
        stop([BadInput(str(path), error.strerror or str(error))])
    except (ValueError, RecursionError) as error:
        stop([BadInput(str(path), f"not JSON: {error}")])
    if wrong:
        stop(BadInput(str(path), one.describe()) for one in wrong)
    return found


def _kwarg(setting: str) -> tuple[str, object]:
    """NAME=JSON; what is not JSON is a string."""
    name, equals, value = setting.partition("=")
    if not equals:
        stop([BadInput(f"template kwarg {setting!r}", "expected NAME=JSON, as in enable_thinking=false")])
    try:
        found, wrong = strict_json(value)
    except (ValueError, RecursionError):
        return name, value
    return name, value if wrong else found


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
