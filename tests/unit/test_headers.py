"""How messages with headers are written, as a table says."""

from __future__ import annotations

from typing import Final

import pytest
from attrs import evolve

from unbraid.core.compose import complete
from unbraid.core.grammar import Format
from unbraid.core.resolve import fill
from unbraid.formats.harmony import HARMONY
from unbraid.formats.registry import formats
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.call_schema import Offered
from unbraid.shell.headers import AnyWord, Blank, Header, Messages, Named, Told, messages
from unbraid.shell.outputs import Asked, Turn, writer
from unbraid.shell.part_nodes import Unwritable
from unbraid.shell.structural import call_tag
from unbraid.shell.thoughts import begins_thoughts
from unbraid.shell.wire import Mark


def composed(fmt: Format) -> Format:
    return fill(complete(fmt).unwrap(), None, {})


def of(fmt: Format) -> Messages:
    found = messages(composed(fmt))
    assert found is not None
    return found


def shown(header: Header) -> str:
    """Markers and words as they are; `{name}`, `_` for a blank or none, `__` for one and a word, or less, `{word}` and `{word?}`."""
    texts = []
    for piece in header:
        match piece:
            case Mark():
                texts.append(piece.spelling)
            case Named():
                texts.append(piece.before + "{name}")
            case Told():
                texts.append(piece.text)
            case Blank():
                texts.append("__" if piece.word else "_")
            case AnyWord():
                texts.append("{word?}" if piece.optional else "{word}")
    return "".join(texts)


FOUND: Final = of(HARMONY)


def test_calls() -> None:
    assert {shown(header) for header in FOUND.calls} == {
        " to=functions.{name}_<|channel|>commentary<|message|>",
        " to=functions.{name}_<|channel|>commentary {word?}<|message|>",
        " to=functions.{name}_<|channel|>commentary {word?}<|constrain|>{word}<|message|>",
        " to=functions.{name}_<|channel|>commentary<|constrain|>{word}<|message|>",
        "<|channel|>commentary to=functions.{name}__<|message|>",
        "<|channel|>commentary to=functions.{name}__<|constrain|>{word}<|message|>",
    }


def test_names_with_less_before_them() -> None:
    """Where a format looks for a name behind less as well, that may be written, but before names that mean something else then."""
    names = [piece for header in FOUND.calls for piece in header if isinstance(piece, Named)]
    assert {way for piece in names for way in piece.ways("now")} == {
        *("functions.now", "now"),  # behind ` to=`
        *("to=functions.now", "to=now", "functions.now"),
    }
    for name in ("python", "browser.search", "functions.now", "assistant"):
        assert {way for piece in names for way in piece.ways(name)} == {f"functions.{name}", f"to=functions.{name}"}


def test_other_messages() -> None:
    assert FOUND.thoughts is not None
    assert shown(FOUND.thoughts) == "<|channel|>analysis<|message|>"
    assert [shown(header) for header in FOUND.texts] == [
        "<|channel|>final<|message|>",
        "<|channel|>commentary<|message|>",
    ]
    assert FOUND.end.spellings == ("<|end|>", "<|return|>", "<|call|>")
    assert shown(FOUND.turn) == "<|start|>assistant"


def test_it_is_what_outputs_are_made_of() -> None:
    """The writer's own order is among the ways."""
    made = writer("harmony", "harmony").write(Turn("why", "", (Asked("now", {}),)))
    ways = [
        shown(header).replace("__", " ").replace("_", " ").format(name="now", word="json")
        for header in FOUND.calls
        if "?" not in shown(header)
    ]
    assert FOUND.thoughts is not None
    assert made in {f"{shown(FOUND.thoughts)}why<|end|><|start|>assistant{way}{{}}<|call|>" for way in ways}


def test_others_have_none() -> None:
    assert [fmt.name for fmt in formats() if fmt.tools and messages(composed(fmt)) is not None] == ["harmony"]


def test_the_record_alone_decides() -> None:
    marks = {"CHANNEL": "<c>", "MESSAGE": "<m>", "START": "<s>", "TO": " for="}
    mine = evolve(
        HARMONY,
        name="mine",
        terminals=tuple(evolve(one, spellings=(marks.get(one.name, one.spellings[0]),)) for one in HARMONY.terminals),
    )
    assert [shown(header) for header in of(mine).texts] == ["<c>final<m>", "<c>commentary<m>"]
    assert " for=functions.{name}_<c>commentary<m>" in {shown(header) for header in of(mine).calls}


@pytest.mark.parametrize(("name", "found"), [("two words", " "), ("a<b", "<"), ("", ""), ("a" * 200, "a" * 72)])
def test_names_that_cannot_be_written(name: str, found: str) -> None:
    machine = with_tools(bind("harmony", "harmony").unwrap(), None).unwrap()
    made = call_tag(machine, "required", [Offered(name)], frozenset())
    assert made.failure() == (Unwritable("harmony", name, name, found),)


def test_thoughts_may_come_first() -> None:
    assert begins_thoughts(with_tools(bind("harmony", "harmony").unwrap(), None).unwrap())
