"""Formats as TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from attrs import evolve

from tests.corpus.message import message
from tests.corpus.reader import Call
from unbraid.core.bind import bind, with_tools
from unbraid.core.compose import compose
from unbraid.core.errors import RegionDefect
from unbraid.core.grammar import Format, Kind, Switch
from unbraid.core.machine import finish, start, step
from unbraid.core.notation import rows
from unbraid.formats.hermes import HERMES
from unbraid.formats.qwen import QWEN3_CODER
from unbraid.formats.registry import formats
from unbraid.shell.format_defects import UnreadableFile, WrongField, WrongFormat, WrongRow
from unbraid.shell.format_files import KINDS, load_format, read_format, to_toml
from unbraid.shell.toml_places import places_of

SMALL = """
name = "small"
about = "calls as {name|JSON}"
tools = true
terminals = [
  { name = "OPEN", spellings = ["[["], before = ["\\n"] },
  { name = "BAR", spellings = ["|"] },
  { name = "CLOSE", spellings = ["]]"] },
]
regions = [
  { name = "content", kind = "text", channel = "content" },
  { name = "name", kind = { capture = { fields = [{ slot = "name" }], stops = "\\n" } }, channel = "call", trial = "opening" },
  { name = "arguments", kind = "json", channel = "call" },
  { name = "broken", kind = "text", channel = "none" },
  { name = "after", kind = { gap = { touches = true } }, channel = "content" },
]
rows = '''
content after     OPEN    -> name
name              BAR     -> arguments   do=call
arguments         @closed -> after
arguments         @bad    -> broken
arguments         CLOSE   -> after       do=end          # in the middle of the arguments
broken            CLOSE   -> after
after             CLOSE   -> @same
after             @text   -> content
'''
"""


@pytest.mark.parametrize(
    "form", list(formats()), ids=lambda form: f"{form.name}-{'r' * form.reasoning}{'t' * form.tools}"
)
def test_every_registered_format_comes_back(form: Format) -> None:
    text = to_toml(form)
    assert read_format(text, "x.toml").unwrap() == form
    assert to_toml(read_format(text, "x.toml").unwrap()) == text


HALVES = [
    [form for form in formats() if form.reasoning and not form.tools],
    [form for form in formats() if form.tools and not form.reasoning],
]
PAIRS = list(
    dict.fromkeys((HALVES[0][n % len(HALVES[0])], HALVES[1][n % len(HALVES[1])]) for n in range(max(map(len, HALVES))))
)
"""Every half once, at least."""


@pytest.mark.parametrize(
    "pair", [(None, None), *PAIRS], ids=lambda pair: "+".join(form.name if form else "" for form in pair)
)
def test_compositions_come_back(pair: tuple[Format | None, Format | None]) -> None:
    whole = compose(*pair).unwrap()
    assert read_format(to_toml(whole), "x.toml").unwrap() == whole


def test_a_small_file_is_a_format(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    form = load_format(path).unwrap()
    machine = with_tools(bind(compose(None, form).unwrap()).unwrap(), None).unwrap()
    state, events = step(machine, start(machine), 'a\n[[f|{"x": 1}]]b', ())
    found = message((*events, *finish(machine, state)[1]))
    assert (found.content, found.calls) == ("ab", (Call("f", '{"x": 1}'),))
    assert load_format(str(path)).unwrap() == form


def test_strange_texts_come_back() -> None:
    strange = "\"'''\\\n\t\r\x00\x1f\x7f\u0085\u2028é\U0001f600 #="
    form = evolve(
        HERMES,
        about=strange,
        specials=(strange,),
        start=evolve(HERMES.start, switches=(Switch(("k",), off=(None, True, 0, 1.5, strange)),)),
    )
    assert read_format(to_toml(form), "x").unwrap() == form


def test_rows_may_hold_any_quotes() -> None:
    """A text with three single quotes is written in another way."""
    table = rows("""name NAME_END -> arguments do=call when=name="'''","a b" """)
    written = tomllib.loads(to_toml(evolve(QWEN3_CODER, rows=(*table, *QWEN3_CODER.rows))))
    assert "'''" in written["rows"]
    assert rows(written["rows"]) == (*table, *QWEN3_CODER.rows)


def test_rows_may_be_a_list() -> None:
    listed = SMALL.replace("rows = '''", 'rows = ["""').replace("'''", '""", "# and no more"]')
    assert read_format(listed, "x").unwrap() == read_format(SMALL, "x").unwrap()


def test_all_kinds_have_names() -> None:
    assert set(KINDS.values()) == set(get_args(Kind))
    assert {"text", "gap", "capture", "value", "json", "envelope", "tree"} <= set(KINDS)


@pytest.mark.parametrize(
    ("before", "after", "path", "reason", "nearest"),
    [
        ("tools = true", "tolls = true", "tolls", "there is no such key", ("tools",)),
        ("tools = true", 'tools = "yes"', "tools", "expected true or false, found 'yes'", ()),
        ('about = "calls as {name|JSON}"', "", "about", "is missing", ()),
        ('name = "small"', "name = 3", "name", "expected a text, found 3", ()),
        ('spellings = ["|"]', 'spellings = "|"', "terminals[1].spellings", "expected a list, found '|'", ()),
        ('spellings = ["|"]', "spellings = [1]", "terminals[1].spellings[0]", "expected a text, found 1", ()),
        ('spellings = ["|"]', 'speling = ["|"]', "terminals[1].speling", "there is no such key", ("spellings",)),
        ('{ name = "BAR", spellings = ["|"] }', '"|"', "terminals[1]", "expected a table, found '|'", ()),
        ('kind = "json"', 'kind = "jsn"', "regions[2].kind", "there is no kind 'jsn'", ("json",)),
        ('kind = "json"', "kind = {}", "regions[2].kind", "expected the name of a kind, or a table with one kind, found a table", ()),
        ('kind = "json"', "kind = { gap = { touch = true } }", "regions[2].kind.touch", "there is no such key", ("touches",)),
        ('kind = "json"', "kind = { gap = 1 }", "regions[2].kind", "expected a table, found 1", ()),
        ('trial = "opening"', 'trial = "open"', "regions[1].trial", "expected one of '', 'opening', 'closing', 'block', found 'open'", ("opening",)),
        ('trial = "opening"', "trial = []", "regions[1].trial", "expected one of '', 'opening', 'closing', 'block', found a list", ()),
        ('slot = "name"', 'slot = "name", decode = [["a"]]', "regions[1].kind.fields[0].decode[0]", "expected a list of 2, found one of 1", ()),
        ("rows = '''", "more = '''", "more", "there is no such key", ()),
        ("rows = '''", "[start]\non = 'fresh'\noff = 'fresh'\nswitches = [{ keys = ['k'], off = [{}] }]\n[x]\nrows = '''", "start.switches[0].off[0]", "expected a text, a number, true, false or { null = true }, found a table", ()),
    ],
)  # fmt: skip
def test_wrong_fields(before: str, after: str, path: str, reason: str, nearest: tuple[str, ...]) -> None:
    assert before in SMALL
    found = read_format(SMALL.replace(before, after), "f.toml").failure()
    wrong = next(one for one in found if isinstance(one, WrongField) and one.path == path)
    assert wrong.reason == reason
    assert wrong.nearest[: len(nearest)] == nearest
    line = "" if path == "about" else f", line {wrong.line}"
    assert wrong.describe().startswith(f"f.toml{line}: {path}: {reason}")


def test_everything_is_reported_at_once() -> None:
    text = SMALL.replace("tools = true", "tools = 1\nabuot = 2").replace('"json"', '"jsn"').replace("do=call", "do=cal")
    found = read_format(text, "f.toml").failure()
    assert [(one.path, one.line) for one in found if isinstance(one, WrongField)] == [
        ("tools", 4),
        ("abuot", 5),
        ("regions[2].kind", 14),
    ]
    assert [one for one in found if isinstance(one, WrongRow)] == [
        WrongRow("f.toml", "name              BAR     -> arguments   do=cal", "'cal' is no action", line=20)
    ]


def test_fields_notation_and_names_of_one_file() -> None:
    text = (
        SMALL.replace('kind = "json"', 'kind = "jso"')
        .replace("touches", "touch")
        .replace("content after     OPEN ", "content after     OPN ")
        .replace("name              BAR     ->", "name              BAR     =>")
        .replace("@bad    -> broken", "@bad    -> brken  odd=malform")
    )
    row = "row `arguments         @bad    -> brken  odd=malform`"
    assert [one.describe().split(" or ")[0] for one in read_format(text, "f.toml").failure()] == [
        "f.toml, line 13: regions[2].kind: there is no kind 'jso'; did you mean 'json'?",
        "f.toml, line 15: regions[4].kind.touch: there is no such key; did you mean 'touches'?",
        "f.toml, line 18: row `content after     OPN    -> name`: there is no terminal 'OPN'; did you mean 'OPEN'?",
        "f.toml, line 19: row `name              BAR     => arguments   do=call`: a row needs `->`",
        f"f.toml, line 21: {row}: there is no region 'brken'; did you mean 'broken'?",
        f"f.toml, line 21: {row}: there is no anomaly kind 'malform'; did you mean 'malformed'?",
    ]


def test_a_kind_of_anomaly_like_no_other() -> None:
    text = SMALL.replace("@bad    -> broken", "@bad    -> broken odd=xyz")
    (defect,) = read_format(text, "f.toml").failure()
    assert "there is no anomaly kind 'xyz'; there are malformed, truncated, " in defect.describe()


def test_names_that_nobody_knows_are_not_looked_up() -> None:
    """A region without a readable name may be the one that a row means."""
    found = read_format(SMALL.replace('{ name = "arguments"', '{ nam = "arguments"'), "f.toml").failure()
    assert {one.path for one in found if isinstance(one, WrongField)} == {"regions[2].name", "regions[2].nam"}
    assert not [one for one in found if isinstance(one, WrongRow)]


def test_a_well_written_file_may_be_a_bad_format() -> None:
    text = SMALL.replace("arguments         @bad    -> broken\n", "").replace('{ name = "CLOSE"', '{ name = "CLOSED"')
    found = read_format(text, "f.toml").failure()
    defect = RegionDefect("small", "arguments", "no_bad_row")
    said = "region 'arguments' may fail, but has no row for @bad"
    assert WrongFormat("f.toml", said, defect, 13) in found
    assert [one.line for one in found if isinstance(one, WrongRow)] == [21, 22, 23], "each row with CLOSE"


def test_rows_that_the_file_does_not_hold() -> None:
    """A copy of a row is told with the row it is a copy of."""
    said = [
        one.describe()
        for one in read_format(SMALL.replace("OPEN    -> name", "OPEN    -> arguments"), "f.toml").failure()
    ]
    row = "f.toml, line 18: row `content after     OPEN    -> arguments`"
    why = "leads to a value or to arguments while no call is open"
    assert f"{row}, copied to region 'fresh' as every opener is, {why}" in said
    assert f"{row} (for after OPEN) {why}" in said


def test_what_every_half_gets() -> None:
    row = SMALL.replace("content after     OPEN", "fresh @text -> broken\ncontent after     OPEN")
    said = [one.describe() for one in read_format(row, "f.toml").failure()]
    assert "f.toml, line 18: row `fresh @text -> broken`: every half gets `fresh @text -> content`" in said
    region = SMALL.replace('kind = "text", channel = "content"', 'kind = "gap", channel = "content"')
    assert [one.describe() for one in read_format(region, "f.toml").failure()] == [
        "f.toml, line 11: region 'content' is the same in every half: kind 'text', channel 'content'"
    ]


LINES = """a = '''
[x]
'''
b.c = 1.5 # [no]
[[d]]
"e" = [1.5, { f = "]\\"" },
  [],
]
[d.g]
h = ""
[[d]]
e = 1
"""


def test_lines_of_a_file() -> None:
    """Every path is found, also behind headers, dotted keys and texts of many lines."""
    expected = "a:1 b:4 b.c:4 d[0]:5 d[0].e:6 d[0].e[0]:6 d[0].e[1]:6 d[0].e[1].f:6 d[0].e[2]:7 d[0].g:9 d[0].g.h:10 d[1]:11 d[1].e:12"
    assert " ".join(f"{path}:{line}" for path, line in places_of(LINES).items()) == expected
    for form in formats():
        written = to_toml(form)
        assert set(places_of(written)) == set(_paths(tomllib.loads(written), ""))


def _paths(value: object, path: str) -> Iterator[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        here = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else str(key)
        yield here
        yield from _paths(inner, here)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "is no TOML: Invalid value (at end of document)"),
        ("x = " + "[" * 100_000, "is no TOML: "),
    ],
)
def test_no_toml(text: str, reason: str) -> None:
    (defect,) = read_format(text, "f.toml").failure()
    assert isinstance(defect, UnreadableFile)
    assert defect.describe().startswith(f"f.toml: {reason}")


def test_neither_half() -> None:
    (defect,) = read_format(SMALL.replace("tools = true", ""), "f.toml").failure()
    assert defect.describe() == "f.toml: the file: is no half: write reasoning = true, tools = true, or both"


def test_rows_that_are_no_text() -> None:
    found = read_format("rows = [1]", "f.toml").failure()
    assert WrongField("f.toml", "rows", "expected a text, or a list of texts", line=1) in found
    assert len(found) == 3


def test_no_file(tmp_path: Path) -> None:
    missing = tmp_path / "x.toml"
    assert load_format(missing).failure() == (UnreadableFile(str(missing), "No such file or directory"),)
    missing.write_bytes(b"\xff")
    assert load_format(missing).failure() == (UnreadableFile(str(missing), "is no UTF-8 text"),)


def test_defaults_are_left_out() -> None:
    assert "experimental" not in to_toml(HERMES)
    assert "[start]" not in to_toml(HERMES)
