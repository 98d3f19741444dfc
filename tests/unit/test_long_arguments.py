"""No size limit alters arguments: 20,000 code points in one string, in pieces of any size (reported case B029)."""

from __future__ import annotations

import json

import pytest

from tests.corpus.message import message
from tests.corpus.reader import Call, known_tools
from tests.laws.machines import bare, fold_text
from unbraid.core.machine import start

BODY = "x" * 20_000
ARGUMENTS = json.dumps({"path": "a.txt", "content": BODY})

OUTPUTS = {
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>"
    f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "kimi_k3": '<|open|>tools<|sep|><|open|>call tool="write_file" index="1"<|sep|>'
    '<|open|>argument key="path" type="string"<|sep|>a.txt<|close|>argument<|sep|>'
    f'<|open|>argument key="content" type="string"<|sep|>{BODY}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    "deepseek_v3": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n{ARGUMENTS}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "granite": f'<|tool_call|>[{{"name": "write_file", "arguments": {ARGUMENTS}}}]',
    "llama3_json": f'{{"name": "write_file", "parameters": {ARGUMENTS}}}',
}


@pytest.mark.parametrize("size", [1, 7, 8192, 100_000])
@pytest.mark.parametrize("name", OUTPUTS)
def test_long_string(name: str, size: int) -> None:
    whole = name if name == "kimi_k3" else None
    machine = bare(whole, name, [known_tools()["write_file"]], ids=False)
    text = OUTPUTS[name]
    pieces = [text[place : place + size] for place in range(0, len(text), size)]
    got = message(fold_text(machine, start(machine, at="content"), pieces))
    assert (got.reasoning, got.content, got.anomalies) == (None, None, ())
    assert got.calls == (Call("write_file", ARGUMENTS),)
