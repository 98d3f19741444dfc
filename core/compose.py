"""Two halves become one format, and with it one machine: there is no hand-over from one parser to another.

A *reasoning half* owns the start rule, its markers, and what lies around them; a *tool half* everything from the opener
of a call on. Neither knows the other. Both are written against two regions that every composition has:

    fresh      a gap of channel content, before any content of the turn
    content    text of channel content

What `compose` adds is copies of rows, in groups (all rows of one region for one terminal):

- The tool half's groups out of `content` are its *openers*, wherever text may stand: they are copied to `fresh`, to
  every other region of channel content that the reasoning half has (say, content while reasoning is switched off),
  and, if the reasoning half says `inside="ends"`, to its regions of channel reasoning. There only groups that lead to a
  call are copied, and none that is a recovery (a row with `odd`): a stray marker in a thought is a thought.
- The tool half's groups out of `fresh` (calls without a marker) are copied to the gaps of channel content.
- The reasoning half's groups out of `content` (say, a second end marker) are copied to the tool half's regions of
  channel content (say, behind a call).

Names that both halves use must mean the same; a spelling belongs to one terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias, TypeVar

from returns.result import Failure, Result, Success

from unbraid.core.errors import ComposeDefect, Defect
from unbraid.core.grammar import Format, Gap, Parameter, Region, Row, Terminal, Text
from unbraid.core.notation import SAME

CONTENT: Final = Region("content", Text(), "content")
FRESH: Final = Region("fresh", Gap(), "content")
FRESH_ROW: Final = Row("fresh", "@text", "content")
"""What every composition has."""

NOTHING: Final = Format("", "all output is content", regions=(FRESH, CONTENT), rows=(FRESH_ROW,))
"""The half that is not there, for either role."""

PLAIN: Final = "plain"
"""The name of the composition of nothing with nothing."""

Groups: TypeAlias = dict[tuple[str, str], tuple[Row, ...]]
Templates: TypeAlias = Literal["real", "stated", "none"]


def compose(reasoning: Format | None, tools: Format | None) -> Result[Format, tuple[Defect, ...]]:
    """One format out of two halves; None for a half that is not wanted. A format that has both halves stands for itself
    in either place, or in both. The name is `reasoning+tools`.

    Fails with all `ComposeDefect`s: a format in the wrong place, names or spellings that clash, conflicting rows.
    """
    wrong = tuple(_misplaced(reasoning, tools))
    if wrong:
        return Failure(wrong)
    whole = next((half for half in (reasoning, tools) if half is not None and half.reasoning and half.tools), None)
    return Success(whole) if whole is not None else _joined(reasoning or NOTHING, tools or NOTHING)


def complete(fmt: Format) -> Result[Format, tuple[Defect, ...]]:
    """A half as it runs alone; a whole format unchanged. Completing twice changes nothing."""
    if fmt.reasoning is fmt.tools:
        return Success(fmt)
    return compose(fmt, None) if fmt.reasoning else compose(None, fmt)


def _misplaced(reasoning: Format | None, tools: Format | None) -> Iterator[Defect]:
    if reasoning is not None and not reasoning.reasoning:
        yield ComposeDefect(reasoning.name, "no_reasoning_half")
    if tools is not None and not tools.tools:
        yield ComposeDefect(tools.name, "no_tool_half")
    if reasoning is None or tools is None or reasoning == tools:
        return
    for one, other in ((reasoning, tools), (tools, reasoning)):
        if one.reasoning and one.tools:
            yield ComposeDefect(one.name, "whole_format", other.name)


def _joined(reasoning: Format, tools: Format) -> Result[Format, tuple[Defect, ...]]:
    name = "+".join(filter(None, (reasoning.name, tools.name))) or PLAIN
    table = _Table(name)
    for source in (_groups((FRESH_ROW,)), _groups(reasoning.rows), _groups(tools.rows), *_copies(reasoning, tools)):
        table.add(source)
    defects = (*_clashes(name, reasoning, tools), *table.defects)
    return Failure(defects) if defects else Success(_whole(name, reasoning, tools, tuple(table.rows())))


def _whole(name: str, reasoning: Format, tools: Format, rows: tuple[Row, ...]) -> Format:
    return Format(
        name=name,
        about="; ".join(filter(None, (half.about for half in (reasoning, tools) if half is not NOTHING)))
        or NOTHING.about,
        reasoning=reasoning.reasoning,
        tools=tools.tools,
        terminals=_union(reasoning.terminals, tools.terminals),
        regions=_union(reasoning.regions, tools.regions, NOTHING.regions),
        rows=rows,
        start=tools.start if reasoning is NOTHING else reasoning.start,
        specials=_union(reasoning.specials, tools.specials),
        ids=tools.ids,
        inside=_inside(reasoning, tools),
        unmarked=tools.unmarked,
        template=_template(reasoning, tools),
        experimental=reasoning.experimental or tools.experimental,
        parameters=_union(reasoning.parameters, tools.parameters),
    )


_Record = TypeVar("_Record", str, Terminal, Region, Parameter)


def _union(*groups: tuple[_Record, ...]) -> tuple[_Record, ...]:
    return tuple(dict.fromkeys(record for group in groups for record in group))


def _template(reasoning: Format, tools: Format) -> Templates:
    """A composition is tested as well as its worse half."""
    known = [half.template for half in (reasoning, tools) if half is not NOTHING]
    order: tuple[Templates, ...] = ("none", "stated", "real")
    return next((word for word in order if word in known), "none")


# -- rows ----------------------------------------------------------------------------------------------------------------


class _Table:
    """Groups of rows from several sources; equal ones once, different ones a defect."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.groups: Groups = {}
        self.defects: list[Defect] = []

    def add(self, groups: Groups) -> None:
        for key, rows in groups.items():
            if self.groups.setdefault(key, rows) != rows:
                self.defects.append(ComposeDefect(self.name, "row_clash", " ".join(key)))

    def rows(self) -> Iterator[Row]:
        for rows in self.groups.values():
            yield from rows


def _groups(rows: Iterable[Row]) -> Groups:
    groups: Groups = {}
    for row in rows:
        key = (row.region, row.on)
        groups[key] = (*groups.get(key, ()), row)
    return groups


def _copies(reasoning: Format, tools: Format) -> Iterator[Groups]:
    """The groups of either half at home in the other one's regions."""
    theirs = _groups(tools.rows)
    openers = [rows for (region, _), rows in theirs.items() if region == CONTENT.name]
    calls = [rows for rows in openers if _leads_to_call(tools, rows) and not any(row.odd for row in rows)]
    unmarked = [rows for (region, on), rows in theirs.items() if region == FRESH.name and on != "@text"]
    for region in _union(reasoning.regions, (FRESH,)):
        if region.channel == "content" and region.name == FRESH.name:
            yield {key: rows for key, rows in _moved(openers, region).items() if key not in theirs}
        elif region.channel == "content" and region.name != CONTENT.name:
            yield _moved([*openers, *unmarked] if isinstance(region.kind, Gap) else openers, region)
        elif region.channel == "reasoning" and _inside(reasoning, tools) == "ends":
            yield _moved(calls, region)
    ours = [rows for (region, _), rows in _groups(reasoning.rows).items() if region == CONTENT.name]
    for region in tools.regions:
        if region.channel == "content" and not region.trial and region not in (CONTENT, FRESH):
            yield _moved(ours, region)


def _moved(groups: Iterable[tuple[Row, ...]], region: Region) -> Groups:
    return _groups(_at(row, region.name) for rows in groups for row in rows)


def _at(row: Row, region: str) -> Row:
    return Row(region, row.on, row.to, row.when, row.do, row.keep, row.release, row.odd)


def _leads_to_call(tools: Format, rows: tuple[Row, ...]) -> bool:
    regions = {region.name: region for region in tools.regions}
    targets = [regions[row.to] for row in rows if row.to != SAME and row.to in regions]
    return any(target.trial or target.channel == "call" for target in targets)


def _inside(reasoning: Format, tools: Format) -> Literal["ends", "text"]:
    return "text" if "text" in (reasoning.inside, tools.inside) else "ends"


# -- what does not fit ---------------------------------------------------------------------------------------------------


def _clashes(name: str, reasoning: Format, tools: Format) -> Iterator[Defect]:
    ours = {terminal.name: terminal for terminal in reasoning.terminals}
    for terminal in tools.terminals:
        if ours.get(terminal.name, terminal) != terminal:
            yield ComposeDefect(name, "terminal_clash", terminal.name)
    for one in reasoning.terminals:
        for other in tools.terminals:
            if one.name != other.name and not set(one.spellings).isdisjoint(other.spellings):
                yield ComposeDefect(name, "spelling_clash", f"{one.name} and {other.name}")
    places = {region.name: region for region in (*reasoning.regions, *NOTHING.regions)}
    for region in tools.regions:
        if places.get(region.name, region) != region:
            yield ComposeDefect(name, "region_clash", region.name)
    for region in reasoning.regions:
        if region.name in (CONTENT.name, FRESH.name) and region not in NOTHING.regions:
            yield ComposeDefect(name, "region_clash", region.name)
