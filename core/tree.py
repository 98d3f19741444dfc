"""Arguments as nested elements: `Tree` regions, and the JSON that we write for them.

    arguments = (blank | element)*
    element   = open (text | (blank | element)*) close         open = prefix "<" name ">"    close = prefix "</" name ">"

The tool's schema types each element (`shapes`):

    exactly a string       its text streams, and only its own closer ends it: other tags in it are text
    with elements in it    an array where its schema says so first (the names of the items do not matter), else an object
    blank                  the empty array or object that its schema says, if it may be no string
    anything else          typed when it is closed (`schema.type_value`); an array's text is its items if it is a JSON
                           array, else its only item; without a schema it is a string

A name that comes again right behind itself extends the list that its schema says it is, so the list's `]` waits for
another name or the end. Any other repetition is ignored, because the first one was already sent. Text before the first
element in an object is the member `text_key`; other text between elements is nobody's. An element that is not closed by
its own name, or more than `DEPTH` in one another, end the call: what was sent stays.
"""

from __future__ import annotations

import re
from typing import Final

from unbraid.core.elements import close_element, drop_leaf, element_text, open_element
from unbraid.core.grammar import NAME_CAP
from unbraid.core.records import Flowing, InTree
from unbraid.core.rows import lexeme, row_for, take_row
from unbraid.core.run import Run
from unbraid.core.table import TAG

_TAG: Final = re.compile(rf"(?P<end>/?)(?P<name>[^<>/\n\r\t][^<>\n\r\t]{{0,{NAME_CAP - 1}}}+)?+(?P<whole>>?)")


def tree(run: Run) -> bool:
    """Read on in nested elements. False: more input is needed."""
    buf, words = run.buf, run.region.lexicon
    found = words.find.search(buf, run.pos)
    if found is None:
        element_text(run, words.tail(buf, run.pos) if _waits(run) else len(buf))
        return False
    place, literal = found.start(), found.group()
    element_text(run, place)
    if _waits(run) and words.waits(buf, place, literal):
        return False
    entry = words.lexemes[literal]
    if entry.terminal != TAG:
        lexeme(run, entry.terminal, 0, entry.size)
        return True
    return _tag(run, place + entry.size)


def _waits(run: Run) -> bool:
    """Does more input decide? At the end of the stream the beginning of a tag is text in a value, and nobody's elsewhere."""
    return not run.final or (isinstance(run.at, InTree) and run.at.leaf is None)


def _tag(run: Run, place: int) -> bool:
    """The beginning of a tag stands at the cursor, the rest of it at `place`."""
    at = run.at
    if not isinstance(at, InTree):
        return False
    if at.leaf is not None and isinstance(at.leaf.shape, Flowing):
        return _in_string(run, at, at.leaf.name, place)
    found = _TAG.match(run.buf, place)
    if found is None or (found.end() == len(run.buf) and not found["whole"] and _waits(run)):
        return False
    if not found["name"] or not found["whole"]:
        element_text(run, place)
    elif not (close_element if found["end"] else open_element)(run, at, found["name"], found.end() - run.pos):
        _bad(run, at)
    return True


def _in_string(run: Run, at: InTree, name: str, place: int) -> bool:
    """In what is exactly a string only its own closer is a tag."""
    closer = f"/{name}>"
    rest = run.buf[place : place + len(closer)]
    if rest == closer:
        close_element(run, at, name, place + len(closer) - run.pos)
        return True
    if _waits(run) and closer.startswith(rest):
        return False
    element_text(run, place)
    return True


def _bad(run: Run, at: InTree) -> None:
    """The tag at the cursor cannot stand there."""
    drop_leaf(run, "stray")
    run.at = InTree(at.region)
    run.break_off("malformed")
    row = row_for(run, "@bad")
    if row is not None:
        take_row(run, row, "@bad", 0, 0)
