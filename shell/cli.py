"""The command `unbraid`: parse outputs, replay them at every split, look at formats, measure.

Only wiring: what the commands do is elsewhere. Exit codes: 0 done · 1 a line of a batch was bad, or splits disagree · 2 wrong
usage, with one line on stderr for each thing that is wrong.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Final, get_args

import typer
from attrs import evolve
from rich.console import Console

from unbraid.core.bind import Machine
from unbraid.core.grammar import Format
from unbraid.formats.registry import Role
from unbraid.formats.registry import formats as all_formats
from unbraid.shell.arriving import arriving, words
from unbraid.shell.batch import run_file
from unbraid.shell.batch_line import Setup, outcome, plain_plan
from unbraid.shell.cli_group import Group
from unbraid.shell.cli_options import (
    BadInput,
    given,
    machine_for,
    one_word,
    open_bytes,
    read_setup,
    read_text,
    request_of,
    said_by_lines,
    stop,
)
from unbraid.shell.compat import imitated
from unbraid.shell.compat_habits import Compat
from unbraid.shell.encoding import encode
from unbraid.shell.format_files import to_toml
from unbraid.shell.format_view import detail, find, overview, updated
from unbraid.shell.format_view import markdown as markdown_table
from unbraid.shell.mermaid import mermaid as draw
from unbraid.shell.opening import FeedKind
from unbraid.shell.replay import Disagreement, reader
from unbraid.shell.replay import replay as replay_at_every_split
from unbraid.shell.replay_view import verdict_view
from unbraid.shell.streaming import Deltas, show_strands, write_deltas
from unbraid.shell.surrogates import json_line

app: Final = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="One stream of model output in; reasoning, content and tool calls out.",
)

File = Annotated[Path | None, typer.Argument(help="One raw output. Without it, or with -: stdin.")]
Reasoning = Annotated[str | None, typer.Option("--reasoning", metavar="NAME", help="Format of the reasoning half.")]
ToolHalf = Annotated[str | None, typer.Option("--tools", metavar="NAME", help="Format of the tool half.")]
OwnFormats = Annotated[
    list[Path] | None,
    typer.Option(
        "--format-file", metavar="FILE", help="A format of one's own as TOML, for the halves it has (repeatable)."
    ),
]
Tokenizer = Annotated[str | None, typer.Option("--tokenizer", metavar="DIR", help="Folder or file of a tokenizer.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME=VALUE", help="framing=verbatim, truncated=drop ... (repeatable)"),
]
Schema = Annotated[
    Path | None, typer.Option("--tool-schema", metavar="FILE", help="JSON file with the request's tools.")
]
Kwargs = Annotated[
    list[str] | None,
    typer.Option("--template-kwarg", metavar="NAME=JSON", help="enable_thinking=false ... (repeatable)"),
]
StartAt = Annotated[str, typer.Option("--start", metavar="WHERE", help="auto, reasoning or content.")]
Prompt = Annotated[str | None, typer.Option("--prompt", metavar="TEXT", help="The rendered prompt, for --start auto.")]
Reason = Annotated[str, typer.Option("--finish-reason", metavar="WHY", help="Why the engine stopped: stop or length.")]
Stream = Annotated[bool, typer.Option("--stream", help="Deltas as JSON lines; coloured strands in a terminal.")]
Batch = Annotated[
    Path | None,
    typer.Option("--batch", metavar="FILE", help='JSON Lines, each with "text", "deltas" or "token_ids"; - is stdin.'),
]
Imitated = Annotated[
    str | None,
    typer.Option("--compat", metavar="SERVER", help="The message as vllm or sglang give it when they do not stream."),
]
Workers = Annotated[int, typer.Option("--workers", metavar="N", help="Processes for --batch, 1 or more.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unbraid {version('unbraid')}, Python {platform.python_version()}")
        raise typer.Exit


@app.callback()
def unbraid(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """One stream of model output in; reasoning, content and tool calls out."""


@app.command()
def parse(
    file: File = None,
    reasoning: Reasoning = None,
    tools: ToolHalf = None,
    format_file: OwnFormats = None,
    tokenizer: Tokenizer = None,
    policy: Settings = None,
    tool_schema: Schema = None,
    template_kwarg: Kwargs = None,
    start: StartAt = "auto",
    prompt: Prompt = None,
    finish_reason: Reason = "stop",
    stream: Stream = False,
    batch: Batch = None,
    workers: Workers = 1,
    compat: Imitated = None,
) -> None:
    """Read a raw output and print its message as JSON."""
    server: Compat | None = one_word("--compat", compat, get_args(Compat))
    if workers < 1:
        stop([BadInput("--workers", f"{workers} is too small; 1 or more are needed")])
    setup = read_setup(reasoning, tools, tokenizer, policy or (), format_file or ())
    if server is not None and (stream or batch is not None):
        stop([BadInput("--compat", "gives one whole message; leave out --stream and --batch")])
    if batch is not None:
        wrong = said_by_lines(tool_schema, template_kwarg or (), start, prompt, finish_reason)
        if file is not None or stream:
            wrong = [BadInput("--batch", "reads its own file and writes messages; leave out FILE and --stream"), *wrong]
        if wrong:
            stop(wrong)
        _batch(setup, batch, workers)
        return
    request = request_of(tool_schema, template_kwarg or (), start, prompt, finish_reason)
    machine = machine_for(setup, request)
    truncated = setup.choices.truncated
    if server is not None:
        typer.echo(
            json_line(
                imitated(
                    server, machine, read_text(file), request.prompt, request.start, request.finish_reason or "stop"
                ),
                indent=2,
            )
        )
        return
    if not stream:
        plan = plain_plan(machine, request, truncated)
        typer.echo(json_line(outcome(plan, evolve(request, text=(read_text(file),))), indent=2))
        return
    feed, deltas = _deltas(machine, file)
    console = Console(highlight=False)
    if console.is_terminal:
        show_strands(machine, feed, deltas, request, truncated, console)
    else:
        write_deltas(machine, feed, deltas, request, truncated, sys.stdout)


def _batch(setup: Setup, path: Path, workers: int) -> None:
    with open_bytes(path) as source:
        size = os.fstat(source.fileno()).st_size if str(path) != "-" else None
        tally = run_file(setup, source, size, sys.stdout, workers)
    if tally.bad:
        typer.echo(f"unbraid: {tally.bad} of {tally.lines} lines are bad", err=True)
        raise typer.Exit(1)


def _deltas(machine: Machine, file: Path | None) -> tuple[FeedKind, Deltas]:
    """Tokens where there is a vocabulary that can write the output, else words as they arrive."""
    if machine.vocabulary is None:
        return "text", _arriving(file)
    text = read_text(file)
    ids = encode(machine.vocabulary, text)
    return ("text", ((word, ()) for word in words(text))) if ids is None else ("ids", ((None, (id_,)) for id_ in ids))


def _arriving(file: Path | None) -> Deltas:
    with open_bytes(file) as source:
        for word in arriving(source):
            yield word, ()


@app.command()
def replay(
    file: File = None,
    reasoning: Reasoning = None,
    tools: ToolHalf = None,
    format_file: OwnFormats = None,
    tokenizer: Tokenizer = None,
    policy: Settings = None,
    tool_schema: Schema = None,
    template_kwarg: Kwargs = None,
    start: StartAt = "auto",
    prompt: Prompt = None,
) -> None:
    """Feed a raw output at every split and say whether all agree."""
    request = request_of(tool_schema, template_kwarg or (), start, prompt)
    machine = machine_for(read_setup(reasoning, tools, tokenizer, policy or (), format_file or ()), request)
    text = read_text(file)
    ids = None if machine.vocabulary is None else encode(machine.vocabulary, text)
    if machine.vocabulary is not None and ids is None:
        typer.echo("unbraid: the vocabulary cannot write this output; only text is tried", err=True)
    verdict = replay_at_every_split(reader(machine, request.prompt, request.start), text, ids, machine.vocabulary)
    Console(highlight=False, soft_wrap=True).print(verdict_view(verdict))
    if isinstance(verdict, Disagreement):
        raise typer.Exit(1)


@app.command()
def formats(
    name: Annotated[str | None, typer.Argument(help="One format; without it, all of them.")] = None,
    half: Annotated[
        str | None,
        typer.Option(
            "--half",
            metavar="HALF",
            help="reasoning or tools, where NAME is a format of reasoning and another of calls.",
        ),
    ] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Draw NAME as a Mermaid state diagram.")] = False,
    toml: Annotated[bool, typer.Option("--toml", help="NAME as a file that --format-file reads.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table of all as Markdown.")] = False,
    update: Annotated[
        Path | None, typer.Option("--update", metavar="FILE", help="Put it into FILE, at its marks.")
    ] = None,
) -> None:
    """Show the formats there are, or the terminals and transitions of one."""
    role: Role | None = one_word("--half", half, get_args(Role))
    if name is None and (mermaid or toml):
        stop([BadInput("--mermaid" if mermaid else "--toml", f"name the format to {'draw' if mermaid else 'write'}")])
    if name is not None:
        _show(given(find(name, role)), mermaid=mermaid, toml=toml)
    elif markdown:
        _markdown(update)
    else:
        Console(highlight=False).print(overview(tuple(all_formats())))


def _show(found: Sequence[Format], *, mermaid: bool, toml: bool) -> None:
    """One format; or two, as a file can hold only one."""
    if toml and len(found) > 1:
        stop([BadInput("--toml", "this name is two formats; choose with --half reasoning or --half tools")])
    console = Console(highlight=False)
    for form in found:
        if toml:
            typer.echo(to_toml(form), nl=False)
        else:
            console.print(draw(form) if mermaid else detail(form), soft_wrap=mermaid, markup=False)


def _markdown(path: Path | None) -> None:
    table = markdown_table(tuple(all_formats()))
    if path is None:
        typer.echo(table)
        return
    document = updated(read_text(path), table)
    if document is None:
        stop([BadInput(str(path), "has no marks for the table of formats")])
    path.write_text(document, encoding="utf-8")


@app.command()
def bench(
    reasoning: Reasoning = None,
    tools: ToolHalf = None,
    tokenizer: Tokenizer = None,
    policy: Settings = None,
    template_kwarg: Kwargs = None,
) -> None:
    """Measure how fast this machine reads a format, in a few seconds."""
    from unbraid.shell.bench import show_rates

    if reasoning is None and tools is None:
        stop([BadInput("bench", "name a half to measure: --reasoning NAME, --tools NAME, or both")])
    setup = read_setup(reasoning, tools, tokenizer, policy or ())
    request = request_of(None, template_kwarg or (), "auto", None)
    show_rates(lambda offered: machine_for(setup, evolve(request, tools=offered)), reasoning, tools)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    app()
