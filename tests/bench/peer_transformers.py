"""transformers' `ResponseParser`, with the response templates that `transformers serve` has for models without one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from attrs import field, frozen

from tests.bench.feeding import Arrival
from tests.bench.peer import Absent, Gathered
from unbraid.shell.bench import TOOLS
from unbraid.shell.messages import Message

MODELS: Final[Mapping[tuple[str | None, str | None], tuple[str, str]]] = {
    ("qwen3", "hermes"): ("qwen3", "<|im_start|>assistant\n<think>\n"),
    ("qwen3", "qwen3_coder"): ("qwen3_5", "<|im_start|>assistant\n<think>\n"),
    ("gemma4", "gemma4"): ("gemma4", "<|turn>model\n"),
}
"""Our pair -> model type, and the end of its prompt."""

REASONING: Final = ("reasoning_content", "thinking")
"""Names of the field, by the version of the package."""


@frozen(eq=False)
class Transformers:
    """The peer."""

    name: str
    parsing: Any
    serving: Any
    templates: Mapping[str, Any]
    feed: str = "text"

    def knows(self, reasoning: str | None, tools: str | None) -> bool:
        model, _ = MODELS.get((reasoning, tools), ("", ""))
        return model in self.templates

    def open(self, one: Arrival) -> TransformersStream:
        template, prefix = self._model(one)
        parser = self.parsing.ResponseParser(template, prefix=prefix, tools=list(TOOLS))
        return TransformersStream(parser, self.serving)

    def whole(self, one: Arrival) -> Message:
        template, prefix = self._model(one)
        found = self.parsing.parse_response(one.workload.text, template, prefix=prefix, tools=list(TOOLS))
        thought = next((found[name] for name in REASONING if found.get(name)), "")
        said = Gathered([thought], [found.get("content", "")])
        for place, call in enumerate(found.get("tool_calls", ())):
            made = self.serving._normalize_tool_call(call)
            said.argue(place, made.name, made.arguments)
        return said.message()

    def _model(self, one: Arrival) -> tuple[Any, str]:
        model, prefix = MODELS[(one.subject.reasoning, one.subject.tools)]
        return self.templates[model], prefix


@frozen(eq=False)
class TransformersStream:
    """What the server's streamer does with each piece of text."""

    parser: Any
    serving: Any
    said: Gathered = field(factory=Gathered)

    def feed(self, text: str | None, _: tuple[int, ...]) -> None:
        self._take(self.parser.feed(text))

    def close(self) -> Message:
        _, events = self.parser.finalize()
        self._take(events)
        return self.said.message()

    def _take(self, events: Any) -> None:
        said = self.said
        for item in self.serving.response_events_to_chunks(events):
            if isinstance(item, self.serving.ReasoningText):
                said.reasoning.append(item)
            elif isinstance(item, str):
                said.content.append(item)
            else:
                said.argue(len(said.calls), item.name, item.arguments)


def transformers() -> Transformers:
    """The peer. Raises `Absent`."""
    try:
        label = f"transformers {version('transformers')}"
        parsing = import_module("transformers.utils.chat_parsing")
        serving = import_module("transformers.cli.serving.utils")
        fallbacks = serving._RESPONSE_TEMPLATE_FALLBACKS
    except (ImportError, PackageNotFoundError, AttributeError) as error:
        raise Absent(f"transformers: {error}") from error
    templates = {model: template for models, template in fallbacks.items() for model in models}
    return Transformers(label, parsing, serving, templates)
