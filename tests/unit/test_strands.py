"""Coloured strands."""

from rich.console import Console

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Events,
    Markup,
    ReasoningChunk,
    ToolCallEnd,
    ToolCallStart,
    ToolName,
)
from unbraid.shell.strands import Strands

EVENTS: Events = (
    Markup("THINK", "<think>", 7),
    ReasoningChunk("hm", 2),
    ReasoningChunk("!\n", 2),
    ContentChunk("[b]Hi\x1b[2J", 6),
    ToolCallStart(0),
    ToolName(0, "f"),
    ArgumentsChunk(0, '{"a": "\ud800"'),
    ToolCallEnd(0, complete=False),
    Anomaly("truncated", "f"),
    ToolName(1, "g"),
    ArgumentsChunk(1, "{}"),
    ToolCallEnd(1, complete=True),
)


def written(console: Console, events: Events) -> str:
    strands = Strands(console)
    with console.capture() as capture:
        for event in events:
            strands.show((event,))
        strands.close()
    return capture.get()


def test_each_strand_begins_a_line() -> None:
    assert written(Console(width=20), EVENTS) == (
        'hm!\n[b]Hi\u241b[2J\nf {"a": "\\ud800" ... (incomplete)\ntruncated: f\ng {}\n'
    )


def test_colours() -> None:
    text = written(Console(force_terminal=True, color_system="standard", width=80), EVENTS)
    assert "\x1b[2;3mhm\x1b[0m" in text
    assert "\x1b[1;36mg \x1b[0m\x1b[32m{}\x1b[0m" in text
    assert "\x1b[33mtruncated: f\x1b[0m" in text


def test_nothing() -> None:
    assert written(Console(), ()) == ""
