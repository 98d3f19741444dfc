"""Inputs that change nothing: an id or a short text whose events are always the same in this place.

A text is plain in a place if no live literal occurs in it and no suffix of it begins one; inside a JSON string also no
quote, escape or control character. Its event is made once and kept by the region (by call index for arguments),
per format and vocabulary and never per request, so a plain step is a look-up and returns the same state. The
classification is exact, and made when first asked. (Texts without ids, where text flows, are `held`'s: there the steps of a
state keep the events.)
"""

from __future__ import annotations

from typing import Final

from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk
from unbraid.core.grammar import Envelope, Json
from unbraid.core.json_scan import KEY_STRING, STRING
from unbraid.core.json_text import escape
from unbraid.core.records import Flowing, InBraces, InCalls, InEnvelope, InJson, InStep, InText, InTree, InValue
from unbraid.core.run import Run
from unbraid.core.table import PLAIN_CALLS, PLAIN_TEXTS, RegionTable, Table

OUTSIDE_CALLS: Final = -1

TEXT_CAP: Final = 64
"""Longest text, in code points, whose events are kept."""


def plain_table(run: Run, *, by_id: bool) -> dict[int | str, Event] | None:
    """The events of plain input where the cursor stands; None if input is never plain here."""
    key = _key(run)
    return None if key is None else run.region.plain.setdefault((by_id, key), {})


def _key(run: Run) -> int | None:
    """The index of the call whose arguments flow here, or OUTSIDE_CALLS for text."""
    at = run.at
    if isinstance(at, InText):
        channel = run.region.channel
        return OUTSIDE_CALLS if channel == "content" or (channel == "reasoning" and run.thinking) else None
    if run.call is None or not 0 <= run.call.index < PLAIN_CALLS:
        return None
    return run.call.index if _flows(run) else None


def _flows(run: Run) -> bool:
    at = run.at
    if isinstance(at, InValue):
        return isinstance(at.shape, Flowing)
    if isinstance(at, InTree):
        return at.leaf is not None and isinstance(at.leaf.shape, Flowing)
    if isinstance(at, InCalls | InBraces):
        return at.where == "string" and not at.muted and not at.echo
    if isinstance(at, InJson):
        argument = at.argument
    elif isinstance(at, InEnvelope) and at.late is None and at.member.where == "arguments":
        argument = at.member.argument
    else:
        return False
    return (
        argument.form == "raw" and argument.mode in (STRING, KEY_STRING) and not argument.echo and argument.key is None
    )


def plain_events(table: Table, state: InStep, key: int | str, text: str) -> Events | None:
    """The events of one id (`key`, with its text) or of a text (`key` is the text) at `state`, if it is plain there."""
    plain = state.plain
    if plain is None or not text:
        return None
    kept = len(text) <= TEXT_CAP  # to look up a long text is to hash all of it
    event = plain.get(key) if kept else None
    if event is None:
        event = _event(table, state, text, 0 if isinstance(key, str) else 1)
        if event is None:
            return None
        if kept and (isinstance(key, int) or len(plain) < PLAIN_TEXTS):
            plain[key] = event
    return (event,)


def _event(table: Table, state: InStep, text: str, tokens: int) -> Event | None:
    region = table.regions[state.at.region]
    if region.body is not None and region.body.fullmatch(text) is None:
        return None
    for words in region.clear:
        if not words.clear(text):
            return None
    return made(region, state, text, tokens)


def made(region: RegionTable, state: InStep, text: str, tokens: int) -> Event:
    """The event of `text` that flows at `state`."""
    size = len(text)
    if state.call is not None:
        json = text if isinstance(region.kind, Json | Envelope) else escape(text)
        return ArgumentsChunk(state.call.index, json, size, tokens)
    return ReasoningChunk(text, size, tokens) if region.channel == "reasoning" else ContentChunk(text, size, tokens)
