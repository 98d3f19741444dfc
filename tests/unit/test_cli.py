"""The command line, as people call it."""

import json
import platform
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.vocabularies import npm
from unbraid.core.events import Anomaly, Events
from unbraid.formats.registry import formats
from unbraid.shell.cli import app
from unbraid.shell.format_files import read_format

ROOT = Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "tests" / "corpus" / "demo" / "qwen3.txt")
HALVES = ("--reasoning", "qwen3", "--tools", "qwen3_coder")
HERMES = ("--reasoning", "qwen3", "--tools", "hermes")
OUTPUT = 'plan</think>\n\nHi <tool_call>\n{"name": "f", "arguments": {"n": "é"}}\n</tool_call>'


def run(*arguments: str, text: str | bytes = "", code: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments, input=text, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def refused(*arguments: str, text: str = "") -> list[str]:
    result = run(*arguments, text=text, code=2)
    assert result.stdout == ""
    return result.stderr.rstrip("\n").split("\n")


def message_of(result: Result) -> Any:
    found = json.loads(result.stdout)
    for call in found["tool_calls"]:
        assert call.pop("id")
    return found


# ------------------------------------------------------------------------------------------------------------- parse


def test_parse_file() -> None:
    found = message_of(run("parse", *HALVES, DEMO))
    assert found["reasoning"].startswith("The user wants")
    assert [call["name"] for call in found["tool_calls"]] == ["get_weather", "write_file"]
    assert found["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("file", [(), ("-",)])
def test_parse_stdin(file: tuple[str, ...]) -> None:
    assert message_of(run("parse", *HERMES, *file, text=OUTPUT)) == {
        "reasoning": "plan",
        "content": "Hi ",
        "tool_calls": [{"name": "f", "arguments": '{"n": "é"}', "complete": True}],
        "finish_reason": "tool_calls",
        "anomalies": [],
    }


def test_either_half_may_be_absent() -> None:
    assert message_of(run("parse", "--reasoning", "qwen3", text=OUTPUT))["content"] == OUTPUT[14:]
    assert message_of(run("parse", "--tools", "hermes", text=OUTPUT))["content"] == "plan</think>\n\nHi "
    assert message_of(run("parse", text=OUTPUT))["content"] == OUTPUT


def test_invalid_bytes_are_replaced() -> None:
    assert message_of(run("parse", text=b"a\xffb"))["content"] == "a\ufffdb"


def test_options_of_the_request(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('[{"type": "function", "function": {"name": "g"}}]')
    request = tmp_path / "request.json"
    request.write_text('{"tools": []}')
    odd = message_of(run("parse", *HERMES, "--tool-schema", str(tools), text=OUTPUT))["anomalies"]
    assert odd == [{"kind": "unknown_tool", "text": "f"}]
    assert message_of(run("parse", *HERMES, "--tool-schema", str(request), text=OUTPUT))["tool_calls"] == []
    assert message_of(run("parse", *HERMES, "--start", "content", text="a"))["content"] == "a"
    assert message_of(run("parse", *HERMES, "--template-kwarg", "enable_thinking=false", text="a"))["content"] == "a"
    assert message_of(run("parse", *HERMES, "--prompt", "<think></think>", text="a"))["content"] == "a"
    assert message_of(run("parse", "--finish-reason", "length", text="a"))["finish_reason"] == "length"
    framed = message_of(run("parse", *HERMES, "--policy", "framing=verbatim", text="a</think>\nb"))
    assert framed["content"] == "\nb"
    cut = message_of(run("parse", *HERMES, "--policy", "truncated=drop", text=OUTPUT[:-20]))
    assert cut["tool_calls"] == []


def test_stream() -> None:
    lines = [json.loads(line) for line in run("parse", *HERMES, "--stream", text=OUTPUT).stdout.splitlines()]
    assert lines[0] == {"role": "assistant", "content": ""}
    assert lines[-1] == {"finish_reason": "tool_calls"}
    assert len(lines) >= 8
    assert "".join(line.get("reasoning_content", "") for line in lines) == "plan"
    pieces = [call["function"]["arguments"] for line in lines for call in line.get("tool_calls", [])]
    assert "".join(pieces) == '{"n": "é"}'


def test_stream_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    text = run("parse", *HERMES, "--stream", text=OUTPUT).stdout
    assert re.sub("\x1b\\[[0-9;]*m", "", text) == 'plan\nHi \nf {"n": "é"}\n'
    assert "\x1b[" in text


def test_all_defects_at_once() -> None:
    wrong = ("--policy", "framing", "--policy", "truncate=drop", "--tokenizer", "/nowhere")
    lines = refused("parse", "--reasoning", "qwen33", "--tools", "hermess", *wrong)
    assert [line.split(":")[0] for line in lines] == ["unbraid"] * 5
    assert lines[1] == "unbraid: there is no policy 'truncate'; did you mean 'truncated'?"
    assert lines[3].startswith("unbraid: there is no reasoning format 'qwen33'; did you mean 'qwen3'")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("/nowhere/x",), "/nowhere/x: No such file or directory"),
        (("--tool-schema", "/nowhere/x"), "/nowhere/x: No such file or directory"),
        (("--tool-schema", DEMO), f"{DEMO}: not JSON: "),
        (("--batch", "/nowhere/x"), "/nowhere/x: No such file or directory"),
        (("--batch", DEMO, DEMO), "--batch: reads its own file"),
        (("--batch", DEMO, "--stream"), "--batch: reads its own file"),
        (
            ("--batch", DEMO, "--tool-schema", DEMO),
            "--tool-schema: is about one output; each line of --batch has its own `tools`",
        ),
        (("--batch", DEMO, "--template-kwarg", "a=1"), "--template-kwarg: is about one output"),
        (("--batch", DEMO, "--start", "content"), "--start: is about one output"),
        (("--batch", DEMO, "--prompt", "x"), "--prompt: is about one output"),
        (("--batch", DEMO, "--finish-reason", "length"), "--finish-reason: is about one output"),
        (("--start", "end"), "start: expected auto, reasoning or content"),
        (("--template-kwarg", "x"), "template kwarg 'x': expected NAME=JSON"),
    ],
)
def test_refused(arguments: tuple[str, ...], expected: str) -> None:
    [line] = refused("parse", *arguments)
    assert line.startswith(f"unbraid: {expected}")


def test_template_kwargs_that_are_no_json_are_text() -> None:
    for value in ("short", "NaN", "1e999"):
        assert run("parse", *HERMES, "--template-kwarg", f"style={value}", text="a").stderr == ""


def test_template_kwargs_like_a_known_one() -> None:
    result = run("parse", *HERMES, "--template-kwarg", "enable_thinkin=false", text="a")
    assert message_of(result)["reasoning"] == "a"
    assert result.stderr == (
        "unbraid: warning: template kwarg 'enable_thinkin' switches nothing here; did you mean 'enable_thinking'?\n"
    )
    for known in (("enable_thinking=true", *HERMES), ("enable_thinkin=true", "--tools", "hermes")):
        assert run("parse", *known[1:], "--template-kwarg", known[0], text="a").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("parse", "--compat", "vlm"), "--compat: 'vlm' is none of vllm, sglang; did you mean 'vllm'?"),
        (("parse", "--workers", "0"), "--workers: 0 is too small; 1 or more are needed"),
        (("parse", "--workers", "x"), "usage: Invalid value for '--workers'"),
        (("parse", "--reasonin", "x"), "--reasonin: there is no such option; did you mean '--reasoning'"),
        (("parse", "--zzz"), "--zzz: there is no such option; "),
        (("--zzz",), "--zzz: there is no such option; "),
        (("parse", "a", "b"), "usage: Got unexpected extra argument"),
        (("parse", "--tools"), "usage: Option '--tools' requires an argument"),
        (("formats", "qwen3", "--half", "tool"), "--half: 'tool' is none of reasoning, tools; did you mean 'tools'?"),
        (("pars",), "pars: there is no such command; did you mean 'parse'?"),
        (("xyz",), "xyz: there is no such command; there are parse, replay, formats, bench"),
    ],
)
def test_usage_is_told_in_one_line(arguments: tuple[str, ...], expected: str) -> None:
    [line] = refused(*arguments)
    assert line.startswith(f"unbraid: {expected}")


def test_no_words_are_a_call_for_help() -> None:
    result = CliRunner().invoke(app, [])
    assert "replay" in result.output
    assert "usage:" not in result.output


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '{"a": 1}',
            ["expected an array of tools, or an object with one under `tools`; found an object without `tools`"],
        ),
        ("null", ["expected an array of tools, or an object with one under `tools`; found null"]),
        ('{"tools": null}', ["expected an array of tools, or an object with one under `tools`; tools: found null"]),
        ("[NaN]", ["[0]: NaN is no JSON"]),
        (
            '[5, {"function": {}}, {"name": "f", "parameters": {"properties": {"y": {"type": 5}}}}]',
            [
                "tools[0]: expected an object, found 5",
                "tools[1]: a tool needs a name, a string that is not empty; found nothing at /function/name",
                "tools[2]: tool 'f': a type is a name or a list of names, found a value of type integer at /parameters/properties/y/type",
            ],
        ),
    ],
)
def test_wrong_tool_schemas(tmp_path: Path, content: str, expected: list[str]) -> None:
    path = tmp_path / "tools.json"
    path.write_text(content)
    assert refused("parse", *HERMES, "--tool-schema", str(path)) == [f"unbraid: {path}: {line}" for line in expected]


# ------------------------------------------------------------------------------------------------- formats of one's own

OWN = """
name = "own"
about = "JSON between brackets"
tools = true
terminals = [{ name = "CALL", spellings = ["[["] }, { name = "DONE", spellings = ["]]"] }]
regions = [
  { name = "content", kind = "text", channel = "content" },
  { name = "call", kind = "envelope", channel = "call", trial = "opening" },
  { name = "ended", kind = { gap = { touches = true } }, channel = "content" },
]
rows = '''
content ended  CALL     -> call
call           @closed  -> ended
call           DONE     -> ended   odd=malformed
call           @bad     -> content odd=malformed
ended          DONE     -> ended
ended          @text    -> content
'''
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    return path


OWN_OUTPUT = 'plan</think>\n\nHi [[{"name": "f", "arguments": {"n": "é"}}]]'


def test_a_format_file_is_the_half_that_has_no_name(own: Path) -> None:
    found = message_of(run("parse", "--reasoning", "qwen3", "--format-file", str(own), text=OWN_OUTPUT))
    assert (found["reasoning"], found["content"]) == ("plan", "Hi ")
    assert found["tool_calls"] == [{"name": "f", "arguments": '{"n": "é"}', "complete": True}]
    alone = message_of(run("parse", "--format-file", str(own), text=OWN_OUTPUT))
    assert (alone["reasoning"], alone["content"]) == (None, "plan</think>\n\nHi ")
    assert "splits agree" in run("replay", "--reasoning", "qwen3", "--format-file", str(own), text=OWN_OUTPUT).stdout


def test_a_file_for_each_half(own: Path, tmp_path: Path) -> None:
    thoughts = tmp_path / "thoughts.toml"
    thoughts.write_text(run("formats", "qwen3", "--toml", "--half", "reasoning").stdout)
    files = ("--format-file", str(own), "--format-file", str(thoughts))
    assert message_of(run("parse", *files, text=OWN_OUTPUT))["reasoning"] == "plan"


def test_a_file_with_both_halves(tmp_path: Path) -> None:
    path = tmp_path / "whole.toml"
    path.write_text(run("formats", "harmony", "--toml").stdout)
    output = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi"
    found = message_of(run("parse", "--format-file", str(path), text=output))
    assert (found["reasoning"], found["content"]) == ("Hm.", "Hi")
    assert [line.removeprefix(f"unbraid: {path}: ") for line in refused("parse", "--format-file", str(path), *HERMES)][
        :2
    ] == ["has a half for reasoning, and so has --reasoning qwen3", "has a half for tools, and so has --tools hermes"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_batch_with_a_format_file(own: Path, workers: str) -> None:
    lines = "".join(json.dumps({"id": number, "text": OWN_OUTPUT}) + "\n" for number in range(200))
    arguments = ("--reasoning", "qwen3", "--format-file", str(own), "--batch", "-", "--workers", workers)
    found = [json.loads(line) for line in run("parse", *arguments, text=lines).stdout.splitlines()]
    assert [line["id"] for line in found] == list(range(200))
    assert all(line["tool_calls"][0]["name"] == "f" for line in found)


def test_every_defect_of_format_files_at_once(own: Path, tmp_path: Path) -> None:
    own.write_text(
        OWN.replace("tools = true", "tolls = true").replace('"envelope"', '"envelop"').replace("DONE  ", "DONE =", 1)
    )
    neither = tmp_path / "neither.toml"
    neither.write_text(OWN.replace("tools = true", ""))
    missing = tmp_path / "missing.toml"
    files = [word for path in (own, neither, missing) for word in ("--format-file", str(path))]
    lines = refused("parse", *files, "--reasoning", "qwen33", "--policy", "framing")
    found = [line.removeprefix("unbraid: ").replace(str(tmp_path), "") for line in lines]
    assert sorted(line.split(";")[0] for line in found) == [
        "/missing.toml: No such file or directory",
        "/neither.toml: the file: is no half: write reasoning = true, tools = true, or both",
        "/own.toml, line 14: row `call           DONE =   -> ended   odd=malformed`: regions, then terminals stand before `->`, not =",
        "/own.toml, line 4: tolls: there is no such key",
        "/own.toml, line 8: regions[1].kind: there is no kind 'envelop'",
        "policy 'framing': expected NAME=VALUE, as in framing=verbatim",
        "there is no reasoning format 'qwen33'",
    ]


# ------------------------------------------------------------------------------------------------------------- batch

LINES = [
    {"id": "a", "text": OUTPUT},
    {"id": "b", "deltas": ["pl", "an</think>", "Hi"]},
    {"id": "c", "token_ids": [1]},
    "no object",
    {"id": "e", "text": OUTPUT[:-20], "finish_reason": "length"},
]


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "batch.jsonl"
    lines = [json.dumps(line) for line in LINES] * 40
    path.write_text("\n".join([*lines, "{broken", "", '{"id": "last", "text": "x"}']))
    return path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_batch(batch: Path, workers: str) -> None:
    result = run("parse", *HERMES, "--batch", str(batch), "--workers", workers, code=1)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(found) == 203
    assert [line.get("id") for line in found] == [*["a", "b", "c", None, "e"] * 40, None, None, "last"]
    assert [line["line"] for line in found if "error" in line] == [
        number for number in range(1, 203) if number > 200 or number % 5 in (3, 4)
    ]
    assert "82 of 203 lines are bad" in result.stderr
    assert found[4]["tool_calls"][0]["complete"] is False


def test_ten_thousand_mixed_lines(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_text(
        "".join(f"{json.dumps(_mixed(number))}\n" if number % 1000 else "{broken\n" for number in range(10_000))
    )
    result = run("parse", *HERMES, "--batch", str(path), "--workers", "2", code=1)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("id", line.get("line")) for line in found] == [n if n % 1000 else n + 1 for n in range(10_000)]
    assert all(line["content"] == f"Hi {line['id']}" for line in found if "id" in line)
    assert "10 of 10000 lines are bad" in result.stderr


def _mixed(number: int) -> dict[str, object]:
    output = f'plan</think>\n\nHi {number}\n<tool_call>\n{{"name": "f", "arguments": {{}}}}\n</tool_call>'
    kinds: list[dict[str, object]] = [
        {"text": output},
        {"deltas": list(output)},
        {"text": output.partition("\n\n")[2], "start": "content", "tools": [{"function": {"name": f"f{number % 7}"}}]},
        {"text": output, "chat_template_kwargs": {"enable_thinking": True}, "finish_reason": "length"},
    ]
    return {"id": number, **kinds[number % 4]}


def test_a_good_batch_from_stdin() -> None:
    result = run("parse", *HERMES, "--batch", "-", text='{"id": 1, "text": "a"}\n')
    assert json.loads(result.stdout)["reasoning"] == "a"


# ------------------------------------------------------------------------------------------------------------ replay


def test_replay() -> None:
    assert re.fullmatch(r"\d+ splits agree\n", run("replay", *HERMES, text=OUTPUT).stdout)


def test_with_a_real_tokenizer(tmp_path: Path) -> None:
    tokenizer = ("--tokenizer", str(npm("qwen3")))
    tried = run("replay", *HERMES, *tokenizer, text=OUTPUT).stdout
    assert int(tried.split(" ")[0]) > int(run("replay", *HERMES, text=OUTPUT).stdout.split(" ")[0])
    lines = [
        json.loads(line) for line in run("parse", *HERMES, *tokenizer, "--stream", text=OUTPUT).stdout.splitlines()
    ]
    assert "".join(line.get("reasoning_content", "") for line in lines) == "plan"
    batch = tmp_path / "ids.jsonl"
    batch.write_text('{"token_ids": [151668, 13048], "start": "reasoning"}\n')  # </think>Hi
    found = json.loads(run("parse", *HERMES, *tokenizer, "--batch", str(batch)).stdout)
    assert (found["reasoning"], found["content"]) == (None, "Hi")


def test_replay_shows_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, deltas: list[tuple[str, object]]) -> Events:
        return (Anomaly("cut" if len(deltas) > 1 and deltas[0][0].endswith("<") else "whole"),)

    monkeypatch.setattr("unbraid.shell.cli.reader", lambda *_: read)
    text = run("replay", *HERMES, text="a<b", code=1).stdout
    assert text.startswith("text: 2 deltas read differently from the whole\n1  'a<'\n2  'b'\n")


# ----------------------------------------------------------------------------------------------------------- formats


def test_formats() -> None:
    text = run("formats").stdout
    assert all(form.name[:14] in text for form in formats())


def test_one_format() -> None:
    assert "TOOL_START" in run("formats", "hermes").stdout
    assert run("formats", "hermes", "--mermaid").stdout.startswith("stateDiagram-v2\n    [*] --> ")


def test_formats_toml(tmp_path: Path) -> None:
    for arguments, expected in ((("seed_oss", "--half", "tools"), "SEED_OSS_TOOLS"), (("hermes",), "HERMES")):
        written = run("formats", *arguments, "--toml").stdout
        form = getattr(import_module("unbraid.formats." + ("qwen" if "SEED" in expected else "hermes")), expected)
        assert read_format(written, "x").unwrap() == form
    assert "TOOL_START" not in run("formats", "qwen3", "--half", "reasoning").stdout


def test_formats_markdown(tmp_path: Path) -> None:
    table = run("formats", "--markdown").stdout
    assert table.startswith("| format | aliases |")
    document = tmp_path / "x.md"
    document.write_text("<!-- formats: `unbraid formats --markdown --update README.md` -->\n<!-- /formats -->\n")
    run("formats", "--markdown", "--update", str(document))
    assert table in document.read_text()


def test_formats_refused(tmp_path: Path) -> None:
    document = tmp_path / "x.md"
    document.write_text("no marks")
    assert refused("formats", "hermess")[0].startswith("unbraid: there is no format 'hermess'; did you mean 'hermes'")
    assert refused("formats", "--mermaid") == ["unbraid: --mermaid: name the format to draw"]
    assert refused("formats", "--toml") == ["unbraid: --toml: name the format to write"]
    assert refused("formats", "qwen3", "--toml") == [
        "unbraid: --toml: this name is two formats; choose with --half reasoning or --half tools"
    ]
    assert refused("formats", "hermes", "--half", "reasoning")[0].startswith(
        "unbraid: there is no reasoning format 'hermes' (that name exists for tools)"
    )
    assert refused("formats", "--markdown", "--update", str(document)) == [
        f"unbraid: {document}: has no marks for the table of formats"
    ]


def test_as_a_module_under_a_narrow_locale() -> None:
    run_module = subprocess.run(
        [sys.executable, "-m", "unbraid", "parse", *HERMES],
        input=OUTPUT.encode(),
        capture_output=True,
        check=True,
        env={"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    )
    assert json.loads(run_module.stdout)["tool_calls"][0]["arguments"] == '{"n": "é"}'


def test_version() -> None:
    assert run("--version").stdout == f"unbraid {version('unbraid')}, Python {platform.python_version()}\n"
