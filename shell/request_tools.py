"""The tools of a request, and which of them the model may, must or must not call.

    tool_choice    none            no call
                   auto            as the model likes; the default if there are tools
                   required        at least one call
                   {function}      one call of that function
                   {allowed_tools} auto or required, of these tools only

A choice may only name tools that are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from attrs import frozen

from unbraid.core.schema import SchemaDefect, resolve_tool
from unbraid.shell.request_fields import Fields, RequestDefect, one_of, shown

Kind: TypeAlias = Literal["none", "auto", "required", "named"]
Mode: TypeAlias = Literal["auto", "required"]

MODES: Final[tuple[Mode, ...]] = ("auto", "required")
WORDS: Final[tuple[Kind, ...]] = ("none", *MODES)
OBJECTS: Final = ("function", "allowed_tools")
ALLOWED: Final = f"{', '.join(WORDS)}, a function, allowed_tools"


@frozen
class Tools:
    """`listed`: as the request has them; `names`; `strict`: the names whose arguments must fit their schema."""

    listed: tuple[Mapping[str, object], ...]
    names: tuple[str, ...]
    strict: tuple[str, ...]


@frozen
class ToolChoice:
    """`names`: the tools that may be called, None: all of them. For `named`, the one."""

    kind: Kind
    names: tuple[str, ...] | None = None


FREE: Final = ToolChoice("auto")


def read_tools(fields: Fields) -> Tools | None:
    """The tools, None if there are none."""
    found = fields.objects("tools", "tools")
    if found is None:
        return None
    names: dict[str, None] = {}
    strict: list[str] = []
    for tool in found:
        name = _function(tool)
        if name in names:
            tool.wrong("function.name", f"{name!r} a second time", "names that differ")
        elif name is not None:
            names[name] = None
            if _is_strict(tool):
                strict.append(name)
    return Tools(tuple(dict(tool.items()) for tool in found), tuple(names), tuple(strict))


def _is_function(tool: Fields) -> bool:
    """Is it a tool of the one kind there is?"""
    if not tool.given("type"):
        tool.wrong("type", "missing", "function")
    return tool.word("type", ("function",)) is not None


def _function(tool: Fields) -> str | None:
    """The name of a tool; its schema is checked on the way."""
    if not _is_function(tool):
        return None
    function = tool.inner("function")
    if function is None:
        if not tool.given("function"):
            tool.wrong("function", "missing", "an object with name, description and parameters")
        return None
    name = function.text("name")
    if name is None and not function.given("name"):
        function.wrong("name", "missing", "a string that is not empty")
    if name is not None and function.shallow("parameters"):
        tool.defects += _schema_defects(tool, dict(tool.items()))
    return name


def _schema_defects(tool: Fields, listed: Mapping[str, object]) -> Iterator[RequestDefect]:
    wrong: tuple[SchemaDefect, ...] = resolve_tool(listed).swap().value_or(())
    for defect in wrong:
        yield RequestDefect(f"{tool.path}{_dotted(defect.path)}", defect.describe(), "a JSON Schema of an object")


def _dotted(pointer: str) -> str:
    """A JSON pointer as a path.

    >>> _dotted("/function/parameters/anyOf/0")
    '.function.parameters.anyOf[0]'
    """
    steps = pointer.split("/")[1:]
    return "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps)


def _is_strict(tool: Fields) -> bool:
    function = tool.inner("function")
    return function is not None and function.flag("strict", default=False)


def read_choice(fields: Fields, tools: Tools | None) -> ToolChoice:
    """The tool choice; it may only name tools that are there."""
    value = fields.value("tool_choice")
    if value is None:
        return FREE
    choice = _named(fields, tools) if isinstance(value, Mapping) else _word(fields, value)
    if tools is None and choice.kind != "none" and not fields.given("tools"):
        fields.wrong("tool_choice", f"{choice.kind!r} without tools", "none, or tools")
    return choice


def _word(fields: Fields, value: object) -> ToolChoice:
    for word in WORDS:
        if value == word:
            return ToolChoice(word)
    fields.wrong("tool_choice", one_of(value, WORDS), ALLOWED)
    return ToolChoice("none")


def _named(fields: Fields, tools: Tools | None) -> ToolChoice:
    choice = fields.inner("tool_choice")
    if choice is None:
        return FREE
    if not choice.given("type"):
        choice.wrong("type", "missing", ", ".join(OBJECTS))
    kind = choice.word("type", OBJECTS)
    if kind == "function":
        name = _known(choice, tools)
        return FREE if name is None else ToolChoice("named", (name,))
    return FREE if kind is None else _allowed(choice, tools)


def _known(holder: Fields, tools: Tools | None) -> str | None:
    """The name in `function` of an object, if there is such a tool."""
    function = holder.inner("function")
    if function is None:
        if not holder.given("function"):
            holder.wrong("function", "missing", "an object with a name")
        return None
    name = function.text("name")
    names: Sequence[str] = () if tools is None else tools.names
    if name is None:
        if not function.given("name"):
            function.wrong("name", "missing", ", ".join(names) or "the name of a tool")
    elif tools is not None and name not in names:
        function.wrong("name", one_of(name, names), ", ".join(names))
        return None
    return name


def _allowed(choice: Fields, tools: Tools | None) -> ToolChoice:
    allowed = choice.inner("allowed_tools")
    if allowed is None:
        if not choice.given("allowed_tools"):
            choice.wrong("allowed_tools", "missing", "an object with mode and tools")
        return FREE
    mode = allowed.word("mode", MODES)
    if not allowed.given("mode"):
        allowed.wrong("mode", "missing", ", ".join(MODES))
    listed = allowed.objects("tools", "tools")
    if listed is None:
        if not allowed.given("tools"):
            allowed.wrong("tools", shown(None), "an array of tools, at least one")
        return FREE
    names = [name for one in listed if _is_function(one) and (name := _known(one, tools)) is not None]
    return ToolChoice(mode or "auto", tuple(dict.fromkeys(names)))
