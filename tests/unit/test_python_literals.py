"""Python's literals as JSON, compared with Python's own reading of them."""

from __future__ import annotations

import ast
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid.core.python_literals import NO_STRING, string_start, word_json


@pytest.mark.parametrize(
    ("word", "json_text"),
    [
        ("True", "true"),
        ("False", "false"),
        ("None", "null"),
        ("true", "true"),
        ("null", "null"),
        ("0", "0"),
        ("-0", "-0"),
        ("+7", "7"),
        ("007", "7"),
        ("-00", "-0"),
        ("1_000", "1000"),
        ("1.50", "1.50"),
        ("1.", "1.0"),
        ("-.5", "-0.5"),
        ("1E+05", "1E+05"),
        ("1.e1_0", "1.0e10"),
        ("9" * 500, "9" * 500),
        ("1e308", "1e308"),
    ],
)
def test_words(word: str, json_text: str) -> None:
    assert word_json(word) == json_text
    json.loads(json_text)


@pytest.mark.parametrize(
    "word",
    [
        "",
        "x",
        "TRUE",
        "nan",
        "inf",
        "1j",
        "0x1f",
        "0b1",
        "0o7",
        "1__0",
        "_1",
        "1_",
        "--1",
        "1e",
        "1e+",
        ".",
        "-",
        "1.2.3",
        "1e999",
        "٣",
        "1+1",
    ],
)
def test_no_words(word: str) -> None:
    assert word_json(word) is None


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
@example(1e16)
@example(-1e-7)
def test_numbers_mean_what_python_wrote(number: float) -> None:
    written = word_json(repr(number))
    assert written is not None
    assert json.loads(written) == number


@given(st.text("0123456789+-._eEx", max_size=12))
def test_a_number_is_one_for_python_too(word: str) -> None:
    """But for leading zeros, which Python reads in floats only."""
    json_text = word_json(word)
    if json_text is not None:
        value = json.loads(json_text)
        assert math.isclose(value, float(word.replace("_", "")), rel_tol=1e-12)
    else:
        try:
            value = ast.literal_eval(word)
        except (SyntaxError, ValueError):
            return
        assert (
            not isinstance(value, int | float)
            or any(sign in word for sign in ("x", "--", "++", "+-", "-+", "e9", "E9"))
            or not math.isfinite(value)
        )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("'a", (1, "'")),
        ('"a', (1, '"')),
        ("''a", (1, "'")),
        ("'''", (3, "'''")),
        ('"""a', (3, '"""')),
        ("r'a", (2, "r'")),
        ("U'a", (2, "'")),
        ("F'''a", (4, "f'''")),
        ("fR'a", (3, "rf'")),
        ("b'a", NO_STRING),
        ("rb'a", NO_STRING),
        ("Fa", NO_STRING),
        ("rrr", NO_STRING),
        ("1", NO_STRING),
        ("'", None),
        ("''", None),
        ("r", None),
        ("Rf", None),
        ("rf''", None),
    ],
)
def test_string_start(text: str, found: tuple[int, str] | None) -> None:
    assert string_start(text, 0) == string_start("xx" + text, 2) == found
