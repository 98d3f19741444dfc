"""The corpus: raw outputs and the messages that they are, as people write them down.

A folder per format, a file per subject. Each file is TOML: a table per case, named after it; the table `all` holds what
its cases share (a case's own key wins). Keys of a case:

| key | meaning |
|---|---|
| `halves` | `{reasoning = "…", tools = "…"}`, names of formats; a missing one is not configured |
| `text` | the raw output, best as a multi-line literal string (its first line break is not part of it) |
| `at`, `prompt`, `kwargs` | where generation starts: `at` of `start` (default `auto`), the prompt's end, template kwargs |
| `offered` | names from `tools.toml`; missing or `"unknown"`: the tools are not known; `[]`: none are offered |
| `schemas` | tools of this case alone: name -> JSON schema of the parameters; offered beside `offered` |
| `policies` | fields of `Policies` that are not the default |
| `reasoning`, `content` | the strands; missing: there is none |
| `calls` | a list of `[name, arguments]`, the arguments as JSON text, or `[name, arguments, "open"]` if they are incomplete |
| `anomalies` | their kinds, in order |
| `note`, `source` | why this is right, where the sample comes from |

A case stands for itself: every law reads `cases()`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen

HERE: Final = Path(__file__).parent
KEYS: Final = frozenset(
    "halves text at prompt kwargs offered schemas policies reasoning content calls anomalies note source".split()
)


@frozen
class Call:
    """One expected call; `arguments` is JSON text, a prefix of it if the call is not `complete`."""

    name: str
    arguments: str
    complete: bool = True


@frozen
class Message:
    """What an output means."""

    reasoning: str | None
    content: str | None
    calls: tuple[Call, ...]
    anomalies: tuple[str, ...]


@frozen(eq=False)
class Case:
    """One entry; `name` is folder/file/table."""

    name: str
    reasoning: str | None
    tools: str | None
    text: str
    message: Message
    at: str = "auto"
    prompt: str | None = None
    kwargs: Mapping[str, Any] = {}
    offered: tuple[Mapping[str, object], ...] | None = None
    policies: Mapping[str, str] = {}
    source: str = ""


@cache
def cases() -> tuple[Case, ...]:
    """The whole corpus, in the order of its files."""
    files = sorted(path for path in HERE.glob("*/*.toml"))
    return tuple(case for path in files for case in file_cases(path))


@cache
def few_cases(most: int = 3) -> tuple[Case, ...]:
    """At most `most` cases of each folder, spread over its files: for tests of what comes behind the core, whose rules do
    not depend on the format."""
    folders: dict[str, list[Case]] = {}
    for case in cases():
        folders.setdefault(case.name.split("/")[0], []).append(case)
    return tuple(case for group in folders.values() for case in group[:: max(1, -(-len(group) // most))])


def law_cases() -> tuple[Case, ...]:
    """The cases that the laws read: all if `UNBRAID_EFFORT` is `nightly`, else a spread over every folder."""
    return cases() if os.environ.get("UNBRAID_EFFORT") == "nightly" else few_cases()


def file_cases(path: Path) -> tuple[Case, ...]:
    """The cases of one file. Raises `ValueError` with the place of a key that no case has."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = tables.pop("all", {})
    return tuple(_case(f"{path.parent.name}/{path.stem}/{name}", {**shared, **own}) for name, own in tables.items())


def _case(name: str, table: Mapping[str, Any]) -> Case:
    if unknown := table.keys() - KEYS:
        raise ValueError(f"{name}: unknown keys {sorted(unknown)}")
    halves = table["halves"]
    calls = tuple(Call(call[0], call[1], call[2:] != ["open"]) for call in table.get("calls", ()))
    return Case(
        name=name,
        reasoning=halves.get("reasoning"),
        tools=halves.get("tools"),
        text=table["text"],
        message=Message(table.get("reasoning"), table.get("content"), calls, tuple(table.get("anomalies", ()))),
        at=table.get("at", "auto"),
        prompt=table.get("prompt"),
        kwargs=table.get("kwargs", {}),
        offered=_offered(table),
        policies=table.get("policies", {}),
        source=table.get("source", ""),
    )


def _offered(table: Mapping[str, Any]) -> tuple[Mapping[str, object], ...] | None:
    own = [tool(name, schema) for name, schema in table.get("schemas", {}).items()]
    if table.get("offered", "unknown") == "unknown":
        return tuple(own) or None
    return (*(known_tools()[name] for name in table["offered"]), *own)


@cache
def known_tools() -> Mapping[str, Mapping[str, object]]:
    """The tools of `tools.toml` by name."""
    tables = tomllib.loads((HERE / "tools.toml").read_text(encoding="utf-8"))
    return {name: tool(name, schema) for name, schema in tables.items()}


def tool(name: str, parameters: Mapping[str, object]) -> Mapping[str, object]:
    """A tool in the shape of a chat completion request."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}
