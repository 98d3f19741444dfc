"""One row of the table, ready to run: machine, tokenizer, template, and the spellings that mean something where text stands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from attrs import frozen

from tests.laws.machines import right
from tests.laws.round_trip.changes import Row
from tests.laws.round_trip.coder import Coder, coder
from tests.laws.round_trip.rendering import Rendered, Sent, rendered
from tests.laws.round_trip.stated import STATED
from tests.laws.round_trip.strategies import Live, tools
from tests.vocabularies import template
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.compose import compose
from unbraid.core.grammar import Format, Gap, JsonScalar, Region, Text, Tree, Value
from unbraid.core.resolve import resolve
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import Role, lookup


@frozen(eq=False)
class Trip:
    """What a message goes through."""

    row: Row

    @cached_property
    def source(self) -> str:
        """The template's text, or skip."""
        return STATED[self.row.template] if self.row.stated else template(self.row.template)

    @cached_property
    def format(self) -> Format:
        """The format, with its parameters filled by the row's markers."""
        known = Vocabulary(
            tuple(map(str.encode, self.row.markers)), added={word: token for token, word in enumerate(self.row.markers)}
        )
        return self._meant(self.row.kwargs_of(Sent("why", None, ())), known if self.row.markers else None)

    @cached_property
    def coder(self) -> Coder:
        """The tokenizer, with the format's markers and special tokens."""
        markers = [
            *self.row.markers,
            *(word for one in self.format.terminals if one.dedicated for word in one.spellings),
        ]
        return coder(self.row.vocabulary, markers, [*self.format.specials, *self.row.tokens])

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The offered tools."""
        return tools(self.row.span.leaves)

    def machine(self, sent: Sent) -> Machine:
        """The machine that reads the rendering of `sent`."""
        return self._machine(json.dumps(self.row.kwargs_of(sent)))

    @cached_property
    def unmarked(self) -> bool:
        """May calls stand in the answer without a marker?"""
        return self._meant({}, self.coder.vocabulary).unmarked

    @cache  # noqa: B019 - one for each row, as long as the tests run
    def _machine(self, words: str) -> Machine:
        kwargs = json.loads(words)
        meant = self._meant(kwargs, self.coder.vocabulary)
        return right(with_tools(right(bind(meant, self.coder.vocabulary, kwargs=kwargs)), self.tools))

    def _meant(self, kwargs: Mapping[str, JsonScalar], vocabulary: Vocabulary | None) -> Format:
        return right(
            compose(
                self._half("reasoning", self.row.reasoning, kwargs, vocabulary),
                self._half("tools", self.row.tools, kwargs, vocabulary),
            )
        )

    def _half(
        self, role: Role, name: str | None, kwargs: Mapping[str, JsonScalar], vocabulary: Vocabulary | None
    ) -> Format | None:
        half = None if name is None else right(lookup(role, name))
        if half is None:
            return None
        return right(resolve(half, lambda use: lookup(role, use).value_or(None), vocabulary, kwargs, self.source))

    def rendered(self, sent: Sent) -> Rendered:
        """What the template makes of `sent`, up to the model's last token."""
        row = self.row
        found = rendered(self.source, row.shape, sent, self.tools, {**row.words, **row.kwargs_of(sent)})
        if found.output is None:
            return found
        end = next((word for word in row.end if found.output.endswith(word)), "")
        return Rendered(found.prompt, found.output.removesuffix(end))

    @cached_property
    def live(self) -> Live:
        """Spellings by the regions that their text flows into."""
        regions = {region.name: region for region in self.format.regions}
        spellings = tuple(
            dict.fromkeys(word for one in self.format.terminals for word in one.spellings if len(word) > 1)
        )
        return Live(
            spellings=spellings,
            reasoning=self._live(name for name in regions if _flows(regions[name], "reasoning")),
            content=self._live(name for name in regions if _flows(regions[name], "content")),
            values=(
                *self._live(name for name in regions if isinstance(regions[name].kind, Value)),
                *_tags(self.format),
            ),
            special=tuple(
                dict.fromkeys(
                    (*self.format.specials, *self.row.tokens, *(word for word in spellings if word in self._special))
                )
            ),
        )

    @cached_property
    def _special(self) -> frozenset[str]:
        known = self.coder.vocabulary
        return frozenset(word for word, token in known.added.items() if token in known.special)

    def _live(self, regions: Iterable[str]) -> tuple[str, ...]:
        places = set(regions)
        names = {row.on for row in self.format.rows if row.region in places}
        return tuple(
            word for one in self.format.terminals if one.name in names for word in one.spellings if len(word) > 1
        )

    def leaves_out(self, sent: Sent) -> bool:
        """Does text of `sent` hold what would mean something where it stands?"""
        strands = ((sent.reasoning or "", self.live.reasoning), (sent.content or "", self.live.content))
        written = (
            [(found, self.live.values) for call in sent.calls for found in _texts(call.arguments)]
            if self.row.span.typed
            else []
        )
        return any(word in found for found, words in (*strands, *written) for word in (*words, *self._special))


def _flows(region: Region, channel: str) -> bool:
    """Does text of a strand flow here, before any call?"""
    kind = region.kind
    return (
        region.channel == channel
        and not region.trial
        and (isinstance(kind, Text) or (isinstance(kind, Gap) and not kind.touches))
    )


def _tags(fmt: Format) -> tuple[str, ...]:
    """What begins a tag of nested elements."""
    return tuple(f"{region.kind.prefix}<" for region in fmt.regions if isinstance(region.kind, Tree))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _texts(item)


@cache
def trip(row: Row) -> Trip:
    """One per row."""
    return Trip(row)
