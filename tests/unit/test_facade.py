"""The names that users type, and what importing them costs."""

import subprocess
import sys
from importlib import import_module

import pytest

import unbraid

HEAVY = ("attrs", "cattrs", "jinja2", "numpy", "returns", "rich", "tokenizers", "transformers", "typer")


@pytest.mark.parametrize("name", unbraid.__all__)
def test_names_are_there(name: str) -> None:
    value = getattr(unbraid, name)
    assert value is getattr(import_module(f"unbraid.{unbraid._HOME[name]}"), name)


def test_names_are_all() -> None:
    assert sorted(unbraid._HOME) == unbraid.__all__ == dir(unbraid)


def test_another_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'bound'"):
        getattr(unbraid, "bound")  # noqa: B009 -- a type checker would see it


def imported_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in run.stdout.split()}


def test_importing_is_cheap() -> None:
    assert imported_by("import unbraid").isdisjoint(HEAVY)


def test_the_library_needs_no_command_line() -> None:
    names = imported_by("from unbraid import *; bind('qwen3', 'hermes').unwrap()")
    assert names.isdisjoint({"rich", "typer", "jinja2", "numpy", "tokenizers", "transformers"})
