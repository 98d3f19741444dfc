"""Captures: a header, name, key or attribute list is collected in the hold-back until a marker ends it.

Each code point is looked at once: the state remembers how far the search came and whether a quote is open.
"""

from __future__ import annotations

from collections.abc import Iterator

from unbraid.core.grammar import NAME_CAP, WHITESPACE, Capture, Field
from unbraid.core.records import InCapture, Slots
from unbraid.core.rows import row_for, take_row
from unbraid.core.run import Run
from unbraid.core.trials import refuse


def capture(run: Run) -> bool:
    """Read on in a capture. False: more input is needed."""
    at = run.at
    if not isinstance(at, InCapture):
        return False
    place, quote, literal = _search(run, at)
    if place - run.pos > NAME_CAP:
        place, literal = run.pos + NAME_CAP, ""
    if literal is None:
        run.at = InCapture(at.region, at.slots, at.origin, at.mark, place - run.pos, quote)
        return False
    if literal or run.trial is None:  # a refused trial reads no fields
        _fill(run, at, place)
    return _leave(run, place, literal) if literal else _fail(run, place)


def _search(run: Run, at: InCapture) -> tuple[int, str, str | None]:
    """(place, open quote, marker): marker None if input ran out before one, "" if a stop stands there."""
    region, buf, quote = run.region, run.buf, at.quote
    kind, words = region.kind, region.lexicon
    place = run.pos + at.scanned
    quotes = kind.quotes if isinstance(kind, Capture) else ""
    stop = min(len(buf), run.pos + NAME_CAP + words.longest)  # behind it the capture is overlong whatever stands there
    while True:
        if quote:
            place = buf.find(quote, place, stop)
            if place < 0:
                return stop, quote, None
            place, quote = place + 1, ""
        found = region.ends.search(buf, place, stop)
        if found is None and stop < len(buf):
            return stop, quote, None
        if found is None:
            return len(buf) if run.final else words.tail(buf, place), quote, None
        if found.group() not in words.lexemes and found.group() in quotes:
            quote, place = found.group(), found.end()
            continue
        return _waits(run, found.start(), found.group(), quote)


def _waits(run: Run, place: int, literal: str, quote: str) -> tuple[int, str, str | None]:
    words = run.region.lexicon
    known = literal in words.lexemes
    if (
        (not run.final or run.trial is not None)
        and (not known or literal in words.extendable)
        and words.begins(run.buf, place)
    ):
        return place, quote, None
    return place, quote, literal if known else ""


def _leave(run: Run, place: int, literal: str) -> bool:
    entry = run.region.lexicon.lexemes[literal]
    size = place - run.pos
    row = row_for(run, entry.terminal)
    if row is None:
        return _fail(run, place)
    take_row(run, row, entry.terminal, 0, entry.size, size)
    return True


def _fill(run: Run, at: InCapture, place: int) -> None:
    """Read the fields of the text up to `place`."""
    kind, text = run.region.kind, run.buf[run.pos : place]
    if run.table.expand is not None:
        text = text.translate(run.table.expand)
    if isinstance(kind, Capture):
        run.slots = (*at.slots, *read_fields(kind.fields, text))


def _fail(run: Run, place: int) -> bool:
    """The capture is none: refuse the trial, or give the text up by the @bad row."""
    if run.trial is not None:
        refuse(run, place)
        return True
    row = row_for(run, "@bad")
    if row is None:
        refuse(run, place)
    else:
        size = place - run.pos
        run.anomaly("overlong" if size >= NAME_CAP else "malformed", run.buf[run.pos : place])
        take_row(run, row, "@bad", 0, 0, size)
    return True


def read_fields(fields: tuple[Field, ...], text: str) -> Slots:
    """The fields found in `text`."""
    return tuple(_found(fields, text))


def _found(fields: tuple[Field, ...], text: str) -> Iterator[tuple[str, str]]:
    for field in fields:
        value = _take(field, text)
        if value is not None:
            yield field.slot, value


def _take(field: Field, text: str) -> str | None:
    value: str | None = text.strip(WHITESPACE)
    if field.take == "first_word":
        value = _word(text.lstrip(WHITESPACE))
    elif field.take == "after":
        value = _after(text, field.after)
    return None if value is None else _trimmed(field, value)


def _after(text: str, literal: str) -> str | None:
    place = text.find(literal)
    if place < 0:
        return None
    rest = text[place + len(literal) :]
    if rest[:1] in ('"', "'") and rest:
        end = rest.find(rest[0], 1)
        return rest[: end + 1] if end > 0 else rest
    return _word(rest)


def _word(text: str) -> str:
    for place, char in enumerate(text):
        if char in WHITESPACE or char == "<":
            return text[:place]
    return text


def _trimmed(field: Field, value: str) -> str | None:
    if field.unquote and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if field.cut:
        head, found, tail = value.partition(field.cut)
        if not found or not (tail.isascii() and tail.isdigit()):
            return None
        value = head
    value = value.removeprefix(field.drop_prefix)
    for old, new in field.decode:
        value = value.replace(old, new)
    return value or None
