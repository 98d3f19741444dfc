"""Tokens that a client may know of: every code point of them is read."""

from __future__ import annotations

import pytest

from unbraid.core.events import Anomaly, ContentChunk, Event, Events, Markup, ReasoningChunk
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.token_shapes import logprobs_of
from unbraid.shell.visible import LEAST, Alternative, Logprob, Tokens, add_tokens, is_read, show_tokens

BYTES = Vocabulary((*(bytes([byte]) for byte in range(256)), b">a", b"", b"<x>"))


def shown(ids: list[int], events: Events, *, reasoning: bool = False, size: int = 1) -> list[int]:
    """The visible ids, of events that come `size` at a time, after all tokens."""
    tokens = add_tokens(Tokens(), BYTES, ids)
    out: list[int] = []
    for start in range(0, len(events), size):
        tokens, found = show_tokens(tokens, events[start : start + size], reasoning=reasoning)
        out += [token.id for group in found for token in group]
    return out


@pytest.mark.parametrize("size", [1, 2, 9])
@pytest.mark.parametrize(
    ("ids", "events", "expected"),
    [
        ([97, 98], [ContentChunk("ab", 2)], [97, 98]),
        ([97, 98], [ReasoningChunk("a", 1), ContentChunk("b", 1)], [98]),
        ([97, 256, 98], [ReasoningChunk("a", 1), Markup("T", ">", 1), ContentChunk("ab", 2)], [98]),
        ([256], [ContentChunk(">", 1), ContentChunk("a", 1)], [256]),
        ([256], [ContentChunk(">", 1), ReasoningChunk("a", 1)], []),
        ([0xC3, 0xA9, 97], [ContentChunk("é", 1), Markup("T", "a", 1)], [0xC3, 0xA9]),
        ([0xC3, 97], [Markup("T", "\ufffd", 1), ContentChunk("a", 1)], [97]),
        ([97, 257, 98], [ContentChunk("ab", 2)], [97, 98]),
        ([258, 97], [Markup("X", "<x>", 3), ContentChunk("a", 1)], [97]),
        ([97, 98, 99], [ContentChunk("a", 1), Anomaly("desync"), ContentChunk("bc", 2)], [97]),
        ([97, 98, 99], [ContentChunk("a", 1), Anomaly("malformed"), ContentChunk("bc", 2)], [97, 98, 99]),
    ],
)
def test_what_is_shown(ids: list[int], events: list[Event], expected: list[int], size: int) -> None:
    assert shown(ids, tuple(events), size=size) == expected


def test_reasoning_that_is_read_is_shown() -> None:
    events = (ReasoningChunk("a", 1), ContentChunk("b", 1))
    assert shown([97, 98], events, reasoning=True) == [97, 98]
    assert [is_read(event, reasoning=True) for event in events] == [True, True]


def test_a_token_waits_for_its_last_code_point() -> None:
    tokens = add_tokens(Tokens(), BYTES, [256])
    tokens, found = show_tokens(tokens, (ContentChunk(">", 1),), reasoning=False)
    assert found == ((),)
    tokens, found = show_tokens(tokens, (ContentChunk("a", 1),), reasoning=False)
    assert [token.id for token in found[0]] == [256]
    assert tokens.waiting == ()


def test_the_first_blank_is_nobodys() -> None:
    tokens = add_tokens(Tokens(blank=True), BYTES, [32, 97])
    _, found = show_tokens(tokens, (ContentChunk("a", 1),), reasoning=False)
    assert [token.id for token in found[0]] == [97]


def test_log_probabilities_as_json() -> None:
    top = (Alternative("b", -1.5, (98,)), Alternative("c\ud800", float("-inf")))
    tokens = add_tokens(Tokens(), BYTES, [97, 98], (Logprob("a", -0.5, top=top), Logprob("b", float("nan"), (1,))))
    _, [found] = show_tokens(tokens, (ContentChunk("ab", 2),), reasoning=False)
    told = logprobs_of(found, BYTES, 2)["content"]
    assert told[0] == {
        "token": "a",
        "logprob": -0.5,
        "bytes": [97],
        "top_logprobs": [
            {"token": "b", "logprob": -1.5, "bytes": [98]},
            {"token": "c\ufffd", "logprob": LEAST, "bytes": None},
        ],
    }
    assert (told[1]["logprob"], told[1]["bytes"]) == (LEAST, [1])
    assert [len(one["top_logprobs"]) for one in logprobs_of(found, None, 1)["content"]] == [1, 0]
