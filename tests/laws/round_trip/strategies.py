"""Messages that are hard on parsers.

Text is made of letters of all scripts, white space of all kinds, punctuation of all syntaxes, beginnings and ends of the format's
markers, and whole markers that mean nothing where the text stands. Arguments hold such text, numbers of all sizes, and nested values;
calls of one message repeat each other's arguments under the same name and under another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.corpus.reader import tool
from tests.laws.round_trip.rendering import Call, Sent

# -- tools -----------------------------------------------------------------------------------------------------------------

TYPES: Final = {
    "text": "string",
    "title": "string",
    "count": "integer",
    "ratio": "number",
    "flag": "boolean",
    "gone": "null",
    "data": "object",
    "items": "array",
    "place": "object",
}
"""Each property says its type, and no other one would do."""

_USED: Final = {
    "write_note": ("text", "title", "place", "flag"),
    "measure": ("count", "ratio", "gone", "text"),
    "store.all": ("data", "items", "text"),
    "now": (),
}
ALIKE: Final = ("write_note", "measure", "store.all")
"""They share a property."""

_PLACE: Final = {
    "city": {"type": "string"},
    "rank": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
}

_MORE: Final[Mapping[str, Mapping[str, object]]] = {
    "items": {"items": {}},
    "place": {"properties": _PLACE, "required": []},
}


def _property(key: str) -> dict[str, object]:
    return {"type": TYPES[key], "description": f"the {key}", **_MORE.get(key, {})}


def tools(leaves: tuple[str, ...]) -> list[dict[str, Any]]:
    """The offered tools; `leaves` are properties that a template cannot carry."""
    made = []
    for name, keys in _USED.items():
        properties = {key: _property(key) for key in keys if key not in leaves}
        entry: dict[str, Any] = json.loads(json.dumps(tool(name, {"properties": properties, "required": []})))
        entry["function"]["description"] = f"does {name}"
        made.append(entry)
    return made


# -- text ------------------------------------------------------------------------------------------------------------------

BLANKS: Final = (
    "\n",
    "\n\n",
    "\n\n\n",
    " ",
    "  ",
    "\t",
    "\r\n",
    "\r",
    "\x0b",
    "\x85",
    "\xa0",
    "\u2028",
    "\u3000",
    " " * 17,
)
SIGNS: Final = (
    *"\"'`\\/<>{}[]()=:;,.|&%#@$^*-_~!?",
    *'\\" \\n \\u0041 "} }} {" </ ``` ": &lt; {{ """ \'\'\' ", }\n null true None 1e3 0x1f'.split(" "),
)
SCRIPTS: Final = (
    "naïve",
    "e\u0301",
    "\u212b",
    "今天",
    "한글",
    "हिन्दी",
    "שלום",
    "\U0001f469\u200d\U0001f680",
    "\U00020bb7",
    "\ufeff",
    "\ufffd",
)
CONTROLS: Final = ("\u200b", "\x00", "\x1f", "\x7f", "\u0085")
WORDS: Final = (
    *("the plan is", " world", "if x < 3 and y > 2:"),
    *"Hello call tool arguments name thought assistant json function invoke".split(" "),
)


def _parts(spellings: Sequence[str]) -> set[str]:
    """Beginnings and ends of markers, none of them whole."""
    cuts = [(spelling[:place], spelling[place:]) for spelling in spellings for place in range(1, len(spelling))]
    return {"<", *(part for cut in cuts for part in cut)} - set(spellings)


def _without(live: Sequence[str], words: Iterable[str]) -> list[str]:
    return sorted(word for word in set(words) if not any(one in word for one in live))


def text(spellings: Sequence[str], live: Sequence[str] = ()) -> SearchStrategy[str]:
    """Text, never empty; of the format's `spellings` those that are `live` come about only by chance."""
    inert = _without(live, spellings) or ["<tool>"]
    pieces = st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(BLANKS),
        st.sampled_from(SIGNS),
        st.sampled_from(SCRIPTS + CONTROLS),
        st.sampled_from(_without(live, _parts(spellings))),
        st.sampled_from(inert),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3),
    )
    return st.lists(pieces, min_size=1, max_size=6).map("".join)


# -- arguments -------------------------------------------------------------------------------------------------------------

INTEGERS: Final = st.one_of(st.integers(-9, 9), st.sampled_from((0, 2**53 + 1, -(2**63), 10**40)), st.integers())
NUMBERS: Final = st.one_of(
    st.sampled_from((1e3, 1e300, 1.5e-7, -0.0, 0.1)), st.floats(allow_nan=False, allow_infinity=False)
)
NAMES: Final = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)


def values(texts: SearchStrategy[str], keys: SearchStrategy[str]) -> SearchStrategy[Any]:
    """Any JSON value."""
    scalars = st.one_of(texts, INTEGERS, NUMBERS, st.booleans(), st.none())
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
        max_leaves=6,
    )


def typed(texts: SearchStrategy[str], keys: SearchStrategy[str]) -> dict[str, SearchStrategy[Any]]:
    """A value for each property: what its type allows and nothing else would read the same."""
    return {
        "text": texts,
        "title": texts,
        "count": INTEGERS,
        "ratio": NUMBERS,
        "flag": st.booleans(),
        "gone": st.none(),
        "data": st.dictionaries(keys, values(texts, keys), max_size=3),
        "items": st.lists(values(texts, keys), max_size=3),
        "place": st.fixed_dictionaries(
            {"city": texts, "rank": INTEGERS, "tags": st.lists(texts, min_size=1, max_size=2)}
        ),
    }


def _declared(name: str, kinds: Mapping[str, SearchStrategy[Any]], leaves: tuple[str, ...]) -> SearchStrategy[Any]:
    """Arguments of one tool by its schema: some of them, in any order."""
    keys = [key for key in _USED[name] if key not in leaves]
    some = st.permutations(keys).flatmap(lambda order: st.integers(0, len(order)).map(lambda count: order[:count]))
    return some.flatmap(lambda chosen: st.fixed_dictionaries({key: kinds[key] for key in chosen}))


@st.composite
def wire(draw: st.DrawFn, texts: SearchStrategy[str]) -> str:
    """The JSON text of an object as a model may write it: any white space, spelling of numbers, and escapes."""
    value = draw(st.dictionaries(texts, values(texts, texts), max_size=3))
    value |= draw(st.sampled_from(({}, {"n": "NUMBER"})))
    written = json.dumps(
        value,
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from(((", ", ": "), (",", ":"), (" ,\n", " :\t")))),
    )
    return written.replace('"NUMBER"', draw(st.sampled_from(("1e3", "-0", "0.10", "1E+2", "9" * 50, "1e-400"))))


# -- messages --------------------------------------------------------------------------------------------------------------


@frozen
class Range:
    """What a row of the table can express.

    `calls`, `least`: most and least calls in one message. `typed`: values are written as plain text, by the tool's schema; `verbatim`: JSON
    text is written as it is given. `reasoning`: whether a message has some. `beside`: a call may have content beside it; `both`: it may have
    reasoning too. `leaves`: properties that the template cannot carry; `named`: keys are identifiers.
    """

    calls: int = 3
    least: int = 0
    typed: bool = False
    verbatim: bool = False
    reasoning: tuple[bool, ...] = (False, True)
    beside: bool = True
    both: bool = True
    leaves: tuple[str, ...] = ()
    named: bool = False


@frozen
class Live:
    """All spellings of a format, those that mean something in its strands and in its values, and special tokens."""

    spellings: tuple[str, ...]
    reasoning: tuple[str, ...]
    content: tuple[str, ...]
    values: tuple[str, ...]
    special: tuple[str, ...]


def messages(span: Range, live: Live) -> SearchStrategy[Sent]:
    """Messages with something in them."""
    return _messages(span, live)


@st.composite
def _messages(draw: st.DrawFn, span: Range, live: Live) -> Sent:
    thinks = draw(st.sampled_from(span.reasoning))
    reasoning = draw(_text(live, live.reasoning)) if thinks else None
    count = draw(st.integers(span.least, span.calls))
    silent = count > 0 and (not span.beside or (thinks and not span.both))
    content = None if silent or (count and draw(st.booleans())) else draw(_text(live, live.content))
    return Sent(reasoning, content, tuple(draw(_calls(span, live, count))))


def _text(live: Live, here: Sequence[str]) -> SearchStrategy[str]:
    return text(live.spellings, (*here, *live.special))


def _calls(span: Range, live: Live, count: int) -> SearchStrategy[list[Call]]:
    one = _call(span, live)
    alike = one.map(lambda call: [call] * count)
    shared = _text(live, live.values).map(lambda found: {"text": found}) if span.typed else _arguments(span, live, "")
    renamed = shared.map(lambda arguments: [Call(name, arguments) for name in ALIKE[:count]])
    different = st.lists(one, min_size=count, max_size=count)
    return st.one_of(different, different, alike, renamed)


def _call(span: Range, live: Live) -> SearchStrategy[Call]:
    return st.sampled_from(sorted(_USED)).flatmap(
        lambda name: _arguments(span, live, name).map(lambda found: Call(name, found))
    )


def _arguments(span: Range, live: Live, name: str) -> SearchStrategy[Any]:
    anything = text((*live.spellings, *live.special))
    if span.typed:
        strings = _text(live, live.values)
        return _declared(name, typed(strings, NAMES if span.named else strings), span.leaves)
    if span.verbatim:
        return wire(anything)
    return st.dictionaries(anything, values(anything, anything), max_size=3)
