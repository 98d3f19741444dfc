"""Two made formats whose markers are one or two code points, so that *all* short texts can be tried.

`tagged` has the shape of Qwen XML, `envelope` that of Hermes; both with reasoning and framing of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Final

from attrs import frozen

from tests.corpus.reader import tool
from tests.laws.machines import right
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import WHITESPACE, Capture, Envelope, Field, Format, Gap, Region, Start, Terminal, Text, Value
from unbraid.core.notation import rows

THINK: Final = rows("""
    opened            @text     -> reasoning
    opened reasoning  END       -> fresh
    opened reasoning  BEGIN     -> @same
    fresh             @text     -> content
    fresh             BEGIN     -> opened
    fresh content     END       -> @same    odd=duplicate_end
""")

TAGGED: Final = rows("""
    fresh content opened reasoning  CALL -> name
    name            COLON    -> arguments  do=call
    arguments junk  KEY      -> key
    arguments junk  STOP     -> after      do=end
    arguments       @text    -> junk
    key             COLON    -> value
    key             @bad     -> junk
    value           CLOSE    -> closing
    closing         KEY STOP -> arguments  keep
    value           NEXT     -> next_key
    next_key        COLON    -> value      when=key:new_key odd=missing_end
    after           CALL     -> name
    after           END      -> @same      odd=duplicate_end
    after           @text    -> content
""")

ENVELOPE: Final = rows("""
    fresh content opened reasoning  CALL -> call
    call         @closed  -> after
    call         STOP     -> after    odd=malformed
    call         @bad     -> broken   odd=malformed
    broken       STOP     -> after
    after        STOP     -> @same
    after        CALL     -> call
    after        END      -> @same    odd=duplicate_end
    after        @text    -> content
""")

MARKERS: Final = (
    Terminal("BEGIN", ("(",), after=("\n",)),
    Terminal("END", (")",), before=("\n",), after=("\n\n", "\n")),
    Terminal("CALL", ("<<",), before=("\n\n", "\n")),
    Terminal("STOP", (">>",), before=("\n",)),
)
TEXTS: Final = (FRESH, CONTENT, Region("opened", Gap(), "reasoning"), Region("reasoning", Text(), "reasoning"))


def _format(name: str, terminals: tuple[Terminal, ...], regions: tuple[Region, ...], table: str) -> Format:
    shared = (*MARKERS, *terminals)
    own = {"tagged": TAGGED, "envelope": ENVELOPE}[table]
    return Format(
        name,
        "made",
        reasoning=True,
        tools=True,
        terminals=shared,
        regions=(*TEXTS, *regions),
        rows=(*THINK, *own),
        start=Start("opened", "fresh"),
    )


TAGGED_FORMAT: Final = _format(
    "tagged",
    (
        Terminal("COLON", (":",), after=("\n",)),
        Terminal("KEY", ("=",)),
        Terminal("NEXT", ("=",), before=("\n",)),
        Terminal("CLOSE", ("/>",), before=("\n",)),
    ),
    (
        Region("name", Capture((Field("name"),), stops=WHITESPACE + "<"), "call", trial="opening"),
        Region("arguments", Gap(), "call"),
        Region("junk", Text(), "none"),
        Region("key", Capture((Field("key"),), stops="\n<"), "call"),
        Region("value", Value(), "call"),
        Region("closing", Gap(), "call", trial="closing"),
        Region("next_key", Capture((Field("key"),), stops="\n<"), "call", trial="closing"),
        Region("after", Gap(touches=True), "content"),
    ),
    "tagged",
)

ENVELOPE_FORMAT: Final = _format(
    "envelope",
    (),
    (
        Region("call", Envelope(name=("n",), arguments=("a",)), "call", trial="opening"),
        Region("broken", Text(), "none"),
        Region("after", Gap(touches=True), "content"),
    ),
    "envelope",
)


@frozen
class Tiny:
    """A made format, the letters of its texts, and beginnings that lead to each of its regions."""

    fmt: Format
    alphabet: str
    beginnings: tuple[str, ...]


TINY: Final[Mapping[str, Tiny]] = {
    "tagged": Tiny(
        TAGGED_FORMAT,
        "\n()<>:=/a",
        ("", "x", ")x", "<<", "<<f", "<<f:", "<<f:=b", "<<f:=b:", "<<f:=i:1", "<<f:=b:x\n/", "<<f:>>"),
    ),
    "envelope": Tiny(
        ENVELOPE_FORMAT,
        '\n(<>"{}:,a',
        ("", ")x", "<<", '<<{"n":"f"', '<<{"n":"f","a":', '<<{"n":"f","a":{"a":"', '<<{"a":{"a":1}', '<<{"n":"f"}'),
    ),
}
TINY_BEGINNINGS: Final = [(name, beginning) for name, one in TINY.items() for beginning in one.beginnings]
TOOLS: Final = (
    tool("f", {"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "i": {"type": "integer"}}}),
)


@cache
def tiny_machine(name: str) -> Machine:
    """The machine of a made format."""
    return right(with_tools(right(bind(TINY[name].fmt)), TOOLS))


def short_texts(alphabet: str, longest: int) -> Iterator[str]:
    """Every text of up to `longest` letters.

    >>> list(short_texts("ab", 2))
    ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb']
    """
    return ("".join(letters) for size in range(longest + 1) for letters in product(alphabet, repeat=size))
