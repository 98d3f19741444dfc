"""What a tool's schema says of nested values, looked up step by step.

    shape_of(tool)                             the parameters themselves
        .member("items") .item() .member("n")  the value at arguments.items[...].n

A shape is found when it is first asked for and kept by the schemas that it comes from, so a schema that refers to itself
gives the same shape again instead of an endless tree. Of several schemas that speak of one value (`allOf`, `anyOf`,
`oneOf`, `$ref`), the types are united and the first one that names a container says which.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import field, frozen

from unbraid.core.schema import Kinds, ToolSchema, Walk, as_mapping
from unbraid.core.type_names import IMPLIED, kind_of_name

SHAPES_KEPT: Final = 4096
"""Most shapes that are kept for one tool; others are found again."""


@frozen(eq=False)
class Shape:
    """What is known of one value. `kinds`: None if nothing is. `holds`: what elements in it make, `object` or `array`, or
    "" if the schema does not say."""

    kinds: Kinds | None
    holds: str
    schemas: tuple[Mapping[str, object], ...] = field(repr=False)
    root: object = field(repr=False)
    kept: dict[tuple[int, ...], Shape] = field(repr=False)

    def member(self, name: str) -> Shape:
        """The shape of a member of this object.

        >>> from unbraid.core.schema import resolve_tool
        >>> tool = resolve_tool({"name": "f", "parameters": {"properties": {"n": {"type": "integer"}}}}).unwrap()
        >>> shape_of(tool).member("n").kinds, shape_of(tool).member("x").kinds
        (Kinds(types=frozenset({'integer'})), None)
        """
        declared = [group[name] for group in self._groups("properties") if name in group]
        return self._shape(
            declared or [schema["additionalProperties"] for schema in self._with("additionalProperties")]
        )

    def item(self) -> Shape:
        """The shape of an item of this array."""
        found: list[object] = []
        for keyword in ("items", "prefixItems"):
            for schema in self._with(keyword):
                items = schema[keyword]
                found += items if isinstance(items, list | tuple) else [items]
        return self._shape(found)

    def _with(self, keyword: str) -> Iterable[Mapping[str, object]]:
        return (schema for schema in self.schemas if keyword in schema)

    def _groups(self, keyword: str) -> Iterable[Mapping[str, object]]:
        return (group for schema in self._with(keyword) if isinstance(group := schema[keyword], Mapping))

    def _shape(self, schemas: list[object]) -> Shape:
        key = tuple(map(id, schemas))
        known = self.kept.get(key)
        if known is None:
            known = _made(schemas, self.root, self.kept)
            if len(self.kept) < SHAPES_KEPT:
                self.kept[key] = known
        return known


def _made(schemas: list[object], root: object, kept: dict[tuple[int, ...], Shape]) -> Shape:
    types = frozenset[str]().union(*(_types(root, schema) for schema in schemas))
    parts = tuple(part for schema in schemas for part in _schemas(root, schema))
    holds = next((found for part in parts if (found := _container(part))), "")
    return Shape(Kinds(types) if types else None, holds, parts, root, kept)


def shape_of(tool: ToolSchema | None) -> Shape:
    """The shape of a tool's arguments; of a tool that is not known, one that says nothing of anything.

    >>> shape_of(None).member("x").item().kinds is None
    True
    """
    root = None if tool is None else tool.parameters
    return _made([root], root, {})


def _types(root: object, schema: object) -> frozenset[str]:
    """The JSON types that `schema`, a part of the parameters `root`, allows; empty if it says nothing about them, or if it
    cannot be read.
    """
    return Walk("", (), root).types(schema, (), 0)


def _schemas(root: object, schema: object, most: int = 256) -> tuple[Mapping[str, object], ...]:
    """`schema` and all that speak of the same value: what it refers to, and the members of its `allOf`, `anyOf`, `oneOf`,
    the nearest first, each once, at most `most`. References that go round end."""
    walk = Walk("", (), root)
    found: dict[int, Mapping[str, object]] = {}
    waiting = deque([schema])
    while waiting and len(found) < most:
        members = as_mapping(waiting.popleft())
        if members is None or id(members) in found:
            continue
        found[id(members)] = members
        target = walk.target(members, ())
        waiting += [target[1]] if target is not None else []
        waiting += [part for part, _ in walk.parts(members, (), ("allOf", "anyOf", "oneOf"))]
    return tuple(found.values())


def _container(members: Mapping[str, object]) -> str:
    """What one schema makes of elements in its value: `object`, `array`, whichever it names first, or ""."""
    named = members.get("type", [kind for keyword, kind in IMPLIED.items() if keyword in members])
    kinds = [
        kind_of_name(name) for name in (named if isinstance(named, list | tuple) else (named,)) if isinstance(name, str)
    ]
    return next((kind for kind in kinds if kind in ("object", "array")), "")
