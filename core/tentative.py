"""Blocks that count as a whole: a trial as long as the block, read at the cost of any other text.

All of a block is kept until it ends, so a state that held it would be new with every token, and no step could be looked up.
Therefore a state inside a block is two things:

    place       where reading goes on: the state without what was read of the block; it recurs as other states do
    recent,     what each step read (`Passed`), in order: a short tuple, put into a rope when it is full
    past

A step is the place's own: it leads to another place and passes something, the same in every block. A step that refuses the
trial is taken again from the `whole` state; that happens once for a block, so work stays linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final

from unbraid.core.bind import Machine
from unbraid.core.events import Anomaly, Events
from unbraid.core.feeds import Arrived, arriving
from unbraid.core.pieces import append_all
from unbraid.core.plain import plain_events
from unbraid.core.reading import drive, pack, read
from unbraid.core.records import InStep, Passed, Past, Place, Tentative, Trial, Visible
from unbraid.core.run import Run

RECENT: Final = 32
"""Steps whose passed text stands in the short tuple."""

_EVENTS: Final[Callable[[Passed], Events]] = attrgetter("events")
_MARKS: Final[Callable[[Passed], tuple[int, ...]]] = attrgetter("marks")


def grown(state: Tentative, place: Place, passed: Passed) -> Tentative:
    """`state` a step later."""
    recent = state.recent
    if len(recent) < RECENT:
        return Tentative(place, (*recent, passed), state.past)
    return Tentative(place, (passed,), _past(state.past, recent))


def pass_on(state: Tentative, ids: Sequence[int]) -> tuple[Tentative, int]:
    """Take the steps by `ids` that were taken before, while they stay in the block; the state behind, and how many."""
    place, passed = state.place, list(state.recent)
    size = len(passed)
    for token in ids:
        known = place.passes.get(token)
        if known is None:
            break
        place = known[0]
        passed.append(known[1])
    count, past = len(passed) - size, state.past
    while len(passed) > RECENT:  # as `grown` does it, one by one
        past, passed = _past(past, passed[:RECENT]), passed[RECENT:]
    return Tentative(place, tuple(passed), past) if count else state, count


def _past(past: Past, passed: Sequence[Passed]) -> Past:
    """`past`, with `passed` behind it."""
    return Past(append_all(past.passed, passed), past.tokens + sum(map(len, map(_MARKS, passed))))


def step_on(machine: Machine, state: Tentative, key: int | str) -> tuple[Visible, Events]:
    """One id or a text more."""
    known = (state.place.passes.get(key) if machine.keeps(key) else None) or _plain(machine, state.place, key)
    if known is not None:
        return grown(state, *known), ()
    arrived = (state.feed, key, []) if isinstance(key, str) else arriving(machine, state.feed, (key,))
    return read_on(machine, state, arrived, key=key)


def _plain(machine: Machine, place: Place, key: int | str) -> tuple[Place, Passed] | None:
    here = place.here
    text = key if isinstance(key, str) else None if key in machine.ids_table.sentinels else machine.text_of(key)
    events = None if text is None else plain_events(machine.table(here.feed), here, key, text)
    if text is None or events is None:
        return None
    passed = Passed(text, () if isinstance(key, str) else (0,), events)
    if machine.keeps(key):
        machine.pool.remember_pass(place, key, place, passed)
    return place, passed


def read_on(
    machine: Machine, state: Visible, arrived: Arrived, odd: Sequence[Anomaly] = (), key: int | str | None = None
) -> tuple[Visible, Events]:
    """Read what arrived wherever `state` stands, in a block or not. `key`: what a step in a block is remembered by."""
    feed, text, marks = arrived
    if isinstance(state, InStep):
        return read(machine, state, feed, text, marks, odd)
    if not text and not marks and not odd and feed == state.feed:
        return state, ()
    run = Run(machine, machine.table(feed), state.place.here, text, marks)
    run.out.extend(odd)
    drive(run)
    if run.outcome == "refused":
        return read(machine, whole(state), feed, text, marks, odd)
    after = pack(run, feed)
    if run.outcome or not isinstance(after, Tentative):
        return after, tuple(chain(chain.from_iterable(map(_EVENTS, _all(state))), run.events()))
    if key is not None and machine.keeps(key):
        machine.pool.remember_pass(state.place, key, after.place, after.recent[0])
    return grown(state, after.place, after.recent[0]), ()


def _all(state: Tentative) -> Iterator[Passed]:
    return chain(chain.from_iterable(state.past.passed), state.recent)


def whole(state: Visible) -> InStep:
    """The state with all that was read in its trial."""
    if isinstance(state, InStep):
        return state
    here = state.place.here
    passed = tuple(_all(state))
    return InStep(
        here.at,
        here.feed,
        here.calls,
        here.call,
        here.thinking,
        here.edge,
        None if here.trial is None else _full(here.trial, passed),
        here.hold,
        here.marks,
    )


def _full(trial: Trial, passed: Sequence[Passed]) -> Trial:
    raw, marks = "".join(one.raw for one in passed), tuple(_places(passed))
    events = tuple(chain.from_iterable(map(_EVENTS, passed)))
    return Trial(
        trial.kind,
        trial.region,
        trial.entry,
        trial.before,
        (raw,) if raw else (),
        (marks,) if marks else (),
        (events,) if events else (),
    )


def _places(passed: Iterable[Passed]) -> Iterator[int]:
    """Where tokens begin, from the beginning of the trial."""
    size = 0
    for one in passed:
        for mark in one.marks:
            yield size + mark
        size += len(one.raw)
