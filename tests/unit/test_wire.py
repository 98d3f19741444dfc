"""How formats write their calls, as their tables say, and which tables do not say it."""

from __future__ import annotations

from typing import Final

import pytest
from attrs import evolve

from tests.serving.constrained.notations import NOTATIONS
from unbraid.core.compose import complete
from unbraid.core.grammar import Envelope, Format, Json, Terminal, Tree
from unbraid.core.notation import rows
from unbraid.core.resolve import fill
from unbraid.formats.registry import formats
from unbraid.shell.wire import Detour, Mark, Pairs, Part, Parts, Space, Wire, wire

FORMATS: Final = {fmt.name: fill(complete(fmt).unwrap(), None, {}) for fmt in formats() if fmt.tools}

IMPOSSIBLE: Final = {
    "harmony": "free_header",
    "pythonic": "python_calls",
    "llama4_pythonic": "python_calls",
    "olmo3": "python_calls",
    "lfm2": "python_calls",
}
"""Formats whose calls are no way through a table, and why."""


def shown(parts: Parts) -> str:
    """Markers as they are, `_` for white space, slots in braces, detours in brackets."""
    return "".join(map(_shown, parts))


def _shown(part: Part) -> str:
    if isinstance(part, Mark):
        return part.spelling
    if isinstance(part, Detour):
        return f"({shown(part.parts)})"
    return "_" if isinstance(part, Space) else f"{{{','.join(sorted(part.names))}}}"


def of(name: str) -> Wire:
    return wire(FORMATS[name]).unwrap()


def test_what_has_no_wire() -> None:
    found = {name: wire(fmt).swap().map(lambda one: one.problem).value_or(None) for name, fmt in FORMATS.items()}
    assert {name: problem for name, problem in found.items() if problem is not None} == IMPOSSIBLE


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_reason_is_told(name: str) -> None:
    assert repr(FORMATS[name].name) in wire(FORMATS[name]).failure().describe()


@pytest.mark.parametrize(
    ("name", "prefix", "head", "tail", "suffix"),
    [
        ("hermes", "", "<tool_call>_", "_</tool_call>", ""),
        ("granite", "", "<|tool_call|>_", "", ""),
        ("llama3_json", "", "", "", ""),
        ("mistral", "", "[TOOL_CALLS]{name}([CALL_ID]{id})[ARGS]_", "", ""),
        (
            "kimi_k2",
            "<|tool_calls_section_begin|>_",
            "<|tool_call_begin|>{id,name}<|tool_call_argument_begin|>_",
            "_<|tool_call_end|>",
            "<|tool_calls_section_end|>",
        ),
        (
            "deepseek_v3",
            "<｜tool▁calls▁begin｜>_",
            "<｜tool▁call▁begin｜>{}<｜tool▁sep｜>{name}\n```json\n_",
            "_```_<｜tool▁call▁end｜>",
            "<｜tool▁calls▁end｜>",
        ),
        ("qwen3_coder", "", "<tool_call>_<function={name}>_", "</function>__</tool_call>", ""),
        ("glm45", "", "<tool_call>{name}_", "</tool_call>", ""),
        ("hy_v3", "<tool_calls>_", "<tool_call>{name}(<tool_sep>_)_", "</tool_call>", "</tool_calls>"),
        ("gemma4", "", "<|tool_call>_call:{name}", "_<tool_call|>", ""),
    ],
)
def test_ways(name: str, prefix: str, head: str, tail: str, suffix: str) -> None:
    found = of(name)
    assert [shown(part) for part in (found.prefix, found.head, found.tail, found.suffix)] == [
        prefix,
        head,
        tail,
        suffix,
    ]
    assert found.section is bool(prefix)
    assert found.unmarked == (("{",) if name == "llama3_json" else ())


def test_what_may_end_a_turn() -> None:
    ends = {name: [mark.spelling for mark in of(name).ends] for name in FORMATS if name not in IMPOSSIBLE}
    assert {name: found for name, found in ends.items() if found} == {
        "poolside_v1": ["</assistant>"],
        "plamo3": ["<|plamo:tag|>"],
        "ernie45": ["<response>", "</response>"],
    }


def test_wrappers() -> None:
    found = {name: of(name).wrapper for name in FORMATS if name not in IMPOSSIBLE}
    assert {name: [mark.spelling for mark in pair] for name, pair in found.items() if pair} == {
        "kimi_k3": ["<|open|>response<|sep|>", "<|close|>response<|sep|>"],
        "cohere_command3": ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
        "cohere_command4": ["<|START_TEXT|>", "<|END_TEXT|>"],
    }


def test_detours() -> None:
    """A header that may be missing, which a shorter way leaves out, may stand there all the same."""
    assert shown(of("step3").head).startswith("(<｜tool_call_begin｜>{}<｜tool_sep｜>_)<steptml:invoke name={name}>")


def test_every_format_with_a_wire_is_tried() -> None:
    """`tests/serving/test_constraints.py` runs over these."""
    assert set(NOTATIONS) == set(FORMATS) - set(IMPOSSIBLE) | {"harmony"}  # of messages: tests/unit/test_headers.py


def test_arguments() -> None:
    assert isinstance(of("hermes").arguments, Envelope)
    assert of("kimi_k2").arguments == Json()
    assert isinstance(of("minimax_m3").arguments, Tree)
    pairs = of("qwen3_coder").arguments
    assert isinstance(pairs, Pairs)
    assert (shown(pairs.parts), pairs.opens, pairs.closes, pairs.close.spelling) == (
        "<parameter={key}>",
        "\n",
        "\n",
        "</parameter>",
    )
    assert pairs.live == ("</parameter>", "<parameter=", "</function>", "</tool_call>")


def test_the_record_alone_decides() -> None:
    """A format of one's own has a wire; other spellings give another one."""
    hermes = FORMATS["hermes"]
    marks = {"TOOL_START": "[[", "TOOL_END": "]]"}
    mine = evolve(
        hermes,
        name="mine",
        terminals=tuple(evolve(one, spellings=(marks[one.name],)) for one in hermes.terminals if one.name in marks),
    )
    found = wire(mine).unwrap()
    assert (shown(found.head), shown(found.tail)) == ("[[_", "_]]")
    assert found.opener == Mark(evolve(hermes.terminals[0], spellings=("[[",)))


@pytest.mark.parametrize(
    ("kept", "problem"),
    [(lambda row: row.region not in ("content", "fresh"), "no_way"), (lambda row: row.on != "@closed", "no_end")],
)
def test_tables_with_holes(kept: object, problem: str) -> None:
    hermes = FORMATS["hermes"]
    assert callable(kept)
    assert wire(evolve(hermes, rows=tuple(filter(kept, hermes.rows)))).failure().problem == problem


def test_no_calls() -> None:
    plain = Format("plain", "text", terminals=(Terminal("A", ("a",)),), rows=rows("content A -> content"))
    assert wire(plain).failure().problem == "no_calls"
