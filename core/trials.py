"""Trials: reading on without being sure, and taking it back.

An opener is provisional until the commit point of its call; a value's closer counts only if something may follow it; some
blocks count as a whole or not at all. All three are a *trial*: the older place is remembered, events are kept back, and

    accept   they leave, in order
    refuse   they are forgotten; the marker that began the trial is text of the older region, and so is what followed it,
             except that markers other than openers count in it; reading goes on where the trial failed

Refused text is read once more with its openers dead, so every code point is read at most twice (law 8).
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from unbraid.core.events import Event, Events, Markup, merge
from unbraid.core.grammar import Gap
from unbraid.core.pieces import append, append_all, join, join_all
from unbraid.core.records import InText, InValue, Trial
from unbraid.core.run import Run
from unbraid.core.table import RegionTable
from unbraid.core.values import close_value, value_text, waits_for_its_end

JOINED: Final = 64
"""Most code points of an event that is joined with one of an earlier step, so that nothing long is copied again."""


def begin(run: Run, target: RegionTable, entry: int) -> None:
    """The lexeme at the cursor, of `entry` code points, begins a trial."""
    run.trial = Trial(target.trial, target.name, entry, run.spot())
    run.trial_start = run.pos
    run.out = []


def accept(run: Run) -> None:
    """What was tentative is certain."""
    trial = run.trial
    if trial is None:
        return
    run.outcome = run.outcome or "accepted"
    tentative, run.out, run.trial = run.out, run.base, None
    if trial.kind == "closing" and waits_for_its_end(trial.before.at):
        here, call = run.at, run.call
        run.at, run.call = trial.before.at, trial.before.call
        close_value(run)
        run.at, run.call = here, call
    run.base.extend(chain.from_iterable(trial.events))
    run.base.extend(tentative)


def commit(run: Run) -> None:
    """The commit point of a call: an opening trial is accepted; a block still counts as a whole or not at all."""
    if run.trial is not None and run.trial.kind == "opening":
        accept(run)


def refuse(run: Run, place: int, odd: str = "malformed") -> None:
    """It was none; the code point at `place` is the first that does not fit. Without a trial: skip to `place` as text."""
    trial = run.trial
    if trial is None:
        run.text(max(place - run.pos, 1))
        return
    run.outcome = run.outcome or "refused"
    place += _reload(run, trial)
    run.trial, run.out = None, run.base
    run.rewind(run.trial_start)
    run.restore(trial.before)
    if trial.kind != "closing":
        run.anomaly(odd, run.source(run.pos, run.pos + trial.entry))
    _settle(run, trial.entry)
    run.dead = place


def _reload(run: Run, trial: Trial) -> int:
    """Put what earlier steps read of the trial in front of the buffer; return by how much places moved."""
    raw = join(trial.raw)
    size = len(raw)
    if size:
        run.buf = raw + run.buf
        run.marks = [*join_all(trial.marks), *(size + mark for mark in run.marks)]
        run.trial_start = 0
    return size


def give_away(run: Run) -> None:
    """The stream ended before the commit point: all of the trial is nobody's."""
    trial = run.trial
    if trial is not None:
        _reload(run, trial)
        run.trial, run.out, run.parked = None, run.base, None
        run.rewind(run.trial_start)
        run.restore(trial.before)
        run.end_reasoning()
        run.anomaly("truncated")
        run.markup("cut", len(run.buf) - run.pos)


def _settle(run: Run, entry: int) -> None:
    """The marker itself is text of the older region."""
    if isinstance(run.at, InValue):
        value_text(run, entry)
        return
    row = run.region.text_row
    if isinstance(run.region.kind, Gap) and row is not None:
        run.go(InText(row.to))
    run.text(entry)


def suspend(run: Run) -> Trial | None:
    """The open trial at the end of a step."""
    trial = run.trial
    if trial is None:
        return None
    start, stop = run.trial_start, run.pos
    read = run.buf[start:stop]
    shift = sum(map(len, trial.raw)) - start
    marks = tuple(mark + shift for mark in run.marks if start <= mark < stop)
    return Trial(
        trial.kind,
        trial.region,
        trial.entry,
        trial.before,
        append(trial.raw, read) if read else trial.raw,
        append_all(trial.marks, marks) if marks else trial.marks,
        _gathered(trial.events, tuple(run.out)) if run.out else trial.events,
    )


def _gathered(rope: tuple[Events, ...], fresh: Events) -> tuple[Events, ...]:
    """The rope of events with `fresh` at its end; short markup of one kind is one event."""
    if rope and _joint(rope[-1][-1], fresh[0]) is not None:
        rest = rope[-1][:-1]
        rope, fresh = ((*rope[:-1], rest) if rest else rope[:-1]), (rope[-1][-1], *fresh)
    joined = [fresh[0]]
    for event in fresh[1:]:
        both = _joint(joined[-1], event)
        if both is None:
            joined.append(event)
        else:
            joined[-1] = both
    return append_all(rope, joined)


def _joint(first: Event, second: Event) -> Event | None:
    """Both as one event, if they are short markup that no marker wrote, of one kind."""
    if not isinstance(first, Markup) or not isinstance(second, Markup) or first.points + second.points > JOINED:
        return None
    both = merge((first, second))
    return both[0] if len(both) == 1 else None
