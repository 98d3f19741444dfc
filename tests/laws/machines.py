"""Machines for tests, each built once: by formats, kwargs, policies, offered tools, with or without a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

from attrs import evolve
from returns.result import Result

from tests.corpus.reader import Case, cases
from tests.laws.made_vocabulary import MadeVocabulary, made_vocabulary
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.compose import compose
from unbraid.core.events import Events, merge
from unbraid.core.grammar import Format, JsonScalar, Policies
from unbraid.core.machine import finish, start, step
from unbraid.core.records import InStep, ParserState, Tentative
from unbraid.core.resolve import fill, resolve
from unbraid.core.tentative import whole
from unbraid.formats.registry import Role, lookup, names

T = TypeVar("T")


def right(result: Result[T, object]) -> T:
    """The value of a success. Raises `AssertionError` with the failure otherwise."""
    failure = result.swap().value_or(None)
    assert failure is None, failure
    return result.unwrap()


@cache
def composed(reasoning: str | None, tools: str | None) -> Format:
    """The format of two halves by name, with the defaults of its parameters; its choices are not made."""
    first = None if reasoning is None else right(lookup("reasoning", reasoning))
    second = None if tools is None else right(lookup("tools", tools))
    return fill(right(compose(first, second)), None, {})


def chosen(reasoning: str | None, tools: str | None, kwargs: Mapping[str, JsonScalar]) -> Format:
    """The format of two halves that is meant with these template kwargs."""
    return right(compose(_meant("reasoning", reasoning, kwargs), _meant("tools", tools, kwargs)))


def _meant(role: Role, name: str | None, kwargs: Mapping[str, JsonScalar]) -> Format | None:
    half = None if name is None else right(lookup(role, name))
    return None if half is None else right(resolve(half, lambda use: lookup(role, use).value_or(None), None, kwargs))


@cache
def made(reasoning: str | None, tools: str | None) -> MadeVocabulary:
    """The made vocabulary of two halves."""
    return made_vocabulary(composed(reasoning, tools))


def machine_of(case: Case, *, ids: bool = False, **policies: str) -> Machine:
    """The machine that reads `case`, bound to the made vocabulary if `ids`."""
    words = (case.kwargs, {**case.policies, **policies}, case.offered)
    return _machine(case.reasoning, case.tools, json.dumps(words, sort_keys=True), ids)


@cache
def _machine(reasoning: str | None, tools: str | None, words: str, ids: bool) -> Machine:
    kwargs, policies, offered = json.loads(words)
    vocabulary = made(reasoning, tools).vocabulary if ids else None
    bound = right(bind(chosen(reasoning, tools, kwargs), vocabulary, Policies(**policies), kwargs))
    return right(with_tools(bound, offered))


def bare(
    reasoning: str | None, tools: str | None, offered: Sequence[Mapping[str, object]] | None, *, ids: bool
) -> Machine:
    """A machine without kwargs and with default policies."""
    return _machine(reasoning, tools, json.dumps(({}, {}, offered), sort_keys=True), ids)


@cache
def compositions() -> tuple[tuple[str | None, str | None], ...]:
    """Each half alone, the compositions that the corpus names, and each tool half with `qwen3` reasoning where they fit."""
    tools = own_names("tools")
    alone = [*((name, None) for name in own_names("reasoning")), *((None, name) for name in tools)]
    named = [(case.reasoning, case.tools) for case in cases()]
    with_qwen = [("qwen3", name) for name in tools if _fits("qwen3", name)]
    return tuple(dict.fromkeys([*alone, *named, *with_qwen]))


def own_names(role: Role) -> list[str]:
    """The names of the formats for `role`, without aliases."""
    return sorted({right(lookup(role, name)).name for name in names(role)})


def _fits(reasoning: str, tools: str) -> bool:
    first, second = right(lookup("reasoning", reasoning)), right(lookup("tools", tools))
    return not compose(first, second).swap().value_or(())


def begin(case: Case, machine: Machine, feed: str = "text", prompt_ids: Sequence[int] | None = None) -> ParserState:
    """The state that `case` starts in."""
    prompt = case.prompt if prompt_ids is None else prompt_ids
    return start(machine, feed=feed, prompt=prompt, at=case.at)  # type: ignore[arg-type]  # names come from a file


def inside(state: ParserState) -> InStep:
    """`state` where no host lags: what the laws look into."""
    assert isinstance(state, InStep | Tentative)
    return whole(state)


def fold_text(machine: Machine, state: ParserState, pieces: Sequence[str]) -> Events:
    """All events of a text, the end included, merged."""
    return _whole(machine, state, ((piece, ()) for piece in pieces))


def fold_ids(machine: Machine, state: ParserState, pieces: Sequence[Sequence[int]]) -> Events:
    """All events of token ids, the end included, merged."""
    return _whole(machine, state, ((None, tuple(piece)) for piece in pieces))


def fold_both(machine: Machine, state: ParserState, deltas: Sequence[tuple[str, tuple[int, ...]]]) -> Events:
    """All events of ids with the host's text, the end included, merged."""
    return _whole(machine, state, iter(deltas))


def _whole(machine: Machine, state: ParserState, deltas: Iterator[tuple[str | None, tuple[int, ...]]]) -> Events:
    events: list[Events] = []
    for text, ids in deltas:
        state, new = step(machine, state, text, ids)
        events.append(new)
    _, last = finish(machine, state)
    return merge(tuple(event for group in (*events, last) for event in group))


def without_tokens(events: Events) -> Events:
    """The same events with all token counts 0, for comparisons between feeds."""
    return tuple(evolve(event, tokens=0) for event in events)
