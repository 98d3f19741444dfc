"""Arrays of calls: Jamba's between two markers, xLAM's in four ways.

    array    = "[" object ("," object)* "]"                 object = {"name": NAME, "arguments": ARGUMENTS}
    jamba    = "<tool_calls>" array "</tool_calls>"
    xlam     = array | "```json" array "```" | "<tool_call>" array "</tool_call>" | "[TOOL_CALLS]" array

xLAM's bare array counts only at the very beginning of the answer, and like the one in a fence only once the name of its
first call and the key of its arguments were read: JSON in a fence is an ordinary answer, and so is an array. What both are
known by is a bracket and a brace behind it, at once or on the next line, so that `[]` and `[1]` are no calls. xLAM has no
thoughts of its own; in those of another half its arrays are text.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.grammar import Envelope, Format, Gap, Region, Terminal, Text
from unbraid.core.notation import rows
from unbraid.formats.hermes import wrapped_half

ARRAY: Final = Envelope(arguments=("arguments",), shape="array")

JAMBA: Final = wrapped_half(
    "jamba",
    "AI21 Jamba calls: a JSON array in <tool_calls>",
    start=("<tool_calls>",),
    end=("</tool_calls>",),
    envelope=ARRAY,
    before=(),
    edge=(),
    dedicated=True,
    specials=("<|startoftext|>", "<|endoftext|>"),
    template="stated",
)

INDENTS: Final = ("", " ", "\n", *("\n" + " " * width for width in range(1, 9)), "\n\t")
"""What may stand between the bracket of an array without a marker and its first brace."""

UNMARKED: Final = evolve(ARRAY, commit="arguments")

XLAM: Final = Format(
    name="xlam",
    about="Salesforce xLAM calls: a JSON array, bare, fenced, or behind a marker",
    tools=True,
    terminals=(
        Terminal("ARRAY", tuple(f"[{indent}{{" for indent in INDENTS)),
        Terminal("FENCE", ("```json",), before=("\n",), after=("\n",)),
        Terminal("FENCE_END", ("```",), before=("\n",)),
        Terminal("TOOL_CALLS", ("[TOOL_CALLS]",)),
        Terminal("TOOL_START", ("<tool_call>",), before=("\n",), after=("\n",)),
        Terminal("TOOL_END", ("</tool_call>",), before=("\n",)),
    ),
    regions=(
        CONTENT,
        FRESH,
        Region("bare", UNMARKED, "call", trial="opening", at_end="text"),
        Region("fence", Gap(), "call", trial="opening", at_end="text"),
        Region("fenced", UNMARKED, "call", trial="opening", at_end="text"),
        Region("listed", ARRAY, "call", trial="opening"),
        Region("tagged", ARRAY, "call", trial="opening"),
        Region("broken_fence", Text(), "none"),  # the rest of calls that are no JSON, up to the end of their block
        Region("broken_tag", Text(), "none"),
        Region("fence_ended", Gap(touches=True), "content"),
        Region("tag_ended", Gap(touches=True), "content"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=(
        FRESH_ROW,
        *rows("""
            fresh           ARRAY       -> bare      keep
            bare            @closed     -> after
            bare            @bad        -> content            # no marker could end it

            content         FENCE       -> fence
            fence           ARRAY       -> fenced    keep
            fenced          @closed     -> fence_ended
            fenced          FENCE_END   -> after              # in the middle of the array
            fenced          @bad        -> broken_fence
            broken_fence    FENCE_END   -> after
            fence_ended     FENCE_END   -> after

            content         TOOL_CALLS  -> listed
            listed          TOOL_CALLS  -> after     keep     # calls that break off, and the next ones
            listed          @closed     -> after
            listed          @bad        -> content

            content         TOOL_START  -> tagged
            tagged          @closed     -> tag_ended
            tagged          TOOL_END    -> after
            tagged          TOOL_START  -> broken_tag  keep
            tagged          @bad        -> broken_tag
            broken_tag      TOOL_END    -> after
            broken_tag      TOOL_START  -> tagged
            tag_ended       TOOL_END    -> after
            tag_ended       TOOL_START  -> tagged

            after           FENCE       -> fence
            after           TOOL_CALLS  -> listed
            after           TOOL_START  -> tagged
            after fence_ended tag_ended  @text  -> content
        """),
    ),
    specials=("<|im_start|>", "<|im_end|>", "<|endoftext|>"),
    inside="text",
    unmarked=True,
    template="real",
)
