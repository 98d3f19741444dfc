"""Escaping against `json.dumps`, unescaping against `json.loads`, both at every split."""

import json
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid.core import json_text

CHARS: Final = st.characters() | st.sampled_from('"\\/\b\f\n\r\t\x00\x1f\x7f\u2028\ud83d\ude00\U0001f600u')
TEXTS: Final = st.text(CHARS, max_size=20)
ESCAPES: Final = [
    *('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0041", "\\u00E9", "\\u0000"),
    *("\\uD83D", "\\ude00", "\\ud83d\\ude00", "\\uDBFF\\uDFFF", "u", "d", "\u00e9", "\ud83d", "\ude00"),
]
BODIES: Final = st.lists(st.sampled_from(ESCAPES) | CHARS.filter(lambda char: char not in '"\\' and char >= " ")).map(
    "".join
)


@given(TEXTS)
def test_escape_is_what_json_writes(text: str) -> None:
    assert json_text.quote(text) == json.dumps(text, ensure_ascii=False)
    assert json_text.quote(text) == f'"{json_text.escape(text)}"'


@given(TEXTS, TEXTS)
def test_escaped_pieces_concatenate(left: str, right: str) -> None:
    assert json_text.escape(left + right) == json_text.escape(left) + json_text.escape(right)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("", ""),
        ("plain", "plain"),
        ('"', '\\"'),
        ("\\", "\\\\"),
        ("/", "/"),
        ("\b\f\n\r\t", "\\b\\f\\n\\r\\t"),
        ("\x00\x0b\x1f", "\\u0000\\u000b\\u001f"),
        ("\x7f\u00e9\u2028\U0001f600", "\x7f\u00e9\u2028\U0001f600"),
        ("\ud83d", "\ud83d"),
    ],
)
def test_escape(text: str, body: str) -> None:
    assert json_text.escape(text) == body
    assert json_text.unescape(body) == text


@given(BODIES)
def test_unescape_is_what_json_reads(body: str) -> None:
    assert json_text.unescape(body) == json.loads(f'"{body}"')


@given(BODIES)
@example("\\ud83d\\ude00")
@example("\\ud83d\\ud83d\\ude00")
@example("\\ud83d\\u0041\\\\")
def test_unescape_at_every_cut(body: str) -> None:
    whole = json_text.unescape(body)
    for cut in range(len(body) + 1):
        first, pending = json_text.unescape_step("", body[:cut])
        second, rest = json_text.unescape_step(pending, body[cut:])
        assert first + second + json_text.unescape_end(rest) == whole
        assert len(pending) <= json_text.MAX_PENDING


@given(BODIES)
@example("\\udbff\\udfff" * 3)
def test_unescape_by_code_points(body: str) -> None:
    decoded, pending = "", ""
    for char in body:
        piece, pending = json_text.unescape_step(pending, char)
        assert len(pending) <= json_text.MAX_PENDING
        decoded += piece
    assert decoded + json_text.unescape_end(pending) == json.loads(f'"{body}"')


@pytest.mark.parametrize(
    ("body", "decoded", "pending"),
    [
        ("a\\", "a", "\\"),
        ("\\\\", "\\", ""),
        ("\\\\\\", "\\", "\\"),
        ("\\u", "", "\\u"),
        ("\\u00e", "", "\\u00e"),
        ("\\u00e9", "\u00e9", ""),
        ("\\ud83d", "", "\\ud83d"),
        ("\\ud83dx", "\ud83dx", ""),
        ("\\ud83d\\", "", "\\ud83d\\"),
        ("\\ud83d\\n", "\ud83d\n", ""),
        ("\\ud83d\\u", "", "\\ud83d\\u"),
        ("\\ud83d\\u0", "\ud83d", "\\u0"),
        ("\\ud83d\\ud8", "\ud83d", "\\ud8"),
        ("\\ud83d\\ude0", "", "\\ud83d\\ude0"),
        ("\\ud83d\\ud83d", "\ud83d", "\\ud83d"),
        ("\\ude00", "\ude00", ""),
    ],
)
def test_nothing_is_pending_that_is_decided(body: str, decoded: str, pending: str) -> None:
    assert json_text.unescape_step("", body) == (decoded, pending)


@given(st.text('\\"ud83dex0n/', max_size=24))
def test_bodies_that_are_none_are_kept_in_part_and_never_raise(body: str) -> None:
    decoded, pending = json_text.unescape_step("", body)
    assert len(pending) <= json_text.MAX_PENDING
    assert len(decoded) + len(pending) <= len(body)


@pytest.mark.parametrize(
    ("body", "text"), [("\\x", "\\x"), ("\\uzz", "\\uzz"), ("a\\", "a\\"), ("\\ud83d\\u", "\ud83d\\u")]
)
def test_what_is_no_escape_stays(body: str, text: str) -> None:
    assert json_text.unescape(body) == text
