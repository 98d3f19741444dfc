"""The corpus has what a format needs: which kinds of outputs there are is found out by reading them, not by their titles.

For each tool half: a plain answer, one call, several, one without arguments, values with text beyond ASCII, escapes and nesting, markup
inside a value, text before, between and behind calls, a recovery; for each reasoning half a plain answer, and an answer behind thoughts. And
for each region of a format an output that ends in it; for each row that reports an oddity, or where a capture or payload goes wrong, an output
that takes it. Which rows an output takes show machines whose rows report their own numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

import pytest
from attrs import evolve, frozen

from tests.corpus.reader import Call, Case, cases
from tests.laws.machines import begin, chosen, fold_text, inside, machine_of, right
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.events import Anomaly, ContentChunk, Events, ToolCallEnd, ToolCallStart
from unbraid.core.grammar import Format, Gap, JsonScalar, Policies, Row
from unbraid.core.machine import finish, step
from unbraid.core.notation import rows, show_row
from unbraid.core.resolve import resolve
from unbraid.formats.registry import Role, formats, lookup

THOUGHTS: Final = ("answer", "answer behind thoughts")
CALLS: Final = (
    "answer",
    "one call",
    "several calls",
    "no arguments",
    "beyond ASCII",
    "escape",
    "nesting",
    "markup in a value",
    "text before",
    "text between",
    "text behind",
    "recovery",
)

CANNOT: Final = {
    # there are no thoughts
    "identity": {"answer behind thoughts"},
    "minimax_m2_append_think": {"answer behind thoughts"},
    # calls without markers begin the output, and nothing but calls stands between them
    "llama3_json": {"text before", "text between"},
    "llama4_json": {"text before", "text between"},
    "pythonic": {"text before", "text between"},
    "llama4_pythonic": {"text before", "text between"},
}

BEHIND_A_PAIR: Final = rows("arguments  @text -> junk  odd=stray_text")
"""Only markers lead to `arguments`, and each is read again there; the row says where an opener goes that is none."""

NEVER: Final = dict.fromkeys(("glm45-t", "ling3-t", "poolside_v1-t", "kimi_k3-rt"), BEHIND_A_PAIR)
"""Rows that no output takes."""

BRACKETS: Final = (")]", "}]")
"""The markup of calls without markers."""


@frozen(eq=False)
class Found:
    """What the cases of a format are: kinds of outputs, and the regions where outputs end."""

    kinds: set[str]
    ends: set[str]


def name_of(form: Format) -> str:
    """A format's name and its halves."""
    return f"{form.name}-{'r' * form.reasoning}{'t' * form.tools}"


@cache
def found() -> Mapping[str, Found]:
    """By the names of formats."""
    all_found = {name_of(form): Found(set(), set()) for form in formats()}
    for case in cases():
        machine = machine_of(case)
        state, events = step(machine, begin(case, machine), case.text, ())
        read = (*events, *finish(machine, state)[1])
        for form in _formats(case):
            all_found[name_of(form)].kinds.update(_kinds(case, read, form))
            all_found[name_of(form)].ends.add(inside(state).at.region)
    return all_found


def _formats(case: Case) -> Iterator[Format]:
    """The formats that a case names, and those that they mean with its template kwargs."""
    halves: tuple[tuple[Role, str | None], ...] = (("reasoning", case.reasoning), ("tools", case.tools))
    for role, name in halves:
        if name is not None:
            form = right(lookup(role, name))
            yield form
            yield meant(role, form, case.kwargs)


def meant(role: Role, form: Format, kwargs: Mapping[str, JsonScalar]) -> Format:
    """What `form` stands for with these template kwargs."""
    return right(resolve(form, lambda name: lookup(role, name).value_or(None), None, kwargs))


def _kinds(case: Case, events: Events, form: Format) -> Iterator[str]:
    said = case.message
    if said.content is not None and not said.calls and not said.anomalies:
        yield "answer" if said.reasoning is None else "answer behind thoughts"
    if set(said.anomalies) - {"truncated"}:
        yield "recovery"
    whole = [call for call in said.calls if call.complete]
    if whole:
        yield "one call" if len(whole) == 1 else "several calls"
    spellings = [spelling for terminal in form.terminals for spelling in terminal.spellings if len(spelling) > 2]
    for call in whole:
        yield from _kinds_of_values(call, spellings or BRACKETS)
    yield from _places(events)


def _kinds_of_values(call: Call, markup: Iterable[str]) -> Iterator[str]:
    arguments = json.loads(call.arguments)
    if arguments == {}:
        yield "no arguments"
    if not call.arguments.isascii():
        yield "beyond ASCII"
    if "\\" in call.arguments:
        yield "escape"
    if isinstance(arguments, dict) and any(isinstance(value, dict | list) and value for value in arguments.values()):
        yield "nesting"
    if any(word in text for text in _texts(arguments) for word in markup):
        yield "markup in a value"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _places(events: Events) -> Iterator[str]:
    """Where content stands by the calls."""
    calls = [place for place, event in enumerate(events) if isinstance(event, ToolCallStart | ToolCallEnd)]
    for place, event in enumerate(events):
        if isinstance(event, ContentChunk) and calls:
            yield "text before" if place < calls[0] else "text behind" if place > calls[-1] else "text between"


@pytest.mark.parametrize("form", list(formats()), ids=name_of)
def test_every_kind_of_output_is_there(form: Format) -> None:
    needed = {*(THOUGHTS if form.reasoning else ()), *(CALLS if form.tools else ())}
    missing = needed - found()[name_of(form)].kinds
    assert missing == CANNOT.get(form.name, set())


@pytest.mark.parametrize("form", list(formats()), ids=name_of)
def test_an_output_ends_in_every_region(form: Format) -> None:
    assert set(_where_streams_end(form)) <= found()[name_of(form)].ends


def _where_streams_end(form: Format) -> Iterator[str]:
    """Regions except those where nothing was begun: a gap before text; a place that is only passed, what led there is read again."""
    for region in form.regions:
        into = [row for row in form.rows if row.to == region.name]
        before_text = (
            isinstance(region.kind, Gap) and region.channel in ("content", "reasoning") and not region.kind.touches
        )
        if not before_text and not (into and all(row.keep for row in into)):
            yield region.name


# -- recoveries --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", list(formats()), ids=name_of)
def test_every_recovery_is_there(form: Format) -> None:
    missing = {row for row in form.rows if _is_recovery(row)} - taken()[name_of(form)]
    assert {show_row(row) for row in missing} == {show_row(row) for row in NEVER.get(name_of(form), ())}


def _is_recovery(row: Row) -> bool:
    return bool(row.odd) or row.on == "@bad"


@cache
def taken() -> Mapping[str, set[Row]]:
    """The recoveries that the cases of a format take, by the names of formats."""
    all_taken: dict[str, set[Row]] = {name_of(form): set() for form in formats()}
    for case in cases():
        rows_taken = set(_rows_taken(case))
        for form in _formats(case):
            all_taken[name_of(form)] |= rows_taken
    return all_taken


def _rows_taken(case: Case) -> Iterator[Row]:
    """What a refused trial took does not count: nothing of it is reported."""
    words = json.dumps((case.kwargs, case.policies, case.offered), sort_keys=True)
    numbered, machine = _telling(case.reasoning, case.tools, words)
    for event in fold_text(machine, begin(case, machine), [case.text]):
        if isinstance(event, Anomaly) and event.kind in numbered:
            yield numbered[event.kind]


@cache
def _telling(reasoning: str | None, tools: str | None, words: str) -> tuple[Mapping[str, Row], Machine]:
    """A machine whose recoveries report the keys of these rows."""
    kwargs, policies, offered = json.loads(words)
    form = chosen(reasoning, tools, kwargs)
    numbered = {f"row {number}": row for number, row in enumerate(form.rows) if _is_recovery(row)}
    telling = [evolve(row, odd=f"row {number}") if _is_recovery(row) else row for number, row in enumerate(form.rows)]
    bound = right(bind(evolve(form, rows=tuple(telling)), None, Policies(**policies), kwargs))
    return numbered, right(with_tools(bound, offered))
