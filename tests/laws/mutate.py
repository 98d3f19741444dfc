"""Faults put into the core on purpose, each with the law that must notice it.

    python -m tests.laws.mutate [NAME ...]

Each file in `mutations/` is a unified diff against the project, headed by the name of the law and a sentence. The
command applies one at a time to a copy of the tree, runs the law's tests there, and prints a table. A law that fails
without any fault notices nothing. Exit code 1 if a mutation survives, 2 if one cannot be judged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, TypeAlias

from attrs import frozen
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = Path(__file__).with_name("mutations")
ROOMS: Final = ("core", "formats", "shell", "tests")

Verdict: TypeAlias = Literal["noticed", "survives", "does not apply", "fails without it"]


@frozen
class Mutation:
    """One fault."""

    name: str
    law: str
    what: str
    diff: str


def mutations(wanted: Sequence[str] = ()) -> Iterator[Mutation]:
    """The faults of the folder, or those named."""
    for path in sorted(FOLDER.glob("*.patch")):
        head, _, diff = path.read_text(encoding="utf-8").partition("\n\n")
        law, what = head.split("\n", 1)
        if not wanted or path.stem in wanted:
            yield Mutation(path.stem, law.removeprefix("law: "), what, diff)


def applies(mutation: Mutation, tree: Path, *, check: bool = False) -> bool:
    """Apply the fault to `tree`, or only see whether it would."""
    command = ["git", "apply", *(["--check"] if check else []), "-"]
    return (
        subprocess.run(command, input=mutation.diff, text=True, cwd=tree, capture_output=True, check=False).returncode
        == 0
    )


def judge(mutation: Mutation) -> Verdict:
    """Run the law on a copy of the tree that has the fault, and on one that has none."""
    if _fails_anyway(mutation.law):
        return "fails without it"
    with TemporaryDirectory() as folder:
        tree = Path(folder)
        copy(tree)
        if not applies(mutation, tree):
            return "does not apply"
        return "noticed" if _law_fails(mutation.law, tree) else "survives"


@cache
def _fails_anyway(law: str) -> bool:
    with TemporaryDirectory() as folder:
        copy(Path(folder))
        return _law_fails(law, Path(folder))


def copy(tree: Path) -> None:
    """The project in `tree`, importable as `unbraid` from `tree/import`."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    package = tree / "import" / "unbraid"
    package.mkdir(parents=True)
    for room in ROOMS[:3]:
        (package / room).symlink_to(tree / room)
    for file in (tree / "shell" / "facade").iterdir():
        (package / file.name).symlink_to(file)


def _law_fails(law: str, tree: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/laws/test_{law}.py"]
    paths = {
        "PYTHONPATH": f"{tree / 'import'}:{tree}",
        "UNBRAID_TEMPLATES": os.environ.get("UNBRAID_TEMPLATES", _templates()),
    }
    result = subprocess.run(command, cwd=tree, env={**os.environ, **paths}, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"the tests of law {law} could not run:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.returncode == 1


def _templates() -> str:
    return str(ROOT.parent / "shared" / "templates")


def main(wanted: Sequence[str]) -> int:
    """Judge all, print the table, return the exit code."""
    table = Table("mutation", "law", "verdict", "what it does")
    verdicts: list[Verdict] = []
    console = Console(stderr=True)
    for mutation in track(list(mutations(wanted)), "mutations", console=console, transient=True):
        verdicts.append(judge(mutation))
        style = "green" if verdicts[-1] == "noticed" else "red"
        table.add_row(mutation.name, mutation.law, f"[{style}]{verdicts[-1]}", mutation.what)
    Console().print(table)
    if {"does not apply", "fails without it"} & set(verdicts):
        return 2
    return 1 if "survives" in verdicts else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
