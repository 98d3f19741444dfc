"""Formats as files: TOML that people write, and every registered format as such a file.

    name = "hermes"
    about = "JSON in <tool_call>"
    tools = true
    terminals = [
      { name = "TOOL_START", spellings = ["<tool_call>"], before = ["\\n"], after = ["\\n"] },
      { name = "TOOL_END", spellings = ["</tool_call>"], before = ["\\n"] },
    ]
    regions = [
      { name = "content", kind = "text", channel = "content" },
      { name = "call", kind = { envelope = { decode = false } }, channel = "call", trial = "opening" },
      { name = "after", kind = { gap = { touches = true } }, channel = "content" },
    ]
    rows = '''
    content after  TOOL_START -> call
    call           @closed    -> after
    call           @bad       -> after
    after          TOOL_END   -> @same
    after          @text      -> content
    '''

The keys are the fields of the records in `core/grammar.py`; those that are as by default are left out. A kind is its name,
or a table of its name and fields. Rows are in the notation of `core/notation.py`. TOML has no null: it is `{ null = true }`.

    >>> from unbraid.formats.registry import lookup
    >>> hermes = lookup("tools", "hermes").unwrap()
    >>> read_format(to_toml(hermes), "hermes.toml").unwrap() == hermes
    True

Everything that is wrong in a file is reported at once: keys and types first, and the format's own defects if those are right.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import GenericAlias, NoneType
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

from attrs import evolve, fields, frozen, has
from cattrs import ClassValidationError, Converter, ForbiddenExtraKeysError, IterableValidationError
from cattrs.cols import list_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn
from returns.result import Failure, Result, Success

from unbraid.core.check import check
from unbraid.core.errors import Defect as FormatDefect
from unbraid.core.errors import hint
from unbraid.core.grammar import Format, JsonScalar, Kind, Row
from unbraid.core.nearest import nearest
from unbraid.core.notation import read_rows, show_rows


@frozen
class UnreadableFile:
    """A file that cannot be read, or that is no TOML."""

    file: str
    reason: str

    def describe(self) -> str:
        """One sentence."""
        return f"{self.file}: {self.reason}"


@frozen
class WrongField:
    """Something in a file that the format records have no place for. `path`: where, from the top of the file."""

    file: str
    path: str
    reason: str
    nearest: tuple[str, ...] = ()

    def describe(self) -> str:
        """One sentence."""
        return f"{self.file}: {self.path}: {self.reason}{hint(self.nearest)}"


FileDefect: TypeAlias = UnreadableFile | WrongField | FormatDefect


def load_format(path: str | os.PathLike[str]) -> Result[Format, tuple[FileDefect, ...]]:
    """The format in a TOML file, or everything that is wrong in it."""
    file = os.fsdecode(path)
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return Failure((UnreadableFile(file, getattr(error, "strerror", None) or "is no UTF-8 text"),))
    return read_format(text, file)


def read_format(text: str, file: str) -> Result[Format, tuple[FileDefect, ...]]:
    """The format in a TOML text; `file` is its name in the texts of defects.

    >>> print(read_format('name = "f"\\nabout = ""\\ntool = true', "f.toml").failure()[0].describe())
    f.toml: tool: there is no such key; did you mean 'tools'?
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Failure((UnreadableFile(file, f"is no TOML: {error}"),))
    wrong: list[FileDefect] = []
    rows = _rows(document.pop("rows", ""), str(document.get("name", file)), file, wrong)
    try:
        form: Format = _converter().structure(document, Format)
    except Exception as error:  # noqa: BLE001  (cattrs raises what the hooks raise, in groups; all of it is a wrong field)
        wrong[:0] = _wrong_fields(error, file, "")
        return Failure(tuple(wrong))
    whole = evolve(form, rows=rows)
    wrong += _defects(whole, file) if not wrong else ()
    return Failure(tuple(wrong)) if wrong else Success(whole)


def _defects(form: Format, file: str) -> tuple[FileDefect, ...]:
    """The format's own defects. What is no half is checked as a whole format; mostly it was meant to be one."""
    defects = check(form)
    if defects and not (form.reasoning or form.tools):
        return (WrongField(file, "the file", "is no half: write reasoning = true, tools = true, or both"),)
    return defects


def _rows(found: object, name: str, file: str, wrong: list[FileDefect]) -> tuple[Row, ...]:
    """The rows of a text, or of a list of lines."""
    given: list[object] = found if isinstance(found, list) else [found]
    lines = [line for line in given if isinstance(line, str)]
    if len(lines) < len(given):
        wrong.append(WrongField(file, "rows", "expected a text, or a list of texts"))
        return ()
    read = read_rows("\n".join(lines), name)
    wrong += read.swap().value_or(())
    return read.value_or(())


def _wrong_fields(error: BaseException, file: str, path: str) -> Iterator[FileDefect]:
    """What went wrong, one defect for each field."""
    where = path or "the file"
    if isinstance(error, ClassValidationError):
        named, other = error.group_exceptions()
        for part, note in named:
            yield from _wrong_fields(part, file, f"{path}.{note.name}" if path else note.name)
        for rest in other:
            yield from _wrong_fields(rest, file, path)
    elif isinstance(error, IterableValidationError):
        for part, place in error.group_exceptions()[0]:
            yield from _wrong_fields(part, file, f"{path}[{place.index}]")
    elif isinstance(error, ForbiddenExtraKeysError):
        known = [field.name for field in fields(error.cl)]
        for key in sorted(error.extra_fields):
            yield WrongField(file, f"{path}.{key}" if path else key, "there is no such key", nearest(key, known))
    elif isinstance(error, KeyError):
        yield WrongField(file, where, "is missing")
    elif isinstance(error, _Unlike):
        yield WrongField(file, where, str(error), error.nearest)
    else:
        yield WrongField(file, where, f"cannot be read: {error}")


class _Unlike(Exception):
    """A value of another kind than its field; never leaves this module."""

    def __init__(self, reason: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.nearest = near


# -- by declared types -----------------------------------------------------------------------------------------------------

KINDS: Final[Mapping[str, type]] = {
    re.sub("(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in get_args(Kind)
}
"""The kinds of regions by their names in files."""

_NULL: Final = {"null": True}
_SAID: Final[Mapping[type, str]] = {str: "a text", bool: "true or false", int: "a whole number"}


@cache
def _converter() -> Converter:
    made = Converter(forbid_extra_keys=True, omit_if_default=True)
    made.register_unstructure_hook_factory(
        has, lambda record: make_dict_unstructure_fn(record, made, _cattrs_omit_if_default=True)
    )
    made.register_structure_hook_factory(
        has, lambda record: _expecting(dict, "a table", make_dict_structure_fn(record, made))
    )
    for kind in _SAID:
        made.register_structure_hook(kind, _exactly)
    made.register_structure_hook_factory(_is_tuple, lambda kind: _tuple_reader(kind, made))
    made.register_structure_hook_func(_is_literal, _one_of)
    made.register_structure_hook_func(lambda kind: kind == JsonScalar, _scalar)
    made.register_unstructure_hook_func(
        lambda kind: kind == JsonScalar, lambda value: _NULL if value is None else value
    )
    made.register_structure_hook_func(lambda kind: kind == Kind, lambda value, _: _read_kind(made, value))
    made.register_unstructure_hook_func(lambda kind: kind == Kind, lambda kind: _written_kind(made, kind))
    made.register_unstructure_hook_func(lambda kind: kind == tuple[Row, ...], show_rows)
    return made


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_literal(kind: Any) -> bool:
    return bool(get_origin(kind) == Literal)


def _expecting(kind: type, said: str, read: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`read`, for values that are of `kind`."""

    def checked(value: Any, target: Any) -> Any:
        if not isinstance(value, kind):
            raise _Unlike(f"expected {said}, found {_shown(value)}")
        return read(value, target)

    return checked


def _tuple_reader(kind: Any, made: Converter) -> Callable[[Any, Any], Any]:
    """A list of any length, or one whose items have a type each."""
    parts = get_args(kind)
    if parts[-1] is Ellipsis:
        as_list: Any = GenericAlias(list, parts[:1])
        read = list_structure_factory(as_list, made)
        return _expecting(list, "a list", lambda value, _: tuple(read(value, as_list)))

    def each(value: list[Any], _: Any) -> tuple[Any, ...]:
        if len(value) != len(parts):
            raise _Unlike(f"expected a list of {len(parts)}, found one of {len(value)}")
        return tuple(made.structure(item, part) for item, part in zip(value, parts, strict=True))

    return _expecting(list, f"a list of {len(parts)}", each)


def _exactly(value: Any, kind: type) -> Any:
    """`value`, if it is of this type and no other."""
    if type(value) is not kind:
        raise _Unlike(f"expected {_SAID[kind]}, found {_shown(value)}")
    return value


def _one_of(value: Any, kind: Any) -> Any:
    words = get_args(kind)
    if value not in words:
        near = nearest(value, [word for word in words if word]) if isinstance(value, str) else ()
        raise _Unlike(f"expected one of {', '.join(map(repr, words))}, found {_shown(value)}", near)
    return value


def _scalar(value: Any, _: Any) -> Any:
    if value == _NULL:
        return None
    if not isinstance(value, str | int | float | bool):
        raise _Unlike(f"expected a text, a number, true, false or {{ null = true }}, found {_shown(value)}")
    return value


def _read_kind(made: Converter, value: Any) -> Any:
    """A kind: its name, or a table with its name and fields."""
    name, inner = (
        (value, {}) if isinstance(value, str) else next(iter(value.items())) if _is_kind(value) else (None, {})
    )
    if name is None:
        raise _Unlike(f"expected the name of a kind, or a table with one kind, found {_shown(value)}")
    if name not in KINDS:
        raise _Unlike(f"there is no kind {name!r}", nearest(name, KINDS) or tuple(KINDS))
    return made.structure(inner, KINDS[name])


def _is_kind(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 1


def _written_kind(made: Converter, kind: Kind) -> Any:
    name = next(name for name, known in KINDS.items() if known is type(kind))
    inner = made.unstructure(kind, type(kind))
    return {name: inner} if inner else name


def _shown(value: object) -> str:
    if value is None or isinstance(value, NoneType):
        return "nothing"
    said = {dict: "a table", list: "a list", str: f"{value!r}", bool: str(value).lower()}
    return said.get(type(value), str(value))


# -- writing -----------------------------------------------------------------------------------------------------------------


def to_toml(form: Format) -> str:
    """`form` as the text of a file that `read_format` reads back to an equal format."""
    written: dict[str, Any] = _converter().unstructure(form, Format)
    start = written.pop("start", None)
    lines = [f"{key} = {_top(key, value)}" for key, value in written.items()]
    if start is not None:
        lines += ["", "[start]", *(f"{key} = {_top(key, value)}" for key, value in start.items())]
    return "\n".join(lines) + "\n"


def _top(key: str, value: Any) -> str:
    """A value at the top of a file or table: rows as a block, tables and pairs a line each."""
    if key == "rows" and "'''" not in value:
        return f"'''\n{value}\n'''"
    if isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value):
        return "[\n" + "".join(f"  {_inline(item)},\n" for item in value) + "]"
    return _inline(value)


def _inline(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return f"{{ {', '.join(f'{key} = {_inline(inner)}' for key, inner in value.items())} }}"
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case _:
            return repr(value)
