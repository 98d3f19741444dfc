"""An output on its way to another server's message: the strands as their source has them, and what each call was.

    draft = read_draft(raw, events, form, name_call)

Events say what text is and leave out what frames it. Other servers keep some of that white space, and give the output back
as it was written where a call fails, so both are found again here: white space that is framing belongs to the place it
stands in, and `rest` is the source that is no reasoning nor marks it, which is all that their tool parsers see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import frozen

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Markup,
    ReasoningChunk,
    ReasoningStart,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
    merge,
)
from unbraid.core.grammar import Format
from unbraid.shell.call_ids import NameCall
from unbraid.shell.finish_reasons import FinishReason
from unbraid.shell.messages import ToolCall, message
from unbraid.shell.surrogates import clean_text

Repeats: TypeAlias = tuple[tuple[str, str], ...]
"""Arguments that were given again: the key, and the text of the later value."""


@frozen
class Strands:
    """Reasoning, content in front of the first call, content behind it."""

    thought: str = ""
    before: str = ""
    after: str = ""


@frozen
class Draft:
    """A message that is being made. `framed`: the strands with the white space that is framing. `repeats`: of each call.
    `called`: the content is one beside calls. `odd`: the kinds of anomalies. `empty`: what stands for no content."""

    rest: str
    strands: Strands
    framed: Strands
    calls: tuple[ToolCall, ...] = ()
    repeats: tuple[Repeats, ...] = ()
    empty: str | None = None
    finish: FinishReason = "stop"
    reasoning_key: str = "reasoning_content"
    stop_key: str = "stop_reason"
    stop: str | int | None = None
    called: bool = False
    odd: frozenset[str] = frozenset()


def read_draft(raw: str, events: Iterable[Event], form: Format, name_call: NameCall) -> Draft:
    """The draft that `events` amount to. `raw`: the source that they account for; `name_call`: as in `message`."""
    known = merge(tuple(events))
    walk = _Walk(raw, form)
    for event in known:
        walk.add(event)
    said = message(known, name_call)
    return Draft(
        walk.rest(),
        walk.strands(framed=False),
        walk.strands(framed=True),
        said.tool_calls,
        tuple(tuple(walk.repeats.get(place, ())) for place in range(len(said.tool_calls))),
        called=bool(said.tool_calls),
        odd=frozenset(odd.kind for odd in said.anomalies),
    )


def _turns(form: Format) -> Mapping[tuple[str, str], str]:
    """(channel, terminal) -> the channel behind it."""
    channels = {region.name: region.channel for region in form.regions}
    return {
        (channels[row.region], row.on): channels[row.to]
        for row in form.rows
        if row.region in channels and row.to in channels
    }


class _Walk:
    """Follows the events. `place`: the channel they stand in, "" until it is known."""

    def __init__(self, raw: str, form: Format) -> None:
        self.repeats: dict[int, list[tuple[str, str]]] = {}
        self._raw = raw
        self._turns = _turns(form)
        self._at = 0
        self._rest: list[str] = []
        self._place = ""
        self._called = False
        self._pieces: list[tuple[str, bool, str]] = []
        self._early = ""
        self._call = 0
        self._again: str | None = None

    def rest(self) -> str:
        """The source that is no reasoning, nor marks it."""
        return clean_text("".join(self._rest))

    def strands(self, *, framed: bool) -> Strands:
        """The text of each, with what is framing or without."""
        found = {"reasoning": "", "content": "", "after": ""}
        for name in found:
            found[name] = "".join(text for strand, frames, text in self._pieces if strand == name and frames <= framed)
        return Strands(*(clean_text(text) for text in found.values()))

    def add(self, event: Event) -> None:
        before, self._at = self._at, self._at + event.points
        marks = False
        match event:
            case ReasoningStart():
                self._enter("reasoning")
            case ReasoningChunk(text=text):
                self._enter("reasoning")
                self._write(text, frames=False)
            case ContentChunk(text=text):
                self._enter("content")
                self._write(text, frames=False)
            case ToolCallStart():
                self._enter("call")
                self._called = True
            case ToolName(index=index):
                self._call = index
            case Markup():
                marks = self._markup(event)
            case _:
                pass
        if not marks and self._place != "reasoning":
            self._rest.append(self._raw[before : self._at])
        self._repeat(event)

    def _markup(self, event: Markup) -> bool:
        """Does it mark where reasoning begins or ends?"""
        if event.terminal == "framing":
            self._write(event.text, frames=True)
        if not event.terminal.isupper():
            return False
        if not self._place:
            ends = self._turns.get(("reasoning", event.terminal)) == "content"
            self._enter("reasoning" if ends else "content")
        source, target = self._place, self._turns.get((self._place, event.terminal), self._place)
        self._enter(target)
        return target == "reasoning" or (source, target) == ("reasoning", "content")

    def _enter(self, place: str) -> None:
        """The channel is `place` from here on."""
        if place == self._place:
            return
        if place == "reasoning" and not self._place:
            self._rest.clear()  # white space in front of it
        early, self._early, self._place = self._early, "", place
        self._write(early, frames=True)

    def _write(self, text: str, *, frames: bool) -> None:
        if not self._place:
            self._early += text
        elif self._place == "content":
            self._pieces.append(("after" if self._called else "content", frames, text))
        elif self._place == "reasoning":
            self._pieces.append(("reasoning", frames, text))

    def _repeat(self, event: Event) -> None:
        """A later value of an argument stands as stray text behind the anomaly that reports it."""
        if isinstance(event, Anomaly) and event.kind == "duplicate_key":
            self._again = event.text
            return
        if self._again is None:
            return
        if isinstance(event, Markup) and event.terminal == "stray":
            self.repeats.setdefault(self._call, []).append((self._again, event.text))
            self._again = None
        elif isinstance(event, ArgumentsChunk | ToolCallEnd):
            self._again = None
