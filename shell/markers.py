"""Markers in a grammar: their spellings, or their ids where only those count."""

from __future__ import annotations

from unbraid.core.bind import Machine
from unbraid.core.grammar import Terminal
from unbraid.shell.tag_nodes import Node, literal, token


def mark(machine: Machine, terminal: Terminal) -> Node:
    """A marker as it is written, by the first of its spellings."""
    return spelled(machine, terminal.spellings[0])


def spelled(machine: Machine, spelling: str) -> Node:
    """One spelling of a marker."""
    number = marker_id(machine, spelling)
    return literal(spelling) if number is None else token(number)


def marker_id(machine: Machine, spelling: str) -> int | None:
    """The id that counts alone, None if the spelling counts."""
    if machine.policies.marker_evidence != "ids" or machine.vocabulary is None:
        return None
    return machine.vocabulary.added.get(spelling)
