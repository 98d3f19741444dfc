"""What is measured: pairs of halves, each with its machine, and the tokens of the texts that it reads.

Ids are those of a real tokenizer (npm's Qwen3 by default). Markers that a format wants as tokens of their own and that the
vocabulary lacks are added to it, as the model's own vocabulary has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from attrs import evolve, frozen
from tokenizers import Tokenizer

from tests.vocabularies import NpmName, npm, npm_tokenizer
from unbraid.core import bind as core
from unbraid.core.bind import Machine
from unbraid.core.grammar import Format, JsonScalar
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import Role, lookup, names
from unbraid.shell.bench import TOOLS, texts_of
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.opening import StartAt
from unbraid.shell.outputs import Writer, writer
from unbraid.shell.tokenizers import read_vocabulary

PARTNER: Final = "qwen3"
"""The reasoning half of a tool half whose family has none."""

THINKING: Final[Mapping[str, JsonScalar]] = {
    "enable_thinking": True,
    "thinking": True,
    "thinking_mode": "enabled",
    "reasoning_effort": "high",
}
"""Template kwargs with which every model thinks."""


@frozen(eq=False)
class Subject:
    """A pair of halves, ready to read."""

    reasoning: str | None
    tools: str | None
    machine: Machine
    writer: Writer
    encoder: Encoder

    @property
    def name(self) -> str:
        """The pair in one word."""
        return "+".join(dict.fromkeys(half for half in (self.reasoning, self.tools) if half))

    @property
    def at(self) -> StartAt:
        """Where its outputs begin."""
        return "reasoning" if self.writer.prompted else "auto"


@frozen(eq=False)
class Encoder:
    """Text to ids of `vocabulary`: `tokenizer`'s, but for the markers in `added`."""

    vocabulary: Vocabulary
    tokenizer: Tokenizer
    added: Mapping[str, int]

    def ids(self, text: str) -> list[int]:
        """The ids of `text`."""
        found: list[int] = []
        for part in self._parts(text):
            marker = self.added.get(part)
            found += self.tokenizer.encode(part, add_special_tokens=False).ids if marker is None else [marker]
        return found

    def excerpt(self, text: str, count: int) -> str:
        """The first `count` tokens of `text`, less white space at the edges."""
        return "".join(texts_of(self.vocabulary, self.ids(text)[:count])).strip("\n\r\t ")

    def _parts(self, text: str) -> Iterator[str]:
        if not self.added:
            yield text
            return
        spellings = sorted(self.added, key=len, reverse=True)
        yield from filter(None, re.split(f"({'|'.join(map(re.escape, spellings))})", text))


def own_names(role: Role) -> list[str]:
    """Every format for `role` once."""
    return sorted({lookup(role, name).unwrap().name for name in names(role)})


def pairs() -> list[tuple[str | None, str | None]]:
    """Each tool half with its reasoning half, and each reasoning half that is left."""
    reasoning = own_names("reasoning")
    with_tools_too = [(_partner(name, reasoning), name) for name in own_names("tools")]
    used = {first for first, _ in with_tools_too}
    return [*with_tools_too, *((name, None) for name in reasoning if name not in used)]


def _partner(tools: str, reasoning: list[str]) -> str:
    """The reasoning half of the same name, or of the longest name that it begins with."""
    alike = [name for name in reasoning if tools == name or tools.startswith(f"{name}_")]
    return max(alike, key=len, default=PARTNER)


def subject(reasoning: str | None, tools: str | None, vocabulary: NpmName = "qwen3") -> Subject:
    """The subject of a pair. Raises `UnwrapFailedError` if it does not bind."""
    known = bind(reasoning, tools, template_kwargs=THINKING).unwrap()
    encoder = _encoder(known.format, vocabulary)
    bound = bind(reasoning, tools, encoder.vocabulary, template_kwargs=THINKING).unwrap()
    machine = with_tools(bound, None if tools is None else TOOLS).unwrap()
    return Subject(reasoning, tools, machine, writer(reasoning, tools), encoder)


@cache
def _vocabulary(name: NpmName) -> Vocabulary:
    return read_vocabulary(npm(name)).unwrap()


def _encoder(form: Format, name: NpmName) -> Encoder:
    known = _vocabulary(name)
    wanted = (one.spellings[0] for one in form.terminals if one.dedicated and one.spellings)
    missing = [spelling for spelling in dict.fromkeys(wanted) if spelling not in known.added]
    added = {spelling: len(known.pieces) + place for place, spelling in enumerate(missing)}
    grown = Vocabulary(
        (*known.pieces, *map(str.encode, missing)), known.special, {**known.added, **added}, known.drops_first_blank
    )
    return Encoder(grown if added else known, npm_tokenizer(name), added)


def renewed(one: Subject) -> Subject:
    """The same subject with a machine that has read nothing yet."""
    known = one.machine
    bound = core.bind(known.format, known.vocabulary, known.policies, known.kwargs).unwrap()
    return evolve(one, machine=core.with_tools(bound, None if one.tools is None else TOOLS).unwrap())
