"""Two halves, one format."""

from itertools import product

import pytest
from attrs import evolve
from returns.result import Success

from unbraid.core.check import check
from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW, NOTHING, complete, compose
from unbraid.core.errors import ComposeDefect
from unbraid.core.grammar import Format, Gap, Region, Row, Start, Terminal, Text
from unbraid.core.notation import rows
from unbraid.formats.delimited import DEEPSEEK_R1, DEEPSEEK_V3, IDENTITY
from unbraid.formats.harmony import HARMONY
from unbraid.formats.hermes import HERMES
from unbraid.formats.llama import LLAMA3_JSON
from unbraid.formats.qwen import QWEN3, QWEN3_CODER, SEED_OSS_TOOLS
from unbraid.formats.registry import formats

REASONING = [fmt for fmt in formats() if fmt.reasoning and not fmt.tools]
TOOLS = [fmt for fmt in formats() if fmt.tools and not fmt.reasoning]
PAIRS = [pair for pair in product([None, *REASONING], [None, *TOOLS]) if pair != (None, None)]


def composed(reasoning: Format | None, tools: Format | None) -> Format:
    return compose(reasoning, tools).unwrap()


def leaving(fmt: Format, region: str, on: str) -> list[Row]:
    return [row for row in fmt.rows if (row.region, row.on) == (region, on)]


def name_of(pair: tuple[Format | None, Format | None]) -> str:
    return "+".join("none" if half is None else half.name for half in pair)


@pytest.mark.parametrize("pair", PAIRS, ids=name_of)
def test_every_composition_can_be_compiled(pair: tuple[Format | None, Format | None]) -> None:
    fmt = composed(*pair)
    assert check(fmt) == ()
    assert {CONTENT, FRESH} <= set(fmt.regions)
    assert FRESH_ROW in fmt.rows
    assert (fmt.reasoning, fmt.tools) == (pair[0] is not None, pair[1] is not None)


@pytest.mark.parametrize("fmt", list(formats()), ids=lambda fmt: str(fmt.name))
def test_completing_twice_changes_nothing(fmt: Format) -> None:
    whole = complete(fmt).unwrap()
    again = complete(whole).unwrap()
    assert set(again.rows) == set(whole.rows)
    assert set(again.regions) == set(whole.regions)


class TestOpeners:
    def test_are_copied_to_fresh_content_and_to_reasoning(self) -> None:
        fmt = composed(QWEN3, HERMES)
        for region in ("content", "fresh", "opened", "reasoning"):
            assert leaving(fmt, region, "TOOL_START") == [Row(region, "TOOL_START", "call")]

    def test_that_are_recoveries_stay_out_of_reasoning(self) -> None:
        fmt = composed(QWEN3, QWEN3_CODER)
        assert leaving(fmt, "fresh", "FUNCTION") == [Row("fresh", "FUNCTION", "name", odd="missing_start")]
        assert leaving(fmt, "reasoning", "FUNCTION") == []
        assert leaving(fmt, "reasoning", "TOOL_START") == [Row("reasoning", "TOOL_START", "preamble")]

    @pytest.mark.parametrize(
        ("reasoning", "tools"), [(DEEPSEEK_R1, HERMES), (QWEN3, evolve(HERMES, inside="text"))], ids=["ours", "theirs"]
    )
    def test_stay_out_of_reasoning_if_calls_there_are_text(self, reasoning: Format, tools: Format) -> None:
        fmt = composed(reasoning, tools)
        assert fmt.inside == "text"
        assert leaving(fmt, "reasoning", "TOOL_START") == leaving(fmt, "opened", "TOOL_START") == []
        assert leaving(fmt, "fresh", "TOOL_START") == [Row("fresh", "TOOL_START", "call")]

    def test_reach_every_region_of_content(self) -> None:
        fmt = composed(DEEPSEEK_V3, HERMES)
        for region in ("plain", "plain_text"):
            assert leaving(fmt, region, "TOOL_START") == [Row(region, "TOOL_START", "call")]
            assert leaving(fmt, region, "THINK_END") == []

    def test_without_a_marker_reach_only_gaps_of_content(self) -> None:
        fmt = composed(DEEPSEEK_V3, LLAMA3_JSON)
        for region in ("fresh", "plain"):
            assert leaving(fmt, region, "BRACE") == [Row(region, "BRACE", "call", keep=True)]
        for region in ("content", "plain_text", "opened", "reasoning"):
            assert leaving(fmt, region, "BRACE") == []

    def test_that_lead_to_no_call_stay_out_of_reasoning(self) -> None:
        half = evolve(HERMES, rows=(*HERMES.rows, Row("content", "TOOL_END", "@same")))
        fmt = composed(QWEN3, half)
        assert leaving(fmt, "fresh", "TOOL_END") == [Row("fresh", "TOOL_END", "@same")]
        assert leaving(fmt, "reasoning", "TOOL_END") == []


def test_a_second_end_of_reasoning_is_known_behind_calls() -> None:
    fmt = composed(QWEN3, QWEN3_CODER)
    for region in ("content", "fresh", "ended", "after"):
        assert leaving(fmt, region, "THINK_END") == [Row(region, "THINK_END", "@same", odd="duplicate_end")]
    assert leaving(fmt, "arguments", "THINK_END") == []


class TestRecord:
    def test_name_and_halves(self) -> None:
        fmt = composed(QWEN3, QWEN3_CODER)
        assert fmt.name == "qwen3+qwen3_coder"
        assert fmt.about == f"{QWEN3.about}; {QWEN3_CODER.about}"
        assert fmt.specials == QWEN3.specials
        assert fmt.start == QWEN3.start

    def test_alone(self) -> None:
        assert composed(None, HERMES).name == "hermes"
        assert composed(None, HERMES).start == Start("fresh", "fresh")
        assert composed(QWEN3, None).name == "qwen3"
        assert composed(QWEN3, None).terminals == QWEN3.terminals

    def test_nothing(self) -> None:
        fmt = composed(None, None)
        assert (fmt.name, fmt.about, fmt.rows) == ("plain", NOTHING.about, (FRESH_ROW,))
        assert check(fmt) == ()

    def test_is_tested_as_well_as_its_worse_half(self) -> None:
        real, stated = evolve(QWEN3, template="real"), evolve(HERMES, template="stated")
        assert composed(real, stated).template == "stated"
        assert composed(real, None).template == "real"
        assert composed(real, evolve(HERMES, template="none")).template == "none"

    def test_is_experimental_if_a_half_is(self) -> None:
        assert composed(evolve(QWEN3, experimental=True), HERMES).experimental
        assert composed(QWEN3, LLAMA3_JSON).unmarked
        assert not composed(QWEN3, HERMES).experimental


class TestWholeFormats:
    @pytest.mark.parametrize("pair", [(HARMONY, HARMONY), (HARMONY, None), (None, HARMONY)])
    def test_stand_for_themselves(self, pair: tuple[Format | None, Format | None]) -> None:
        assert compose(*pair) == Success(HARMONY)

    @pytest.mark.parametrize("pair", [(HARMONY, HERMES), (QWEN3, HARMONY)])
    def test_do_not_go_with_others(self, pair: tuple[Format, Format]) -> None:
        other = next(half.name for half in pair if half is not HARMONY)
        assert compose(*pair).failure() == (ComposeDefect("harmony", "whole_format", other),)


def test_halves_in_the_wrong_place() -> None:
    assert compose(HERMES, QWEN3).failure() == (
        ComposeDefect("hermes", "no_reasoning_half"),
        ComposeDefect("qwen3", "no_tool_half"),
    )


def test_clashes_are_found_all_at_once() -> None:
    tools = evolve(
        HERMES,
        terminals=(*HERMES.terminals, Terminal("THINK_END", ("</t>",)), Terminal("OTHER", ("<think>",))),
        regions=(*HERMES.regions, Region("reasoning", Gap(), "call")),
        rows=(*HERMES.rows, *rows("content THINK_END -> call\n reasoning OTHER -> content")),
    )
    assert set(compose(QWEN3, tools).failure()) == {
        ComposeDefect("qwen3+hermes", "terminal_clash", "THINK_END"),
        ComposeDefect("qwen3+hermes", "spelling_clash", "THINK_START and OTHER"),
        ComposeDefect("qwen3+hermes", "region_clash", "reasoning"),
        ComposeDefect("qwen3+hermes", "row_clash", "content THINK_END"),
        ComposeDefect("qwen3+hermes", "row_clash", "fresh THINK_END"),
        ComposeDefect("qwen3+hermes", "row_clash", "opened THINK_END"),
        ComposeDefect("qwen3+hermes", "row_clash", "reasoning THINK_END"),
    }


def test_content_and_fresh_mean_the_same_everywhere() -> None:
    half = evolve(IDENTITY, regions=(Region("content", Text(), "reasoning"), FRESH))
    assert compose(half, None).failure() == (ComposeDefect("identity", "region_clash", "content"),)
    assert compose(half, None).failure()[0].describe() == (
        "format 'identity': the halves mean different regions by one name: content"
    )


def test_a_terminal_that_both_halves_know_is_one() -> None:
    shared = evolve(SEED_OSS_TOOLS, terminals=(*SEED_OSS_TOOLS.terminals, QWEN3.terminals[0]))
    fmt = composed(QWEN3, evolve(shared, rows=(*shared.rows, *rows("junk THINK_START -> @same"))))
    assert [terminal.name for terminal in fmt.terminals].count("THINK_START") == 1


def test_unknown_targets_are_left_to_the_check() -> None:
    tools = evolve(HERMES, rows=(*HERMES.rows, Row("content", "TOOL_END", "nowhere")))
    assert [defect.describe() for defect in check(tools)] == [
        "format 'hermes': row `content TOOL_END -> nowhere`: there is no region 'nowhere'",
        "format 'hermes': row `fresh TOOL_END -> nowhere`: there is no region 'nowhere'",
    ]
