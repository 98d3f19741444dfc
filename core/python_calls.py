"""Calls as Python writes them: `PythonCalls` regions, and the JSON that we write for their arguments.

    list     = "[" [ call ("," call)* ","? ] "]"          lines = call*, up to a marker
    call     = name "(" [ keyword ("," keyword)* ","? ] ")"
    keyword  = identifier "=" value                       name = identifier ("." identifier)*, "-" inside it too
    value    = string+ | word | list | tuple | set | dict, with `python_literals` for strings and words
    dict     = "{" [ key ":" value ("," key ":" value)* ","? ] "}"       key = string | word

A call is certain once its name, `(` and `)` or the first `keyword=` were read; all that is held until then is capped. It
ends with its `)`. Everything else (positional arguments, operators, calls in values, other names) breaks it off, or refuses
it while nothing is certain.

What is written is a prefix of the final JSON at every moment, so

- `, ` waits for the element behind it: a trailing comma is none;
- a string's closing quote waits for what follows, because neighbours are one string;
- behind `{` nothing is known until the first item ended: `:` makes it a dict, anything else a set, which is an array;
- behind `(` a comma makes a tuple; a parenthesis around one string or word is just that. A first item that is longer than
  a key may be (`NAME_CAP`) is an item of a set, or stands alone in its parenthesis; one that is a container itself is one
  of a set or a tuple.

`nest` is the open brackets, three bits each. A keyword that is given twice counts once; keys inside a dict are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
from unbraid.core.grammar import GAP_CAP, NAME_CAP, PythonCalls
from unbraid.core.json_scan import MAX_DEPTH
from unbraid.core.json_text import quote as quoted
from unbraid.core.lexer import blanks_end
from unbraid.core.python_literals import NO_STRING, read_body, string_start, word_json
from unbraid.core.records import InCalls
from unbraid.core.rows import begin_call, lexeme
from unbraid.core.run import Run
from unbraid.core.trials import commit

Next: TypeAlias = InCalls | bool

_BITS: Final = 3  # of `nest` for each open bracket
_LIST, _TUPLE, _SET, _DICT, _GROUP, _CALL, _BRACE, _PAREN = range(1 << _BITS)
"""Open brackets. A `_GROUP` is a parenthesis around one value; `_BRACE` and `_PAREN` are not decided."""

_CLOSER: Final = "])}}))})"  # of each of them
_CLOSED: Final = ("]", "]", "]", "}", "", "}", "{}", "[]")  # the JSON at their end
_BEHIND_COMMA: Final = {_LIST: "item", _TUPLE: "item", _SET: "item", _DICT: "undecided", _CALL: "keyword"}
_OPENERS: Final = {"[": _LIST, "(": _PAREN, "{": _BRACE}
_FULL: Final = 1 << MAX_DEPTH - _BITS
_IN_CALL: Final = 1 << _BITS | _CALL

_IDENTIFIER: Final = r"[^\W\d]\w*+"
_SPACE: Final = r"[\n\r\t ]*+"
_HEAD: Final = re.compile(
    rf"(?P<name>[^\W\d][\w.\-]*+)(?P<gap1>{_SPACE})"
    rf"(?:\((?P<gap2>{_SPACE})(?:(?P<close>\))|(?P<key>{_IDENTIFIER})(?P<gap3>{_SPACE})(?P<pair>=)?+)?+)?+"
)
_HEAD_CAP: Final = 2 * NAME_CAP + 3 * GAP_CAP + 3  # code points; no head whose parts keep to their caps is as long
_KEYWORD: Final = re.compile(rf"(?P<key>{_IDENTIFIER})(?P<gap>{_SPACE})(?P<pair>=)?+")
_NAME: Final = re.compile(r"[^\W\d][\w\-]*+(?:\.[^\W\d][\w\-]*+)*+")
_WORD_END: Final = re.compile(r"[^\w.+\-]")

FOLLOWERS: Final = ",)]}:"
"""What may stand behind a string, where a quotation mark alone does not end it."""


def python_calls(run: Run) -> bool:
    """Read on in calls. False: more input is needed."""
    at = run.at
    return isinstance(at, InCalls) and walk(run, at, InCalls, _STEPS)


def end_calls(run: Run) -> None:
    """The stream ends here: a string that was read is whole; the beginning of another call is none."""
    at = run.at
    if isinstance(at, InCalls) and at.where == "joint":
        write(run, '"', muted=at.muted)
    if run.call is None and run.pos < len(run.buf):
        run.anomaly("truncated")


def _to(at: InCalls, where: str, nest: int = 0, quote: str = "", item: str = "") -> InCalls:
    """Another place in the same call; `nest` 0: in the same bracket."""
    return InCalls(at.region, where, nest or at.nest, quote, item, at.muted)


def _kind(run: Run) -> PythonCalls:
    kind = run.region.kind
    return kind if isinstance(kind, PythonCalls) else PythonCalls()


def _top(at: InCalls) -> int:
    return at.nest & (1 << _BITS) - 1


# -- calls -----------------------------------------------------------------------------------------------------------------


def _open(run: Run, at: InCalls) -> Next:
    if _kind(run).shape == "lines":
        return _to(at, "call")
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    if char != "[":
        return give_up(run, run.pos)
    run.markup("syntax", 1)
    return _to(at, "first_call")


def _call(run: Run, at: InCalls) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return _stop_list(run, char)
    if char == "]" and at.where == "call" and _kind(run).shape == "list":
        return _close_list(run)
    found = _HEAD.match(run.buf, run.pos, run.pos + _HEAD_CAP)
    whole = _whole(run, found, "name", "gap1", "gap2", "key", "gap3")
    if found is None or isinstance(whole, bool):
        return whole is True
    name, end = found["name"], found.end("name")
    if not _NAME.fullmatch(name) or _declines(run, name):
        return give_up(run, end)
    begin_call(run, name, None, len(name))
    commit(run)
    if found["key"] is not None:
        return _member(run, at, found)
    run.markup("syntax", found.end() - run.pos)
    run.arguments("{}")
    run.end_call(complete=True)
    return _to(at, "between")


def _whole(run: Run, found: re.Match[str] | None, *parts: str) -> bool | None:
    """Is this the whole head of a call or an argument? None: it is. True: it is none, the machine moved. False: more input
    is needed."""
    if found is None:
        return give_up(run, run.pos)
    for part in parts:
        cap = GAP_CAP if part.startswith("gap") else NAME_CAP
        if found.end(part) - found.start(part) > cap:
            return give_up(run, found.start(part) + cap)
    if found.lastgroup in ("close", "pair"):
        return None
    return found.end() < len(run.buf) and give_up(run, found.end())


def _declines(run: Run, name: str) -> bool:
    """A call of a tool that is not offered is text, if the format or the policy says so and it can still be text."""
    return run.trial is not None and run.machine.unknown_is_text and not run.machine.offers(name)


def _member(run: Run, at: InCalls, found: re.Match[str]) -> InCalls:
    """The keyword and its `=` end at the end of `found`."""
    run.markup("syntax", found.end() - run.pos)
    return InCalls(at.region, "value", _IN_CALL, muted=begin_member(run, found["key"]))


def _between(run: Run, at: InCalls) -> Next:
    if _kind(run).shape == "lines":
        return _to(at, "call")
    char = ahead(run)
    if len(char) != 1:
        return _stop_list(run, char)
    if char == "]":
        return _close_list(run)
    if char != ",":
        return give_up(run, run.pos)
    run.markup("syntax", 1)
    return _to(at, "call")


def _stop_list(run: Run, why: str) -> bool:
    """`ahead` gave no code point between calls; a marker there ends a list too early."""
    if why == MARKER and run.trial is None and _kind(run).shape == "list":
        run.anomaly("malformed")
    return stop(run, why)


def _close_list(run: Run) -> bool:
    run.markup("syntax", 1)
    lexeme(run, "@closed", 0, 0)
    return True


# -- values ----------------------------------------------------------------------------------------------------------------


def _keyword(run: Run, at: InCalls) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    if char == ")":
        return _close(run, at)
    found = _KEYWORD.match(run.buf, run.pos, run.pos + _HEAD_CAP)
    whole = _whole(run, found, "key", "gap")
    return whole is True if found is None or isinstance(whole, bool) else _member(run, at, found)


def _value(run: Run, at: InCalls) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    if at.where != "value" and char == _CLOSER[_top(at)]:
        return _close(run, at)
    lead = ", " if at.where == "item" else ""
    bracket = _OPENERS.get(char)
    if bracket is not None:
        return _push(run, at, bracket, lead)
    string = string_start(run.buf, run.pos)
    if string is None:
        return False
    if string != NO_STRING:
        piece(run, string[0], lead + '"', muted=at.muted)
        return _to(at, "string", quote=string[1])
    word = _word(run, at)
    if isinstance(word, bool):
        return word
    piece(run, word[0], lead + word[1], muted=at.muted)
    return _to(at, "after")


def _push(run: Run, at: InCalls, bracket: int, lead: str) -> Next:
    """The bracket at the cursor opens."""
    if at.nest >= _FULL:
        return give_up(run, run.pos)
    nest = at.nest << _BITS | bracket
    if bracket == _LIST:
        piece(run, 1, lead + "[", muted=at.muted)
        return _to(at, "first_item", nest)
    write(run, lead, muted=at.muted)
    run.markup("syntax", 1)
    return _to(at, "undecided", nest)


def _word(run: Run, at: InCalls) -> tuple[int, str] | bool:
    """(size, JSON) of the word at the cursor; True: it is none, the machine moved; False: more input is needed."""
    start, last = run.pos + at.scanned, min(run.pos + WORD_CAP + 1, len(run.buf))
    found = _WORD_END.search(run.buf, start, last)
    place, certain = first_marker(run, start, last if found is None else found.start())
    if place == run.pos and certain:
        return give_up(run, run.pos)
    if place - run.pos > WORD_CAP:
        return give_up(run, run.pos + WORD_CAP)
    if place == len(run.buf) or not certain:
        run.at = InCalls(at.region, at.where, at.nest, at.quote, at.item, at.muted, scanned=place - run.pos)
        return False
    json = word_json(run.buf[run.pos : place])
    return give_up(run, place) if json is None else (place - run.pos, json)


def _after(run: Run, at: InCalls) -> Next:
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    top = _top(at)
    if char == _CLOSER[top]:
        return _close(run, at)
    where = _BEHIND_COMMA.get(top) if char == "," else None
    if where is None:
        return give_up(run, run.pos)
    run.markup("syntax", 1)
    return InCalls(at.region, where, at.nest, muted=at.muted and top != _CALL)


def _close(run: Run, at: InCalls) -> InCalls:
    """The closer of the innermost bracket stands at the cursor."""
    top = _top(at)
    if top == _CALL:
        piece(run, 1, "}", muted=False)
        run.end_call(complete=True)
        return InCalls(at.region, "between")
    piece(run, 1, _CLOSED[top], muted=at.muted)
    return _to(at, "after", at.nest >> _BITS)


# -- strings ---------------------------------------------------------------------------------------------------------------


def _string(run: Run, at: InCalls) -> Next:
    body = read_body(run, run.pos, at.quote, lambda place: _ends(run, place))
    openers, echo = watch(run, at.openers, at.echo, run.buf[run.pos : body.end + body.size])
    piece(run, body.end - run.pos, body.json, muted=at.muted)
    if body.status == "bad":
        return give_up(run, run.pos)
    run.markup("syntax", body.size)
    if body.status == "closed":
        return _to(at, "joint")
    now = InCalls(at.region, "string", at.nest, at.quote, "", at.muted, openers, echo)
    if body.status == "skip":
        return now
    run.at = now
    return False


def _ends(run: Run, place: int) -> bool | None:
    """May a string end before `place`?"""
    return _kind(run).closers == "first" or closes(run, place, FOLLOWERS)


def _joint(run: Run, at: InCalls) -> Next:
    """Behind a string: another one is more of it."""
    run.markup("syntax", blanks_end(run.buf, run.pos) - run.pos)
    if run.pos == len(run.buf):
        return False
    string = string_start(run.buf, run.pos)
    if string is None:
        return False
    if string != NO_STRING:
        run.markup("syntax", string[0])
        return _to(at, "string", quote=string[1])
    write(run, '"', muted=at.muted)
    return _to(at, "after")


# -- brackets that are not decided, and keys -------------------------------------------------------------------------------


def _undecided(run: Run, at: InCalls) -> Next:
    """The first item behind `{` or `(`, or a key; `item` is what stands of it already."""
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    top = _top(at)
    if char == _CLOSER[top] and not at.item:
        return _close(run, at)
    if char in _OPENERS and top != _DICT and not at.item:
        write(run, "[", muted=at.muted)
        return _to(at, "first_item", _decided(at, _SET if top == _BRACE else _TUPLE))
    string = string_start(run.buf, run.pos)
    if string is None:
        return False
    if string != NO_STRING:
        return _first_string(run, at, *string)
    word = give_up(run, run.pos) if at.item else _word(run, at)
    if isinstance(word, bool):
        return word
    run.markup("syntax", word[0])
    return _to(at, "decide", item=word[1])


def _decided(at: InCalls, bracket: int) -> int:
    return at.nest >> _BITS << _BITS | bracket


def _first_string(run: Run, at: InCalls, size: int, quote: str) -> Next:
    """The string at the cursor is held until it ends, or is too long for a key."""
    body = read_body(run, run.pos + size, quote, lambda place: _ends(run, place), whole=True)
    begun = at.item[:-1] or '"'
    if len(at.item) + body.end - run.pos - size > NAME_CAP:
        return _overlong(run, at, begun, size, quote)
    if body.status == "bad":
        return give_up(run, body.end)
    if body.status != "closed":
        return False
    run.markup("syntax", body.end + body.size - run.pos)
    return _to(at, "decide", item=f'{begun}{body.json}"')


def _overlong(run: Run, at: InCalls, begun: str, size: int, quote: str) -> Next:
    """The string at the cursor is no key: it is an item, or stands alone in its parenthesis, and streams."""
    top = _top(at)
    if top == _DICT:
        return give_up(run, run.pos)
    write(run, ("[" if top == _BRACE else "") + begun, muted=at.muted)
    run.markup("syntax", size)
    return _to(at, "string", _decided(at, _SET if top == _BRACE else _GROUP), quote)


def _decide(run: Run, at: InCalls) -> Next:
    """Behind the first item, or behind a key."""
    char = ahead(run)
    if len(char) != 1:
        return stop(run, char)
    top = _top(at)
    if char == ":" and top != _PAREN:
        run.markup("syntax", 1)
        key = at.item if at.item.startswith('"') else quoted(at.item)
        write(run, f"{'{' if top == _BRACE else ', '}{key}: ", muted=at.muted)
        return _to(at, "value", _decided(at, _DICT))
    if char in (",", _CLOSER[top]) and top != _DICT:
        return _decide_array(run, at, top, char)
    string = string_start(run.buf, run.pos) if at.item.startswith('"') else NO_STRING
    if string is None:
        return False
    return give_up(run, run.pos) if string == NO_STRING else _to(at, "undecided", item=at.item)


def _decide_array(run: Run, at: InCalls, top: int, char: str) -> InCalls:
    """A comma or the closer behind the first item: a set, a tuple, or a value in a parenthesis."""
    run.markup("syntax", 1)
    if char == ",":
        write(run, "[" + at.item, muted=at.muted)
        return _to(at, "item", _decided(at, _SET if top == _BRACE else _TUPLE))
    write(run, f"[{at.item}]" if top == _BRACE else at.item, muted=at.muted)
    return _to(at, "after", at.nest >> _BITS)


_STEPS: Final[dict[str, Callable[[Run, InCalls], Next]]] = {
    "open": _open,
    "first_call": _call,
    "call": _call,
    "between": _between,
    "keyword": _keyword,
    "value": _value,
    "first_item": _value,
    "item": _value,
    "after": _after,
    "string": _string,
    "joint": _joint,
    "undecided": _undecided,
    "decide": _decide,
}
