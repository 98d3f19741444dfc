"""What each template changes in a message, as data: one record per template.

    parse(template(message)) == norm(message)

Changes that every template makes are not named in the records: text comes through the tokenizer's normalisation; an empty text is an
absent one; in content that touches a call, white space of at most 16 code points is absent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from attrs import evolve, frozen

from tests.laws.round_trip.coder import Real
from tests.laws.round_trip.rendering import Call, Sent, Shape
from tests.laws.round_trip.strategies import Range
from unbraid.core.grammar import GAP_CAP, WHITESPACE, JsonScalar

Side: TypeAlias = Literal["kept", "newline", "newlines", "blanks"]
"""What is taken from one end of a text: nothing, one newline, newlines, or all that Python calls white space."""


@frozen
class Trim:
    """What is taken from both ends of a text."""

    left: Side = "kept"
    right: Side = "kept"

    def apply(self, text: str | None) -> str | None:
        """What is left; None if that is nothing."""
        if text is None:
            return None
        text = _cut(text, self.left, text.removeprefix, text.lstrip)
        text = _cut(text, self.right, text.removesuffix, text.rstrip)
        return text or None


def _cut(text: str, side: Side, remove: Callable[[str], str], strip: Callable[[str | None], str]) -> str:
    match side:
        case "kept":
            return text
        case "newline":
            return remove("\n")
        case "newlines":
            return strip("\n")
        case "blanks":
            return strip(None)


KEPT: Final = Trim()
NEWLINES: Final = Trim("newlines", "newlines")
BLANKS: Final = Trim("blanks", "blanks")


@frozen
class Norm:
    """The changes of one template.

    `reasoning`, `content`: what is trimmed. `beside`: what is trimmed from content beside calls (None: the same). `calls`: what becomes of
    content beside calls. `thoughts`: where reasoning is dropped. `blank_thoughts`: reasoning of white space only is dropped. `keys`:
    the order of the arguments, sorted by the template at every depth or as given. `nested`: objects and arrays are written as Python prints them, and stay text.
    `nulls`: members that are null are left out.
    """

    reasoning: Trim = KEPT
    content: Trim = KEPT
    beside: Trim | None = None
    calls: Literal["kept", "dropped", "reasoning"] = "kept"
    thoughts: Literal["kept", "dropped", "only_with_calls"] = "kept"
    keys: Literal["kept", "sorted"] = "kept"
    nested: Literal["json", "python"] = "json"
    nulls: Literal["kept", "dropped"] = "kept"

    def apply(self, sent: Sent) -> Sent:
        """The message that comes back."""
        reasoning, content = self.reasoning.apply(sent.reasoning), self.content.apply(sent.content)
        if self.thoughts == "dropped" or (self.thoughts == "only_with_calls" and not sent.calls):
            reasoning = None
        if sent.calls:
            reasoning, content = self._beside(reasoning, (self.beside or self.content).apply(sent.content))
        return Sent(reasoning, content, tuple(Call(call.name, self._arguments(call.arguments)) for call in sent.calls))

    def _beside(self, reasoning: str | None, content: str | None) -> tuple[str | None, str | None]:
        if self.calls == "reasoning" and content is not None:
            return content, None
        return reasoning, None if self.calls == "dropped" or _is_framing(content) else content

    def _arguments(self, arguments: Mapping[str, object] | str) -> Mapping[str, object] | str:
        if isinstance(arguments, str):
            return arguments
        return {key: self._value(value) for key, value in self._members(arguments)}

    def _members(self, value: Mapping[str, Any]) -> list[tuple[str, Any]]:
        members = [member for member in value.items() if self.nulls == "kept" or member[1] is not None]
        return sorted(members) if self.keys == "sorted" else members

    def _value(self, value: Any) -> Any:
        if self.nested == "python" and isinstance(value, list | Mapping):
            return str(value)
        if isinstance(value, Mapping):
            return {key: self._value(item) for key, item in self._members(value)}
        return [self._value(item) for item in value] if isinstance(value, list) else value


def _is_framing(content: str | None) -> bool:
    return content is not None and len(content) <= GAP_CAP and not content.strip(WHITESPACE)


@frozen(eq=False)
class Row:
    """One template. `template`: a file, or a rendering of `stated.py` if `stated`. `vocabulary`: the tokenizer that its text goes through.
    `kwargs`: what binding and template are given; `switch`: a kwarg that says whether the message has reasoning, and its two answers.
    `words`: what only the template is given. `stop`: what stands behind the model's last token in a history, `last` that token."""

    template: str
    reasoning: str | None
    tools: str | None
    norm: Norm = Norm()
    span: Range = Range()
    shape: Shape = Shape()
    vocabulary: Real = "qwen3"
    kwargs: Mapping[str, JsonScalar] = {}
    switch: tuple[str, JsonScalar, JsonScalar] | None = None
    words: Mapping[str, object] = {}
    last: str = "<|im_end|>"
    stop: str = "\n"
    names: Mapping[str, str] = {}
    stated: bool = False

    def kwargs_of(self, sent: Sent) -> dict[str, JsonScalar]:
        """The kwargs under which `sent` is rendered and read."""
        if self.switch is None:
            return dict(self.kwargs)
        key, off, on = self.switch
        return {**self.kwargs, key: off if sent.reasoning is None else on}


THINKING: Final = ("enable_thinking", False, True)

ROWS: Final = (
    Row("Qwen-Qwen3-0.6B", "qwen3", "hermes", Norm(NEWLINES, Trim(left="newlines")), switch=THINKING),
)
