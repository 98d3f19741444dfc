"""What there is to know about formats, as tables: all of them in one, one of them in detail.

The same cells are printed in a terminal and written as Markdown into the README.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import fields, frozen, has
from returns.result import Failure, Result, Success
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from unbraid.core.errors import UnknownFormat, hint
from unbraid.core.grammar import Format, Region, Switch, Terminal
from unbraid.core.nearest import nearest
from unbraid.core.notation import show_row
from unbraid.formats.registry import Role, lookup, names

_ROLES: Final[tuple[Role, ...]] = ("reasoning", "tools")

COLUMNS: Final = ("format", "aliases", "halves", "abilities", "template")


def cells(form: Format) -> tuple[str, ...]:
    """One line of the table of formats, by `COLUMNS`."""
    halves = [name for name, there in (("reasoning", form.reasoning), ("tools", form.tools)) if there]
    return (form.name, ", ".join(form.aliases), " + ".join(halves), ", ".join(_abilities(form)), form.template)


def _abilities(form: Format) -> Iterator[str]:
    """What sets a format apart, in words."""
    yield from (f"switched by {key}" for key in _keys(form.start.switches))
    if form.start.scan:
        yield "start from the prompt"
    if form.unmarked:
        yield "calls without markers"
    if form.inside == "text" and form.reasoning:
        yield "calls in reasoning are text"
    if form.ids.source != "host":
        yield {"model": "the model's call ids", "pattern": f"call ids {form.ids.pattern}"}[form.ids.source]
    if form.experimental:
        yield "experimental"


def _keys(switches: Iterable[Switch]) -> list[str]:
    return list(dict.fromkeys(key for switch in switches for key in switch.keys))


def overview(forms: Sequence[Format]) -> RenderableType:
    """The table of formats."""
    return _table("", COLUMNS, map(cells, forms))


def markdown(forms: Sequence[Format]) -> str:
    """The table of formats as Markdown."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *map(cells, forms)]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


_BEGIN: Final = "<!-- formats: `unbraid formats --markdown --update README.md` -->"
_END: Final = "<!-- /formats -->"
_BLOCK: Final = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)


def updated(document: str, table: str) -> str | None:
    """`document` with `table` between its two marks; None if it has none."""
    block = f"{_BEGIN}\n\n{table}\n\n{_END}"
    return _BLOCK.sub(lambda _: block, document) if _BLOCK.search(document) else None


# ---------------------------------------------------------------------------------------------------------- one format


@frozen
class UnknownInBoth:
    """There is no format of this name, in either role."""

    name: str
    near: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"there is no format {self.name!r}{hint(self.near)}"


def find(name: str, role: Role | None = None) -> Result[tuple[Format, ...], tuple[UnknownInBoth | UnknownFormat, ...]]:
    """What `name` means: one format, or one for each role; with `role` only the one for it.

    >>> [form.name for form in find("qwen3").unwrap()]
    ['qwen3', 'hermes']
    >>> [form.name for form in find("qwen3", "tools").unwrap()]
    ['hermes']
    """
    if role is not None:
        return lookup(role, name).map(lambda form: (form,)).alt(lambda unknown: (unknown,))
    found = dict.fromkeys(form for role in _ROLES if (form := lookup(role, name).value_or(None)) is not None)
    known = dict.fromkeys(known for role in _ROLES for known in names(role))
    return Success(tuple(found)) if found else Failure((UnknownInBoth(name, nearest(name, known)),))


def detail(form: Format) -> RenderableType:
    """Terminals, regions and transitions of one format."""
    return Group(
        Styled(f"{form.name}: {form.about}", style="bold"),
        _table("terminals", ("name", "spellings", "framing", "dedicated"), map(_terminal, form.terminals)),
        _table("regions", ("name", "kind", "channel", "trial"), map(_region, form.regions)),
        Styled(f"\nstart: {form.start.on} (reasoning off: {form.start.off})"),
        Styled("\ntransitions", style="italic"),
        Styled("\n".join(f"  {show_row(row)}" for row in form.rows)),
    )


def _table(title: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*map(Styled, line))
    return table


def _terminal(terminal: Terminal) -> tuple[str, ...]:
    edges = [*(f"{literal!r}_" for literal in terminal.before), *(f"_{literal!r}" for literal in terminal.after)]
    spellings = "  ".join(map(repr, terminal.spellings))
    return terminal.name, spellings, "  ".join(edges), "yes" if terminal.dedicated else ""


def _region(region: Region) -> tuple[str, ...]:
    return region.name, _written(region.kind), region.channel, region.trial


def _written(value: object) -> str:
    """A value as it is written in a format, without the fields that are as by default."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    kind = type(value)
    if not has(kind):
        return repr(value)
    changed = [
        f"{attribute.name}={_written(getattr(value, attribute.name))}"
        for attribute in fields(kind)
        if getattr(value, attribute.name) != attribute.default
    ]
    return f"{kind.__name__}({', '.join(changed)})" if changed else kind.__name__
