"""Stop strings, matched on what the client reads as content and nowhere else.

    content block    content chunks with nothing between them but anomalies
    match            the stop string that ends first in the block; of those that end together, the longest
    held             the longest end of the block that begins a stop string; it leaves when the block ends

The stop string is not shown, and neither is anything behind it: those events become markup. A stop string in reasoning or in
arguments is text. Matching by its end is what makes the answer the same at every split.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from unbraid.core.events import Anomaly, ContentChunk, Event, Events, Markup
from unbraid.shell.hidden import hidden

Strings: TypeAlias = tuple[str, ...]
"""Stop strings, none of them empty."""


@frozen
class Stop:
    """Where the reducer stands: the text that is held, the tokens that count in it, and the stop string that was found."""

    held: str = ""
    tokens: int = 0
    found: str | None = None

    @property
    def idle(self) -> bool:
        """Is no stop string begun or found?"""
        return not self.held and self.found is None


def stop_at(strings: Strings, stop: Stop, events: Events) -> tuple[Stop, Events]:
    """The events that the client may see, after `events`.

    >>> stop_at(("END",), Stop(), (ContentChunk("so E", 4),))
    (Stop(held='E', tokens=0, found=None), (ContentChunk(text='so ', points=3, tokens=0),))
    """
    if not strings:
        return stop, events
    out: list[Event] = []
    for event in events:
        if stop.found is not None:
            out += hidden(event)
        elif isinstance(event, ContentChunk):
            stop = _read(strings, stop, event, out)
        elif isinstance(event, Anomaly):
            out.append(event)
        else:
            out += _released(stop)
            out.append(event)
            stop = Stop()
    return stop, tuple(out)


def touches(strings: Strings, event: Event) -> bool:
    """May a stop string begin in this event?"""
    return isinstance(event, ContentChunk) and any(string[0] in event.text for string in strings)


def stop_end(stop: Stop) -> tuple[Stop, Events]:
    """The stream is over: what was held was no stop string."""
    return Stop(found=stop.found), _released(stop)


def _released(stop: Stop) -> Events:
    return (ContentChunk(stop.held, len(stop.held), stop.tokens),) if stop.held else ()


def _read(strings: Strings, stop: Stop, event: ContentChunk, out: list[Event]) -> Stop:
    if not stop.held and not touches(strings, event):
        out.append(event)
        return stop
    text, tokens = stop.held + event.text, stop.tokens + event.tokens
    found = _first(strings, text)
    if found is not None:
        start, string = found
        if start:
            out.append(ContentChunk(text[:start], start, tokens))
        out.append(Markup("cut", text[start:], len(text) - start, 0 if start else tokens))
        return Stop(found=string)
    keep = _tail(strings, text)
    clear = len(text) - keep
    if not clear:
        return Stop(text, tokens)
    out.append(ContentChunk(text[:clear], clear, tokens))
    return Stop(text[clear:])


def _first(strings: Strings, text: str) -> tuple[int, str] | None:
    """(start, string) of the match that ends first; the longest of those."""
    found = [(place + len(string), place, string) for string in strings if (place := text.find(string)) >= 0]
    return min(found)[1:] if found else None


def _tail(strings: Strings, text: str) -> int:
    """How many code points at the end of `text` begin a stop string."""
    longest = min(len(text), max(map(len, strings)) - 1)
    for size in range(longest, 0, -1):
        if any(string.startswith(text[-size:]) and len(string) > size for string in strings):
            return size
    return 0
