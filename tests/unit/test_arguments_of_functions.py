"""Wrong arguments of the library's functions: the exception names the argument and what is allowed; wrong tools are a
`Failure`, since they come with requests."""

import pytest

from tests.laws.machines import bare, made
from unbraid import bind, parse, start, step, with_tools


def test_start_names_what_is_wrong() -> None:
    machine = bare("qwen3", "hermes", (), ids=True)
    with pytest.raises(ValueError, match="feed='idz' is none of text, ids, both"):
        start(machine, "idz")  # type: ignore[arg-type]  # that is the fault
    with pytest.raises(ValueError, match="at='resoning' is none of auto, reasoning, content"):
        start(machine, at="resoning")  # type: ignore[arg-type]  # that is the fault
    with pytest.raises(ValueError, match="truncated='foo' is none of emit, drop, text"):
        parse(machine, "x", truncated="foo")  # type: ignore[arg-type]  # that is the fault


def test_an_id_that_is_none_needs_no_text() -> None:
    machine = bare("qwen3", "hermes", (), ids=True)
    for token in (10**9, -1, len(made("qwen3", "hermes").vocabulary.pieces)):
        state = start(machine, "both")
        for text, ids in (("", (token,)), ("x", (token,)), ("x", (token,))):
            state, _ = step(machine, state, text, ids)


@pytest.mark.parametrize("tools", [[5], {"a": 1}, [None]])
def test_tools_that_are_none(tools: object) -> None:
    bound = bind("qwen3", "hermes").unwrap()
    error = with_tools(bound, tools).failure()  # type: ignore[arg-type]  # that is the fault
    assert "object" in error.describe()
