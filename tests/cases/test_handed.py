"""Faults that people reported on other systems, as small inputs with the right answer: none of them is ours.

The cases are shared data, one JSON object a line (`$UNBRAID_CASES`, default `../shared/cases/bug-reports.jsonl` beside the
repository; skipped elsewhere, failing where `UNBRAID_REQUIRE_DATA` is set). Each case runs for every format that is
registered: whole, as it was cut when the fault was seen, at every two-way cut, code point by code point; as ids with the
markers as dedicated tokens, token by token, and with the host's text in step and late.

Where people disagree (`contested`), section 5 of the design decides; `OURS` says how and why. Cases about a request, a
dialect or a generated input run where these are tested (`ELSEWHERE`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.corpus.message import message
from tests.corpus.reader import Message
from tests.laws.hosts import Host
from tests.laws.machines import bare, chosen, fold_both, fold_ids, fold_text, made
from tests.vocabularies import missing
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.grammar import Policies
from unbraid.core.machine import start
from unbraid.formats.registry import names
from unbraid.shell.finish_reasons import finish_reason

FILE: Final = Path(__file__).resolve().parents[3] / "shared" / "cases" / "bug-reports.jsonl"

ELSEWHERE: Final = {
    "B041": "a stop string of the request: tests/serving",
    "B061": "continue_final_message of the request: tests/serving",
    "B070": "tool_choice=required of the request: tests/serving",
    "B126": "a request field: tests/serving",
    "B128": "tool_choice=none of the request: tests/serving; with tools=() below",
    "B130": "a stop string of the request: tests/serving",
    "B162": "include_reasoning of the request: tests/serving",
    "B139": "another dialect under the name of this one: tests/corpus/llama4_pythonic",
    "B163": "a generated input: tests/laws/test_linearity.py",
    "B165": "a generated input: tests/laws/test_linearity.py",
}

OURS: Final[Mapping[str, Mapping[str, Any]]] = {
    "B043": {
        "policies": {"marker_evidence": "ids"},
        "why": "by ids only under marker_evidence=ids; text: first end wins",
    },
    "B080": {
        "arguments": [
            {"path": "a.py", "edits": '[{"old": "a", "new": "b"}, \n<parameter=edits>\n{"old": "c", "new": "d"}]'}
        ],
        "why": "markers in values: an opener counts only for a declared, not yet seen name; then it is no JSON: a string",
    },
    "B084": {
        "content": "<tool_call>\n<function=get_wea bye",
        "why": "commit point: what is no call is released unchanged",
    },
    "B137": {
        "content": "A <tool_call>garbage</tool_call> B",
        "why": "commit point: what is no call is released unchanged",
    },
    "B158": {
        "names": ["get_weather", "get_weather"],
        "arguments": [{"city": "A"}, {"city": "D"}],
        "why": "the card: a call's header must be an id, NAME:N; no id is guessed",
    },
    "B169": {
        "content": "Look.<|tool_calls_section_begin|><|tool_call_begin|>functions.list_files\n<path>.</path>"
        "<|tool_call_end|><|tool_calls_section_end|>",
        "why": "commit point: what is no call is released unchanged",
    },
    "B005": {"arguments": [{"seats": "4", "name": "Row"}], "why": "arguments: wire JSON passes verbatim"},
}


@cache
def handed() -> Mapping[str, Mapping[str, Any]]:
    """The cases by id, or skip."""
    file = Path(os.environ.get("UNBRAID_CASES") or FILE)
    if not file.is_file():
        missing(f"no reported cases at {file}: set UNBRAID_CASES to the JSON Lines file")
    return {case["id"]: case for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())}


def wanted() -> list[str]:
    """The ids that run here; without the file one entry, whose test skips."""
    file = Path(os.environ.get("UNBRAID_CASES") or FILE)
    if not file.is_file():
        return ["none"]
    return [key for key, case in handed().items() if key not in ELSEWHERE and _registered(case)]


def _registered(case: Mapping[str, Any]) -> bool:
    return _known("tools", case.get("tool_format")) and _known("reasoning", case.get("reasoning_format"))


def _known(role: str, name: str | None) -> bool:
    return name is None or name in names(role)  # type: ignore[arg-type]  # the role is one of two words


def machine(case: Mapping[str, Any], *, ids: bool) -> Machine:
    """The machine that the case describes."""
    halves = case.get("reasoning_format"), case.get("tool_format")
    kwargs = case.get("chat_template_kwargs") or {}
    policies = Policies(**OURS.get(case["id"], {}).get("policies", {}))
    vocabulary = made(*halves).vocabulary if ids else None
    bound = bind(chosen(*halves, kwargs), vocabulary, policies, kwargs).unwrap()
    return with_tools(bound, case.get("tools")).unwrap()


def compare(case: Mapping[str, Any], got: Message) -> None:
    """`got` must be the right message of `case`."""
    ours, expected = OURS.get(case["id"], {}), case["expected"]
    exact = case.get("whitespace_compare", "exact") == "exact"
    for strand, text in (("reasoning", got.reasoning), ("content", got.content)):
        right = ours.get(strand, expected[strand])
        assert (text if exact else _stripped(text)) == (right if exact else _stripped(right)), strand
    assert [call.name for call in got.calls] == ours.get("names", [call["name"] for call in expected["tool_calls"]])
    arguments = ours.get("arguments", [call["arguments"] for call in expected["tool_calls"]])
    for place, (call, right) in enumerate(zip(got.calls, arguments, strict=True)):
        if right is None:
            told = expected["tool_calls"][place]["arguments_text"]
            assert (call.arguments, call.complete) == (told, False)
        else:
            assert call.complete
            assert json.loads(call.arguments) == right
    complete = sum(call.complete for call in got.calls)
    assert finish_reason(case.get("engine_finish_reason") or "stop", complete) == expected["finish_reason"]


def _stripped(text: str | None) -> str | None:
    return (text or "").strip() or None


def _at(case: Mapping[str, Any]) -> Any:
    return case.get("initial_state") or "auto"


def _cuts(case: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    text = case["text"]
    yield [text]
    yield case.get("deltas") or [text]
    yield list(text)
    yield from ([text[:place], text[place:]] for place in range(1, len(text)))


@pytest.mark.parametrize("key", wanted())
def test_text(key: str) -> None:
    case = handed()[key]
    if OURS.get(key, {}).get("policies"):
        return  # the text alone cannot tell; test_ids decides it
    reader = machine(case, ids=False)
    for pieces in _cuts(case):
        compare(case, message(fold_text(reader, start(reader, "text", at=_at(case)), pieces)))


@pytest.mark.parametrize("key", wanted())
def test_ids(key: str) -> None:
    case = handed()[key]
    reader = machine(case, ids=True)
    for tokens in _encodings(case):
        compare(case, message(fold_ids(reader, start(reader, "ids", at=_at(case)), [[token] for token in tokens])))
        compare(case, message(fold_ids(reader, start(reader, "ids", at=_at(case)), [tokens])))


@pytest.mark.parametrize("key", wanted())
def test_both(key: str) -> None:
    case = handed()[key]
    reader = machine(case, ids=True)
    words = made(case.get("reasoning_format"), case.get("tool_format"))
    for tokens in _encodings(case):
        for lag in (0, 3):
            deltas = list(Host(words.vocabulary, lag=lag).deltas(tuple(tokens), Random(lag)))
            compare(case, message(fold_both(reader, start(reader, "both", at=_at(case)), deltas)))


def _encodings(case: Mapping[str, Any]) -> Iterator[Sequence[int]]:
    words = made(case.get("reasoning_format"), case.get("tool_format"))
    if not OURS.get(case["id"], {}).get("policies"):
        yield words.encode(case["text"])
        yield words.encode(case["text"], split_markers=True)
        return
    head, marker, tail = case["text"].rpartition("</think>")  # the last one is the model's token, the others are quoted
    yield [*words.encode(head, split_markers=True), *words.encode(marker), *words.encode(tail)]


def test_no_tools_offered_means_text() -> None:
    """B128: with tool_choice=none nothing is a call, and nothing is hidden."""
    case = handed()["B128"]
    reader = bare(None, "hermes", (), ids=False)
    compare(case, message(fold_text(reader, start(reader, "text", at="content"), [case["text"]])))


def test_every_case_runs_somewhere() -> None:
    """A case that neither runs here nor is listed waits for its format."""
    waiting = {
        case.get("tool_format") or case.get("reasoning_format") for case in handed().values() if not _registered(case)
    }
    assert waiting <= {"xlam", "jamba", "step3", "json_required", "hy_v3", "mistral_json", "mistral_v11"}
