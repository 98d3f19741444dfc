"""Parser states to JSON and back.

    snapshot = {"unbraid": VERSION, "machine": fingerprint, "state": state}

The state is written by its declared types: a record as an object of its fields, a record that stands in a union with its
class name under `is`, tuples as arrays, bytes in base 64. Fields that take no part in equality are derived and left out. A
string with lone surrogates is written as the array of its code points, since two halves would be read as one.

A snapshot is read strictly: another version, another machine (format, vocabulary, policies, template kwargs, tools), a
missing or unknown field, a wrong type are error values.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache, partial
from types import UnionType
from typing import Any, Final, TypeAlias, TypeVar, Union, cast, get_args, get_origin

from attrs import fields, frozen, has
from cattrs import Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from returns.result import Failure, Result, Success

from unbraid.core.bind import Machine
from unbraid.core.machine import finish
from unbraid.core.reading import adopt
from unbraid.core.records import ParserState

Kind = TypeVar("Kind", str, int, bool)

VERSION: Final = 2
"""Of the written form; it changes when the records of the state do."""

TAG: Final = "is"


@frozen
class NoSnapshot:
    """Text that is not JSON, or not a snapshot."""

    problems: tuple[str, ...]

    def describe(self) -> str:
        """One sentence."""
        return f"this is no snapshot: {'; '.join(self.problems)}"


@frozen
class OtherVersion:
    """A snapshot in another written form."""

    found: object
    expected: int = VERSION

    def describe(self) -> str:
        """One sentence."""
        return f"the snapshot has version {self.found!r}, this library reads version {self.expected}"


@frozen
class OtherMachine:
    """A snapshot of a machine that reads differently."""

    found: object
    expected: str

    def describe(self) -> str:
        """One sentence."""
        return (
            f"the snapshot was taken from machine {self.found!r}, this one is {self.expected!r}: "
            "format, vocabulary, policies, template kwargs and tools must all be the same"
        )


SnapshotDefect: TypeAlias = NoSnapshot | OtherVersion | OtherMachine


def to_json(machine: Machine, state: ParserState) -> str:
    """`state` as JSON text, in ASCII, for `from_json` with an equal machine."""
    written: object = converter().unstructure(state, ParserState)
    return json.dumps({"unbraid": VERSION, "machine": machine.fingerprint, "state": written}, separators=(",", ":"))


def from_json(machine: Machine, text: str) -> Result[ParserState, SnapshotDefect]:
    """The state that `to_json` wrote, or why it is none of this machine's."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Failure(NoSnapshot((f"not JSON: {error}",)))
    if not isinstance(found, dict) or "unbraid" not in found:
        return Failure(NoSnapshot(('there is no "unbraid" at the top',)))
    if found["unbraid"] != VERSION:
        return Failure(OtherVersion(found["unbraid"]))
    if found.get("machine") != machine.fingerprint:
        return Failure(OtherMachine(found.get("machine"), machine.fingerprint))
    try:
        state: ParserState = converter().structure(found.get("state"), cast("type[ParserState]", ParserState))
    except Exception as error:  # noqa: BLE001  (cattrs raises what the hooks raise, in groups; all of it says "malformed")
        return Failure(NoSnapshot(tuple(transform_error(error, path="state"))))
    return going_on(machine, state)


def going_on(machine: Machine, state: ParserState) -> Result[ParserState, NoSnapshot]:
    """`state` with the tables of `machine`, if it can be gone on with: it may have words and numbers that no state has."""
    try:
        adopted = adopt(machine, state)
        finish(machine, adopted)
    except Exception as error:  # noqa: BLE001 -- whatever such a state leads to
        return Failure(NoSnapshot((f"no state of this machine: {type(error).__name__}: {error}",)))
    return Success(adopted)


# ------------------------------------------------------------------------------------------------- by declared types


@cache
def converter() -> Converter:
    """The converter for states; made when first asked for."""
    made = Converter(forbid_extra_keys=True)
    made.register_unstructure_hook_factory(has, lambda record: make_dict_unstructure_fn(record, made, **_omit(record)))
    made.register_structure_hook_factory(has, lambda record: _reader(record, made))
    for kind in (int, bool):
        made.register_structure_hook(kind, _exactly)
    made.register_unstructure_hook(str, _write_text)
    made.register_structure_hook(str, _read_text)
    made.register_unstructure_hook(bytes, lambda data: b64encode(data).decode("ascii"))
    made.register_structure_hook(bytes, lambda text, _: b64decode(_exactly(text, str), validate=True))
    made.register_unstructure_hook_func(_is_union, partial(_write_union, made))
    made.register_structure_hook_factory(_is_union, lambda union: partial(_read_union, made, _records(union)))
    return made


def _reader(record: type, made: Converter) -> Callable[[Any, Any], Any]:
    return make_dict_structure_fn(record, made, **_omit(record))


def _omit(record: type) -> dict[str, Any]:
    """Derived fields are not written."""
    return {attribute.name: override(omit=True) for attribute in fields(record) if not attribute.eq}


def _is_union(kind: Any) -> bool:
    """Is this a union of several records?"""
    return get_origin(kind) in (Union, UnionType) and len(_records(kind)) > 1


def _records(union: Any) -> dict[str, type]:
    return {part.__name__: part for part in get_args(union) if has(part)}


def _write_union(made: Converter, record: Any) -> Any:
    return record if record is None else {TAG: type(record).__name__, **made.unstructure(record)}


def _read_union(made: Converter, records: dict[str, type], value: Any, kind: Any) -> Any:
    if value is None and type(None) in get_args(kind):
        return None
    if not isinstance(value, dict) or value.get(TAG) not in records:
        raise ValueError(f"expected a record whose {TAG!r} is one of {', '.join(records)}")
    return made.structure({name: part for name, part in value.items() if name != TAG}, records[value[TAG]])


def _exactly(value: Any, kind: type[Kind]) -> Kind:
    """`value`, if it is of this type and no other: a bool is no int, and text is no number."""
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def _write_text(text: str) -> str | list[int]:
    lone = not text.isascii() and any("\ud800" <= point <= "\udfff" for point in text)
    return [ord(point) for point in text] if lone else text


def _read_text(value: Any, _: object) -> str:
    return "".join(chr(_exactly(point, int)) for point in value) if isinstance(value, list) else _exactly(value, str)
