"""Calls as Python writes them, with made formats: a list without a marker, a list and lines between two."""

from __future__ import annotations

import ast
import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import ill_formed, message
from tests.corpus.reader import Call, Message, tool
from tests.laws.machines import fold_text, right
from tests.laws.test_tiling import all_events
from tests.unit.streams import at_every_split, kinds
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.check import check
from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW, compose
from unbraid.core.errors import RegionDefect, RowDefect
from unbraid.core.events import ArgumentsChunk, ContentChunk, Events, Markup, ReasoningChunk, ToolCallEnd, ToolName
from unbraid.core.grammar import KEYS_CAP, NAME_CAP, Format, Gap, Policies, PythonCalls, Region, Terminal, Text
from unbraid.core.json_scan import MAX_DEPTH
from unbraid.core.machine import finish, start, step
from unbraid.core.notation import rows
from unbraid.core.records import InCalls
from unbraid.shell.snapshot import from_json, to_json

OFFERED = [tool(name, {"properties": {}}) for name in ("f", "g", "a.b", "my-tool")]
AFTER = Region("after", Gap(touches=True), "content")

UNMARKED = Format(
    name="unmarked",
    about="made: a list at the beginning",
    tools=True,
    terminals=(Terminal("OPEN", ("[",)),),
    regions=(CONTENT, FRESH, Region("calls", PythonCalls(), "call", trial="opening", at_end="text"), AFTER),
    rows=(
        FRESH_ROW,
        *rows("""
            fresh  OPEN     -> calls  keep
            calls  @closed  -> after
            calls  @bad     -> content
            after  @text    -> content
        """),
    ),
    unmarked=True,
)


def block(calls: PythonCalls) -> Format:
    """Calls between `<<` and `>>`."""
    closed = "calls  @closed  -> after" if calls.shape == "list" else ""
    return Format(
        name="block",
        about="made: calls between two markers",
        tools=True,
        terminals=(Terminal("START", ("<<",)), Terminal("END", (">>",))),
        regions=(CONTENT, Region("calls", calls, "call", trial="opening"), Region("junk", Text(), "none"), AFTER),
        rows=rows(f"""
            content after  START   -> calls
            {closed}
            calls          END     -> after
            calls          @bad    -> junk
            junk           END     -> after
            after          END     -> after
            after          @text   -> content
        """),
    )


def machine(fmt: Format, policies: Policies = Policies(), offered: object = OFFERED) -> Machine:
    """The machine of a made half."""
    return right(with_tools(right(bind(right(compose(None, fmt)), None, policies)), offered))  # type: ignore[arg-type]


LIST = machine(UNMARKED)
BLOCK = machine(block(PythonCalls()))
LINES = machine(block(PythonCalls("lines")))
LOOSE = machine(block(PythonCalls(closers="followed")))


def arguments(value: str) -> str:
    """The JSON of one value; asserts that its call is whole, at every split."""
    (call,) = message(at_every_split(LIST, f"[f(a={value})]")).calls
    assert call.complete, value
    return call.arguments.removeprefix('{"a": ').removesuffix("}")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("'x'", '"x"'),
        ("''", '""'),
        ('""""""', '""'),
        ("'''a'b''c'''", "\"a'b''c\""),
        (r"'a\'b\"c\\'", r'"a' + "'" + r'b\"c\\"'),
        (r"'\a\b\f\n\r\t\v'", r'"\u0007\b\f\n\r\t\u000b"'),
        (r"'\0\12\1018\x7f'", '"\\u0000\\nA8\x7f"'),
        (r"'\u00e9\U0001F600'", '"é😀"'),
        (r"'\ud83d\ude00 \udc00'", r'"\ud83d\ude00 \udc00"'),
        (r"'\q\x4g\u12\U00110000\N{DASH}\8'", r'"\\q\\x4g\\u12\\U00110000\\N{DASH}\\8"'),
        ("'a\\\nb'", '"ab"'),
        ("'a\nb\tc'", r'"a\nb\tc"'),
        (r"r'\n\'\\'", r'"\\n\\' + "'" + r'\\\\"'),
        ("f'{{a}}'", '"{a}"'),
        (r"rf'\d{{'", r'"\\d{"'),
        ("'a' \"b\"\n'''c'''", '"abc"'),
        ("'a' r'\\b' u'c'", r'"a\\bc"'),
        ("[1, 'a', None]", '[1, "a", null]'),
        ("[1, 2,]", "[1, 2]"),
        ("[ ]", "[]"),
        ("()", "[]"),
        ("(1,)", "[1]"),
        ("(1, 2)", "[1, 2]"),
        ("(1)", "1"),
        ("('a')", '"a"'),
        ("('a' 'b')", '"ab"'),
        ("('a',)", '["a"]'),
        ("([1])", "[[1]]"),
        ("((1))", "[1]"),
        ("{}", "{}"),
        ("{'a': 1}", '{"a": 1}'),
        ("{'a': 1, 'b': 2,}", '{"a": 1, "b": 2}'),
        ("{'a' 'b': 1}", '{"ab": 1}'),
        ("{'a': 1, 'b' 'c': 2}", '{"a": 1, "bc": 2}'),
        ("{1: 2, None: 3, -.5: 4}", '{"1": 2, "null": 3, "-0.5": 4}'),
        ("{1, 2}", "[1, 2]"),
        ("{'a'}", '["a"]'),
        ("{[1], 2}", "[[1], 2]"),
        ("[{'a': [({'b': ()},)]}]", '[{"a": [[{"b": []}]]}]'),
        ("'" + "x" * 600 + "'", '"' + "x" * 600 + '"'),
        ("{'" + "x" * NAME_CAP + "': 1}", '{"' + "x" * NAME_CAP + '": 1}'),
        ("{'" + "x" * (NAME_CAP + 1) + "'}", '["' + "x" * (NAME_CAP + 1) + '"]'),
        ("('" + "x" * (NAME_CAP + 1) + "')", '"' + "x" * (NAME_CAP + 1) + '"'),
        ("('" + "x" * NAME_CAP + "' 'y')", '"' + "x" * NAME_CAP + 'y"'),
    ],
)
def test_values(value: str, written: str) -> None:
    assert arguments(value) == written
    json.loads(written)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("x", ""),
        ("b'x'", ""),
        ("f'a{b}'", '"a'),
        ("{f'{a}': 1}", ""),
        ("1 + 2", "1"),
        ("[1 2]", "[1"),
        ("[1}", "[1"),
        ("[,]", "["),
        ("(1]", ""),
        ("(1: 2)", ""),
        ("{1: 2, 3}", '{"1": 2'),
        ("{1: 2, [3]: 4}", '{"1": 2'),
        ("{'a' 1}", ""),
        ("{'a' x}", ""),
        ("{'a': 1, '" + "x" * (NAME_CAP + 1) + "': 2}", '{"a": 1'),
        ("('" + "x" * (NAME_CAP + 1) + "',)", '"' + "x" * (NAME_CAP + 1) + '"'),
        ("g()", ""),
        ("lambda: 0", ""),
        ("'a' + 'b'", '"a"'),
        ("9" * 513, ""),
        ("*x", ""),
        ("", ""),
        ("é", ""),
    ],
)
def test_what_is_no_literal_breaks_the_call_off(value: str, read: str) -> None:
    events = at_every_split(LIST, f"[f(a={value}), g()]")
    got = message(events)
    assert got.calls == (Call("f", '{"a": ' + read, complete=False),)
    assert got.anomalies == ("malformed",)
    assert got.content is not None
    assert got.content.endswith(", g()]")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("[f()]", [("f", "{}")]),
        ("[ f ( ) , g ( a = 1 , ) , ]", [("f", "{}"), ("g", '{"a": 1}')]),
        ("[a.b(x=1)]", [("a.b", '{"x": 1}')]),
        ("[my-tool(x=1)]", [("my-tool", '{"x": 1}')]),
        ("[f(from=1, é=2)]", [("f", '{"from": 1, "é": 2}')]),
        ("\n [f()]\n", [("f", "{}")]),
        ("[f(a='')]", [("f", '{"a": ""}')]),
    ],
)
def test_calls(text: str, calls: list[tuple[str, str]]) -> None:
    assert message(at_every_split(LIST, text)) == Message(None, None, tuple(Call(*call) for call in calls), ())


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[ ]",
        "[1]",
        "[f]",
        "[f.]",
        "[a..b()]",
        "[.a()]",
        "[a.1()]",
        "[f(1)]",
        "[f(**{})]",
        "[f('a')]",
        "[f(x)]",
        "[f(x, y=1)]",
        "[f (x) y]",
        "[f[a=1]]",
        "[nope(a=1)]",
        f"[{'x' * (NAME_CAP + 1)}(a=1)]",
        f"[f({'x' * (NAME_CAP + 1)}=1)]",
        "[" + " " * 17 + "f()]",
        "[f" + " " * 17 + "()]",
        "[f(" + "\n" * 17 + ")]",
        "[f(a" + "\t" * 17 + "=1)]",
        "[f(a",
        "[f(",
        "[f",
        "[",
        "[ ",
    ],
)
def test_what_is_no_call_is_text(text: str) -> None:
    got = message(at_every_split(LIST, text))
    assert got == Message(None, text, (), ("malformed",))


def test_the_commit_point() -> None:
    """`NAME(` and `)` or `IDENT=`; nothing is said before it."""
    state, events = step(LIST, start(LIST, at="content"), "[f(abc ", ())
    assert not events
    _, events = step(LIST, state, "=", ())
    assert [event for event in events if isinstance(event, ToolName)] == [ToolName(0, "f", None, 1)]
    assert message(events).calls == (Call("f", '{"abc": ', complete=False),)


def test_a_call_ends_with_its_parenthesis() -> None:
    _, events = step(LIST, start(LIST, at="content"), "[f(a=1)", ())
    assert message(events).calls == (Call("f", '{"a": 1}'),)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("[f(a=", ""),
        ("[f(a='x", '"x'),
        (r"[f(a='x\u00", '"x'),
        ("[f(a='x'", '"x"'),
        ("[f(a='x' ", '"x"'),
        ("[f(a='x' r", '"x"'),
        ("[f(a='''x'", '"x'),
        ("[f(a='", ""),
        ("[f(a=12", ""),
        ("[f(a=[12, ", "[12"),
        ("[f(a=[", "["),
        ("[f(a={", ""),
        ("[f(a={'x", ""),
        ("[f(a={'x'", ""),
        ("[f(a={'x': ", '{"x": '),
        ("[f(a=('x'", ""),
        ("[f(a=[1], b", "[1]"),
        ("[f(a=[1], b =", '[1], "b": '),
    ],
)
def test_truncated(text: str, read: str) -> None:
    got = message(at_every_split(LIST, text))
    assert got.calls == (Call("f", '{"a": ' + read, complete=False),)
    assert got.anomalies == ("truncated",)


@pytest.mark.parametrize(
    ("text", "anomalies"),
    [
        ("[f()", ()),
        ("[f(),", ()),
        ("[f(), ", ()),
        ("[f(), g", ("truncated",)),
        ("[f(), g(x", ("truncated",)),
        ("[f()]", ()),
    ],
)
def test_truncated_between_calls(text: str, anomalies: tuple[str, ...]) -> None:
    assert message(at_every_split(LIST, text)) == Message(None, None, (Call("f", "{}"),), anomalies)


def test_a_keyword_twice() -> None:
    got = message(at_every_split(LIST, "[f(a=1, a=[{'x': ('y',)}, {1, '2'}, 'z' 'z', {}], a='', b=2), g(a=1)]"))
    assert got.calls == (Call("f", '{"a": 1, "b": 2}'), Call("g", '{"a": 1}'))
    assert got.anomalies == ("duplicate_key", "duplicate_key")


def test_keys_in_dicts_are_not_compared() -> None:
    assert arguments("{'a': 1, 'a': 2}") == '{"a": 1, "a": 2}'


def test_too_many_keywords() -> None:
    text = f"[f({', '.join(f'k{number}={number}' for number in range(KEYS_CAP + 2))})]"
    got = message(fold_text(LIST, start(LIST, at="content"), [text]))
    assert len(json.loads(got.calls[0].arguments)) == KEYS_CAP
    assert got.anomalies == ("overlong", "overlong")


@pytest.mark.parametrize("closer", ["", ")]"])
def test_two_hundred_arguments(closer: str) -> None:
    """B163: no pattern that goes back. Cut, the call is open (section 5), for its commit point was read."""
    known = machine(UNMARKED, offered=[tool("search", {"properties": {}})])
    text = "[search(" + ", ".join(f"a{number}=1" for number in range(200)) + closer
    begun = perf_counter()
    got = message(fold_text(known, start(known, at="content"), [text]))
    assert perf_counter() - begun < 0.5
    assert got == message(fold_text(known, start(known, at="content"), list(text)))
    written = json.loads(got.calls[0].arguments if closer else got.calls[0].arguments + "1}")
    assert written == {f"a{number}": 1 for number in range(200)}
    assert got.calls[0].complete is bool(closer)
    assert got.content is None


def test_deep_nesting() -> None:
    deep = MAX_DEPTH // 3 - 2
    state, events = step(LIST, start(LIST, at="content"), "[f(a=" + "[" * deep, ())
    assert len(repr(state)) < 5000
    assert from_json(LIST, to_json(LIST, state)).unwrap() == state
    _, events = step(LIST, state, "]" * deep + ")", ())
    assert events[-1] == ToolCallEnd(0, complete=True)
    broken = message(fold_text(LIST, start(LIST, at="content"), ["[f(a=" + "[({" * MAX_DEPTH]))
    assert broken.anomalies == ("malformed",)


# -- between markers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "text", "expected"),
    [
        (BLOCK, "x<<[f(a='>>')]>>y", Message(None, "xy", (Call("f", '{"a": ">>"}'),), ())),
        (BLOCK, "<<[f(), g()>>y", Message(None, "y", (Call("f", "{}"), Call("g", "{}")), ("malformed",))),
        (BLOCK, "<<[f(),>>y", Message(None, "y", (Call("f", "{}"),), ("malformed",))),
        (BLOCK, "<<[f(a=1>>y", Message(None, "y", (Call("f", '{"a": 1', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a='b'>>y", Message(None, "y", (Call("f", '{"a": "b"', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a={'b'>>y", Message(None, "y", (Call("f", '{"a": ', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a={>>y", Message(None, "y", (Call("f", '{"a": ', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a=[>>y", Message(None, "y", (Call("f", '{"a": [', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a=1,>>y", Message(None, "y", (Call("f", '{"a": 1', complete=False),), ("malformed",))),
        (BLOCK, "<<[f(a=x), g()]>>y", Message(None, "y", (Call("f", '{"a": ', complete=False),), ("malformed",))),
        (BLOCK, "<<[f() g()]>>y", Message(None, "y", (Call("f", "{}"),), ("stray_text",))),
        (BLOCK, "<<f()>>y", Message(None, "<<f()>>y", (), ("malformed",))),
        (BLOCK, "<<>>y", Message(None, "<<>>y", (), ("malformed",))),
        (BLOCK, "<<[>>y", Message(None, "<<[>>y", (), ("malformed",))),
        (
            BLOCK,
            "<<[f(a='<<[f()",
            Message(None, None, (Call("f", '{"a": "<<[f()', complete=False),), ("unterminated_string", "truncated")),
        ),
        (BLOCK, "<<[f", Message(None, None, (), ("truncated",))),
        (BLOCK, "<<" + " " * 17 + "[f()]", Message(None, "<<" + " " * 17 + "[f()]", (), ("malformed",))),
        (BLOCK, "<<[f(a=1>", Message(None, None, (Call("f", '{"a": 1', complete=False),), ("truncated",))),
        (BLOCK, "<<[nope()]>>", Message(None, None, (Call("nope", "{}"),), ("unknown_tool",))),
        (LINES, "<<f(a='x\ny')\n\ng()\n>>y", Message(None, "y", (Call("f", r'{"a": "x\ny"}'), Call("g", "{}")), ())),
        (LINES, "<<f()g()>>", Message(None, None, (Call("f", "{}"), Call("g", "{}")), ())),
        (LINES, "<<f()\nno\ng()>>y", Message(None, "y", (Call("f", "{}"),), ("stray_text",))),
        (LINES, "<<[f()]>>", Message(None, "<<[f()]>>", (), ("malformed",))),
        (LINES, "<<f()", Message(None, None, (Call("f", "{}"),), ())),
        (
            LOOSE,
            "<<[f(a='it's', b='a 'b' c' ) ]>>",
            Message(None, None, (Call("f", '{"a": "it\'s", "b": "a \'b\' c"}'),), ()),
        ),
        (LOOSE, "<<[f(a={'k'k': ['x'y']})]>>", Message(None, None, (Call("f", '{"a": {"k\'k": ["x\'y"]}}'),), ())),
        (LOOSE, "<<[f(a='''x''''y''')]>>", Message(None, None, (Call("f", "{\"a\": \"x''''y\"}"),), ())),
        (
            LOOSE,
            "<<[f(a='x'" + " " * 17 + ")']>>",
            Message(None, None, (Call("f", '{"a": "x\'' + " " * 17 + ')"', complete=False),), ("malformed",)),
        ),
        (LOOSE, "<<[f(a='x'>>y", Message(None, "y", (Call("f", '{"a": "x"', complete=False),), ("malformed",))),
        (LOOSE, "<<[f(a='x'", Message(None, None, (Call("f", '{"a": "x"', complete=False),), ("truncated",))),
    ],
)
def test_markers(made: Machine, text: str, expected: Message) -> None:
    assert message(at_every_split(made, text)) == expected


def test_unknown_tools() -> None:
    dropping = machine(UNMARKED, Policies(unknown_tool="drop"), None)
    assert message(at_every_split(dropping, "[x(a=1)]")).calls == (Call("x", '{"a": 1}'),)
    dropped = at_every_split(
        machine(block(PythonCalls()), Policies(unknown_tool="drop")), "<<[x(a={'b': ['c']}), f()]>>"
    )
    assert message(dropped).calls == (Call("f", "{}"),)
    assert kinds(dropped) == ["unknown_tool"]
    as_text = machine(block(PythonCalls()), Policies(unknown_tool="text"))
    assert message(at_every_split(as_text, "<<[x(a=1)]>>")).content == "<<[x(a=1)]>>"
    assert message(at_every_split(as_text, "<<[f(), x(a=1)]>>")).calls[1] == Call("x", '{"a": 1}')


def test_plain_text_in_a_string_changes_nothing() -> None:
    state, _ = step(BLOCK, start(BLOCK, at="content"), "<<[f(a='x", ())
    for text in ("plain", "é\n", "plain"):
        after, events = step(BLOCK, state, text, ())
        assert after is state
        assert events == (ArgumentsChunk(0, json.dumps(text, ensure_ascii=False)[1:-1], len(text)),)
    for text in ("'", "\\", "<", "a<<"):
        assert step(BLOCK, state, text, ())[0] != state
    muted, _ = step(BLOCK, start(BLOCK, at="content"), "<<[f(a=1, a='x", ())
    assert step(BLOCK, muted, "plain", ())[1] == (Markup("stray", "plain", 5),)


def test_snapshots() -> None:
    text = "<<[f(a='x', a={'k': ('y', {1, 2})}, b={'z': r'\\d' '''q''' }), g()]>>"
    for place in range(len(text) + 1):
        state, _ = step(BLOCK, start(BLOCK, at="content"), text[:place], ())
        again = from_json(BLOCK, to_json(BLOCK, state)).unwrap()
        assert again == state
        assert hash(again) == hash(state)


# -- what checks say -------------------------------------------------------------------------------------------------------


def test_checks() -> None:
    """Lines never close by themselves; a list does, and both may fail."""
    assert check(block(PythonCalls())) == check(block(PythonCalls("lines"))) == check(UNMARKED) == ()
    lines = block(PythonCalls("lines"))
    closed = Format(
        name="closed",
        about="made",
        tools=True,
        terminals=lines.terminals,
        regions=lines.regions,
        rows=(*lines.rows, *rows("calls @closed -> after")),
    )
    assert RowDefect("closed", closed.rows[-1], "wrong_pseudo") in check(closed)
    listed = Format(
        name="open",
        about="made",
        tools=True,
        terminals=lines.terminals,
        regions=block(PythonCalls()).regions,
        rows=lines.rows,
    )
    assert RegionDefect("open", "calls", "no_closed_row") in check(listed)


# -- against Python --------------------------------------------------------------------------------------------------------


def _json_like() -> st.SearchStrategy[object]:
    keys = st.text(max_size=8) | st.integers(-99, 99) | st.booleans() | st.none()
    scalars = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=40)
    )
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.lists(inner, min_size=2, max_size=4).map(tuple)
            | st.dictionaries(keys, inner, max_size=4)
        ),
        max_leaves=12,
    )


def _as_json(value: object) -> object:
    """What JSON makes of a Python value: tuples are arrays, keys are strings, two surrogate halves are one code point."""
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {
            _as_json(key if isinstance(key, str) else json.dumps(key)): _as_json(item) for key, item in value.items()
        }
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value


@given(value=_json_like())
def test_what_python_writes_is_read(value: object) -> None:
    """`repr` is the writer; one key that is given twice in JSON (1 and "1") counts as in Python's reader of JSON."""
    text = f"[f(a={value!r})]"
    assert ast.literal_eval(repr(value)) == value
    for pieces in ([text], list(text)):
        (call,) = message(fold_text(LIST, start(LIST, at="content"), pieces)).calls
        assert call.complete
        assert json.loads(call.arguments) == {"a": _as_json(value)}


@given(
    text=st.text(max_size=60),
    quote=st.sampled_from(["'", '"', "'''", '"""']),
    prefix=st.sampled_from(["", "r", "u", "F", "rf"]),
)
def test_what_python_reads_is_read_alike(text: str, quote: str, prefix: str) -> None:
    """Any literal that Python accepts means the same, but for escapes that it warns of and code point names."""
    literal = f"{prefix}{quote}{text}{quote}"
    if "\\N" in text or "\\\r" in text or "\r" in text or "\x00" in text:
        return
    try:
        tree = ast.parse(f"f(a={literal})", mode="eval").body
        value = tree.keywords[0].value if isinstance(tree, ast.Call) else tree
        parts = value.values if isinstance(value, ast.JoinedStr) else [value]
        expected = "".join(ast.literal_eval(part) for part in parts)
    except (SyntaxError, ValueError, TypeError):
        return
    (call,) = message(fold_text(LIST, start(LIST, at="content"), [f"[f(a={literal})]"])).calls
    assert call.complete
    assert json.loads(call.arguments) == {"a": _as_json(expected)}


# -- near the grammar ------------------------------------------------------------------------------------------------------

PIECES = (
    *(
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        "=",
        ":",
        "'",
        '"',
        "'''",
        '"""',
        "\\",
        " ",
        "\n",
        "f(",
        "f()",
        "g(a=1)",
        "a=",
        "b='x'",
        "[f(a=",
        "<<",
        ">>",
        "<",
        ">",
    ),
    *(
        "r'",
        "f'",
        "b'",
        "\\x41",
        "\\u00e9",
        "\\ud83d",
        "\\1",
        "\\\n",
        "{{",
        "}}",
        "1",
        "07",
        ".5",
        "1.",
        "-",
        "nan",
        "True",
        "None",
        "é",
        "😀",
        "x" * 260,
        "9" * 520,
    ),
    *("{'a': 1}", "{1, 2}", "('x')", "('x',)", "(1)", "[1, 2,]", " " * 17, "."),
)


BEGUN = {"list": (LIST, "[f(a="), "block": (BLOCK, "<<[f(a="), "lines": (LINES, "<<f(a="), "loose": (LOOSE, "<<[f(a=")}


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
        if isinstance(event, ContentChunk | ReasoningChunk | Markup):
            assert event.text == part
        elif isinstance(event, ToolName):
            assert event.name == part
    assert place == len(source)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_states_hold_little() -> None:
    """However long a string, a name or white space is."""
    for begin, rest in (
        ("<<[f(a='", "x"),
        ("<<[f(a='", "\\"),
        ("<<[f(a='''", "'"),
        ("<<[f(a={'", "x"),
        ("<<[f(a=", " "),
        ("<<[", "x"),
        ("<<[f(a=", "9"),
    ):
        state = start(BLOCK, at="content")
        for piece in (begin, *([rest * 50] * 60)):
            state, _ = step(BLOCK, state, piece, ())
            assert len(repr(state)) < 3000
        assert isinstance(state.at, InCalls) or state.trial is None  # type: ignore[union-attr]
        finish(BLOCK, state)
