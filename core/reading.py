"""Reading new text: the slow path, and the only one that moves.

    while the framing behind the last marker is decided, and the region's handler moves: go on

Each kind of place has one handler; it reads what is there, takes at most one row, and says whether it moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from unbraid.core.bind import Machine
from unbraid.core.braces import braces
from unbraid.core.captures import capture, read_fields
from unbraid.core.envelope import envelope
from unbraid.core.events import Anomaly, Event, Events
from unbraid.core.flow import flow
from unbraid.core.gaps import gap
from unbraid.core.grammar import Capture
from unbraid.core.payload import payload
from unbraid.core.pieces import join, join_all
from unbraid.core.plain import plain_table
from unbraid.core.pool import recurs
from unbraid.core.python_calls import python_calls
from unbraid.core.records import (
    At,
    Behind,
    Feed,
    InBraces,
    InCalls,
    InCapture,
    InEnvelope,
    InGap,
    InJson,
    InStep,
    InText,
    InTree,
    InValue,
    ParserState,
    Passed,
    Past,
    Tentative,
    TextFeed,
    Trial,
    Visible,
    Within,
)
from unbraid.core.run import Run
from unbraid.core.tree import tree
from unbraid.core.trials import suspend

HANDLERS: Final[dict[type, Callable[[Run], bool]]] = {
    InText: flow,
    InValue: flow,
    InGap: gap,
    InCapture: capture,
    InJson: payload,
    InEnvelope: envelope,
    InTree: tree,
    InCalls: python_calls,
    InBraces: braces,
}


def read(
    machine: Machine, state: InStep, feed: Feed, text: str, marks: list[int], odd: Sequence[Anomaly] = ()
) -> tuple[Visible, Events]:
    """Read `text`, in which tokens begin at `marks`, and be in `feed` behind it."""
    if not text and not marks and not odd and feed == state.feed:
        return state, ()
    run = Run(machine, machine.table(feed), state, text, marks)
    run.out.extend(odd)
    drive(run)
    if _stayed(run, state, feed):
        return state, run.events()
    after = pack(run, feed)
    if state.steps is None and after.steps is None and after == state:
        after = state
    return after, run.events()


def _stayed(run: Run, state: InStep, feed: Feed) -> bool:
    """Did the text settle where the cursor stood, so that nothing changed but what was emitted?"""
    return (
        run.at is state.at
        and run.pos == len(run.buf)
        and run.trial is None
        and run.call is state.call
        and run.thinking is state.thinking
        and run.calls == state.calls
        and not (run.edge or state.edge or state.hold or state.marks or state.trial)
        and run.mark == len(run.marks)
        and feed is state.feed
    )


def drive(run: Run) -> None:
    """Move from region to region until the text is settled or more input is needed."""
    while (not run.edge or _framed(run)) and HANDLERS[run.at.__class__](run):
        pass


def _framed(run: Run) -> bool:
    """Take the framing behind the last marker. False: more input decides how much."""
    rest, found = run.buf[run.pos : run.pos + 1 + max(map(len, run.edge))], 0
    for literal in run.edge:
        if rest.startswith(literal):
            found = max(found, len(literal))
        elif literal.startswith(rest) and not run.final:
            return False
    run.edge = ()
    run.markup("framing", found)
    return True


def pack(run: Run, feed: Feed) -> Visible:
    """The state at the end of a step."""
    trial = suspend(run)
    block = trial is not None and trial.kind == "block"
    hold, here = run.buf[run.pos :], run.pos
    marks = tuple([mark - here for mark in run.marks[run.mark :]]) if run.mark < len(run.marks) else ()
    plain = None
    settled = isinstance(feed, TextFeed) or not (feed.pending or feed.blank)
    if settled and (trial is None or block) and not (hold or marks or run.edge):
        plain = plain_table(run, by_id=feed.__class__ is not TextFeed)
    if trial is not None and block:
        return _apart(run, feed, trial, hold, marks, plain)
    state = InStep(run.at, feed, run.calls, run.call, run.thinking, run.edge, trial, hold, marks, plain, {}, [])
    return run.machine.pool.keep(state) if recurs(state) else _alone(state)


def _apart(
    run: Run, feed: Feed, trial: Trial, hold: str, marks: tuple[int, ...], plain: dict[int | str, Event] | None
) -> Tentative:
    """A state in a block: where it stands, and what was read of the block."""
    head = Trial(trial.kind, trial.region, trial.entry, trial.before)
    here = InStep(run.at, feed, run.calls, run.call, run.thinking, run.edge, head, hold, marks, plain)
    passed = Passed(join(trial.raw), join_all(trial.marks), tuple(chain.from_iterable(trial.events)))
    return Tentative(run.machine.pool.place(here), (passed,), Past())


def _alone(state: InStep) -> InStep:
    """A state whose steps are not kept."""
    return InStep(
        state.at,
        state.feed,
        state.calls,
        state.call,
        state.thinking,
        state.edge,
        state.trial,
        state.hold,
        state.marks,
        state.plain,
    )


def adopt(machine: Machine, state: ParserState) -> ParserState:
    """A state that comes from elsewhere (a snapshot), with this machine's tables."""
    if isinstance(state, Within):
        return Within(_adopted(machine, state.base), state.queue, state.shown, state.ahead)
    return Behind(_adopted(machine, state.base), state.queue) if isinstance(state, Behind) else _adopted(machine, state)


def _adopted(machine: Machine, state: Visible) -> Visible:
    here = state if isinstance(state, InStep) else state.place.here
    known = pack(Run(machine, machine.table(here.feed), here, "", []), here.feed)
    if isinstance(state, Tentative) and isinstance(known, Tentative):
        return Tentative(known.place, state.recent, state.past)
    return known


def begin_at(machine: Machine, at: At, feed: Feed, calls: int = 0) -> Visible:
    """Standing at `at` with nothing read."""
    return pack(Run(machine, machine.table(feed), InStep(at, feed, calls), "", []), feed)


def begin_behind(machine: Machine, feed: Feed, region: str, rest: str) -> Visible:
    """Read the rest of the prompt from `region`, as text, and keep only where that leads."""
    before = InStep(machine.text_table.regions[region].begun, TextFeed(), edge=_edge(machine, region))
    state, _ = read(machine, before, TextFeed(), rest, [])
    if isinstance(state, Tentative):
        state = state.place.here
    if state.trial is not None:
        spot = state.trial.before
        state = InStep(spot.at, TextFeed(), spot.calls, spot.call)
    at = state.at
    kind = machine.text_table.regions[at.region].kind
    if isinstance(at, InCapture) and isinstance(kind, Capture):
        at = InCapture(at.region, (*at.slots, *read_fields(kind.fields, state.hold)), at.origin, at.mark)
    edge = state.edge if not state.hold else ()
    kept = InStep(at, feed, state.calls, state.call, edge=edge)
    return pack(Run(machine, machine.table(feed), kept, "", []), feed)


def _edge(machine: Machine, region: str) -> tuple[str, ...]:
    """The framing that may follow the marker that led to `region`."""
    rows = (row for row in machine.format.rows if row.to == region)
    after = machine.text_table.after
    return next((after[row.on] for row in rows if row.on in after), ())
