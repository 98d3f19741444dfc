"""The contract of start, step, finish and fold: feeds, prompts, errors of programmers."""

from __future__ import annotations

import pytest

from tests.corpus.message import message
from tests.laws.machines import bare, fold_text, made
from unbraid.core.events import Anomaly, ContentChunk, Markup, ReasoningChunk, merge
from unbraid.core.machine import finish, fold, start, step
from unbraid.core.pool import Pool
from unbraid.core.reading import adopt
from unbraid.core.records import Behind, InStep
from unbraid.shell.bind import bind

TEXT = bare("qwen3", "qwen3_coder", None, ids=False)
IDS = bare("qwen3", "qwen3_coder", None, ids=True)
WORDS = made("qwen3", "qwen3_coder")


def test_a_step_that_changes_nothing_gives_the_same_state() -> None:
    state, _ = step(TEXT, start(TEXT, at="content"), "Hello", ())
    for text in (" world", " world", "!", "", " " + "x" * 100):
        assert step(TEXT, state, text, ())[0] is state


def test_deltas_of_another_kind_are_errors() -> None:
    with pytest.raises(TypeError, match="text feed"):
        step(TEXT, start(TEXT), None, (1,))
    with pytest.raises(TypeError, match="text feed"):
        step(TEXT, start(TEXT), "a", (1,))
    with pytest.raises(TypeError, match="ids feed"):
        step(IDS, start(IDS, "ids"), "a", (1,))
    with pytest.raises(TypeError, match="feed of both"):
        step(IDS, start(IDS, "both"), None, (1,))
    behind, _ = step(IDS, start(IDS, "both"), "", (1,))
    with pytest.raises(TypeError, match="feed of both"):
        step(IDS, behind, None, (1,))


def test_several_plain_ids_that_were_read_before_are_of_their_feed_too() -> None:
    ids, text = tuple(WORDS.encode("Hello there you")), "Hello there you"
    assert len(ids) > 1
    by_ids, _ = fold(IDS, start(IDS, "ids", at="content"), [(None, (token,)) for token in ids])
    by_both, _ = fold(IDS, start(IDS, "both", at="content"), [(WORDS.decode((token,)), (token,)) for token in ids])
    assert step(IDS, by_ids, None, ids)[0] is by_ids
    assert step(IDS, by_both, text, ids)[0] is by_both
    with pytest.raises(TypeError, match="ids feed"):
        step(IDS, by_ids, text, ids)
    with pytest.raises(TypeError, match="feed of both"):
        step(IDS, by_both, None, ids)
    behind, events = step(IDS, by_both, text[:-1], ids)
    assert behind is not by_both
    assert message(events).content == text[:-1]


def test_what_was_only_bound_is_no_machine() -> None:
    for other in (TEXT.bound, bind("qwen3")):
        with pytest.raises(TypeError, match=r"is no machine: with_tools\(bound, tools\)\.unwrap\(\) makes one"):
            start(other)  # type: ignore[arg-type]  # what a newcomer may pass


def test_ids_need_a_vocabulary() -> None:
    with pytest.raises(ValueError, match="vocabulary"):
        start(TEXT, "ids")


def test_several_ids_at_once_are_the_ids_one_by_one() -> None:
    tokens = tuple(WORDS.encode("so</think>\n\nHi <tool_call>\n<function=now>\n</function>\n</tool_call>"))
    begun = start(IDS, "ids", at="reasoning")
    for size in (1, 2, 3, 5, len(tokens)):
        deltas = [(None, tokens[place : place + size]) for place in range(0, len(tokens), size)]
        state, events = fold(IDS, begun, deltas)
        again, same = fold(IDS, begun, deltas)
        assert (again, same) == (state, events)
        assert message((*events, *finish(IDS, state)[1])).calls[0].name == "now"


@pytest.mark.parametrize(
    ("prompt", "text", "reasoning", "content"),
    [
        ("<|im_start|>assistant\n", "so</think>\n\nHi", "so", "Hi"),
        ("<|im_start|>assistant\n<think>", "\nso\n</think>Hi", "so", "Hi"),
        ("<|im_start|>assistant\n<think>\n", "\nso", "\nso", None),
        ("<|im_start|>assistant\n<think>\nFirst, ", "so", "so", None),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", "\nHi", None, "\nHi"),
        ("</think><|im_end|>\n<|im_start|>assistant\n", "so", "so", None),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\nThe answer <tool", "_call>", None, "_call>"),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\nA <tool_call>\n<function=", "now>", None, "now>"),
    ],
)
def test_the_prompt_says_where_generation_starts(
    prompt: str, text: str, reasoning: str | None, content: str | None
) -> None:
    by_text = message(fold_text(TEXT, start(TEXT, prompt=prompt), [text]))
    assert (by_text.reasoning, by_text.content) == (reasoning, content)
    state, events = step(IDS, start(IDS, "ids", WORDS.encode(prompt)), None, tuple(WORDS.encode(text)))
    by_ids = message((*events, *finish(IDS, state)[1]))
    assert (by_ids.reasoning, by_ids.content) == (reasoning, content)


def test_a_prompt_of_ids_without_a_vocabulary_says_nothing() -> None:
    assert start(TEXT, prompt=[1, 2, 3]) == start(TEXT)


def test_a_prefilled_header() -> None:
    harmony = bare("harmony", "harmony", None, ids=False)
    state = start(harmony, prompt="<|start|>user<|message|>hi<|end|><|start|>assistant<|channel|>analysis")
    got = message(fold_text(harmony, state, ["<|message|>hm<|end|>"]))
    assert got.reasoning == "hm"


def test_text_that_is_not_the_ids() -> None:
    state = start(IDS, "both", at="content")
    tokens = tuple(WORDS.encode("Hello</think>"))
    state, events = step(IDS, state, "Howdy", tokens)
    assert [event.kind for event in events if isinstance(event, Anomaly)] == ["desync"]
    assert isinstance(state, Behind)
    assert state.queue == tuple(WORDS.encode("</think>"))
    state, more = step(IDS, state, "</think>ok", ())
    merged = merge((*events, *more, *finish(IDS, state)[1]))
    text = "".join(event.text for event in merged if isinstance(event, ContentChunk))
    assert text.startswith("Howdy")
    assert sum(event.tokens for event in merged) == len(tokens)


def test_text_behind_the_last_id() -> None:
    state, events = step(IDS, start(IDS, "both", at="content"), "Hi and more", tuple(WORDS.encode("Hi")))
    assert [event.kind for event in events if isinstance(event, Anomaly)] == ["desync"]
    assert isinstance(state, InStep)


def test_what_a_stop_string_cut_off_is_one_markup() -> None:
    tokens = tuple(WORDS.encode("Hi there, all"))
    state, events = step(IDS, start(IDS, "both", at="content"), "Hi th", tokens)
    merged = merge((*events, *finish(IDS, state)[1]))
    assert [event.text for event in merged if isinstance(event, Markup)] == ["ere, all"]
    assert sum(event.tokens for event in merged) == len(tokens)


def test_an_id_that_is_none_writes_nothing() -> None:
    state, events = step(IDS, start(IDS, "ids", at="content"), None, (10**9,))
    state, more = step(IDS, state, None, (-1,))
    assert (events, more) == ((), ())
    assert [event.tokens for event in finish(IDS, state)[1]] == [2]


def test_an_unfinished_code_point_at_the_end() -> None:
    euro = "€".encode()
    pieces = [IDS.bound.vocabulary.pieces.index(euro[place : place + 1]) for place in range(2)]  # type: ignore[union-attr]
    state, _ = fold(IDS, start(IDS, "ids", at="reasoning"), [(None, (piece,)) for piece in pieces])
    _, events = finish(IDS, state)
    chunk = next(event for event in events if isinstance(event, ReasoningChunk))
    assert (chunk.text, chunk.tokens) == ("\ufffd", 2)


def test_states_from_elsewhere_are_adopted() -> None:
    state, _ = step(TEXT, start(TEXT, at="content"), "Hello", ())
    assert isinstance(state, InStep)
    stranger = InStep(state.at, state.feed)
    assert adopt(TEXT, stranger) is state
    behind = Behind(InStep(start(IDS, "both").at, start(IDS, "both").feed), (1, 2))  # type: ignore[union-attr]
    assert adopt(IDS, behind) == behind


def test_a_full_pool_starts_anew() -> None:
    pool, state = Pool(), start(TEXT)
    assert isinstance(state, InStep)
    pool.room = 0
    assert pool.keep(state) is state
    assert len(pool.states) == 1
    pool.room = 0
    pool.remember(state, "a", state, ())
    assert not state.steps or "a" not in state.steps


def test_a_state_of_another_machine_is_named() -> None:
    other = bare(None, "hermes", None, ids=False)
    state, _ = step(other, start(other), '<tool_call>\n{"name": "', ())
    with pytest.raises(ValueError, match=r"a state of another machine: there is no region 'call', only fresh, content"):
        step(bare("qwen3", None, (), ids=False), state, "a step that was not taken before", ())


def test_text_without_ids_where_nothing_waits_is_not_lost() -> None:
    _, events = fold(IDS, start(IDS, "both", at="content"), [("Hi", tuple(WORDS.encode("Hi"))), (" there", ())])
    assert [event.kind for event in events if isinstance(event, Anomaly)] == ["desync"]
    assert "".join(event.text for event in events if isinstance(event, ContentChunk)) == "Hi there"


@pytest.mark.parametrize("deltas", [["Hi \ufffd"], ["Hi ", "\ufffd"], ["Hi ", "", "\ufffd"], ["Hi ", ""]])
def test_a_host_may_show_what_is_given_up_of_a_code_point(deltas: list[str]) -> None:
    ids = tuple(WORDS.encode("Hi ")), (WORDS.ids[b"\xf0\x9f"],)
    fed = [(deltas[0], ids[0] + ids[1])] if len(deltas) == 1 else list(zip(deltas, [*ids, ()], strict=False))
    state, events = fold(IDS, start(IDS, "both", at="content"), fed)
    merged = merge((*events, *finish(IDS, state)[1]))
    assert [(event.text, event.tokens) for event in merged if isinstance(event, ContentChunk)] == [
        ("Hi \ufffd", len(ids[0]) + 1)
    ]
    assert not any(isinstance(event, Anomaly) for event in merged)


class Unhashed(str):
    """A text that must not be hashed: that reads all of it, to look for what is not kept."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise AssertionError("hashed")


@pytest.mark.parametrize(
    ("tools", "before"),
    [
        ("hermes", "Well, "),
        ("hermes", '<tool_call>\n{"name": "run", "arguments": {"cmd": "'),
        ("qwen3_coder", "<tool_call>\n<function=run>\n<parameter=cmd>\n"),
        ("k2_horizon", "<ifm|tool_calls><ifm|tool_call>run<ifm|arg_key>cmd</ifm|arg_key><ifm|arg_value>"),
    ],
)
def test_a_long_text_is_not_looked_up(tools: str, before: str) -> None:
    machine = bare(None, tools, None, ids=False)
    state, _ = step(machine, start(machine), before, ())
    long = "a text as long as none is kept " * 100
    assert step(machine, state, Unhashed(long), ()) == step(machine, state, long, ())
