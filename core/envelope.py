"""Envelopes: calls as JSON objects that hold a name and arguments, in any key order, alone or in an array.

    envelope = object | "[" [ object ("," object)* ] "]"
    object   = "{" [ member ("," member)* ] "}"            member = name | arguments | call id | anything else

One small function per place in this grammar (`_STEPS`); each reads what stands there and returns the next place, True if
the machine stands elsewhere now, or False if input ran out. Punctuation and keys are markup. A call is announced when its
name was read; before the commit point that happens inside the trial and is seen by nobody. Arguments that come before the
name wait in `late`, with everything behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from unbraid.core.arguments import NO_ARGUMENTS, breaker_at, marker_at, read_argument
from unbraid.core.events import Anomaly, ArgumentsChunk, Event, Events, Markup
from unbraid.core.grammar import GAP_CAP, NAME_CAP, WHITESPACE, Envelope
from unbraid.core.inner import is_whole
from unbraid.core.json_scan import BAD, DONE, in_string, scan
from unbraid.core.json_text import unescape
from unbraid.core.pieces import append_all, join_all
from unbraid.core.records import DROPPED, InEnvelope, Member
from unbraid.core.rows import begin_call, lexeme, row_for, take_row
from unbraid.core.run import Run
from unbraid.core.trials import commit, refuse

Next: TypeAlias = InEnvelope | bool


def envelope(run: Run) -> bool:
    """Read on in an envelope. False: more input is needed."""
    at = run.at
    if isinstance(at, InEnvelope) and at.late is not None:
        run.parked, run.out = run.out, []
    moved = True
    while isinstance(at, InEnvelope):
        run.at = at
        after = _STEPS[at.member.where](run, at)
        if isinstance(after, bool):
            moved = after
            break
        at = after
    if run.parked is not None:
        _park(run, run.parked)
    return moved


def _park(run: Run, outer: list[Event]) -> None:
    """The step ends while a name is awaited."""
    at = run.at
    if isinstance(at, InEnvelope):
        late, sources = append_all(at.late or (), run.out), append_all(at.sources, run.sources)
        run.at = InEnvelope(at.region, at.member, at.array, at.had, at.call_id, late, sources)
    run.out, run.parked, run.sources = outer, None, []


def _to(at: InEnvelope, where: str, role: str = "") -> InEnvelope:
    """The same object, at another place in it."""
    return _at(at, Member(where, role))


def _at(at: InEnvelope, member: Member) -> InEnvelope:
    return InEnvelope(at.region, member, at.array, at.had, at.call_id, at.late, at.sources)


def _kind(run: Run) -> Envelope:
    kind = run.region.kind
    return kind if isinstance(kind, Envelope) else Envelope()


def _next(run: Run) -> str | bool:
    """Skip white space. The code point there, False if input ran out, True if a marker took the machine elsewhere."""
    buf, place, size = run.buf, run.pos, len(run.buf)
    while place < size and buf[place] in WHITESPACE:
        place += 1
    run.markup("syntax", place - run.pos)
    if place == size:
        return False
    if buf[place] in run.region.stops:
        found = marker_at(run, place)
        if found is not False:
            return _marker(run, "malformed") if found else False
    return buf[place]


def _marker(run: Run, odd: str = "") -> bool:
    """A marker stands at the cursor, outside of strings: the object ends too early."""
    found = run.region.lexicon.bare.match(run.buf, run.pos)
    if found is None or _undecided(run):
        return _give_up(run, run.pos)
    entry = run.region.lexicon.lexemes[found.group()]
    _forget(run)
    if odd:
        run.anomaly(odd)
    lexeme(run, entry.terminal, 0, entry.size)
    return True


def _undecided(run: Run) -> bool:
    """Nothing was committed yet, so all of it can still be text."""
    return run.trial is not None


def _give_up(run: Run, place: int) -> bool:
    """The code point at `place` cannot stand there."""
    if run.trial is not None:
        run.parked, run.sources = None, []
        refuse(run, place)
        return True
    _forget(run)
    run.anomaly("malformed")
    run.end_call(complete=False)
    row = row_for(run, "@bad")
    if row is not None:
        take_row(run, row, "@bad", 0, 0, place - run.pos)
    return True


def _forget(run: Run) -> None:
    """Arguments that never got a name are nobody's."""
    at = run.at
    if run.parked is None or not isinstance(at, InEnvelope):
        return
    waiting, sources = _unpark(run, at)
    run.out.extend(_as_stray(waiting, sources))


def _unpark(run: Run, at: InEnvelope) -> tuple[Events, tuple[str, ...]]:
    """Nothing waits any more: the events that did, and the source texts of the arguments among them."""
    waiting, sources = (*join_all(at.late or ()), *run.out), (*join_all(at.sources), *run.sources)
    run.out, run.parked, run.sources = run.out if run.parked is None else run.parked, None, []
    return waiting, sources


def end_envelope(run: Run) -> None:
    """The stream ends inside an object: what waits for a name waits for ever."""
    at = run.at
    if not isinstance(at, InEnvelope):
        return
    if at.late is not None:
        run.out.extend(_as_stray(join_all(at.late), join_all(at.sources)))
    if (
        run.call is None
        and at.member.where not in ("open", "first_element", "element", "between")
        and "name" not in at.had
    ):
        run.anomaly("truncated")


def _as_stray(events: Iterable[Event], sources: Iterable[str]) -> Iterable[Event]:
    texts = iter(sources)
    for event in events:
        if isinstance(event, ArgumentsChunk):
            yield from _stray(next(texts), event.tokens)
        elif isinstance(event, Markup | Anomaly):
            yield event


def _stray(text: str, tokens: int) -> Iterable[Event]:
    if text or tokens:
        yield Markup("stray", text, len(text), tokens)


# -- the grammar, place by place ---------------------------------------------------------------------------------------


def _open(run: Run, at: InEnvelope) -> Next:
    if run.trial is not None and not run.buf[run.pos : run.pos + GAP_CAP + 1].strip(WHITESPACE):
        return len(run.buf) - run.pos > GAP_CAP and _give_up(run, run.pos + GAP_CAP)
    shape = _kind(run).shape
    char = _next(run)
    if isinstance(char, bool):
        return char
    if char == "{" and shape != "array":
        return _begin_object(run, at)
    if char == "[" and shape != "one":
        run.markup("syntax", 1)
        return InEnvelope(at.region, Member("first_element"), array=True)
    return _give_up(run, run.pos)


def _begin_object(run: Run, at: InEnvelope) -> InEnvelope:
    run.markup("syntax", 1)
    return InEnvelope(at.region, Member("first_key"), at.array)


def _element(run: Run, at: InEnvelope) -> Next:
    char = _next(run)
    if isinstance(char, bool):
        return char
    if char == "{":
        return _begin_object(run, at)
    if char == "]" and at.member.where == "first_element":
        return _closed(run)
    return _give_up(run, run.pos)


def _closed(run: Run) -> bool:
    run.markup("syntax", 1)
    row = row_for(run, "@closed")
    if row is not None:
        take_row(run, row, "@closed", 0, 0)
    return True


def _key(run: Run, at: InEnvelope) -> Next:
    if not at.member.scanned:
        char = _next(run)
        if isinstance(char, bool):
            return char
        if char == "}" and at.member.where == "first_key":
            return _end_object(run, at)
        if char != '"':
            return _give_up(run, run.pos)
    word = _word(run, at)
    if word is None or isinstance(word, bool):
        return word or False
    text, size = word
    role = _role(_kind(run), at, text)
    if role == "other" and run.trial is not None and _kind(run).commit == "arguments":
        return _give_up(run, run.pos)
    run.markup("syntax", size)
    if role == "again":
        run.anomaly("duplicate_key", text)
    if role == "arguments" and "name" in at.had:
        commit(run)
    return _to(at, "colon", role)


def _word(run: Run, at: InEnvelope) -> tuple[str, int] | bool | None:
    """The string at the cursor and its size on the wire; None: more input; True: it is none, the machine moved."""
    member, buf = at.member, run.buf
    place, mode, nest = scan(buf, run.pos + member.scanned, len(buf), member.mode, member.nest)
    size = place - run.pos
    if size > NAME_CAP + 2:
        return _give_up(run, run.pos + NAME_CAP)
    if mode == DONE:
        text = buf[run.pos + 1 : place - 1]
        return unescape(text if run.table.expand is None else text.translate(run.table.expand)), size
    if place < len(buf):
        return _give_up(run, place)
    run.at = _at(at, Member(member.where, member.role, mode, nest, size))
    return None


def _role(kind: Envelope, at: InEnvelope, key: str) -> str:
    for role, keys in (("name", kind.name), ("arguments", kind.arguments), ("id", kind.call_id)):
        if key in keys:
            return "again" if role in at.had else role
    return "other"


def _colon(run: Run, at: InEnvelope) -> Next:
    char = _next(run)
    if isinstance(char, bool):
        return char
    if char != ":":
        return _give_up(run, run.pos)
    run.markup("syntax", 1)
    role = at.member.role
    had = (*at.had, role) if role in ("name", "arguments", "id") else at.had
    late = at.late
    if role == "arguments" and "name" not in at.had:
        run.parked, run.out, late = run.out, [], ()
    where = {"name": "name", "arguments": "arguments", "id": "id"}.get(role, "skip")
    return InEnvelope(at.region, Member(where, role), at.array, had, at.call_id, late, at.sources)


def _name(run: Run, at: InEnvelope) -> Next:
    if not at.member.scanned:
        char = _next(run)
        if isinstance(char, bool):
            return char
        if char != '"':
            return _give_up(run, run.pos)
    word = _word(run, at)
    if word is None or isinstance(word, bool):
        return word or False
    name, size = word
    if not name or (run.trial is not None and run.machine.unknown_is_text and not run.machine.offers(name)):
        return _give_up(run, run.pos + size)
    _announce(run, at, name, size)
    return InEnvelope(at.region, Member("comma"), at.array, at.had, at.call_id, None)


def _announce(run: Run, at: InEnvelope, name: str, size: int) -> None:
    """The call has its name; `size` code points at the cursor are the name's string."""
    waiting, sources = (None, ()) if run.parked is None else _unpark(run, at)
    commits = waiting is not None or _kind(run).commit == "name"
    begin_call(run, name, at.call_id, size if waiting is None else 0)
    if waiting is not None:
        run.out.extend(_as_stray(waiting, sources) if run.call is not None and run.call.index == DROPPED else waiting)
        run.markup("syntax", size)
        run.end_call(complete=True)
    if commits:
        commit(run)


def _id(run: Run, at: InEnvelope) -> Next:
    if not at.member.scanned:
        char = _next(run)
        if isinstance(char, bool):
            return char
        if char != '"':
            return _to(at, "skip", "id")
    word = _word(run, at)
    if word is None or isinstance(word, bool):
        return word or False
    text, size = word
    run.markup("syntax", size)
    return InEnvelope(at.region, Member("comma"), at.array, at.had, text, at.late, at.sources)


def _arguments(run: Run, at: InEnvelope) -> Next:
    argument, status = read_argument(run, at.member.argument, decode=_kind(run).decode)
    if status == "done":
        run.end_call(complete=True)
        return _to(at, "comma")
    run.at = _at(at, Member("arguments", "arguments", argument=argument))
    if status == "more":
        return False
    if status == "bad":
        if is_whole(argument) and run.trial is None:
            run.end_call(complete=True)
        return _give_up(run, run.pos)
    return _break_off(run) if status == "broken" else _marker(run, "malformed")


def _break_off(run: Run) -> bool:
    """The block's closer stands behind a raw line break, in a string."""
    if run.trial is not None:
        return _give_up(run, run.pos)
    run.break_off("unterminated_string")
    run.markup("framing", 1)
    return _marker(run)


def _skip(run: Run, at: InEnvelope) -> Next:
    member, buf = at.member, run.buf
    place, mode, nest = scan(buf, run.pos, len(buf), member.mode, member.nest, run.region.stops)
    while mode not in (DONE, BAD) and place < len(buf):
        found = breaker_at(run, place) if in_string(mode) else marker_at(run, place)
        if found is not False:
            break
        place, mode, nest = (
            scan(buf, place + 1, len(buf), mode, nest, run.region.stops)
            if in_string(mode)
            else scan(buf, place, place + 1, mode, nest)
        )
    run.markup("syntax", place - run.pos)
    if mode == DONE:
        return _to(at, "comma")
    if mode == BAD:
        return _give_up(run, run.pos)
    run.at = _at(at, Member("skip", member.role, mode, nest))
    if place == len(buf):
        return False
    found = breaker_at(run, place) if in_string(mode) else marker_at(run, place)
    if found is None:
        return False
    return _break_off(run) if in_string(mode) else _marker(run, "malformed")


def _comma(run: Run, at: InEnvelope) -> Next:
    char = _next(run)
    if isinstance(char, bool):
        return char
    if char == ",":
        run.markup("syntax", 1)
        return _to(at, "key")
    if char == "}":
        return _end_object(run, at)
    return _give_up(run, run.pos)


def _end_object(run: Run, at: InEnvelope) -> Next:
    unmarked = _kind(run).commit == "arguments" and run.trial is not None
    if "name" not in at.had or ("arguments" not in at.had and unmarked):
        return _give_up(run, run.pos)
    if "arguments" not in at.had:
        run.arguments(NO_ARGUMENTS)
        run.end_call(complete=True)
    if not at.array:
        return _closed(run)
    run.markup("syntax", 1)
    return InEnvelope(at.region, Member("between"), array=True)


def _between(run: Run, at: InEnvelope) -> Next:
    char = _next(run)
    if isinstance(char, bool):
        return char
    if char == ",":
        run.markup("syntax", 1)
        return InEnvelope(at.region, Member("element"), array=True)
    if char == "]":
        return _closed(run)
    return _give_up(run, run.pos)


_STEPS: Final[dict[str, Callable[[Run, InEnvelope], Next]]] = {
    "open": _open,
    "first_element": _element,
    "element": _element,
    "first_key": _key,
    "key": _key,
    "colon": _colon,
    "name": _name,
    "id": _id,
    "arguments": _arguments,
    "skip": _skip,
    "comma": _comma,
    "between": _between,
}
