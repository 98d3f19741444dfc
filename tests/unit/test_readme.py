"""What the README says is so: its examples run, its table is current, its commands are commands."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unbraid.formats.registry import formats
from unbraid.shell.cli import app
from unbraid.shell.format_view import markdown, updated
from unbraid.shell.policies import choices

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("place", range(3))
def test_example(place: int) -> None:
    assert len(EXAMPLES) == 3
    exec(compile(EXAMPLES[place], f"README.md, example {place}", "exec"), {})


def test_library_example_is_short() -> None:
    assert len([line for line in EXAMPLES[0].split("\n") if line]) <= 20


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
