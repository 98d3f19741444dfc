"""MiniMax M2 and M3: invokes in a section, with parameters (M2) or with nested elements (M3).

    M2  "<minimax:tool_call>" ("<invoke name=" name ">" ("<parameter name=" key ">" value "</parameter>")* "</invoke>")*
        "</minimax:tool_call>"
    M3  NS"<tool_call>" (NS"<invoke name=" name ">" element* NS"</invoke>")* NS"</tool_call>"        NS = "]<]minimax[>["

M3 writes its prefix before every tag, so a tag cannot be taken for data. Its elements are typed by the tool's schema (see
`core/tree.py`); an element that is not closed by its own name ends its call and harms no other one.

`minimax_m2_append_think` is for hosts that want the thoughts in the content: nothing is reasoning, markers are content. The
"<think>" that the prompt ends in is not in the output, so a host that wants it in the message writes it before the first
content itself; an event stream that accounts for its source cannot.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Capture, Field, Format, Gap, Region, Switch, Terminal, Text, Tree
from unbraid.core.notation import rows
from unbraid.formats.delimited import IDENTITY
from unbraid.formats.invokes import Tags, invoke_half
from unbraid.formats.qwen import NEWLINE, NEWLINES, think_half

TURNS: Final = ("]~b]", "[e~[")
SPECIALS: Final = ("]~!b[", "]~b]", "[e~[")

MINIMAX_M2_REASONING: Final = think_half(
    "minimax_m2",
    "MiniMax-M2 reasoning: always on, the prompt ends in <think>",
    aliases=("minimax",),
    after_start=NEWLINE,
    before_end=NEWLINE,
    after_end=NEWLINES,
    stops=TURNS,
    specials=SPECIALS,
    template="real",
)

MINIMAX_M2_APPEND_THINK: Final = evolve(
    IDENTITY,
    name="minimax_m2_append_think",
    about="MiniMax-M2 with its thoughts in the content; the host writes the opening <think>",
    aliases=("minimax-append-think", "minimax_append_think"),
    specials=SPECIALS,
)

MINIMAX_M2_TOOLS: Final = invoke_half(
    "minimax_m2",
    "MiniMax-M2 calls: invokes with parameters",
    Tags(
        section=("<minimax:tool_call>",),
        section_end=("</minimax:tool_call>",),
        invoke=("<invoke name=",),
        invoke_end=("</invoke>",),
        parameter=("<parameter name=",),
        parameter_end=("</parameter>",),
    ),
    aliases=("minimax-m2",),
    before=NEWLINE,
    dedicated=True,
    specials=SPECIALS,
    template="real",
)

# Without a mode the model decides for itself, and writes the opener if it thinks.
THINKING_MODE: Final = Switch(("thinking_mode",), off=("adaptive", "disabled", False, None), absent="off")

MINIMAX_M3_REASONING: Final = think_half(
    "minimax_m3",
    "MiniMax-M3 reasoning: <mm:think> blocks, forced by thinking_mode=enabled",
    aliases=("minimax-m3",),
    start="<mm:think>",
    end="</mm:think>",
    dedicated=False,
    # The template writes nothing at the markers.
    switches=(THINKING_MODE,),
    stops=TURNS,
    specials=SPECIALS,
    template="real",
)

NS: Final = "]<]minimax[>["

NESTED: Final = rows("""
    content        SECTION      -> preamble
    preamble       INVOKE       -> name
    name           NAME_END     -> arguments   do=call when=name
    arguments      INVOKE_END   -> between     do=end
    arguments      SECTION_END  -> after       do=end odd=missing_end
    arguments      INVOKE       -> between     keep do=end odd=missing_end
    arguments      @bad         -> broken

    between stray  INVOKE       -> name
    between stray  SECTION_END  -> after
    between        @text        -> stray       odd=stray_text
    broken         INVOKE       -> name
    broken         INVOKE_END   -> between
    broken         SECTION_END  -> after

    after          SECTION      -> preamble
    after          @text        -> content
""")

MINIMAX_M3_TOOLS: Final = Format(
    name="minimax_m3",
    about="MiniMax-M3 calls: invokes with nested elements",
    aliases=("minimax-m3",),
    tools=True,
    terminals=(
        Terminal("SECTION", (f"{NS}<tool_call>",)),
        Terminal("SECTION_END", (f"{NS}</tool_call>",)),
        Terminal("INVOKE", (f"{NS}<invoke name=",)),
        Terminal("NAME_END", (">",)),
        Terminal("INVOKE_END", (f"{NS}</invoke>",)),
    ),
    regions=(
        CONTENT,
        Region("preamble", Gap(), "call", trial="opening"),
        # Openers begin with "]": one right behind a broken name is still an opener.
        Region("name", Capture((Field("name", unquote=True),), stops="]<\n", quotes="\"'"), "call", trial="opening"),
        Region("arguments", Tree(NS), "call"),
        Region("broken", Text(), "none"),  # the rest of a call whose elements do not fit
        Region("between", Gap(), "call"),  # behind </invoke>
        Region("stray", Text(), "none"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=NESTED,
    specials=SPECIALS,
    template="real",
)
