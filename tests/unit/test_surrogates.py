"""Nothing that leaves can fail to be encoded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.shell.surrogates import PORTION, clean_json, clean_text, json_line

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF, exclude_categories=()))


@given(ANY_TEXT)
def test_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned.encode().decode()) == len(text)


@given(ANY_TEXT)
def test_json_can_be_encoded_and_says_the_same(text: str) -> None:
    line = json_line([text])
    assert line.encode()
    assert json.loads(line) == json.loads(json.dumps([text]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\ud83d\ude00", "\ufffd\ufffd"),
        ("😀\udc00", "😀\ufffd"),
    ],
)
def test_text(text: str, expected: str) -> None:
    assert clean_text(text) == expected


@pytest.mark.parametrize("place", [0, PORTION - 1, PORTION, 3 * PORTION - 1])
def test_long_text_is_looked_at_whole(place: int) -> None:
    clean = "é" * (3 * PORTION)
    assert clean_text(clean) is clean
    assert clean_text(clean[:place] + "\ud83d" + clean[place + 1 :]) == clean[:place] + "\ufffd" + clean[place + 1 :]


def test_json() -> None:
    assert clean_json('"é\udfff"') == '"é\\udfff"'
