"""Arguments in braces, with made formats: quotes of one code point, and quotes that look like a marker."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import ill_formed, message
from tests.corpus.reader import Call, Message, tool
from tests.laws.machines import fold_ids, fold_text, right
from tests.laws.test_tiling import all_events
from tests.unit.streams import at_every_split, kinds
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.check import check
from unbraid.core.compose import CONTENT, compose
from unbraid.core.errors import RegionDefect
from unbraid.core.events import ArgumentsChunk, ContentChunk, Events, Markup
from unbraid.core.grammar import (
    KEYS_CAP,
    NAME_CAP,
    WHITESPACE,
    Braces,
    Capture,
    Field,
    Format,
    Gap,
    Policies,
    Region,
    Terminal,
    Text,
)
from unbraid.core.json_scan import MAX_DEPTH
from unbraid.core.machine import start, step
from unbraid.core.notation import rows
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.snapshot import from_json, to_json

PROPERTIES = {
    "s": {"type": "string"},
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
}
OFFERED = [
    tool("f", {"properties": PROPERTIES}),
    tool("g", {"properties": {}}),
    tool("h", {"additionalProperties": {"type": "number"}}),
]
QUOTE = "<|q|>"


def braced(braces: Braces) -> Format:
    """Calls `<<name` with arguments in braces, ended by `>>`."""
    return Format(
        name="braced",
        about="made: arguments in braces",
        tools=True,
        terminals=(Terminal("START", ("<<",)), Terminal("OPEN", tuple(braces.open)), Terminal("END", (">>",))),
        regions=(
            CONTENT,
            Region("name", Capture((Field("name"),), stops=WHITESPACE + "<"), "call", trial="opening"),
            Region("arguments", braces, "call"),
            Region("junk", Text(), "none"),
            Region("after", Gap(touches=True), "content"),
        ),
        rows=rows("""
            content after  START    -> name
            name           OPEN     -> arguments  keep do=call when=name
            arguments      @closed  -> after
            arguments      END      -> after      do=end
            arguments      @bad     -> junk
            junk           END      -> after
            after          END      -> after
            after          @text    -> content
        """),
    )


def machine(
    braces: Braces, policies: Policies = Policies(), offered: object = OFFERED, vocabulary: Vocabulary | None = None
) -> Machine:
    """The machine of a made half."""
    return right(with_tools(right(bind(right(compose(None, braced(braces))), vocabulary, policies)), offered))  # type: ignore[arg-type]


PLAIN = machine(Braces())
MARKED = machine(Braces("{(", "})", ":=", QUOTE, inner='"'))
UNTYPED = machine(Braces("{(", "})", ":=", QUOTE, inner='"'), offered=None)
ROUND = machine(Braces("(", ")", "=", "''"))


def read(made: Machine, text: str) -> Message:
    """What `text` means, at every split."""
    return message(at_every_split(made, text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{}", "{}"),
        ("{ }", "{}"),
        ('{s:"x"}', '{"s": "x"}'),
        ('{s:""}', '{"s": ""}'),
        ('{ s : "x" , n : 1 , }', '{"s": "x", "n": 1}'),
        ('{"s":"x","a b":1}', '{"s": "x", "a b": 1}'),
        ("{two words:1}", '{"two words": 1}'),
        ('{s:"a\\b\n\tc\x01"}', r'{"s": "a\\b\n\tc\u0001"}'),
        ('{s:"say "hi" to"}', r'{"s": "say \"hi\" to"}'),
        ('{s:"a" ,n:1}', '{"s": "a", "n": 1}'),
        ('{a:["x" , "y" ]}', '{"a": ["x", "y"]}'),
        ("{s: two words }", '{"s": "two words"}'),
        ("{s:1 2:3}", '{"s": "1 2:3"}'),
        ("{s:5,n:5,u:5,x:5}", '{"s": "5", "n": 5, "u": 5, "x": 5}'),
        ("{n:abc,b:True,u:None,x:None}", '{"n": "abc", "b": true, "u": "None", "x": null}'),
        ("{n:1.,x:1.,y:1e999,z:-0}", '{"n": "1.", "x": "1.", "y": "1e999", "z": -0}'),
        ("{s:,x:}", '{"s": "", "x": ""}'),
        ("{x:[],y:{},z:[[],{}]}", '{"x": [], "y": {}, "z": [[], {}]}'),
        ("{x:[1,2,],y:{a:1,},}", '{"x": [1, 2], "y": {"a": 1}}'),
        ("{x:[1, a b ,null,true]}", '{"x": [1, "a b", null, true]}'),
        ('{x:{a:{b:["c",{d:e}]}}}', '{"x": {"a": {"b": ["c", {"d": "e"}]}}}'),
        ('{x:{"k k":1,"l":2}}', '{"x": {"k k": 1, "l": 2}}'),
        ("{x:http://a/b(c)}", '{"x": "http://a/b(c)"}'),
        ("{x:" + "y" * 512 + "}", '{"x": "' + "y" * 512 + '"}'),
        ("{" + "k" * NAME_CAP + ":1}", '{"' + "k" * NAME_CAP + '": 1}'),
        ('{"' + "k" * NAME_CAP + '":1}', '{"' + "k" * NAME_CAP + '": 1}'),
        ('{s:">> <<f{}>>"}', '{"s": ">> <<f{}>>"}'),
        ('{s:"東京 👩‍🚀"}', '{"s": "東京 👩‍🚀"}'),
    ],
)
def test_whole_arguments(text: str, written: str) -> None:
    assert read(PLAIN, f"<<f{text}>>.") == Message(None, ".", (Call("f", written),), ())
    json.loads(written)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("f{x:1,y:abc}", '{"x": 1, "y": "abc"}'),
        ("g{s:5}", '{"s": 5}'),
        ("h{s:5,t:x}", '{"s": 5, "t": "x"}'),
        ("nope{s:5}", '{"s": 5}'),
    ],
)
def test_types_of_what_no_schema_names(text: str, written: str) -> None:
    assert read(PLAIN, f"<<{text}>>").calls[0].arguments == written
    assert read(machine(Braces(), offered=None), f"<<{text}>>").calls[0].arguments.startswith("{")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (f"{{s:{QUOTE}x{QUOTE}}}", '{"s": "x"}'),
        (f"{{s:{QUOTE}a{QUOTE}{QUOTE}b{QUOTE}}}", r'{"s": "a\"\"b"}'),
        (f"{{s:{QUOTE}{QUOTE}{QUOTE}}}", r'{"s": "\""}'),
        (f"{{{QUOTE}s{QUOTE}:{QUOTE}<|{QUOTE}}}", '{"s": "<|"}'),
        (f"(s={QUOTE}x{QUOTE})", '{"s": "x"}'),
        (f"(s={QUOTE}x{QUOTE},n=5)", '{"s": "x", "n": 5}'),
        (f"(x=[{QUOTE}f({QUOTE}a{QUOTE}){QUOTE}])", r'{"x": ["f(\"a\")"]}'),
        (f"(s={QUOTE}x{QUOTE}}}", '{"s": "x"}'),
        (f"{{s:{QUOTE}x{QUOTE})", '{"s": "x"}'),
        (f"{{s:{QUOTE}f({QUOTE}x{QUOTE}){QUOTE}}}", r'{"s": "f(\"x\")"}'),
        ("(n=5)", '{"n": 5}'),
        ("(x=a b)", '{"x": "a b"}'),
        ("()", "{}"),
        ("{)", "{}"),
    ],
)
def test_other_brackets_and_quotes(text: str, written: str) -> None:
    assert read(MARKED, f"<<f{text}>>.") == Message(None, ".", (Call("f", written),), ())


def test_an_inner_quote_that_means_itself() -> None:
    assert read(ROUND, "<<f(s=''a''b'')>>").calls == (Call("f", '{"s": "a\'\'b"}'),)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{s}", ""),
        ("{:1}", ""),
        ('{"s" 1}', ""),
        ('{a:["x"] y}', '{"a": ["x"]'),
        ("{a:[1}", '{"a": [1'),
        ("{a:[,1]}", '{"a": ['),
        ("{a:{b:1]}", '{"a": {"b": 1'),
        ("{a:{b}}", '{"a": {'),
        ("{,}", ""),
        ("{a:1,,}", '{"a": 1'),
        ("{" + "k" * (NAME_CAP + 1) + ":1}", ""),
        ('{"' + "k" * (NAME_CAP + 1) + '":1}', ""),
        ("{x:" + "y" * 513 + "}", '{"x": '),
        ("{x:[" + "y" * 513 + "]}", '{"x": ['),
    ],
)
def test_what_breaks_off(text: str, written: str) -> None:
    got = read(PLAIN, f"<<f{text}>>.")
    assert got == Message(None, ".", (Call("f", written, complete=False),), ("malformed",))


def test_a_quote_that_ends_nothing() -> None:
    got = read(PLAIN, '<<f{s:"x" y}>>.')
    assert got == Message(None, None, (Call("f", '{"s": "x\\" y}>>.', complete=False),), ("truncated",))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{", "{}"),
        ("{s:x", '{"s": "x"}'),
        ('{s:"x"', '{"s": "x"}'),
        ('{s:"x",', '{"s": "x"}'),
        ("{n:5 ", '{"n": 5}'),
        ("{x:[1]", '{"x": [1]}'),
    ],
)
def test_a_marker_stands_for_the_closer(text: str, written: str) -> None:
    assert read(PLAIN, f"<<f{text}>>.") == Message(None, ".", (Call("f", written),), ("missing_end",))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{s", ""),
        ("{s:", '{"s": '),
        ("{x:[1", '{"x": [1'),
        ("{x:{", '{"x": {'),
        ("{x:{a:1", '{"x": {"a": 1'),
        ("{x:[", '{"x": ['),
        ('{"s"', ""),
    ],
)
def test_a_marker_in_the_middle(text: str, written: str) -> None:
    got = read(PLAIN, f"<<f{text}>>.")
    assert got == Message(None, ".", (Call("f", written, complete=False),), ("malformed",))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{", ""),
        ("{s", ""),
        ("{s:", '{"s": '),
        ("{s:x", '{"s": '),
        ("{s:x ", '{"s": '),
        (f"{{s:{QUOTE}", '{"s": "'),
        (f"{{s:{QUOTE[:3]}", '{"s": '),
        (f"{{s:{QUOTE}x{QUOTE[:3]}", '{"s": "x'),
        (f"{{s:{QUOTE}x{QUOTE}", '{"s": "x"'),
        (f"{{s:{QUOTE}x{QUOTE}{QUOTE[:2]}", '{"s": "x\\"'),
        (f"{{{QUOTE}s", ""),
        (f"{{{QUOTE}s{QUOTE}", ""),
        ("{x:[1,2", '{"x": [1'),
        ("{x:{a:1,", '{"x": {"a": 1'),
        ("{n:5>", '{"n": '),
    ],
)
def test_truncated(text: str, written: str) -> None:
    got = read(MARKED, f"<<f{text}")
    assert got == Message(None, None, (Call("f", written, complete=False),), ("truncated",))


def test_a_string_that_swallows_openers() -> None:
    got = read(MARKED, f"<<f{{s:{QUOTE}x}}>><<g{{}}>>{QUOTE} <<g")
    assert got.calls == (Call("f", '{"s": "x}>><<g{}>>\\" <<g', complete=False),)
    assert got.anomalies == ("unterminated_string", "truncated")


def test_a_key_twice() -> None:
    got = read(PLAIN, '<<f{s:"a",s:{k:["b",c,{}]},s:,s:"x"y",n:1}>>')
    assert got.calls == (Call("f", '{"s": "a", "n": 1}'),)
    assert got.anomalies == ("duplicate_key",) * 3
    assert read(PLAIN, "<<f{x:{a:1,a:2}}>>").calls == (Call("f", '{"x": {"a": 1, "a": 2}}'),)


def test_too_many_keys() -> None:
    text = f"<<f{{{','.join(f'k{number}:{number}' for number in range(KEYS_CAP + 2))}}}>>"
    got = message(fold_text(PLAIN, start(PLAIN, at="content"), [text]))
    assert len(json.loads(got.calls[0].arguments)) == KEYS_CAP
    assert got.anomalies == ("overlong", "overlong")


def test_dropped_tools() -> None:
    events = at_every_split(machine(Braces(), Policies(unknown_tool="drop")), '<<x{s:"a",t:[1]}>><<f{}>>')
    assert message(events).calls == (Call("f", "{}"),)
    assert kinds(events) == ["unknown_tool"]


def test_deep_nesting() -> None:
    state, _ = step(PLAIN, start(PLAIN, at="content"), "<<f{x:" + "[{a:" * (MAX_DEPTH // 2 - 1), ())
    assert from_json(PLAIN, to_json(PLAIN, state)).unwrap() == state
    got = message(fold_text(PLAIN, start(PLAIN, at="content"), ["<<f{x:" + "[" * (MAX_DEPTH + 5)]))
    assert got.anomalies == ("malformed",)
    assert got.calls[0].arguments == '{"x": ' + "[" * (MAX_DEPTH - 1)


def test_a_call_ends_with_its_brace() -> None:
    _, events = step(PLAIN, start(PLAIN, at="content"), "<<f{n:1}", ())
    assert message(events).calls == (Call("f", '{"n": 1}'),)


def test_plain_text_in_a_string_changes_nothing() -> None:
    state, _ = step(MARKED, start(MARKED, at="content"), f"<<f{{s:{QUOTE}x", ())
    for text in ("plain", 'é\n"}', "plain"):
        after, events = step(MARKED, state, text, ())
        assert after is state
        assert events == (ArgumentsChunk(0, json.dumps(text, ensure_ascii=False)[1:-1], len(text)),)
    for text in (QUOTE, QUOTE[:2], "a<<"):
        assert step(MARKED, state, text, ())[0] != state
    muted, _ = step(MARKED, start(MARKED, at="content"), f"<<f{{s:1,s:{QUOTE}x", ())
    assert step(MARKED, muted, "plain", ())[1] == (Markup("stray", "plain", 5),)


def test_snapshots() -> None:
    text = f"<<f{{s:{QUOTE}x{QUOTE}{QUOTE},s:[1,{{{QUOTE}k{QUOTE}:v}}],n:5}}>>"
    for place in range(len(text) + 1):
        state, _ = step(MARKED, start(MARKED, at="content"), text[:place], ())
        assert from_json(MARKED, to_json(MARKED, state)).unwrap() == state


COLON = evolve(
    braced(Braces()),
    terminals=(Terminal("START", ("<<",)), Terminal("OPEN", (":",)), Terminal("END", (">>",))),
    rows=tuple(evolve(row, keep=False) for row in braced(Braces()).rows),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<f: {n:1}>>", Message(None, None, (Call("f", '{"n": 1}'),), ())),
        ("<<f: n:1>>.", Message(None, ".", (Call("f", "", complete=False),), ("malformed",))),
        ("<<f: >>.", Message(None, ".", (Call("f", "", complete=False),), ("malformed",))),
        ("<<f: ", Message(None, None, (Call("f", "", complete=False),), ("truncated",))),
    ],
)
def test_the_brace_may_stand_apart(text: str, expected: Message) -> None:
    made = right(with_tools(right(bind(right(compose(None, COLON)))), OFFERED))
    assert read(made, text) == expected


# -- a quote that is a token -----------------------------------------------------------------------------------------------

BYTES = tuple(bytes([byte]) for byte in range(256))
WITH_QUOTE = Vocabulary((*BYTES, QUOTE.encode()), special=frozenset({256}), added={QUOTE: 256})


def encoded(text: str, *, dedicated: bool) -> tuple[int, ...]:
    """A token per byte, and one for each quote if `dedicated`."""
    parts = text.split(QUOTE) if dedicated else [text]
    tokens = [token for part in parts for token in (*part.encode(), 256)]
    return tuple(tokens[:-1])


@pytest.mark.parametrize("evidence", ["both", "ids"])
def test_the_quote_may_be_a_token(evidence: Literal["both", "ids"]) -> None:
    made = machine(
        Braces("{(", "})", ":=", QUOTE, inner='"'), Policies(marker_evidence=evidence), vocabulary=WITH_QUOTE
    )
    text = f"<<f{{s:{QUOTE}a{QUOTE}b{QUOTE},{QUOTE}k{QUOTE}:[{QUOTE}{QUOTE},1]}}>>"
    expected = Call("f", r'{"s": "a\"b", "k": ["", 1]}')
    tokens = encoded(text, dedicated=True)
    for pieces in ([tokens], [(token,) for token in tokens]):
        events = fold_ids(made, start(made, "ids", at="content"), pieces)
        assert message(events).calls == (expected,)
        assert sum(event.tokens for event in events) == len(tokens)
        assert sum(event.points for event in events) == len(text)
    assert message(fold_text(made, start(made, at="content"), [text])).calls == (expected,)


def test_the_spelling_of_a_token_is_text_if_only_ids_count() -> None:
    made = machine(Braces(quote=QUOTE), Policies(marker_evidence="ids"), vocabulary=WITH_QUOTE)
    tokens = (
        *encoded(f"<<f{{s:{QUOTE}a", dedicated=True),
        *encoded(f"{QUOTE},", dedicated=False),
        *encoded(f"b{QUOTE}}}", dedicated=True),
    )
    got = message(fold_ids(made, start(made, "ids", at="content"), [(token,) for token in tokens]))
    assert got.calls == (Call("f", f'{{"s": "a{QUOTE},b"}}'),)


# -- what checks say -------------------------------------------------------------------------------------------------------


def test_checks() -> None:
    fine = braced(Braces())
    assert check(fine) == ()
    without = Format(
        name="braced",
        about="made",
        tools=True,
        terminals=fine.terminals,
        regions=fine.regions,
        rows=tuple(row for row in fine.rows if row.on[0] != "@"),
    )
    found = check(without)
    assert RegionDefect("braced", "arguments", "no_closed_row") in found
    assert RegionDefect("braced", "arguments", "no_bad_row") in found


# -- against a writer ------------------------------------------------------------------------------------------------------


def _written(value: object) -> str:
    """A value as Gemma's template writes it."""
    match value:
        case str():
            return f"{QUOTE}{value}{QUOTE}"
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ",".join(f"{key}:{_written(item)}" for key, item in value.items()) + "}"
        case list():
            return f"[{','.join(map(_written, value))}]"
        case _:
            return json.dumps(value)


KEYS = st.text("abcdefghij_", min_size=1, max_size=8)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@given(value=st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_a_template_writes_is_read(value: dict[str, object]) -> None:
    text = f"<<f{_written(value)}>>"
    for pieces in ([text], list(text)):
        (call,) = message(fold_text(UNTYPED, start(UNTYPED, at="content"), pieces)).calls
        assert call.complete
        assert json.loads(call.arguments) == value


# -- near the grammar ------------------------------------------------------------------------------------------------------

PIECES = (
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        "=",
        '"',
        "''",
        QUOTE,
        QUOTE[:2],
        QUOTE[2:],
        " ",
        "\n",
        "s:",
        "n:5",
        "s=",
        "a b",
        "null",
        "1.5",
        "<<",
        ">>",
        "<",
        ">",
    ),
    *(
        "<<f{",
        "<<g(",
        '"x"',
        f"{QUOTE}x{QUOTE}",
        "''x''",
        "[1,2]",
        "{a:1}",
        "\\",
        "é",
        "😀",
        "x" * 260,
        "y" * 520,
        " " * 17,
        "\x01",
    ),
)


BEGUN = {"plain": (PLAIN, "<<f{s:"), "marked": (MARKED, "<<f{s:"), "round": (ROUND, "<<f(s=")}


@pytest.mark.parametrize("name", BEGUN)
@given(parts=st.lists(st.sampled_from(PIECES), max_size=14), opened=st.booleans(), share=st.floats(0, 1))
def test_anything(name: str, parts: list[str], opened: bool, share: float) -> None:
    """Every split gives the same events, which tile the source; arguments grow, and are JSON exactly when complete."""
    made, begin = BEGUN[name]
    text = (begin if opened else "") + "".join(parts)
    whole = fold_text(made, start(made, at="content"), [text])
    cut = round(share * len(text))
    for pieces in (list(text), [text[:cut], text[cut:]]):
        assert fold_text(made, start(made, at="content"), pieces) == whole
    assert not ill_formed(whole)
    _tiles(text, all_events(made, start(made, at="content"), [(point, ()) for point in text]))
    for call in message(whole).calls:
        assert call.complete is _is_json(call.arguments), call


def _tiles(source: str, events: Events) -> None:
    place = 0
    for event in events:
        part = source[place : place + event.points]
        place += event.points
        if isinstance(event, ContentChunk | Markup):
            assert event.text == part
    assert place == len(source)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
