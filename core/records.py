"""The parser state: frozen records, a union of regions with payload. A snapshot *is* the state.

A state holds what is needed to go on, never the output so far. Its bounds: the hold-back is shorter than the longest
literal; headers, names, keys are capped (`NAME_CAP`), white space is (`GAP_CAP`). What may grow, each as a rope
(`pieces`) that is never rebuilt per delta: what was read of a trial (only `block` trials and arguments that come before
their call's name are long), one argument value that is not a string, and the id queue of a lagging host.

`plain` (events of inputs that change nothing here), `steps` and `passes` (steps taken from here before) and `settled` (the state
with nothing held, once that is known) are tables of the machine, derived from the rest, so they take no part in `==`, `hash`
and `repr`.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias

from attrs import field, frozen

from unbraid.core.events import Event, Events
from unbraid.core.schema import ValueScan

Slots: TypeAlias = tuple[tuple[str, str], ...]
"""Captured fields, (slot, value), in the order of their capture."""


@frozen
class InText:
    """Text flows into the channel of `region`."""

    region: str


@frozen
class InGap:
    """White space between markers."""

    region: str
    slots: Slots = ()


@frozen
class InCapture:
    """A header, name or key is collected in the hold-back; `scanned` code points of it were looked at.

    `origin` and `mark`: the region it was entered from and the terminal that opened it. `quote`: the open quote.
    """

    region: str
    slots: Slots
    origin: str
    mark: str
    scanned: int = 0
    quote: str = ""


@frozen
class Flowing:
    """The value is a string; its text streams."""


@frozen
class Undecided:
    """The value may still be other JSON of `kinds`: `raw` (a rope) keeps it, `scan` is where the JSON scanner is in it."""

    kinds: tuple[str, ...]
    scan: ValueScan
    raw: tuple[str, ...] = ()
    tokens: int = 0


@frozen
class Ignored:
    """The value of a key that was given before."""


@frozen
class Wrapped:
    """The value of a key that may hold all arguments (`Value.unwrap`): `raw` (a rope) keeps it while `scan` says that it
    may be an object."""

    key: str
    kinds: tuple[str, ...]
    scan: ValueScan
    raw: tuple[str, ...] = ()
    tokens: int = 0


@frozen
class InValue:
    """An argument value as plain text."""

    region: str
    shape: Flowing | Undecided | Ignored | Wrapped


@frozen
class Argument:
    """The arguments of one call as JSON on the wire: where the scanner is.

    `form`: `start` (nothing but white space so far), `raw` (passed on as it stands) or `inner` (a string that holds JSON:
    `mode` and `nest` are the string's, `inner_mode` and `inner_nest` the decoded text's).
    `openers`: openers seen in the open string; `echo`: the end of that string, as far as it may begin one. `keys`: the
    keys of the object so far (at most `KEYS_CAP`), `key`: what was read of the next one, None outside of keys.
    """

    form: str = "start"
    mode: int = 0
    nest: int = 1
    inner_mode: int = 0
    inner_nest: int = 1
    openers: int = 0
    echo: str = ""
    keys: tuple[str, ...] = ()
    key: str | None = None


@frozen
class InJson:
    """The arguments of an announced call as JSON."""

    region: str
    argument: Argument


@frozen
class Branch:
    """An open element that holds others, or the arguments themselves.

    `kind`: `object`, `array`, or `ignored` (it was given before). `keys`: the members that were written (at most `KEYS_CAP`
    of all open elements). `filled`: the array has an item. `listed`: the member whose list is still open, because more
    elements of its name extend it; `filled` is that list's then.
    """

    name: str = ""
    kind: str = "object"
    keys: tuple[str, ...] = ()
    filled: bool = False
    listed: str = ""


@frozen
class Leaf:
    """An open element that holds no other so far. `holds`: what its schema makes of elements in it, `object` or `array`,
    or "" if it has no place for any."""

    name: str
    shape: Flowing | Undecided | Ignored
    holds: str = ""


@frozen
class InTree:
    """The arguments of an announced call as nested elements: `branches` from the outside in (at most `tree.DEPTH`), in
    the last one of them perhaps a `leaf`. `stray`: text that belongs to no element was met since the last tag."""

    region: str
    branches: tuple[Branch, ...] = (Branch(),)
    leaf: Leaf | None = None
    stray: bool = False


@frozen
class Member:
    """A place in an envelope's grammar: `where`, a step of `envelope.py`; `role`, what the member being read is for;
    `mode`, `nest`, `scanned`: the scanner in a key, a name or a skipped value; `argument`: the arguments being read."""

    where: str = "open"
    role: str = ""
    mode: int = 0
    nest: int = 1
    scanned: int = 0
    argument: Argument = Argument()


@frozen
class InEnvelope:
    """A JSON object that holds a call, or an array of them.

    `had`: the roles read in this object. `late`: a rope of the events since the arguments of a call that has no name
    yet; None if nothing waits for a name. `sources`: a rope of the source texts of the arguments among them.
    """

    region: str
    member: Member = Member()
    array: bool = False
    had: tuple[str, ...] = ()
    call_id: str | None = None
    late: tuple[Events, ...] | None = None
    sources: tuple[tuple[str, ...], ...] = ()


@frozen
class InCalls:
    """Calls as Python writes them. `where`: a step of `python_calls.py`; `nest`: the open brackets, three bits each, below a
    leading 1; `quote`: the open string's prefix and quotation mark; `item`: the JSON of a first item whose bracket is not
    decided, or of a key; `muted`: in the value of a keyword that was given before. `openers`, `echo` as in `Argument`; `scanned`
    code points of a word were looked at."""

    region: str
    where: str = "open"
    nest: int = 1
    quote: str = ""
    item: str = ""
    muted: bool = False
    openers: int = 0
    echo: str = ""
    scanned: int = 0


@frozen
class InBraces:
    """Arguments as pairs in brackets. `where`: a step of `braces.py`; `nest`: the open brackets as in `json_scan`; `closer`:
    the one that goes with the outermost opener; `item`: a key that stood in quotes; the rest as in `InCalls`."""

    region: str
    where: str = "open"
    nest: int = 1
    closer: str = ""
    item: str = ""
    muted: bool = False
    openers: int = 0
    echo: str = ""
    scanned: int = 0


At: TypeAlias = InText | InGap | InCapture | InValue | InJson | InEnvelope | InTree | InCalls | InBraces


DROPPED: Final = -1
"""The index of a call that the policy `unknown_tool=drop` keeps from everybody."""


@frozen
class Kept:
    """A closed value that is all arguments if no other key follows: `raw` is an object of the tool's properties. If one
    follows, it is the argument `key`, typed by `kinds`."""

    key: str
    kinds: tuple[str, ...]
    raw: str


@frozen
class Call:
    """The open call: its index (or `DROPPED`), its tool's name, and the keys whose values we wrote (at most `KEYS_CAP`);
    `kept`, a value of which is not known yet whether it is one argument or all."""

    index: int
    name: str
    keys: tuple[str, ...] = ()
    kept: Kept | None = None


@frozen
class Spot:
    """Where the machine stood when a trial began."""

    at: At
    calls: int
    call: Call | None
    thinking: bool


@frozen
class Trial:
    """A tentative run: what was read since `before`, and the events it will be if it is accepted.

    `entry`: code points of the lexeme that began it, framing included. `raw` and `marks` are ropes: the source text and
    the places in it where tokens begin (code points from its start).
    """

    kind: str
    region: str
    entry: int
    before: Spot
    raw: tuple[str, ...] = ()
    marks: tuple[tuple[int, ...], ...] = ()
    events: tuple[Events, ...] = ()


@frozen
class TextFeed:
    """Deltas are text without ids."""


@frozen
class IdsFeed:
    """Deltas are ids. `pending`: bytes (at most 3) of an unfinished code point. `blank`: the next text is the first of
    the output, whose leading blank a metaspace vocabulary drops."""

    pending: bytes = b""
    blank: bool = False


@frozen
class BothFeed:
    """Deltas are ids and the host's text, read as the ids; see `Behind`."""

    pending: bytes = b""
    blank: bool = False


Feed: TypeAlias = TextFeed | IdsFeed | BothFeed


@frozen
class InStep:
    """The state of a parser that has read all it was given. `calls`: index of the next call. `thinking`: reasoning was
    started and is open. `edge`: framing literals that may follow the last marker. `hold`: text not settled yet, `marks`
    the places in it where tokens begin."""

    at: At
    feed: Feed
    calls: int = 0
    call: Call | None = None
    thinking: bool = False
    edge: tuple[str, ...] = ()
    trial: Trial | None = None
    hold: str = ""
    marks: tuple[int, ...] = ()
    plain: dict[int | str, Event] | None = field(default=None, eq=False, repr=False)
    steps: dict[int | str, tuple[Visible, Events]] | None = field(default=None, eq=False, repr=False)
    settled: list[InStep] | None = field(default=None, eq=False, repr=False)


@frozen
class Passed:
    """What one step read of a trial that goes on: source text, the places in it where tokens begin, and the events."""

    raw: str
    marks: tuple[int, ...]
    events: Events


@frozen
class Place:
    """Where reading goes on in a trial: a state whose trial holds nothing of what was read of it, so that it recurs.
    `passes`: steps taken from here that did not end the trial, derived as `InStep.steps` is."""

    here: InStep
    passes: dict[int | str, tuple[Place, Passed]] = field(factory=dict, eq=False, repr=False)


@frozen
class Past:
    """What the older steps of a trial read, as a rope, and how many tokens began in it."""

    passed: tuple[tuple[Passed, ...], ...] = ()
    tokens: int = 0


@frozen(init=False)
class Tentative:
    """The state of a parser in a block that counts as a whole. `recent`: what the last steps read; `past`: what those before
    them did. One is made for every token in a block."""

    place: Place
    recent: tuple[Passed, ...]
    past: Past
    plain: ClassVar[None] = None
    steps: ClassVar[None] = None

    def __init__(self, place: Place, recent: tuple[Passed, ...], past: Past) -> None:
        _fill_place(self, place)
        _fill_recent(self, recent)
        _fill_past(self, past)

    @property
    def feed(self) -> Feed:
        """How deltas come."""
        return self.place.here.feed


_fill_place: Final = vars(Tentative)["place"].__set__
_fill_recent: Final = vars(Tentative)["recent"].__set__
_fill_past: Final = vars(Tentative)["past"].__set__

Visible: TypeAlias = InStep | Tentative
"""A state that has read all it was given."""


@frozen(init=False)
class Behind:
    """The state of a parser whose host lags by whole tokens: `queue`, ids that the host has not shown yet. `base` has read
    what is visible.

    One is made for every token of such a host; filling the slots directly takes two thirds of the time of attrs' own way.
    """

    base: Visible
    queue: tuple[int, ...]
    plain: ClassVar[None] = None
    steps: ClassVar[None] = None

    def __init__(self, base: Visible, queue: tuple[int, ...]) -> None:
        _fill_base(self, base)
        _fill_queue(self, queue)


_fill_base: Final = vars(Behind)["base"].__set__
_fill_queue: Final = vars(Behind)["queue"].__set__


@frozen
class Within:
    """The state of a parser whose host lags, and stopped within a text: `shown`, visible code points of the text of the
    queue's first id; `ahead`, host text that may belong to the next special id or not."""

    base: Visible
    queue: tuple[int, ...]
    shown: int
    ahead: str
    plain: ClassVar[None] = None
    steps: ClassVar[None] = None


ParserState: TypeAlias = InStep | Tentative | Behind | Within
"""Everything that the next step needs."""
