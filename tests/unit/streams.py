"""Helpers for tests of the machine: one output read at every two-way cut and code point by code point."""

from __future__ import annotations

from collections.abc import Iterator

from tests.laws.machines import fold_text
from unbraid.core.bind import Machine
from unbraid.core.events import Anomaly, Events
from unbraid.core.machine import start


def at_every_split(machine: Machine, text: str, at: str = "content") -> Events:
    """The events of `text`; asserts that they are the same however it is cut."""
    whole = fold_text(machine, start(machine, "text", at=at), [text])  # type: ignore[arg-type]  # one of three words
    for pieces in _cuts(text):
        assert fold_text(machine, start(machine, "text", at=at), pieces) == whole, pieces  # type: ignore[arg-type]
    return whole


def _cuts(text: str) -> Iterator[list[str]]:
    yield list(text)
    yield from ([text[:place], text[place:]] for place in range(1, len(text)))


def kinds(events: Events) -> list[str]:
    """The kinds of the anomalies."""
    return [event.kind for event in events if isinstance(event, Anomaly)]
