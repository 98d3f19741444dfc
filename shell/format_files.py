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

Everything that is wrong in a file is reported at once, in the order of its lines: keys, types, the notation of rows, and the names
in them; and, as far as all rows can be read and no field is wrong, what the format's own checks find.
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
from typing import Any, Final, Literal, get_args, get_origin

from attrs import evolve, fields, has
from cattrs import ClassValidationError, Converter, ForbiddenExtraKeysError, IterableValidationError
from cattrs.cols import list_structure_factory
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn
from returns.result import Failure, Result, Success

from unbraid.core.grammar import Format, JsonScalar, Kind, Row
from unbraid.core.nearest import nearest
from unbraid.core.notation import show_rows
from unbraid.shell.format_check import format_defects
from unbraid.shell.format_defects import FileDefect, UnreadableFile, WrongField, by_line
from unbraid.shell.format_rows import read_lines, unknown_names
from unbraid.shell.toml_places import line_at, places_of


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
    f.toml, line 3: tool: there is no such key; did you mean 'tools'?
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Failure((UnreadableFile(file, f"is no TOML: {error}"),))
    text, places = text.replace("\r\n", "\n"), places_of(text)
    wrong: list[FileDefect] = []
    lines = read_lines(document.pop("rows", ""), text, file, places.get("rows"), wrong)
    form = _structured(document, file, places, wrong)
    readable = not wrong
    wrong += unknown_names(document, lines, file)
    if form is not None and readable:
        form = evolve(form, rows=tuple(row for line in lines for row in line.rows))
        wrong += format_defects(form, lines, places, file, wrong)
    return Success(form) if form is not None and not wrong else Failure(by_line(wrong))


def _structured(
    document: dict[str, Any], file: str, places: Mapping[str, int], wrong: list[FileDefect]
) -> Format | None:
    """The format of a document without rows; None, and its defects, if it is none."""
    try:
        form: Format = _converter().structure(document, Format)
    except Exception as error:  # noqa: BLE001  (cattrs raises what the hooks raise, in groups; all of it is a wrong field)
        wrong += (evolve(one, line=line_at(places, one.path)) for one in _wrong_fields(error, file, ""))
        return None
    return form


def _wrong_fields(error: BaseException, file: str, path: str) -> Iterator[WrongField]:
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
