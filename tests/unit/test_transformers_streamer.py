"""The streamer without a model: what `generate` puts, as tensors or lists, comes out as events or chunks."""

from __future__ import annotations

from queue import Empty
from typing import Any

import pytest

from tests.laws.machines import bare, made
from tests.serving.clients import joined
from unbraid.core.events import merge
from unbraid.core.machine import finish, start, step
from unbraid.shell.generated import parse_response
from unbraid.shell.plan import Plan
from unbraid.shell.transformers_streamer import ChunkStreamer, EventStreamer, IdStreamer

VOCABULARY = made("qwen3", "hermes")
MACHINE = bare("qwen3", "hermes", None, ids=True)
PROMPT = VOCABULARY.encode("<think>\n")
IDS = VOCABULARY.encode('so.</think>\n\nHi.<tool_call>{"name": "f"}</tool_call>')


class Tensor:
    """As much of a tensor as is looked at."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def tolist(self) -> Any:
        return self._values


def generate(streamer: IdStreamer[Any], ids: tuple[int, ...] = IDS) -> None:
    """Puts as `generate` does."""
    streamer.put(Tensor([list(PROMPT)]))
    for token in ids:
        streamer.put(Tensor([token]))
    streamer.end()


def test_events() -> None:
    streamer = EventStreamer(MACHINE, timeout=1)
    generate(streamer)
    state = start(MACHINE, "ids", PROMPT)
    state, events = step(MACHINE, state, None, IDS)
    assert merge(tuple(streamer)) == merge(events + finish(MACHINE, state)[1])


@pytest.mark.parametrize("value", [[list(PROMPT)], list(PROMPT), Tensor(list(PROMPT)), tuple(PROMPT)])
def test_shapes(value: object) -> None:
    streamer = EventStreamer(MACHINE, timeout=1)
    streamer.put(value)
    streamer.put(IDS)
    streamer.put(Tensor(IDS[0]))
    streamer.end()
    assert sum(event.tokens for event in streamer) == len(IDS) + 1


def test_the_prompt_says_where_the_output_starts() -> None:
    streamer = EventStreamer(MACHINE, timeout=1)
    streamer.put(VOCABULARY.encode("<think>\n\n</think>\n\n"))
    streamer.put(VOCABULARY.encode("Hi"))
    streamer.end()
    assert {type(event).__name__ for event in streamer} == {"ContentChunk"}
    streamer = EventStreamer(MACHINE, at="content", timeout=1)
    generate(streamer, VOCABULARY.encode("Hi"))
    assert {type(event).__name__ for event in streamer} == {"ContentChunk"}


@pytest.mark.parametrize(
    ("ends", "reason"), [((), "tool_calls"), ((IDS[-1],), "tool_calls"), ((IDS[-1] + 1,), "length")]
)
def test_chunks(ends: tuple[int, ...], reason: str) -> None:
    streamer = ChunkStreamer(Plan(MACHINE, token_ids=True), ends=ends, timeout=1)
    generate(streamer)
    chunks = list(streamer)
    assert chunks[0]["prompt_token_ids"] == list(PROMPT)
    found = joined(chunks)
    assert (found["reasoning"], found["content"], found["finish_reason"]) == ("so.", "Hi.", reason)
    assert streamer.stream is not None
    assert streamer.stream.spent.completion == len(IDS)


def test_again() -> None:
    """A streamer may serve one generation after another."""
    streamer = EventStreamer(MACHINE, timeout=1)
    generate(streamer)
    first = list(streamer)
    generate(streamer)
    assert list(streamer) == first


def test_nothing_was_generated() -> None:
    streamer = EventStreamer(MACHINE, timeout=1)
    streamer.end()
    assert list(streamer) == []


def test_refused() -> None:
    streamer = EventStreamer(MACHINE, timeout=0.01)
    with pytest.raises(ValueError, match="a batch of 2 sequences"):
        streamer.put([[1], [2]])
    with pytest.raises(TypeError, match="expected token ids, found str"):
        streamer.put("text")
    with pytest.raises(Empty):
        list(streamer)
    with pytest.raises(ValueError, match="log probabilities"):
        ChunkStreamer(Plan(MACHINE, logprobs=0))
    with pytest.raises(NotImplementedError):
        IdStreamer[Any]().put([1])


def test_parse_response() -> None:
    found = parse_response(VOCABULARY.vocabulary, IDS, reasoning="qwen3", tools="hermes", prompt=PROMPT).unwrap()
    assert (found.reasoning, found.content, [call.name for call in found.tool_calls]) == ("so.", "Hi.", ["f"])
    assert parse_response(VOCABULARY.vocabulary, IDS).unwrap().content == VOCABULARY.decode(IDS)
    assert "hermess" in parse_response(VOCABULARY.vocabulary, IDS, tools="hermess").failure().describe()
