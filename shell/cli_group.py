"""The commands as a group whose complaints about its usage are one line each, as all others of this program are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import typer
from typer.core import TyperGroup

from unbraid.core.errors import hint
from unbraid.core.nearest import nearest
from unbraid.shell.cli_options import BadInput, stop

USAGE: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""What every error of usage is. It has no public name in typer."""


class Group(TyperGroup):
    """The group."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        """Reads the words in front of the command; without any words, help is shown."""
        if not args:
            return super().make_context(info_name, args, *rest, **extra)
        with _told():
            return super().make_context(info_name, args, *rest, **extra)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            near = hint(nearest(name, known)) or f"; there are {', '.join(known)}"
            stop([BadInput(name, f"there is no such command{near}")])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Reads the words behind the command, and runs it."""
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except USAGE as error:
        stop([_told_as(error)])


def _told_as(error: Exception) -> BadInput:
    """An error of usage, as a defect."""
    context: Any = getattr(error, "ctx", None)
    name = getattr(error, "option_name", None)
    if isinstance(name, str) and context is not None and hasattr(error, "possibilities"):
        options = [option for parameter in context.command.params for option in parameter.opts if option[:1] == "-"]
        near = hint(nearest(name, options)) or f"; {context.command_path} --help shows all"
        return BadInput(name, f"there is no such option{near}")
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    return BadInput("usage", " ".join(str(text).split("\n")))
