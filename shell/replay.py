"""One output at every split: do all give the same events?

A *view* is one way to feed an output, as units that can be divided anywhere:

    text   code points
    ids    tokens
    both   tokens, one at a time, with the host's text of them some tokens late

Within a view all splits must give the same merged events (law 1); without token counts, all views must too (law 6). What reads
a split is given as a function, so that a reader that is known to be wrong can be put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from attrs import evolve, frozen

from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode, flush
from unbraid.core.events import PLAIN_MARKUP, Events, Markup, merge
from unbraid.core.machine import finish, fold, start
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.cuts import Cut, Extent, cuts, pieces, smallest
from unbraid.shell.opening import FeedKind, Prompt, StartAt

Delta: TypeAlias = tuple[str | None, tuple[int, ...]]
Read: TypeAlias = Callable[[FeedKind, Sequence[Delta]], Events]
"""The merged events of a whole stream, given its deltas."""

LAGS: Final = (0, 1, 2, 3, 5, 8, 13, 21, 34, 64)
"""How many tokens the host's text is late."""


@frozen
class Agreement:
    """All splits gave the same; `splits` were tried."""

    splits: int
    events: Events


@frozen
class Disagreement:
    """A split that reads differently: its deltas, and what the whole and the split gave."""

    view: str
    deltas: tuple[Delta, ...]
    whole: Events
    split: Events


Verdict: TypeAlias = Agreement | Disagreement


def reader(machine: Machine, prompt: Prompt = None, at: StartAt = "auto") -> Read:
    """Reads with `machine`."""

    def read(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
        state, events = fold(machine, start(machine, feed, prompt, at), deltas)
        return merge(events + finish(machine, state)[1])

    return read


def replay(read: Read, text: str, ids: tuple[int, ...] | None = None, vocabulary: Vocabulary | None = None) -> Verdict:
    """Feed `text` at every split, and `ids` of it (with their `vocabulary`) at every split and every lag."""
    verdict = _every_cut("text", text, read)
    if ids is None or vocabulary is None or isinstance(verdict, Disagreement):
        return verdict
    by_ids = _every_cut("ids", ids, read)
    if isinstance(by_ids, Disagreement):
        return by_ids
    late = _every_lag(ids, token_texts(vocabulary, ids), read, by_ids.events)
    if isinstance(late, Disagreement):
        return late
    if uncounted(by_ids.events) != uncounted(verdict.events):
        return Disagreement("ids against text", ((None, ids),), verdict.events, by_ids.events)
    return Agreement(verdict.splits + by_ids.splits + late.splits, verdict.events)


def _every_cut(view: FeedKind, stream: str | tuple[int, ...], read: Read) -> Verdict:
    def deltas(cut: Cut) -> tuple[Delta, ...]:
        if isinstance(stream, str):
            return tuple((piece, ()) for piece in pieces(stream, cut))
        return tuple((None, piece) for piece in pieces(stream, cut))

    def fails(cut: Cut) -> bool:
        return read(view, deltas(cut)) != whole

    whole = read(view, deltas(()))
    tried = 0
    for cut in cuts(len(stream), list(_markers(whole, view))):
        tried += 1
        if fails(cut):
            least = deltas(smallest(cut, fails))
            return Disagreement(view, least, whole, read(view, least))
    return Agreement(tried, whole)


def _markers(events: Events, view: FeedKind) -> Iterator[Extent]:
    """Where the markers are, in units of the view."""
    place = 0
    for event in events:
        size = event.points if view == "text" else event.tokens
        if isinstance(event, Markup) and event.terminal not in PLAIN_MARKUP:
            yield place, place + size
        place += size


def _every_lag(ids: tuple[int, ...], texts: list[str], read: Read, expected: Events) -> Verdict:
    for lag in LAGS:
        deltas = tuple(lagging(ids, texts, lag))
        found = read("both", deltas)
        if uncounted(found) != uncounted(expected):
            return Disagreement(f"both, text {lag} tokens late", deltas, expected, found)
    return Agreement(len(LAGS), expected)


def lagging(ids: Sequence[int], texts: Sequence[str], lag: int) -> Iterator[Delta]:
    """One delta for each id, its text `lag` deltas later; what is left of the text comes at the end, in one.

    >>> list(lagging([7, 8], ["a", "b"], 1))
    [('', (7,)), ('a', (8,)), ('b', ())]
    """
    for place, token in enumerate(ids):
        yield (texts[place - lag] if place >= lag else ""), (token,)
    rest = "".join(texts[max(len(ids) - lag, 0) :])
    if rest:
        yield rest, ()


def token_texts(vocabulary: Vocabulary, ids: Iterable[int]) -> list[str]:
    """What each id adds to the text, with its predecessors' unfinished bytes."""
    pending, blank = b"", vocabulary.drops_first_blank
    texts: list[str] = []
    for token in ids:
        text, pending, _ = decode(pending, vocabulary.piece(token))
        if text and blank:
            blank, text = False, text.removeprefix(" ")
        texts.append(text)
    if texts:
        texts[-1] += flush(pending)
    return texts


def uncounted(events: Events) -> Events:
    """`events` without their token counts, which views differ in."""
    return tuple(evolve(event, tokens=0) for event in events)
