"""SGLang's parsers, from the package `llm-router-utils`: a reasoning parser, whose rest goes to a tool parser."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from attrs import field, frozen

from tests.bench.feeding import Arrival
from tests.bench.peer import Absent, Gathered
from unbraid.formats.registry import Role, lookup
from unbraid.shell.bench import TOOLS
from unbraid.shell.messages import Message

ROOT = "llm_router_utils.sglang.srt"


@frozen(eq=False)
class Sglang:
    """The peer. Our formats are known to it under a name that we read as the same format."""

    name: str
    calls: Any
    reasoning: Any
    tools: list[Any]
    feed: str = "text"

    def knows(self, reasoning: str | None, tools: str | None) -> bool:
        first = reasoning is None or self._theirs("reasoning", reasoning) is not None
        return first and (tools is None or self._theirs("tools", tools) is not None)

    def open(self, one: Arrival) -> SglangStream:
        return SglangStream(*self._parsers(one))

    def whole(self, one: Arrival) -> Message:
        thought, calls = self._parsers(one)
        said = Gathered()
        text = one.workload.text
        if thought is not None:
            reasoning, text = thought.parse_non_stream(text)
            said.reasoning.append(reasoning or "")
        if calls is not None and calls.has_tool_call(text):
            text, found = calls.parse_non_stream(text)
            for place, item in enumerate(found):
                said.argue(place, item.name, item.parameters)
        said.content.append(text or "")
        return said.message()

    def _parsers(self, one: Arrival) -> tuple[Any, Any]:
        subject = one.subject
        thought = self._theirs("reasoning", subject.reasoning)
        name = self._theirs("tools", subject.tools)
        calls = None if name is None else self.calls(self.tools, name)
        forced = True if thought is None or "<" not in subject.writer.reasoning.partition("$TEXT")[0] else None
        active = calls is not None
        options = {"stream_reasoning": True, "force_reasoning": forced, "tool_call_parser_active": active}
        return (None if thought is None else self.reasoning(thought, **options)), calls

    def _theirs(self, role: Role, ours: str | None) -> str | None:
        known = self.reasoning.DetectorMap if role == "reasoning" else self.calls.ToolCallParserEnum
        means = {name: lookup(role, name).map(lambda form: form.name).value_or(None) for name in sorted(known)}
        return next((name for name, form in means.items() if ours is not None and form == ours), None)


@frozen(eq=False)
class SglangStream:
    """What the chat server does with each chunk."""

    thought: Any
    calls: Any
    said: Gathered = field(factory=Gathered)

    def feed(self, text: str | None, _: tuple[int, ...]) -> None:
        rest = text or ""
        if self.thought is not None:
            reasoning, normal = self.thought.parse_stream_chunk(rest)
            if reasoning:
                self.said.reasoning.append(reasoning)
            rest = normal or ""
        self._tools(rest, end=False)

    def close(self) -> Message:
        rest = ""
        if self.thought is not None:
            reasoning, normal = self.thought.parse_stream_end()
            self.said.reasoning.append(reasoning or "")
            rest = normal or ""
        self._tools(rest, end=True)
        return self.said.message()

    def _tools(self, rest: str, *, end: bool) -> None:
        if self.calls is None:
            self.said.content.append(rest)
            return
        self._take(*self.calls.parse_stream_chunk(rest))
        if end:
            self._take(*self.calls.parse_stream_end())

    def _take(self, text: str, calls: Any) -> None:
        if text:
            self.said.content.append(text)
        for item in calls:
            self.said.argue(item.tool_index, item.name, item.parameters)


def sglang() -> Sglang:
    """The peer. Raises `Absent`."""
    try:
        label = f"SGLang (llm-router-utils {version('llm-router-utils')})"
        calls = import_module(f"{ROOT}.function_call.function_call_parser").FunctionCallParser
        reasoning = import_module(f"{ROOT}.parser.reasoning_parser").ReasoningParser
        protocol = import_module(f"{ROOT}.entrypoints.openai.protocol")
    except (ImportError, PackageNotFoundError) as error:
        raise Absent(f"SGLang: {error}; run `pip install llm-router-utils`") from error
    return Sglang(label, calls, reasoning, [protocol.Tool.model_validate(tool) for tool in TOOLS])
