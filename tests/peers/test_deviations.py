"""Where vLLM does something else, each difference is written down with the policy that demands ours, and a case of the corpus that shows it.

`deviations/FORMAT.toml` has a table for each:

    vllm    what vLLM 0.33 does
    ours    what we do
    row     the policy that demands it; `why` says which part of it
    case    the case of the corpus whose message is ours

A few differences follow from the contract itself (law 2: what a text is; the start rule; how a value is typed) and from no policy. They are
counted here, so that there is no way around a policy by mistake.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

from tests.corpus.message import message
from tests.corpus.reader import cases
from tests.laws.machines import begin, fold_text, machine_of

ROWS: Final = frozenset(
    {
        "Commit point",
        "Complete",
        "Framing",
        "Text around calls",
        "Arguments",
        "Markers inside argument values",
        "Marker evidence",
        "Reasoning opener in content",
        "Duplicate reasoning end",
        "Call inside reasoning",
        "Truncation",
        "Unknown tool name",
        "Duplicate key",
        "Special tokens that mean nothing here",
    }
)
"""The policies."""

BEYOND: Final = {
    "section 3": 2,
    "section 4": 16,
}
"""Differences that the contract demands, by where: how many there are."""

WITHOUT_A_CASE: Final = {"mistral_json/guided_array"}
"""What is no output of this format."""

FORMATS: Final = {
    **dict.fromkeys(("deepseek_v32", "deepseek_v41"), "deepseek_v32"),
    **dict.fromkeys(("llama3_json", "llama4_json"), "llama3_json"),
    **dict.fromkeys(("k2_horizon", "k2_horizon_typed", "k2_horizon_json"), "k2_horizon"),
    **dict.fromkeys(("mistral", "mistral_v11"), "mistral"),
    **dict.fromkeys(("glm45", "glm53"), "glm45"),
    **{
        name: name
        for name in (
            "cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v4 ernie45 gemma4 granite-20b-fc granite granite4 "
            "granite_thinking harmony inkling internlm jamba kimi kimi_k2 kimi_k3 ling3 llama4_pythonic minicpmv minimax_m2 "
            "minimax_m2_append_think minimax_m3 mistral_json olmo3 plamo3 pythonic step3 xlam"
        ).split(" ")
    },
}
"""Format -> the file where its differences stand."""

CASES: Final = {case.name: case for case in cases()}
FOLDER: Final = Path(__file__).parent / "deviations"


@frozen(eq=False)
class Deviation:
    """One entry. `name`: file and table."""

    name: str
    entry: Mapping[str, str]


def _deviations() -> Iterator[Deviation]:
    for path in sorted(FOLDER.glob("*.toml")):
        for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield Deviation(f"{path.stem}/{name}", entry)


DEVIATIONS: Final = tuple(_deviations())


def test_every_format_has_its_file() -> None:
    assert {deviation.name.split("/")[0] for deviation in DEVIATIONS} == set(FORMATS.values())


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda deviation: deviation.name)
def test_a_policy_demands_it(deviation: Deviation) -> None:
    entry = deviation.entry
    assert {"vllm", "ours", "row"} <= entry.keys() <= {"vllm", "ours", "row", "why", "case"}
    assert all(entry.values())
    assert entry["row"] in ROWS or (entry["row"] in BEYOND and entry["why"])


def test_few_are_demanded_by_no_policy() -> None:
    beyond = [deviation.entry["row"] for deviation in DEVIATIONS if deviation.entry["row"] not in ROWS]
    assert {row: beyond.count(row) for row in beyond} == BEYOND


def test_every_difference_has_a_case() -> None:
    assert {deviation.name for deviation in DEVIATIONS if "case" not in deviation.entry} == WITHOUT_A_CASE


@pytest.mark.parametrize(
    "deviation", [one for one in DEVIATIONS if "case" in one.entry], ids=lambda deviation: deviation.name
)
def test_we_do_what_it_says(deviation: Deviation) -> None:
    """The case is of one of the formats that the file is about, and reads to its message."""
    case = CASES[deviation.entry["case"]]
    assert case.name.split("/")[0] in {name for name, file in FORMATS.items() if file == deviation.name.split("/")[0]}
    machine = machine_of(case)
    assert message(fold_text(machine, begin(case, machine), [case.text])) == case.message
    assert message(fold_text(machine, begin(case, machine), list(case.text))) == case.message
