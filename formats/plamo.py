"""PLaMo 3: markers of several tokens, each "<|plamo:begin_" or "<|plamo:end_", a word, and ":plamo|>".

    reasoning = begin(think)? text end(think)
    section   = begin(tool_requests) call+ end(tool_requests)
    call      = begin(tool_request) begin(tool_name) name end(tool_name)
                begin(tool_arguments) "<|plamo:constrain|>json<|plamo:msg|>" json end(tool_arguments) end(tool_request)

"<|plamo:tag|>" ends a turn, and thoughts with it. The model may think again anywhere in its answer. With thinking switched
off the markers of thoughts are content.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.grammar import Capture, Field, Format, Gap, Region, Switch, Terminal
from unbraid.core.notation import rows
from unbraid.formats.plain import plain_when_off
from unbraid.formats.qwen import think_half
from unbraid.formats.sections import SECTION_REGIONS, SECTIONS

PLAMO_TAG: Final = Terminal("PLAMO_TAG", ("<|plamo:tag|>",), dedicated=True, last=("<|plamo:tag|>",))


def _begin(word: str) -> str:
    return f"<|plamo:begin_{word}:plamo|>"


def _end(word: str) -> str:
    return f"<|plamo:end_{word}:plamo|>"


def _with_turn_end(half: Format) -> Format:
    return evolve(half, terminals=(*half.terminals, PLAMO_TAG), rows=(*half.rows, *TURNS))


TURNS: Final = rows("""
    content                         THINK_START  -> opened
    opened reasoning                PLAMO_TAG     -> fresh
    fresh content plain plain_text  PLAMO_TAG     -> @same
""")

PLAMO3_REASONING: Final = _with_turn_end(
    plain_when_off(
        think_half(
            "plamo3",
            "PLaMo 3 reasoning: switched by enable_thinking",
            start=_begin("think"),
            end=_end("think"),
            switches=(Switch(("enable_thinking",)),),
            stops=("<|plamo:tag|>",),
            specials=(),
            dedicated=False,
            template="stated",
        )
    )
)

REQUESTS: Final = rows("""
    content              PLAMO_TAG       -> @same
    header               NAME           -> name
    name                 NAME_END       -> named      do=call when=name

    named                ARGUMENTS      -> arguments
    named                CALL_END       -> between    do=end                  # a call without arguments
    named                CALL           -> between    keep do=end odd=missing_end
    named                SECTION_END    -> after      do=end odd=missing_end
    named                @text          -> arguments                          # not announced as JSON; it may still be JSON

    arguments            ARGUMENTS_END  -> called     do=end
    called               ARGUMENTS_END  -> called
    called between junk  PLAMO_TAG       -> after
    after                PLAMO_TAG       -> @same
""")

PLAMO3_TOOLS: Final = Format(
    name="plamo3",
    about="PLaMo 3 calls: sections of names and JSON",
    tools=True,
    terminals=(
        Terminal("SECTION", (_begin("tool_requests"),)),
        Terminal("SECTION_END", (_end("tool_requests"),)),
        Terminal("CALL", (_begin("tool_request"),)),
        Terminal("CALL_END", (_end("tool_request"),)),
        Terminal("NAME", (_begin("tool_name"),)),
        Terminal("NAME_END", (_end("tool_name"),)),
        Terminal("ARGUMENTS", (_begin("tool_arguments") + "<|plamo:constrain|>json<|plamo:msg|>",)),
        Terminal("ARGUMENTS_END", (_end("tool_arguments"),)),
        PLAMO_TAG,
    ),
    regions=(
        *SECTION_REGIONS,
        Region("header", Gap(), "call", trial="opening"),
        Region("name", Capture((Field("name"),), stops="<{"), "call", trial="opening"),
        Region("named", Gap(), "call"),
    ),
    rows=(*SECTIONS, *REQUESTS),
    template="stated",
)
