"""Gemma 4: a channel of thoughts, and calls with arguments in braces.

    output  = thoughts? text (call text)*
    thoughts = "<|channel>" "thought\\n"? text "<channel|>"
    call    = "<|tool_call>" "call:" name ("{" pairs "}" | "(" pairs ")") "<tool_call|>"
    pairs   = [ key (":" | "=") value ("," ...)* ]          strings between two "<|\\"|>", objects, arrays, bare words

The model opens the channel itself, anywhere in the content; behind a tool's result it sometimes leaves the opener out, so
that an answer which begins with the label `thought` is thoughts. Calls end them. A quote inside a string is data unless
something that may follow a string stands behind it; the model writes it where it means a quotation mark. Strings alone are
in quotes: of what is bare the tool's schema says what it is, and without one numbers and constants are what they are.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import WHITESPACE, Braces, Capture, Field, Format, Gap, Region, Start, Switch, Terminal, Text
from unbraid.core.notation import rows

THOUGHTS: Final = rows("""
    fresh                        @text        -> content
    fresh                        THOUGHT      -> reasoning    odd=missing_start
    fresh content ended          THINK_START  -> opened
    fresh content ended          THINK_END    -> @same        odd=duplicate_end
    opened                       THOUGHT      -> reasoning
    opened                       @text        -> reasoning
    opened reasoning             THINK_START  -> @same
    opened reasoning             THINK_END    -> answer
    answer                       @text        -> content
    answer                       THINK_START  -> opened
    answer                       THINK_END    -> @same        odd=duplicate_end
""")

CALLS: Final = rows("""
    fresh content opened reasoning answer ended  TOOL_START  -> preamble
    fresh content answer                         TOOL_END    -> @same      odd=missing_start
    preamble    CALL        -> name
    preamble    COLON       -> name                      # `:run{` instead of `call:run{`
    preamble    TOOL_END    -> ended      odd=malformed  # an empty call vanishes
    name        OPEN        -> arguments  keep do=call when=name
    name        TOOL_END    -> bare       keep do=call when=name   # no arguments, and no braces either
    bare        TOOL_END    -> ended      do=end
    bare        @text       -> junk       do=end
    arguments   @closed     -> closed
    arguments   TOOL_END    -> ended      do=end
    arguments   TOOL_START  -> junk       keep do=end    # a call that breaks off, and the next one
    arguments   @bad        -> junk
    junk        TOOL_END    -> ended
    junk        TOOL_START  -> preamble
    closed      TOOL_END    -> ended
    closed      TOOL_START  -> preamble
    closed      THINK_START -> opened
    closed      THINK_END   -> @same      odd=duplicate_end
    closed ended  @text     -> content
""")

GEMMA4: Final = Format(
    name="gemma4",
    about="Google Gemma 4: a channel of thoughts; calls with arguments in braces",
    aliases=("gemma4-no-thinking", "gemma_4", "gemma-4"),
    reasoning=True,
    tools=True,
    terminals=(
        Terminal("THINK_START", ("<|channel>",), dedicated=True),
        Terminal("THOUGHT", ("thought\n",)),
        Terminal("THINK_END", ("<channel|>",), before=("\n",), dedicated=True),
        Terminal("TOOL_START", ("<|tool_call>",), dedicated=True),
        Terminal("TOOL_END", ("<tool_call|>",), dedicated=True),
        Terminal("CALL", ("call:",)),
        Terminal("COLON", (":",)),
        Terminal("OPEN", ("{", "(")),
    ),
    regions=(
        FRESH,
        CONTENT,
        Region("opened", Gap(), "reasoning"),
        Region("reasoning", Text(), "reasoning"),
        Region("answer", Gap(), "content"),  # behind thoughts: like fresh, without the label
        Region("preamble", Gap(), "call", trial="opening"),
        Region("name", Capture((Field("name"),), stops=WHITESPACE + "<"), "call", trial="opening"),
        Region("bare", Gap(), "call"),
        Region("arguments", Braces("{(", "})", ":=", '<|"|>', inner='"'), "call"),
        Region("junk", Text(), "none"),
        Region("closed", Gap(touches=True), "content"),
        Region("ended", Gap(touches=True), "content"),
    ),
    rows=(*THOUGHTS, *CALLS),
    start=Start(
        "opened",
        "fresh",
        # Whatever the switch says: the model opens the channel itself, unless the prompt did.
        (Switch(("enable_thinking",), off=(True, False, None), absent="off"),),
        scan=(("<|channel>", "opened"), ("<channel|>", "answer")),
        stops=("<|turn>", "<|tool_call>", "<|tool_response>", "<tool_response|>"),
    ),
    specials=("<bos>", "<eos>", "<pad>", "<|turn>", "<turn|>", "<|tool_response>", "<tool_response|>", '<|"|>'),
    template="real",
)
