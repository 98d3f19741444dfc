"""The machine: `step(machine, state, delta) -> (state, events)`, a pure function.

    start   the state before the first delta
    step    read one delta; emits everything that later deltas cannot change
    finish  the stream is over; emits what was held
    fold    step over many deltas; the whole output as one delta is the one-shot parser

Laws it keeps (`tests/laws`): the same events at every split; events tile the source; what steps emitted is a prefix of
what longer input emits; nothing is held that no marker needs; old states stay good; ids, text and both agree; arguments
grow by appending and are valid JSON when complete; any input, linear work.

A step that was taken before is a look-up (`pool`); a plain one gives the same state back (`plain`). All other input goes
through `reading.read`, which moves a cursor from region to region until the text is settled or waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final, Literal, TypeAlias, get_args

from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode, flush
from unbraid.core.ending import end_stream, end_trial
from unbraid.core.events import Anomaly, Event, Events
from unbraid.core.feeds import Reader, arriving
from unbraid.core.held import learn, light_step
from unbraid.core.lag import read_both, release_queue
from unbraid.core.plain import TEXT_CAP, plain_events
from unbraid.core.prompt import last_marker, last_turn, start_region
from unbraid.core.reading import begin_at, begin_behind, drive, read
from unbraid.core.records import (
    Behind,
    BothFeed,
    Feed,
    IdsFeed,
    InStep,
    ParserState,
    Tentative,
    TextFeed,
    Visible,
    Within,
)
from unbraid.core.run import Run
from unbraid.core.tentative import RECENT, grown, pass_on, read_on, step_on, whole

FEW: Final = 16
"""Up to so many ids of a delta are read one by one."""

PORTION: Final = 64
"""Ids of a longer delta that are read at once where a step is not known."""

NO_STEPS: Final[Mapping[int | str, tuple[Visible, Events]]] = {}

FeedName: TypeAlias = Literal["text", "ids", "both"]
StartAt: TypeAlias = Literal["auto", "reasoning", "content"]
Delta: TypeAlias = tuple[str | None, tuple[int, ...]]


# -- the contract ------------------------------------------------------------------------------------------------------


def start(
    machine: Machine,
    feed: FeedName = "text",
    prompt: str | Sequence[int] | None = None,
    at: StartAt = "auto",
) -> ParserState:
    """The state before the first delta.

    `feed`: deltas are `(text, ())`, `(None, ids)`, or `(text, ids)` for `both`. `prompt`: the rendered prompt, as text or
    ids, says what it left open. `at` overrules it: generation starts in reasoning, or in content.

    Raises ValueError for a feed of ids if the machine was bound without a vocabulary, and for any other feed or place;
    TypeError for what is no machine yet.
    """
    if not isinstance(machine, Machine):
        raise TypeError(
            f"{machine.__class__.__name__} is no machine: with_tools(bound, tools).unwrap() makes one of what was bound"
        )
    known_word("feed", feed, get_args(FeedName))
    known_word("at", at, get_args(StartAt))
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
        return begin_at(machine, machine.table(begun).regions[region].begun, begun)
    return begin_behind(machine, begun, *found)


def known_word(name: str, word: str, known: tuple[str, ...]) -> None:
    """Raises ValueError if argument `name` is none of the words that it may be."""
    if word not in known:
        raise ValueError(f"{name}={word!r} is none of {', '.join(known)}")


def _begun(machine: Machine, feed: FeedName, *, fresh: bool) -> Feed:
    blank = fresh and machine.vocabulary is not None and machine.vocabulary.drops_first_blank
    return IdsFeed(blank=blank) if feed == "ids" else BothFeed(blank=blank)


def step(machine: Machine, state: ParserState, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    """Read one delta: text of any length without ids, or ids without text (None), or both as a host has them.

    Returns the next state (the same object if nothing changed) and the events that became certain. Never raises for any
    text and any ids; a delta of another kind than the state's feed is a programmer's error (TypeError).
    """
    steps = state.steps
    if steps is not None:
        if len(ids) == 1:
            known = steps.get(ids[0])
            if known is not None and (
                text is None or text == machine.texts[ids[0]] or _writes(machine, state, ids[0], text)
            ):
                return known
        elif not ids:
            known = steps.get(text) if text is not None and len(text) <= TEXT_CAP else None
            if known is not None:
                return known
        elif isinstance(state, InStep):
            alone = text is None and isinstance(state.feed, IdsFeed)
            if state.plain is not None:  # one look-up for all, where all are plain
                several = itemgetter(*ids)
                try:
                    events = several(state.plain)
                    if alone or (isinstance(state.feed, BothFeed) and text == "".join(several(machine.texts))):
                        return state, events
                except KeyError:
                    pass
            return _step_each(machine, state, ids) if alone else _step(machine, state, text, ids)
    elif isinstance(state, Tentative):
        return _step_tentative(machine, state, text, ids)
    elif isinstance(state, Behind):
        return _step_behind(machine, state, text, ids)
    if isinstance(state, Behind | Within):
        return _show(machine, state, _visible(text), state.queue + ids)
    return _step(machine, state, text, ids)


def finish(machine: Machine, state: ParserState) -> tuple[ParserState, Events]:
    """The stream is over. Steps after it are a programmer's error, but harmless."""
    unseen, unseen_tokens = "", 0
    if isinstance(state, InStep | Tentative):
        reader, base = Reader(machine, state.feed), whole(state)
    else:
        reader, unseen, unseen_tokens = release_queue(machine, state)
        base = whole(state.base)
    reader.add(flush(reader.pending), None)
    feed: Feed = base.feed.__class__()
    run = Run(machine, machine.table(feed), base, reader.text, reader.marks)
    run.final = True
    drive(run)
    while run.trial is not None:
        end_trial(run, run.trial)
        drive(run)
    end_stream(run)
    run.dropped("cut", unseen, unseen_tokens)
    return begin_at(machine, run.at, feed, run.calls), run.events()


def fold(machine: Machine, state: ParserState, deltas: Iterable[Delta]) -> tuple[ParserState, Events]:
    """Step over `deltas`; the events of all of them. Does not finish."""
    events: list[Events] = []
    for text, ids in deltas:
        state, more = step(machine, state, text, ids)
        events.append(more)
    return state, tuple(event for group in events for event in group)


# -- inside ------------------------------------------------------------------------------------------------------------


def _step_tentative(
    machine: Machine, state: Tentative, text: str | None, ids: tuple[int, ...]
) -> tuple[ParserState, Events]:
    """A step inside a block: a look-up, if it was taken before in any."""
    known = None
    if len(ids) == 1:
        known = state.place.passes.get(ids[0])
        if known is not None and text is not None and text != machine.texts[ids[0]]:
            known = None
    elif text is not None and not ids and len(text) <= TEXT_CAP:
        known = state.place.passes.get(text)
    if known is None:
        return _step(machine, state, text, ids)
    recent = state.recent
    if len(recent) < RECENT:  # most steps, without a call
        return Tentative(known[0], (*recent, known[1]), state.past), ()
    return grown(state, *known), ()


def _step(machine: Machine, state: Visible, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    """A step that was not taken before."""
    feed = state.feed
    if isinstance(feed, TextFeed):
        if text is None or ids:
            raise TypeError("a text feed takes deltas (text, ()): text in code points, no ids")
        return _step_text(machine, state, text)
    if isinstance(feed, IdsFeed):
        if text is not None:
            raise TypeError("an ids feed takes deltas (None, ids): token ids, no text")
        return _step_id(machine, state, ids[0]) if len(ids) == 1 else _step_ids(machine, state, ids)
    text = _visible(text)
    if len(ids) == 1:
        if text == machine.text_of(ids[0]) or _writes(machine, state, ids[0], text):
            return _step_id(machine, state, ids[0])
    elif text and ids and machine.shown(text, ids, feed.pending) == len(ids):
        return (_step_ids if state.steps is None else _step_each)(machine, state, ids)
    return _step_behind(machine, Behind(state, ()), text, ids)


def _step_text(machine: Machine, state: Visible, text: str) -> tuple[Visible, Events]:
    if isinstance(state, Tentative):
        return step_on(machine, state, text)
    after: Visible
    known = light_step(machine, state, text)
    if known is None:
        after, events = read(machine, state, state.feed, text, [])
        learn(machine, state, after)
    else:
        after, events = known
    if machine.keeps(text):
        machine.pool.remember(state, text, after, events)
    return after, events


def _step_id(machine: Machine, state: Visible, token: int) -> tuple[Visible, Events]:
    if isinstance(state, Tentative):
        return step_on(machine, state, token)
    table = machine.ids_table
    text = None if token in table.sentinels else machine.text_of(token)
    known = None if text is None else plain_events(table, state, token, text)
    after, events = read(machine, state, *arriving(machine, state.feed, (token,))) if known is None else (state, known)
    if machine.keeps(token):
        machine.pool.remember(state, token, after, events)
    return after, events


def _step_ids(machine: Machine, state: Visible, ids: tuple[int, ...]) -> tuple[Visible, Events]:
    """Several ids at once: plain ones are one look-up."""
    out: Events = ()
    if state.plain is not None and len(ids) > 1:
        try:
            out = itemgetter(*ids)(state.plain)
        except KeyError:
            pass
        else:
            return state, out
    return _step_each(machine, state, ids)


def _step_each(machine: Machine, state: Visible, ids: tuple[int, ...]) -> tuple[Visible, Events]:
    """Few ids one by one, many in portions; in a block those that are known together."""
    if len(ids) > FEW:
        return _step_many(machine, state, ids)
    if isinstance(state, Tentative):
        state, known = pass_on(state, ids)
        ids = ids[known:]
    out: Events = ()
    for token in ids:
        try:
            state, more = (state.steps or NO_STEPS)[token]
        except KeyError:
            state, more = _step_id(machine, state, token)
        out += more
    return state, out


def _step_many(machine: Machine, state: Visible, ids: tuple[int, ...]) -> tuple[Visible, Events]:
    """One by one while their steps are known, the others in portions."""
    out: list[Event] = []
    steps, place, count = state.steps, 0, len(ids)
    while place < count:
        known = None if steps is None else steps.get(ids[place])
        if known is not None:
            after, more = known
            place += 1
        else:
            after, more = read_on(machine, state, arriving(machine, state.feed, ids[place : place + PORTION]))
            place += PORTION
        out += more
        if after is not state:
            state, steps = after, after.steps
    return state, tuple(out)


def _step_behind(machine: Machine, state: Behind, text: str | None, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    """The host lags by whole tokens, or shows text that is not the ids'."""
    base, queue = state.base, state.queue
    steps = base.steps
    if text and queue:
        token = queue[0]
        known = None if steps is None else steps.get(token)
        alone = machine.text_of(token) if known is None else machine.texts[token]
        if text == alone or _writes(machine, base, token, text):
            after, events = known or _step_id(machine, base, token)
            return _queued(machine, after, queue[1:] + ids, events)
    text = _visible(text)
    if not text:
        return (Behind(base, queue + ids), ()) if queue else _queued(machine, base, ids, ())
    queue += ids
    seen = machine.shown(text, queue, b"" if isinstance(base.feed, TextFeed) else base.feed.pending)
    if not seen:
        return _show(machine, state, text, queue)
    base, events = _step_ids(machine, base, queue[:seen])
    return (Behind(base, queue[seen:]) if len(queue) > seen else base), events


def _queued(machine: Machine, base: Visible, queue: tuple[int, ...], events: Events) -> tuple[ParserState, Events]:
    """`base` with `queue` behind it, less the ids at its front that write nothing yet: of those all is shown."""
    size = len(machine.texts)
    while queue and not (0 <= queue[0] < size and machine.texts[queue[0]]) and _writes(machine, base, queue[0], ""):
        base, more = _step_ids(machine, base, queue[:1])
        queue, events = queue[1:], events + more
    return (Behind(base, queue) if queue else base), events


def _writes(machine: Machine, state: ParserState, token: int, text: str) -> bool:
    """Does `token` write `text` behind the bytes that are pending? A special token that writes nothing may have been left out."""
    feed = (state.base if isinstance(state, Behind | Within) else state).feed
    pending = b"" if isinstance(feed, TextFeed) else feed.pending
    return decode(pending, machine.piece(token))[0] == text and (text != "" or not machine.is_special(token))


def _visible(text: str | None) -> str:
    if text is None:
        raise TypeError(
            "a feed of both takes deltas (text, ids): the host's text ('' if there is none yet) and token ids"
        )
    return text


def _show(machine: Machine, state: Behind | Within, text: str, ids: tuple[int, ...]) -> tuple[ParserState, Events]:
    """The text of `ids` is seen in part, or is another."""
    got = read_both(machine, state, text, ids)
    odd = [Anomaly("desync", got.desync)] if got.desync else []
    base, events = read_on(machine, state.base, (got.reader.feed(), got.reader.text, got.reader.marks), odd)
    if got.shown or got.ahead:
        return Within(base, got.queue, got.shown, got.ahead), events
    return (Behind(base, got.queue) if got.queue else base), events
