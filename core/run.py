"""One step's cursor: the only object in the core that changes, alive during one step and seen by nobody else.

It holds the text not settled yet (`buf`, from `pos`), where tokens begin in it (`marks`), the state's parts as local
variables, and the events so far. Everything that leaves goes through `take`, which counts code points and tokens, so
the events tile the source by construction (law 2).

While a trial is open, `out` is the trial's own list; `accept` appends it to the outer one, `refuse` throws it away and
puts the cursor back to where the trial began (see `trials`). While an envelope waits for a call's name, `out` collects
what must come behind it, and `parked` is the list to go back to (see `envelope`).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    Markup,
    ReasoningChunk,
    ReasoningEnd,
    ReasoningStart,
    ToolCallEnd,
)
from unbraid.core.json_text import escape
from unbraid.core.records import DROPPED, At, Call, InCapture, InGap, InStep, Slots, Spot, Trial
from unbraid.core.table import SHARED, RegionTable, Table

if TYPE_CHECKING:
    from unbraid.core.bind import Machine


class Run:
    """The cursor of one step. `final`: no more input will come."""

    __slots__ = (
        "at",
        "base",
        "buf",
        "call",
        "calls",
        "dead",
        "edge",
        "final",
        "machine",
        "mark",
        "marks",
        "out",
        "outcome",
        "parked",
        "pos",
        "region",
        "slots",
        "sources",
        "table",
        "thinking",
        "trial",
        "trial_start",
    )

    def __init__(self, machine: Machine, table: Table, state: InStep, text: str, marks: list[int]) -> None:
        self.machine = machine
        self.table = table
        self.at: At = state.at
        self.region: RegionTable = table.region(state.at.region)
        self.calls = state.calls
        self.call: Call | None = state.call
        self.thinking = state.thinking
        self.edge: tuple[str, ...] = state.edge
        self.slots: Slots = state.at.slots if isinstance(state.at, InGap | InCapture) else ()
        self.trial: Trial | None = state.trial
        self.trial_start = 0
        self.buf = state.hold + text
        size = len(state.hold)
        self.marks: list[int] = [*state.marks, *(size + mark for mark in marks)] if size else [*state.marks, *marks]
        self.mark = 0
        self.pos = 0
        self.dead = 0
        self.final = False
        self.base: list[Event] = []
        self.outcome = ""  # of the trial that was open when the step began: accepted, refused
        self.parked: list[Event] | None = None
        self.sources: list[str] = []
        self.out: list[Event] = self.base if state.trial is None else []

    # -- leaving the buffer ------------------------------------------------------------------------------------------

    def take(self, size: int) -> tuple[str, int]:
        """The next `size` code points of the buffer as source text, and the tokens that begin in them."""
        end = self.pos + size
        text = self.buf[self.pos : end]
        self.pos = end
        tokens = self._passed(end) if self.marks else 0
        expand = self.table.expand
        return (text if expand is None else text.translate(expand)), tokens

    def _passed(self, end: int) -> int:
        first = self.mark
        self.mark = bisect_left(self.marks, end, first)
        return self.mark - first

    def rewind(self, place: int) -> None:
        """Go back (or forth) to `place`."""
        self.pos = place
        self.mark = bisect_left(self.marks, place)

    def source(self, start: int, stop: int) -> str:
        """A part of the buffer as source text."""
        text, expand = self.buf[start:stop], self.table.expand
        return text if expand is None else text.translate(expand)

    # -- events ------------------------------------------------------------------------------------------------------

    def markup(self, terminal: str, size: int) -> None:
        """The next `size` code points are nobody's."""
        if size:
            text, tokens = self.take(size)
            if size <= SHARED:
                self.out.append(self.table.markup(terminal, text, tokens))
            else:
                self.dropped(terminal, text, tokens)

    def dropped(self, terminal: str, text: str, tokens: int) -> None:
        """Source text that was taken before turns out to be nobody's."""
        if text or tokens:
            self.out.append(Markup(terminal, text, len(text), tokens))

    def text(self, size: int) -> None:
        """The next `size` code points are text of the region's channel."""
        if not size:
            return
        channel = self.region.channel
        if channel == "reasoning":
            self.reasoning(size)
        elif channel == "content":
            self.content(size)
        else:
            self.markup("stray", size)

    def content(self, size: int) -> None:
        """The next `size` code points are content."""
        text, tokens = self.take(size)
        self.out.append(ContentChunk(text, len(text), tokens))

    def reasoning(self, size: int) -> None:
        """The next `size` code points are reasoning."""
        if not self.thinking:
            self.thinking = True
            self.out.append(ReasoningStart())
        text, tokens = self.take(size)
        self.out.append(ReasoningChunk(text, len(text), tokens))

    def end_reasoning(self) -> None:
        """Reasoning is over, if it was open."""
        if self.thinking:
            self.thinking = False
            self.out.append(ReasoningEnd())

    def anomaly(self, kind: str, text: str = "") -> None:
        """Report a fact."""
        self.out.append(Anomaly(kind, text))

    def arguments(self, json: str, source: str = "", tokens: int = 0) -> None:
        """A piece of the arguments of the open call, or of the next one, that stands for `source` (taken before)."""
        index = self.calls if self.call is None else self.call.index
        if index == DROPPED:
            self.dropped("stray", source, tokens)
        else:
            self.out.append(ArgumentsChunk(index, json, len(source), tokens))
            if self.parked is not None:
                self.sources.append(source)

    def verbatim(self, size: int) -> None:
        """The next `size` code points are arguments as they stand."""
        if size:
            text, tokens = self.take(size)
            self.arguments(text, text, tokens)

    def escaped(self, size: int) -> None:
        """The next `size` code points are the inside of a string whose JSON we write."""
        if size:
            text, tokens = self.take(size)
            self.arguments(escape(text), text, tokens)

    def end_call(self, *, complete: bool) -> None:
        """The open call is over."""
        if self.call is not None:
            if self.call.index != DROPPED:
                self.out.append(ToolCallEnd(self.call.index, complete))
            self.call = None

    def break_off(self, kind: str) -> None:
        """The open call, if one is, ends before its arguments do."""
        if self.call is not None:
            self.anomaly(kind)
            self.end_call(complete=False)

    # -- places ------------------------------------------------------------------------------------------------------

    def go(self, at: At) -> None:
        """Stand at `at`."""
        self.at = at
        self.region = self.table.regions[at.region]

    def spot(self) -> Spot:
        """Where the cursor stands, to come back to."""
        return Spot(self.at, self.calls, self.call, self.thinking)

    def restore(self, spot: Spot) -> None:
        """Stand there again."""
        self.go(spot.at)
        self.calls, self.call, self.thinking = spot.calls, spot.call, spot.thinking
        self.slots = spot.at.slots if isinstance(spot.at, InGap | InCapture) else ()
        self.edge = ()

    def events(self) -> Events:
        """What this step emits."""
        return tuple(self.base)
