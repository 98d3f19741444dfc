"""Steps by text in which no marker is, taken without the cursor.

    held + text = certain + rest          no literal in it; the rest may begin one
    state       = where the machine stands with nothing held, or what it is there behind `rest`

Texts of several tokens are new again and again, but where they lead is not: text that is certain leaves nothing in a state,
and a rest is the beginning of a literal. So the state is looked up, and only the event is made. What the cursor would give
is the same (`flow`): it is asked wherever the state is not known yet, and `learn` takes that from it.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.bind import Machine
from unbraid.core.events import Events
from unbraid.core.plain import made, plain_events
from unbraid.core.records import InStep, Visible
from unbraid.core.table import RegionTable

LIGHT: Final = 1 << 14
"""Longest text, in code points, that is searched here: a longer one is likely to hold a marker, and would be searched twice."""


def light_step(machine: Machine, state: InStep, text: str) -> tuple[InStep, Events] | None:
    """The step by `text`, of a text feed; None if the cursor must read it, or shall."""
    table = machine.text_table
    region = table.region(state.at.region)
    if region.flows:
        return _flow_on(region, state, text) if len(text) <= LIGHT else None
    events = plain_events(table, state, text, text)
    return None if events is None else (state, events)


def _flow_on(region: RegionTable, state: InStep, text: str) -> tuple[InStep, Events] | None:
    base = _base(state)
    if base is None or base.steps is None:
        return None
    buf, words = state.hold + text, region.lexicon
    if words.leftmost(buf, 0) is not None:
        return None
    place = words.tail(buf, 0)
    events = (made(region, base, buf[:place], 0),) if place else ()
    if place == len(buf):
        return base, events
    after, more = base.steps.get(buf[place:], (None, ()))
    return (after, events) if isinstance(after, InStep) and not more else None


def learn(machine: Machine, state: InStep, after: Visible) -> None:
    """The cursor led from `state` to `after`."""
    base = _base(state) if machine.text_table.regions[state.at.region].flows else None
    if base is None or base.steps is None:
        return
    if not isinstance(after, InStep) or not after.hold or after.settled != []:
        return
    stays = after.at == base.at and after.call == base.call and after.calls == base.calls
    if stays and after.thinking == base.thinking and not (after.trial or after.edge or after.marks):
        after.settled.append(base)
        base.steps[after.hold] = (after, ())


def _base(state: InStep) -> InStep | None:
    """Where the machine stands with nothing held, if it reads text there and that is known."""
    if state.plain is not None:
        return state
    return state.settled[0] if state.settled else None
