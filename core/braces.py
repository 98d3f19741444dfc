"""Arguments as pairs in brackets: `Braces` regions, and the JSON that we write for them.

    arguments = open [ pair ("," pair)* ","? ] close          pair  = key separator value
    key       = bare text | string                            value = string | object | array | bare text
    object    = "{" [ pair ("," pair)* ","? ] "}"             array = "[" [ value ("," value)* ","? ] "]"
    string    = quote text quote

Strings are what stands between two quotes, without escapes. A quote ends its string only before `,` `}` `]`, the closer of
the arguments, a marker, or the end of the stream; any other one is data, as the model wrote a quotation mark (`inner`).
Bare text goes up to `,` `}` `]` without the white space around it. The tool's schema types it; inside another value, and for
a property of which no schema says anything, it is a JSON number, boolean or null if it reads as one, else a string.

The outermost closer may be the one of another opener. A marker behind a whole pair stands for the closer. A key that is
given twice counts once; keys inside an object are not compared. `nest` is the open brackets as in `json_scan`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, TypeAlias

from unbraid.core.brackets import (
    MARKER,
    WORD_CAP,
    ahead,
    begin_member,
    closes,
    first_marker,
    give_up,
    piece,
    stop,
    walk,
    watch,
    write,
)
from unbraid.core.grammar import NAME_CAP, WHITESPACE, Braces
from unbraid.core.json_scan import MAX_DEPTH
from unbraid.core.json_text import escape
from unbraid.core.json_text import quote as quoted
from unbraid.core.lexer import blanks_end
from unbraid.core.records import InBraces
from unbraid.core.rows import lexeme
from unbraid.core.run import Run
from unbraid.core.schema import STRING, Kinds, type_value

Next: TypeAlias = InBraces | bool

OUTER: Final = 0b11
"""The `nest` of the arguments themselves."""

SCALARS: Final = Kinds(frozenset({"null", "boolean", "integer", "number", "string"}))
"""Bare text of which no schema says anything."""

_FULL: Final = 1 << MAX_DEPTH
_BEHIND_STRING: Final = ",}]"


def braces(run: Run) -> bool:
    """Read on in pairs. False: more input is needed."""
    at = run.at
    return isinstance(at, InBraces) and walk(run, at, InBraces, _STEPS)


def _to(at: InBraces, where: str, nest: int = 0, item: str = "") -> InBraces:
    """Another place; `nest` 0: in the same bracket."""
    return _stand(at.region, where, nest or at.nest, at.closer, item, at.muted)


@lru_cache
def _stand(region: str, where: str, nest: int, closer: str, item: str, muted: bool) -> InBraces:
    return InBraces(region, where, nest, closer, item, muted)


def _kind(run: Run) -> Braces:
    kind = run.region.kind
    return kind if isinstance(kind, Braces) else Braces()


def _quote_at(run: Run, place: int) -> str | None:
    """The quote at `place`, "" if none is there, None if more input decides."""
    words = run.region.quotes
    found = words.bare.match(run.buf, place)
    if found is None and not run.final and run.buf[place : place + words.longest] in words.prefixes:
        return None
    return "" if found is None else found.group()


def _open(run: Run, at: InBraces) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    kind = _kind(run)
    place = kind.open.find(char)
    if place < 0:
        return give_up(run, run.pos)
    run.markup("syntax", 1)
    return InBraces(at.region, "first_key", OUTER, kind.close[place])


# -- keys ------------------------------------------------------------------------------------------------------------------


def _key(run: Run, at: InBraces) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return _stop(run, at, char)
    if _is_closer(run, at, char):
        return _close(run, at)
    mark = _quote_at(run, run.pos)
    if mark is None:
        return False
    return _quoted_key(run, at, mark) if mark else _bare_key(run, at)


def _quoted_key(run: Run, at: InBraces, mark: str) -> Next:
    start = run.pos + len(mark)
    end = run.buf.find(mark, start, start + NAME_CAP + len(mark))
    if end < 0:
        return len(run.buf) - start >= NAME_CAP + len(mark) and give_up(run, start + NAME_CAP)
    key = run.source(start, end)
    run.markup("syntax", end + len(mark) - run.pos)
    return _to(at, "first_pair" if at.where == "first_key" else "pair", item=key)


def _bare_key(run: Run, at: InBraces) -> Next:
    kind = _kind(run)
    end, certain = _ends_before(run, at, run.region.ends, NAME_CAP)
    if end - run.pos > NAME_CAP:
        return give_up(run, run.pos + NAME_CAP)
    if not certain:
        return False
    key = run.source(run.pos, end).rstrip(WHITESPACE)
    if not key or run.buf[end] not in kind.pair:
        return give_up(run, end)
    return _member(run, at, key, end + 1)


def _ends_before(run: Run, at: InBraces, ends: re.Pattern[str], cap: int) -> tuple[int, bool]:
    """(where the bare text at the cursor ends, whether that is certain); no further than just beyond `cap`. If it is not,
    the place remembers how far it was looked at."""
    start, last = run.pos + at.scanned, min(run.pos + cap + 1, len(run.buf))
    found = ends.search(run.buf, start, last)
    end, certain = first_marker(run, start, last if found is None else found.start())
    certain = certain and end < len(run.buf)
    if not certain:
        run.at = InBraces(at.region, at.where, at.nest, at.closer, at.item, at.muted, scanned=end - run.pos)
    return end, certain


def _pair(run: Run, at: InBraces) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    if char not in _kind(run).pair:
        return give_up(run, run.pos)
    return _member(run, at, at.item, run.pos + 1)


def _member(run: Run, at: InBraces, key: str, place: int) -> InBraces:
    """`key` and what stands behind it end before `place`."""
    run.markup("syntax", place - run.pos)
    if at.nest == OUTER:
        return _stand(at.region, "value", OUTER, at.closer, "", begin_member(run, key))
    write(run, ("" if at.where.startswith("first") else ", ") + quoted(key) + ": ", muted=at.muted)
    return _to(at, "value")


# -- values ----------------------------------------------------------------------------------------------------------------


def _value(run: Run, at: InBraces) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    if char == "]" and at.where != "value":
        return _close(run, at)
    lead = ", " if at.where == "item" else ""
    if char in "{[":
        return _push(run, at, char, lead)
    mark = _quote_at(run, run.pos)
    if mark is None:
        return False
    if not mark:
        return _bare(run, at, lead)
    piece(run, len(mark), lead + '"', muted=at.muted)
    return _to(at, "string")


def _push(run: Run, at: InBraces, char: str, lead: str) -> Next:
    if at.nest >= _FULL:
        return give_up(run, run.pos)
    piece(run, 1, lead + char, muted=at.muted)
    if char == "{":
        return _to(at, "first_key", at.nest << 1 | 1)
    return _to(at, "first_item", at.nest << 1)


def _bare(run: Run, at: InBraces, lead: str) -> Next:
    """Bare text stands at the cursor."""
    end, certain = _ends_before(run, at, _bare_end(at.closer if at.nest == OUTER else ""), WORD_CAP)
    if end - run.pos > WORD_CAP:
        return give_up(run, run.pos + WORD_CAP)
    if not certain:
        return False
    size = len(run.buf[run.pos : end].rstrip(WHITESPACE))
    if not size and at.where != "value":
        return give_up(run, run.pos)
    json = lead + type_value(run.source(run.pos, run.pos + size), _kinds(run, at))
    if size:
        piece(run, size, json, muted=at.muted)
    else:
        write(run, json, muted=at.muted)
    return _to(at, "after")


@cache
def _bare_end(closer: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(closer)},}}\\]]")


def _kinds(run: Run, at: InBraces) -> Kinds:
    """The JSON types of the value that is read."""
    call = run.call
    known = None if call is None or run.machine.tools is None else run.machine.tools.get(call.name)
    if call is None or known is None or at.nest != OUTER or not call.keys:
        return SCALARS
    key = call.keys[-1]
    return SCALARS if key not in known.properties and known.additional == STRING else known.kinds(key)


def _string(run: Run, at: InBraces) -> Next:
    buf, words = run.buf, run.region.quotes
    found = words.find.search(buf, run.pos)
    place = words.tail(buf, run.pos) if found is None else found.start()
    openers, echo = watch(run, at.openers, at.echo, buf[run.pos : place])
    piece(run, place - run.pos, escape(run.source(run.pos, place)), muted=at.muted)
    size = 0 if found is None else len(found.group())
    verdict = None if found is None else _ends(run, at, place + size)
    if verdict is None:
        run.at = InBraces(at.region, "string", at.nest, at.closer, "", at.muted, openers, echo)
        return False
    if verdict:
        piece(run, size, '"', muted=at.muted)
        return _to(at, "after")
    openers, echo = watch(run, openers, echo, buf[place : place + size])
    piece(run, size, escape(_kind(run).inner or run.source(place, place + size)), muted=at.muted)
    return InBraces(at.region, "string", at.nest, at.closer, "", at.muted, openers, echo)


def _ends(run: Run, at: InBraces, place: int) -> bool | None:
    """May a string end before `place`? The closer that goes with another opener counts before a marker or the end."""
    if at.nest != OUTER:
        return closes(run, place, _BEHIND_STRING)
    verdict = closes(run, place, _BEHIND_STRING + at.closer)
    behind = blanks_end(run.buf, place)
    if verdict is False and run.buf[behind : behind + 1] in tuple(_kind(run).close):
        return closes(run, behind + 1, "")
    return verdict


# -- behind values ---------------------------------------------------------------------------------------------------------


def _after(run: Run, at: InBraces) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return _stop(run, at, char)
    if _is_closer(run, at, char):
        return _close(run, at)
    if char != ",":
        return give_up(run, run.pos)
    run.markup("syntax", 1)
    where = "key" if at.nest & 1 else "item"
    return _stand(at.region, where, at.nest, at.closer, "", at.muted and at.nest != OUTER)


def _stop(run: Run, at: InBraces, why: str) -> bool:
    """`ahead` gave no code point; a marker stands for the closer of the arguments."""
    if why == MARKER and at.nest == OUTER and run.trial is None and run.call is not None:
        run.anomaly("missing_end")
        write(run, "}" if run.call.keys else "{}", muted=False)
        run.end_call(complete=True)
    return stop(run, why)


def _is_closer(run: Run, at: InBraces, char: str) -> bool:
    if at.nest == OUTER:
        return char in _kind(run).close
    return char == ("}" if at.nest & 1 else "]")


def _close(run: Run, at: InBraces) -> Next:
    """The closer of the innermost bracket stands at the cursor."""
    if at.nest != OUTER:
        piece(run, 1, "}" if at.nest & 1 else "]", muted=at.muted)
        return _to(at, "after", at.nest >> 1)
    piece(run, 1, "}" if run.call is not None and run.call.keys else "{}", muted=False)
    run.end_call(complete=True)
    lexeme(run, "@closed", 0, 0)
    return True


_STEPS: Final[dict[str, Callable[[Run, InBraces], Next]]] = {
    "open": _open,
    "first_key": _key,
    "key": _key,
    "first_pair": _pair,
    "pair": _pair,
    "value": _value,
    "first_item": _value,
    "item": _value,
    "string": _string,
    "after": _after,
}
