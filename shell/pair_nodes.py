"""Grammars of arguments that are written as keys and values between tags (`wire.Pairs`).

    declared   what the tool's schema declares: at most `tag_nodes.ANY_ORDER` keys in any order, more of them in the schema's
    any        any key with any value, where nothing is declared or a tool need not fit its schema

Each key stands at most once, for a second one is an anomaly. What is required stands there; what is not declared does not, whatever
`additionalProperties` says. That each key stands once in any order takes a grammar that doubles with every key, which is why many
keys keep the schema's order. It is the order of the prompt as well, if the template does not sort them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from unbraid.core.bind import Machine
from unbraid.core.grammar import WHITESPACE
from unbraid.core.schema import STRING, Kinds, as_mapping
from unbraid.shell.call_schema import Offered
from unbraid.shell.markers import mark
from unbraid.shell.part_nodes import written
from unbraid.shell.sayable import Strings
from unbraid.shell.tag_nodes import Node, any_order, any_text, either, escaped, json_schema, sequence, space, star
from unbraid.shell.value_nodes import Edges, Texts, json_value, kind_word, resolved
from unbraid.shell.wire import BLANKS, Pairs, Slots

KEY_MOST: Final = 64


def declared(root: Mapping[str, object]) -> tuple[Mapping[str, object], frozenset[str]]:
    """The keys that a schema of an object asks for or allows, with what it says of their values, and those that it asks for."""
    properties, wanted = as_mapping(root.get("properties")) or {}, root.get("required")
    required = [key for key in wanted if isinstance(key, str)] if isinstance(wanted, list) else []
    return {**properties, **{key: True for key in required if key not in properties}}, frozenset(required)


def is_open(root: Mapping[str, object]) -> bool:
    """Does a schema say nothing of its properties, but that there may be some?"""
    return bool(root) and "properties" not in root and root.get("additionalProperties", True) is not False


@frozen
class PairWriter:
    """Writes the arguments of one format."""

    machine: Machine
    kind: Pairs

    def arguments(self, tool: Offered, *, exact: bool) -> Iterator[Node]:
        """The arguments of a call. `exact`: as the tool's schema declares them."""
        whole = as_mapping(tool.parameters) or {}
        root = resolved(tool.parameters, whole)
        gap = space(BLANKS)
        if not exact or is_open(root):
            yield star(sequence([self._any_pair(), gap]))
            return
        keys, required = declared(root)
        pairs = [
            (sequence([self._pair(tool.name, key, schema, whole), gap]), key in required)
            for key, schema in keys.items()
        ]
        yield any_order(pairs)

    def _pair(self, tool: str, key: str, schema: object, root: Mapping[str, object]) -> Node:
        """A pair, by whichever types its value may have."""
        kinds = self.machine.kinds(tool, key)
        live = Strings(excludes=self.kind.live)
        if self._typed:
            ways = [(self.kind.value.string_tags[0], self._texts(root).node(schema))] if "string" in kinds.types else []
            if kinds != STRING:
                ways.append(("", json_value(schema, root, live)))
        elif "string" in kinds.types:
            ways = [("", self._texts(root, kinds).node(schema))]
        else:
            ways = [("", json_value(schema, root, live))]
        return either(self._written(key, word, kinds, node, tool) for word, node in ways)

    def _texts(self, root: Mapping[str, object], kinds: Kinds | None = None) -> Texts:
        return Texts(root, self._unspeakable, Edges(self.kind.opens, self.kind.closes), kinds)

    @property
    def _unspeakable(self) -> tuple[str, ...]:
        """What no text value may hold: what means something there, and special tokens, which vanish."""
        return tuple(dict.fromkeys((*self.kind.live, *self.machine.format.specials)))

    @property
    def _typed(self) -> bool:
        """Does the format tell each value's type?"""
        return any("type" in part.names for part in self.kind.parts if isinstance(part, Slots))

    def _written(self, key: str, word: str, kinds: Kinds, value: Node, tool: str) -> Node:
        """A pair. `word`: the type that is told; empty: the one for JSON."""
        told = escaped(word) if word else f"({kind_word(kinds, self.kind.value.string_tags)})"
        before = written(self.machine, self.kind.parts, {"key": key}, tool, {"type": told})
        return sequence([*before, value, mark(self.machine, self.kind.close.terminal)])

    def _any_pair(self) -> Node:
        """A pair with any key and any value."""
        slots = next(part for part in self.kind.parts if isinstance(part, Slots) and "key" in part.names)
        out = "".join(
            dict.fromkeys(WHITESPACE + "\"'&<>=" + slots.capture.stops + "".join(word[0] for word in slots.live))
        )
        patterns = {"key": f"[^{escaped(out)}]{{1,{KEY_MOST}}}"}
        tags = self.kind.value.string_tags
        ways = [(escaped(tags[0]) if self._typed else "", any_text(self._unspeakable))]
        if self._typed:
            ways.append((f"({kind_word(STRING, tags)})", json_schema(True, excludes=self.kind.live)))
        end = mark(self.machine, self.kind.close.terminal)
        return either(
            sequence([*written(self.machine, self.kind.parts, {}, "", {**patterns, "type": told}), value, end])
            for told, value in ways
        )
