"""How each format writes a turn: outputs made to order, to try or measure a format with.

    output = reasoning answer before open call (between call)* close

What a half writes stands in `TABLE`, in TOML: shapes of reasoning, each with the formats that write so, and one shape of
calls for each way to write them. Places in a shape: `$TEXT`; `$NAME`, `$N` (the call's number, from 0), `$JSON` (all
arguments), `$PAIRS`; and in a pair `$KEY`, `$TYPE` (of JSON), `$VALUE`. A string value stands as it is, or as its JSON where
`quoted` says so; between `quotes` if there are any. Other values are their JSON.

The shapes are plain ones: a model may also leave white space out, or mix calls and text. Values must not hold markers.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from string import Template
from typing import Final

from attrs import frozen
from cattrs import structure

TABLE: Final = r'''
[reasoning]
"$TEXT\n</think>\n\n" = "qwen3 qwen3_thinking granite_thinking minimax_m2"
"$TEXT\n</think>\n" = "step3p5 nemotron_v3 poolside_v1 ernie45 step3"
"$TEXT</think>\n" = "glm45 glm53"
"$TEXT</seed:think>\n" = "seed_oss"
"$TEXT</ifm|think>" = "k2_horizon"
"$TEXT</think>" = """mimo deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41 holo2 hy_v3 hy_v4 ling3 olmo3 lfm2-thinking kimi_k2
    minicpmv iquest_q1 step5"""
"<mm:think>$TEXT</mm:think>" = "minimax_m3"
"<|channel>thought\n$TEXT\n<channel|>" = "gemma4"
"<|channel|>analysis<|message|>$TEXT<|end|><|start|>assistant" = "harmony"
"[THINK]$TEXT[/THINK]" = "mistral"
"<think>$TEXT</think>" = "mistral_v11"
"$TEXT<|plamo:end_think:plamo|>" = "plamo3"
"$TEXT<|close|>think<|sep|>" = "kimi_k3"
"<|START_THINKING|>$TEXT<|END_THINKING|>" = "cohere_command3 cohere_command4"
"<|inner_prefix|>$TEXT<|inner_suffix|>" = "apertus apertus2509"
"<|content_thinking|>$TEXT<|end_message|><|message_model|>" = "inkling"
" to=self<|message|>$TEXT<|eom|><|start|>assistant" = "muse muse_glimmer"
"Here is my thought process:${TEXT}Here is my response:" = "granite"
"<think>\n$TEXT\n</think>\n<answer>\n" = "hunyuan_a13b"
"◁think▷$TEXT◁/think▷" = "kimi"

[answer]
"<|channel|>final<|message|>$TEXT<|end|><|start|>assistant" = "harmony"
"<|open|>response<|sep|>$TEXT<|close|>response<|sep|>" = "kimi_k3"
"<|START_RESPONSE|>$TEXT<|END_RESPONSE|>" = "cohere_command3"
"<|START_TEXT|>$TEXT<|END_TEXT|>" = "cohere_command4"
"<|content_text|>$TEXT<|end_message|><|message_model|>" = "inkling"
" to=user<|message|>$TEXT<|eom|><|start|>assistant" = "muse muse_glimmer"
"" = "llama3_json llama4_json xlam pythonic llama4_pythonic"             # calls are the whole answer

[[calls]]
names = "hermes"
before = "\n"
call = """<tool_call>\n{"name": "$NAME", "arguments": $JSON}\n</tool_call>"""
between = "\n"

[[calls]]
names = "longcat"
call = """<longcat_tool_call>\n{"name": "$NAME", "arguments": $JSON}\n</longcat_tool_call>"""
between = "\n"

[[calls]]
names = "qwen3_coder"
before = "\n\n"
call = "<tool_call>\n<function=$NAME>\n$PAIRS</function>\n</tool_call>"
between = "\n"
pair = "<parameter=$KEY>\n$VALUE\n</parameter>\n"

[[calls]]
names = "seed_oss"
before = "\n"
call = "<seed:tool_call>\n<function=$NAME>\n$PAIRS</function>\n</seed:tool_call>"
between = "\n"
pair = "<parameter=$KEY>$VALUE</parameter>\n"

[[calls]]
names = "mimo"
call = "<tool_call><function=$NAME>$PAIRS</function></tool_call>"
pair = "<parameter=$KEY>$VALUE</parameter>"

[[calls]]
names = "deepseek_v3"
open = "<｜tool▁calls▁begin｜>"
call = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>$NAME\n```json\n$JSON\n```<｜tool▁call▁end｜>"
between = "\n"
close = "<｜tool▁calls▁end｜>"

[[calls]]
names = "deepseek_v31"
open = "<｜tool▁calls▁begin｜>"
call = "<｜tool▁call▁begin｜>$NAME<｜tool▁sep｜>$JSON<｜tool▁call▁end｜>"
close = "<｜tool▁calls▁end｜>"

[[calls]]
names = "deepseek_v32"
before = "\n\n"
open = "<｜DSML｜function_calls>\n"
call = """<｜DSML｜invoke name="$NAME">\n$PAIRS</｜DSML｜invoke>\n"""
close = "</｜DSML｜function_calls>"
pair = """<｜DSML｜parameter name="$KEY" string="$STRING">$VALUE</｜DSML｜parameter>\n"""

[[calls]]
names = "deepseek_v4"
before = "\n\n"
open = "<｜DSML｜tool_calls>\n"
call = """<｜DSML｜invoke name="$NAME">\n$PAIRS</｜DSML｜invoke>\n"""
close = "</｜DSML｜tool_calls>"
pair = """<｜DSML｜parameter name="$KEY" string="$STRING">$VALUE</｜DSML｜parameter>\n"""

[[calls]]
names = "deepseek_v41"
before = "\n\n"
open = "<｜DSML｜ calls>\n"
call = """<｜DSML｜ invoke name="$NAME">\n$PAIRS</｜DSML｜ invoke>\n"""
close = "</｜DSML｜ calls>"
pair = """<｜DSML｜ parameter name="$KEY" string="$STRING">$VALUE</｜DSML｜ parameter>\n"""

[[calls]]
names = "gigachat35"
before = "\n"
open = "<｜GCML｜tool_calls>\n"
call = """<｜GCML｜invoke name="$NAME">\n$PAIRS</｜GCML｜invoke>\n"""
close = "</｜GCML｜tool_calls>"
pair = """<｜GCML｜parameter name="$KEY" string="$STRING">$VALUE</｜GCML｜parameter>\n"""

[[calls]]
names = "minimax_m2"
before = "\n"
open = "<minimax:tool_call>\n"
call = """<invoke name="$NAME">\n$PAIRS</invoke>\n"""
close = "</minimax:tool_call>"
pair = """<parameter name="$KEY">$VALUE</parameter>\n"""

[[calls]]
names = "minimax_m3"
open = "]<]minimax[>[<tool_call>\n"
call = """]<]minimax[>[<invoke name="$NAME">\n$PAIRS]<]minimax[>[</invoke>\n"""
close = "]<]minimax[>[</tool_call>"
pair = "]<]minimax[>[<$KEY>$VALUE]<]minimax[>[</$KEY>\n"

[[calls]]
names = "dots"
open = "<dots_function_call>\n"
call = """<invoke name="$NAME">\n$PAIRS</invoke>\n"""
close = "</dots_function_call>"
pair = """<parameter name="$KEY">$VALUE</parameter>\n"""

[[calls]]
names = "step3"
open = "<｜tool_calls_begin｜>\n"
call = """<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="$NAME">\n$PAIRS</steptml:invoke><｜tool_call_end｜>"""
between = "\n"
close = "\n<｜tool_calls_end｜>"
pair = """<steptml:parameter name="$KEY">$VALUE</steptml:parameter>\n"""

[[calls]]
names = "glm45 poolside_v1"
before = "\n"
call = "<tool_call>$NAME\n$PAIRS</tool_call>"
between = "\n"
pair = "<arg_key>$KEY</arg_key>\n<arg_value>$VALUE</arg_value>\n"

[[calls]]
names = "ling3"
call = "<tool_call>$NAME$PAIRS</tool_call>"
pair = "<arg_key>$KEY</arg_key><arg_value>$VALUE</arg_value>"

[[calls]]
names = "hy_v3"
open = "<tool_calls>\n"
call = "<tool_call>$NAME<tool_sep>\n$PAIRS</tool_call>\n"
close = "</tool_calls>"
pair = "<arg_key>$KEY</arg_key>\n<arg_value>$VALUE</arg_value>\n"

[[calls]]
names = "hy_v4 hunyuan"
open = "<tool_calls>"
call = "<tool_call>$NAME$PAIRS</tool_call>"
close = "</tool_calls>"
pair = "<arg_key>$KEY</arg_key><arg_value>$VALUE</arg_value>"

[[calls]]
names = "iquest_q1"
call = "<iquest_tool_call>$NAME$PAIRS</iquest_tool_call>"
pair = "<arg_key>$KEY</arg_key><arg_value>$VALUE</arg_value>"

[[calls]]
names = "k2_horizon"
before = "\n"
open = "<ifm|tool_calls>\n"
call = "<ifm|tool_call>$NAME\n$PAIRS</ifm|tool_call>\n"
close = "</ifm|tool_calls>"
pair = "<ifm|arg_key>$KEY</ifm|arg_key>\n<ifm|arg_value>$VALUE</ifm|arg_value>\n"

[[calls]]
names = "k2_horizon_typed"
before = "\n"
open = "<ifm|tool_calls>\n"
call = "<ifm|tool_call>$NAME\n$PAIRS</ifm|tool_call>\n"
close = "</ifm|tool_calls>"
pair = "<ifm|arg_key>$KEY</ifm|arg_key>\n<ifm|arg_type>$TYPE</ifm|arg_type>\n<ifm|arg_value>$VALUE</ifm|arg_value>\n"

[[calls]]
names = "k2_horizon_json"
before = "\n"
open = "<ifm|tool_calls>\n"
call = """<ifm|tool_call>{"name": "$NAME", "arguments": $JSON}</ifm|tool_call>\n"""
close = "</ifm|tool_calls>"

[[calls]]
names = "gemma4"
call = "<|tool_call>call:$NAME{$PAIRS}<tool_call|>"
pair = "$KEY:$VALUE"
joint = ","
quotes = '<|"|>'

[[calls]]
names = "functiongemma"
call = "<start_function_call>call:$NAME{$PAIRS}<end_function_call>"
pair = "$KEY:<escape>$VALUE<escape>"
joint = ","

[[calls]]
names = "pythonic"
open = "["
call = "$NAME($PAIRS)"
between = ", "
close = "]"
pair = "$KEY=$VALUE"
joint = ", "
quoted = true

[[calls]]
names = "llama4_pythonic"
open = "<|python_start|>["
call = "$NAME($PAIRS)"
between = ", "
close = "]<|python_end|>"
pair = "$KEY=$VALUE"
joint = ", "
quoted = true

[[calls]]
names = "lfm2"
open = "<|tool_call_start|>["
call = "$NAME($PAIRS)"
between = ", "
close = "]<|tool_call_end|>"
pair = "$KEY=$VALUE"
joint = ", "
quoted = true

[[calls]]
names = "olmo3"
open = "<function_calls>"
call = "$NAME($PAIRS)"
between = "\n"
close = "</function_calls>"
pair = "$KEY=$VALUE"
joint = ", "
quoted = true

[[calls]]
names = "llama3_json llama4_json"
call = """{"name": "$NAME", "parameters": $JSON}"""
between = "; "

[[calls]]
names = "harmony"
call = "<|channel|>commentary to=functions.$NAME <|constrain|>json<|message|>$JSON<|call|>"
between = "<|start|>assistant"

[[calls]]
names = "mistral"
call = "[TOOL_CALLS]$NAME[ARGS]$JSON"

[[calls]]
names = "mistral_json"
open = "[TOOL_CALLS] ["
call = """{"name": "$NAME", "arguments": $JSON}"""
between = ", "
close = "]"

[[calls]]
names = "kimi_k2"
open = "<|tool_calls_section_begin|>"
call = "<|tool_call_begin|>functions.$NAME:$N<|tool_call_argument_begin|>$JSON<|tool_call_end|>"
close = "<|tool_calls_section_end|>"

[[calls]]
names = "kimi_k3"
open = "<|open|>tools<|sep|>"
call = """<|open|>call tool="$NAME" index="$N"<|sep|>$PAIRS<|close|>call<|sep|>"""
close = "<|close|>tools<|sep|><|close|>message<|sep|>"
pair = """<|open|>argument key="$KEY" type="$TYPE"<|sep|>$VALUE<|close|>argument<|sep|>"""

[[calls]]
names = "plamo3"
open = "<|plamo:begin_tool_requests:plamo|>"
call = """<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>$NAME<|plamo:end_tool_name:plamo|>\
<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>$JSON<|plamo:end_tool_arguments:plamo|>\
<|plamo:end_tool_request:plamo|>"""
close = "<|plamo:end_tool_requests:plamo|>"

[[calls]]
names = "cohere_command3 cohere_command4"
open = "<|START_ACTION|>[\n"
call = """    {"tool_call_id": "$N", "tool_name": "$NAME", "parameters": $JSON}"""
between = ",\n"
close = "\n]<|END_ACTION|>"

[[calls]]
names = "apertus apertus2509"
open = "<|tools_prefix|>["
call = """{"$NAME": $JSON}"""
between = ", "
close = "]<|tools_suffix|>"

[[calls]]
names = "inkling"
call = """$NAME<|content_invoke_tool_json|>{"name":"$NAME","args":$JSON}<|end_message|>"""
between = "<|message_model|>"

[[calls]]
names = "muse muse_glimmer"
call = """ to=$NAME<|message|><atem:function_calls>\n<atem:invoke name="$NAME">\n$PAIRS</atem:invoke>\n</atem:function_calls><|eom|>"""
between = "<|start|>assistant"
pair = """<atem:parameter name="$KEY">$VALUE</atem:parameter>\n"""

[[calls]]
names = "granite"
call = """{"name": "$NAME", "arguments": $JSON}"""
open = "<|tool_call|>["
between = ", "
close = "]"

[[calls]]
names = "granite4 ernie45"
before = "\n"
call = """<tool_call>\n{"name": "$NAME", "arguments": $JSON}\n</tool_call>"""
between = "\n"

[[calls]]
names = "granite_20b_fc granite-20b-fc"
call = """<function_call> {"name": "$NAME", "arguments": $JSON}"""
between = " "

[[calls]]
names = "internlm"
call = """<|action_start|><|plugin|>\n{"name": "$NAME", "parameters": $JSON}<|action_end|>"""

[[calls]]
names = "jamba hunyuan_a13b"
open = "<tool_calls>["
call = """{"name": "$NAME", "arguments": $JSON}"""
between = ", "
close = "]</tool_calls>"

[[calls]]
names = "xlam"
open = "["
call = """{"name": "$NAME", "arguments": $JSON}"""
between = ", "
close = "]"

[[calls]]
names = "phi4_mini phi4_mini_json"
open = "functools["
call = """{"name": "$NAME", "arguments": $JSON}"""
between = ", "
close = "]"

[[calls]]
names = "gigachat3"
call = """<|function_call|>{"name": "$NAME", "arguments": $JSON}"""

[[calls]]
names = "minicpm5"
call = """<function name="$NAME">$PAIRS</function>"""
pair = """<param name="$KEY"><![CDATA[$VALUE]]></param>"""
'''


@frozen
class Asked:
    """A call to be written."""

    name: str
    arguments: Mapping[str, object]


@frozen
class Turn:
    """What an output should say; texts without white space at their edges."""

    reasoning: str = ""
    answer: str = ""
    calls: tuple[Asked, ...] = ()


@frozen
class CallShape:
    """One way to write calls."""

    names: str
    call: str
    before: str = ""
    open: str = ""
    between: str = ""
    close: str = ""
    pair: str = ""
    joint: str = ""
    quoted: bool = False
    quotes: str = ""

    def write(self, calls: tuple[Asked, ...]) -> str:
        """All `calls`, one behind the other."""
        return self.open + self.between.join(map(self._call, range(len(calls)), calls)) + self.close

    def _call(self, number: int, call: Asked) -> str:
        pairs = self.joint.join(self._pair(key, value) for key, value in call.arguments.items())
        places = {"NAME": call.name, "N": str(number), "JSON": as_json(call.arguments), "PAIRS": pairs}
        return Template(self.call).substitute(places)

    def _pair(self, key: str, value: object) -> str:
        words = isinstance(value, str)
        text = value if isinstance(value, str) and not self.quoted else as_json(value)
        quotes = self.quotes if words else ""
        places = {"KEY": key, "VALUE": quotes + text + quotes, "TYPE": _json_type(value)}
        return Template(self.pair).substitute(places, STRING="true" if words else "false")


@frozen
class Writer:
    """Writes the turns of one pair of halves."""

    reasoning: str
    answer: str
    calls: CallShape | None

    def write(self, turn: Turn) -> str:
        """The output that says `turn`, or as much of it as this pair has words for."""
        reasoning = Template(self.reasoning).substitute(TEXT=turn.reasoning) if turn.reasoning else ""
        answer = Template(self.answer).substitute(TEXT=turn.answer) if turn.answer else ""
        if not turn.calls or self.calls is None:
            return reasoning + answer
        return reasoning + answer + (self.calls.before if answer else "") + self.calls.write(turn.calls)

    @property
    def prompted(self) -> bool:
        """Does reasoning begin in the prompt, so that the output begins with its text?"""
        return self.reasoning.startswith("$TEXT")

    def says(self, turn: Turn) -> Turn:
        """What `write` has words for."""
        return Turn(
            turn.reasoning if self.reasoning else "",
            turn.answer if self.answer else "",
            turn.calls if self.calls is not None else (),
        )


def writer(reasoning: str | None, tools: str | None) -> Writer:
    """The writer for two formats by their own names. What is not in the table is not written."""
    known = _table()
    answer = known.answers.get(tools or "", known.answers.get(reasoning or "", "$TEXT"))
    return Writer(known.reasoning.get(reasoning or "", ""), answer, known.calls.get(tools or ""))


def as_json(value: object) -> str:
    """As chat templates write JSON: on one line, with spaces, text as it stands."""
    return json.dumps(value, ensure_ascii=False)


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds = {str: "string", int: "number", float: "number", dict: "object", list: "array", type(None): "null"}
    return kinds[type(value)]


@frozen
class _Table:
    reasoning: Mapping[str, str]
    answers: Mapping[str, str]
    calls: Mapping[str, CallShape]


@cache
def _table() -> _Table:
    table = tomllib.loads(TABLE)
    calls = structure(table["calls"], list[CallShape])
    by_name = {name: shape for shape in calls for name in _words(shape.names)}
    return _Table(_by_name(table["reasoning"]), _by_name(table["answer"]), by_name)


def _by_name(shapes: Mapping[str, str]) -> dict[str, str]:
    return {name: shape for shape, names in shapes.items() for name in _words(names)}


def _words(names: str) -> list[str]:
    return [word for word in names.replace("\n", " ").split(" ") if word]
