"""Which source tokens a client may know of: those whose every code point it reads.

    token      from `start` up to `end`, in code points of the source
    event      the next `points` code points, of text that the client reads or not
    shown      when the events have accounted for all of a token, and none of its code points is hidden

Tokens straddle borders: one that holds the last code point of a hidden strand and the first of a visible one is hidden. A
token that is part of a code point counts as all of it. Special tokens and markers are markup, and a token that writes nothing
is read by nobody: hidden. Where a host's text disagrees with its ids, the places of tokens are lost, and from there on no
token is shown.

What is shown is a token's id and its log probability; both are given by the host, and wait here until it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from attrs import field, frozen

from unbraid.core.detokenize import decode
from unbraid.core.events import Anomaly, ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk, ToolName
from unbraid.core.pieces import append_all, join_all
from unbraid.core.vocabulary import Vocabulary

Bytes: TypeAlias = tuple[int, ...]

LEAST: Final = -9999.0
"""What stands for log probabilities that are even less: JSON has no infinity."""


def _finite(logprob: float) -> float:
    """A number that JSON has.

    >>> _finite(float("-inf")), _finite(float("nan")), _finite(-0.5), _finite(0)
    (-9999.0, -9999.0, -0.5, 0.0)
    """
    return float(min(-LEAST, max(LEAST, logprob)))


@frozen
class Alternative:
    """A token that might have stood here. `logprob`: natural logarithm. `token`: its text, as the host writes it."""

    token: str
    logprob: float = field(converter=_finite)
    bytes: Bytes | None = None


@frozen
class Logprob:
    """The log probability of one token, and of the likeliest ones in its place."""

    token: str
    logprob: float = field(converter=_finite)
    bytes: Bytes | None = None
    top: tuple[Alternative, ...] = ()


Given: TypeAlias = tuple[int, Logprob | None]
"""An id, and its log probability if it has one."""


@frozen
class Token:
    """A source token. `start`, `end`: code points of the source, the end excluded."""

    id: int
    start: int
    end: int
    logprob: Logprob | None = None


Shown: TypeAlias = tuple[Token, ...]


@frozen
class Tokens:
    """Where the reducer stands, in code points of the source: `read`, where tokens were read to; `told`, what events have
    accounted for; `dark`, the end of the last hidden one. `waiting`: a rope. `pending`, `blank`: as in a feed's state."""

    pending: bytes = b""
    blank: bool = False
    read: int = 0
    told: int = 0
    dark: int = 0
    waiting: tuple[Shown, ...] = ()
    lost: bool = False

    @property
    def ahead(self) -> int | None:
        """How many code points of the tokens that wait are told already; None if they cannot be told from those that follow."""
        begun = self.waiting[0][0].start if self.waiting else self.read
        return None if self.pending or self.blank or self.lost or begun > self.told else self.told - begun

    @property
    def dimmed(self) -> bool:
        """Are hidden ones among them?"""
        return bool(self.waiting) and self.dark > self.waiting[0][0].start

    def past(self, points: int, dark: int, ahead: int) -> Tokens:
        """`points` code points further, the first `dark` of which end with a hidden one, the last `ahead` of which are the
        beginning of the next token to be read: one that stands alone, as do those behind it."""
        told = self.told + points
        return Tokens(read=told - ahead, told=told, dark=self.told + dark if dark else self.dark)


def add_tokens(
    tokens: Tokens, vocabulary: Vocabulary | None, ids: Sequence[int], logprobs: Sequence[Logprob] = ()
) -> Tokens:
    """The tokens of one delta come in. `logprobs`: one for each id, or none. Without a vocabulary there are none."""
    if vocabulary is None:
        return tokens
    pending, blank, read = tokens.pending, tokens.blank, tokens.read
    fresh: list[Token] = []
    for place, token in enumerate(ids):
        piece = vocabulary.piece(token)
        text, pending, lead = decode(pending, piece)
        if blank and text:
            blank, text = False, text.removeprefix(" ")
        start, read = read + lead, read + len(text)
        end = read + bool(pending) if piece else start
        fresh.append(Token(token, start, end, logprobs[place] if logprobs else None))
    waiting = append_all(tokens.waiting, fresh)
    return Tokens(pending, blank, read, tokens.told, tokens.dark, waiting, tokens.lost)


def show_tokens(tokens: Tokens, events: Events, *, reasoning: bool) -> tuple[Tokens, tuple[Shown, ...]]:
    """For each of `events` the tokens that it makes visible. `reasoning`: the client reads it."""
    if not events:
        return tokens, ()
    told, dark, lost = tokens.told, tokens.dark, tokens.lost
    waiting, first = join_all(tokens.waiting), 0
    shown: list[Shown] = []
    for event in events:
        lost = lost or (isinstance(event, Anomaly) and event.kind == "desync")
        told += event.points
        clear = not lost and is_read(event, reasoning=reasoning)
        if event.points and not clear:
            dark = told
        start = first
        while first < len(waiting) and waiting[first].end <= told:
            first += 1
        shown.append(
            tuple([token for token in waiting[start:first] if dark <= token.start < token.end]) if clear else ()
        )
    rest = waiting[first:]
    return Tokens(tokens.pending, tokens.blank, tokens.read, told, dark, (rest,) if rest else (), lost), tuple(shown)


def is_read(event: Event, *, reasoning: bool) -> bool:
    """Does the client read the text of this event?"""
    if isinstance(event, ReasoningChunk):
        return reasoning
    return isinstance(event, _READ)


_READ: Final = (ContentChunk, ArgumentsChunk, ToolName)
