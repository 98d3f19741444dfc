"""The verdict of a replay, for people: the split that differs, and the two results side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unbraid.core.events import Event, Events
from unbraid.shell.replay import Agreement, Delta, Disagreement, Verdict


def verdict_view(verdict: Verdict) -> RenderableType:
    """What to print."""
    if isinstance(verdict, Agreement):
        return Text(f"{verdict.splits} splits agree", style="green")
    lines = [f"{place}  {_delta(delta)}" for place, delta in enumerate(verdict.deltas, 1)]
    head = f"{verdict.view}: {len(verdict.deltas)} deltas read differently from the whole"
    return Group(Text(head, style="red"), Text("\n".join(lines)), _side_by_side(verdict))


def _delta(delta: Delta) -> str:
    text, ids = delta
    return "  ".join([*([ascii(text)] if text is not None else []), *([str(list(ids))] if ids else [])])


def _side_by_side(verdict: Disagreement) -> Table:
    table = Table("whole", "split")
    for left, right in _pairs(verdict.whole, verdict.split):
        style = "" if left == right else "bold yellow"
        table.add_row(Text(_shown(left), style), Text(_shown(right), style))
    return table


def _pairs(left: Events, right: Events) -> Iterator[tuple[Event | None, Event | None]]:
    return zip_longest(left, right)


def _shown(event: Event | None) -> str:
    return "" if event is None else ascii(event)
