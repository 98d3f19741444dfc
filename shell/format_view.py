"""What there is to know about formats, as tables: all of them in one, one of them in detail.

The same cells are printed in a terminal and written as Markdown into the README.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import fields, frozen
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text as Styled

from unbraid.core.grammar import Format, Region, Switch, Terminal
from unbraid.core.notation import show_row

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
    table = Table(*COLUMNS)
    for form in forms:
        table.add_row(*cells(form))
    return table


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


def detail(form: Format) -> RenderableType:
    """Terminals, regions and transitions of one format."""
    return Group(
        Styled(f"{form.name}: {form.about}", style="bold"),
        _titled("terminals", ("name", "spellings", "framing", "dedicated"), map(_terminal, form.terminals)),
        _titled("regions", ("name", "kind", "channel", "trial"), map(_region, form.regions)),
        Styled(f"\nstart: {form.start.on} (reasoning off: {form.start.off})"),
        Styled("\ntransitions", style="italic"),
        Styled("\n".join(f"  {show_row(row)}" for row in form.rows)),
    )


def _titled(title: str, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> Table:
    table = Table(*columns, title=title, title_justify="left")
    for line in lines:
        table.add_row(*map(Styled, line))
    return table


def _terminal(terminal: Terminal) -> tuple[str, ...]:
    edges = [*(f"{literal!r}_" for literal in terminal.before), *(f"_{literal!r}" for literal in terminal.after)]
    spellings = "  ".join(map(repr, terminal.spellings))
    return terminal.name, spellings, "  ".join(edges), "yes" if terminal.dedicated else ""


def _region(region: Region) -> tuple[str, ...]:
    return region.name, _record(region.kind), region.channel, region.trial


def _record(record: object) -> str:
    """A record as it is written, without what is as by default."""
    kind = type(record)
    plain = kind()
    changed = [
        f"{attribute.name}={getattr(record, attribute.name)!r}"
        for attribute in fields(kind)
        if getattr(record, attribute.name) != getattr(plain, attribute.name)
    ]
    return f"{kind.__name__}({', '.join(changed)})" if changed else kind.__name__
