"""Argument values that are plain text on the wire, and the JSON object that we write around them.

    {"key": value, "key": value}        `{` with the first key, `, ` between, `}` at the call's end; `{}` without any

A value whose property is exactly a string streams as it comes. Any other is `Undecided`: its raw text is kept until the
value ends or can no longer be JSON; then it is typed by the tool's schema (`schema.type_value`). A key that was given
before is `Ignored`: the first one wins, because it was already sent.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.grammar import KEYS_CAP, WHITESPACE, Value
from unbraid.core.json_keys import top_keys
from unbraid.core.json_text import escape, quote
from unbraid.core.pieces import append, join
from unbraid.core.records import At, Call, Flowing, Ignored, InValue, Kept, Slots, Undecided, Wrapped
from unbraid.core.run import Run
from unbraid.core.schema import STRING, Kinds, advance, as_json, start_scan, streams, type_value

OBJECT: Final = frozenset({"object"})
WRAPPER: Final = Kinds(frozenset({"object", "string"}))
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
    _release(run)
    call = run.call
    if call is None or key in call.keys or len(call.keys) >= KEYS_CAP:
        run.anomaly("duplicate_key" if call is not None and key in call.keys else "overlong", key)
        run.go(InValue(region, Ignored()))
        return
    kinds = _kinds(run, region, call, key)
    if _may_wrap(run, region, call, key):
        run.go(InValue(region, Wrapped(key, tuple(sorted(kinds.types)), start_scan(WRAPPER))))
    else:
        _begin(run, region, key, kinds)


def _begin(run: Run, region: str, key: str, kinds: Kinds) -> None:
    """A value is an argument: write what comes before it."""
    _add_key(run, key)
    if streams(kinds):
        run.arguments('"')
        run.go(InValue(region, Flowing()))
    else:
        run.go(InValue(region, Undecided(tuple(sorted(kinds.types)), start_scan(kinds))))


def _add_key(run: Run, key: str) -> None:
    call = run.call
    if call is not None:
        run.arguments(f"{', ' if call.keys else '{'}{quote(key)}: ")
        run.call = Call(call.index, call.name, (*call.keys, key))


def _may_wrap(run: Run, region: str, call: Call, key: str) -> bool:
    """May the value of `key`, the first one of its call, hold all arguments?"""
    kind = run.table.regions[region].kind
    if (
        call.keys
        or not isinstance(kind, Value)
        or key not in kind.unwrap
        or slot(run.slots, "type") in kind.string_tags
    ):
        return False
    declared = run.machine.properties(call.name)
    return declared is not None and key not in declared


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
        text, tokens = run.take(size)
        (_keep if isinstance(shape, Undecided) else _keep_wrapped)(run, at.region, text, tokens)


def _keep(run: Run, region: str, text: str, tokens: int) -> None:
    """Keep more of a value that is not decided; let it flow as soon as it can only be a string."""
    shape = run.at.shape if isinstance(run.at, InValue) else Flowing()
    if not isinstance(shape, Undecided):
        run.arguments(escape(text), text, tokens)
        return
    scan, undecided = advance(shape.scan, text)
    tokens += shape.tokens
    if undecided:
        run.at = InValue(region, Undecided(shape.kinds, scan, append(shape.raw, text), tokens))
        return
    raw = join(shape.raw) + text
    run.arguments('"' + escape(raw), raw, tokens)
    run.at = InValue(region, Flowing())


def _keep_wrapped(run: Run, region: str, text: str, tokens: int) -> None:
    """Keep more of what may be all arguments; it is an argument like any other as soon as it can be no object."""
    shape = run.at.shape if isinstance(run.at, InValue) else None
    if not isinstance(shape, Wrapped):
        return
    scan, undecided = advance(shape.scan, text)
    tokens += shape.tokens
    if undecided:
        run.at = InValue(region, Wrapped(shape.key, shape.kinds, scan, append(shape.raw, text), tokens))
    else:
        _begin(run, region, shape.key, Kinds(frozenset(shape.kinds)))
        _keep(run, region, join(shape.raw) + text, tokens)


def waits_for_its_end(at: At) -> bool:
    """Is this a value whose end is written when its closer is certain, and not before?"""
    return isinstance(at, InValue) and isinstance(at.shape, Flowing | Undecided)


def close_value(run: Run) -> None:
    """The open value ends here."""
    at = run.at
    if not isinstance(at, InValue):
        return
    if isinstance(at.shape, Wrapped):
        _close_wrapped(run, at.region, at.shape)
    elif isinstance(at.shape, Flowing):
        run.arguments('"')
    elif isinstance(at.shape, Undecided):
        raw = join(at.shape.raw)
        run.arguments(type_value(raw, Kinds(frozenset(at.shape.kinds))), raw, at.shape.tokens)


def _close_wrapped(run: Run, region: str, shape: Wrapped) -> None:
    call, raw = run.call, join(shape.raw)
    declared = None if call is None else run.machine.properties(call.name)
    json = as_json(raw, OBJECT)
    if call is None or declared is None or json is None or not declared.keys() >= set(top_keys(json)):
        _begin(run, region, shape.key, Kinds(frozenset(shape.kinds)))
        if raw:
            _keep(run, region, raw, shape.tokens)
        close_value(run)
    else:
        run.dropped("syntax", raw, shape.tokens)
        run.call = Call(call.index, call.name, call.keys, Kept(shape.key, shape.kinds, raw))


def _release(run: Run) -> None:
    """Another key follows: a value that was kept is an argument like any other."""
    call = run.call
    if call is not None and call.kept is not None:
        _add_key(run, call.kept.key)
        run.arguments(type_value(call.kept.raw, Kinds(frozenset(call.kept.kinds))))


def drop_value(run: Run) -> None:
    """The stream ends inside the open value: what is not decided was for nobody."""
    at = run.at
    if isinstance(at, InValue) and isinstance(at.shape, Undecided | Wrapped):
        run.dropped("cut", join(at.shape.raw), at.shape.tokens)


def close_arguments(run: Run) -> None:
    """The open call's arguments, if we write them, are whole."""
    call = run.call
    if call is not None and call.kept is not None:
        run.arguments(call.kept.raw.strip(WHITESPACE))
    elif call is not None:
        run.arguments("}" if call.keys else "{}")


def cut_arguments(run: Run) -> None:
    """The stream ends before the open call does: what was kept is all arguments so far."""
    call = run.call
    if call is not None and call.kept is not None:
        run.arguments(call.kept.raw.strip(WHITESPACE).removesuffix("}"))
