"""Patterns as a grammar can say them. That compilers take them so is tested in `tests/serving/test_constrained_strings.py`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.shell.char_sets import one_of, outside, ranges
from unbraid.shell.patterns import Repeated, said, single
from unbraid.shell.sayable import Strings, lengths, sayable

REST = one_of(outside(())) + "*"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("^ab$", "ab"),
        ("ab", f"{REST}ab{REST}"),
        ("^a|b$", f"(?:a{REST}|{REST}b)"),
        ("^(?:a|b)$", "(?:a|b)"),
        ("^(^a|b)$", "(?:a|b)"),
        ("(^|,)x", "(?:|,)x"),
        ("^(?<n>a)?(?P<m>b)*?$", "(?:a){0,1}(?:b)*"),
        ("^(?!x)a{2}b{1,}c{,3}$", "a{2}b+c\\{,3\\}"),
        (r"^\d\w[\d-]$", "[0-9][0-9A-Z\\u005fa-z][\\u002d0-9]"),
        (r"^\x41\u0042\u{43}\n$", "ABC\\u000a"),
        (r"^[^\D]$", "[0-9]"),
        ("^[]$", None),
        ("^[]?b$", "b"),
        ("^a{1,99999}$", None),
        ("(a", None),
        ("a)", None),
        ("[a", None),
        ("*a", None),
        ("a++", None),
        (r"\bа", None),
        (r"(a)\1", None),
        (r"\p{L}", None),
        ("(?i)a", None),
        ("(?>a)", None),
        ("\\", None),
        (r"\u12", None),
        ("(" * 40 + ")" * 40, None),
        ("a" * 3000, None),
    ],
)
def test_what_is_said(pattern: str, told: str | None) -> None:
    assert said(pattern) == told


def test_a_class_does_not_begin_with_its_negation() -> None:
    """xgrammar reads `[\\u005ea]` as `[^a]`."""
    assert one_of(ranges("^a")) == "[a\\u005e]"
    assert one_of(ranges("^_`")) == "[\\u005f-\\u0060\\u005e]"
    assert one_of(ranges("^")) == "\\^"


@pytest.mark.parametrize(
    ("pattern", "away", "told"),
    [
        ("^[<a]+$", "<", "a+"),
        ("^<?a$", "<", "a"),
        ("^(?:<|a)$", "<", "(?:a)"),
        ("^<a>$", "<", None),
        ("a|<", "<", "[^\\u003c\\ud800-\\udfff]*a[^\\u003c\\ud800-\\udfff]*"),
    ],
)
def test_without_some_characters(pattern: str, away: str, told: str | None) -> None:
    assert said(pattern, ranges(away)) == told


@pytest.mark.parametrize(
    ("pattern", "least", "most", "told"),
    [
        ("^[a-z]+$", 3, 5, "[a-z]{3,5}"),
        ("^[a-z]*$", 0, 5, "[a-z]{0,5}"),
        ("^[A-Z][a-z]*$", 2, 4, "[A-Z][a-z]{1,3}"),
        ("^a{2,8}$", 0, 5, "a{2,5}"),
        ("^a{2,8}$", 0, 1, "a{2,8}"),
        ("^(?:ab)+$", 3, 5, "(?:ab)+"),
        ("[a-z]+", 3, 5, f"{REST}[a-z]+{REST}"),
    ],
)
def test_lengths_beside_a_pattern(pattern: str, least: int, most: int, told: str) -> None:
    assert said(pattern, (), least, most) == told


def test_one_set() -> None:
    assert single("^[ab]{2,3}$") == Repeated(((97, 98),), 2, 3)
    assert single("^(?=x)a$") is None
    assert single("[ab]") is None


@given(st.text(alphabet="ab^$[]{}()\\|*+?-.,<>=!:P#19xudDwWsSbkp\ud800é\n", max_size=16))
def test_any_text_may_be_a_pattern(text: str) -> None:
    """What is said is a regular expression in Python as well, of texts without what must not stand in them."""
    told = said(text, ranges("<"))
    if told is not None:
        assert not any(re.fullmatch(told, one) for one in ("<", "a<", "<a", "a<a", "<1", "< "))


# -- schemas -----------------------------------------------------------------------------------------------------------


def test_a_schema_without_patterns_is_itself() -> None:
    schema = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "enum": ["^a"]},
            "n": {"type": "array", "items": {"minLength": 0}},
        },
        "anyOf": [{"required": ["n"]}],
        "default": {"pattern": "x"},
    }
    assert sayable(schema) is schema


def test_every_string_of_a_schema() -> None:
    inner = {"type": "string", "pattern": "^a$"}
    words = ("items", "additionalProperties", "not")
    schema = {**dict.fromkeys(words, inner), "prefixItems": [inner], "properties": {"x": inner}, "const": inner}
    told = {"type": "string", "pattern": "a"}
    assert sayable(schema) == {
        **dict.fromkeys(words, told),
        "prefixItems": [told],
        "properties": {"x": told},
        "const": inner,
    }


@pytest.mark.parametrize(
    ("schema", "strings", "words"),
    [
        ({"pattern": "(?i)a"}, Strings(), set()),
        ({"pattern": "^$"}, Strings(), {"const"}),
        ({"pattern": "^a|b$", "minLength": 3}, Strings(), {"pattern"}),
        ({"minLength": 2, "maxLength": 8}, Strings(), {"pattern"}),
        ({"minLength": 2, "maxLength": 80}, Strings(), {"minLength", "maxLength"}),
        ({"minLength": 2, "maxLength": 80}, Strings(excludes=("</a>",)), {"pattern"}),
        ({"maxLength": 80}, Strings(excludes=("</a>",)), set()),
        ({"maxLength": 800}, Strings(), set()),
        ({"minLength": 2, "maxLength": 800}, Strings(), {"pattern"}),
        ({"pattern": "^</a>$"}, Strings(excludes=("</a>",)), set()),
    ],
)
def test_what_is_left_of_strings(schema: dict[str, object], strings: Strings, words: set[str]) -> None:
    found = sayable({"type": "string", **schema}, strings)
    assert isinstance(found, dict)
    assert found.keys() == {"type", *words}


def test_lengths_are_whole_numbers() -> None:
    assert lengths({"minLength": 2.0, "maxLength": 3}) == (2, 3)
    assert lengths({"minLength": True, "maxLength": -1}) is None
    assert lengths({"minLength": float("inf"), "maxLength": "3"}) is None
    assert lengths({"maxLength": 10**400}) == (0, 10**400)


def test_keys_that_no_schema_declares() -> None:
    strings = Strings(keys="[a-z]")
    assert sayable({"type": "object"}, strings) == {"type": "object", "propertyNames": {"pattern": "[a-z]"}}
    closed = {"type": "object", "properties": {}}
    assert sayable(closed, strings) is closed
