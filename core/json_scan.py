r"""An incremental, validating scanner for JSON text (RFC 8259), and the only judge of JSON in the core.

The scanner is a function of two small integers, so that a stream may stop and go on at any code point, and an older
pair is a snapshot:

- `mode`: where in the grammar the next code point stands. One constant for each place: `VALUE`, `KEY`, `COLON`, inside
  a string or its escape, at each place of a number and of the words `true`, `false` and `null`, and two ends, `DONE`
  and `BAD`.
- `nest`: which containers are open, as bits: a leading 1, then one bit for each open container, outermost first,
  1 for an object and 0 for an array. Nothing open is `1`; `{"a": [` is `0b110`. Its size is bounded by `MAX_DEPTH`.

The grammar is the table at the end of the constants: for each mode, the code points that may stand there and what
they lead to, which is another mode or an *action* (open, close, comma, the end of a value), because those depend on
`nest`. A code point that is missing in its row is an error, or ends a number at the top level. Shortcuts change the
speed and nothing else: in a string body a search finds what is special and a run of escapes is skipped at once; in
longer texts, so are whole flat members (`"key": 1.5,`) and items (`"text",`). Every repetition in these patterns is
possessive, or bounded and without a choice, so none can go back over what it read.

    >>> scan('{"a": [1, 2', 0, 11, VALUE, EMPTY) == (11, INT, 0b110)
    True
    >>> scan("]}, tail", 0, 8, INT, 0b110) == (2, DONE, EMPTY)
    True

What it decides and what it leaves to the caller:

- A value is `DONE` right after its last code point; what follows is the caller's. A number has no last code point of
  its own: at the top level it is `DONE` *at* the first code point that cannot continue it, or, at the end of the input,
  if `complete` says so.
- A raw control code point in a string is forbidden by the grammar, but models write it: the scan stops there and keeps
  its mode, so that the caller may escape it and go on behind it.
- A `halts` code point outside strings is where markup could begin that is not JSON at all.
- Surrogate escapes are not paired: the grammar takes any `\uXXXX`.
- Nothing is converted: neither the size of a number nor the words NaN and Infinity (not JSON) are looked at.
"""

import re
from collections.abc import Mapping
from typing import Final

MAX_DEPTH: Final = 10_000
"""Open containers, at most. Opening one more is `BAD`."""

EMPTY: Final = 1
"""The `nest` of no open container."""

VALUE: Final = 0
FIRST_VALUE: Final = 1  # after `[`, where `]` may stand too
KEY: Final = 2  # after a comma in an object
FIRST_KEY: Final = 3  # after `{`, where `}` may stand too
COLON: Final = 4
AFTER: Final = 5  # after a value in a container
MINUS: Final = 6
ZERO: Final = 7
INT: Final = 8
DOT: Final = 9
FRACTION: Final = 10
E: Final = 11
E_SIGN: Final = 12
EXPONENT: Final = 13
TRUE_1: Final = 14  # letters of the word read
TRUE_2: Final = 15
TRUE_3: Final = 16
FALSE_1: Final = 17
FALSE_2: Final = 18
FALSE_3: Final = 19
FALSE_4: Final = 20
NULL_1: Final = 21
NULL_2: Final = 22
NULL_3: Final = 23
DONE: Final = 24
BAD: Final = 25
STRING_ESCAPE: Final = 26  # after the backslash
STRING_U4: Final = 27  # hexadecimal digits left to read
STRING_U3: Final = 28
STRING_U2: Final = 29
STRING_U1: Final = 30
KEY_ESCAPE: Final = 31
KEY_U4: Final = 32
KEY_U3: Final = 33
KEY_U2: Final = 34
KEY_U1: Final = 35
STRING: Final = 36
KEY_STRING: Final = 37
ESCAPES: Final = (STRING_ESCAPE, KEY_ESCAPE)

# Actions. Those of a pair differ in their last bit, which is the bit of the container: 0 array, 1 object.
_OPEN_ARRAY: Final = 38
_OPEN_OBJECT: Final = 39
_CLOSE_ARRAY: Final = 40
_CLOSE_OBJECT: Final = 41
_COMMA: Final = 42
_VALUE_END: Final = 43  # the last letter of a word
_NUMBER_END: Final = 44  # whitespace behind a number
_NOT_IN_ROW: Final = 45

_WHITESPACE: Final = "\n\r\t "
_DIGITS: Final = "0123456789"
_HEX: Final = "0123456789abcdefABCDEF"


_Row = dict[str, int]


def _each(chars: str, to: int) -> _Row:
    return dict.fromkeys(chars, to)


_SPACE_END: Final = _each(_WHITESPACE, _NUMBER_END)
_CLOSERS: Final[_Row] = {",": _COMMA, "}": _CLOSE_OBJECT, "]": _CLOSE_ARRAY}
_NUMBER_CLOSERS: Final = {**_CLOSERS, **_SPACE_END}
_EXPONENT_MARK: Final = _each("eE", E)
_FIRST_OF_VALUE: Final[_Row] = {
    '"': STRING,
    "{": _OPEN_OBJECT,
    "[": _OPEN_ARRAY,
    "-": MINUS,
    "0": ZERO,
    **_each("123456789", INT),
    "t": TRUE_1,
    "f": FALSE_1,
    "n": NULL_1,
}

_TABLE: Final[Mapping[int, _Row]] = {
    VALUE: {**_FIRST_OF_VALUE, **_each(_WHITESPACE, VALUE)},
    FIRST_VALUE: {**_FIRST_OF_VALUE, "]": _CLOSE_ARRAY, **_each(_WHITESPACE, FIRST_VALUE)},
    KEY: {'"': KEY_STRING, **_each(_WHITESPACE, KEY)},
    FIRST_KEY: {'"': KEY_STRING, "}": _CLOSE_OBJECT, **_each(_WHITESPACE, FIRST_KEY)},
    COLON: {":": VALUE, **_each(_WHITESPACE, COLON)},
    AFTER: {**_CLOSERS, **_each(_WHITESPACE, AFTER)},
    MINUS: {"0": ZERO, **_each("123456789", INT)},
    ZERO: {".": DOT, **_EXPONENT_MARK, **_NUMBER_CLOSERS},
    INT: {**_each(_DIGITS, INT), ".": DOT, **_EXPONENT_MARK, **_NUMBER_CLOSERS},
    DOT: _each(_DIGITS, FRACTION),
    FRACTION: {**_each(_DIGITS, FRACTION), **_EXPONENT_MARK, **_NUMBER_CLOSERS},
    E: {**_each("+-", E_SIGN), **_each(_DIGITS, EXPONENT)},
    E_SIGN: _each(_DIGITS, EXPONENT),
    EXPONENT: {**_each(_DIGITS, EXPONENT), **_NUMBER_CLOSERS},
    TRUE_1: {"r": TRUE_2},
    TRUE_2: {"u": TRUE_3},
    TRUE_3: {"e": _VALUE_END},
    FALSE_1: {"a": FALSE_2},
    FALSE_2: {"l": FALSE_3},
    FALSE_3: {"s": FALSE_4},
    FALSE_4: {"e": _VALUE_END},
    NULL_1: {"u": NULL_2},
    NULL_2: {"l": NULL_3},
    NULL_3: {"l": _VALUE_END},
    DONE: {},
    BAD: {},
    STRING_ESCAPE: {**_each('"\\/bfnrt', STRING), "u": STRING_U4},
    STRING_U4: _each(_HEX, STRING_U3),
    STRING_U3: _each(_HEX, STRING_U2),
    STRING_U2: _each(_HEX, STRING_U1),
    STRING_U1: _each(_HEX, STRING),
    KEY_ESCAPE: {**_each('"\\/bfnrt', KEY_STRING), "u": KEY_U4},
    KEY_U4: _each(_HEX, KEY_U3),
    KEY_U3: _each(_HEX, KEY_U2),
    KEY_U2: _each(_HEX, KEY_U1),
    KEY_U1: _each(_HEX, KEY_STRING),
}
"""The grammar. Strings themselves (`STRING`, `KEY_STRING`) have no row: `scan` searches through them."""

_ROWS: Final = tuple(_TABLE[mode] for mode in range(STRING))
_DEPTH_FULL: Final = 1 << MAX_DEPTH
_COMPLETE: Final = frozenset((DONE, ZERO, INT, FRACTION, EXPONENT))

_RUN: Final = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))'
_TEXT: Final = f'"{_RUN}{{0,64}}"'
_SPACE: Final = r"[\n\r\t ]*+"
_SCALAR: Final = rf"(?:{_TEXT}|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)"
_find_special: Final = re.compile(r'["\\\x00-\x1f]').search
_skip_run: Final = re.compile(f"{_RUN}{{1,64}}").match
_skip_items: Final = re.compile(f"(?:{_SPACE}{_SCALAR}{_SPACE},){{1,64}}").match
_skip_members: Final = re.compile(f"(?:{_SPACE}{_TEXT}{_SPACE}:{_SPACE}{_SCALAR}{_SPACE},){{1,64}}").match
_OUTSIDE_STRINGS: Final = frozenset('"{}[],:+-.eE' + _WHITESPACE + _DIGITS + "truefalsenull")
_LONG: Final = 32  # code points; below it the shortcut over items and members costs more than it gains


def scan(
    text: str, start: int, stop: int, mode: int, nest: int, halts: frozenset[str] | str = "", watch: int = 0
) -> tuple[int, int, int]:
    """Read `text[start:stop]` on from `(mode, nest)` and return `(position, mode, nest)` where reading stopped.

    Reading stops, never consuming the code point at the position:
    - at `stop`, and, where `nest` is `watch`, right behind the quotes that open and close a key;
    - `DONE`, right after the value (a number: at the first code point that cannot continue it);
    - `BAD`, at the first code point that the grammar does not allow there;
    - with the mode of a string body, at a raw control code point in it (behind a backslash it is `BAD`);
    - with the mode unchanged, outside strings at a code point of `halts` (to go on, scan it alone without `halts`).
    Positions count code points. From `DONE` and from `BAD` nothing is read. The work is linear in `stop - start`.
    """
    rows, pos = _ROWS, start
    long = stop - start >= _LONG and _OUTSIDE_STRINGS.isdisjoint(halts)
    while pos < stop:
        if mode >= STRING:
            special = _find_special(text, pos, stop)
            if special is None:
                return stop, mode, nest
            pos = special.start()
            char = text[pos]
            if char == '"':
                if mode == KEY_STRING and nest == watch:
                    return pos + 1, COLON, nest
                mode = COLON if mode == KEY_STRING else AFTER if nest > EMPTY else DONE
            elif char == "\\":
                run = _skip_run(text, pos, stop)
                if run is not None:
                    pos = run.end()
                    continue
                mode = KEY_ESCAPE if mode == KEY_STRING else STRING_ESCAPE
            else:
                break
            pos += 1
            continue
        char = text[pos]
        if halts and char in halts and mode < STRING_ESCAPE:
            break
        to = rows[mode].get(char, _NOT_IN_ROW)
        if to < _OPEN_ARRAY:
            if to == KEY_STRING and mode < STRING_ESCAPE and nest == watch:
                return pos + 1, to, nest
            mode = to
        elif to == _COMMA and nest > EMPTY:
            mode = KEY if nest & 1 else VALUE
            if long and nest != watch:
                pos = _skip_flat(text, pos + 1, stop, nest) - 1
        elif to <= _OPEN_OBJECT and nest < _DEPTH_FULL:
            mode = FIRST_KEY if to & 1 else FIRST_VALUE
            nest = nest << 1 | to & 1
        elif _CLOSE_ARRAY <= to <= _CLOSE_OBJECT and nest > EMPTY and nest & 1 == to & 1:
            nest >>= 1
            mode = AFTER if nest > EMPTY else DONE
        elif to == _VALUE_END or (to == _NUMBER_END and nest > EMPTY):
            mode = AFTER if nest > EMPTY else DONE
        else:
            return pos, DONE if complete(mode, nest) else BAD, nest
        pos += 1
    return pos, mode, nest


def _skip_flat(text: str, pos: int, stop: int, nest: int) -> int:
    """Where the members (or items) end that stand at `pos` right behind a comma, hold no container, and end in a comma.

    Each call looks at most at one member that it does not skip, and the caller asks only behind commas: linear work.
    """
    skip = _skip_members if nest & 1 else _skip_items
    flat = skip(text, pos, stop)
    while flat is not None:
        pos = flat.end()
        flat = skip(text, pos, stop)
    return pos


def complete(mode: int, nest: int) -> bool:
    """Whether the input may end here: a whole value was read. Only a top-level number is whole without being `DONE`."""
    return nest == EMPTY and mode in _COMPLETE


def in_string(mode: int) -> bool:
    """Whether the next code point belongs to a string, key or value, that was opened and not yet closed."""
    return mode >= STRING_ESCAPE


def in_key_string(mode: int) -> bool:
    """Whether the next code point belongs to a key that was opened and not yet closed."""
    return mode == KEY_STRING or KEY_ESCAPE <= mode <= KEY_U1


def depth(nest: int) -> int:
    """How many containers are open, `MAX_DEPTH` at most."""
    return nest.bit_length() - 1
