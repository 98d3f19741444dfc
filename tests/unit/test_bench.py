"""The benchmarks measure what they say they do. The numbers themselves are nobody's promise here."""

from itertools import pairwise
from pathlib import Path

import pytest
from attrs import evolve
from typer.testing import CliRunner

from tests.bench.command import app as suite
from tests.bench.feeding import FEEDS, LAG, SPLITS, arrival, deltas, reading
from tests.bench.peer import Absent
from tests.bench.results import Cell, load, ratios, results, save
from tests.bench.rivals import present
from tests.bench.sizes import size_of, sizes
from tests.bench.subjects import Subject, subject
from tests.bench.timing import Times, take_turns
from tests.bench.views import comparison, mean
from tests.bench.workloads import DENSITY, HTML, WORKLOADS, meant, streams, workload
from tests.vocabularies import npm
from unbraid.core.machine import start, step
from unbraid.shell.bench import COLUMNS, added_up, columns, fastest, join, loads, measure, prose, read, texts_of, tokens
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.cli import app
from unbraid.shell.messages import message
from unbraid.shell.outputs import Turn, writer
from unbraid.shell.session import Session


@pytest.fixture(scope="module")
def qwen() -> Subject:
    return subject("qwen3", "qwen3_coder")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("feed", FEEDS)
def test_every_way_to_feed_gives_the_turn(qwen: Subject, feed: str, split: str) -> None:
    for name in ("mixed", "dense", "arg-2k"):
        load = workload(name, qwen)
        assert load is not None
        run = reading(arrival(qwen, load), feed, split)
        assert (run is None) == (split == "one-shot" and feed in {"both", "lagging"})
        assert run is None or meant(load.turn, run())


def test_deltas_hold_every_token_once(qwen: Subject) -> None:
    load = workload("mixed", qwen)
    assert load is not None
    there = arrival(qwen, load)
    for feed in FEEDS:
        for split in ("1", "4", "whole"):
            fed = deltas(there, feed, split)
            assert "".join(text or "" for text, _ in fed) == ("" if feed == "ids" else load.text)
            assert sum((ids for _, ids in fed), ()) == (() if feed == "text" else load.ids)
    late = deltas(there, "lagging", "1")
    assert [text for text, _ in late[:LAG]] == [""] * LAG
    assert late[LAG][0] == there.texts[0]


def test_sizes_of_workloads(qwen: Subject) -> None:
    for name, low, high in (("think-2k", 1990, 2030), ("arg-2k", 1990, 2060), ("mixed", 2300, 2700)):
        load = workload(name, qwen)
        assert load is not None
        assert low < len(load.ids) < high
        assert "".join(texts_of(qwen.encoder.vocabulary, load.ids)) == load.text
    assert {"mixed", "dense", "value", *(f"{kind}-{size}k" for kind in ("think", "arg") for size in (2, 100))} < {
        *WORKLOADS
    }


@pytest.mark.parametrize("kind", ["think", "arg"])
def test_fifty_streams_are_cut_from_a_long_one(qwen: Subject, kind: str) -> None:
    long, fifty = workload(f"{kind}-100k", qwen), streams(f"{kind}-50x2k", qwen)
    assert long is not None
    assert len(fifty) == 50
    assert all(1950 < len(stream.ids) < 2060 for stream in fifty)
    text, parts = _long_text(long.turn), [_long_text(stream.turn) for stream in fifty]
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_streams_say_what_their_format_can_say() -> None:
    one = subject("qwen3", "llama3_json")
    assert [stream.turn.answer for stream in streams("think-50x2k", one)] == [""] * 50


def _long_text(turn: Turn) -> str:
    return str(turn.calls[0].arguments["cmd"]) if turn.calls else turn.reasoning


def test_one_stream_is_what_its_name_says(qwen: Subject) -> None:
    (one,), load = streams("think-2k", qwen), workload("think-2k", qwen)
    assert load is not None
    assert one.text == load.text
    assert streams("arg-50x2k", subject("deepseek_r1", None)) == ()


def test_dense_is_dense(qwen: Subject) -> None:
    load = workload("dense", qwen)
    assert load is not None
    words = load.turn.reasoning.split(" ")
    alike = [word for word in words if not word.strip(".,").isalpha()]
    assert DENSITY - 0.1 < len(alike) / len(words) < DENSITY + 0.1
    assert {*alike} - {*HTML}, "the format's own beginnings are among them"


def test_missing_markers_become_tokens() -> None:
    glm = subject("glm45", "glm45")
    assert "<|im_start|>" in glm.encoder.vocabulary.added
    kimi = subject("kimi_k2", "kimi_k2")
    marker = kimi.encoder.vocabulary.added["<|tool_call_begin|>"]
    assert kimi.encoder.ids("a<|tool_call_begin|>b")[1] == marker


def test_a_pair_without_calls_has_no_argument() -> None:
    one = subject("deepseek_r1", None)
    assert workload("arg-2k", one) is None
    assert workload("value", one) is None
    assert workload("think-2k", one) is not None


def test_runs_take_turns() -> None:
    order: list[str] = []
    times = take_turns({name: lambda name=name: order.append(name) for name in "ab"}, repeats=3)  # type: ignore[misc]
    assert times["a"].cpu <= times["a"].cpu_median
    assert [name for name, after in pairwise(order) if name != after] == list("ab" * 4)[:7]


def test_times_are_per_token() -> None:
    assert Times(2.0, 1.0, 4.0, 3.0).per(1_000_000) == Times(2.0, 1.0, 4.0, 3.0)


def test_sizes_are_taken(qwen: Subject) -> None:
    load = workload("mixed", qwen)
    assert load is not None
    held = sizes(arrival(qwen, load), "ids")
    assert held.slowest > 0
    assert 0 < held.state < 2048
    assert 0 < held.scratch <= held.peak
    state = start(qwen.machine, "text", at="reasoning")
    longer, _ = step(qwen.machine, state, "<" + "/think"[:6], ())
    assert size_of(longer) > size_of(state)


def test_results_are_saved_and_compared(tmp_path: Path) -> None:
    cell = Cell("qwen3+hermes", "mixed", "ids", "1", 100, Times(2.0, 1.0, 2.0, 1.0))
    before = results([cell, evolve(cell, split="4")], [], [])
    save(tmp_path / "a.json", before)
    assert load(tmp_path / "a.json") == before
    after = evolve(before, cells=[evolve(cell, times=Times(3.0, 2.0, 3.0, 2.0))])
    assert ratios(before, after) == {cell.place: (1.0, 2.0)}
    assert comparison(before, after).row_count == 2
    assert mean([1.0, 4.0]) == pytest.approx(2.0)


def test_the_suite_runs(tmp_path: Path) -> None:
    arguments = ["--formats", "hermes", "--workloads", "mixed", "--feeds", "ids", "--repeats", "2", "--memory"]
    saved = tmp_path / "a.json"
    result = CliRunner().invoke(suite, [*arguments, "--save", str(saved)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert {cell.split for cell in load(saved).cells} == {*SPLITS}
    assert len(load(saved).held) == 1
    assert CliRunner().invoke(suite, ["--compare", str(saved), str(saved)]).exit_code == 0
    assert CliRunner().invoke(suite, ["--formats", "nope"]).exit_code == 2


def test_absent_peers_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise Absent("peer: not installed")

    monkeypatch.setattr("tests.bench.rivals.MAKERS", (missing,))
    said: list[str] = []
    assert present(said.append) == []
    assert said == ["no peer: not installed"]


# -- `unbraid bench` -----------------------------------------------------------------------------------------------------


def test_adding_up_is_the_message(qwen: Subject) -> None:
    load = workload("mixed", qwen)
    assert load is not None
    session = Session(qwen.machine, at="reasoning")
    events = (*session.feed(load.text), *session.finish())
    ours, theirs = added_up(events), message(events)
    assert (ours.reasoning, ours.content) == (theirs.reasoning, theirs.content)
    assert [(call.name, call.arguments) for call in ours.tool_calls] == [
        (call.name, call.arguments) for call in theirs.tool_calls
    ]


def test_loads_are_read_as_meant() -> None:
    halves = writer("qwen3", "hermes")
    machine = with_tools(bind("qwen3", "hermes").unwrap()).unwrap()
    for one in loads(halves):
        texts, ids = tokens(None, halves.write(one.turn))
        assert ids == ()
        found = read(machine, "text", join("text", texts, ids, 1), "reasoning")
        assert meant(one.turn, found)
    assert [one.name for one in loads(writer("deepseek_r1", None))] == ["mixed", "long thought"]
    assert [one.name for one in loads(writer(None, "hermes"))] == ["mixed", "long argument"]


def test_every_column_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.shell.bench.SECONDS", 0.0)
    halves = writer("qwen3", "hermes")
    machine = with_tools(bind("qwen3", "hermes", npm("qwen3")).unwrap()).unwrap()
    assert columns(machine) == COLUMNS
    passed: list[None] = []
    rates = measure(machine, halves, "reasoning", lambda: passed.append(None))
    assert all(rate > 0 for row in rates.values() for rate in row.values())
    assert len(passed) == 3 * len(COLUMNS)


def test_the_fastest_call_counts() -> None:
    calls: list[None] = []
    assert fastest(lambda: calls.append(None), seconds=0.0) >= 0
    assert len(calls) == 4


def test_prose_is_real() -> None:
    assert len(prose()) > 400_000


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.shell.bench.SECONDS", 0.0)
    result = CliRunner().invoke(app, ["bench", "--reasoning", "qwen3", "--tools", "hermes"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert all(word in result.stdout for word in ("mixed", "long thought", "long argument", "whole text"))
    neither = CliRunner().invoke(app, ["bench"])
    assert (neither.exit_code, neither.stdout) == (2, "")
    assert neither.stderr == "unbraid: bench: name a half to measure: --reasoning NAME, --tools NAME, or both\n"
    wrong = CliRunner().invoke(app, ["bench", "--reasoning", "qwen33"])
    assert wrong.exit_code == 2
    assert "qwen33" in wrong.stderr
