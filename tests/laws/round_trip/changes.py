"""The records that a row of the table in `norms.py` is made of, and what their words mean.

Changes that every template makes are not named in the records: text comes through the tokenizer's normalisation; an empty text is an
absent one; in content that touches a call, white space of at most 16 code points is absent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from attrs import frozen

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

    `reasoning`, `content`: what is trimmed. `beside`: what is trimmed from content beside calls, `unthought` from content without
    reasoning before it (None: the same). `calls`: what becomes of content beside calls. `thoughts`: where reasoning is dropped. `blank`:
    what becomes of reasoning that is only what Python calls white space. `keys`:
    whether the template sorts the arguments, at every depth and without regard to case. `nested`: objects and arrays are written as Python
    prints them, and so stay text unless that is JSON too. `lead`: what the template writes before content and nothing
    tells from it, `unthought_lead` where no reasoning stands before it. `fenced`: content stands between markers of its own, so it
    touches no call.
    """

    reasoning: Trim = KEPT
    content: Trim = KEPT
    beside: Trim | None = None
    unthought: Trim | None = None
    calls: Literal["kept", "dropped", "reasoning"] = "kept"
    thoughts: Literal["kept", "only_with_calls"] = "kept"
    blank: Literal["kept", "dropped"] = "kept"
    keys: Literal["kept", "sorted"] = "kept"
    nested: Literal["json", "python"] = "json"
    lead: str = ""
    unthought_lead: str = ""
    fenced: bool = False

    def apply(self, sent: Sent) -> Sent:
        """The message that comes back."""
        reasoning, content = self.reasoning.apply(sent.reasoning), self._trim(sent).apply(sent.content)
        if not self.thinks(sent) or (self.thoughts == "only_with_calls" and not sent.calls):
            reasoning = None
        content = self._led(sent, content)
        if sent.calls:
            reasoning, content = self._beside(reasoning, content)
        return Sent(reasoning, content, tuple(Call(call.name, self._arguments(call.arguments)) for call in sent.calls))

    def thinks(self, sent: Sent) -> bool:
        """Does the template see reasoning?"""
        return sent.reasoning is not None and (self.blank == "kept" or bool(sent.reasoning.strip()))  # as Python strips

    def _led(self, sent: Sent, content: str | None) -> str | None:
        lead = self.lead + ("" if self.thinks(sent) else self.unthought_lead)
        return None if content is None else lead + content

    def _trim(self, sent: Sent) -> Trim:
        if sent.calls and self.beside is not None:
            return self.beside
        return self.unthought if self.unthought is not None and not self.thinks(sent) else self.content

    def _beside(self, reasoning: str | None, content: str | None) -> tuple[str | None, str | None]:
        if self.calls == "reasoning" and content is not None:
            return content, None
        framing = not self.fenced and _is_framing(content)
        return reasoning, None if self.calls == "dropped" or framing else content

    def _arguments(self, arguments: Mapping[str, object] | str) -> Mapping[str, object] | str:
        if isinstance(arguments, str):
            return arguments
        return {key: self._value(value) for key, value in self._members(arguments)}

    def _members(self, value: Mapping[str, Any]) -> list[tuple[str, Any]]:
        members = list(value.items())
        return sorted(members, key=lambda member: member[0].lower()) if self.keys == "sorted" else members

    def _value(self, value: Any) -> Any:
        if self.nested == "python" and isinstance(value, list | Mapping):
            return _printed(value)
        if isinstance(value, Mapping):
            return {key: self._value(item) for key, item in self._members(value)}
        return [self._value(item) for item in value] if isinstance(value, list) else value


def _printed(value: object) -> object:
    """An object or array as Python prints it, which sometimes is JSON."""
    try:
        json.loads(str(value))
    except ValueError:
        return str(value)
    return value


def _is_framing(content: str | None) -> bool:
    return content is not None and len(content) <= GAP_CAP and not content.strip(WHITESPACE)


@frozen(eq=False)
class Row:
    """One template.

    `template`: a file, or a rendering of `stated.py` if `stated`; `case` tells rows of one template apart. `vocabulary`: the tokenizer that
    the text goes through; `markers` and `tokens` are added ones that it is given, the
    latter special. `kwargs`: what binding and template are given; `switch`: a kwarg that
    says whether the message has reasoning, and its two answers. `words`: what only the template is given. `end`: what a history has behind
    the model's text, or several that it may have; without white space, what the model ends with.
    """

    template: str
    reasoning: str | None
    tools: str | None
    norm: Norm = Norm()
    span: Range = Range()  # noqa: RUF009 - a frozen record
    shape: Shape = Shape()  # noqa: RUF009 - a frozen record
    vocabulary: Real = "qwen3"
    kwargs: Mapping[str, JsonScalar] = {}
    switch: tuple[str, JsonScalar, JsonScalar] | None = None
    words: Mapping[str, object] = {}
    end: tuple[str, ...] = ("",)
    tokens: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    stated: bool = False
    case: str = ""

    def __str__(self) -> str:
        return f"{self.template} {self.case}".rstrip()

    def kwargs_of(self, sent: Sent) -> dict[str, JsonScalar]:
        """The kwargs under which `sent` is rendered and read."""
        if self.switch is None:
            return dict(self.kwargs)
        key, off, on = self.switch
        return {**self.kwargs, key: on if self.norm.thinks(sent) else off}
