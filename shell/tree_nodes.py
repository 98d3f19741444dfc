"""Grammars of arguments that are nested elements (`Tree`), by the tool's JSON Schema.

    object   its declared members as elements, each once; of the arguments themselves a few in any order (`tag_nodes.any_order`)
    array    an element `item` for each item
    string   text, as `value_nodes` writes it
    other    JSON; the parser reads JSON in an element as well

An element ends with its own name, and a grammar cannot ask for a name again that it does not know. So what has names that no schema tells
(an object without `properties`, `additionalProperties`), what refers to itself, and what is nested deeper than `DEEPEST` or behind `MOST` others is written as JSON in
its element. The arguments themselves cannot be JSON: of a tool that declares none there are none. A tool that need not fit its schema may
leave any of its arguments out, and what stands there fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import define

from unbraid.core.bind import Machine
from unbraid.core.grammar import NAME_CAP, Tree
from unbraid.core.schema import Kinds, as_mapping
from unbraid.shell.call_schema import Offered
from unbraid.shell.pair_nodes import declared
from unbraid.shell.part_nodes import Unwritable, UnwritableError
from unbraid.shell.sayable import Strings
from unbraid.shell.tag_nodes import Node, any_order, either, in_order, literal, repeat, sequence, space
from unbraid.shell.value_nodes import MEMBERS, Edges, Texts, json_value, kinds_of, resolved
from unbraid.shell.wire import BLANKS

DEEPEST: Final = 6
"""Elements within elements."""

MOST: Final = 500
"""Elements of one tool's grammar."""

ITEM: Final = "item"
ENDS: Final = "<>\n\r\t"
"""What no element's name may hold."""


@define
class TreeWriter:
    """Writes the arguments of one tool. `spent`: elements so far."""

    machine: Machine
    kind: Tree
    tool: Offered
    spent: int = 0

    def arguments(self, *, exact: bool) -> Node:
        """The arguments of a call."""
        root = resolved(self.tool.parameters, self._root)
        return sequence([space(BLANKS), self._members(root, (), needed=exact)])

    @property
    def _root(self) -> Mapping[str, object]:
        return as_mapping(self.tool.parameters) or {}

    @property
    def _excludes(self) -> tuple[str, ...]:
        return (self.kind.prefix, *self.machine.format.specials)

    def _members(self, schema: Mapping[str, object], above: Sequence[object], *, needed: bool = True) -> Node:
        keys, required = declared(schema)
        gap = space(BLANKS)
        elements = [
            (sequence([self._element(key, self._value(inner, above)), gap]), needed and key in required)
            for key, inner in keys.items()
        ]
        return in_order(elements) if above else any_order(elements)

    def _element(self, name: str, value: Node) -> Node:
        found = next((char for char in ENDS if char in name), "/" if name.startswith("/") else name[NAME_CAP:])
        if found or not name:
            raise UnwritableError(Unwritable(self.machine.format.name, self.tool.name, name, found))
        prefix = self.kind.prefix
        return sequence([literal(f"{prefix}<{name}>"), value, literal(f"{prefix}</{name}>")])

    def _value(self, schema: object, above: Sequence[object], kinds: frozenset[str] | None = None) -> Node:
        """What stands in an element. `above`: the schemas around it; `kinds`: the types that any schema of the element allows."""
        found = resolved(schema, self._root)
        self.spent += 1
        if any(one is found for one in above) or len(above) >= DEEPEST or self.spent > MOST:
            return self._json(schema)
        above, own = (*above, found), kinds_of(found, self._root)
        members = next((found[word] for word in MEMBERS if isinstance(found.get(word), list)), None)
        if isinstance(members, list) and members:
            return either(self._value(one, above, kinds or own) for one in members)
        return either(self._ways(found, above, own, Kinds(kinds or own)))

    def _ways(
        self, schema: Mapping[str, object], above: Sequence[object], own: frozenset[str], kinds: Kinds
    ) -> Iterator[Node]:
        if "object" in own and as_mapping(schema.get("properties")):
            yield sequence([space(BLANKS), self._members(schema, above)])
            own -= {"object"}
        elif "array" in own and "items" in schema:
            yield self._items(schema, above)
            own -= {"array"}
        if "string" in own:
            yield Texts(self._root, self._excludes, Edges(), kinds).node(schema)
        elif own:
            yield self._json(schema)

    def _items(self, schema: Mapping[str, object], above: Sequence[object]) -> Node:
        gap, item = space(BLANKS), self._element(ITEM, self._value(schema["items"], above))
        least, most = (schema.get(word) for word in ("minItems", "maxItems"))
        bounds = (least if isinstance(least, int) else 0, most if isinstance(most, int) else None)
        return sequence([gap, repeat(sequence([item, gap]), *bounds)])

    def _json(self, schema: object) -> Node:
        return json_value(schema, self._root, Strings(excludes=self._excludes))
