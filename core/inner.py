"""Arguments given as a JSON string that holds JSON: `"{\\"city\\": \\"Oslo\\"}"` is the object in it.

Two scanners run, one for the string on the wire and one for the text in it. What leaves is the decoded text, as far as
both accept it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from unbraid.core.grammar import WHITESPACE
from unbraid.core.json_scan import BAD, DONE, STRING, in_string, scan
from unbraid.core.json_text import escape, unescape_end, unescape_step
from unbraid.core.records import Argument
from unbraid.core.run import Run

if TYPE_CHECKING:
    from unbraid.core.arguments import Status

ATOM: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]|[^\\]", re.DOTALL
)
"""One code point of a string as it is written."""


def read_inner(run: Run, argument: Argument) -> tuple[Argument, Status]:
    """Read on in the string, whose opening quote was taken. An unfinished escape stays in the hold-back."""
    start = run.pos
    place, mode, nest = scan(run.buf, start, len(run.buf), argument.mode, argument.nest)
    ended = mode == DONE
    raw = run.buf[start : place - 1 if ended else place]
    text, kept = unescape_step("", raw)
    if ended:
        text, kept = text + unescape_end(kept), ""
    raw = raw.removesuffix(kept) if kept else raw
    used, inner_mode, inner_nest, json = _scan_decoded(text, argument.inner_mode, argument.inner_nest)
    if used < len(text):
        return _fail(run, argument, raw, used)
    _emit(run, len(raw), json)
    if ended:
        run.markup("syntax", 1)
        status: Status = "done" if inner_mode == DONE else "bad"
    else:
        broken = mode == BAD or (place < len(run.buf) and in_string(mode))
        status = "bad" if broken else "more"
    return Argument("inner", STRING if kept else mode, nest, inner_mode, inner_nest), status


def is_whole(argument: Argument) -> bool:
    """Is all of the object in the string there, whatever follows it?"""
    return argument.form == "inner" and argument.inner_mode == DONE


def _emit(run: Run, size: int, json: str) -> None:
    if size:
        text, tokens = run.take(size)
        run.arguments(json, text, tokens)


def _scan_decoded(text: str, mode: int, nest: int) -> tuple[int, int, int, str]:
    """(code points accepted, mode, nest, JSON of them)."""
    place, pieces, size = 0, [], len(text)
    while place < size:
        start = place
        place, mode, nest = scan(text, start, size, mode, nest)
        pieces.append(text[start:place])
        if mode == DONE:
            while place < size and text[place] in WHITESPACE:
                place += 1
            break
        if mode == BAD or place == size:
            break
        pieces.append(escape(text[place]))
        place += 1
    return place, mode, nest, "".join(pieces)


def _fail(run: Run, argument: Argument, raw: str, used: int) -> tuple[Argument, Status]:
    """The decoded text is no JSON behind its first `used` code points: send those."""
    size = decoded = 0
    while decoded < used and (found := ATOM.match(raw, size)) is not None:
        size, decoded = found.end(), decoded + 1
    text, _ = unescape_step("", raw[:size])
    _, mode, nest, json = _scan_decoded(text, argument.inner_mode, argument.inner_nest)
    _emit(run, size, json)
    return Argument("inner", argument.mode, argument.nest, mode, nest), "bad"
