"""What the README says is so: its examples run, its table is current, its commands are commands."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unbraid.formats.registry import formats
from unbraid.shell.cli import app
from unbraid.shell.format_files import load_format
from unbraid.shell.format_view import markdown, updated
from unbraid.shell.policies import choices

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
[OWN_FORMAT] = re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SERVED = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests" / "serving" / "examples").glob("*.py")}
EXAMPLES = [block for block in PYTHON if not any(block in source for source in SERVED.values())]


@pytest.mark.parametrize("place", range(3))
def test_example(place: int) -> None:
    assert len(EXAMPLES) == 3
    exec(compile(EXAMPLES[place], f"README.md, example {place}", "exec"), {})


@pytest.mark.parametrize("name", ["endpoint", "speculation", "transformers_stream"])
def test_serving_examples_are_those_that_run(name: str) -> None:
    """`tests/serving/test_examples.py` runs the files."""
    assert len([block for block in PYTHON if block in SERVED[name]]) == 1


def test_library_example_is_short() -> None:
    assert len([line for line in EXAMPLES[0].split("\n") if line]) <= 20


def test_own_format_as_a_file(tmp_path: Path) -> None:
    """The file does what the command says, and is the format of the example in Python."""
    file = tmp_path / "mine.toml"
    file.write_text(OWN_FORMAT, encoding="utf-8")
    [command] = re.findall(r"`unbraid (parse [^`]*mine\.toml)`", README)
    output = 'Hm.</think>\n\nLook: [[{"name": "now", "arguments": {}}]]'
    result = CliRunner().invoke(app, [str(file) if word == file.name else word for word in command.split(" ")], output)
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert (said["reasoning"], said["content"]) == ("Hm.", "Look: ")
    assert [(call["name"], call["arguments"]) for call in said["tool_calls"]] == [("now", "{}")]
    names: dict[str, object] = {}
    exec(compile(EXAMPLES[2], "README.md, example 2", "exec"), names)
    assert load_format(file).unwrap() == names["MINE"]


def test_table_of_formats_is_current() -> None:
    """Mend: `unbraid formats --markdown --update README.md`."""
    assert updated(README, markdown(tuple(formats()))) == README


def test_policies() -> None:
    for name, known in choices().items():
        assert f"`{name}={'|'.join(known)}`" in README


def test_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    [command] = re.findall(r"\.venv/bin/unbraid (parse .*)", README)
    result = CliRunner().invoke(app, command.split(" "))
    assert result.exit_code == 0
    for word in ("reasoning_content", "content", "get_weather", "write_file", '{"finish_reason": "tool_calls"}'):
        assert word in result.stdout
