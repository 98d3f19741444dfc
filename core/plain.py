"""Inputs that change nothing: an id or a short text whose events are always the same in this place.

A text is plain in a place if no live literal occurs in it and no suffix of it begins one; inside a JSON string also no
quote, escape or control character. Its event tuple is made once and kept by the region (by call index for arguments),
so a plain step is one look-up and returns the same state. The classification is exact, and made when first asked.
"""

from __future__ import annotations

import re
from typing import Final

from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk
from unbraid.core.grammar import Envelope, Json, Value
from unbraid.core.json_scan import KEY_STRING, STRING
from unbraid.core.json_text import escape
from unbraid.core.lexer import Lexicon
from unbraid.core.records import Flowing, InEnvelope, InJson, InText, InValue, ParserState
from unbraid.core.run import Run
from unbraid.core.table import PLAIN_CALLS, PLAIN_TEXTS, RegionTable, Table
from unbraid.core.vocabulary import Vocabulary

OUTSIDE_CALLS: Final = -1

JSON_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]++')

TEXT_CAP: Final = 64
"""Longest text, in code points, whose events are kept."""


def plain_key(run: Run) -> int | None:
    """Which of the region's tables holds the events of plain input here: the call's index, or OUTSIDE_CALLS. None: input
    is never plain here."""
    at = run.at
    if isinstance(at, InText):
        channel = run.region.channel
        return OUTSIDE_CALLS if channel == "content" or (channel == "reasoning" and run.thinking) else None
    if run.call is None or not 0 <= run.call.index < PLAIN_CALLS:
        return None
    if isinstance(at, InValue):
        return run.call.index if isinstance(at.shape, Flowing) else None
    if isinstance(at, InJson):
        argument = at.argument
    elif isinstance(at, InEnvelope) and at.late is None and at.member.where == "arguments":
        argument = at.member.argument
    else:
        return None
    flowing = argument.form == "raw" and argument.mode in (STRING, KEY_STRING) and not argument.echo
    return run.call.index if flowing else None


def plain_tables(region: RegionTable, key: int) -> tuple[dict[int, Events], dict[str, Events]]:
    """The tables of a place."""
    return region.by_id.setdefault(key, {}), region.by_text.setdefault(key, {})


def plain_id(table: Table, vocabulary: Vocabulary, state: ParserState, token: int) -> Events | None:
    """The events of one id at `state`, if it is plain there; kept for the next time."""
    by_id = state.by_id
    if by_id is None:
        return None
    known = by_id.get(token)
    if known is None and 0 <= token < len(vocabulary.texts) and token not in table.sentinels:
        text = vocabulary.texts[token]
        event = None if text is None else _event(table, state, text, 1)
        if event is not None:
            known = by_id[token] = (event,)
    return known


def plain_text(table: Table, state: ParserState, text: str) -> Events | None:
    """The events of a text without ids at `state`, if it is plain there."""
    by_text = state.by_text
    if by_text is None:
        return None
    event = _event(table, state, text, 0) if text else None
    if event is None:
        return None
    if len(text) <= TEXT_CAP and len(by_text) < PLAIN_TEXTS:
        by_text[text] = (event,)
    return (event,)


def _event(table: Table, state: ParserState, text: str, tokens: int) -> Event | None:
    region = table.regions[state.at.region]
    if isinstance(region.kind, Json | Envelope):
        plain = JSON_PLAIN.fullmatch(text) is not None and _clear(region.watched, text)
    else:
        plain = _clear(region.lexicon, text)
    return _made(region, state, text, tokens) if plain else None


def _clear(words: Lexicon, text: str) -> bool:
    """No literal occurs in `text`, and none begins at its end."""
    return words.find.search(text) is None and words.tail(text, 0) == len(text)


def _made(region: RegionTable, state: ParserState, text: str, tokens: int) -> Event:
    size = len(text)
    if state.call is not None:
        json = escape(text) if isinstance(region.kind, Value) else text
        return ArgumentsChunk(state.call.index, json, size, tokens)
    return ReasoningChunk(text, size, tokens) if region.channel == "reasoning" else ContentChunk(text, size, tokens)
