"""Messages as other servers give them: each rule has a sample of its own, which it alone accounts for.

What vLLM and SGLang do with whole outputs is written in the cards of the formats and was seen by running their parsers; the
samples are theirs. In streams the rules may only drop or trim, at every split.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pytest
from attrs import evolve, frozen
from typer.testing import CliRunner

from tests.corpus.reader import Case, few_cases
from tests.laws.machines import bare, machine_of, made
from tests.serving.clients import joined
from tests.serving.engine import respond
from tests.serving.samples import STAMP, at_random, name_of
from tests.unit.test_session import start_of
from unbraid.core.bind import Machine
from unbraid.core.schema import resolve_tool
from unbraid.shell import compat
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.chat import ChatStream
from unbraid.shell.cli import app
from unbraid.shell.compat import RULES, Asked, compatible
from unbraid.shell.compat_arguments import closed, dumped, repeated, typed
from unbraid.shell.compat_habits import Compat
from unbraid.shell.completions import ChatAnswer
from unbraid.shell.demand import Demand
from unbraid.shell.messages import message
from unbraid.shell.plan import Plan
from unbraid.shell.planning import Serving, plan_for
from unbraid.shell.session import Reduced, Session

PROPERTIES: Final = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "flag": {"type": "boolean"},
    "temp": {"type": "number"},
    "opt": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "opts": {"type": "object"},
    "tags": {"type": "array", "items": {"type": "string"}},
}
WEATHER: Final = {"name": "get_weather", "parameters": {"type": "object", "properties": PROPERTIES}}
RUN: Final = {"name": "run", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}}}
TOOLS: Final = [WEATHER, RUN, {"name": "now", "parameters": {"type": "object", "properties": {}}}]
PARTS: Final = ("reasoning", "content", "calls")


def machine(reasoning: str | None, tools: str | None) -> Machine:
    return bind(reasoning, tools).bind(lambda bound: with_tools(bound, TOOLS)).unwrap()


def choice(system: Compat, halves: tuple[str | None, str | None], text: str, **fields: Any) -> dict[str, Any]:
    """The choice, with the names and arguments of its calls."""
    reader = machine(*halves)
    session = Session(reader)
    events = session.feed(text) + session.finish()
    found = compatible(system, text, events, reader.tools, Asked(reader.format, **fields))
    said = found["message"]
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in said.get("tool_calls", [])]
    thought = said.get("reasoning", said.get("reasoning_content"))
    return {**said, **found, "reasoning": thought, "calls": calls, "keys": sorted(said)}


@frozen
class Sample:
    """An output, and fields of the choice that is made of it."""

    halves: tuple[str | None, str | None]
    text: str
    wanted: Mapping[str, Any]
    asked: Mapping[str, Any] = {}


def sample(halves: tuple[str | None, str | None], text: str, wanted: Mapping[str, Any], **asked: Any) -> Sample:
    return Sample(halves, text, wanted, asked)


def qwen(body: str, name: str = "run") -> str:
    return f"<tool_call>\n<function={name}>\n{body}\n</function>\n</tool_call>"


def hermes(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def glm(name: str, *pairs: tuple[str, str]) -> str:
    body = "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in pairs)
    return f"<tool_call>{name}\n{body}</tool_call>"


def kimi(arguments: str) -> str:
    header = "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    return f"{header}{arguments}<|tool_call_end|><|tool_calls_section_end|>"


NOW: Final = hermes("now", "{}")
LS: Final = "<parameter=cmd>\nls\n</parameter>"
TWICE: Final = (
    "<parameter=city>\nRome\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=city>\nOslo\n</parameter>"
)
CUT: Final = 'Hi <tool_call>\n{"name": "run", "arguments": {"cmd": "l'
V31: Final = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
V31_CUT: Final = V31.partition("}")[0]
HARMONY: Final = "<|channel|>commentary to=functions.run <|constrain|>json<|message|>"
JAMBA_CUT: Final = 'Hi <tool_calls>[{"name": "now", "arguments": {}}, {"name": "run", "arguments": {"cmd": "é'
XLAM_CUT: Final = 'Hi <tool_call>[{"name": "run", "arguments": {"cm'
STEP: Final = (
    '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n'
    '<steptml:parameter name="city">São</steptml:parameter>\n<steptml:parameter name="days">3</steptml:parameter>'
)
HERMES: Final = ("qwen3", "hermes")
CODER: Final = ("qwen3", "qwen3_coder")

SAMPLES: Final[Mapping[tuple[Compat, str], Sample]] = {
    ("vllm", "framing_is_text"): sample(
        HERMES, "plan\n</think>\n\nHello", {"reasoning": "plan\n", "content": "\n\nHello"}
    ),
    ("vllm", "reasoning_end_trimmed"): sample(
        ("kimi_k2", "kimi_k2"), "plan \n</think>Hi", {"reasoning": "plan", "content": "Hi"}
    ),
    ("vllm", "raw_content_on_failure"): sample(
        HERMES, f"so</think>{CUT}", {"reasoning": "so", "content": CUT, "calls": []}
    ),
    ("vllm", "forced_json_failure_is_empty"): sample(
        ("qwen3", None), 'so</think>[{"name": "ru', {"content": "", "calls": []}, json=True, calls="required"
    ),
    ("vllm", "unfinished_call_closed"): sample(
        CODER, "r</think>x<tool_call>\n<function=run>\n<parameter=cmd>\nls", {"content": "x", "calls": [("run", "{}")]}
    ),
    ("vllm", "unfinished_call_dropped"): sample(
        (None, "deepseek_v31"), f"Sure.{V31_CUT}", {"content": "Sure.", "calls": [], "finish_reason": "stop"}
    ),
    ("vllm", "unknown_tools_dropped"): sample(
        ("glm45", "glm45"), "think</think>" + glm("nope", ("a", "1")) + "after", {"content": "after", "calls": []}
    ),
    ("vllm", "text_behind_calls_dropped"): sample(
        HERMES, f"so</think>Hi.{NOW}\nmid\n{NOW}\nend", {"content": "Hi.", "calls": [("now", "{}")] * 2}
    ),
    ("vllm", "text_around_calls_in_lines"): sample(
        (None, "lfm2"), "Ok. <|tool_call_start|>[now()]<|tool_call_end|>Done.", {"content": "Ok.\nDone."}
    ),
    ("vllm", "content_beside_calls_trimmed"): sample(
        CODER, f"so</think>\n\nChecking.\n\n{qwen(LS)}", {"content": "Checking.", "calls": [("run", '{"cmd": "ls"}')]}
    ),
    ("vllm", "content_beside_calls_lost"): sample(
        (None, "olmo3"), "Hello <function_calls>now()</function_calls>", {"content": None, "calls": [("now", "{}")]}
    ),
    ("vllm", "blank_content_is_null"): sample(HERMES, f"so</think>\n\n  {NOW}", {"content": None}),
    ("vllm", "forced_content_is_empty"): sample(HERMES, f"so</think>{NOW}", {"content": ""}, calls="required"),
    ("vllm", "names_trimmed"): sample(
        (None, "granite"), '<|tool_call|>[{"name": " run ", "arguments": {}}]', {"calls": [("run", "{}")]}
    ),
    ("vllm", "last_duplicate_wins"): sample(
        CODER, "r</think>" + qwen(TWICE, "get_weather"), {"calls": [("get_weather", '{"city": "Oslo", "days": 3}')]}
    ),
    ("vllm", "arguments_typed"): sample(
        (None, "kimi_k2"), kimi('{"days":"3","city":5}'), {"calls": [("get_weather", '{"days": 3, "city": "5"}')]}
    ),
    ("vllm", "arguments_dumped"): sample(
        HERMES,
        "so</think>" + hermes("run", '{"a":1, "a": 2, "b": 1e2}'),
        {"calls": [("run", '{"a": 2, "b": 100.0}')]},
    ),
    ("vllm", "arguments_escaped"): sample(
        ("harmony", None), f'{HARMONY}{{"cmd":"é"}}<|call|>', {"calls": [("run", '{"cmd": "\\u00e9"}')]}
    ),
    ("vllm", "reasoning_key"): sample(HERMES, "so</think>Hi", {"keys": ["content", "reasoning", "role"]}),
    ("vllm", "finish_reason"): sample(
        (None, "granite"), '<|tool_call|>[{"name": "run", "arguments": {"cmd": "l', {"finish_reason": "tool_calls"}
    ),
    ("sglang", "framing_is_text"): sample(
        HERMES, "\n so \n</think>\n\nHi", {"reasoning": "\n so \n", "content": "\n\nHi"}
    ),
    ("sglang", "raw_content_on_failure"): sample(
        HERMES, f"so</think>{NOW}{CUT}", {"content": f"{NOW}{CUT}", "calls": [], "finish_reason": "stop"}
    ),
    ("sglang", "forced_json_failure_is_content"): sample(
        ("qwen3", "hermes"), f"so</think>{CUT}", {"content": CUT, "calls": []}, json=True, calls="required"
    ),
    ("sglang", "unfinished_call_dropped"): sample(
        (None, "deepseek_v31"), V31 + V31_CUT, {"content": "", "calls": [("now", "{}")]}
    ),
    ("sglang", "unfinished_call_is_content"): sample(
        (None, "deepseek_v31"), f"Sure. {V31_CUT}", {"content": f"Sure. {V31_CUT}"}
    ),
    ("sglang", "unfinished_call_closed"): sample(
        CODER, "r</think>x<tool_call>\n<function=run>\n<parameter=cmd>\nls", {"calls": [("run", "{}")]}
    ),
    ("sglang", "unknown_tools_dropped"): sample(
        HERMES, "so</think>Hi " + hermes("then", "{}") + f"{NOW}x", {"content": "Hi", "calls": [("now", "{}")]}
    ),
    ("sglang", "text_behind_calls_dropped"): sample(HERMES, f"so</think>Hi.{NOW}\nmid\n{NOW}\nend", {"content": "Hi."}),
    ("sglang", "content_beside_calls_trimmed"): sample(HERMES, f"so</think>\n\n Hi. \n{NOW}", {"content": "Hi."}),
    ("sglang", "content_never_null"): sample(HERMES, "so", {"reasoning": "so", "content": ""}),
    ("sglang", "last_duplicate_wins"): sample(
        CODER, "r</think>" + qwen(TWICE, "get_weather"), {"calls": [("get_weather", '{"city": "Oslo", "days": 3}')]}
    ),
    ("sglang", "arguments_dumped"): sample(
        HERMES,
        "so</think>" + hermes("now", '{"a":  1, "a": 2, "e": "\\u00e9", "f": 1e3}'),
        {"calls": [("now", '{"a": 2, "e": "é", "f": 1000.0}')]},
    ),
    ("sglang", "reasoning_key"): sample(HERMES, "so</think>Hi", {"keys": ["content", "reasoning_content", "role"]}),
    ("sglang", "finish_reason"): sample(HERMES, f"so</think>{NOW}", {"finish_reason": "tool_calls"}, calls="named"),
    ("sglang", "stop_key"): sample(HERMES, f"so</think>{NOW}", {"matched_stop": None, "stop_reason": None}, stop="x"),
}


def test_every_rule_has_a_sample() -> None:
    assert list(SAMPLES) == [(rule.system, rule.name) for rule in RULES]
    assert all(rule.does and rule.source for rule in RULES)


@pytest.mark.parametrize(("system", "rule"), SAMPLES, ids=str)
def test_rule(system: Compat, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample comes out as the system has it; without the rule something of it is otherwise."""
    one = SAMPLES[system, rule]
    found = choice(system, one.halves, one.text, **one.asked)
    assert {name: found.get(name) for name in one.wanted} == one.wanted
    if rule == "reasoning_key" and system == "sglang":  # it says what our own default is
        return
    monkeypatch.setattr(compat, "RULES", tuple(one for one in RULES if (one.system, one.name) != (system, rule)))
    without = choice(system, one.halves, one.text, **one.asked)
    assert {name: without.get(name) for name in one.wanted} != one.wanted


# -- samples of the cards, and of the parsers that were run ------------------------------------------------------------------

Said = tuple[str | None, str | None, list[tuple[str, str]]]

WHOLE: Final[Sequence[tuple[Compat, tuple[str | None, str | None], str, Said]]] = [
    (
        "vllm",
        CODER,
        (
            "I should look it up.\n</think>\n\nChecking.\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\n"
            'München "Ost"\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=opts>\n{"a": {"b": [1, null]}}\n'
            "</parameter>\n</function>\n</tool_call>"
        ),
        (
            "I should look it up.\n",
            "Checking.",
            [("get_weather", '{"city": "München \\"Ost\\"", "days": 3, "opts": {"a": {"b": [1, null]}}}')],
        ),
    ),
    (
        "vllm",
        CODER,
        (
            "r</think><tool_call>\n<function=get_weather><parameter=flag>True</parameter><parameter=temp>1e3</parameter>"
            "<parameter=opt>null</parameter><parameter=tags>['a']</parameter><parameter=days>3.0</parameter>"
            "<parameter=unknown>7</parameter></function></tool_call>"
        ),
        (
            "r",
            None,
            [
                (
                    "get_weather",
                    '{"flag": true, "temp": 1000, "opt": null, "tags": "[\'a\']", "days": 3.0, "unknown": "7"}',
                )
            ],
        ),
    ),
    (
        "vllm",
        (None, "deepseek_v32"),
        (
            'hi\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
            '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
            '<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>\nend'
        ),
        (None, "hi\n\n", [("get_weather", '{"days": 3}'), ("now", "{}")]),
    ),
    (
        "vllm",
        (None, "granite4"),
        "Hi.\n" + hermes("get_weather", '{"days": 3}') + f"\nmid\n{NOW}\nend",
        (None, "Hi.\n\nmid\n\nend", [("get_weather", '{"days": 3}'), ("now", "{}")]),
    ),
    (
        "vllm",
        (None, "jamba"),
        ' <tool_calls>[\n    {"name": "run", "arguments": {"cmd":"é"}},\n    {"name": "now", "arguments": {}}\n]</tool_calls>x',
        (None, None, [("run", '{"cmd": "é"}'), ("now", "{}")]),
    ),
    ("vllm", (None, "jamba"), JAMBA_CUT, (None, JAMBA_CUT, [])),
    (
        "vllm",
        (None, "internlm"),
        'I see. <|action_start|><|plugin|>\n{"name": "run", "parameters": {"cmd":"é"}}<|action_end|>\nend',
        (None, "I see. ", [("run", '{"cmd": "é"}')]),
    ),
    (
        "vllm",
        (None, "xlam"),
        ' Sure:\n```json\n[{"name": "run", "arguments": {"cmd":"é"}}]\n```\nend ',
        (None, "Sure:\n\nend", [("run", '{"cmd": "é"}')]),
    ),
    ("vllm", (None, "xlam"), XLAM_CUT, (None, XLAM_CUT, [])),
    (
        "vllm",
        ("ernie45", "ernie45"),
        f'plan\n</think> Hi\n<tool_call>\n{{"name": "run", "arguments": {{"cmd":"é"}}}}\n</tool_call>\n{NOW}\nend',
        ("plan\n", " Hi", [("run", '{"cmd": "é"}'), ("now", "{}")]),
    ),
    ("vllm", ("ernie45", "ernie45"), "plan</think>Hi\n" + CUT.removeprefix("Hi "), ("plan", "Hi", [])),
    (
        "vllm",
        ("step3", "step3"),
        f"plan</think>Ok. {STEP}\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜> end\n",
        ("plan", "Ok.  end", [("get_weather", '{"city": "São", "days": 3}')]),
    ),
    ("vllm", ("step3", "step3"), f"plan</think>Ok. {STEP[:-20]}", ("plan", f"Ok. {STEP[:-20]}", [])),
    (
        "vllm",
        (None, "hy_v3"),
        (
            "Hi.<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n"
            "</tool_call>\n<tool_call>now<tool_sep>\n</tool_call>\n</tool_calls>tail"
        ),
        (None, "Hi.", [("get_weather", '{"days": 3}'), ("now", "{}")]),
    ),
    (
        "vllm",
        (None, "pythonic"),
        '[get_weather(city="São \'P\'", days=3, opts={"u',
        (None, '[get_weather(city="São \'P\'", days=3, opts={"u', []),
    ),
    (
        "vllm",
        ("kimi_k2", "kimi_k2"),
        "plan </think>Hi " + kimi("{}") + " tail",
        ("plan", "Hi ", [("get_weather", "{}")]),
    ),
    (
        "sglang",
        HERMES,
        f"\n so. \n</think>\n\n Hi. \n{NOW}\nmid\n{NOW}\nend \n",
        ("\n so. \n", "Hi.", [("now", "{}"), ("now", "{}")]),
    ),
    ("sglang", HERMES, " so. </think>\n\n Hi. \n", (" so. ", "\n\n Hi. \n", [])),
    (
        "sglang",
        HERMES,
        f"so</think> Hi <tool_call>{{bad}}</tool_call> x {NOW}",
        ("so", f" Hi <tool_call>{{bad}}</tool_call> x {NOW}", []),
    ),
    (
        "sglang",
        CODER,
        "so</think>\n\n Hi. \n" + qwen(TWICE, "get_weather") + " mid " + qwen(LS) + " end ",
        ("so", "\n\n Hi. \n", [("get_weather", '{"city": "Oslo", "days": 3}'), ("run", '{"cmd": "ls"}')]),
    ),
    (
        "sglang",
        ("glm45", "glm45"),
        "so</think>\n Hi. \n" + glm("get_weather", ("city", "Rome"), ("days", "3")) + " end ",
        ("so", "Hi.", [("get_weather", '{"city": "Rome", "days": 3}')]),
    ),
    ("sglang", (None, "kimi_k2"), " Hi. " + kimi("{}") + " end ", ("", " Hi. ", [("get_weather", "{}")])),
    (
        "sglang",
        ("minimax_m2", "minimax_m2"),
        'so</think>\n Hi. \n<minimax:tool_call>\n<invoke name="now">\n</invoke>\n</minimax:tool_call> mid ',
        ("so", "\n Hi. \n mid ", [("now", "{}")]),
    ),
]


@pytest.mark.parametrize(("system", "halves", "text", "said"), WHOLE, ids=lambda word: None)
def test_whole_messages(system: Compat, halves: tuple[str | None, str | None], text: str, said: Said) -> None:
    found = choice(system, halves, text)
    assert (found["reasoning"] or None, found["content"], found["calls"]) == (said[0] or None, *said[1:])


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
@pytest.mark.parametrize("system", ["vllm", "sglang"])
def test_any_output_has_a_message(system: Compat, case: Case) -> None:
    """Which can be sent, is the same at every split, and whose arguments are JSON wherever ours are."""
    plan = Plan(machine_of(case), at=start_of(case), compat=system)
    said = answer(plan, case, [case.text])
    assert said == answer(plan, case, at_random(case.text, case.name))
    json.dumps(said).encode()
    assert said["finish_reason"] == ("tool_calls" if said["message"].get("tool_calls") else "stop")
    if all(call.complete for call in case.message.calls):
        assert all(
            json.loads(one["function"]["arguments"]) is not None for one in said["message"].get("tool_calls", [])
        )


def answer(plan: Plan, case: Case, deltas: Sequence[str]) -> dict[str, Any]:
    one = ChatAnswer(plan, prompt=case.prompt, stamp=STAMP)
    for delta in deltas:
        one.feed(delta)
    return {**one.finish()}


# -- streams ---------------------------------------------------------------------------------------------------------------


def streamed(system: Compat | None, reader: Machine, deltas: Sequence[str], **fields: Any) -> dict[str, Any]:
    stream = ChatStream(Plan(reader, compat=system), stamp=STAMP, **fields)
    return joined([chunk for delta in deltas for chunk in stream.feed(delta)] + list(stream.finish()))


STREAMS: Final[Mapping[tuple[Compat, str], tuple[tuple[str | None, str | None], str, Said]]] = {
    ("vllm", "reasoning_end_trimmed"): (
        ("kimi_k2", "kimi_k2"),
        "plan  more \n </think>Hi ",
        ("plan  more", "Hi ", []),
    ),
    ("vllm", "unknown_tools_dropped"): (
        ("glm45", "glm45"),
        "so</think>Hi " + glm("nope", ("a", "1")) + glm("now"),
        ("so", "Hi ", [("now", "{}")]),
    ),
    ("vllm", "text_behind_calls_dropped"): (
        HERMES,
        f"so</think>Hi {NOW} mid {NOW} end",
        ("so", "Hi ", [("now", "{}")] * 2),
    ),
    ("vllm", "content_beside_calls_trimmed"): (
        CODER,
        f"so</think>Hi.  there \n \n{qwen(LS)} end",
        ("so", "Hi.  there", [("run", '{"cmd": "ls"}')]),
    ),
    ("sglang", "unknown_tools_dropped"): (
        HERMES,
        "so</think>Hi " + hermes("then", "{}") + NOW + " end",
        ("so", "Hi ", [("now", "{}")]),
    ),
    ("sglang", "text_behind_calls_dropped"): (
        HERMES,
        f"so</think>Hi{NOW} mid {NOW} end",
        ("so", "Hi", [("now", "{}")] * 2),
    ),
    ("sglang", "content_beside_calls_trimmed"): (HERMES, f"so</think>Hi \t{NOW}", ("so", "Hi", [("now", "{}")])),
}


def test_every_rule_of_streams_has_a_sample() -> None:
    assert list(STREAMS) == [(rule.system, rule.name) for rule in RULES if rule.streams != "nothing"]


@pytest.mark.parametrize(("system", "rule"), STREAMS)
def test_rule_in_streams(system: Compat, rule: str) -> None:
    """At every split; without the system it is otherwise."""
    halves, text, said = STREAMS[system, rule]
    reader = machine(*halves)
    for deltas in (list(text), *([text[:place], text[place:]] for place in range(len(text) + 1))):
        assert parts(streamed(system, reader, deltas)) == said
    assert parts(streamed(None, reader, [text])) != said


def parts(found: Mapping[str, Any]) -> Said:
    calls = [(call["name"], call["arguments"]) for call in found["tool_calls"]]
    return found["reasoning"], found["content"], calls


def drops(shorter: str | None, longer: str | None) -> bool:
    """Can `shorter` be had from `longer` by leaving out code points?"""
    rest = iter(longer or "")
    return all(point in rest for point in shorter or "")


@pytest.mark.parametrize("case", few_cases(), ids=name_of)
@pytest.mark.parametrize("system", ["vllm", "sglang"])
def test_streams_only_drop_and_trim(system: Compat, case: Case) -> None:
    """At any split the same; each strand is ours with something left out, each call is one of ours."""
    fields: dict[str, Any] = {"at": start_of(case)}
    plain, other = Plan(machine_of(case), **fields), Plan(machine_of(case), **fields, compat=system)
    ours = reduced(plain, case, [case.text])
    theirs = reduced(other, case, [case.text])
    assert theirs[:3] == reduced(other, case, at_random(case.text, case.name))[:3]
    assert drops(theirs[0], ours[0])
    assert drops(theirs[1], ours[1])
    assert [call for call in ours[2] if call in theirs[2]] == theirs[2]
    assert theirs[3] == ours[3] == len(case.text)


def reduced(plan: Plan, case: Case, deltas: Sequence[str]) -> tuple[str | None, str | None, list[tuple[str, str]], int]:
    """The strands, the calls, and how much of the source the events account for."""
    stream = Reduced(plan, prompt=case.prompt)
    events = tuple(event for delta in deltas for event in stream.feed(delta)) + stream.finish()
    said = message(events)
    calls = [(call.name, call.arguments) for call in said.tool_calls]
    return said.reasoning, said.content, calls, sum(event.points for event in events)


# -- where it is asked for ---------------------------------------------------------------------------------------------------


def test_plans() -> None:
    """A server asks for it once; the key of reasoning and the finish of a named call follow, unless the request says."""
    body = {"messages": [{"role": "user", "content": "?"}], "tools": [{"type": "function", "function": RUN}]}
    named = {**body, "tool_choice": {"type": "function", "function": {"name": "run"}}}
    found = {}
    for system in (None, "vllm", "sglang"):
        plan = plan_for(Serving("qwen3", "hermes", compat=system), named).unwrap()
        found[system] = (plan.compat, plan.reasoning_field, plan.call_finish)
    assert found == {
        None: (None, "reasoning_content", "stop"),
        "vllm": ("vllm", "reasoning", "stop"),
        "sglang": ("sglang", "reasoning_content", "tool_calls"),
    }
    vllm = Serving("qwen3", "hermes", compat="vllm")
    assert plan_for(vllm, {**body, "reasoning_field": "both"}).unwrap().reasoning_field == "both"
    assert plan_for(vllm, {**body, "include_reasoning": False}).unwrap().reasoning_field == "none"


def test_forced_json() -> None:
    """vLLM writes the arguments of a required call anew, and those of a named one as they came."""
    tools = [{"type": "function", "function": RUN}]
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "?"}], "tools": tools}
    serving = Serving("qwen3", None, compat="vllm")
    for asked, text, arguments in (
        ("required", '[{"name": "run", "parameters": {"cmd":"ls"}}]', '{"cmd": "ls"}'),
        ({"type": "function", "function": {"name": "run"}}, '{"cmd":"ls"}', '{"cmd":"ls"}'),
    ):
        one = ChatAnswer(plan_for(serving, {**body, "tool_choice": asked}).unwrap())
        one.feed(f"so</think>{text}")
        said = one.finish()["message"]
        assert (said["content"], said["reasoning"]) == ("", "so")
        assert [call["function"]["arguments"] for call in said["tool_calls"]] == [arguments]


def test_raw_content_ends_at_a_stop_string() -> None:
    plan = Plan(machine(*HERMES), compat="vllm", stops=("END",))
    one = ChatAnswer(plan)
    one.feed(f"so</think>a <tool_call>bad</tool_call> b END c {CUT}")
    found = one.finish()
    assert found["message"]["content"] == "a <tool_call>bad</tool_call> b "
    assert (found["finish_reason"], found["stop_reason"]) == ("stop", "END")


def test_raw_content_of_ids() -> None:
    """The text of the ids is the source, wherever deltas end."""
    plan = Plan(bare("qwen3", "hermes", None, ids=True), compat="vllm", echo="é", role="tutor")
    one = ChatAnswer(plan, "ids")
    for token in made("qwen3", "hermes").encode(f"so</think>查 {CUT}"):
        one.feed(None, (token,))
    assert one.finish("length")["message"] == {"role": "tutor", "content": f"é查 {CUT}", "reasoning_content": "so"}


def test_demands_reach_the_rules() -> None:
    plan = Plan(machine(*HERMES), compat="vllm", demand=Demand(calls="required", names=("run",)))
    assert json.loads(respond(plan, ""))["choices"][0]["message"]["content"] == ""
    assert json.loads(respond(evolve(plan, compat=None), ""))["choices"][0]["message"]["content"] is None


def test_command(tmp_path: Any) -> None:
    output = tmp_path / "output.txt"
    output.write_text(f"so</think>Hi {NOW} bye")
    command = ["parse", "--reasoning", "qwen3", "--tools", "hermes", "--compat", "sglang"]
    told = json.loads(CliRunner().invoke(app, [*command, str(output)]).output)
    assert (told["message"]["content"], told["finish_reason"], told["matched_stop"]) == ("Hi", "tool_calls", None)
    for other in (["--stream", str(output)], ["--batch", str(output)]):
        refused = CliRunner().invoke(app, [*command, *other])
        assert (refused.exit_code, "--compat" in refused.output) == (2, True)


# -- arguments ---------------------------------------------------------------------------------------------------------------

DEEP: Final = "[" * 100_000


@pytest.mark.parametrize(
    "written", [dumped, closed, lambda text: typed(text, schema()), lambda text: repeated(text, (), None)]
)
@pytest.mark.parametrize(
    "text", ["", "{", '{"a"', "nul", "[1", '{"a": ' + DEEP, "9" * 5000, '{"a": 1} x', '{"a": NaN}'], ids=range(9)
)
def test_any_text_can_be_arguments(written: Callable[[str], str], text: str) -> None:
    assert written(text) in (text, "{}", '{"a": 1}', dumped(text))


def schema() -> Any:
    return resolve_tool(WEATHER).unwrap()


@pytest.mark.parametrize(
    ("kinds", "given", "wanted"),
    [
        ({"type": "integer"}, '" 7 "', "7"),
        ({"type": "integer"}, '"7.0"', "7.0"),
        ({"type": "number"}, '"7.0"', "7"),
        ({"type": "number"}, '"1e999"', '"1e999"'),
        ({"type": "number"}, '"1.5"', "1.5"),
        ({"type": "number"}, '"x"', '"x"'),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, '"5"', "5"),
        ({"anyOf": [{}, {"type": "null"}]}, '"null"', "null"),
        ({"type": ["boolean", "string"]}, '" TRUE "', "true"),
        ({"type": "boolean"}, '"yes"', '"yes"'),
        ({"type": "object"}, '"[1]"', "[1]"),
        ({"type": "object"}, "\"{'a':1}\"", "\"{'a':1}\""),
        ({"type": "array", "items": {"type": "integer"}}, '"[1,\\"2\\"]"', '[1, "2"]'),
        ({"type": "array", "items": {"type": "integer"}}, '[1,"2"]', "[1, 2]"),
        ({"type": "string"}, "5", '"5"'),
        ({"type": "string"}, "true", '"true"'),
        ({"const": 5}, "5", '"5"'),
        ({"enum": [1, None]}, '"1"', "1"),
        ({"type": "object", "properties": {"b": {"type": "integer"}}}, '{"b":"1","c":"1"}', '{"b": 1, "c": "1"}'),
        ({"allOf": [{"type": "integer"}]}, "null", "null"),
        (True, '"5"', '"5"'),
    ],
)
def test_types(kinds: object, given: str, wanted: str) -> None:
    """Null, integer, number, boolean, container, string, in this order; what fits none is read as JSON or left."""
    tool = resolve_tool({"name": "f", "parameters": {"type": "object", "properties": {"a": kinds}}}).unwrap()
    assert typed(f'{{"a": {given}}}', tool) == f'{{"a": {wanted}}}'
    assert typed(f'{{"b":{given}}}', tool) == f'{{"b":{given}}}'


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('{"a": 1, "b": "x", "c": [1', '{"a": 1, "b": "x"}'),
        ('{"a": 1, "b": tru', '{"a": 1}'),
        ('{"a": {"b": 1}, ', '{"a": {"b": 1}}'),
        ('{"a": 12', "{}"),
        ('{"a" : "\\u00e9" , "b', '{"a": "é"}'),
        ("{", "{}"),
    ],
)
def test_whole_members(text: str, whole: str) -> None:
    assert closed(text) == whole
