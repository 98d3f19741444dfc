"""Which format a name means, once vocabulary, template kwargs and chat template are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from tests.corpus.message import message
from unbraid.core.bind import bind, with_tools
from unbraid.core.check import check
from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW, compose
from unbraid.core.errors import RESOLVE_PROBLEMS, ResolveDefect
from unbraid.core.grammar import Choice, Format, JsonScalar, Parameter, Region, Start, Switch, Terminal, Text
from unbraid.core.machine import finish, start, step
from unbraid.core.notation import rows
from unbraid.core.resolve import fill, resolve
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import Role, formats, lookup
from unbraid.shell.bind import bind as shell_bind
from unbraid.shell.chat_template import chat_template


def words(*added: str) -> Vocabulary:
    """A vocabulary of single bytes and these added tokens."""
    single = tuple(bytes([byte]) for byte in range(256))
    return Vocabulary(
        (*single, *(word.encode() for word in added)), added={word: 256 + i for i, word in enumerate(added)}
    )


def half(name: str, **changes: object) -> Format:
    made = Format(
        name=name,
        about="made",
        reasoning=True,
        terminals=(Terminal("END", ("</t{level}>",)),),
        regions=(FRESH, CONTENT, Region("thought", Text(), "reasoning")),
        rows=(FRESH_ROW, *rows("thought END -> fresh")),
        start=Start("thought", "fresh", scan=(("<t{level}>", "thought"),), stops=("<u{level}>",)),
        specials=("<s{level}>",),
    )
    return evolve(made, **changes)  # type: ignore[arg-type]  # fields by name


LEVEL = Parameter(
    "level", "kwarg", key="effort", values=(("high", ""), ("low", "_fast"), (True, "_yes"), (1, "_one")), default="_any"
)


def meant(fmt: Format, *others: Format, **known: object) -> Format:
    table = {one.name: one for one in (fmt, *others)}
    return resolve(fmt, table.get, **known).unwrap()  # type: ignore[arg-type]  # arguments by name


# ---------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({}, "_any"),
        ({"effort": "high"}, ""),
        ({"effort": "low"}, "_fast"),
        ({"effort": "x"}, "_any"),
        ({"effort": True}, "_yes"),
        ({"effort": 1}, "_one"),
    ],
)
def test_kwargs_fill_parameters(kwargs: Mapping[str, JsonScalar], text: str) -> None:
    filled = meant(half("h", parameters=(LEVEL,)), kwargs=kwargs)
    assert filled.terminals[0].spellings == (f"</t{text}>",)
    assert filled.start.scan == ((f"<t{text}>", "thought"),)
    assert filled.start.stops == (f"<u{text}>",)
    assert filled.specials == (f"<s{text}>",)
    assert filled.parameters == ()


@pytest.mark.parametrize(
    ("added", "text"),
    [
        ((), ""),
        (("<tool_calls>",), ""),
        (("</tool_calls:x>", "<tool_calls:x>"), ":x"),
        (("<tool_calls:a>", "<tool_calls>"), ":a"),
        (("<tool_calls_more>", "<tool_calls:b>"), ":b"),
        (("<tool_calls:a b>", "<tool_calls:a>>"), ""),
    ],
)
def test_the_vocabulary_fills_parameters(added: tuple[str, ...], text: str) -> None:
    suffix = Parameter("level", "vocabulary", prefix="<tool_calls", suffix=">", lead=":")
    assert meant(half("h", parameters=(suffix,)), vocabulary=words(*added)).terminals[0].spellings == (f"</t{text}>",)


def test_binding_fills_parameters_that_are_left() -> None:
    bound = bind(compose(half("h", parameters=(LEVEL,)), None).unwrap(), None, kwargs={"effort": "low"}).unwrap()
    machine = with_tools(bound, None).unwrap()
    state, events = step(machine, start(machine), "a</t>b</t_fast>c", ())
    assert message((*events, *finish(machine, state)[1])).reasoning == "a</t>b"


@pytest.mark.parametrize("suffix", ["", ":opensource", ":6124c78e"])
@pytest.mark.parametrize("name", ["hy_v3", "hy_v4"])
def test_hunyuan_s_suffix(name: str, suffix: str) -> None:
    marks = ("tool_calls", "/tool_calls", "tool_call", "/tool_call", "think", "/think", "arg_key", "tool_sep")
    vocabulary = words(*(f"<{mark}{suffix}>" for mark in marks))
    bound = shell_bind(name, name, vocabulary, template_kwargs={"reasoning_effort": "high"}).unwrap()
    machine = with_tools(bound, None).unwrap()
    text = "plan</think~>Hi<tool_calls~><tool_call~>f<arg_key~>a</arg_key~><arg_value~>1</arg_value~></tool_call~></tool_calls~>"
    state, events = step(machine, start(machine), text.replace("~", suffix), ())
    found = message((*events, *finish(machine, state)[1]))
    assert (found.reasoning, found.content) == ("plan", "Hi")
    assert [(call.name, call.arguments) for call in found.calls] == [("f", '{"a": "1"}')]


@pytest.mark.parametrize("form", list(formats()), ids=lambda form: str(form.name))
def test_filling_changes_nothing_else(form: Format) -> None:
    filled = fill(evolve(form, choices=(Choice("other", has=("x",)),)), None, {})
    assert evolve(filled, terminals=form.terminals, start=form.start, specials=form.specials) == evolve(
        form, parameters=(), choices=()
    )
    spelled = [replace(text) for one in form.terminals for text in one.spellings]
    assert [text for one in filled.terminals for text in one.spellings] == spelled
    assert (filled.start.switches, filled.start.on, filled.start.off) == (
        form.start.switches,
        form.start.on,
        form.start.off,
    )


def replace(text: str) -> str:
    return text.replace("{suffix}", "")


# ------------------------------------------------------------------------------------------------------------- choices

OTHER = half("other")


@pytest.mark.parametrize(
    ("choice", "known", "holds"),
    [
        (Choice("other", has=("[A]",)), {"vocabulary": words("[A]")}, True),
        (Choice("other", has=("[A]", "[B]")), {"vocabulary": words("[A]")}, False),
        (Choice("other", has=("[A]",)), {}, False),
        (Choice("other", lacks=("[A]",)), {"vocabulary": words("[B]")}, True),
        (Choice("other", lacks=("[A]",)), {"vocabulary": words("[A]")}, False),
        (Choice("other", lacks=("[A]",)), {}, False),
        (Choice("other", kwarg="form", among=("xml", None)), {}, True),
        (Choice("other", kwarg="form", among=("xml",)), {}, False),
        (Choice("other", kwarg="form", among=("xml",)), {"kwargs": {"form": "xml"}}, True),
        (Choice("other", kwarg="form", among=(True,)), {"kwargs": {"form": 1}}, False),
        (Choice("other", off=(Switch(("think",)),)), {}, False),
        (Choice("other", off=(Switch(("think",), absent="off"),)), {}, True),
        (Choice("other", off=(Switch(("think",)),)), {"kwargs": {"think": False}}, True),
        (Choice("other", template_has=("a", "b")), {"template": "abc"}, True),
        (Choice("other", template_has=("a",), template_lacks=("c",)), {"template": "abc"}, False),
        (Choice("other", template_lacks=("x",)), {}, False),
        (Choice("other", has=("[A]",), kwarg="form", among=("xml",)), {"vocabulary": words("[A]")}, False),
    ],
)
def test_conditions(choice: Choice, known: Mapping[str, object], holds: bool) -> None:
    assert meant(half("h", choices=(choice,)), OTHER, **known).name == ("other" if holds else "h")


def test_the_first_choice_counts_and_choices_follow_each_other() -> None:
    always = Choice("b", kwarg="x", among=(None,))
    first = half("a", choices=(Choice("c", kwarg="x", among=(1,)), always, Choice("d", kwarg="x", among=(None,))))
    second = half("b", choices=(Choice("d", kwarg="x", among=(None,)),), parameters=(LEVEL,))
    last = half("d", parameters=(LEVEL,))
    found = meant(first, second, last, kwargs={"effort": "low"})
    assert (found.name, found.choices, found.terminals[0].spellings) == ("d", (), ("</t_fast>",))


def test_choices_that_lead_nowhere() -> None:
    nowhere = half("a", choices=(Choice("z", kwarg="x", among=(None,)),))
    assert resolve(nowhere, lambda name: None).failure() == (ResolveDefect("a", "unknown_choice", "z"),)
    one, two = (half(name, choices=(Choice(other, kwarg="x", among=(None,)),)) for name, other in ("ab", "ba"))
    assert resolve(one, {"a": one, "b": two}.get).failure() == (ResolveDefect("b", "choice_circle", "a"),)


@pytest.mark.parametrize("form", list(formats()), ids=lambda form: str(form.name))
def test_every_choice_of_a_registered_format_exists(form: Format) -> None:
    role: Role = "reasoning" if form.reasoning else "tools"
    for choice in form.choices:
        assert lookup(role, choice.use).unwrap().reasoning is form.reasoning


GLM_53 = "[gMASK]<sop> Reasoning Effort: <tool_call> <arg_key> <arg_value>"


@pytest.mark.parametrize(
    ("template", "kwargs", "name"),
    [
        (None, {}, "glm45"),
        (GLM_53, {}, "glm53"),
        (GLM_53, {"enable_thinking": False}, "glm53"),
        (GLM_53 + " enable_thinking", {}, "glm45"),
        (GLM_53 + " enable_thinking", {"enable_thinking": False}, "identity"),
        (None, {"thinking": False}, "identity"),
        (None, {"thinking": False, "enable_thinking": True}, "glm45"),
        (None, {"thinking": ""}, "identity"),
    ],
)
def test_glm(template: str | None, kwargs: Mapping[str, JsonScalar], name: str) -> None:
    found = resolve(lookup("reasoning", "glm45").unwrap(), _reasoning, None, kwargs, template)
    assert found.unwrap().name == name


def _reasoning(name: str) -> Format | None:
    return lookup("reasoning", name).value_or(None)


def test_binding_by_name_makes_choices() -> None:
    assert shell_bind("glm45", template_kwargs={"enable_thinking": False}).unwrap().format.name == "identity"
    assert shell_bind("poolside_v1", "poolside_v1").unwrap().format.name == "identity+poolside_v1"
    assert shell_bind("hy_v3", template_kwargs={"reasoning_effort": "low"}).unwrap().format.name == "hy_v3"
    error = shell_bind(half("h", choices=(Choice("nothing", kwarg="x", among=(None,)),))).failure()
    assert error.describe() == "format 'h': a choice names a format that does not exist: nothing"


class Tokenizer:
    """As much of a tokenizer as the chat template needs."""

    def __init__(self, template: object) -> None:
        self.chat_template = template


@pytest.mark.parametrize(
    ("template", "found"),
    [("x", "x"), (None, None), ({"default": "x", "tool_use": "y"}, "x"), ({"tool_use": "y"}, None), (3, None)],
)
def test_the_chat_template_of_an_object(template: object, found: str | None) -> None:
    assert chat_template(Tokenizer(template)) == found


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("chat_template.jinja", "x", "x"),
        ("tokenizer_config.json", '{"chat_template": "x"}', "x"),
        ("tokenizer_config.json", '{"chat_template": [{"name": "default", "template": "x"}, 3]}', "x"),
        ("tokenizer_config.json", '{"chat_template": null}', None),
        ("tokenizer_config.json", "[]", None),
        ("tokenizer_config.json", "{", None),
        ("tokenizer.json", "{}", None),
    ],
)
def test_the_chat_template_of_a_folder(tmp_path: Path, file: str, text: str, found: str | None) -> None:
    (tmp_path / file).write_text(text)
    assert chat_template(tmp_path) == found
    assert chat_template(str(tmp_path / "tokenizer.json")) == found


# -------------------------------------------------------------------------------------------------------------- checks


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"parameters": (LEVEL,)}, []),
        ({"parameters": (LEVEL, LEVEL)}, [("parameter_twice", "level")]),
        ({"parameters": (LEVEL, evolve(LEVEL, name="x"))}, [("parameter_unused", "x")]),
        ({"parameters": (LEVEL, evolve(LEVEL, name="X"))}, [("parameter_unused", "X"), ("parameter_name", "X")]),
        ({"parameters": (Parameter("level", "vocabulary"),)}, [("parameter_prefix", "level")]),
        ({"parameters": (Parameter("level", "kwarg", key="k"),)}, [("parameter_key", "level")]),
        ({"choices": (Choice("b"),)}, [("choice_always", "b")]),
        ({"choices": (Choice("b", kwarg="x"),)}, [("choice_kwarg", "b")]),
        ({"choices": (Choice("h", has=("x",)),)}, [("choice_circle", "h")]),
        ({"choices": (Choice("b", has=("x",)),)}, []),
    ],
)
def test_defects(changes: Mapping[str, object], problems: list[tuple[str, str]]) -> None:
    found = check(half("h", **changes))
    assert [(one.problem, one.detail) for one in found if isinstance(one, ResolveDefect)] == problems
    assert len(found) == len(problems)
    assert all(one.describe().startswith("format 'h': ") for one in found)


def test_every_problem_has_a_sentence() -> None:
    assert all(
        ResolveDefect("f", problem).describe() == f"format 'f': {text}" for problem, text in RESOLVE_PROBLEMS.items()
    )


def test_the_made_half_is_sound() -> None:
    assert check(half("h")) == ()
