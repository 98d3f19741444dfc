"""Mistral: calls behind `[TOOL_CALLS]`, in two spellings, and reasoning in `[THINK]`.

    reasoning = "[THINK]" text "[/THINK]"                           v13 (Magistral, Ministral 3); v11: "<think>", as text
    call      = "[TOOL_CALLS]" name ("[CALL_ID]" id)? "[ARGS]" arguments                                      v11 and v13
    calls     = "[TOOL_CALLS]" (object | "[" object ("," object)* "]")                                     older, an array
    object    = {"name": NAME, "arguments": ARGUMENTS, "id": ID}

Nothing closes a call but its JSON, so what follows is content. `mistral` reads both spellings; `mistral_json` only the
array, so that a stray opener costs nothing there. Which generation a model is of shows its vocabulary: `[THINK]` came with
v13, `[ARGS]` with v11.

The template writes no white space, and thoughts may stand anywhere in a message.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, FRESH, Templates
from unbraid.core.grammar import (
    Capture,
    Choice,
    Envelope,
    Field,
    Format,
    Gap,
    Ids,
    Json,
    Region,
    Row,
    Start,
    Terminal,
    Text,
)
from unbraid.core.notation import rows

SPECIALS: Final = ("<s>", "</s>", "[INST]", "[/INST]")
TURNS: Final = ("[/INST]", "[/TOOL_RESULTS]", "[/SYSTEM_PROMPT]", "[/AVAILABLE_TOOLS]")

THINKING: Final = rows("""
    opened            @text        -> reasoning
    opened reasoning  THINK_END    -> fresh
    opened reasoning  THINK_START  -> @same
    fresh             @text        -> content
    fresh             THINK_START  -> opened
    fresh content     THINK_END    -> @same     odd=duplicate_end
""")

AGAIN: Final = rows("""
    content           THINK_START  -> opened    # a token of its own is no text
""")


def think_half(
    name: str,
    about: str,
    start: str,
    end: str,
    table: tuple[Row, ...],
    *,
    aliases: tuple[str, ...] = (),
    dedicated: bool = False,
    choices: tuple[Choice, ...] = (),
    template: Templates = "none",
) -> Format:
    """Reasoning that the model opens by itself: generation starts in content."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        reasoning=True,
        terminals=(
            Terminal("THINK_START", (start,), dedicated=dedicated),
            Terminal("THINK_END", (end,), dedicated=dedicated),
        ),
        regions=(FRESH, CONTENT, Region("opened", Gap(), "reasoning"), Region("reasoning", Text(), "reasoning")),
        rows=table,
        start=Start("fresh", "fresh", scan=((start, "opened"), (end, "fresh")), stops=TURNS),
        specials=SPECIALS,
        choices=choices,
        template=template,
    )


MISTRAL_REASONING: Final = think_half(
    "mistral",
    "Mistral reasoning: [THINK] blocks",
    "[THINK]",
    "[/THINK]",
    (*THINKING, *AGAIN),
    aliases=("ministral", "mistral_v13"),
    dedicated=True,
    choices=(
        Choice("mistral_v11", has=("[ARGS]",), lacks=("[THINK]",)),
        Choice("identity", lacks=("[ARGS]", "[THINK]")),
    ),
    template="real",
)

MISTRAL_V11_REASONING: Final = think_half(
    "mistral_v11",
    "Mistral reasoning before [THINK]: <think> blocks, written as text",
    "<think>",
    "</think>",
    THINKING,
    template="stated",
)

TOOL_CALLS: Final = Terminal("TOOL_CALLS", ("[TOOL_CALLS]",), dedicated=True)

IDS: Final = Ids("pattern", "{alnum9}")
"""The template takes no ids of another length."""

ENVELOPE: Final = Envelope(arguments=("arguments",), call_id=("id",), shape="either")

ARRAY: Final = rows("""
    calls      TOOL_CALLS  -> ended      keep    # in the middle of the array
    calls      @closed     -> ended
    calls      @bad        -> content            # no marker could end what is broken
    ended      @text       -> content
""")

MISTRAL_TOOLS: Final = Format(
    name="mistral",
    about="Mistral calls: a name and its arguments behind [TOOL_CALLS], or an array",
    aliases=("ministral", "mistral_v11", "mistral_v13"),
    tools=True,
    terminals=(
        TOOL_CALLS,
        Terminal("CALL_ID", ("[CALL_ID]",)),
        Terminal("ARGS", ("[ARGS]",), dedicated=True),
        Terminal("BRACE", ("{",)),
        Terminal("BRACKET", ("[",)),
    ),
    regions=(
        CONTENT,
        Region("name", Capture((Field("name"),), stops='"(<]}'), "call", trial="opening"),
        Region("id", Capture((Field("id"),), stops='\n"(<]}['), "call", trial="opening"),
        Region("calls", ENVELOPE, "call", trial="opening"),
        Region("arguments", Json(), "call"),
        Region("ended", Gap(touches=True), "content"),
    ),
    rows=(
        *rows("""
            content    TOOL_CALLS  -> name
            name       BRACE BRACKET -> calls    keep when=name!
            name       CALL_ID     -> id         when=name
            name       ARGS        -> arguments  do=call when=name
            name       BRACE       -> arguments  keep do=call when=name    # without [ARGS]
            id         ARGS        -> arguments  do=call
            id         BRACE       -> arguments  keep do=call
            arguments  TOOL_CALLS  -> ended      keep do=end    # in the middle of the arguments
            arguments  @closed     -> ended
            arguments  @bad        -> content
            ended      TOOL_CALLS  -> name
        """),
        *ARRAY,
    ),
    specials=SPECIALS,
    ids=IDS,
    choices=(Choice("mistral_json", lacks=("[ARGS]",)),),
    template="real",
)

MISTRAL_JSON: Final = Format(
    name="mistral_json",
    about="Mistral calls before v11: an array of objects behind [TOOL_CALLS]",
    tools=True,
    terminals=(TOOL_CALLS,),
    regions=(
        CONTENT,
        Region("calls", ENVELOPE, "call", trial="opening"),
        Region("ended", Gap(touches=True), "content"),
    ),
    rows=(
        *rows("""
            content ended  TOOL_CALLS  -> calls
        """),
        *ARRAY,
    ),
    specials=SPECIALS,
    ids=IDS,
    template="real",
)
