"""Forced calls without markers: the engine's grammar lets nothing but JSON through, and the JSON is the calls.

    required   [{"name": NAME, "parameters": ARGUMENTS}, ...]     a tool half like any other: `REQUIRED_JSON`
    named      ARGUMENTS                                          a reducer over content: `named_call`

Reasoning stays what it is; the JSON begins where content would. Arguments are passed on as they were written, in streams and
in whole messages alike. An answer that does not begin as it must is content.

`named_call` is a reducer because a format cannot say "announce the call whose name the request gave". It reads with the
core's JSON scanner, as arguments are read anywhere: verbatim, a raw control character in a string escaped, complete at the
balanced close.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from attrs import frozen

from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.core.grammar import GAP_CAP, WHITESPACE, Envelope, Format, Gap, Region, Terminal
from unbraid.core.json_scan import BAD, DONE, EMPTY, VALUE, scan
from unbraid.core.json_text import escape
from unbraid.core.notation import rows

REQUIRED_JSON: Final = Format(
    name="json_required",
    about="calls as an array of JSON objects, forced by a grammar",
    tools=True,
    terminals=(Terminal("BRACKET", ("[",)),),
    regions=(
        CONTENT,
        FRESH,
        Region(
            "calls",
            Envelope(arguments=("parameters", "arguments"), shape="array", commit="arguments"),
            "call",
            trial="opening",
            at_end="text",
        ),
        Region("ended", Gap(touches=True), "content"),
    ),
    rows=(
        FRESH_ROW,
        *rows("""
            fresh  BRACKET  -> calls    keep
            calls  @closed  -> ended
            calls  @bad     -> content
            ended  @text    -> content
        """),
    ),
    unmarked=True,
)
"""`required`, as a tool half."""

Phase: TypeAlias = Literal["before", "inside", "behind", "content"]
"""before the arguments · inside them · behind them, with nothing but white space since · in content"""


@frozen
class Named:
    """Where the reducer stands: the scanner's `mode` and `nest` inside the arguments; `held`, white space of which the next
    code point decides what it is, with the tokens that count in it."""

    phase: Phase = "before"
    mode: int = VALUE
    nest: int = EMPTY
    held: str = ""
    tokens: int = 0


def named_call(name: str | None, named: Named, events: Events) -> tuple[Named, Events]:
    """`events` with the content read as the arguments of call 0, of the function `name`. None: nothing is forced.

    >>> named_call("now", Named(), (ContentChunk('{"a"', 4),))[1][1:]
    (ToolName(index=0, name='now', call_id=None, points=0, tokens=0), ArgumentsChunk(index=0, json='{"a"', points=4, tokens=0))
    """
    if name is None or named.phase == "content":
        return named, events
    work = _Work(name, named)
    for event in events:
        if isinstance(event, ContentChunk):
            work.read(event.text, event.tokens)
        else:
            work.other(event)
    return work.after(), tuple(work.out)


def named_end(name: str | None, named: Named) -> tuple[Named, Events]:
    """The stream is over."""
    if name is None:
        return named, ()
    work = _Work(name, named)
    work.end()
    return work.after(), tuple(work.out)


class _Work:
    """One step; `out` are the events that leave. Tokens count in the first event that is written after them."""

    def __init__(self, name: str, named: Named) -> None:
        self.out: list[Event] = []
        self._name = name
        self._phase: Phase = named.phase
        self._mode, self._nest = named.mode, named.nest
        self._held = named.held
        self._tokens = named.tokens

    def after(self) -> Named:
        return Named(self._phase, self._mode, self._nest, self._held, self._tokens)

    def read(self, text: str, tokens: int) -> None:
        self._tokens += tokens
        if self._phase in ("before", "behind"):
            text = self._gap(text)
        if text and self._phase == "inside":
            text = self._arguments(text)
        if text:
            self._content(text) if self._phase == "content" else self.read(text, 0)

    def other(self, event: Event) -> None:
        if not isinstance(event, Anomaly):
            self._release()
        self.out.append(event)

    def end(self) -> None:
        if self._phase == "inside":
            self.out += (Anomaly("truncated"), ToolCallEnd(0, complete=False))
        self._release()

    def _gap(self, text: str) -> str:
        """White space before or behind the arguments; what is left to be read."""
        rest = text.lstrip(WHITESPACE)
        self._held += text[: len(text) - len(rest)]
        if len(self._held) > GAP_CAP or (rest and not (self._phase == "before" and rest[0] == "{")):
            self._phase = "content"
            return self._unheld() + rest
        if rest:
            self._markup("framing", self._unheld())
            self.out += (ToolCallStart(0), ToolName(0, self._name))
            self._phase = "inside"
        return rest

    def _release(self) -> None:
        """Something else comes, or nothing more: held white space was content, or framing behind the call."""
        held = self._unheld()
        if self._phase == "behind":
            self._markup("framing", held)
        elif held:
            self._content(held)

    def _unheld(self) -> str:
        held, self._held = self._held, ""
        return held

    def _arguments(self, text: str) -> str:
        """What is left behind the arguments, if they end here."""
        place, size = 0, len(text)
        while place < size:
            start = place
            place, self._mode, self._nest = scan(text, start, size, self._mode, self._nest)
            self._json(text[start:place], place - start)
            if self._mode in (DONE, BAD):
                self._close()
                break
            if place < size:
                self.out.append(Anomaly("control_character", f"U+{ord(text[place]):04X}"))
                self._json(escape(text[place]), 1)
                place += 1
        return text[place:]

    def _close(self) -> None:
        complete = self._mode == DONE
        if not complete:
            self.out.append(Anomaly("malformed"))
        self.out.append(ToolCallEnd(0, complete))
        self._phase = "behind" if complete else "content"

    def _json(self, json: str, points: int) -> None:
        if json:
            self.out.append(ArgumentsChunk(0, json, points, self._counted()))

    def _markup(self, terminal: str, text: str) -> None:
        if text:
            self.out.append(Markup(terminal, text, len(text), self._counted()))

    def _content(self, text: str) -> None:
        self.out.append(ContentChunk(text, len(text), self._counted()))

    def _counted(self) -> int:
        tokens, self._tokens = self._tokens, 0
        return tokens
