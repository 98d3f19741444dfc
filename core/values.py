"""Argument values that are plain text on the wire, and the JSON object that we write around them.

    {"key": value, "key": value}        `{` with the first key, `, ` between, `}` at the call's end; `{}` without any

A value whose property is exactly a string streams as it comes. Any other is `Undecided`: its raw text is kept until the
value ends or can no longer be JSON; then it is typed by the tool's schema (`schema.type_value`). A key that was given
before is `Ignored`: the first one wins, because it was already sent.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.grammar import KEYS_CAP, Value
from unbraid.core.json_text import escape, quote
from unbraid.core.pieces import append, join
from unbraid.core.records import Call, Flowing, Ignored, InValue, Slots, Undecided
from unbraid.core.run import Run
from unbraid.core.schema import STRING, Kinds, advance, start_scan, streams, type_value

ANY_JSON: Final = Kinds(frozenset({"null", "boolean", "integer", "number", "object", "array"}))


def slot(slots: Slots, name: str) -> str | None:
    """The value of a captured slot, the newest if there are several."""
    for key, value in reversed(slots):
        if key == name:
            return value
    return None


def open_value(run: Run, region: str) -> None:
    """A value of the key in slot `key` begins in `region`."""
    key = slot(run.slots, "key") or ""
    call = run.call
    if call is None or key in call.keys or len(call.keys) >= KEYS_CAP:
        run.anomaly("duplicate_key" if call is not None and key in call.keys else "overlong", key)
        run.go(InValue(region, Ignored()))
        return
    kinds = _kinds(run, region, call, key)
    head = f"{', ' if call.keys else '{'}{quote(key)}: "
    run.call = Call(call.index, call.name, (*call.keys, key))
    if streams(kinds):
        run.arguments(head + '"')
        run.go(InValue(region, Flowing()))
    else:
        run.arguments(head)
        run.go(InValue(region, Undecided(tuple(sorted(kinds.types)), start_scan(kinds))))


def _kinds(run: Run, region: str, call: Call, key: str) -> Kinds:
    kind = run.table.regions[region].kind
    tag = slot(run.slots, "type")
    if isinstance(kind, Value) and kind.string_tags and tag is not None:
        return STRING if tag in kind.string_tags else ANY_JSON
    return run.machine.kinds(call.name, key)


def value_text(run: Run, size: int) -> None:
    """The next `size` code points belong to the open value."""
    at = run.at
    if not size or not isinstance(at, InValue):
        return
    shape = at.shape
    if isinstance(shape, Flowing):
        run.escaped(size)
    elif isinstance(shape, Ignored):
        run.markup("stray", size)
    else:
        _keep(run, at.region, shape, size)


def _keep(run: Run, region: str, shape: Undecided, size: int) -> None:
    """Keep more of a value that is not decided; let it flow as soon as it can only be a string."""
    text, tokens = run.take(size)
    scan, undecided = advance(shape.scan, text)
    tokens += shape.tokens
    if undecided:
        run.at = InValue(region, Undecided(shape.kinds, scan, append(shape.raw, text), tokens))
        return
    raw = join(shape.raw) + text
    run.arguments('"' + escape(raw), raw, tokens)
    run.at = InValue(region, Flowing())


def close_value(run: Run) -> None:
    """The open value ends here."""
    at = run.at
    if not isinstance(at, InValue) or isinstance(at.shape, Ignored):
        return
    if isinstance(at.shape, Flowing):
        run.arguments('"')
        return
    raw = join(at.shape.raw)
    run.arguments(type_value(raw, Kinds(frozenset(at.shape.kinds))), raw, at.shape.tokens)


def drop_value(run: Run) -> None:
    """The stream ends inside the open value: what is not decided was for nobody."""
    at = run.at
    if isinstance(at, InValue) and isinstance(at.shape, Undecided):
        run.dropped("cut", join(at.shape.raw), at.shape.tokens)


def close_arguments(run: Run) -> None:
    """The open call's arguments, if we write them, are whole."""
    if run.call is not None:
        run.arguments("}" if run.call.keys else "{}")
