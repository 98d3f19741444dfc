"""Renderings of formats whose models' templates are not at hand, written down here as the models write.

Each is a template of one turn: `{prompt}` opens it and ends the generation prompt, the body is what the model writes.
"""

from __future__ import annotations

from typing import Final

NEWLINE: Final = "{{ '\\n' }}"

TURNS: Final = """
{%- for m in messages %}
    {%- if m.role == 'user' -%}
        USER: {{ m.content }}
    {%- else -%}
        PROMPT
        {%- set reasoning, content, calls = m.reasoning_content or '', m.content, m.tool_calls or [] -%}
        BODY
    {%- endif -%}
{%- endfor %}
{%- if add_generation_prompt -%}
    PROMPT
{%- endif -%}
"""


def _stated(prompt: str, body: str) -> str:
    return TURNS.replace("PROMPT", prompt).replace("BODY", body)


def _calls(body: str, between: str = "") -> str:
    """`body` for each call, with `f.name` and `f.arguments`."""
    between = f"{{%- if not loop.last -%}}{between}{{%- endif -%}}" if between else ""
    return f"{{%- for call in calls -%}}{{%- set f = call.function -%}}{body}{between}{{%- endfor -%}}"


def _pairs(body: str, between: str = "") -> str:
    """`body` for each argument `k`, `v`; `text` is how tagged formats write the value."""
    between = f"{{%- if not loop.last -%}}{between}{{%- endif -%}}" if between else ""
    text = "{%- set text = v if v is string else v | tojson -%}"
    return f"{{%- for k, v in f.arguments.items() -%}}{text}{body}{between}{{%- endfor -%}}"


def _section(opener: str, body: str, closer: str) -> str:
    return f"{{%- if calls -%}}{opener}{body}{closer}{{%- endif -%}}"


OBJECT: Final = '{"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}}'
PYTHON: Final = "{{ f.name }}(" + _pairs("{{ k }}={{ v | python }}", "{{ ', ' }}") + ")"
XML: Final = (
    f"<function={{{{ f.name }}}}>{NEWLINE}"
    + _pairs(f"<parameter={{{{ k }}}}>{NEWLINE}{{{{ text }}}}{NEWLINE}</parameter>{NEWLINE}")
    + "</function>"
)
FLAT_XML: Final = "<function={{ f.name }}>" + _pairs("<parameter={{ k }}>{{ text }}</parameter>") + "</function>"


def _dsml(token: str, blank: str, section: str, before: str) -> str:
    left, right = f"<｜{token}｜{blank}", f"</｜{token}｜{blank}"
    value = "{{ k }}\" string=\"{{ 'true' if v is string else 'false' }}\">{{ text }}"
    parameters = _pairs(f'{left}parameter name="{value}{right}parameter>{NEWLINE}')
    invokes = _calls(f'{left}invoke name="{{{{ f.name }}}}">{NEWLINE}{parameters}{right}invoke>{NEWLINE}')
    return _section(f"{before}{left}{section}>{NEWLINE}", invokes, f"{right}{section}>")


def _fenced() -> str:
    call = (
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{{ f.name }}"
        f"{NEWLINE}```json{NEWLINE}{{{{ f.arguments | tojson }}}}{NEWLINE}```<｜tool▁call▁end｜>"
    )
    return _section("<｜tool▁calls▁begin｜>", _calls(call, NEWLINE), "<｜tool▁calls▁end｜>")


def _plamo() -> str:
    def begin(word: str) -> str:
        return f"<|plamo:begin_{word}:plamo|>"

    def end(word: str) -> str:
        return f"<|plamo:end_{word}:plamo|>"

    name = begin("tool_name") + "{{ f.name }}" + end("tool_name")
    arguments = (
        begin("tool_arguments")
        + "<|plamo:constrain|>json<|plamo:msg|>{{ f.arguments | tojson }}"
        + end("tool_arguments")
    )
    calls = _calls(begin("tool_request") + name + arguments + end("tool_request"))
    return (
        "{{ reasoning }}"
        + end("think")
        + "{{ content }}"
        + _section(begin("tool_requests"), calls, end("tool_requests"))
        + "<|plamo:tag|>"
    )


def _horizon(value: str) -> str:
    pairs = _pairs(
        f"<ifm|arg_key>{{{{ k }}}}</ifm|arg_key>{value}<ifm|arg_value>{{{{ text }}}}</ifm|arg_value>{NEWLINE}"
    )
    calls = _calls(f"<ifm|tool_call>{{{{ f.name }}}}{NEWLINE}{pairs}</ifm|tool_call>{NEWLINE}")
    return "{{ reasoning }}</ifm|think>{{ content }}" + _section(
        f"{NEWLINE}<ifm|tool_calls>{NEWLINE}", calls, "</ifm|tool_calls>"
    )


def _inkling() -> str:
    thoughts = "{%- if reasoning -%}<|content_thinking|>{{ reasoning }}<|end_message|><|message_model|>{%- endif -%}"
    text = "{%- if content -%}<|content_text|>{{ content }}<|end_message|>{%- if calls -%}<|message_model|>{%- endif -%}{%- endif -%}"
    call = '{{ f.name }}<|content_invoke_tool_json|>{"name": "{{ f.name }}", "args": {{ f.arguments | tojson }}}<|end_message|>'
    return thoughts + text + _calls(call, "<|message_model|>") + "<|content_model_end_sampling|>"


def _steptml() -> str:
    parameters = _pairs(f'<steptml:parameter name="{{{{ k }}}}">{{{{ text }}}}</steptml:parameter>{NEWLINE}')
    invoke = f'<steptml:invoke name="{{{{ f.name }}}}">{NEWLINE}{parameters}</steptml:invoke>'
    calls = _calls(f"<｜tool_call_begin｜>function<｜tool_sep｜>{invoke}<｜tool_call_end｜>{NEWLINE}")
    return _section(f"<｜tool_calls_begin｜>{NEWLINE}", calls, "<｜tool_calls_end｜>")


def _ernie() -> str:
    calls = _calls(f"{NEWLINE}<tool_call>{NEWLINE}{OBJECT}{NEWLINE}</tool_call>")
    answer = f"<response>{NEWLINE}{{{{ content }}}}{NEWLINE}</response>{NEWLINE}"
    return (
        f"{{{{ reasoning }}}}{NEWLINE}</think>{NEWLINE}{NEWLINE}"
        f"{{%- if calls -%}}{{{{ content }}}}{calls}{{%- elif content -%}}{answer}{{%- endif -%}}"
    )


QWEN3: Final = _stated(
    f"<|im_start|>assistant{NEWLINE}<think>{NEWLINE}",
    f"{{{{ reasoning }}}}{NEWLINE}</think>{NEWLINE}{NEWLINE}{{{{ content }}}}"
    + _calls(f"{NEWLINE}<tool_call>{NEWLINE}{OBJECT}{NEWLINE}</tool_call>"),
)

STATED: Final = {
    "qwen3_thinking": QWEN3,
    "minicpmv": QWEN3,
    "step3p5": _stated(
        f"<|im_start|>assistant{NEWLINE}<think>{NEWLINE}",
        f"{{{{ reasoning }}}}{NEWLINE}</think>{NEWLINE}{{{{ content }}}}"
        + _calls(f"{NEWLINE}<tool_call>{NEWLINE}{XML}{NEWLINE}</tool_call>"),
    ),
    "mimo": _stated(
        f"<|im_start|>assistant{NEWLINE}<think>",
        "{{ reasoning }}</think>{{ content }}" + _calls(f"<tool_call>{FLAT_XML}</tool_call>"),
    ),
    "granite_thinking": _stated(
        f"<|start_of_role|>assistant<|end_of_role|><think>{NEWLINE}",
        f"{{{{ reasoning }}}}{NEWLINE}</think>{NEWLINE}{NEWLINE}{{{{ content }}}}"
        + _calls(f"{NEWLINE}<tool_call>{NEWLINE}{OBJECT}{NEWLINE}</tool_call>"),
    ),
    "longcat": _stated(
        "ASSISTANT:",
        "{{ content }}" + _calls(f"{NEWLINE}<longcat_tool_call>{NEWLINE}{OBJECT}{NEWLINE}</longcat_tool_call>"),
    ),
    "deepseek_r1": _stated(f"<｜Assistant｜><think>{NEWLINE}", "{{ reasoning }}</think>{{ content }}" + _fenced()),
    "holo2": _stated("<|im_start|>assistant<think>", "{{ reasoning }}</think>{{ content }}"),
    "deepseek_v41": _stated(
        "<｜Assistant｜><think>", "{{ reasoning }}</think>{{ content }}" + _dsml("DSML", " ", "calls", NEWLINE * 2)
    ),
    "gigachat35": _stated(
        f"ASSISTANT:<think>{NEWLINE}", "{{ reasoning }}</think>{{ content }}" + _dsml("GCML", "", "tool_calls", NEWLINE)
    ),
    "glm53": _stated(
        "<|assistant|><think>",
        "{{ reasoning }}</think>"
        + NEWLINE
        + "{{ content }}"
        + _calls(
            "<tool_call>{{ f.name }}"
            + _pairs("<arg_key>{{ k }}</arg_key><arg_value>{{ text }}</arg_value>")
            + "</tool_call>"
        ),
    ),
    "hy_v4": _stated(
        "ASSISTANT:<think>",
        "{{ reasoning }}</think>{{ content }}"
        + _section(
            "<tool_calls>",
            _calls(
                "<tool_call>{{ f.name }}"
                + _pairs("<arg_key>{{ k }}</arg_key><arg_value>{{ text }}</arg_value>")
                + "</tool_call>"
            ),
            "</tool_calls>",
        ),
    ),
    "k2_horizon": _stated("<ifm|think>", _horizon("")),
    "k2_horizon_typed": _stated("<ifm|think>", _horizon("<ifm|arg_type>{{ types[k] }}</ifm|arg_type>")),
    "k2_horizon_json": _stated(
        "<ifm|think>",
        "{{ reasoning }}</ifm|think>{{ content }}"
        + _section(
            f"{NEWLINE}<ifm|tool_calls>{NEWLINE}",
            _calls(f"<ifm|tool_call>{OBJECT}</ifm|tool_call>{NEWLINE}"),
            "</ifm|tool_calls>",
        ),
    ),
    "pythonic": _stated("ASSISTANT:", "{{ content }}" + _section("[", _calls(PYTHON, "{{ ', ' }}"), "]")),
    "llama4_pythonic": _stated(
        "ASSISTANT:", "{{ content }}" + _section("<|python_start|>[", _calls(PYTHON, "{{ ', ' }}"), "]<|python_end|>")
    ),
    "olmo3": _stated(
        "ASSISTANT:<think>",
        "{{ reasoning }}</think>{{ content }}"
        + _section("<function_calls>", _calls(PYTHON, NEWLINE), "</function_calls>"),
    ),
    "lfm2": _stated(
        "ASSISTANT:",
        "{%- if reasoning -%}<think>{{ reasoning }}</think>{%- endif -%}{{ content }}"
        + _section("<|tool_call_start|>[", _calls(PYTHON, "{{ ', ' }}"), "]<|tool_call_end|>"),
    ),
    "kimi_k2": _stated(
        "<|im_assistant|>assistant<|im_middle|><think>",
        "{{ reasoning }}</think>{{ content }}"
        + _section(
            "<|tool_calls_section_begin|>",
            _calls(
                "<|tool_call_begin|>functions.{{ f.name }}:{{ loop.index0 }}<|tool_call_argument_begin|>{{ f.arguments | tojson }}<|tool_call_end|>"
            ),
            "<|tool_calls_section_end|>",
        ),
    ),
    "kimi": _stated("ASSISTANT:", "{%- if reasoning -%}◁think▷{{ reasoning }}◁/think▷{%- endif -%}{{ content }}"),
    "plamo3": _stated("<|plamo:begin_think:plamo|>", _plamo()),
    "granite-20b-fc": _stated("ASSISTANT: ", "{{ content }}" + _calls(f"<function_call> {OBJECT}", "{{ ' ' }}")),
    "granite": _stated(
        "<|start_of_role|>assistant<|end_of_role|>",
        (
            "{%- if reasoning -%}Here is my thought process:{{ reasoning }}Here is my response:{%- endif -%}{{ content }}"
            + _section("<|tool_call|>[", _calls(OBJECT, "{{ ', ' }}"), "]")
        ),
    ),
    "mistral_v11": _stated(
        "[/INST]",
        "{%- if reasoning -%}<think>{{ reasoning }}</think>{%- endif -%}{{ content }}"
        + _calls("[TOOL_CALLS]{{ f.name }}[ARGS]{{ f.arguments | tojson }}"),
    ),
    "inkling": _stated("<|message_model|>", _inkling()),
    "jamba": _stated(
        "ASSISTANT:",
        "{{ content }}"
        + _section(
            f"<tool_calls>[{NEWLINE}    ", _calls(OBJECT, f",{NEWLINE}{{{{ '    ' }}}}"), f"{NEWLINE}]</tool_calls>"
        ),
    ),
    "ernie45": _stated(f"<|im_start|>assistant{NEWLINE}<think>{NEWLINE}", _ernie()),
    "step3": _stated(
        f"ASSISTANT:<think>{NEWLINE}",
        f"{{{{ reasoning }}}}{NEWLINE}</think>{NEWLINE}{{{{ content }}}}" + _steptml(),
    ),
    "content": _stated("ASSISTANT:", "{{ content }}"),
}
"""The renderings by name."""
