"""Binding: all defects at once, and what is kept."""

import pytest
from attrs import evolve

from tests.laws.machines import made
from unbraid.core.grammar import Policies
from unbraid.core.vocabulary import Vocabulary
from unbraid.formats.registry import lookup
from unbraid.shell.bind import BOUND_KEPT, bind, with_tools

TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}}},
}


def described(**arguments: object) -> list[str]:
    return bind(**arguments).failure().describe().split("\n")  # type: ignore[arg-type]  # wrong ones are what is tested


def test_halves() -> None:
    assert bind().unwrap().format.name == "plain"
    assert bind("qwen3").unwrap().format.tools is False
    assert bind(tools="qwen25").unwrap().format.name == "hermes"
    assert bind("qwen3", "hermes").unwrap().format.name == "qwen3+hermes"


def test_own_formats() -> None:
    own = evolve(lookup("tools", "hermes").unwrap(), name="own")
    assert bind("qwen3", own).unwrap().format.name == "qwen3+own"


def test_all_defects_at_once() -> None:
    off = Policies(framing="off")  # type: ignore[arg-type]  # wrong words are what is tested
    lines = described(reasoning="qwen33", tools="hermess", tokenizer="/nowhere", policies=off)
    assert len(lines) == 4
    assert lines[0] == "policy framing: 'off' is none of template, verbatim"
    assert lines[1].startswith("/nowhere: cannot be read")
    assert lines[2].startswith("there is no reasoning format 'qwen33'; did you mean 'qwen3'")
    assert lines[3].startswith("there is no tools format 'hermess'; did you mean 'hermes'")


def test_halves_that_do_not_fit() -> None:
    [line] = described(reasoning="qwen3", tools=lookup("reasoning", "qwen3").unwrap())
    assert "has no tool half" in line


def test_markers_that_the_vocabulary_lacks() -> None:
    lines = described(reasoning="qwen3", tools="qwen3_coder", tokenizer=Vocabulary((b"a",), added={"<think>": 0}))
    assert [line.split("'")[1] for line in lines] == ["qwen3+qwen3_coder"] * len(lines)
    assert any("</think>" in line for line in lines)
    assert len(lines) == 3
    text = bind("qwen3", tokenizer=Vocabulary((b"a",)), policies=Policies(missing_marker="text"))
    assert text.unwrap().policies.missing_marker == "text"


def test_bad_schema() -> None:
    bound = bind(tools="hermes").unwrap()
    error = with_tools(bound, [{"type": "function", "function": {}}, {"function": {"name": 3}}]).failure()
    assert len(error.defects) == len(error.describe().split("\n")) == 2


def test_bound_formats_are_kept() -> None:
    vocabulary = made("qwen3", "hermes").vocabulary
    first = bind("qwen3", "hermes", vocabulary, template_kwargs={"a": 1, "b": None}).unwrap()
    assert bind("qwen3", "hermes", vocabulary, template_kwargs={"b": None, "a": 1}).unwrap() is first
    others = [
        bind("qwen3", "hermes", template_kwargs={"a": 1, "b": None}),
        bind("qwen3", "hermes", vocabulary, template_kwargs={"a": True, "b": None}),
        bind("qwen3", "hermes", vocabulary, Policies(framing="verbatim"), template_kwargs={"a": 1, "b": None}),
        bind("qwen3", "hermes", evolve(vocabulary), template_kwargs={"a": 1, "b": None}),
        bind("qwen3", "qwen3_coder", vocabulary, template_kwargs={"a": 1, "b": None}),
    ]
    assert all(other.unwrap() is not first for other in others)


def test_only_so_many_are_kept() -> None:
    first = bind("qwen3", template_kwargs={"n": 0}).unwrap()
    for n in range(1, BOUND_KEPT + 1):
        bind("qwen3", template_kwargs={"n": n})
    assert (
        bind("qwen3", template_kwargs={"n": BOUND_KEPT}).unwrap()
        is bind("qwen3", template_kwargs={"n": BOUND_KEPT}).unwrap()
    )
    assert bind("qwen3", template_kwargs={"n": 0}).unwrap() is not first


def test_machines_are_kept_by_canonical_tools() -> None:
    bound = bind(tools="hermes").unwrap()
    function = TOOL["function"]
    assert isinstance(function, dict)
    turned = {"function": dict(reversed(function.items())), "type": "function"}
    first = with_tools(bound, [TOOL]).unwrap()
    assert with_tools(bound, [turned]).unwrap() is first
    assert with_tools(bound).unwrap() is with_tools(bound, None).unwrap()
    assert len({id(with_tools(bound, tools).unwrap()) for tools in (None, [], [TOOL], [TOOL, TOOL])}) == 4
    assert with_tools(bind(tools="longcat").unwrap(), [TOOL]).unwrap() is not first


@pytest.mark.parametrize("odd", [{"x": {1, 2}}, {"x": object()}])
def test_tools_that_are_no_json_are_not_kept(odd: dict[str, object]) -> None:
    bound = bind(tools="hermes").unwrap()
    first, second = (with_tools(bound, [{**TOOL, **odd}]) for _ in range(2))
    assert first.unwrap() is not second.unwrap()


def test_tokenizers_are_read_once() -> None:
    class Tokens:
        """Looks like a tiktoken encoding."""

        n_vocab = 1
        reads = 0

        def decode_single_token_bytes(self, token: int, /) -> bytes:
            self.reads += 1
            return b"a"

    tokens = Tokens()
    first = bind(tokenizer=tokens).unwrap()
    assert bind(tokenizer=tokens).unwrap() is first
    assert tokens.reads == 1
    assert bind(tokenizer=Tokens()).unwrap() is not first
