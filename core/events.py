"""What a stream of model output means, as a closed union of frozen records.

    output  = (reasoning | content | tool call | markup)*
    reasoning = ReasoningStart ReasoningChunk+ ReasoningEnd
    tool call = ToolCallStart ToolName ArgumentsChunk* ToolCallEnd

Every event says how much of the source it accounts for: `points` source code points and `tokens` source tokens.
They are counts, never offsets, so that one event value can stand at many places; running sums give the place
(law 2, tiling). A token counts where its first code point counts; text feeds count 0 tokens. `Markup` is source
that is shown to nobody: markers, framing white space, the punctuation around arguments, text that belongs to no
channel. `Anomaly` accounts for nothing; it is a fact for logs and metrics, and the stream goes on.

`Markup.terminal` names a terminal of the format in upper case, or one of the words in `PLAIN_MARKUP`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from attrs import frozen

PLAIN_MARKUP: Final = ("framing", "syntax", "stray", "special", "cut")
"""Markup that is not one terminal's spelling: white space that belongs to the markup; keys, quotes and commas around
arguments; text inside a block that belongs to no call; special tokens without a meaning here; tokens that a stop
string or the end of the stream made invisible."""


@frozen
class ReasoningStart:
    """The first reasoning text follows."""

    points: int = 0
    tokens: int = 0


@frozen
class ReasoningChunk:
    """`text` of the reasoning, never empty."""

    text: str
    points: int
    tokens: int = 0


@frozen
class ReasoningEnd:
    """The reasoning that was open is over; more may start later in the turn."""

    points: int = 0
    tokens: int = 0


@frozen
class ContentChunk:
    """`text` for the user, never empty."""

    text: str
    points: int
    tokens: int = 0


@frozen
class ToolCallStart:
    """Call number `index` (dense, from 0) is certain."""

    index: int
    points: int = 0
    tokens: int = 0


@frozen
class ToolName:
    """The whole `name` of call `index`, and the model's own id of the call if it wrote one."""

    index: int
    name: str
    call_id: str | None = None
    points: int = 0
    tokens: int = 0


@frozen
class ArgumentsChunk:
    """A piece of the JSON text of the arguments of call `index`; pieces concatenate."""

    index: int
    json: str
    points: int = 0
    tokens: int = 0


@frozen
class ToolCallEnd:
    """Call `index` is over. `complete`: its arguments are one valid JSON value."""

    index: int
    complete: bool
    points: int = 0
    tokens: int = 0


@frozen
class Markup:
    """Source text that is nobody's text."""

    terminal: str
    text: str
    points: int
    tokens: int = 0


@frozen
class Anomaly:
    """Something the format does not foresee. `kind` is a word from `ANOMALIES` or a row's own; `text` says which."""

    kind: str
    text: str = ""
    points: int = 0
    tokens: int = 0


Event: TypeAlias = (
    ReasoningStart
    | ReasoningChunk
    | ReasoningEnd
    | ContentChunk
    | ToolCallStart
    | ToolName
    | ArgumentsChunk
    | ToolCallEnd
    | Markup
    | Anomaly
)

Events: TypeAlias = tuple[Event, ...]

ANOMALIES: Final = {
    "malformed": "text that looked like a call is none, or an announced call broke off",
    "truncated": "the stream ended inside a call or inside its opener",
    "desync": "the host's text does not fit its token ids",
    "stray_text": "text inside a tool block that belongs to no call",
    "duplicate_end": "a second end of reasoning",
    "duplicate_key": "an argument was given twice; the first one counts",
    "unterminated_string": "a JSON string was broken off by its block's end, or swallowed what follows",
    "control_character": "a raw control character inside a JSON string, escaped in the arguments",
    "unknown_tool": "the name is not among the offered tools",
    "overlong": "a header, name, key or number of keys over its cap",
    "missing_end": "the end marker of a block is missing",
    "missing_start": "the start marker of a block is missing",
}
"""The kinds of anomalies that the core itself reports, with their meaning."""


def merge(events: Events) -> Events:
    """Join neighbours that are one run of the same text: what two splits of one output must agree on (law 1).

    >>> merge((ContentChunk("a", 1), ContentChunk("b", 1, 1), ReasoningStart()))
    (ContentChunk(text='ab', points=2, tokens=1), ReasoningStart(points=0, tokens=0))
    """
    runs: list[list[Event]] = []
    for event in events:
        if runs and _key(runs[-1][0]) == _key(event) is not None:
            runs[-1].append(event)
        else:
            runs.append([event])
    return tuple(run[0] if len(run) == 1 else _joined(run) for run in runs)


def _key(event: Event) -> tuple[str, str | int] | None:
    match event:
        case ReasoningChunk() | ContentChunk():
            return type(event).__name__, ""
        case ArgumentsChunk(index=index):
            return "ArgumentsChunk", index
        case Markup(terminal=terminal) if terminal in PLAIN_MARKUP:
            return "Markup", terminal
        case _:
            return None


def _joined(run: list[Event]) -> Event:
    points, tokens = sum(event.points for event in run), sum(event.tokens for event in run)
    match run[0]:
        case ReasoningChunk():
            return ReasoningChunk("".join(_text(event) for event in run), points, tokens)
        case ContentChunk():
            return ContentChunk("".join(_text(event) for event in run), points, tokens)
        case ArgumentsChunk(index=index):
            return ArgumentsChunk(index, "".join(_text(event) for event in run), points, tokens)
        case first:
            name = first.terminal if isinstance(first, Markup) else ""
            return Markup(name, "".join(_text(event) for event in run), points, tokens)


def _text(event: Event) -> str:
    match event:
        case ReasoningChunk(text=text) | ContentChunk(text=text) | Markup(text=text):
            return text
        case ArgumentsChunk(json=json):
            return json
        case _:
            return ""
