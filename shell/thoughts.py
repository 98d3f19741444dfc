"""Grammars of what stands before an answer: thoughts.

must   generation starts in them
may    the model opens them itself
none   there are none
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from unbraid.core.bind import Machine
from unbraid.core.grammar import Terminal
from unbraid.core.notation import SAME
from unbraid.shell import message_tags
from unbraid.shell.headers import messages
from unbraid.shell.markers import mark
from unbraid.shell.tag_nodes import Node, any_text, optional, sequence, space
from unbraid.shell.wire import BLANKS, Graph

Thoughts: TypeAlias = Literal["must", "may", "none"]


def thinking(machine: Machine, thoughts: Thoughts, region: str | None = None) -> Iterator[Node]:
    """What stands before the answer. `region`: where the thoughts begin; None: where the format's do."""
    kinds = messages(machine.format)
    if kinds is not None:
        if thoughts != "none" and kinds.thoughts is not None:
            yield message_tags.leading(machine, kinds, kinds.thoughts)
        return
    graph = Graph(machine.format)
    here = region or machine.format.start.on
    if thoughts == "must":
        yield from _thought(machine, graph, here)
    if thoughts == "may":
        begin = next(_into_thoughts(graph, machine.format.start.off), None)
        if begin is not None:
            target, terminal = begin
            yield optional(sequence([mark(machine, terminal), *_thought(machine, graph, target)]))


def _into_thoughts(graph: Graph, region: str) -> Iterator[tuple[str, Terminal]]:
    for row in graph.regular(region):
        if graph.regions[row.to].channel == "reasoning" and not row.keep:
            yield row.to, graph.terminals[row.on]


def _thought(machine: Machine, graph: Graph, region: str) -> Iterator[Node]:
    """Text up to the marker that ends it."""
    inner = [one.name for one in graph.format.regions if one.channel == "reasoning"]
    leaving = [row for row in graph.regular(region) if graph.regions[row.to].channel == "content"]
    ends = [row.on for row in leaving if all(any(other.on == row.on for other in graph.regular(one)) for one in inner)]
    if ends:
        live = graph.live(*inner)
        away = [word for word in live if not _stays(graph, inner, word)]
        yield any_text(away)
        yield mark(machine, graph.terminals[ends[0]])
        yield space(BLANKS)


def _stays(graph: Graph, regions: Iterable[str], word: str) -> bool:
    """Does a spelling mean nothing in these regions, or nothing new?"""
    rows = [row for region in regions for row in graph.rows(region) if word in graph.words(row.on)]
    return all(row.to == SAME or graph.regions[row.to].channel == "reasoning" for row in rows)


def begins_thoughts(machine: Machine) -> bool:
    """Can the model open thoughts itself, where its answer starts?"""
    kinds = messages(machine.format)
    if kinds is not None:
        return kinds.thoughts is not None
    graph = Graph(machine.format)
    return next(_into_thoughts(graph, machine.format.start.off), None) is not None
