"""Grammars of calls against xgrammar: it compiles them, lets through what models write, and lets through nothing that the parser does not
read as the calls that were asked for.

    written   random arguments in the format's own notation: the grammar takes them, the parser gives them back
    sampled   strings that the grammar lets through: calls whose arguments fit, equal to an independent reading

xgrammar and its torch live in an environment of their own, the dependency group `grammar`. Without them the tests are skipped; with
`UNBRAID_REQUIRE_GRAMMAR=1` they fail. `UNBRAID_SAMPLES`: sampled outputs per format, 200 if it is not set.

With fewer than 100 samples, as in CI, less is tried, for the grammars take longer to compile than to sample: of the five ways to ask for
calls three (required in parallel, named, and a free choice of one call), and less is written. Every format is still there, and so
is every notation, but what one of a hundred samples shows may not be found.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any, Final, Literal

import pytest
from attrs import define

from tests.serving.constrained import installed  # noqa: F401 -- first: skips the file where xgrammar is not there
from tests.serving.constrained.arguments import NOTE, SCHEMAS, TOOLS, arguments
from tests.serving.constrained.effort import SAMPLES, WHOLE
from tests.serving.constrained.notations import NOTATIONS, Call
from tests.serving.constrained.sampler import Sampler, accepts, vocabulary
from tests.serving.constrained.validation import validate
from tests.vocabularies import qwen_pypi
from unbraid.core.bind import Machine
from unbraid.core.events import merge
from unbraid.core.grammar import Policies
from unbraid.core.machine import finish, start, step
from unbraid.formats.registry import formats
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.constraint import Strictness, constraint, offered
from unbraid.shell.demand import Constraint, Demand
from unbraid.shell.messages import Message, message
from unbraid.shell.session import parse

Wanted = Literal["free", "required", "named"]

NAMES: Final = tuple(SCHEMAS)
NAMED: Final = "note"
FEWER: Final = ("note", "label", "now")
"""Tools whose grammar is compiled sooner, for where calls may not be parallel."""
FEWEST: Final = ("note", "now")
"""Those of the tests that look at what stands around calls."""
WRITTEN: Final = 60 if WHOLE else 15
"""Outputs in the format's own notation, per format."""
SOME: Final = max(SAMPLES // 8, 4)
"""Sampled outputs of the tests for a few formats."""
MORE: Final = max(SOME, 20)
"""Where something is looked for that not every output shows."""
SHARES: Final[dict[tuple[Wanted, bool], int]] = {
    ("required", True): SAMPLES // 2,
    ("named", True): SAMPLES // 8,
    ("free", False): SAMPLES // 8,
    **({("required", False): SAMPLES // 8, ("free", True): SAMPLES // 8} if WHOLE else {}),
}
TRIES: Final = 8
"""Tries for each sample that is to end."""
HALVES: Final = {fmt.name: fmt for fmt in formats() if fmt.tools}
GROUPED: Final = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NOTATIONS]
"""Every format; `--dist loadgroup` keeps its tests in one process, which then compiles its grammars once."""


@cache
def machine(name: str) -> Machine:
    """The format without the other half, unless it has one itself."""
    return with_tools(bind(None, HALVES[name]).unwrap(), TOOLS).unwrap()


def demand(wanted: Wanted, *, parallel: bool = True) -> Demand:
    names = (NAMED,) if wanted == "named" else NAMES if parallel else FEWER
    return Demand(wanted, names=names, parallel=parallel)


@cache
def made(name: str, wanted: Wanted, parallel: bool, strictness: Strictness = "parameter") -> Constraint:
    asked = demand(wanted, parallel=parallel)
    found = constraint(machine(name), asked, offered(TOOLS), strictness, "content").unwrap()
    assert found is not None
    return found


@cache
def grammar(name: str, wanted: Wanted, parallel: bool) -> Any:
    """Compiled once per process: it takes seconds."""
    return vocabulary().compiled(made(name, wanted, parallel).content)


def calls_of(said: Message) -> list[Call]:
    return [(call.name, json.loads(call.arguments)) for call in said.tool_calls]


def check(said: Message, wanted: Wanted, *, parallel: bool, exact: bool = True) -> None:
    """The calls are such as were asked for."""
    assert all(call.complete for call in said.tool_calls), said
    for call in said.tool_calls:
        assert call.name in NAMES
        value = json.loads(call.arguments)
        assert isinstance(value, dict)
        if exact:
            validate(value, SCHEMAS[call.name])
    if wanted != "free":
        assert said.tool_calls, said
        assert not (said.content or "").strip("\n\r\t "), said
    if wanted == "named":
        assert [call.name for call in said.tool_calls] == [NAMED]
    if not parallel:
        assert len(said.tool_calls) <= 1


@pytest.mark.parametrize("name", GROUPED)
def test_written(name: str) -> None:
    """What a model writes is let through, and read back."""
    random, notation = Random(name), NOTATIONS[name]
    compiled, left_out = grammar(name, "required", True), 0
    for _ in range(WRITTEN):
        tools = [random.choice(NAMES) for _ in range(random.randint(1, 3))]
        calls = [(tool, arguments(tool, random)) for tool in tools]
        text = notation.write(calls, SCHEMAS)
        if notation.read(text, SCHEMAS) != calls:  # a marker in a value
            left_out += 1
            continue
        assert accepts(compiled, text), text
        said = parse(machine(name), text)
        assert (calls_of(said), said.anomalies) == (calls, ()), text
    assert left_out <= WRITTEN // 5


@define
class Tally:
    """Outputs that ended, and those that say nothing because a value holds a live marker."""

    ended: int = 0
    thrown: int = 0


@pytest.mark.parametrize("name", GROUPED)
def test_sampled(name: str) -> None:
    """What is let through is read as the calls that were asked for, with the arguments that stand there."""
    tally = Tally()
    for (wanted, parallel), share in SHARES.items():
        sampler = Sampler(
            made(name, wanted, parallel).content, f"{name} {wanted} {parallel}", grammar(name, wanted, parallel)
        )
        before = tally.ended
        for sample in sampler.outputs(share, TRIES * share):
            tally.ended += 1
            read = NOTATIONS[name].read(sample.text, SCHEMAS)
            if read is None:
                tally.thrown += 1
                continue
            said = parse(machine(name), sample.text)
            check(said, wanted, parallel=parallel)
            assert (calls_of(said), said.anomalies) == (read, ()), sample.text
        assert tally.ended - before >= share, f"{wanted}, parallel={parallel}: too few outputs end"
    assert tally.thrown == 0, "the tag excludes live markers from values"


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder", "deepseek_v32", "kimi_k2", "mistral", "harmony", "gemma4"])
def test_syntax_only(name: str) -> None:
    """Below `parameter` a tool that is not strict may be given anything, in the right syntax."""
    tag = made(name, "required", True, "function").content
    seen = set()
    for sample in Sampler(tag, f"syntax {name}").outputs(MORE, 8 * MORE):
        said = parse(machine(name), sample.text)
        check(said, "required", parallel=True, exact=False)
        seen |= {key for _, value in calls_of(said) for key in value} - KEYS
    assert seen, "keys that no schema names"


def test_syntax_only_of_nested_elements() -> None:
    """Elements end with their own names, so only those that a schema declares can be written; none is required."""
    tag, seen = made("minimax_m3", "required", True, "function").content, set()
    for sample in Sampler(tag, "syntax").outputs(MORE, 8 * MORE):
        said = parse(machine("minimax_m3"), sample.text)
        check(said, "required", parallel=True, exact=False)
        seen |= {(name, *sorted(value)) for name, value in calls_of(said)}
    assert {("note",), ("label",)} & seen
    assert any(len(one) > 1 for one in seen)


KEYS: Final = {key for schema in SCHEMAS.values() for key in schema["properties"]}
PAIRS: Final = [
    ("qwen3", "hermes"),
    ("qwen3", "qwen3_coder"),
    ("deepseek_r1", "deepseek_v31"),
    ("glm45", "glm45"),
    ("mistral", "mistral"),
    ("harmony", "harmony"),
]


@pytest.mark.parametrize(("reasoning", "tools"), PAIRS)
@pytest.mark.parametrize("at", ["auto", "reasoning", "content"])
def test_thoughts_come_first(reasoning: str, tools: str, at: Literal["auto", "reasoning", "content"]) -> None:
    """Where generation starts in reasoning the grammar of the whole answer begins with it, and only there."""
    whole = with_tools(bind(reasoning, tools).unwrap(), TOOLS).unwrap()
    found = constraint(whole, Demand("required", names=FEWEST), offered(TOOLS), "parameter", at).unwrap()
    assert found is not None
    thoughts = 0
    for sample in Sampler(found.answer, f"{reasoning} {at}").outputs(10, 100):
        state, events = step(whole, start(whole, "text", None, at), sample.text, ())
        said = message(merge((*events, *finish(whole, state)[1])))
        check(said, "required", parallel=True)
        thoughts += said.reasoning is not None
    assert not (at == "content" and thoughts)
    assert (found.answer == found.content) is (at == "content")


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder"])
@pytest.mark.parametrize("wanted", ["required", "free"])
def test_markers_by_their_ids(name: str, wanted: Wanted) -> None:
    """Where only ids count the grammar asks for ids, so that no call is written that would be read as text."""
    bound = bind(None, name, qwen_pypi(), Policies(marker_evidence="ids")).unwrap()
    whole = with_tools(bound, TOOLS).unwrap()
    found = constraint(whole, Demand(wanted, names=FEWEST), offered(TOOLS), "parameter", "content").unwrap()
    assert found is not None
    for sample in Sampler(found.answer, name).outputs(15, 150):
        state, events = step(whole, start(whole, "ids", None, "content"), None, sample.ids)
        check(message(merge((*events, *finish(whole, state)[1]))), wanted, parallel=True)


@pytest.mark.parametrize("parallel", [True, False])
def test_required_as_json(parallel: bool) -> None:
    asked = Demand("required", "json", NAMES, parallel=parallel)
    found = constraint(machine("hermes"), asked, offered(TOOLS), "auto", "content").unwrap()
    assert found is not None
    assert found.schema is not None
    several = 0
    for sample in Sampler(found.answer, "json").outputs(20, 200):
        value = json.loads(sample.text)
        validate(value, found.schema)
        assert len(value) == 1 or (parallel and value)
        several += len(value) > 1
        for one in value:
            validate(one["parameters"], SCHEMAS[one["name"]])
    assert bool(several) is parallel


def test_named_as_json() -> None:
    asked = Demand("named", "json", (NAMED,))
    found = constraint(machine("hermes"), asked, offered(TOOLS), "auto", "content").unwrap()
    assert found is not None
    for sample in Sampler(found.answer, "json").outputs(20, 200):
        validate(json.loads(sample.text), SCHEMAS[NAMED])


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder", "kimi_k2", "llama3_json", "mistral"])
def test_none(name: str) -> None:
    """From `function` on, `none` lets no call through."""
    found = constraint(machine(name), Demand("none", names=NAMES), offered(TOOLS), "function", "content").unwrap()
    assert found is not None
    compiled = vocabulary().compiled(found.answer)
    assert accepts(compiled, "It is {five} o'clock.")
    assert accepts(compiled, "")
    for wanted in NAMES:
        assert not accepts(compiled, NOTATIONS[name].write([(wanted, arguments(wanted, Random(name)))], SCHEMAS))


def test_none_as_messages() -> None:
    """Where answers are messages, `none` lets messages to the user through."""
    found = constraint(machine("harmony"), Demand("none", names=NAMES), offered(TOOLS), "function", "content").unwrap()
    assert found is not None
    compiled = vocabulary().compiled(found.answer)
    final = "<|channel|>final<|message|>It is {five} o'clock."
    assert accepts(compiled, final)
    assert accepts(compiled, final + "<|return|>")
    assert accepts(compiled, f"<|channel|>commentary<|message|>So:<|end|><|start|>assistant{final}<|return|>")
    assert not accepts(compiled, NOTATIONS["harmony"].write([("now", {})], SCHEMAS))


@pytest.mark.parametrize("header", ["", " to=functions.now"])
def test_headers_in_any_order(header: str) -> None:
    """A recipient before the channel, and behind it; with and without a type."""
    compiled = grammar("harmony", "required", True)
    place = " to=functions.now" if not header else ""
    for kind in ("", " <|constrain|>json", "<|constrain|>json", " json"):
        for prefix in ("functions.", ""):
            text = f"{header}<|channel|>commentary{place}{kind}<|message|>{{}}<|call|>".replace("functions.", prefix)
            assert accepts(compiled, text), text
            assert calls_of(parse(machine("harmony"), text)) == [("now", {})]
    assert not accepts(compiled, f"{header}<|channel|>analysis{place}<|message|>{{}}<|call|>")
    assert not accepts(compiled, "<|channel|>final<|message|>no<|end|>")


NOTED: Final = ("note", {"level": 3, "text": "Hi <b>"})
BESIDE: Final[list[tuple[str, Wanted, bool, str]]] = [
    (
        "qwen3_coder",
        "required",
        True,
        "<tool_call><function=note><parameter=level>3</parameter><parameter=text>Hi <b></parameter></function></tool_call>",
    ),
    (
        "qwen3_coder",
        "free",
        False,
        "<tool_call>\n<function=note>\n<parameter=level> 3 \n</parameter>\n<parameter=text>\nHi <b></parameter>\n</function>\n</tool_call>\n",
    ),
    ("hermes", "free", False, '<tool_call>{"name": "note", "arguments": {"level":3,"text":"Hi <b>"}}</tool_call>\n\n'),
    (
        "hermes",
        "required",
        False,
        '\n\n<tool_call>{"name": "note", "arguments": {"level":3,"text":"Hi <b>"}}</tool_call> ',
    ),
    ("mistral_json", "free", False, '[TOOL_CALLS] [{"name": "note", "arguments": {"level":3,"text":"Hi <b>"}}\n]\n'),
    (
        "kimi_k3",
        "required",
        True,
        (
            '<|open|>tools<|sep|><|open|>call tool="note" index="1"<|sep|><|open|>argument key="level" type="number"<|sep|>3'
            '<|close|>argument<|sep|><|open|>argument key="text" type="string"<|sep|>Hi <b><|close|>argument<|sep|>'
            "<|close|>call<|sep|><|close|>tools<|sep|>"
        ),
    ),
]
"""A format, what was asked for, whether in parallel, and what its model may write though its template does not."""


@pytest.mark.parametrize(("name", "wanted", "parallel", "text"), BESIDE)
def test_written_otherwise(name: str, wanted: Wanted, parallel: bool, text: str) -> None:
    """White space that is missing, or around calls; keys in another order; an end that is left out."""
    assert accepts(grammar(name, wanted, parallel), text)
    said = parse(machine(name), text)
    assert (calls_of(said), said.content, said.anomalies) == ([NOTED], None, ())


@pytest.mark.parametrize("name", ["kimi_k3", "cohere_command4"])
def test_openers_of_text_stand_before_it(name: str) -> None:
    """A marker that opens text may open the answer, and does not stand in it."""
    opens = {"kimi_k3": "<|open|>response<|sep|>", "cohere_command4": "<|START_TEXT|>"}[name]
    for wanted in ("free", "none"):
        asked = Demand(wanted, names=FEWEST)
        found = constraint(machine(name), asked, offered(TOOLS), "function", "content").unwrap()
        assert found is not None
        compiled = vocabulary().compiled(found.content)
        assert accepts(compiled, f"{opens}Hi.")
        assert accepts(compiled, "Hi.")
        assert not accepts(compiled, f"Hi.{opens}Hi.")
        assert not accepts(compiled, f"{opens}{opens}Hi.")


@pytest.mark.parametrize("name", ["hermes", "harmony"])
def test_response_format(name: str) -> None:
    """JSON that was asked for is read as the answer."""
    asked = Demand("none", output={"type": "json_schema", "json_schema": {"schema": NOTE}})
    found = constraint(machine(name), asked, (), "auto", "content").unwrap()
    assert found is not None
    for sample in Sampler(found.answer, name).outputs(SOME, 8 * SOME):
        said = parse(machine(name), sample.text)
        validate(json.loads(said.content or ""), NOTE)
        assert (said.tool_calls, said.anomalies) == ((), ())
