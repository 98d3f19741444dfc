"""Which format is meant, and how its markers are spelled: what a name leaves open until a vocabulary, template kwargs and
the chat template are known.

    choices      the first one whose conditions all hold names another format, which may have choices of its own
    parameters   `{name}` in spellings becomes text

    >>> half = Format("f", "", terminals=(Terminal("END", ("</think{s}>",)),), parameters=(Parameter("s", "vocabulary", "<think", ">", ":"),))
    >>> words = Vocabulary((b"<think:x>",), added={"<think:x>": 0})
    >>> resolve(half, lambda name: None, words).unwrap().terminals[0].spellings
    ('</think:x>',)

A pure function: where the other formats come from is the caller's business. What nobody knows holds no condition, so a
format is the record it is, with the defaults of its parameters, if nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from returns.result import Failure, Result, Success

from unbraid.core.errors import Defect, ResolveDefect
from unbraid.core.grammar import WHITESPACE, Choice, Format, JsonScalar, Parameter, Start, Terminal
from unbraid.core.prompt import is_on
from unbraid.core.vocabulary import Vocabulary

NOTHING: Final[Mapping[str, JsonScalar]] = MappingProxyType({})


def resolve(
    fmt: Format,
    lookup: Callable[[str], Format | None],
    vocabulary: Vocabulary | None = None,
    kwargs: Mapping[str, JsonScalar] = NOTHING,
    template: str | None = None,
) -> Result[Format, tuple[Defect, ...]]:
    """The format that is meant, without choices and parameters. `lookup`: formats by name, for the same half; `template`:
    the text of the chat template. Fails if a choice names no format, or if choices go round in a circle."""
    seen = {fmt.name}
    while (choice := chosen(fmt, vocabulary, kwargs, template)) is not None:
        other = lookup(choice.use)
        if other is None:
            return Failure((ResolveDefect(fmt.name, "unknown_choice", choice.use),))
        if other.name in seen:
            return Failure((ResolveDefect(fmt.name, "choice_circle", choice.use),))
        seen.add(other.name)
        fmt = other
    return Success(fill(fmt, vocabulary, kwargs))


def chosen(
    fmt: Format, vocabulary: Vocabulary | None, kwargs: Mapping[str, JsonScalar], template: str | None
) -> Choice | None:
    """The first choice of `fmt` that holds."""
    return next((choice for choice in fmt.choices if _holds(choice, vocabulary, kwargs, template)), None)


def _holds(
    choice: Choice, vocabulary: Vocabulary | None, kwargs: Mapping[str, JsonScalar], template: str | None
) -> bool:
    return (
        _parts(choice.has, choice.lacks, None if vocabulary is None else vocabulary.added)
        and _parts(choice.template_has, choice.template_lacks, template)
        and (not choice.kwarg or any(_same(kwargs.get(choice.kwarg), value) for value in choice.among))
        and (not choice.off or not is_on(choice.off, kwargs))
    )


def _parts(there: tuple[str, ...], absent: tuple[str, ...], known: Mapping[str, int] | str | None) -> bool:
    if known is None:
        return not (there or absent)
    return all(part in known for part in there) and not any(part in known for part in absent)


def _same(one: JsonScalar, other: JsonScalar) -> bool:
    """Equal, and both or neither of them a truth value (in Python, `True == 1`)."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


# -- parameters --------------------------------------------------------------------------------------------------------------


def fill(fmt: Format, vocabulary: Vocabulary | None, kwargs: Mapping[str, JsonScalar]) -> Format:
    """`fmt` with its parameters filled. It has none then, and no choices, as they are made before."""
    if not fmt.parameters and not fmt.choices:
        return fmt
    values = {f"{{{one.name}}}": _value(one, vocabulary, kwargs) for one in fmt.parameters}
    return Format(
        name=fmt.name,
        about=fmt.about,
        aliases=fmt.aliases,
        reasoning=fmt.reasoning,
        tools=fmt.tools,
        terminals=tuple(_filled(terminal, values) for terminal in fmt.terminals),
        regions=fmt.regions,
        rows=fmt.rows,
        start=_filled_start(fmt.start, values),
        specials=tuple(_replaced(special, values) for special in fmt.specials),
        ids=fmt.ids,
        inside=fmt.inside,
        unmarked=fmt.unmarked,
        template=fmt.template,
        experimental=fmt.experimental,
    )


def _filled_start(start: Start, values: Mapping[str, str]) -> Start:
    return Start(
        on=start.on,
        off=start.off,
        switches=start.switches,
        scan=tuple((_replaced(spelling, values), region) for spelling, region in start.scan),
        stops=tuple(_replaced(stop, values) for stop in start.stops),
    )


def _filled(terminal: Terminal, values: Mapping[str, str]) -> Terminal:
    return Terminal(
        name=terminal.name,
        spellings=tuple(_replaced(spelling, values) for spelling in terminal.spellings),
        before=terminal.before,
        after=terminal.after,
        dedicated=terminal.dedicated,
        last=tuple(_replaced(spelling, values) for spelling in terminal.last),
    )


def _replaced(spelling: str, values: Mapping[str, str]) -> str:
    for place, text in values.items():
        spelling = spelling.replace(place, text)
    return spelling


def _value(one: Parameter, vocabulary: Vocabulary | None, kwargs: Mapping[str, JsonScalar]) -> str:
    if one.source == "kwarg":
        given = kwargs.get(one.key)
        return next((text for value, text in one.values if _same(value, given)), one.default)
    tokens = () if vocabulary is None else sorted(vocabulary.added, key=vocabulary.added.__getitem__)
    return next((found for token in tokens if (found := _between(one, token)) is not None), one.default)


def _between(one: Parameter, token: str) -> str | None:
    """What stands between the parameter's prefix and suffix in `token`; None if that is no value of it."""
    if (
        len(token) < len(one.prefix) + len(one.suffix)
        or not token.startswith(one.prefix)
        or not token.endswith(one.suffix)
    ):
        return None
    found = token[len(one.prefix) : len(token) - len(one.suffix)]
    fits = not found or (found.startswith(one.lead) and not any(char in WHITESPACE for char in found))
    return found if fits and not (one.suffix and one.suffix in found) else None
