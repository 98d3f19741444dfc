"""What the grammars of arguments say of strings, against xgrammar: patterns, lengths and formats, as JSON and as text between tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import jsonschema
import pytest

from tests.serving.constrained import installed  # noqa: F401 -- first: skips the file where xgrammar is not there
from tests.serving.constrained.effort import SAMPLES, WHOLE
from tests.serving.constrained.sampler import Sampler, accepts, vocabulary
from tests.serving.constrained.schemas import arguments_schema
from unbraid.core.bind import Machine
from unbraid.core.schema import Kinds
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.char_sets import ranges
from unbraid.shell.constraint import constraint, offered
from unbraid.shell.demand import Demand
from unbraid.shell.patterns import said
from unbraid.shell.sayable import Strings, sayable
from unbraid.shell.session import parse
from unbraid.shell.tag_nodes import Node, json_schema, literal, regex, sequence, structural_tag
from unbraid.shell.value_nodes import Edges, Texts

OUTPUTS: Final = max(SAMPLES // 4, 8)
"""Sampled calls of each notation."""

# -- patterns ----------------------------------------------------------------------------------------------------------

PATTERNS: Final = {
    "^a": ("a", "ab", "ba"),
    "b|^c": ("b", "abc", "cx", "ac"),
    r"^[a-z]+\.md$": ("a.md", "amd", "xmd", "a.mdx"),
    r"\.md$": (".md", "a b.md", "a.md5", "md"),
    r"^[A-Z]{2}-[0-9]{1,3}(\.[a-z]+)?$": ("AB-1", "AB-1.x", "AB-1x", "AB-1234"),
    "^(x*b)?$": ("", "b", "xxb", "x", "xx"),
    r"^[^\-^]+$": ("ab", "a-b", "a^b", "é☃"),
    r"^[\]\[^-]+$": ("[]", "^-", "a"),
    r"^\^\$$": ("^$", "$"),
    r"^\S+ \D\W\w$": ("a xx!1", "a  !1", "ab -é1", "a xé1"),
    r"^\x41\u0042$": ("AB", "A"),
    "^(?:ab|cd){2}$": ("abcd", "ab", "ababab"),
    "^(?<n>a)+?$": ("a", "aa", "b"),
    "^.{2,4}$": ("ab", "abcd", "a", "abcde", "é☃"),
    "^(?=.*[0-9])[a-z0-9]{3}$": ("a1b", "ab1", "abcd"),
    "é+": ("né", "ne"),
    "^$": ("", "a"),
}
"""Patterns, and strings that fit or do not."""


def compiled(node: Node) -> Any:
    return vocabulary().compiled(structural_tag(node))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern: str) -> None:
    """As JSON and as text, what is let through is what fits."""
    told = said(pattern, ranges("<"))
    assert told is not None
    as_json = compiled(json_schema(sayable({"type": "string", "pattern": pattern})))
    as_text = compiled(sequence([literal("="), regex(told) if told else literal("")]))
    for text in PATTERNS[pattern]:
        fits = re.search(pattern.replace("(?<", "(?P<") if "?<n" in pattern else pattern, text, re.ASCII) is not None
        assert accepts(as_json, json.dumps(text, ensure_ascii=False)) is fits, text
        assert accepts(as_text, f"={text}") is fits, text


@pytest.mark.parametrize("pattern", [r"^\bfoo\b$", "(?i)a", "(?<!a)b", r"^\p{L}+$", r"(a)\1"])
def test_patterns_that_no_grammar_says(pattern: str) -> None:
    """They are left out, or a part of them is; the compiler would fail, and the request with it."""
    assert accepts(compiled(json_schema(sayable({"type": "string", "pattern": pattern}))), '"ab"')


@pytest.mark.parametrize("pattern", ["^[^x]*$", "^.*$", r"^[\s\S]+$", "^[^é]*$", "^[^,]{1,9}$"])
def test_patterns_leave_json_whole(pattern: str) -> None:
    grammar = compiled(json_schema(sayable({"type": "string", "pattern": pattern})))
    assert accepts(grammar, '"ab c"')
    assert not accepts(grammar, '"a"b"')
    assert not accepts(grammar, '"a\tb"')


# -- text --------------------------------------------------------------------------------------------------------------

EXCLUDES: Final = ("</parameter>", "<parameter=", "</function>", "</tool_call>", "<|im_end|>")
NULLABLE: Final = Kinds(frozenset({"string", "null"}))
LETTERS: Final = {"$defs": {"letter": {"type": "string", "enum": ["x", "y"]}}}


def text(**said_of_it: Any) -> dict[str, Any]:
    return {"type": "string", **said_of_it}


TEXTS: Final[list[tuple[Any, Kinds | None, tuple[str, ...], tuple[str, ...]]]] = [
    (text(), None, ("", "\n\n", "a<b", "\n</\n"), ("</parameter>", "\na<parameter=\n")),
    (
        text(minLength=1),
        None,
        ("a", "\na\n", "<", "<b>x</b>", "<p>x", "<<a", "a<", "\n\n\n"),
        ("", "\n", "\n\n", "</parameter>", "<|im_end|>"),
    ),
    (text(minLength=3), None, ("abc", "\nabc\n", "\na\nb\n", "<b>x</b>"), ("ab", "\nab\n", "ab\n")),
    (text(maxLength=3), None, ("", "abc", "\nabc\n", "<"), ("abcd", "\nabcd\n")),
    (text(minLength=1, maxLength=100), None, ("x" * 100, f"\n<b>{'x' * 90}\n"), ("x" * 103, "\n\n")),
    (text(pattern="^[A-Z]{2}$"), None, ("AB", "\nAB\n"), ("A", "ABC", "\n\nAB\n")),
    (text(pattern=r"\.md$"), None, ("a.md", "\na b.md\n"), ("a.mdx", "</parameter>.md")),
    (text(pattern="^[^,]+$"), None, ("a<b", "\n<p>x\n"), ("a,b", "\n\n", "a</parameter>b")),
    (text(pattern="^[a-z]+$", maxLength=3), None, ("abc",), ("abcd", "")),
    (text(format="date"), None, ("2024-02-29", "\n2024-12-01\n"), ("2024-13-01", "now")),
    (text(enum=["a", "b\n"]), None, ("a", "\na\n", "\nb\n\n", "b\n\n"), ("c", "b\n", "b")),
    ({"anyOf": [text(enum=["a"]), {"type": "null"}]}, NULLABLE, ("a", "null", "\nnull\n"), ("b", "")),
    ({"type": ["string", "null"], "enum": ["a", None]}, NULLABLE, ("a", "null"), ("b",)),
    ({"type": ["string", "null"], "pattern": "^b+$"}, NULLABLE, ("bb", "null"), ("a",)),
    ({"enum": ["1", 2]}, Kinds(frozenset({"string", "integer"})), ("2",), ("1", "3")),
    ({"allOf": [{"$ref": "#/$defs/letter"}], "default": "x"}, None, ("x", "\ny\n"), ("z",)),
]
"""A value's schema, what the parser takes it for, and what may stand between `<parameter>` and its closer, or may not."""


@pytest.mark.parametrize(("schema", "kinds", "fits", "others"), TEXTS, ids=range(len(TEXTS)))
def test_texts(schema: Any, kinds: Kinds | None, fits: tuple[str, ...], others: tuple[str, ...]) -> None:
    """A line break at the edges may be missing; it is never taken for the value's own."""
    node = Texts(LETTERS, EXCLUDES, Edges("\n", "\n"), kinds).node(schema)
    grammar = compiled(sequence([node, literal("</parameter>")]))
    assert {one: accepts(grammar, f"{one}</parameter>") for one in (*fits, *others)} == {
        **dict.fromkeys(fits, True),
        **dict.fromkeys(others, False),
    }


@pytest.mark.parametrize("excludes", [(), ("</parameter>", "<p")])
def test_least_lengths_of_json_strings(excludes: tuple[str, ...]) -> None:
    """Escapes count, and a string may hold them."""
    schema = sayable(text(minLength=2), Strings(excludes=excludes))
    grammar = compiled(json_schema(schema, excludes=excludes))
    for one in ("ab", 'a"', "\n\\\n", "<b>", "</b>", "<<bc", "ab<", "é☃", "\t\t"):
        assert accepts(grammar, json.dumps(one)), one
    for one in ("", "a", "\n"):
        assert not accepts(grammar, json.dumps(one)), one
    assert accepts(grammar, '"ab</parameter>"') is (not excludes)
    assert not accepts(grammar, '"a\tb"')


# -- whole calls -------------------------------------------------------------------------------------------------------

PLACE: Final = {
    "type": "object",
    "properties": {
        "name": text(minLength=1),
        "code": text(minLength=2, maxLength=9),
        "path": text(pattern=r"^/[a-z]{1,8}(\.md)?$"),
        "list": text(pattern="^[^,]{1,20}$"),
        "day": text(format="date"),
        "kind": {"anyOf": [{"$ref": "#/$defs/kind"}, {"type": "null"}]},
        "tags": {"type": "array", "items": text(minLength=1), "minItems": 1, "maxItems": 3},
        "spots": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"at": text(pattern="^[NS][0-9]+$"), "note": text(maxLength=12)},
                "required": ["at"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["name", "code", "path"],
    "additionalProperties": False,
    "$defs": {"kind": {"type": "string", "enum": ["inn", "bar"]}},
}
TOOLS: Final[list[dict[str, Any]]] = [{"type": "function", "function": {"name": "place", "parameters": PLACE}}]
NOTATIONS: Final = (
    "hermes",
    "harmony",
    "kimi_k2",
    "qwen3_coder",
    "glm45",
    "deepseek_v32",
    "kimi_k3",
    "gemma4",
    "minimax_m3",
)


def machine(name: str, tools: list[dict[str, Any]]) -> Machine:
    reasoning = name if name in ("harmony", "kimi_k3") else None
    return with_tools(bind(reasoning, name).unwrap(), tools).unwrap()


def sampled(name: str, tools: list[dict[str, Any]], outputs: int) -> Iterator[Any]:
    """The arguments of all calls in sampled outputs."""
    whole, tool = machine(name, tools), tools[0]["function"]["name"]
    found = constraint(whole, Demand("required", names=(tool,)), offered(tools), "parameter", "content").unwrap()
    assert found is not None
    samples = list(Sampler(found.content, f"strings {name}").outputs(outputs, 24 * outputs))
    assert len(samples) == outputs
    for sample in samples:
        parsed = parse(whole, sample.text)
        assert parsed.tool_calls, sample.text
        assert parsed.anomalies == (), sample.text
        yield from (json.loads(call.arguments) for call in parsed.tool_calls)


@pytest.mark.parametrize("name", NOTATIONS)
def test_arguments_fit(name: str) -> None:
    """Sampled arguments fit a schema that says much of its strings."""
    for value in sampled(name, TOOLS, OUTPUTS):
        jsonschema.validate(value, PLACE)
        assert re.fullmatch("[0-9]{4}-[01][0-9]-[0-3][0-9]", value.get("day", "2024-01-01"))


@pytest.mark.parametrize("name", NOTATIONS)
def test_arguments_fit_any_schema(name: str) -> None:
    random = Random(name)
    for _ in range(8 if WHOLE else 1):
        schema = arguments_schema(random)
        tools = [{"type": "function", "function": {"name": "any", "parameters": schema}}]
        for value in sampled(name, tools, 8):
            jsonschema.validate(value, schema)
