"""What stands on a way through a table, as nodes: markers, white space, and captured names that come out of their capture as they went in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from unbraid.core.bind import Machine
from unbraid.core.grammar import NAME_CAP, WHITESPACE, Capture, Field
from unbraid.shell.markers import mark
from unbraid.shell.tag_nodes import Node, literal, optional, regex, sequence, space
from unbraid.shell.wire import Detour, Mark, Part, Parts, Slots, Space

INDEX: Final = "[0-9]{1,4}"
WORD: Final = "[a-z_]{1,16}"
OTHER_ATTRIBUTE: Final = ' [a-z_]{1,16}="[0-9]{1,4}"'


@frozen
class Unwritable:
    """A name or key that a format cannot write: something in it would end it."""

    format: str
    tool: str
    text: str
    found: str

    def describe(self) -> str:
        """One sentence."""
        what = "its name" if self.text == self.tool else f"its parameter {self.text!r}"
        return f"{self.format!r} cannot write a call of {self.tool!r}: {self.found!r} stands in {what}"


class UnwritableError(Exception):
    """Among the modules that write calls: one cannot be written."""

    def __init__(self, defect: Unwritable) -> None:
        super().__init__(defect)
        self.defect = defect


def written(
    machine: Machine,
    parts: Parts,
    texts: Mapping[str, str] = {},
    tool: str = "",
    patterns: Mapping[str, str] = {},
) -> Iterator[Node]:
    """What stands on a way. `texts`, `patterns`: what the slots hold, as text or as a regular expression. Raises `UnwritableError`."""
    for part in _joined(parts):
        if isinstance(part, Mark):
            yield mark(machine, part.terminal)
        elif isinstance(part, Space):
            if part.chars:
                yield space(part.chars)
        elif isinstance(part, Detour):
            yield optional(sequence(written(machine, part.parts, {}, tool, {"id": id_pattern(machine)})))
        else:
            for slot, text in texts.items():
                if slot in part.names:
                    _check(machine.format.name, part, tool, text)
            yield sequence(_captured(part, texts, patterns))


def id_pattern(machine: Machine) -> str:
    """A call's id, as a regular expression."""
    return "[A-Za-z0-9]{9}" if machine.format.ids.pattern == "{alnum9}" else "[A-Za-z0-9_.:]{1,64}"


def _check(fmt: str, slots: Slots, tool: str, text: str) -> None:
    """A name must come out of its capture as it went in."""
    coded = _coded(text, slots.capture)
    ends = [*slots.capture.stops, *slots.live, *slots.capture.quotes]
    if any(field.take != "all" and not _quotes(field, slots.capture) for field in slots.capture.fields):
        ends += WHITESPACE
    found = next((word for word in ends if word in coded), None)
    if found is None and text.strip(WHITESPACE) != text:
        found = " "
    if found is None and len(coded) > NAME_CAP // 2:
        found = coded[NAME_CAP // 2 :]
    if found is not None or not text:
        raise UnwritableError(Unwritable(fmt, tool, text, found or ""))


def _joined(parts: Parts) -> Iterator[Part]:
    """Parts with white space in a row as one."""
    chars: str | None = None
    for part in parts:
        if isinstance(part, Space):
            chars = part.chars if chars is None else "".join(dict.fromkeys(chars + part.chars))
            continue
        if chars is not None:
            yield Space(chars)
            chars = None
        yield part
    if chars is not None:
        yield Space(chars)


def _coded(text: str, capture: Capture) -> str:
    """`text` as it is written where it is decoded again."""
    for field in capture.fields:
        for old, new in reversed(field.decode):
            text = text.replace(new, old)
    return text


def _captured(slots: Slots, texts: Mapping[str, str], patterns: Mapping[str, str]) -> Iterator[Node]:
    """Captured text that the fields of its capture read as they should."""
    fields = [one for one in slots.capture.fields if one.slot in texts or one.slot in patterns]
    if not fields:
        yield regex(WORD)
        return
    for number, field in enumerate(fields):
        if number:
            yield literal(" ")
        text = texts.get(field.slot)
        inner = regex(patterns[field.slot]) if text is None else literal(_coded(text, slots.capture))
        yield from _field(field, slots.capture, inner)
    if all(field.take == "after" for field in fields) and "name" in {field.slot for field in fields}:
        yield optional(regex(OTHER_ATTRIBUTE))  # K3 counts its calls


def _field(field: Field, capture: Capture, inner: Node) -> Iterator[Node]:
    quotes = _quotes(field, capture)
    yield literal(field.after + quotes + field.drop_prefix)
    yield inner
    if field.cut:
        yield literal(field.cut)
        yield regex(INDEX)
    yield literal(quotes)


def _quotes(field: Field, capture: Capture) -> str:
    """What is written around a field's text."""
    return '"' if field.unquote and '"' in capture.quotes else ""
