"""Steps that were taken before: the machine as an automaton that builds itself.

States are values and steps are pure, so a step taken once can be looked up: `state.steps` maps an id (or a short text) to
what `step` returned. Equal states are one object (`keep`), so the look-ups meet again: the same markers in the same place
lead to the same states, in this request and in the next. The table holds nothing that the slow path would not give; it
is a cache of a pure function.

A pool belongs to a machine and is bounded: after `ROOM` entries it starts anew. States that hold long text are not kept.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.events import Events
from unbraid.core.records import (
    At,
    InBraces,
    InCalls,
    InEnvelope,
    InJson,
    InStep,
    InText,
    InTree,
    InValue,
    Passed,
    Place,
    Tentative,
    Trial,
    Undecided,
    Visible,
    Wrapped,
)

ROOM: Final = 1 << 17
"""Most states and steps of a pool."""

TEXTS: Final = 8192
"""Most texts by which steps of a state are kept: new ones come for ever, where deltas are longer than a token."""

HOLD_CAP: Final = 128
"""Longest text, in code points, that a kept state may hold."""

RAW_KEPT: Final = 16
"""Longest raw value, in code points, of a kept state."""

KEYS_KEPT: Final = 16
"""Most argument keys of a kept state's call."""

NEST_KEPT: Final = 1 << 60
"""Open brackets, in bits, of a kept state: Python's hashes of greater numbers of that kind are all the same few."""


class Pool:
    """The kept states of a machine, and room for more."""

    __slots__ = ("places", "room", "states")

    def __init__(self) -> None:
        self.states: dict[InStep, InStep] = {}
        self.places: dict[InStep, Place] = {}
        self.room = ROOM

    def keep(self, state: InStep) -> InStep:
        """The one object that stands for `state`."""
        if state.steps is None:
            return state
        known = self.states.get(state)
        if known is not None:
            return known
        self._take_room()
        self.states[state] = state
        return state

    def place(self, here: InStep) -> Place:
        """The one place where `here` stands, or, where that does not recur, a new one."""
        if not recurs(here):
            return Place(here)
        known = self.places.get(here)
        if known is None:
            self._take_room()
            known = self.places[here] = Place(here)
        return known

    def _take_room(self) -> None:
        if self.room <= 0:
            self.states, self.places, self.room = {}, {}, ROOM
        self.room -= 1

    def remember(self, state: InStep, key: int | str, after: Visible, events: Events) -> None:
        """`key` leads from `state` to `after`."""
        steps = state.steps
        if steps is None or self.room <= 0 or (after.steps is None and not isinstance(after, Tentative)):
            return
        if isinstance(key, int) or len(steps) < TEXTS:
            steps[key] = (after, events)
            self.room -= 1

    def remember_pass(self, place: Place, key: int | str, after: Place, passed: Passed) -> None:
        """`key` leads from `place` to `after`, in the same trial."""
        if self.room > 0:
            place.passes[key] = (after, passed)
            self.room -= 1


def recurs(state: InStep) -> bool:
    """May this state be met again? Not if it holds long text."""
    if len(state.hold) > HOLD_CAP or (state.call is not None and len(state.call.keys) > KEYS_KEPT):
        return False
    if state.call is not None and state.call.kept is not None and len(state.call.kept.raw) > RAW_KEPT:
        return False
    at = state.at
    if isinstance(at, InText):
        return _short(state.trial)
    if _nest(at) >= NEST_KEPT:
        return False
    if isinstance(at, InEnvelope):
        return at.late is None and _short(state.trial)
    if isinstance(at, InTree) and sum(1 + len(branch.keys) for branch in at.branches) > KEYS_KEPT:
        return False
    return _raw(at) <= RAW_KEPT and _short(state.trial)


def _nest(at: At) -> int:
    """The open brackets."""
    if isinstance(at, InCalls | InBraces):
        return at.nest
    if isinstance(at, InEnvelope):
        argument = at.member.argument
        return max(at.member.nest, argument.nest, argument.inner_nest)
    return max(at.argument.nest, at.argument.inner_nest) if isinstance(at, InJson) else 0


def _raw(at: At) -> int:
    """Code points of a value that is not decided."""
    shape = at.shape if isinstance(at, InValue) else at.leaf.shape if isinstance(at, InTree) and at.leaf else None
    return sum(map(len, shape.raw)) if isinstance(shape, Undecided | Wrapped) else 0


def _short(trial: Trial | None) -> bool:
    if trial is None:
        return True
    return _raw(trial.before.at) <= RAW_KEPT and sum(map(len, trial.raw)) <= HOLD_CAP
