"""The scanner against `json.loads`, against itself at every split, and against floods."""

import json
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid.core import json_scan as js

START: Final = (js.VALUE, js.EMPTY)
JSON_CHARS: Final = '{}[]:,"\\/ \n\t\r\x00\x1f\x7f0123456789-+.eEtrufalsn\u00e9\u2028\U0001f600\ud83dbx'

SUFFIXES: Final = {
    js.VALUE: "0",
    js.FIRST_VALUE: "",
    js.KEY: '"":0',
    js.FIRST_KEY: "",
    js.COLON: ":0",
    js.AFTER: "",
    js.MINUS: "0",
    js.ZERO: "",
    js.INT: "",
    js.DOT: "0",
    js.FRACTION: "",
    js.E: "0",
    js.E_SIGN: "0",
    js.EXPONENT: "",
    js.TRUE_1: "rue",
    js.TRUE_2: "ue",
    js.TRUE_3: "e",
    js.FALSE_1: "alse",
    js.FALSE_2: "lse",
    js.FALSE_3: "se",
    js.FALSE_4: "e",
    js.NULL_1: "ull",
    js.NULL_2: "ll",
    js.NULL_3: "l",
    js.DONE: "",
    js.STRING: '"',
    js.STRING_ESCAPE: 'n"',
    js.STRING_U4: '0000"',
    js.STRING_U3: '000"',
    js.STRING_U2: '00"',
    js.STRING_U1: '0"',
    js.KEY_STRING: '":0',
    js.KEY_ESCAPE: 'n":0',
    js.KEY_U4: '0000":0',
    js.KEY_U3: '000":0',
    js.KEY_U2: '00":0',
    js.KEY_U1: '0":0',
}


def whole(text: str) -> tuple[int, int, int]:
    return js.scan(text, 0, len(text), *START)


def is_json(text: str) -> bool:
    """The scanner's verdict on a document."""
    pos, mode, nest = whole(text)
    return js.complete(mode, nest) and not text[pos:].strip("\n\r\t ")


def loads_accepts(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse, parse_int=len, parse_float=len)
    except ValueError:
        return False
    return True


def finished(text: str, mode: int, nest: int) -> str:
    """`text`, which left the scanner in `(mode, nest)`, made whole."""
    return text + SUFFIXES[mode] + "".join("}" if bit == "1" else "]" for bit in f"{nest:b}"[:0:-1])


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from([None, 0, 2, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\r", " :\n")]))
    return json.dumps(draw(VALUES), indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(documents())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 2))
        text = text[:at] + draw(st.text(JSON_CHARS, max_size=2)) + text[at + gone :]
    return text


TEXTS = mutated() | documents() | st.text(JSON_CHARS, max_size=30)

VALID = [
    *'0 -0 10 1.0 1e3 1E-03 1.5e+7 -0.0e-0 true false null "" {} [] [[]] [{}] [0] [-1,2.5,3e1] {"":0}'.split(" "),
    *('{"a":{"a":[]}}', '{"\\n":null}', '{"\\u12aF":0}', '"\\""', '"\\\\"', '"\\u12aF"', '"\\ud83d"', '"\x7f\ud83d"'),
    *(" \n\r\t1 \n\r\t", ' { "a" : [ 1 , 2 ] , "b" : "" } '),
]
INVALID = [
    *"- + 01 -01 00 1. .1 1.e1 1e 1e+ 1e1.0 0x1 +1 1_0 NaN Infinity -Infinity tru nul True None ' \" 1.,1".split(" "),
    *'{ } [ ] [, [,] [1,] {,} {1} {"a"} {"a":} {"a":1,} {"a":1 {"a",1} [1:2] [} {] [1} {"a":1] [[1}] [01] [1.]'.split(
        " "
    ),
    *"[-] {}} []] ]] 1,2 {}{} '' {'a':1} [\u00a01] [1\u2028] \ufeff1 \u0663 [1\u0663] [true1] [\"a\"1]".split(" "),
    *('"\\x"', '"\\u12g4"', '"\\u123"', '"\\ "', '"\\"', '{"\\x":0}', '{"\\u12g4":0}', '{"\\u123":0}', '{"\\":0}'),
    *("", " ", "1 2", '"\n"', '"\x1f"', '"\\\n"', '{"\t":1}', "tr ue", "- 1", "1 .0"),
]


def by_code_points(text: str) -> tuple[int, int, int]:
    pos, (mode, nest) = 0, START
    while pos < len(text):
        at, mode, nest = js.scan(text, pos, pos + 1, mode, nest)
        if at == pos:
            break
        pos = at
    return pos, mode, nest


@pytest.mark.parametrize("text", VALID)
def test_valid(text: str) -> None:
    assert loads_accepts(text)
    assert is_json(text)
    assert by_code_points(text) == whole(text)


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text: str) -> None:
    assert not loads_accepts(text)
    assert not is_json(text)
    assert by_code_points(text) == whole(text)


@pytest.mark.parametrize("text", [*VALID, *INVALID])
def test_among_many_others(text: str) -> None:
    """Where whole items and members are skipped at once."""
    for before, behind in (
        ("[0, ", ",1" * 80 + "]"),
        ("[" + "0\n," * 80, ", 2]"),
        ('{"a" : 0, "b": ', ' ,"c":"\\n"' * 80 + "}"),
        ('{"a":{},', ':"x"' + ', "c":null' * 80 + "}"),
    ):
        document = before + text + behind
        assert is_json(document) == loads_accepts(document)
        assert by_code_points(document) == whole(document)


@given(TEXTS)
@example("[" + "1," * 100 + "2]")
@example("{" + '"a":"\\n",' * 100 + '"a":[]}')
@example('["' + "\\n" * 200 + '"]')
def test_verdict_is_that_of_json_loads(text: str) -> None:
    assert is_json(text) == loads_accepts(text)


@given(TEXTS)
def test_every_state_is_that_of_a_valid_beginning(text: str) -> None:
    pos, mode, nest = whole(text)
    if mode == js.BAD:
        pos, mode, nest = js.scan(text, 0, pos, *START)
        assert mode != js.BAD
    assert loads_accepts(finished(text[:pos], mode, nest))


@given(TEXTS, st.lists(st.integers(0, 60)))
def test_any_split_gives_what_the_whole_gives(text: str, cuts: list[int]) -> None:
    expected = whole(text)
    for bounds in (range(len(text) + 1), sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})):
        pos, (mode, nest) = 0, START
        for start, stop in pairwise(bounds):
            pos, mode, nest = js.scan(text, start, stop, mode, nest)
            if pos < stop:
                break
        assert (pos, mode, nest) == expected


@given(TEXTS, st.integers(0, 3), st.integers(0, 3))
def test_nothing_outside_the_window_is_read(text: str, before: int, behind: int) -> None:
    padded = '"x['[:before] + text + '1"]'[:behind]
    pos, mode, nest = js.scan(padded, before, before + len(text), *START)
    assert (pos - before, mode, nest) == whole(text)


def on_past_halts(text: str, halts: str) -> tuple[list[int], tuple[int, int, int]]:
    """Where the scan halted, and how it ended."""
    pos, (mode, nest) = 0, START
    seen: list[int] = []
    while True:
        pos, mode, nest = js.scan(text, pos, len(text), mode, nest, halts)
        if pos == len(text) or mode in (js.DONE, js.BAD) or js.in_string(mode):
            return seen, (pos, mode, nest)
        seen.append(pos)
        at, mode, nest = js.scan(text, pos, pos + 1, mode, nest)
        if at == pos:
            return seen, (pos, mode, nest)
        pos = at


@given(TEXTS, st.text('<[]{},:"\n 1tX', min_size=1, max_size=3))
@example("[" + "1,<" * 20 + "]", "<")
@example('{"a":"<"<' + ',"b":1' * 20 + "}", "<")
@example('[ "b", "c", "d", "e", "f", "g", "h", "i"]', " ")
def test_halts_outside_strings_and_nowhere_else(text: str, halts: str) -> None:
    seen, end = on_past_halts(text, halts)
    assert end == whole(text)
    expected, (mode, nest) = [], START
    for pos, char in enumerate(text):
        if char in halts and not js.in_string(mode) and mode != js.DONE:
            expected.append(pos)
        at, mode, nest = js.scan(text, pos, pos + 1, mode, nest)
        if at == pos:
            break
    assert seen == expected
    assert on_past_halts(text, halts) == (seen, end)


def test_a_raw_control_in_a_string_stops_and_can_be_passed() -> None:
    text = '{"a\tb": "c\nd"}'
    first = js.scan(text, 0, len(text), *START)
    assert first == (3, js.KEY_STRING, 0b11)
    second = js.scan(text, 4, len(text), *first[1:])
    assert second == (10, js.STRING, 0b11)
    assert js.scan(text, 11, len(text), *second[1:]) == (len(text), js.DONE, js.EMPTY)


def test_a_raw_control_behind_a_backslash_is_bad() -> None:
    assert whole('"\\\n"') == (2, js.BAD, js.EMPTY)


@pytest.mark.parametrize(
    ("text", "pos"),
    [
        ("{}x", 2),
        ("[] ", 2),
        ('""""', 2),
        ("truex", 4),
        ("nullnull", 4),
        ("1 ", 1),
        ("1,", 1),
        ("1]", 1),
        ("1x", 1),
        ("01", 1),
        ("  -1.5e3}", 8),
    ],
)
def test_done_leaves_the_rest(text: str, pos: int) -> None:
    assert whole(text) == (pos, js.DONE, js.EMPTY)
    assert js.scan(text, pos, len(text), js.DONE, js.EMPTY) == (pos, js.DONE, js.EMPTY)


@pytest.mark.parametrize(
    ("text", "pos", "nest"),
    [
        ("[1,]", 3, 0b10),
        ("[1x]", 2, 0b10),
        ("[01]", 2, 0b10),
        ("{]", 1, 0b11),
        ('{"a":[}', 6, 0b110),
        ("-]", 1, 1),
        ("nul1", 3, 1),
        ("]", 0, 1),
    ],
)
def test_bad_is_at_the_offender(text: str, pos: int, nest: int) -> None:
    assert whole(text) == (pos, js.BAD, nest)
    assert js.scan(text, pos, len(text), js.BAD, nest) == (pos, js.BAD, nest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", True),
        ("0", True),
        ("1.5", True),
        ("1e5", True),
        ("[1", False),
        ("1.", False),
        ("1e", False),
        ("-", False),
        ("", False),
        ("[]", True),
    ],
)
def test_complete(text: str, *, expected: bool) -> None:
    assert js.complete(*whole(text)[1:]) is expected


@given(TEXTS)
def test_string_helpers_follow_the_quotes(text: str) -> None:
    (mode, nest), opened = START, 0
    for pos, char in enumerate(text):
        before = mode
        at, mode, nest = js.scan(text, pos, pos + 1, mode, nest)
        if at == pos:
            break
        opened ^= char == '"' and before not in (js.STRING_ESCAPE, js.KEY_ESCAPE)
        assert js.in_string(mode) is bool(opened)
        if js.in_key_string(mode):
            assert opened
            assert nest & 1
        elif js.in_string(mode):
            assert finished(text[:at], mode, nest)[at:].count(":") == 0
    assert not js.in_key_string(js.DONE)


def test_depth_has_a_limit() -> None:
    limit = js.MAX_DEPTH
    pos, mode, nest = whole("[" * (limit + 5))
    assert (pos, mode, js.depth(nest)) == (limit, js.BAD, limit)
    assert is_json("[" * limit + "]" * limit)
    assert is_json('{"a":' * limit + "0" + "}" * limit)
    mixed = '[{"a":' * (limit // 2)
    pos, mode, nest = whole(mixed + "{")
    assert (pos, mode, js.depth(nest)) == (len(mixed), js.BAD, limit)
    assert js.depth(js.EMPTY) == 0


FLOODS: Final[dict[str, Callable[[int], str]]] = {
    "openers": lambda n: "[" * n,
    "deep": lambda n: "[" * (js.MAX_DEPTH - 1) + "[],[]," * (n // 6),
    "items": lambda n: "[" + "1," * (n // 2),
    "members": lambda n: "{" + '"a":1,' * (n // 6),
    "broken members": lambda n: "{" + '"a":[],' * (n // 7),
    "string": lambda n: '"' + "a" * n,
    "string in item": lambda n: '[1,"' + "a" * n,
    "escapes": lambda n: '["",' + '"\\n\\u0000' * 1 + "\\n" * (n // 2),
    "escaped items": lambda n: "[" + ('"' + "\\n" * 70 + '",') * (n // 144),
    "spaces": lambda n: "[1," + " " * n,
    "digits": lambda n: "[1," + "1" * n,
    "fractions": lambda n: "[1," + "1." * (n // 2),
    "quotes": lambda n: '["",' + '"' * n,
}


def seconds(text: str) -> float:
    """The least of five, for a scan in one piece and in pieces of 7."""
    taken = []
    for _ in range(5):
        begun = time.process_time()
        whole(text)
        mode, nest = START
        for start in range(0, len(text), 7):
            _, mode, nest = js.scan(text, start, min(start + 7, len(text)), mode, nest)
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.parametrize("name", FLOODS)
def test_work_is_linear(name: str) -> None:
    small, large = FLOODS[name](20_000), FLOODS[name](160_000)
    assert seconds(large) / len(large) < 4 * seconds(small) / len(small)
