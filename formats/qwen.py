"""Qwen XML and its relatives: `<think>` reasoning, and calls as functions with parameters.

    reasoning = "<think>"? text "</think>"
    block     = "<tool_call>" function* "</tool_call>"
    function  = "<function=" name ">" parameter* "</function>"
    parameter = "<parameter=" key ">" value "</parameter>"

Values are plain text, typed by the tool's schema. Inside a value only a whole legal ending counts: `</parameter>` before
something that may follow it, `</function>` or `</tool_call>` before an opener or the end, `<parameter=KEY>` if KEY is a
declared parameter that was not given yet. Between values every marker of the block counts, and an outer closer stands for
a missing inner one.

The halves differ by spellings and by the white space that their templates write around the markers, so they are built
by two functions.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH, Templates
from unbraid.core.grammar import (
    WHITESPACE,
    Capture,
    Field,
    Format,
    Gap,
    Region,
    Start,
    Switch,
    Terminal,
    Text,
    Value,
)
from unbraid.core.notation import rows

QWEN_TURNS: Final = ("<|im_start|>", "<|im_end|>")
QWEN_SPECIALS: Final = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")

NEWLINE: Final = ("\n",)
NEWLINES: Final = ("\n\n", "\n")

THINKING: Final = rows("""
    opened            @text        -> reasoning
    opened reasoning  THINK_END    -> fresh
    opened reasoning  THINK_START  -> @same                      # R1 and Qwen3 repeat what the prompt already holds
    fresh             @text        -> content
    fresh             THINK_START  -> opened                     # thinking that was switched off, or not prefilled
    fresh content     THINK_END    -> @same    odd=duplicate_end  # Qwen3 with thinking off; after a call in a thought
""")


def think_half(
    name: str,
    about: str,
    *,
    aliases: tuple[str, ...] = (),
    start: str = "<think>",
    end: str = "</think>",
    before_start: tuple[str, ...] = (),
    after_start: tuple[str, ...] = (),
    before_end: tuple[str, ...] = (),
    after_end: tuple[str, ...] = (),
    switches: tuple[Switch, ...] = (),
    stops: tuple[str, ...] = QWEN_TURNS,
    specials: tuple[str, ...] = QWEN_SPECIALS,
    dedicated: bool = True,
    template: Templates = "none",
) -> Format:
    """A reasoning half between two markers. Generation starts in reasoning unless a switch says no, or the prompt; a
    call inside reasoning ends it."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        reasoning=True,
        terminals=(
            Terminal("THINK_START", (start,), before=before_start, after=after_start, dedicated=dedicated),
            Terminal("THINK_END", (end,), before=before_end, after=after_end, dedicated=dedicated),
        ),
        regions=(
            FRESH,
            CONTENT,
            Region("opened", Gap(), "reasoning"),
            Region("reasoning", Text(), "reasoning"),
        ),
        rows=THINKING,
        start=Start("opened", "fresh", switches, scan=((start, "opened"), (end, "fresh")), stops=stops),
        specials=specials,
        template=template,
    )


ENABLE_THINKING: Final = Switch(("enable_thinking",), off=(False, None))

QWEN3: Final = think_half(
    "qwen3",
    "Qwen3 and Qwen3.5: <think> blocks, switched by enable_thinking",
    # SGLang reads Nanbeige, Intern-S1 and dots with its Qwen3 detector; `basic`, `base`, `thinking` are the generic
    # <think> readers of Dynamo, SMG and Ollama.
    aliases=("qwen3.5", "nanbeige", "interns1", "dots", "basic", "base", "thinking", "ornith"),
    after_start=NEWLINE,
    before_end=NEWLINE,
    after_end=NEWLINES,
    switches=(ENABLE_THINKING,),
    template="real",
)

QWEN3_THINKING: Final = evolve(
    QWEN3,
    name="qwen3_thinking",
    about="Qwen3 Thinking: always starts in reasoning",
    aliases=("qwen3-thinking", "qwen3-vl-thinking"),
    start=evolve(QWEN3.start, switches=()),
    template="stated",
)

SEED_OSS_REASONING: Final = think_half(
    "seed_oss",
    "ByteDance Seed-OSS reasoning: <seed:think> blocks",
    start="<seed:think>",
    end="</seed:think>",
    # The template writes nothing inside the edges and a newline behind; budget tags are part of the reasoning.
    after_end=NEWLINE,
    switches=(ENABLE_THINKING,),
    stops=("<seed:bos>", "<seed:eos>"),
    specials=("<seed:bos>", "<seed:eos>", "<seed:pad>"),
    template="real",
)

MIMO_REASONING: Final = think_half(
    "mimo",
    "Xiaomi MiMo reasoning: <think> blocks without newlines",
    switches=(ENABLE_THINKING,),
    template="stated",
)

STEP3P5_REASONING: Final = think_half(
    "step3p5",
    "StepFun Step-3.5 reasoning: always on",
    after_start=NEWLINE,
    before_end=NEWLINE,
    after_end=NEWLINE,
    template="stated",
)

NEMOTRON_V3: Final = think_half(
    "nemotron_v3",
    "NVIDIA Nemotron 3 reasoning: <think> blocks",
    aliases=("nemotron_3", "nemotron3", "nemotron_nano", "nano_v3", "nemotron-3-nano", "nemotron-3.5-nano"),
    after_start=NEWLINE,
    before_end=NEWLINE,
    after_end=NEWLINE,  # one newline in its template, unlike Qwen3
    switches=(ENABLE_THINKING,),
    template="real",
)

GRANITE_THINKING: Final = think_half(
    "granite_thinking",
    "IBM Granite 4.2 reasoning: <think> blocks",
    aliases=("granite_thinking_parser",),
    after_start=NEWLINE,
    before_end=NEWLINE,
    after_end=NEWLINES,
    switches=(ENABLE_THINKING,),
    stops=("<|start_of_role|>", "<|end_of_text|>"),
    specials=("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    template="stated",
)

TAGGED: Final = rows("""
    content           TOOL_START    -> preamble
    content           FUNCTION      -> name              odd=missing_start  # Qwen3-Coder leaves the wrapper out
    preamble          FUNCTION      -> name
    name              NAME_END      -> arguments         do=call

    arguments junk    PARAMETER     -> key
    arguments junk    FUNCTION_END  -> ended             do=end
    arguments junk    TOOL_END      -> after             do=end odd=missing_end
    arguments junk    FUNCTION      -> name              do=end odd=missing_end
    arguments junk    TOOL_START    -> preamble          do=end odd=missing_end
    arguments         @text         -> junk              odd=stray_text     # text between parameters is for nobody
    key               KEY_END       -> value
    key               @bad          -> junk

    value             PARAMETER_END -> closing
    closing           PARAMETER FUNCTION_END TOOL_END FUNCTION TOOL_START -> arguments  keep
    value             NEXT_KEY      -> next_key                             # Qwen3-Coder: no </parameter>
    next_key          KEY_END       -> value             when=key:new_key odd=missing_end
    value             LAST_FUNCTION -> closing_function  do=end odd=missing_end
    closing_function  TOOL_END TOOL_START FUNCTION -> ended  keep
    value             LAST_TOOL     -> closing_tool      do=end odd=missing_end
    closing_tool      TOOL_START FUNCTION -> after       keep

    ended             TOOL_END      -> after
    ended after       TOOL_START    -> preamble
    ended after       FUNCTION      -> name
    ended after       @text         -> content
""")

TAGGED_REGIONS: Final = (
    CONTENT,
    Region("preamble", Gap(), "call", trial="opening"),
    Region("name", Capture((Field("name"),), stops=WHITESPACE + "<"), "call", trial="opening"),
    Region("arguments", Gap(), "call"),
    Region("junk", Text(), "none"),
    Region("key", Capture((Field("key"),), stops="\n<"), "call"),
    Region("value", Value(), "call"),
    Region("closing", Gap(), "call", trial="closing"),  # behind </parameter>
    Region("next_key", Capture((Field("key"),), stops="\n<"), "call", trial="closing"),
    Region("closing_function", Gap(), "call", trial="closing"),  # behind </function> inside a value
    Region("closing_tool", Gap(), "call", trial="closing"),  # behind </tool_call> inside a value
    Region("ended", Gap(touches=True), "content"),  # behind </function>
    Region("after", Gap(touches=True), "content"),  # behind </tool_call>
)


def tagged_half(
    name: str,
    about: str,
    *,
    aliases: tuple[str, ...] = (),
    start: str = "<tool_call>",
    end: str = "</tool_call>",
    before: tuple[str, ...] = NEWLINES,
    edge: tuple[str, ...] = NEWLINE,
    specials: tuple[str, ...] = QWEN_SPECIALS,
    template: Templates = "none",
) -> Format:
    """A tool half of functions with parameters. `before`: white space that belongs to the first opener; `edge`: to each
    edge of a value."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        tools=True,
        terminals=(
            Terminal("TOOL_START", (start,), before=before, dedicated=True),
            Terminal("TOOL_END", (end,), dedicated=True),
            Terminal("FUNCTION", ("<function=",), before=before),
            Terminal("NAME_END", (">",)),
            Terminal("FUNCTION_END", ("</function>",)),
            Terminal("PARAMETER", ("<parameter=",)),
            Terminal("KEY_END", (">",), after=edge),
            Terminal("PARAMETER_END", ("</parameter>",), before=edge),
            # The same spellings as they end a value: with the white space that belongs to its edge.
            Terminal("NEXT_KEY", ("<parameter=",), before=edge),
            Terminal("LAST_FUNCTION", ("</function>",), before=edge),
            Terminal("LAST_TOOL", (end,), before=edge),
        ),
        regions=TAGGED_REGIONS,
        rows=TAGGED,
        specials=specials,
        template=template,
    )


QWEN3_CODER: Final = tagged_half(
    "qwen3_coder",
    "Qwen3-Coder and Qwen3.5 calls: functions with parameters",
    aliases=(
        *("qwen3_xml", "qwen_xml", "qwen_coder", "qwen3-coder", "qwen3.5", "ornith", "nanbeige"),
        *("step3p5", "step5", "nemotron_nano", "nemotron-3-nano", "nemotron-3.5-nano"),
    ),
    template="real",
)

SEED_OSS_TOOLS: Final = tagged_half(
    "seed_oss",
    "ByteDance Seed-OSS calls: functions with parameters",
    start="<seed:tool_call>",
    end="</seed:tool_call>",
    edge=(),  # its template writes a value directly between its tags
    specials=SEED_OSS_REASONING.specials,
    template="real",
)

MIMO_TOOLS: Final = tagged_half(
    "mimo",
    "Xiaomi MiMo calls: functions with parameters, without newlines",
    before=(),
    edge=(),
    template="stated",
)
