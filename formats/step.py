"""StepFun Step-3: reasoning up to `</think>`, and invokes with parameters in a section of calls.

    reasoning = text "</think>"
    section   = "<｜tool_calls_begin｜>" (call "<｜tool_sep｜>"?)* "<｜tool_calls_end｜>"
    call      = "<｜tool_call_begin｜>" (type "<｜tool_sep｜>")? invoke "<｜tool_call_end｜>"
    invoke    = "<steptml:invoke name=" name ">" parameter* "</steptml:invoke>"
    parameter = "<steptml:parameter name=" key ">" value "</steptml:parameter>"

The prompt opens the reasoning; a `<think>` that the model writes itself is text of it. A call in a thought is a thought.

The bars are wide, and the lines are plain: not DeepSeek's markers. The type is always `function` and decides nothing. Values
are plain text, typed by the tool's schema. Inside a value only a whole legal ending counts: a closer before something that
may follow it, `<steptml:parameter name=KEY>` if KEY is a declared parameter that was not given yet. Between values every
marker counts, and an outer closer stands for a missing inner one. Text inside a section that belongs to no call is for
nobody. Step-3.5 and later write Qwen's markup (`formats/qwen.py`).
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import Capture, Field, Format, Gap, Region, Start, Terminal, Text, Value
from unbraid.core.notation import rows
from unbraid.formats.qwen import NEWLINE

STEP3_REASONING: Final = Format(
    name="step3",
    about="StepFun Step-3 reasoning: always on, ended by </think>",
    reasoning=True,
    terminals=(Terminal("THINK_END", ("</think>",), before=NEWLINE, after=NEWLINE, dedicated=True),),
    regions=(FRESH, CONTENT, Region("opened", Gap(), "reasoning"), Region("reasoning", Text(), "reasoning")),
    rows=rows("""
        opened            @text      -> reasoning
        opened reasoning  THINK_END  -> fresh
        fresh             @text      -> content
        fresh content     THINK_END  -> @same     odd=duplicate_end
    """),
    start=Start("opened", "fresh", scan=(("<think>", "opened"), ("</think>", "fresh"))),
    inside="text",
    template="stated",
)

QUOTES: Final = "\"'"
KEY: Final = Capture((Field("key", unquote=True),), stops="<\n", quotes=QUOTES)

STEP3_TOOLS: Final = Format(
    name="step3",
    about="StepFun Step-3 calls: StepTML invokes in a section",
    tools=True,
    terminals=(
        Terminal("SECTION", ("<｜tool_calls_begin｜>",)),
        Terminal("SECTION_END", ("<｜tool_calls_end｜>",)),
        Terminal("CALL", ("<｜tool_call_begin｜>",)),
        Terminal("CALL_END", ("<｜tool_call_end｜>",)),
        Terminal("SEPARATOR", ("<｜tool_sep｜>",)),
        Terminal("INVOKE", ("<steptml:invoke name=",)),
        Terminal("NAME_END", (">",)),
        Terminal("INVOKE_END", ("</steptml:invoke>",)),
        Terminal("PARAMETER", ("<steptml:parameter name=",)),
        Terminal("KEY_END", (">",)),
        Terminal("PARAMETER_END", ("</steptml:parameter>",)),
    ),
    regions=(
        CONTENT,
        Region("preamble", Gap(), "call", trial="opening"),
        Region("type", Capture(stops="\n<{"), "call", trial="opening"),
        Region("typed", Gap(), "call", trial="opening"),
        Region("name", Capture((Field("name", unquote=True),), stops="<\n", quotes=QUOTES), "call", trial="opening"),
        Region("arguments", Gap(), "call"),
        Region("junk", Text(), "none"),  # text between parameters
        Region("key", KEY, "call"),
        Region("value", Value(), "call"),
        Region("closing", Gap(), "call", trial="closing"),  # behind a parameter's end
        Region("next_key", KEY, "call", trial="closing"),
        Region("closing_invoke", Gap(), "call", trial="closing"),  # behind an invoke's end inside a value
        Region("closing_call", Gap(), "call", trial="closing"),  # behind a call's end inside a value
        Region("closing_section", Gap(), "call", trial="closing"),  # behind the section's end inside a value
        Region("between", Gap(), "call"),  # behind an invoke, in a section
        Region("stray", Text(), "none"),  # text in a section that belongs to no call
        Region("after", Gap(touches=True), "content"),  # behind the section
    ),
    rows=rows("""
        content          SECTION        -> preamble
        preamble         CALL           -> type
        type             SEPARATOR      -> typed
        preamble type typed  INVOKE     -> name
        name             NAME_END       -> arguments       do=call when=name

        arguments junk   PARAMETER      -> key
        arguments junk   INVOKE_END     -> between         do=end
        arguments junk   CALL_END       -> between         do=end odd=missing_end
        arguments junk   SECTION_END    -> after           do=end odd=missing_end
        arguments junk   INVOKE         -> name            do=end odd=missing_end
        arguments junk   CALL           -> type            do=end odd=missing_end
        arguments junk   SECTION        -> preamble        do=end odd=missing_end
        arguments        @text          -> junk            odd=stray_text
        key              KEY_END        -> value           when=key
        key              KEY_END        -> junk            odd=malformed
        key              @bad           -> junk

        value            PARAMETER_END  -> closing
        closing          PARAMETER INVOKE_END CALL_END SECTION_END INVOKE CALL SECTION -> arguments  keep
        value            PARAMETER      -> next_key
        next_key         KEY_END        -> value           when=key:new_key odd=missing_end
        value            INVOKE_END     -> closing_invoke  do=end odd=missing_end
        closing_invoke   CALL_END SECTION_END INVOKE CALL SECTION -> between  keep
        value            CALL_END       -> closing_call    do=end odd=missing_end
        closing_call     SEPARATOR SECTION_END CALL SECTION -> between  keep
        value            SECTION_END    -> closing_section do=end odd=missing_end
        closing_section  SECTION        -> after           keep

        between stray    CALL_END SEPARATOR -> between
        between stray    CALL           -> type
        between stray    INVOKE         -> name
        between stray    SECTION_END    -> after
        between stray    SECTION        -> preamble
        between          @text          -> stray           odd=stray_text

        after            SECTION        -> preamble
        after            @text          -> content
    """),
    template="stated",
)
