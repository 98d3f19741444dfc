"""A model of transformers: its events while it generates, and the message of a whole output."""

from collections.abc import Iterator
from threading import Thread
from typing import Any

from unbraid import Event, Message, bind, parse_response, with_tools
from unbraid.shell.transformers_streamer import EventStreamer


def events(model: Any, tokenizer: Any, prompt: Any) -> Iterator[Event]:
    machine = bind("qwen3", "hermes", tokenizer).bind(with_tools).unwrap()
    streamer = EventStreamer(machine, timeout=60)
    Thread(target=model.generate, kwargs={**prompt, "streamer": streamer, "max_new_tokens": 64}).start()
    yield from streamer


def answer(model: Any, tokenizer: Any, prompt: Any) -> Message:
    ids = model.generate(**prompt, max_new_tokens=64)[0]
    start = prompt["input_ids"].shape[1]
    written, before = ids[start:].tolist(), ids[:start].tolist()
    return parse_response(tokenizer, written, reasoning="qwen3", tools="hermes", prompt=before).unwrap()
