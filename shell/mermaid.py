"""A format's transitions as a Mermaid state diagram.

    stateDiagram-v2
        [*] --> fresh
        fresh --> call : TOOL_START

Rows that go the same way share an arrow; what makes a row rare (conditions, anomalies) is written at it. Rows that stay where
they are (`@same`) are arrows to the region itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.core.grammar import Format, Row


def mermaid(form: Format) -> str:
    """The diagram of `form`, ready for a fenced block."""
    return "\n".join(("stateDiagram-v2", *(f"    {line}" for line in _lines(form))))


def _lines(form: Format) -> Iterator[str]:
    for start in dict.fromkeys((form.start.on, form.start.off)):
        yield f"[*] --> {_safe(start)}"
    arrows: dict[tuple[str, str], list[str]] = {}
    for row in form.rows:
        target = row.region if row.to == "@same" else row.to
        arrows.setdefault((row.region, target), []).append(_label(row))
    for (source, target), labels in arrows.items():
        yield f"{_safe(source)} --> {_safe(target)} : {', '.join(dict.fromkeys(labels))}"
    for region in form.regions:
        if region.trial:
            yield f"note right of {_safe(region.name)} : {region.trial} trial"


def _label(row: Row) -> str:
    notes = [*(["if"] if row.when else []), *row.do, *([row.odd] if row.odd else [])]
    return f"{row.on} ({' '.join(notes)})" if notes else row.on


def _safe(region: str) -> str:
    """A name that is no word of the diagram's language."""
    return f"{region}_" if region in ("end", "state", "note", "direction", "class") else region
