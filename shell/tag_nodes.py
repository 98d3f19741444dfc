"""The nodes of a structural tag, as plain JSON data: a small language of grammars that xgrammar compiles.

    const_string   these characters            sequence   one after another      tag             begin, content, end
    regex          one of a regular language   or         one of these           triggered_tags  text, and tags where their
    json_schema    JSON that fits a schema     optional   or nothing                             trigger stands in it
    any_text       text without some strings   star       any number of them     token           this id

Builders join what can be joined, so that equal grammars are equal data: literals in a row are one, and so is white space; sequences do not nest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations
from math import perm
from typing import Final, TypeAlias

Node: TypeAlias = Mapping[str, object]

SPACE_MOST: Final = 15
"""Most code points of white space where some may stand. The parser's cap is `GAP_CAP`, 16."""

JSON_SPACE_MOST: Final = 40
"""The same inside of JSON, which may be indented."""

ANY_ORDER: Final = 3
"""Most nodes that may stand in any order: with each further one their grammar grows as many times as there are."""

ANY_ORDER_SIZE: Final = 30_000
"""Its size, as JSON."""

_SPECIAL: Final = frozenset("\\.^$*+?()[]{}|/-")


def literal(text: str) -> Node:
    """Exactly this text."""
    return {"type": "const_string", "value": text}


def regex(pattern: str) -> Node:
    """One of a regular language; the pattern is anchored at both ends."""
    return {"type": "regex", "pattern": pattern}


def escaped(text: str) -> str:
    r"""`text` in a regular expression.

    >>> escaped("a.b\n")
    'a\\.b\\n'
    """
    return "".join(_ESCAPES.get(char, f"\\{char}" if char in _SPECIAL else char) for char in text)


_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def space(chars: str, most: int = SPACE_MOST) -> Node:
    """At most `most` of some white space."""
    return regex(f"[{escaped(chars)}]{{0,{most}}}")


def token(number: int) -> Node:
    """The token with this id."""
    return {"type": "token", "token": number}


def json_schema(schema: object, *, style: str = "json", excludes: Sequence[str] = ()) -> Node:
    """JSON that fits; `style` is how objects are written. None of `excludes` in its strings."""
    node: dict[str, object] = {
        "type": "json_schema",
        "json_schema": schema,
        "style": style,
        "max_whitespace_cnt": JSON_SPACE_MOST if style == "json" else SPACE_MOST,
    }
    if excludes:
        node["excludes"] = list(excludes)
    return node


def any_text(excludes: Sequence[str] = (), most: int | None = None) -> Node:
    """Text, also none, without these strings in it; at most `most` code points."""
    node: dict[str, object] = {"type": "any_text", "excludes": list(excludes)}
    if most is not None:
        node["max_chars"] = most
    return node


def sequence(nodes: Iterable[Node]) -> Node:
    """One after another."""
    flat: list[Node] = []
    for node in nodes:
        for one in _elements(node):
            if flat and flat[-1]["type"] == one["type"] == "const_string":
                flat[-1] = literal(f"{flat[-1]['value']}{one['value']}")
            elif one != literal("") and not (_is_space(one) and flat and flat[-1] == one):
                flat.append(one)
    return flat[0] if len(flat) == 1 else {"type": "sequence", "elements": flat}


def _is_space(node: Node) -> bool:
    return node["type"] == "regex" and str(node["pattern"]).endswith(f"{{0,{SPACE_MOST}}}")


def _elements(node: Node) -> Sequence[Node]:
    elements = node.get("elements") if node["type"] == "sequence" else None
    return elements if isinstance(elements, list) else [node]


def either(nodes: Iterable[Node]) -> Node:
    """One of these."""
    some: list[Node] = []
    for node in nodes:
        if node not in some:
            some.append(node)
    return some[0] if len(some) == 1 else {"type": "or", "elements": some}


def optional(node: Node) -> Node:
    """The node, or nothing."""
    return {"type": "optional", "content": node}


def star(node: Node) -> Node:
    """Any number of these."""
    return {"type": "star", "content": node}


def repeat(node: Node, least: int, most: int | None) -> Node:
    """So many of these; None: any number from the least one on."""
    if (least, most) == (0, None):
        return star(node)
    return {"type": "repeat", "min": least, "max": -1 if most is None else max(least, most), "content": node}


def in_order(nodes: Iterable[tuple[Node, bool]]) -> Node:
    """Each of these at most once, in their order. True beside a node: it must stand there."""
    return sequence(node if needed else optional(node) for node, needed in nodes)


def any_order(nodes: Sequence[tuple[Node, bool]]) -> Node:
    """The same in any order, if they are few and small; each node is then written as often as other ones may stand before it."""
    count = len(nodes)
    copies = sum(perm(count - 1, before) for before in range(count))
    if count > ANY_ORDER or copies * len(json.dumps([node for node, _ in nodes])) > ANY_ORDER_SIZE:
        return in_order(nodes)
    made: dict[frozenset[int], Node] = {frozenset(): literal("")}
    for left in map(frozenset, chain.from_iterable(combinations(range(count), size) for size in range(1, count + 1))):
        ways = either(sequence([nodes[one][0], made[left - {one}]]) for one in sorted(left))
        made[left] = ways if any(nodes[one][1] for one in left) else optional(ways)
    return made[frozenset(range(count))]


def triggered(trigger: str, content: Node, excludes: Sequence[str], *, once: bool) -> Node:
    """Text, and `content` behind each `trigger` in it; `once`: behind the first one, which ends it all."""
    inner, end = _split(content)
    return {
        "type": "triggered_tags",
        "triggers": [trigger],
        "tags": [{"type": "tag", "begin": trigger, "content": inner, "end": end}],
        "excludes": list(excludes),
        "stop_after_first": once,
    }


def token_triggered(trigger: int, content: Node, excludes: Sequence[int], *, once: bool) -> Node:
    """The same by ids of tokens."""
    inner, end = _split(content)
    return {
        "type": "token_triggered_tags",
        "trigger_tokens": [trigger],
        "tags": [{"type": "tag", "begin": token(trigger), "content": inner, "end": end}],
        "exclude_tokens": list(excludes),
        "stop_after_first": once,
    }


def _split(node: Node) -> tuple[Node, object]:
    """A node without the literal or token at its end, and that; "" if it ends in something else."""
    *inner, last = _elements(node)
    if inner and last["type"] in ("const_string", "token"):
        return sequence(inner), last["value"] if last["type"] == "const_string" else last
    return node, ""


def structural_tag(node: Node) -> Node:
    """The whole, as a `response_format` has it."""
    return {"type": "structural_tag", "format": node}
