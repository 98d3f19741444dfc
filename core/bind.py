"""From a format to a machine: everything that can be decided before the first token is decided here, once.

    bind(format, vocabulary, policies, kwargs) -> Bound       all tables, per server; all defects at once
    with_tools(bound, tools)                   -> Machine     the tools' property types, per request

Both are immutable and can be shared between threads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from attrs import field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.check import check
from unbraid.core.detokenize import decode
from unbraid.core.errors import Defect, MissingMarker
from unbraid.core.grammar import Format, JsonScalar, Policies, Row
from unbraid.core.nearest import nearest
from unbraid.core.plain import TEXT_CAP
from unbraid.core.pool import Pool
from unbraid.core.records import Feed, TextFeed
from unbraid.core.resolve import fill
from unbraid.core.schema import STRING, Kinds, SchemaDefect, ToolSchema, resolve_tool
from unbraid.core.shapes import Shape, shape_of
from unbraid.core.table import Table, compile_table
from unbraid.core.vocabulary import Vocabulary

NO_KWARGS: Final[Mapping[str, JsonScalar]] = MappingProxyType({})

SENTINELS: Final = range(0xD800, 0xE000)
"""Lone surrogates: no decoded token can contain one, so one can stand for a dedicated id."""


@frozen(eq=False)
class Bound:
    """A format bound to a vocabulary. `text_table` reads markers by spelling, `ids_table` as the policy says; the
    `inert` ones know no calls."""

    format: Format
    vocabulary: Vocabulary | None
    policies: Policies
    kwargs: Mapping[str, JsonScalar]
    text_table: Table
    ids_table: Table
    inert_text_table: Table
    inert_ids_table: Table
    fingerprint: str


@frozen(eq=False)
class Machine:
    """What `step` needs: tables, texts of ids, the offered tools. `tools`: None if they are not known."""

    bound: Bound
    tools: Mapping[str, ToolSchema] | None
    text_table: Table
    ids_table: Table
    fingerprint: str
    texts: Sequence[str | None] = field(repr=False)
    unknown_is_text: bool = False
    pool: Pool = field(factory=Pool, repr=False)
    shapes: dict[str, Shape] = field(factory=dict, repr=False)

    @property
    def format(self) -> Format:
        """The format, both halves composed."""
        return self.bound.format

    @property
    def vocabulary(self) -> Vocabulary | None:
        """The vocabulary, if bound to one."""
        return self.bound.vocabulary

    @property
    def policies(self) -> Policies:
        """The answers to the choices that the format leaves open."""
        return self.bound.policies

    @property
    def kwargs(self) -> Mapping[str, JsonScalar]:
        """The chat template's kwargs."""
        return self.bound.kwargs

    def table(self, feed: Feed) -> Table:
        """The table that reads `feed`."""
        return self.text_table if feed.__class__ is TextFeed else self.ids_table

    def text_of(self, token: int) -> str | None:
        """The text of an id that stands alone; None if it does not, or is none."""
        return self.texts[token] if 0 <= token < len(self.texts) else None

    def keeps(self, key: int | str) -> bool:
        """May a step by this input, an id or a text, be kept?"""
        return len(key) <= TEXT_CAP if isinstance(key, str) else 0 <= key < len(self.texts)

    def shown(self, text: str, tokens: Sequence[int], pending: bytes = b"") -> int:
        """How many of `tokens` write exactly `text` behind the bytes `pending`; 0 if that is not plain to see."""
        texts, size, end = self.texts, len(self.texts), len(text)
        place = 0
        for count, token in enumerate(tokens):
            one = texts[token] if 0 <= token < size and not pending else None
            if one is None:
                one, pending, _ = decode(pending, self.piece(token))
                if not (one or pending):
                    return 0
            if one and place == end:
                return count
            if not text.startswith(one, place):
                return 0
            place += len(one)
        return len(tokens) if place == end else 0

    def piece(self, token: int) -> bytes:
        """The bytes of an id; none for an id that is none."""
        return b"" if self.bound.vocabulary is None else self.bound.vocabulary.piece(token)

    def is_special(self, token: int) -> bool:
        """Is it a token that a host may leave out of its text?"""
        return self.bound.vocabulary is not None and token in self.bound.vocabulary.special

    @property
    def added(self) -> Collection[int]:
        """The ids of added tokens: markers, and special tokens."""
        return () if self.bound.vocabulary is None else self.bound.vocabulary.added.values()

    def offers(self, name: str) -> bool:
        """Is `name` an offered tool, as far as is known?"""
        return self.tools is None or name in self.tools

    def kinds(self, tool: str, key: str) -> Kinds:
        """The JSON types of one argument."""
        known = None if self.tools is None else self.tools.get(tool)
        return STRING if known is None else known.kinds(key)

    def declares(self, tool: str, key: str) -> bool:
        """May `key` be an argument of `tool`? Without a schema any key may."""
        known = None if self.tools is None else self.tools.get(tool)
        return known is None or not known.properties or key in known.properties

    def properties(self, tool: str) -> Mapping[str, Kinds] | None:
        """The declared properties of a tool; None if it is not known."""
        known = None if self.tools is None else self.tools.get(tool)
        return None if known is None else known.properties

    def shape(self, tool: str) -> Shape:
        """What the arguments of a tool may hold; found when first asked for."""
        found = self.shapes.get(tool)
        if found is None:
            known = None if self.tools is None else self.tools.get(tool)
            found = shape_of(known)
            if known is not None:
                self.shapes[tool] = found
        return found


def bind(
    fmt: Format,
    vocabulary: Vocabulary | None = None,
    policies: Policies = Policies(),
    kwargs: Mapping[str, JsonScalar] = NO_KWARGS,
) -> Result[Bound, tuple[Defect, ...]]:
    """Bind a composed format, and fill its parameters. A Failure holds every defect of the format and every marker that
    the vocabulary lacks."""
    faults = check(fmt)
    fmt = fill(fmt, vocabulary, kwargs)
    defects = (*faults, *_missing(fmt, vocabulary, policies))
    if defects:
        return Failure(defects)
    marks = _marks(fmt, vocabulary) if policies.marker_evidence == "ids" else {}
    specials = _specials(fmt, vocabulary)
    inert = _inert(fmt)
    text, quiet = (compile_table(one, policies, specials, {}) for one in (fmt, inert))
    if marks:
        ids, quiet_ids = (compile_table(one, policies, specials, marks) for one in (fmt, inert))
    else:
        ids, quiet_ids = text, quiet
    mark = "" if vocabulary is None else vocabulary.fingerprint
    fingerprint = _digest(repr(fmt), mark, repr(policies), repr(sorted(kwargs.items())))
    frozen_kwargs = MappingProxyType(dict(kwargs))
    return Success(Bound(fmt, vocabulary, policies, frozen_kwargs, text, ids, quiet, quiet_ids, fingerprint))


def with_tools(bound: Bound, tools: Sequence[Mapping[str, object]] | None) -> Result[Machine, tuple[SchemaDefect, ...]]:
    """The machine of one request. `tools` as in the OpenAI API; None: not known, every call is delivered; empty: none is
    offered, and markup of calls is text."""
    schemas: dict[str, ToolSchema] = {}
    defects: list[SchemaDefect] = []
    for tool in tools or ():
        resolved = resolve_tool(tool)
        defects.extend(resolved.swap().value_or(()))
        for schema in resolved.map(lambda one: (one,)).value_or(()):
            schemas[schema.name] = schema
    if defects:
        return Failure(tuple(defects))
    inert = tools is not None and not tools
    digest = _digest(bound.fingerprint, repr(None if tools is None else sorted(map(_told, schemas.values()))))
    return Success(
        Machine(
            bound,
            None if tools is None else MappingProxyType(schemas),
            bound.inert_text_table if inert else bound.text_table,
            bound.inert_ids_table if inert else bound.ids_table,
            digest,
            () if bound.vocabulary is None else bound.vocabulary.texts,
            bound.format.unmarked or bound.policies.unknown_tool == "text",
        )
    )


def _told(schema: ToolSchema) -> tuple[str, str]:
    """What tells the tool from others, the same in every process."""
    if schema.fingerprint:
        return schema.name, schema.fingerprint
    kinds = [*schema.properties.items(), (None, schema.additional)]
    return schema.name, repr([(key, sorted(one.types)) for key, one in kinds])


def _digest(*parts: str) -> str:
    return sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _missing(fmt: Format, vocabulary: Vocabulary | None, policies: Policies) -> tuple[Defect, ...]:
    if vocabulary is None or policies.missing_marker == "text":
        return ()
    wanted = [(one.name, one.spellings[0]) for one in fmt.terminals if one.dedicated and one.spellings]
    return tuple(
        MissingMarker(fmt.name, name, spelling, nearest(spelling, vocabulary.added))
        for name, spelling in wanted
        if spelling not in vocabulary.added
    )


def _specials(fmt: Format, vocabulary: Vocabulary | None) -> tuple[str, ...]:
    if vocabulary is None:
        return fmt.specials
    return tuple(spelling for spelling, token in vocabulary.added.items() if token in vocabulary.special and spelling)


def _marks(fmt: Format, vocabulary: Vocabulary | None) -> dict[str, tuple[int, str]]:
    """Spelling -> (dedicated id, sentinel): the format's markers first, then special tokens while sentinels last."""
    if vocabulary is None:
        return {}
    markers = [spelling for terminal in fmt.terminals for spelling in terminal.spellings]
    wanted = dict.fromkeys((*markers, *_specials(fmt, vocabulary)))
    known = [(spelling, vocabulary.added[spelling]) for spelling in wanted if spelling in vocabulary.added]
    return {spelling: (token, chr(mark)) for (spelling, token), mark in zip(known, SENTINELS, strict=False)}


def _inert(fmt: Format) -> Format:
    """The format without calls: rows that open or announce one are gone."""
    regions = {region.name: region for region in fmt.regions}

    def opens(row: Row) -> bool:
        if "call" in row.do:
            return True
        if row.to == "@same" or regions[row.region].channel not in ("content", "reasoning"):
            return False
        target = regions[row.to]
        return target.trial in ("opening", "block") or target.channel == "call"

    rows = tuple(row for row in fmt.rows if not opens(row))
    return Format(
        name=fmt.name,
        about=fmt.about,
        reasoning=fmt.reasoning,
        tools=fmt.tools,
        terminals=fmt.terminals,
        regions=fmt.regions,
        rows=rows,
        start=fmt.start,
        specials=fmt.specials,
    )
