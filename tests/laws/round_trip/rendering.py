"""Chat templates rendered as transformers does, and what the model would have written in them.

    prompt   the conversation up to the user's message, with the generation prompt
    output   what stands behind the prompt when the assistant's message is rendered too; None if the rendering does not begin with the prompt

Arguments are given as an object, or as JSON text where the template writes that as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NoReturn

from attrs import frozen
from jinja2 import Template, TemplateError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

TODAY: Final = datetime(2025, 6, 1, tzinfo=UTC)
SPOKEN: Final = "What is there?"
"""The user's message."""


class Generation(Extension):
    """`{% generation %}` marks what a model is trained on; here it marks nothing."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The nodes inside the block."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def tojson(value: object, *, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    """`json.dumps` without escapes of HTML or of other scripts."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def refuse(message: str) -> NoReturn:
    """What templates call for messages that they do not take."""
    raise TemplateError(message)


def environment() -> SandboxedEnvironment:
    """The environment of chat templates."""
    made = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    made.filters |= {"tojson": tojson, "from_json": json.loads, "python": repr}
    made.globals |= {"raise_exception": refuse, "strftime_now": TODAY.strftime}
    return made


@cache
def compiled(source: str) -> Template:
    """A template by its text."""
    return environment().from_string(source)


@frozen
class Call:
    """One call of a message; `arguments` as an object, or as JSON text."""

    name: str
    arguments: Mapping[str, object] | str


@frozen
class Sent:
    """An assistant's message, as a client sends it."""

    reasoning: str | None
    content: str | None
    calls: tuple[Call, ...]

    def mapped(self, change: Callable[[str], str]) -> Sent:
        """The message with every text in it changed: strands, keys, values."""
        return Sent(
            None if self.reasoning is None else change(self.reasoning),
            None if self.content is None else change(self.content),
            tuple(Call(call.name, _mapped(call.arguments, change)) for call in self.calls),
        )


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, Mapping):
        return {change(key): _mapped(item, change) for key, item in value.items()}
    return value


@frozen
class Shape:
    """How a template wants an assistant's message. `reasoning`: the key of the reasoning; `absent`: the content of a message
    that has none; `call_id`: a call's id, from its name and number."""

    reasoning: str = "reasoning_content"
    absent: str | None = ""
    blocks: bool = False
    call_id: str = "abcdefgh{n}"

    def message(self, sent: Sent) -> dict[str, object]:
        """`sent` as an entry of a template's `messages`."""
        content = self._blocks(sent) if self.blocks else sent.content
        made: dict[str, object] = {"role": "assistant", "content": self.absent if content is None else content}
        if sent.reasoning is not None and not self.blocks:
            made[self.reasoning] = sent.reasoning
        if sent.calls:
            made["tool_calls"] = [self._call(call, number) for number, call in enumerate(sent.calls)]
        return made

    def _blocks(self, sent: Sent) -> list[dict[str, str]] | None:
        strands = (("thinking", sent.reasoning), ("text", sent.content))
        return [{"type": kind, kind: found} for kind, found in strands if found is not None] or None

    def _call(self, call: Call, number: int) -> dict[str, object]:
        function = {"name": call.name, "arguments": call.arguments}
        return {"id": self.call_id.format(name=call.name, n=number), "type": "function", "function": function}


@frozen
class Rendered:
    """A prompt, and what the model would write behind it."""

    prompt: str
    output: str | None


def rendered(
    source: str, shape: Shape, sent: Sent, tools: Sequence[Mapping[str, object]], words: Mapping[str, object]
) -> Rendered:
    """`sent` behind one message of the user; `words` are the template's kwargs and the spellings of its tokens."""
    asked = {"role": "user", "content": SPOKEN}
    template = compiled(source)
    prompt = template.render(messages=[asked], tools=tools, add_generation_prompt=True, **words)
    whole = template.render(messages=[asked, shape.message(sent)], tools=tools, add_generation_prompt=False, **words)
    return Rendered(prompt, whole[len(prompt) :] if whole.startswith(prompt) else None)
