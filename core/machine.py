"""The machine: `step(machine, state, delta) -> (state, events)`, a pure function.

    start   the state before the first delta
    step    read one delta; emits everything that later deltas cannot change
    finish  the stream is over; emits what was held
    fold    step over many deltas; the whole output as one delta is the one-shot parser

Laws it keeps (`tests/laws`): the same events at every split; events tile the source; what steps emitted is a prefix of
what longer input emits; nothing is held that no marker needs; old states stay good; ids, text and both agree; arguments
grow by appending and are valid JSON when complete; any input, linear work.

A step that changes nothing is a look-up: while nothing is pending, `state.by_id` maps the ids whose text is plain here
to their events, and the same state comes back. All other input goes through `_read`, which moves a `Run` from region to
region until the text is settled or waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, TypeAlias

from unbraid.core.bind import Machine
from unbraid.core.captures import capture, read_fields
from unbraid.core.detokenize import flush
from unbraid.core.ending import end_stream, end_trial
from unbraid.core.envelope import envelope
from unbraid.core.events import Anomaly, Events
from unbraid.core.feeds import Reader
from unbraid.core.flow import flow
from unbraid.core.gaps import gap
from unbraid.core.grammar import Capture
from unbraid.core.lag import read_both, release_queue
from unbraid.core.payload import payload
from unbraid.core.plain import plain_id, plain_key, plain_tables, plain_text
from unbraid.core.prompt import last_marker, last_turn, place, start_region
from unbraid.core.records import (
    At,
    BothFeed,
    Feed,
    IdsFeed,
    InCapture,
    InEnvelope,
    InGap,
    InJson,
    InText,
    InValue,
    ParserState,
    TextFeed,
)
from unbraid.core.run import Run
from unbraid.core.table import Table
from unbraid.core.trials import suspend

FeedName: TypeAlias = Literal["text", "ids", "both"]
Delta: TypeAlias = tuple[str | None, tuple[int, ...]]

HANDLERS: Final[dict[type, Callable[[Run], bool]]] = {
    InText: flow,
    InValue: flow,
    InGap: gap,
    InCapture: capture,
    InJson: payload,
    InEnvelope: envelope,
}


# -- the contract ------------------------------------------------------------------------------------------------------


def start(
    machine: Machine,
    feed: FeedName = "text",
    prompt: str | Sequence[int] | None = None,
    at: Literal["auto", "reasoning", "content"] = "auto",
) -> ParserState:
    """The state before the first delta.

    `feed`: deltas are `(text, ())`, `(None, ids)`, or `(text, ids)` for `both`. `prompt`: the rendered prompt, as text or
    ids, says what it left open. `at` overrules it: generation starts in reasoning, or in content.

    Raises ValueError for a feed of ids if the machine was bound without a vocabulary.
    """
    if feed != "text" and machine.vocabulary is None:
        raise ValueError(f"feed={feed!r} needs a machine that was bound with a vocabulary")
    fmt = machine.format
    rule = fmt.start
    region = {"auto": start_region(fmt, machine.kwargs), "reasoning": rule.on, "content": rule.off}[at]
    found = None
    if prompt is not None and at == "auto":
        found = last_marker(rule, last_turn(rule, machine.vocabulary, prompt))
    begun = TextFeed() if feed == "text" else _begun(machine, feed, fresh=prompt is None)
    if found is None:
        return _state(machine, place(machine.table(begun), region), begun)
    return _behind_prompt(machine, begun, *found)


def step(machine: Machine, state: ParserState, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    """Read one delta: text of any length without ids, or ids without text (None), or both as a host has them.

    Returns the next state (the same object if nothing changed) and the events that became certain. Never raises for any
    text and any ids; a delta of another kind than the state's feed is a programmer's error (TypeError).
    """
    by_id = state.by_id
    if by_id is not None:
        if len(ids) == 1:
            events = by_id.get(ids[0])
            if events is not None and (text is None or text == machine.texts[ids[0]]):
                return state, events
        elif text is not None and not ids:
            events = state.by_text.get(text) if state.by_text is not None else None
            if events is not None and state.feed.__class__ is TextFeed:
                return state, events
    return _step(machine, state, text, ids)


def finish(machine: Machine, state: ParserState) -> tuple[ParserState, Events]:
    """The stream is over. Steps after it are a programmer's error, but harmless."""
    feed = state.feed
    unseen, unseen_tokens = "", 0
    text, marks = "", list[int]()
    if not isinstance(feed, TextFeed) and machine.vocabulary is not None:
        reader = Reader(machine.table(feed), machine.vocabulary, feed.pending, blank=feed.blank)
        if isinstance(feed, BothFeed):
            reader, unseen, unseen_tokens = release_queue(machine.table(feed), machine.vocabulary, feed)
        reader.add(flush(reader.pending), None)
        text, marks = reader.text, reader.marks
        feed = BothFeed() if isinstance(feed, BothFeed) else IdsFeed()
    run = Run(machine, machine.table(feed), state, text, marks)
    run.final = True
    _drive(run)
    while run.trial is not None:
        end_trial(run, run.trial)
        _drive(run)
    end_stream(run)
    run.dropped("cut", unseen, unseen_tokens)
    return _state(machine, run.at, feed, calls=run.calls), run.events()


def fold(machine: Machine, state: ParserState, deltas: Iterable[Delta]) -> tuple[ParserState, Events]:
    """Step over `deltas`; the events of all of them. Does not finish."""
    events: list[Events] = []
    for text, ids in deltas:
        state, more = step(machine, state, text, ids)
        events.append(more)
    return state, tuple(event for group in events for event in group)


# -- inside ------------------------------------------------------------------------------------------------------------


def _begun(machine: Machine, feed: FeedName, *, fresh: bool) -> Feed:
    blank = fresh and machine.vocabulary is not None and machine.vocabulary.drops_first_blank
    return IdsFeed(blank=blank) if feed == "ids" else BothFeed(blank=blank)


def _state(machine: Machine, at: At, feed: Feed, calls: int = 0) -> ParserState:
    return _packed(Run(machine, machine.table(feed), ParserState(at, feed, calls), "", []), feed)


def _behind_prompt(machine: Machine, feed: Feed, region: str, rest: str) -> ParserState:
    """Read the rest of the prompt from `region`, as text, and keep only where that leads."""
    before = ParserState(place(machine.text_table, region), TextFeed(), edge=_edge(machine, region))
    state, _ = _step(machine, before, rest, ())
    if state.trial is not None:
        spot = state.trial.before
        state = ParserState(spot.at, TextFeed(), spot.calls, spot.call)
    at = state.at
    kind = machine.text_table.regions[at.region].kind
    if isinstance(at, InCapture) and isinstance(kind, Capture):
        at = InCapture(at.region, (*at.slots, *read_fields(kind.fields, state.hold)), at.origin, at.mark)
    kept = ParserState(at, feed, state.calls, state.call, edge=state.edge if not state.hold else ())
    return _packed(Run(machine, machine.table(feed), kept, "", []), feed)


def _edge(machine: Machine, region: str) -> tuple[str, ...]:
    """The framing that may follow the marker that led to `region`."""
    rows = (row for row in machine.format.rows if row.to == region)
    known = machine.text_table.terminals
    return next((known[row.on].after for row in rows if row.on in known and known[row.on].after), ())


def _step(machine: Machine, state: ParserState, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    feed = state.feed
    table = machine.table(feed)
    vocabulary = machine.vocabulary
    if isinstance(feed, TextFeed):
        if text is None or ids:
            raise TypeError("a text feed takes deltas (text, ()): text in code points, no ids")
        known = plain_text(table, state, text)
        return (state, known) if known is not None else _read(machine, table, state, feed, text, [])
    if vocabulary is None:
        raise TypeError("a feed of ids needs a machine that was bound with a vocabulary")
    if isinstance(feed, IdsFeed):
        if text is not None:
            raise TypeError("an ids feed takes deltas (None, ids): token ids, no text")
        known = _plain_run(table, state, machine, ids)
        if known is not None:
            return state, known
        reader = Reader(table, vocabulary, feed.pending, blank=feed.blank)
        for token in ids:
            reader.read(token)
        return _read(machine, table, state, IdsFeed(reader.pending, reader.blank), reader.text, reader.marks)
    if text is None:
        raise TypeError("a feed of both takes deltas (text, ids): the host's text ('' if there is none yet) and token ids")
    if len(ids) == 1 and text == machine.text_of(ids[0]):
        known = plain_id(table, vocabulary, state, ids[0])
        if known is not None:
            return state, known
    shown = read_both(table, vocabulary, feed, text, ids)
    odd = [Anomaly("desync", shown.desync)] if shown.desync else []
    return _read(machine, table, state, shown.feed, shown.reader.text, shown.reader.marks, odd)


def _plain_run(table: Table, state: ParserState, machine: Machine, ids: tuple[int, ...]) -> Events | None:
    """The events of ids that are all plain here."""
    if state.by_id is None or machine.vocabulary is None:
        return None
    events: Events = ()
    for token in ids:
        known = plain_id(table, machine.vocabulary, state, token)
        if known is None:
            return None
        events += known
    return events


def _read(
    machine: Machine,
    table: Table,
    state: ParserState,
    feed: Feed,
    text: str,
    marks: list[int],
    odd: Sequence[Anomaly] = (),
) -> tuple[ParserState, Events]:
    """Read new text: the slow path, and the only one that moves."""
    if not text and not marks and not odd:
        return (state if feed == state.feed else _with_feed(machine, table, state, feed)), ()
    run = Run(machine, table, state, text, marks)
    run.out.extend(odd)
    _drive(run)
    events = run.events()
    after = _packed(run, feed)
    return (state if after == state else after), events


def _with_feed(machine: Machine, table: Table, state: ParserState, feed: Feed) -> ParserState:
    run = Run(machine, table, state, "", [])
    return _packed(run, feed)


def _drive(run: Run) -> None:
    """Move from region to region until the text is settled or more input is needed."""
    while (not run.edge or _framed(run)) and HANDLERS[run.at.__class__](run):
        pass


def _framed(run: Run) -> bool:
    """Take the framing behind the last marker. False: more input decides how much."""
    rest = run.buf[run.pos : run.pos + 1 + max(map(len, run.edge))]
    if not run.final and any(literal.startswith(rest) and literal != rest for literal in run.edge):
        return False
    found = max((literal for literal in run.edge if rest.startswith(literal)), key=len, default="")
    run.edge = ()
    run.markup("framing", len(found))
    return True


def _packed(run: Run, feed: Feed) -> ParserState:
    """The state at the end of a step."""
    trial = suspend(run)
    hold, place = run.buf[run.pos :], run.pos
    marks = tuple([mark - place for mark in run.marks[run.mark :]]) if run.mark < len(run.marks) else ()
    by_id, by_text = None, None
    if not hold and not marks and not run.edge and trial is None and _settled(feed):
        key = plain_key(run)
        if key is not None:
            by_id, by_text = plain_tables(run.region, key)
    return ParserState(
        run.at, feed, run.calls, run.call, run.thinking, run.edge, trial, hold, marks, by_id=by_id, by_text=by_text
    )


def _settled(feed: Feed) -> bool:
    if isinstance(feed, TextFeed):
        return True
    if isinstance(feed, IdsFeed):
        return not feed.pending and not feed.blank
    return not feed.queue and not feed.ahead and not feed.pending and not feed.blank
