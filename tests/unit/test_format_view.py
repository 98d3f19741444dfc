"""Formats as tables and drawings."""

import re

import pytest
from rich.console import Console

from unbraid.core.grammar import Format, Ids, Region, Row, Start, Switch, Terminal, Text
from unbraid.core.notation import show_row
from unbraid.formats.registry import formats
from unbraid.shell.format_view import cells, detail, find, markdown, overview, updated
from unbraid.shell.mermaid import mermaid

FORMATS = tuple(formats())


def printed(view: object) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(view)
    return capture.get()


def test_every_format_is_in_the_tables() -> None:
    for table in (printed(overview(FORMATS)), markdown(FORMATS)):
        for form in FORMATS:
            assert re.search(rf"[│|] {re.escape(form.name)} +[│|]", table)


def test_cells() -> None:
    form = Format(
        "own",
        "made up",
        aliases=("mine", "a|b"),
        reasoning=True,
        tools=True,
        start=Start("a", "b", (Switch(("think", "deep")),), (("<x>", "a"),)),
        ids=Ids("pattern", "functions.{name}:{n}"),
        inside="text",
        unmarked=True,
        template="stated",
        experimental=True,
    )
    abilities = (
        "switched by think, switched by deep, start from the prompt, calls without markers, calls in reasoning are text, "
        "call ids functions.{name}:{n}, experimental"
    )
    assert cells(form) == ("own", "mine, a|b", "reasoning + tools", abilities, "stated")
    assert markdown([form]).split("\n")[2].startswith("| own | mine, a\\|b | reasoning + tools | switched")
    assert cells(Format("plain", "", tools=True, ids=Ids("model")))[3] == "the model's call ids"


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_detail_says_everything(form: Format) -> None:
    text = printed(detail(form))
    for row in form.rows:
        assert show_row(row) in text
    for terminal in form.terminals:
        assert terminal.name in text
        assert all(repr(spelling) in text for spelling in terminal.spellings)
    for region in form.regions:
        assert f" {region.name} " in text


def test_detail_leaves_defaults_out() -> None:
    text = printed(detail(find("qwen3_coder").unwrap()[0]))
    assert "Capture(fields=(Field(slot='name'),), stops='\\n\\r\\t <')" in text
    assert "Gap(touches=True)" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [("qwen3", ["qwen3", "hermes"]), ("openai", ["harmony"]), ("qwen25", ["hermes"]), ("seed_oss", ["seed_oss"] * 2)],
)
def test_find(name: str, expected: list[str]) -> None:
    assert [form.name for form in find(name).unwrap()] == expected


def test_find_proposes_names() -> None:
    [wrong] = find("harmoni").failure()
    assert wrong.describe() == "there is no format 'harmoni'; did you mean 'harmony'?"


def test_updated() -> None:
    before = updated(
        "a\n<!-- formats: `unbraid formats --markdown --update README.md` -->\nold\n<!-- /formats -->\nb\n",
        "| new\\1 |",
    )
    assert before is not None
    assert "old" not in before
    assert "\n\n| new\\1 |\n\n" in before
    assert updated(before, "| new\\1 |") == before
    assert updated("no marks", "") is None


def test_mermaid() -> None:
    form = Format(
        "own",
        "",
        terminals=(Terminal("A", ("<a>",)),),
        regions=(Region("end", Text(), "content"), Region("call", Text(), "call", trial="opening")),
        rows=(
            Row("end", "A", "call"),
            Row("end", "B", "call", do=("call", "end"), odd="missing_end"),
            Row("call", "A", "@same"),
        ),
        start=Start("end", "end"),
    )
    assert [line.strip() for line in mermaid(form).split("\n")] == [
        "stateDiagram-v2",
        "[*] --> end_",
        "end_ --> call : A, B (call end missing_end)",
        "call --> call : A",
        "note right of call : opening trial",
    ]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_row_is_drawn(form: Format) -> None:
    text = mermaid(form)
    for row in form.rows:
        target = row.region if row.to == "@same" else row.to
        [line] = re.findall(rf"^    {row.region} --> {target} : .*$", text, re.MULTILINE)
        assert row.on in line
