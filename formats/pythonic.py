"""Calls as Python writes them: Llama 3.2 and 4, ToolACE, OLMo 3, LFM2.

    pythonic         calls                                      the whole answer, or its beginning
    llama4_pythonic  "<|python_start|>" calls "<|python_end|>"  or without the markers
    olmo3            "<function_calls>" call* "</function_calls>"           one call a line
    lfm2             "<|tool_call_start|>" calls "<|tool_call_end|>"        or a JSON array of objects
    calls            "[" call ("," call)* "]"

Without a marker a list is only one if it stands at the very beginning of the answer, or behind another list, and the first
call's name is that of an offered tool; anything else is the answer itself.

LFM2 does not escape quotation marks inside its strings, so that one ends a string only before what may follow a string. Behind
its block it sometimes repeats the list and the end marker; such an echo is for nobody.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.grammar import Envelope, Format, Gap, PythonCalls, Region, Terminal, Text
from unbraid.core.notation import rows
from unbraid.formats.qwen import think_half

CALLS: Final = PythonCalls()
OPEN: Final = Terminal("OPEN", ("[",))
AFTER: Final = Region("after", Gap(touches=True), "content")
JUNK: Final = Region("junk", Text(), "none")  # the rest of a call that is none, up to the end of its block

UNMARKED: Final = rows("""
    fresh  OPEN     -> calls    keep
    calls  @closed  -> after
    calls  @bad     -> content          # no marker could end it
    after  OPEN     -> calls    keep    # one list a line
    after  @text    -> content
""")

UNMARKED_REGIONS: Final = (
    CONTENT,
    FRESH,
    Region("calls", CALLS, "call", trial="opening", at_end="text"),
    AFTER,
)

PYTHONIC: Final = Format(
    name="pythonic",
    about="Llama 3.2 and ToolACE calls: a Python list of calls, without a marker",
    tools=True,
    terminals=(OPEN,),
    regions=UNMARKED_REGIONS,
    rows=(FRESH_ROW, *UNMARKED),
    specials=("<|begin_of_text|>", "<|eom_id|>", "<|eot_id|>", "<|end_of_text|>"),
    unmarked=True,
    template="stated",
)

LLAMA4: Final = rows("""
    fresh after   PYTHON_START  -> tagged
    tagged        OPEN          -> block   keep
    block         @closed       -> after
    block         PYTHON_END    -> after           # in the middle of the list
    block         @bad          -> junk
    junk          PYTHON_END    -> after
    after         PYTHON_END    -> after
""")

LLAMA4_PYTHONIC: Final = Format(
    name="llama4_pythonic",
    about="Llama 4 calls: a Python list of calls, with or without markers",
    tools=True,
    terminals=(
        Terminal("PYTHON_START", ("<|python_start|>",), dedicated=True),
        OPEN,
        Terminal("PYTHON_END", ("<|python_end|>",), dedicated=True),
    ),
    regions=(
        *UNMARKED_REGIONS,
        Region("tagged", Gap(), "call", trial="opening", at_end="text"),
        Region("block", CALLS, "call", trial="opening", at_end="text"),
        JUNK,
    ),
    rows=(FRESH_ROW, *UNMARKED, *LLAMA4),
    specials=("<|begin_of_text|>", "<|eom|>", "<|eot|>", "<|end_of_text|>"),
    unmarked=True,
    template="stated",
)

OLMO3: Final = rows("""
    content after  CALLS_START  -> calls
    calls          CALLS_END    -> after
    calls          @bad         -> junk
    junk           CALLS_END    -> after
    after          @text        -> content
""")

OLMO_SPECIALS: Final = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")

OLMO3_TOOLS: Final = Format(
    name="olmo3",
    about="OLMo 3 calls: one Python call a line in <function_calls>",
    aliases=("olmo3-think",),
    tools=True,
    terminals=(Terminal("CALLS_START", ("<function_calls>",)), Terminal("CALLS_END", ("</function_calls>",))),
    regions=(CONTENT, Region("calls", PythonCalls("lines"), "call", trial="opening"), JUNK, AFTER),
    rows=OLMO3,
    specials=OLMO_SPECIALS,
    template="stated",
)

OLMO3_REASONING: Final = evolve(
    think_half(
        "olmo3",
        "OLMo 3 Think reasoning: always on, ended by </think>",
        aliases=("olmo3-think",),
        specials=OLMO_SPECIALS,
    ),
    # Ordinary text; its templates write no white space at them that is known.
    terminals=(Terminal("THINK_START", ("<think>",)), Terminal("THINK_END", ("</think>",))),
    inside="text",
    template="stated",
)

LFM: Final = rows("""
    content    TOOL_START  -> preamble
    preamble   OPEN        -> calls     keep
    preamble   OBJECTS     -> objects   keep
    calls objects  @closed     -> ended
    calls objects  TOOL_END    -> after             # in the middle of the list
    calls objects  TOOL_START  -> junk      keep    # a list that breaks off, and the next one
    calls objects  @bad        -> junk
    junk       TOOL_END    -> after
    junk       TOOL_START  -> preamble
    ended      TOOL_END    -> after
    ended after    TOOL_START  -> preamble
    ended after    @text       -> content
    after      OPEN        -> echo
    echo       TOOL_END    -> after                 # nobody's: the list was read already
""")

LFM2: Final = Format(
    name="lfm2",
    about="Liquid LFM2 calls: a Python list of calls, or a JSON array, between two markers",
    aliases=("lfm2-thinking",),
    tools=True,
    terminals=(
        Terminal("TOOL_START", ("<|tool_call_start|>",), dedicated=True),
        Terminal("TOOL_END", ("<|tool_call_end|>",), dedicated=True),
        OPEN,
        Terminal("OBJECTS", ("[{", "[ {", "[\n{", "[\n  {", "[\n    {")),
    ),
    regions=(
        CONTENT,
        Region("preamble", Gap(), "call", trial="opening"),
        Region("calls", PythonCalls(closers="followed"), "call", trial="opening"),
        Region("objects", Envelope(shape="array"), "call", trial="opening"),
        JUNK,
        Region("ended", Gap(touches=True), "content"),
        AFTER,
        Region("echo", Text(), "none", trial="block"),
    ),
    rows=LFM,
    specials=("<|startoftext|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|pad|>"),
    template="stated",
)

LFM2_REASONING: Final = think_half(
    "lfm2-thinking",
    "Liquid LFM2.5 Thinking: <think> blocks",
    specials=LFM2.specials,
    template="stated",
)
