"""The records that a model format is made of. A format is data: no callables, no regular expressions.

How a format reads output. The machine is always *in a region*. Characters that are not a marker belong to the
region: they are text of its channel, white space between tags, a captured name, an argument value, or JSON. A
*terminal* (a marker with its spellings) that the region has a *row* for moves the machine on. A terminal without a
row here is ordinary text here.

    region + terminal -> region, actions        one Row

What is derived and never written: reasoning starts with its first text and ends when a region of channel `content` or
`call` is entered; a value opens when a `Value` region is entered from a region that is none, and closes on the way
out; `{`, `, ` and `}` around values. Rows carry two actions only: `call` (a call is announced, from the captured slots
`name` and `id`) and `end`.

*Trials.* A region with `trial` is tentative. Entering one from a region without remembers the older state; nothing is
emitted until the trial is accepted (a region without `trial` is entered, or a call is announced) or refused (no row
fits). A refused trial is text of the region it started in, and reading goes on where it failed.

    opening   between an opener and the commit point of its call
    closing   between the closer of a value and what must follow it; refused: the closer was data
    block     a whole block or nothing

Pseudo-terminals: `@text` (anything but white space in a gap), `@closed` (a payload ended), `@bad` (a payload or capture
failed). Pseudo-target: `@same` (stay).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from attrs import frozen

WHITESPACE: Final = "\n\r\t "
"""Exactly the code points that count as white space."""

NAME_CAP: Final = 256
"""Most code points of a header, name, key or marker attribute."""

GAP_CAP: Final = 16
"""Most code points of framing white space."""

KEYS_CAP: Final = 256
"""Most arguments of one call whose JSON we write."""

Channel: TypeAlias = Literal["content", "reasoning", "call", "none"]
Trial: TypeAlias = Literal["", "opening", "closing", "block"]
Action: TypeAlias = Literal["call", "end"]
JsonScalar: TypeAlias = str | int | float | bool | None


@frozen
class Terminal:
    """A marker. `before`/`after`: at most four white space literals each that belong to it, longest first; the longest
    that is there is taken, once. `dedicated`: the model's vocabulary has each first spelling as one added token. `last`:
    the spellings behind which a model says no more in its turn."""

    name: str
    spellings: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    dedicated: bool = False
    last: tuple[str, ...] = ()


@frozen
class Text:
    """Characters flow into the region's channel (`none`: they are stray)."""


@frozen
class Gap:
    """Only white space is expected. Inside a block it is markup at once.

    In channel `content` or `reasoning` it belongs to what follows: framing before a call's opener, text otherwise.
    `touches`: the gap follows a call, so white space before any marker, and before the end, is framing. White space of
    more than `GAP_CAP` code points is text.
    """

    touches: bool = False


@frozen
class Field:
    """One slot read from a captured text.

    `take`: all of it, its first word, or what follows the literal `after` up to white space or `<` (a quoted value:
    up to its quote). `unquote` removes one pair of quotes, `drop_prefix` one literal at the front. `cut`: keep what
    stands before its first occurrence, provided that only digits follow (else the field is absent). `decode`: ordered
    replacements, for entities.
    """

    slot: str
    take: Literal["all", "first_word", "after"] = "all"
    after: str = ""
    unquote: bool = False
    drop_prefix: str = ""
    cut: str = ""
    decode: tuple[tuple[str, str], ...] = ()


@frozen
class Capture:
    """Characters are collected (at most `NAME_CAP`) and read as fields when a row leaves. `stops`: a code point from
    here fails the capture. `quotes`: a terminal inside such quotes is not seen. `release`: a capture that fails
    outside a trial, or that the stream's end cuts, is content."""

    fields: tuple[Field, ...] = ()
    stops: str = ""
    quotes: str = ""
    release: bool = False


@frozen
class Value:
    """The argument value whose key is in slot `key`, written as plain text and typed by the tool's JSON Schema.

    `string_tags`: values of slot `type` that mean "this is a string"; other values of the slot mean JSON. `unwrap`: names
    under which a model may write all arguments as one object: the only key of a call is such a name, the tool has no
    property of that name, and the value is an object whose keys are properties of the tool.
    """

    string_tags: tuple[str, ...] = ()
    unwrap: tuple[str, ...] = ()


@frozen
class Json:
    """The arguments of an already announced call, as JSON on the wire, verbatim."""


@frozen
class Tree:
    """The arguments of an already announced call as nested elements, `prefix<name>` ... `prefix</name>`, whose values are
    typed by the tool's JSON Schema. `text_key`: the name of text that stands before the first element in an element."""

    prefix: str = ""
    text_key: str = "$text"


@frozen
class Envelope:
    """Calls as JSON objects that hold name and arguments, in any key order.

    `name`, `arguments`, `call_id`: the keys, in order of preference. `shape`: one object, an array of them, or either.
    `decode`: arguments given as a JSON string that holds an object are unwrapped once. `commit`: the call is certain
    when its name was read, or only when the key of the arguments was read too (unmarked JSON; then also an unknown key
    before that means it is no call, and an object without arguments is none).
    """

    name: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    call_id: tuple[str, ...] = ()
    shape: Literal["one", "array", "either"] = "one"
    decode: bool = True
    commit: Literal["name", "arguments"] = "name"


@frozen
class PythonCalls:
    """Calls as Python writes them, `NAME(KEY=VALUE, ...)`, with literals as values.

    `shape`: a list of them, `[f(a=1), g()]`, or one after another until a marker. `closers`: the first quotation mark of its
    kind ends a string, or only one that something follows that may stand behind a string; others in it are text.
    """

    shape: Literal["list", "lines"] = "list"
    closers: Literal["first", "followed"] = "first"


@frozen
class Braces:
    """The arguments of an already announced call as pairs in brackets, `{key:value, key:[value]}`.

    `open`, `close`: code points that may stand around all of them, by their places; inside, objects are `{}` and arrays `[]`.
    `pair`: code points that may stand between key and value. `quote`: the literal on both sides of a string; `inner`: what it
    means inside one (itself, if empty).
    """

    open: str = "{"
    close: str = "}"
    pair: str = ":"
    quote: str = '"'
    inner: str = ""


Kind: TypeAlias = Text | Gap | Capture | Value | Json | Envelope | Tree | PythonCalls | Braces

Payload: TypeAlias = Json | Envelope | PythonCalls | Braces
"""What fails where its syntax does, and ends where that says so (`lines` of calls never do)."""


@frozen
class Region:
    """Where in the output we are. `at_end`: what an unfinished trial or gap is at the end of the stream; empty means the
    rule of its kind (opening: markup; closing: accepted; block: text)."""

    name: str
    kind: Kind
    channel: Channel
    trial: Trial = ""
    at_end: Literal["", "text"] = ""


@frozen
class Test:
    """One condition on a captured slot: its value is one of `among` (empty: the slot is present).

    Slot `from` is the region the capture was entered from, `mark` the terminal that opened it. `part`: compare the whole
    value or its first dotted segment; `new_key`: the value is a declared and not yet seen property of the open call's
    tool (any not yet seen name if the tool has no schema); `known_tool`: the value is the name of an offered tool.
    """

    slot: str
    among: tuple[str, ...] = ()
    part: Literal["whole", "first_segment", "new_key", "known_tool"] = "whole"
    negate: bool = False


@frozen
class Row:
    """`region` + `on` -> `to`. `keep`: the lexeme is not consumed, it is read again in `to`. `odd`: report this anomaly.

    `when`: of several rows for one (region, on) the first that holds counts. `release`: leaving a capture this way makes
    its text content.
    """

    region: str
    on: str
    to: str
    when: tuple[Test, ...] = ()
    do: tuple[Action, ...] = ()
    keep: bool = False
    release: bool = False
    odd: str = ""


@frozen
class Switch:
    """Template kwargs that switch reasoning. `off`: values that mean off; with several keys given, `mode` says whether
    one off is enough or one on. `absent`: the answer when no key is given. `only_off`: the switch decides only if it says
    off; otherwise the next one does."""

    keys: tuple[str, ...]
    off: tuple[JsonScalar, ...] = (False, None)
    mode: Literal["any_off", "all_off"] = "all_off"
    absent: Literal["on", "off"] = "on"
    only_off: bool = False


@frozen
class Start:
    """Where generation starts: region `on` or `off` by the first switch that has a key given (`always` skips switches),
    then the prompt: scanning back, the last of `scan`'s spellings decides and the rest of the prompt after it is read
    from its region; `stops` are turn boundaries that end the scan."""

    on: str
    off: str
    switches: tuple[Switch, ...] = ()
    scan: tuple[tuple[str, str], ...] = ()
    stops: tuple[str, ...] = ()


@frozen
class Ids:
    """Where call ids come from: made by the host, written by the model, or by a `pattern` with {name} and {n}."""

    source: Literal["host", "model", "pattern"] = "host"
    pattern: str = ""


@frozen
class Parameter:
    """`{name}` in spellings (of terminals, of the start rule's scan and stops, of specials), filled when bound.

    `vocabulary`: the text between `prefix` and `suffix` in the first such added token of the vocabulary; it is empty or
    begins with `lead`. `kwarg`: what `values` says of the template kwarg `key`. `default`: without any of these.
    """

    name: str
    source: Literal["vocabulary", "kwarg"]
    prefix: str = ""
    suffix: str = ""
    lead: str = ""
    key: str = ""
    values: tuple[tuple[JsonScalar, str], ...] = ()
    default: str = ""


@frozen
class Choice:
    """Another format, `use`, is meant if all conditions hold that are given here; of several choices the first one counts.

    `has`, `lacks`: added tokens of the vocabulary, if one is known. `kwarg` is `among` (None: or not given). `off`: these
    switches say off. `template_has`, `template_lacks`: parts of the chat template's text, if it is known.
    """

    use: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    kwarg: str = ""
    among: tuple[JsonScalar, ...] = ()
    off: tuple[Switch, ...] = ()
    template_has: tuple[str, ...] = ()
    template_lacks: tuple[str, ...] = ()


@frozen
class Format:
    """One model format, or one half of it. Regions `content` (text) and `fresh` (gap, before any content) are shared by
    halves; `reasoning` is where the tool half's openers are copied to when it is composed."""

    name: str
    about: str
    aliases: tuple[str, ...] = ()
    reasoning: bool = False
    tools: bool = False
    terminals: tuple[Terminal, ...] = ()
    regions: tuple[Region, ...] = ()
    rows: tuple[Row, ...] = ()
    start: Start = Start("fresh", "fresh")
    specials: tuple[str, ...] = ()
    ids: Ids = Ids()
    inside: Literal["ends", "text"] = "ends"
    unmarked: bool = False
    template: Literal["real", "stated", "none"] = "none"
    experimental: bool = False
    parameters: tuple[Parameter, ...] = ()
    choices: tuple[Choice, ...] = ()


@frozen
class Policies:
    """Named answers to the choices a format leaves open; the defaults are the library's recommendation."""

    framing: Literal["template", "verbatim"] = "template"
    marker_evidence: Literal["both", "ids"] = "both"
    unknown_tool: Literal["deliver", "drop", "text"] = "deliver"
    missing_marker: Literal["error", "text"] = "error"
