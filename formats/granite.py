"""IBM Granite: arrays of calls (3.x), JSON in tags (4), bare objects (20b), and thoughts between two phrases (3.2).

    3.0, 3.1   calls     = "<|tool_call|>" array | "<tool_call>" array       array = "[" object ("," object)* "]"
    4          call      = "<tool_call>" object "</tool_call>"
    20b        call      = "<function_call>" object
    object     = {"name": NAME, "arguments": ARGUMENTS}                       4: or the arguments as JSON in a string
    3.2        reasoning = "Here is my thought process:" text "Here is my response:"         or "Here's my ..."

The arrays and the objects of 20b have no end marker: what follows them is content, and so is what follows JSON that
breaks. The opener counts only before an array, or an object. The phrases are prose: the first one counts at the very
beginning of the answer, the second one behind it, once. Granite 4.2's `<think>` blocks are the half `granite_thinking`.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import Envelope, Format, Gap, Region, Start, Switch, Terminal, Text
from unbraid.core.notation import rows
from unbraid.formats.hermes import wrapped_half

GRANITE_SPECIALS: Final = ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>")

OPEN_ENDED: Final = rows("""
    content     TOOL_START  -> call
    call        @closed     -> after
    call        TOOL_START  -> after    keep     # a call that breaks off, and the next one
    call        @bad        -> content           # no marker could end it
    after       TOOL_START  -> call
    after       @text       -> content
""")

GRANITE: Final = Format(
    name="granite",
    about="IBM Granite 3 calls: a JSON array behind <|tool_call|> or <tool_call>",
    tools=True,
    terminals=(Terminal("TOOL_START", ("<|tool_call|>", "<tool_call>")),),
    regions=(
        CONTENT,
        Region("call", Envelope(arguments=("arguments",), shape="array"), "call", trial="opening"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=OPEN_ENDED,
    specials=GRANITE_SPECIALS,
    template="real",
)

GRANITE_20B_FC: Final = evolve(
    GRANITE,
    name="granite-20b-fc",
    about="IBM Granite 20b function calling: a JSON object behind <function_call>",
    terminals=(Terminal("TOOL_START", ("<function_call>",)),),
    regions=(
        CONTENT,
        Region("call", Envelope(arguments=("arguments",)), "call", trial="opening"),
        Region("after", Gap(touches=True), "content"),
    ),
    specials=("<|endoftext|>",),
    template="stated",
)

GRANITE4: Final = wrapped_half(
    "granite4",
    "IBM Granite 4 calls: JSON in <tool_call>",
    specials=GRANITE_SPECIALS,
    template="real",
)

GRANITE_REASONING: Final = Format(
    name="granite",
    about="IBM Granite 3.2 reasoning: between two phrases",
    reasoning=True,
    terminals=(
        Terminal("THINK_START", ("Here is my thought process:", "Here's my thought process:")),
        Terminal("THINK_END", ("Here is my response:", "Here's my response:")),
    ),
    regions=(
        FRESH,
        CONTENT,
        Region("opened", Gap(), "reasoning"),
        Region("reasoning", Text(), "reasoning"),
        Region("answer", Gap(), "content"),  # behind thoughts: like fresh, without the phrase
    ),
    rows=rows("""
        fresh             THINK_START  -> opened
        fresh answer      @text        -> content
        opened            @text        -> reasoning
        opened reasoning  THINK_END    -> answer
    """),
    start=Start(
        "opened",
        "fresh",
        # Whatever kwargs say: the template asks for thoughts, and the model opens them itself.
        (Switch(("thinking",), off=(True, False, None), absent="off"),),
        scan=(("Here is my thought process:", "opened"), ("Here is my response:", "answer")),
        stops=("<|end_of_role|>", "<|start_of_role|>"),
    ),
    specials=GRANITE_SPECIALS,
    template="stated",
)
