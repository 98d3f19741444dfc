"""Events as coloured strands in a terminal: what the model said as it said it, each strand in its own colour.

    reasoning   dim italic
    content     as it is
    calls       name in bold cyan, arguments in green
    anomalies   yellow

Markup is not shown. A strand begins on a new line, so that the colours are not needed to tell them apart.
"""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from unbraid.core.events import (
    Anomaly,
    ArgumentsChunk,
    ContentChunk,
    Event,
    Events,
    ReasoningChunk,
    ToolCallEnd,
    ToolName,
)
from unbraid.shell.surrogates import clean_json, clean_text

STYLES: Final = {
    "reasoning": "dim italic",
    "content": "",
    "name": "bold cyan",
    "arguments": "green",
    "anomaly": "yellow",
}


class Strands:
    """Writes to `console`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._strand = ""
        self._fresh = True

    def show(self, events: Events) -> None:
        """Write what `events` say."""
        for event in events:
            self._one(event)

    def close(self) -> None:
        """End the last line."""
        if not self._fresh:
            self._console.print()
        self._fresh = True

    def _one(self, event: Event) -> None:
        match event:
            case ReasoningChunk(text=text):
                self._write("reasoning", "reasoning", clean_text(text))
            case ContentChunk(text=text):
                self._write("content", "content", clean_text(text))
            case ToolName(index=index, name=name):
                self._write(f"call {index}", "name", f"{clean_text(name)} ")
            case ArgumentsChunk(index=index, json=json):
                self._write(f"call {index}", "arguments", clean_json(json))
            case ToolCallEnd(complete=False):
                self._write(self._strand, "anomaly", " ... (incomplete)")
            case Anomaly(kind=kind, text=text):
                self._write("anomaly", "anomaly", f"{kind}: {clean_text(text)}" if text else kind)
                self.close()
            case _:
                pass

    def _write(self, strand: str, style: str, text: str) -> None:
        if strand != self._strand:
            self.close()
        self._strand = strand
        self._console.print(Text(_printable(text), STYLES[style]), end="", soft_wrap=True)
        self._fresh = text.endswith("\n")


def _printable(text: str) -> str:
    """`text` without control characters, which might command the terminal."""
    return text.translate(_CONTROLS)


_CONTROLS: Final = {code: 0x2400 + code if code < 0x20 else 0xFFFD for code in (*range(0x20), *range(0x7F, 0xA0))}
for _kept in (0x09, 0x0A):
    del _CONTROLS[_kept]
