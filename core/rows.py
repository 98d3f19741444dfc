"""Taking a row: what happens at a marker.

The order of events is the same everywhere: the captured text, the end of the value, `end`, the end of reasoning, `call`,
the row's anomaly, and only then the marker itself as markup, with its framing before it.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.elements import close_tree
from unbraid.core.events import ToolCallStart, ToolName
from unbraid.core.grammar import Capture, Gap, Row, Test, Value
from unbraid.core.records import DROPPED, At, Call, InCapture, InEnvelope, InGap, InJson, InTree, InValue
from unbraid.core.run import Run
from unbraid.core.table import SPECIAL, RegionTable
from unbraid.core.trials import accept, begin, refuse
from unbraid.core.values import close_arguments, close_value, open_value, slot, waits_for_its_end

_OPEN_ENDED: Final = (InJson, InEnvelope, InTree)
"""Places of arguments that are not whole before their own last code point."""


def lexeme(run: Run, terminal: str, before: int, size: int, captured: int = 0) -> None:
    """A live literal stands at the cursor behind `captured` code points: `size` code points, `before` of them framing."""
    if terminal == SPECIAL:
        run.markup("framing", before)
        run.markup(SPECIAL, size - before)
        return
    row = row_for(run, terminal)
    if row is None:
        refuse(run, run.pos + captured)
    else:
        take_row(run, row, terminal, before, size - before, captured)


def row_for(run: Run, on: str) -> Row | None:
    """The first row of this place for terminal `on` whose conditions hold."""
    for row in run.region.rows.get(on, ()):
        if row.when and not all(_holds(run, test) for test in row.when):
            continue
        if "call" not in row.do or not _declines(run):
            return row
    return None


def _holds(run: Run, test: Test) -> bool:
    return _matches(run, test) is not test.negate


def _matches(run: Run, test: Test) -> bool:
    value = _slot(run, test.slot)
    if value is None:
        return False
    if test.part == "new_key":
        return run.call is not None and value not in run.call.keys and run.machine.declares(run.call.name, value)
    if test.part == "known_tool":
        return run.machine.offers(value)
    if test.part == "first_segment":
        value = value.split(".", 1)[0]
    return not test.among or value in test.among


def _slot(run: Run, name: str) -> str | None:
    at = run.at
    if isinstance(at, InCapture) and name in ("from", "mark"):
        return at.origin if name == "from" else at.mark
    return slot(run.slots, name)


def _declines(run: Run) -> bool:
    """A call without a name is none; a call of a tool that is not offered is text, if the format or the policy says so and
    it can still be text."""
    if run.trial is None:
        return False
    name = slot(run.slots, "name")
    return not name or (run.machine.unknown_is_text and not run.machine.offers(name))


def take_row(run: Run, row: Row, terminal: str, before: int, size: int, captured: int = 0) -> None:
    """Go where `row` leads. At the cursor: `captured` code points, `before` of framing, `size` of the marker."""
    target = run.region if row.to == "@same" else run.table.regions[row.to]
    if target.trial or run.trial is not None:
        _tentative(run, target, before + size)
    _leave(run, row, target, captured)
    origin = run.region.name
    if row.odd:
        run.anomaly(row.odd)
    if not row.keep:
        if before:
            run.markup("framing", before)
        run.markup(terminal, size)
        run.edge = run.table.after.get(terminal, ())
    if row.to != "@same":
        enter(run, target, origin, terminal)


def _tentative(run: Run, target: RegionTable, entry: int) -> None:
    if run.trial is None:
        if target.trial and target is not run.region:
            begin(run, target, entry)
    elif not target.trial:
        accept(run)


def _leave(run: Run, row: Row, target: RegionTable, captured: int) -> None:
    """Everything that must happen before the marker itself."""
    do = row.do
    if captured and "call" not in do:
        if row.release:
            _release(run, target, captured)
        else:
            run.markup("syntax", captured)
    if isinstance(run.at, InValue) and not isinstance(target.kind, Value) and not _may_go_on(run):
        close_value(run)
    if "end" in do or (isinstance(run.at, _OPEN_ENDED) and target is not run.region):
        _end(run)
    if run.thinking and target.channel in ("content", "call"):
        run.end_reasoning()
    if "call" in do:
        announce(run, captured)


def _may_go_on(run: Run) -> bool:
    """Did the open value's closer just begin a trial? The value is closed when that is accepted; typing it before would be
    work for every refused closer."""
    trial = run.trial
    return trial is not None and trial.kind == "closing" and trial.before.at is run.at and waits_for_its_end(run.at)


def _release(run: Run, target: RegionTable, captured: int) -> None:
    """What was captured is text after all."""
    if target.channel == "reasoning":
        run.reasoning(captured)
    else:
        run.end_reasoning()
        run.content(captured)


def _end(run: Run) -> None:
    if isinstance(run.at, InTree):
        if run.call is not None:
            run.end_call(complete=close_tree(run))
    elif isinstance(run.at, InJson | InEnvelope):
        run.end_call(complete=False)
    else:
        close_arguments(run)
        run.end_call(complete=True)


def announce(run: Run, captured: int) -> None:
    """A call is certain; the next `captured` code points hold its name, or are behind it."""
    name, call_id = slot(run.slots, "name") or "", slot(run.slots, "id")
    if name not in run.source(run.pos, run.pos + captured):
        run.markup("syntax", captured)
        captured = 0
    begin_call(run, name, call_id, captured)
    run.slots = tuple(pair for pair in run.slots if pair[0] not in ("name", "id"))


def begin_call(run: Run, name: str, call_id: str | None, size: int) -> None:
    """Announce the call; the next `size` code points are its name. A call that is dropped has no index."""
    known = run.machine.offers(name)
    if not known and run.machine.policies.unknown_tool == "drop":
        run.call = Call(DROPPED, name)
        run.markup("stray", size)
    else:
        run.out.append(ToolCallStart(run.calls))
        text, tokens = run.take(size)
        run.out.append(ToolName(run.calls, name, call_id, len(text), tokens))
        run.call = Call(run.calls, name)
        run.calls += 1
    if not known:
        run.anomaly("unknown_tool", name)


def enter(run: Run, target: RegionTable, origin: str, mark: str) -> None:
    """Stand in `target`."""
    if isinstance(target.kind, Value):
        if isinstance(run.at, InValue):
            run.go(InValue(target.name, run.at.shape))
        else:
            open_value(run, target.name)
        run.slots = ()
        return
    run.at, run.region = _place(run, target, origin, mark), target


def _place(run: Run, target: RegionTable, origin: str, mark: str) -> At:
    kind = target.kind
    if isinstance(kind, Capture):
        return InCapture(target.name, run.slots, origin, mark)
    if run.slots:
        if isinstance(kind, Gap) and target.channel != "content":
            return InGap(target.name, run.slots)
        run.slots = ()
    return target.begun
