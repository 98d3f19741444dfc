"""The table that runs, compiled from the readable one.

A `Format` is what people read; nothing in it is bent for speed. `compile_table` turns it into one record per region with
everything the machine looks up there: the live literals as a `Lexicon`, the rows by terminal, which terminals open a
call. A table belongs to one *view*: in the text view a marker is its spelling; in the id view under
`marker_evidence=ids` a marker that has a dedicated id is one sentinel code point (a lone surrogate, which no decoded
token can contain), so its spelling in ordinary tokens is ordinary text.

Regions also keep the events of inputs that change nothing there (`Plain`), filled lazily: filling is idempotent, a slot
gets an equal value, no lock is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from attrs import field, frozen

from unbraid.core.events import Event, Markup
from unbraid.core.grammar import (
    Braces,
    Capture,
    Envelope,
    Format,
    Gap,
    Json,
    Kind,
    Payload,
    Policies,
    PythonCalls,
    Region,
    Row,
    Terminal,
    Text,
    Tree,
    Value,
)
from unbraid.core.lexer import NEVER, Lexeme, Lexicon, lexicon, trie
from unbraid.core.records import Argument, At, InBraces, InCalls, InCapture, InEnvelope, InGap, InJson, InText, InTree

SPECIAL: Final = "special"
"""The pseudo-terminal of special tokens that mean nothing in this format: absorbed where text flows."""

TAG: Final = "tag"
"""The pseudo-terminal of the beginning of a tag in nested elements."""

PLAIN_TEXTS: Final = 8192
"""Most texts whose events a region keeps."""

PLAIN_CALLS: Final = 16
"""Calls, from the first, whose argument events are kept."""

SHARED: Final = 64
"""Longest text, in code points as they are read, whose markup is shared."""

KEPT_MARKUP: Final = 4096
"""Most events of markup that a table keeps."""


@frozen(eq=False)
class RegionTable:
    """One region as the machine sees it.

    `openers`: its terminals that open a call. `closers`: in a gap that follows a call, the markers that end its block;
    white space before them is framing whatever the policy. `holds`: white space here may be framing, so it waits.
    `breakers`: closers behind a raw line break, which break off an unterminated JSON string. `stops`: code points at which a
    payload looks for a marker outside of strings. `ends`: what ends a capture, or a bare key in braces. `quotes`: the literal
    around strings in braces. `begun`: standing in it with nothing read. `flows`: text flows here, up to the next literal.
    `body`, `clear`: text is plain here if the pattern matches all of it, and none of these literals is or begins in it.
    """

    name: str
    kind: Kind
    channel: str
    trial: str
    at_end: str
    rows: Mapping[str, tuple[Row, ...]]
    lexicon: Lexicon
    openers: frozenset[str]
    closers: frozenset[str]
    framed: bool
    holds: bool
    text_row: Row | None
    stops: frozenset[str]
    breakers: tuple[str, ...]
    ends: re.Pattern[str]
    watched: Lexicon
    quotes: Lexicon
    begun: At
    flows: bool
    body: re.Pattern[str] | None
    clear: tuple[Lexicon, ...]
    plain: dict[tuple[bool, int], dict[int | str, Event]] = field(factory=dict)


@frozen(eq=False)
class Table:
    """All regions of one view of a format. `after`: framing behind terminals that have some. `sentinels`: what stands for a
    dedicated id in the text that is read, and `expand` turns it back. `markup`: the event of short source text that is
    nobody's (terminal, text, tokens); while they are kept, equal ones are one object, and a marker's text is the format's own
    string."""

    regions: Mapping[str, RegionTable]
    terminals: Mapping[str, Terminal]
    after: Mapping[str, tuple[str, ...]]
    sentinels: Mapping[int, str]
    expand: Mapping[int, str] | None
    markup: Callable[[str, str, int], Markup]

    def region(self, name: str) -> RegionTable:
        """A region of the format. Raises ValueError where it has none of that name: a state knows only its own machine's."""
        try:
            return self.regions[name]
        except KeyError:
            known = ", ".join(self.regions)
            raise ValueError(f"a state of another machine: there is no region {name!r}, only {known}") from None


def compile_table(
    fmt: Format, policies: Policies, specials: tuple[str, ...], sentinels: Mapping[str, tuple[int, str]]
) -> Table:
    """The table of one view. `specials`: spellings of special tokens; `sentinels`: spelling -> (id, sentinel)."""
    compiler = _Compiler(fmt, policies, specials, {spelling: mark for spelling, (_, mark) in sentinels.items()})
    expand = {ord(mark): spelling for spelling, (_, mark) in sentinels.items()}
    return Table(
        regions={region.name: compiler.region(region) for region in fmt.regions},
        terminals=compiler.terminals,
        after={name: terminal.after for name, terminal in compiler.terminals.items() if terminal.after},
        sentinels=dict(sentinels.values()),
        expand=expand or None,
        markup=_markup({spelling: spelling for terminal in fmt.terminals for spelling in terminal.spellings}),
    )


def _markup(spellings: Mapping[str, str]) -> Callable[[str, str, int], Markup]:
    @lru_cache(maxsize=KEPT_MARKUP)
    def made(terminal: str, text: str, tokens: int) -> Markup:
        text = spellings.get(text, text)
        return Markup(terminal, text, len(text), tokens)

    return made


class _Compiler:
    def __init__(self, fmt: Format, policies: Policies, specials: tuple[str, ...], marks: Mapping[str, str]) -> None:
        framed = policies.framing == "template"
        self.framed = framed
        self.marks = marks
        self.marked = re.compile(trie(marks))
        self.terminals = {terminal.name: terminal if framed else _bare(terminal) for terminal in fmt.terminals}
        known = {spelling for terminal in fmt.terminals for spelling in terminal.spellings}
        self.specials = tuple(spelling for spelling in specials if spelling not in known)
        self.by_name = {region.name: region for region in fmt.regions}
        self.rows: dict[str, dict[str, tuple[Row, ...]]] = {region.name: {} for region in fmt.regions}
        for row in fmt.rows:
            here = self.rows[row.region]
            here[row.on] = (*here.get(row.on, ()), row)
        self.opening = self._opening_spellings()

    def _marked(self, spelling: str) -> str:
        """A spelling with the sentinels of the dedicated ids that it is written with."""
        return self.marked.sub(lambda found: self.marks[found.group()], spelling)

    def _opening_spellings(self) -> tuple[str, ...]:
        names = {on for region in self.by_name for on, rows in self.rows[region].items() if self._opens(rows)}
        spelled = (self.terminals[name].spellings for name in sorted(names) if name in self.terminals)
        return tuple(spelling for group in spelled for spelling in group)

    def _opens(self, rows: tuple[Row, ...]) -> bool:
        return any(self._opens_call(row) for row in rows)

    def _opens_call(self, row: Row) -> bool:
        if self.by_name[row.region].channel not in ("content", "reasoning") or row.to == "@same":
            return False
        target = self.by_name[row.to]
        return target.trial in ("opening", "block") or target.channel == "call"

    def region(self, region: Region) -> RegionTable:
        """Compile one region."""
        rows = self.rows[region.name]
        live = [self.terminals[name] for name in rows if name in self.terminals]
        words = lexicon(dict(self._lexemes(region, live)))
        openers = frozenset(name for name, group in rows.items() if self._opens(group))
        touches = isinstance(region.kind, Gap) and region.kind.touches
        closers = frozenset(
            terminal.name for terminal in live if touches and self._closes(terminal.name, region, openers)
        )
        waits = touches or bool(openers)
        return RegionTable(
            name=region.name,
            kind=region.kind,
            channel=region.channel,
            trial=region.trial,
            at_end=region.at_end,
            rows=rows,
            lexicon=words,
            openers=openers,
            closers=closers,
            framed=self.framed,
            holds=isinstance(region.kind, Gap) and (bool(closers) or (self.framed and waits)),
            text_row=next(iter(rows.get("@text", ())), None),
            stops=words.firsts,
            breakers=tuple("\n" + literal for literal in words.lexemes),
            ends=self._ends(region.kind, words),
            watched=self._watched(region.kind),
            quotes=self._quotes(region.kind),
            begun=_begun(region),
            flows=isinstance(region.kind, Text | Value),
            body=_BODIES.get(region.kind.__class__),
            clear=self._clear(region.kind, words),
        )

    def _closes(self, name: str, region: Region, openers: frozenset[str]) -> bool:
        return name not in openers and any(row.to != "@same" for row in self.rows[region.name][name])

    def _lexemes(self, region: Region, live: list[Terminal]) -> Iterator[tuple[str, Lexeme]]:
        for terminal in live:
            for spelling in terminal.spellings:
                literal = self._marked(spelling)
                for before in ("", *_framing(region.kind, terminal)):
                    size = len(before) + len(literal)
                    yield before + literal, Lexeme(terminal.name, len(before), size)
        if isinstance(region.kind, Tree):
            yield region.kind.prefix + "<", Lexeme(TAG, 0, len(region.kind.prefix) + 1)
        if isinstance(region.kind, Text | Gap):
            taken = {spelling for terminal in live for spelling in terminal.spellings}
            for spelling in self._absorbed(taken):
                yield spelling, Lexeme(SPECIAL, 0, len(spelling))

    def _absorbed(self, taken: set[str]) -> Iterator[str]:
        for spelling in self.specials:
            if spelling not in taken:
                yield self._marked(spelling)

    def _ends(self, kind: Kind, words: Lexicon) -> re.Pattern[str]:
        """What a capture looks for: its terminals, its quotes, its stops; a sentinel stops it if its spelling does. Braces
        look for what ends a bare key, or cannot stand in it."""
        if isinstance(kind, Braces):
            return re.compile(f"[{re.escape(kind.pair + kind.open + kind.close + ',{}[]')}]")
        if not isinstance(kind, Capture):
            return re.compile(NEVER)
        stops = [mark for spelling, mark in self.marks.items() if not set(kind.stops).isdisjoint(spelling)]
        single = "".join((kind.quotes, kind.stops, *stops))
        arms = [trie(words.lexemes)] + ([f"[{re.escape(single)}]"] if single else [])
        return re.compile("|".join(arms))

    def _watched(self, kind: Kind) -> Lexicon:
        """The openers that are counted inside an open JSON string."""
        spellings = self.opening if isinstance(kind, Payload) else ()
        literals = [self._marked(spelling) for spelling in spellings if len(spelling) > 1]
        return lexicon({literal: Lexeme("", 0, len(literal)) for literal in literals})

    def _clear(self, kind: Kind, words: Lexicon) -> tuple[Lexicon, ...]:
        if isinstance(kind, Braces):
            return self._quotes(kind), self._watched(kind)
        return (self._watched(kind) if kind.__class__ in _BODIES else words,)

    def _quotes(self, kind: Kind) -> Lexicon:
        if not isinstance(kind, Braces):
            return lexicon({})
        literal = self._marked(kind.quote)
        return lexicon({literal: Lexeme("", 0, len(literal))})


_JSON_BODY: Final = re.compile(r'[^"\\\x00-\x1f]++')
_PYTHON_BODY: Final = re.compile(r"""[^"'\\{}]++""")
"""Plain in a string of any quotation mark."""

_BODIES: Final[dict[type[Kind], re.Pattern[str]]] = {Json: _JSON_BODY, Envelope: _JSON_BODY, PythonCalls: _PYTHON_BODY}


def _begun(region: Region) -> At:
    """Standing in `region` with nothing read; where a capture came from, and a value's shape, are known only when it is entered."""
    if isinstance(region.kind, Capture):
        return InCapture(region.name, (), "", "")
    return _BEGUN[region.kind.__class__](region.name)


_BEGUN: Final[dict[type[Kind], Callable[[str], At]]] = {
    Text: InText,
    Value: InText,
    Gap: InGap,
    Json: lambda name: InJson(name, Argument()),
    Envelope: InEnvelope,
    Tree: InTree,
    PythonCalls: InCalls,
    Braces: InBraces,
}


def _bare(terminal: Terminal) -> Terminal:
    return Terminal(terminal.name, terminal.spellings, dedicated=terminal.dedicated)


def _framing(kind: Kind, terminal: Terminal) -> tuple[str, ...]:
    return () if isinstance(kind, Capture | Payload | Tree) else terminal.before
