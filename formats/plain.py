"""Reasoning halves whose markers mean nothing while thinking is switched off."""

from __future__ import annotations

from attrs import evolve

from unbraid.core.grammar import Format
from unbraid.formats.delimited import PLAIN, PLAIN_REGIONS


def plain_when_off(half: Format) -> Format:
    """`half`, but where its switches say off the markers are content."""
    return evolve(
        half,
        regions=(*half.regions, *PLAIN_REGIONS),
        rows=(*half.rows, *PLAIN),
        start=evolve(half.start, off="plain"),
    )
