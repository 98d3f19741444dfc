"""Grammars for what a model may write, from the record that also reads it: a structural tag as plain JSON data.

    free       text, and calls where their opener stands in it
    required   calls, and nothing else
    named      one call of the one tool
    none       text without any opener

How calls are written says `wire`, and `headers` where answers are messages; what arguments may be, the tools' schemas. `exact`: the tools
whose arguments must fit their schema; those of others must be of the right syntax. Where a marker counts by its id alone the grammar
asks for the id.

A grammar allows less than the parser reads, on purpose:

    closers            must be written, also where the end of the answer would stand for them; models were trained to write them
    forced calls       no text before or between them: the answer is to be calls
    white space        where a format's gaps are, at most `SPACE_MOST` of `BLANKS`; none around names
    order of keys      of JSON objects that of the schema, but for the few keys of `call_schema.in_any_order`: a grammar that asks for
                       each key once in any order doubles with every key, and xgrammar's own `any_order` asks for none
    names in objects   the name before the arguments, for only then it is known what they are
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from attrs import frozen
from returns.result import Failure, Result, Success

from unbraid.core.bind import Machine
from unbraid.core.grammar import WHITESPACE, Braces, Envelope, Tree
from unbraid.core.json_text import quote
from unbraid.core.notation import SAME
from unbraid.shell import message_tags
from unbraid.shell.call_schema import ANY_ARGUMENTS, ANY_NESTED, Offered, arguments_schema, in_any_order
from unbraid.shell.headers import Messages, messages
from unbraid.shell.markers import mark, marker_id
from unbraid.shell.pair_nodes import KEY_MOST, PairWriter
from unbraid.shell.part_nodes import INDEX, Unwritable, UnwritableError, id_pattern, written
from unbraid.shell.sayable import Strings, sayable
from unbraid.shell.tag_nodes import (
    Node,
    any_text,
    either,
    escaped,
    json_schema,
    literal,
    optional,
    regex,
    sequence,
    space,
    star,
    token_triggered,
    triggered,
)
from unbraid.shell.thoughts import Thoughts, thinking
from unbraid.shell.tree_nodes import TreeWriter
from unbraid.shell.wire import BLANKS, Graph, Mark, NoWire, Pairs, Parts, Space, Wire, wire

Wanted: TypeAlias = Literal["free", "none", "required", "named"]


@frozen
class Style:
    """How the tag language writes objects in a syntax. `sorted`: models write the keys of each object in alphabetical order, for so their
    template has them, in the prompt as well."""

    name: str
    strings: Strings
    sorted: bool = False


STYLES: Final[Mapping[object, Style]] = {
    Braces("{(", "})", ":=", '<|"|>', inner='"'): Style(
        "gemma",
        Strings(quoted=False, excludes=('<|"|>',), keys=f"[A-Za-z_][A-Za-z0-9_]{{0,{KEY_MOST - 1}}}"),
        sorted=True,
    ),
}
"""Argument syntaxes that the tag language has a style for."""


@frozen
class NoStyle:
    """Arguments in a syntax that the tag language cannot say."""

    format: str
    syntax: str

    def describe(self) -> str:
        """One sentence."""
        return f"no grammar can be made for the calls of {self.format!r}: there is no style for its {self.syntax}"


TagDefect: TypeAlias = NoWire | NoStyle | Unwritable


def call_tag(
    machine: Machine,
    wanted: Wanted,
    tools: Sequence[Offered],
    exact: frozenset[str],
    *,
    parallel: bool = True,
    thoughts: Thoughts = "none",
    opening: str | None = None,
) -> Result[Node, tuple[TagDefect, ...]]:
    """The grammar of an answer's calls; `opening`: the region where its thoughts begin, if they must."""
    kinds = messages(machine.format)
    if kinds is not None:
        return _messages(machine, kinds, wanted, tools, exact, parallel=parallel).map(
            lambda node: sequence([*thinking(machine, thoughts, opening), node])
        )
    found = wire(machine.format)
    missing = found.swap().value_or(None)
    if missing is not None:
        return Failure((missing,))
    made = _Writer(machine, found.unwrap(), exact).answer(wanted, tools, parallel=parallel)
    return made.map(lambda node: sequence([*thinking(machine, thoughts, opening), node]))


def spoken(machine: Machine, node: Node) -> Node:
    """`node` as an answer to the user: in a message, if the format's answers are messages."""
    kinds = messages(machine.format)
    return node if kinds is None else message_tags.said(machine, kinds, node)


def _messages(
    machine: Machine,
    kinds: Messages,
    wanted: Wanted,
    tools: Sequence[Offered],
    exact: frozenset[str],
    *,
    parallel: bool,
) -> Result[Node, tuple[TagDefect, ...]]:
    """The answer of a format of messages."""
    words = {tool.name: message_tags.unwritable(kinds, tool.name) for tool in tools}
    bad = {name: word for name, word in words.items() if word is not None}
    if bad and wanted != "none":
        return Failure(tuple(Unwritable(machine.format.name, name, name, word) for name, word in bad.items()))
    schemas = {tool.name: allowed(tool, exact) for tool in tools} if wanted != "none" else {}
    several = parallel and wanted != "named"
    forced = wanted in ("required", "named")
    return Success(message_tags.answer(machine, kinds, schemas, forced=forced, several=several))


def allowed(tool: Offered, exact: frozenset[str]) -> object:
    """The schema of a tool's arguments as JSON, or of any."""
    return in_any_order(sayable(arguments_schema(tool.parameters))) if tool.name in exact else ANY_ARGUMENTS


# -- calls -------------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes grammars in one machine's notation."""

    def __init__(self, machine: Machine, wired: Wire, exact: frozenset[str]) -> None:
        self._machine = machine
        self._wire = wired
        self._exact = exact
        self._graph = Graph(machine.format)

    def answer(
        self, wanted: Wanted, tools: Sequence[Offered], *, parallel: bool
    ) -> Result[Node, tuple[TagDefect, ...]]:
        """The whole answer, without thoughts."""
        if wanted == "none" or not tools:
            return Success(self._text())
        kind = self._wire.arguments
        if isinstance(kind, Braces) and kind not in STYLES:
            return Failure((NoStyle(self._machine.format.name, "braces"),))
        calls: list[Node] = []
        defects: list[TagDefect] = []
        for tool in tools:
            try:
                calls.append(self._call(tool))
            except UnwritableError as error:
                defects.append(error.defect)
        if defects:
            return Failure(tuple(dict.fromkeys(defects)))
        call = either(calls)
        return Success(self._free(call, parallel) if wanted == "free" else self._forced(call, parallel, wanted))

    # text and calls

    def _forced(self, call: Node, parallel: bool, wanted: Wanted) -> Node:
        block = self._block(call, parallel and wanted == "required")
        return sequence([space(BLANKS), *self._wrapper(), *self._parts(self._wire.prefix), *block, *self._behind()])

    def _behind(self) -> Iterator[Node]:
        """What may stand behind all calls."""
        yield from self._parts(self._wire.suffix[len(self._suffix) :])
        yield space(BLANKS)
        if self._wire.ends:
            yield optional(either(mark(self._machine, one.terminal) for one in self._wire.ends))

    def _wrapper(self) -> Iterator[Node]:
        """Markers around no text; the first one may stand in the prompt."""
        if self._wire.wrapper is not None:
            opens, closes = (mark(self._machine, one.terminal) for one in self._wire.wrapper)
            yield optional(sequence([optional(opens), closes, space(BLANKS)]))

    def _wrapped(self, node: Node) -> Node:
        """Text, behind the marker that opens it, if a format has one; in the text that is none."""
        if self._wire.wrapper is None:
            return node
        return sequence(
            [optional(sequence([space(BLANKS), mark(self._machine, self._wire.wrapper[0].terminal)])), node]
        )

    def _free(self, call: Node, parallel: bool) -> Node:
        opener, several = self._wire.opener, parallel and (self._wire.section or self._is_array)
        if opener is None:
            return either([self._forced(call, parallel, "required"), self._text()])
        # The opener is the trigger: the grammar goes on behind it.
        prefix = self._wire.prefix[1:]
        content = sequence([*self._parts(prefix), *self._block(call, several, opened=not self._wire.prefix)])
        number = marker_id(self._machine, opener.spelling)
        others = [word for word in self._away() if word != opener.spelling]
        if number is None:
            node = triggered(opener.spelling, content, others, once=not parallel)
        else:
            ids = [one for one in (marker_id(self._machine, word) for word in others) if one is not None]
            node = token_triggered(number, content, ids, once=not parallel)
        return self._wrapped(node if parallel else sequence([node, *self._behind()]))

    def _block(self, call: Node, several: bool, *, opened: bool = False) -> Iterator[Node]:
        """Calls behind the prefix. `opened`: the first one's opener was written already."""
        head = () if self._wire.prefix else self._wire.head[:1]
        first = [] if opened else list(self._parts(head))
        if self._is_array:
            yield from self._array(call, several, first)
            return
        yield from (*first, call)
        if several:
            between = [*self._parts(self._wire.between), *self._parts(head)]
            yield star(sequence([*between, call]))
        if self._suffix:
            yield from self._parts((Space(), *self._suffix))

    @property
    def _suffix(self) -> Parts:
        """What must stand behind all calls."""
        suffix = self._wire.suffix
        last = max((number for number, part in enumerate(suffix, 1) if isinstance(part, Mark)), default=0)
        return suffix[:last]

    @property
    def _is_array(self) -> bool:
        kind = self._wire.arguments
        return isinstance(kind, Envelope) and kind.shape != "one"

    def _array(self, call: Node, several: bool, first: Iterable[Node]) -> Iterator[Node]:
        inner = self._wire.head if self._wire.prefix else self._wire.head[1:]
        begin = [word.removesuffix("{") for word in self._wire.unmarked if word.startswith("[") and word[-1] == "{"]
        bracket = either(map(literal, begin)) if begin else sequence([literal("["), space(WHITESPACE)])
        yield from (*first, *self._parts(inner), bracket, call)
        if several:
            gap = space(WHITESPACE)
            yield star(sequence([gap, literal(","), gap, call]))
        yield from (space(WHITESPACE), literal("]"), *self._parts(self._wire.tail), *self._parts(self._suffix))

    def _text(self) -> Node:
        """Text without a call. Where calls begin unmarked, only at the very beginning could one stand."""
        away = self._away()
        if not self._wire.unmarked:
            return self._wrapped(any_text(away))
        kept = [
            word
            for row in self._graph.regular(self._machine.format.start.off)
            if row.keep
            for word in self._words(row.on)
        ]
        others = [word for word in away if word not in kept]
        first = "".join(dict.fromkeys(word[0] for word in kept))
        return optional(sequence([regex(f"[^{escaped(first + WHITESPACE)}]"), any_text(others)]))

    def _words(self, terminal: str) -> tuple[str, ...]:
        return self._graph.words(terminal)

    def _away(self) -> list[str]:
        """Spellings that would lead out of content, or that mean something where content stands and should not be there."""
        regions = self._graph.regions
        homes = [name for name in ("content", self._machine.format.start.off) if regions[name].channel == "content"]
        found: dict[str, None] = {}
        for home in homes:
            for row in self._graph.rows(home):
                if row.keep and self._machine.format.unmarked and not self._wire.unmarked:
                    continue  # what could only stand at the very beginning, and is not how calls are written
                if row.odd or (row.to != SAME and regions[row.to].channel != "content"):
                    found.update(dict.fromkeys(self._words(row.on)))
        wrapper = self._wire.wrapper
        return list(dict.fromkeys([*found, *(wrapper[0].terminal.spellings if wrapper else ())]))

    # one call

    def _call(self, tool: Offered) -> Node:
        """A call of one tool: from behind the first marker of its head, if that is a marker, to its end; of an array's calls
        the object."""
        kind = self._wire.arguments
        if isinstance(kind, Envelope) and kind.shape != "one":
            return self._object(kind, tool)
        head = self._wire.head if self._wire.prefix else self._wire.head[1:]
        if not self._wire.prefix and self._wire.head and not isinstance(self._wire.head[0], Mark):
            head = self._wire.head
        slots = {"name": tool.name}
        return sequence([*self._parts(head, slots, tool.name), *self._arguments(tool), *self._parts(self._wire.tail)])

    def _arguments(self, tool: Offered) -> Iterator[Node]:
        kind, exact = self._wire.arguments, tool.name in self._exact
        if isinstance(kind, Envelope):
            yield self._object(kind, tool)
        elif isinstance(kind, Pairs):
            yield from PairWriter(self._machine, kind).arguments(tool, exact=exact)
        elif isinstance(kind, Tree):
            yield TreeWriter(self._machine, kind, tool).arguments(exact=exact)
        elif isinstance(kind, Braces):
            yield self._styled(STYLES[kind], tool, exact=exact)
        else:
            yield json_schema(allowed(tool, self._exact))

    def _styled(self, style: Style, tool: Offered, *, exact: bool) -> Node:
        schema = sayable(arguments_schema(tool.parameters) if exact else ANY_NESTED, style.strings)
        return json_schema(in_any_order(schema, or_sorted=style.sorted), style=style.name)

    def _object(self, kind: Envelope, tool: Offered) -> Node:
        """A call as an object: its name first, for only then it is known what its arguments are."""
        gap = space(WHITESPACE)
        nodes = [literal("{"), gap]
        if kind.call_id and self._machine.format.ids.source == "model":
            nodes += [literal(f"{quote(kind.call_id[0])}:"), gap, literal('"'), regex(INDEX), literal('",'), gap]
        nodes += [literal(f"{quote(kind.name[0])}:"), gap, literal(f"{quote(tool.name)},"), gap]
        keys = either(literal(f"{quote(key)}:") for key in kind.arguments)
        nodes += [keys, gap, json_schema(allowed(tool, self._exact)), gap]
        if kind.call_id and self._machine.format.ids.source == "pattern":
            told = [
                literal(f"{quote(kind.call_id[0])}:"),
                gap,
                literal('"'),
                regex(id_pattern(self._machine)),
                literal('"'),
            ]
            nodes.append(optional(sequence([literal(","), gap, *told, gap])))
        return sequence([*nodes, literal("}")])

    def _parts(self, parts: Parts, texts: Mapping[str, str] = {}, tool: str = "") -> Iterator[Node]:
        return written(self._machine, parts, texts, tool)
