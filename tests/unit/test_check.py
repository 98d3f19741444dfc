"""Every way in which a format can be wrong, each shown by a format that is wrong in this way only."""

from collections.abc import Iterable
from typing import Any

import pytest
from attrs import evolve

from unbraid.core import errors
from unbraid.core.check import check
from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.errors import (
    Defect,
    RegionDefect,
    RowDefect,
    StartDefect,
    TerminalDefect,
    UnknownName,
)
from unbraid.core.grammar import (
    Capture,
    Envelope,
    Field,
    Format,
    Gap,
    Json,
    Region,
    Row,
    Start,
    Switch,
    Terminal,
    Text,
    Value,
)
from unbraid.core.grammar import Test as Condition
from unbraid.core.notation import rows
from unbraid.formats.registry import formats

# A sound format with a bit of everything: `A name : (key = value ;)* B`, `J{...}B`, `{...}`.
BASE = Format(
    name="base",
    about="",
    reasoning=True,
    tools=True,
    terminals=(
        Terminal("THINK", ("<t>",), after=("\n",)),
        Terminal("DONE", ("</t>",), before=("\n\n", "\n")),
        Terminal("A", ("<a>", "<a:>")),
        Terminal("COLON", (":",)),
        Terminal("KEY", ("(",)),
        Terminal("IS", ("=",)),
        Terminal("SEMI", (";",)),
        Terminal("B", ("</a>",)),
        Terminal("J", ("<j>",)),
        Terminal("E", ("<e>",)),
    ),
    regions=(
        CONTENT,
        FRESH,
        Region("reasoning", Text(), "reasoning"),
        Region("name", Capture((Field("name"),), stops="<"), "call", trial="opening"),
        Region("arguments", Gap(), "call"),
        Region("key", Capture((Field("key"),)), "call"),
        Region("value", Value(), "call"),
        Region("closing", Gap(), "call", trial="closing"),
        Region("json_name", Capture((Field("name"),)), "call", trial="opening"),
        Region("json", Json(), "call"),
        Region("envelope", Envelope(), "call", trial="opening"),
        Region("junk", Text(), "none"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=(
        FRESH_ROW,
        *rows("""
            fresh                 THINK    -> reasoning
            reasoning             DONE     -> fresh
            content after         A        -> name
            name                  COLON    -> arguments  do=call
            arguments             KEY      -> key
            arguments             B        -> after      do=end
            arguments             A        -> name       do=end
            arguments             @text    -> junk
            key                   IS       -> value
            key                   @bad     -> junk
            value                 SEMI     -> closing
            closing               KEY B    -> arguments  keep
            junk                  KEY      -> key
            junk                  B        -> after      do=end
            content               J        -> json_name
            json_name             COLON    -> json       do=call
            json                  @closed  -> after
            json                  B        -> after      do=end
            json                  @bad     -> after
            content               E        -> envelope
            envelope              @closed  -> after
            envelope              @bad     -> content
            after                 @text    -> content
        """),
    ),
    start=Start("reasoning", "fresh", (Switch(("think",)),), scan=(("<t>", "reasoning"), ("</t>", "fresh"))),
)


def added(text: str, *regions: Region, terminals: Iterable[Terminal] = ()) -> Format:
    return evolve(
        BASE,
        rows=(*BASE.rows, *rows(text)),
        regions=(*BASE.regions, *regions),
        terminals=(*BASE.terminals, *terminals),
    )


def without(*left_out: str) -> Format:
    """BASE without the rows `region TERMINAL`."""
    return evolve(BASE, rows=tuple(row for row in BASE.rows if f"{row.region} {row.on}" not in left_out))


def instead(old: str, new: str) -> Format:
    """BASE with the row that `old` begins replaced."""
    fmt = without(old)
    assert fmt != BASE
    return evolve(fmt, rows=(*fmt.rows, *rows(new)))


def region(name: str, **changes: Any) -> Format:
    return evolve(BASE, regions=tuple(evolve(one, **changes) if one.name == name else one for one in BASE.regions))


def terminal(name: str, **changes: Any) -> Format:
    return evolve(BASE, terminals=tuple(evolve(one, **changes) if one.name == name else one for one in BASE.terminals))


def start(**changes: Any) -> Format:
    return evolve(BASE, start=evolve(BASE.start, **changes))


def row_of(text: str) -> Row:
    return rows(text)[0]


def of_row(text: str, problem: errors.RowProblem, detail: str = "") -> Defect:
    return RowDefect("base", row_of(text), problem, detail)


def of_region(name: str, problem: errors.RegionProblem) -> Defect:
    return RegionDefect("base", name, problem)


def of_terminal(name: str, problem: errors.TerminalProblem, where: str = "", detail: str = "") -> Defect:
    return TerminalDefect("base", name, problem, where, detail)


def test_the_base_is_sound() -> None:
    assert check(BASE) == ()


@pytest.mark.parametrize("fmt", list(formats()), ids=lambda fmt: str(fmt.name))
def test_every_registered_format_is_sound(fmt: Format) -> None:
    assert check(fmt) == ()


CASES: list[tuple[Format, list[Defect]]] = [
    # names
    (evolve(BASE, name=""), [StartDefect("", "bad_name")]),
    (evolve(BASE, name="a b"), [StartDefect("a b", "bad_name", "a b")]),
    (evolve(BASE, name="a" * 65), [StartDefect("a" * 65, "bad_name", "a" * 65)]),
    (evolve(BASE, regions=(*BASE.regions, CONTENT)), [of_region("content", "twice")]),
    (evolve(BASE, terminals=(*BASE.terminals, BASE.terminals[0])), [of_terminal("THINK", "twice")]),
    (
        evolve(BASE, regions=(*BASE.regions, Region("Big", Gap(), "none"))),
        [of_region("Big", "bad_name"), of_region("Big", "no_text_row"), of_region("Big", "unreachable")],
    ),
    (
        evolve(BASE, terminals=(*BASE.terminals, Terminal("small", ("s",)))),
        [of_terminal("small", "bad_name"), of_terminal("small", "unused")],
    ),
    (
        evolve(BASE, rows=(*BASE.rows, Row("contents", "A", "name"))),
        [UnknownName("base", "region", "contents", "row `contents A -> name`", ("content",))],
    ),
    (
        evolve(BASE, rows=(*BASE.rows, Row("content", "KEY", "valu"))),
        [UnknownName("base", "region", "valu", "row `content KEY -> valu`", ("value",))],
    ),
    (
        evolve(BASE, rows=(*BASE.rows, Row("content", "KEYS", "name"))),
        [UnknownName("base", "terminal", "KEYS", "row `content KEYS -> name`", ("KEY",))],
    ),
    (
        evolve(BASE, rows=(*BASE.rows, Row("@same", "KEY", "name"))),
        [UnknownName("base", "region", "@same", "row `@same KEY -> name`", ("@same",))],
    ),
    # start
    (start(off="frsh"), [UnknownName("base", "region", "frsh", "start", ("fresh",))]),
    (
        start(scan=(("<t>", "reasoning"), ("</t>", "frsh"))),
        [UnknownName("base", "region", "frsh", "prompt scan", ("fresh",))],
    ),
    (start(scan=(("<t>", "reasoning"), ("<t>", "fresh"))), [StartDefect("base", "scan_twice", "<t>")]),
    (start(scan=(("", "reasoning"),)), [StartDefect("base", "empty_scan")]),
    (start(stops=("",)), [StartDefect("base", "empty_scan")]),
    (start(switches=(Switch(()),)), [StartDefect("base", "no_keys")]),
    (start(scan=(("<a>", "name"),)), [StartDefect("base", "start_in_trial", "name")]),
    (start(scan=(("<a>", "value"),)), [StartDefect("base", "start_in_call", "value")]),
    (start(scan=(("<j>", "json"),)), [StartDefect("base", "start_in_call", "json")]),
    # regions
    (region("value", channel="none"), [of_region("value", "wrong_channel")]),
    (region("junk", channel="call"), [of_region("junk", "wrong_channel")]),
    (region("json", trial="opening"), [of_region("json", "wrong_kind")]),
    (region("content", channel="none"), [of_region("content", "wrong_kind")]),
    (region("fresh", channel="none"), [of_region("fresh", "wrong_kind")]),
    (region("junk", at_end="text"), [of_region("junk", "at_end_without_trial")]),
    (region("key", kind=Capture((Field("key", take="after"),))), [of_region("key", "bad_field")]),
    (region("key", kind=Capture((Field("key", after="="),))), [of_region("key", "bad_field")]),
    (region("key", kind=Capture((Field("key", decode=(("", "x"),)),))), [of_region("key", "bad_field")]),
    (region("envelope", kind=Envelope(name=())), [of_region("envelope", "no_keys")]),
    (region("envelope", kind=Envelope(arguments=())), [of_region("envelope", "no_keys")]),
    (without("json @closed"), [of_region("json", "no_closed_row")]),
    (without("json @bad"), [of_region("json", "no_bad_row")]),
    (without("envelope @closed"), [of_region("envelope", "no_closed_row")]),
    (without("key @bad"), [of_region("key", "no_bad_row")]),
    (without("arguments @text"), [of_region("arguments", "no_text_row")]),
    (added("closing @text -> junk"), [of_region("closing", "never_refuses")]),
    (
        added("junk A -> maybe\nmaybe B -> junk", Region("maybe", Text(), "none", trial="opening")),
        [of_region("maybe", "never_refuses")],
    ),
    (
        instead("after @text", "after @text -> gap\n gap @text -> content"),
        [
            UnknownName("base", "region", "gap", "row `after @text -> gap`", ()),
            UnknownName("base", "region", "gap", "row `gap @text -> content`", ()),
            of_region("after", "no_text_row"),
        ],
    ),
    (
        evolve(
            instead("after @text", "after @text -> gap\n gap @text -> content"),
            regions=(*BASE.regions, Region("gap", Gap(), "content")),
        ),
        [of_region("after", "no_text_behind")],
    ),
    (
        added("junk A -> island", Region("island", Text(), "none")),
        [of_region("island", "no_exit")],
    ),
    (
        added("junk A -> island\nisland @bad -> junk", Region("island", Capture(), "none")),
        [of_region("island", "no_exit")],
    ),
    (without("reasoning DONE"), [of_terminal("DONE", "unused")]),  # a start region may go on for ever
    (
        evolve(without("reasoning DONE"), start=Start("fresh", "fresh")),
        [of_terminal("DONE", "unused"), of_region("reasoning", "no_exit")],
    ),
    (added("", Region("island", Text(), "content")), [of_region("island", "unreachable")]),
    # rows
    (added("content A -> name"), [of_row("content A -> name", "shadowed")]),
    (added("content A -> name when=name"), [of_row("content A -> name when=name", "shadowed")]),
    (
        instead("key IS", "key IS -> value when=key=a\n key IS -> junk when=key=a\n key IS -> junk"),
        [of_row("key IS -> junk when=key=a", "shadowed")],
    ),
    (instead("key IS", "key IS -> value when=key=a"), [of_row("key IS -> value when=key=a", "not_exhaustive")]),
    (instead("name COLON", "name COLON -> arguments do=call when=name"), []),  # in a trial that is a refusal
    (added("value @text -> closing"), [of_row("value @text -> closing", "wrong_pseudo")]),
    (added("after @closed -> content"), [of_row("after @closed -> content", "wrong_pseudo")]),
    (added("after @bad -> content"), [of_row("after @bad -> content", "wrong_pseudo")]),
    (added("key B -> @same"), [of_row("key B -> @same", "same_not_allowed")]),
    (
        instead("after @text", "after @text -> @same"),
        [
            of_region("after", "no_text_behind"),
            of_row("after @text -> @same", "same_not_allowed"),
            of_row("after @text -> @same", "loop"),
        ],
    ),
    (added("content B -> after release"), [of_row("content B -> after release", "release_without_capture")]),
    (
        added("content B -> after when=from=key\ncontent B -> after"),
        [of_row("content B -> after when=from=key", "origin_without_capture")],
    ),
    (
        instead("key IS", "key IS -> value when=key:first_segment\n key IS -> value"),
        [of_row("key IS -> value when=key:first_segment", "bad_test")],
    ),
    (
        evolve(
            without("key IS"),
            rows=(
                *without("key IS").rows,
                Row("key", "IS", "value", (Condition("key", ("a",), "new_key"),)),
                Row("key", "IS", "value"),
            ),
        ),
        [RowDefect("base", Row("key", "IS", "value", (Condition("key", ("a",), "new_key"),)), "bad_test")],
    ),
    (
        instead("name COLON", "name COLON -> after do=call,end"),
        [
            of_row("name COLON -> after do=call,end", "bad_actions"),
            *(of_region(name, "unreachable") for name in ("arguments", "key", "value", "closing", "junk")),
        ],
    ),
    (
        added("closing A -> name"),
        [of_row("closing A -> name", "mixed_trials"), of_row("name COLON -> arguments do=call", "call_in_call")],
    ),
    (added("json A -> name do=end"), [of_row("json A -> name do=end", "trial_in_payload")]),
    (added("key A -> closing"), [of_row("key A -> closing", "trial_in_payload")]),
    # ways
    (
        instead("junk B", "junk B -> after do=end,call"),
        [
            of_row("junk B -> after do=end,call", "call_left_open"),
            of_row("junk B -> after do=end,call", "slot_not_captured", "name"),
            of_row("name COLON -> arguments do=call", "call_in_call"),
            of_row("json_name COLON -> json do=call", "call_in_call"),
            of_row("content E -> envelope", "call_in_call"),
            of_row("after @text -> content", "call_left_open"),
            of_row("envelope @closed -> after", "call_left_open"),
            of_row("envelope @bad -> content", "call_left_open"),
        ],
    ),
    (
        instead("junk B", "junk B -> after"),
        [
            of_row("junk B -> after", "call_left_open"),
            of_row("name COLON -> arguments do=call", "call_in_call"),
            of_row("json_name COLON -> json do=call", "call_in_call"),
            of_row("content E -> envelope", "call_in_call"),
            of_row("after @text -> content", "call_left_open"),
            of_row("envelope @closed -> after", "call_left_open"),
            of_row("envelope @bad -> content", "call_left_open"),
        ],
    ),
    (instead("json @bad", "json @bad -> after do=end"), [of_row("json @bad -> after do=end", "end_without_call")]),
    (
        instead("envelope @bad", "envelope @bad -> content do=end"),
        [of_row("envelope @bad -> content do=end", "end_without_call")],
    ),
    (
        instead("json_name COLON", "json_name COLON -> json"),
        [
            of_row("json_name COLON -> json", "needs_open_call"),
            of_row("json B -> after do=end", "end_without_call"),
        ],
    ),
    (
        instead("arguments KEY", "arguments KEY -> value"),
        [
            of_row("arguments KEY -> value", "slot_not_captured", "key"),
        ],
    ),
    (
        region("name", kind=Capture((Field("id"),))),
        [
            of_row("name COLON -> arguments do=call", "slot_not_captured", "name"),
        ],
    ),
    (
        instead("key IS", "key IS -> value when=type=s\nkey IS -> value"),
        [
            of_row("key IS -> value when=type=s", "slot_not_captured", "type"),
        ],
    ),
    (instead("closing KEY", "closing KEY -> value"), [of_row("closing KEY -> value", "slot_not_captured", "key")]),
    (
        added("arguments IS -> junk keep\njunk IS -> arguments keep"),
        [of_row("arguments IS -> junk keep", "loop"), of_row("junk IS -> arguments keep", "loop")],
    ),
    (added("junk IS -> @same keep"), [of_row("junk IS -> @same keep", "loop")]),
    (
        added(
            "junk COLON -> other\nother @text -> third\nthird @text -> other",
            Region("other", Gap(), "call"),
            Region("third", Gap(), "call"),
        ),
        [of_row("other @text -> third", "loop"), of_row("third @text -> other", "loop")],
    ),
    (
        evolve(
            without("envelope @bad", "after @text"),
            rows=(
                *without("envelope @bad", "after @text").rows,
                *rows("envelope @bad -> after\nafter @text -> envelope\nafter E -> content"),
            ),
        ),
        [
            of_region("after", "no_text_behind"),
            of_row("envelope @bad -> after", "loop"),
            of_row("after @text -> envelope", "loop"),
        ],
    ),
    # terminals
    (terminal("A", spellings=()), [of_terminal("A", "no_spelling")]),
    (terminal("A", last=("<c>",)), [of_terminal("A", "no_such_spelling", "", "'<c>'")]),
    (terminal("A", spellings=("<a>", "")), [of_terminal("A", "empty_spelling")]),
    (evolve(BASE, terminals=(*BASE.terminals, Terminal("X", ("x",)))), [of_terminal("X", "unused")]),
    (terminal("J", spellings=("<j>", "<a>")), [of_terminal("A", "same_spelling", "content", "J")]),
    (terminal("J", spellings=("<a",)), []),  # a prefix only waits
    (terminal("J", spellings=("a>",)), []),  # an end is complete when the whole is
    (
        terminal("J", spellings=("a",)),
        [
            of_terminal("J", "inner_spelling", "content", "'<a>' of A"),
            of_terminal("J", "inner_spelling", "content", "'<a:>' of A"),
        ],
    ),
    (
        terminal("SEMI", spellings=("<;;>", ";")),
        [
            of_terminal("SEMI", "inner_spelling", "value", "'<;;>'"),
        ],
    ),
    (
        evolve(
            BASE,
            terminals=(
                *terminal("A", before=("\n",)).terminals[:8],
                *terminal("J", spellings=("\n<j>",)).terminals[8:],
            ),
        ),
        [of_terminal("J", "framing_overlap", "content", "A")],
    ),
    (
        terminal("DONE", before=("\n\n\n\n", "\n\n\n", "\n\n", "\n", "\t")),
        [of_terminal("DONE", "too_many_framings", "", "5")],
    ),
    (terminal("DONE", after=("",)), [of_terminal("DONE", "bad_framing", "", "''")]),
    (terminal("DONE", after=("x",)), [of_terminal("DONE", "bad_framing", "", "'x'")]),
    (terminal("DONE", after=(" " * 17,)), [of_terminal("DONE", "bad_framing", "", repr(" " * 17))]),
    (terminal("DONE", after=("\n", "\n\n")), [of_terminal("DONE", "framing_order", "", repr("\n\n"))]),
]


@pytest.mark.parametrize(("fmt", "defects"), CASES, ids=[str(number) for number in range(len(CASES))])
def test_defects(fmt: Format, defects: list[Defect]) -> None:
    assert set(check(fmt)) == set(defects)


def test_every_kind_of_defect_is_shown_above() -> None:
    found = [defect for _, defects in CASES for defect in defects]
    tables = (
        (RowDefect, errors.ROW_PROBLEMS),
        (RegionDefect, errors.REGION_PROBLEMS),
        (TerminalDefect, errors.TERMINAL_PROBLEMS),
        (StartDefect, errors.START_PROBLEMS),
    )
    for kind, table in tables:
        assert {defect.problem for defect in found if isinstance(defect, kind)} == set(table)


TEXTS = {
    UnknownName("f", "region", "cal", "row `a B -> cal`", ("call",)): (
        "format 'f': row `a B -> cal`: there is no region 'cal'; did you mean 'call'?"
    ),
    RowDefect("f", Row("a", "B", "c"), "slot_not_captured", "key"): (
        "format 'f': row `a B -> c` needs a slot that is not captured on every way to it: key"
    ),
    RegionDefect("f", "call", "no_bad_row"): "format 'f': region 'call' may fail, but has no row for @bad",
    TerminalDefect("f", "A", "same_spelling", "call", "B"): (
        "format 'f': terminal 'A' is spelled like another terminal of the same region in region 'call': B"
    ),
    StartDefect("f", "scan_twice", "<t>"): "format 'f': the prompt is scanned twice for one spelling: <t>",
}


@pytest.mark.parametrize("defect", TEXTS, ids=lambda defect: type(defect).__name__)
def test_texts(defect: Defect) -> None:
    assert defect.describe() == TEXTS[defect]


def test_a_defect_without_text_is_a_programmers_error() -> None:
    with pytest.raises(NotImplementedError):
        Defect("f").describe()


def test_a_way_in_decides_which_rows_count() -> None:
    """One capture may serve several places: conditions on where it was entered from keep them apart."""
    shared = Region("tag", Capture((Field("name"),)), "none", trial="opening")
    rows_ = """
        content  X      -> tag
        junk     X      -> tag
        tag      COLON  -> arguments  do=call  when=from=content & mark=X
        tag      COLON  -> junk       when=from!=content,fresh & mark!=A & from & mark
    """
    assert check(added(rows_, shared, terminals=(Terminal("X", ("%",)),))) == ()
    undecided = check(added(rows_.replace("from=content & ", ""), shared, terminals=(Terminal("X", ("%",)),)))
    assert of_row("tag COLON -> arguments do=call when=mark=X", "call_in_call") in undecided
