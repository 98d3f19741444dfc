"""Hermes JSON: each call is a JSON object between two markers.

    call = "<tool_call>" {"name": NAME, "arguments": ARGUMENTS} "</tool_call>"

The call ends with its object, so a missing end marker costs nothing. Inside the object's strings markers are data.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, Templates
from unbraid.core.grammar import Envelope, Format, Gap, Region, Terminal, Text
from unbraid.core.notation import rows

WRAPPED: Final = rows("""
    content             TOOL_START  -> call
    call                @closed     -> ended
    call                TOOL_END    -> after             # in the middle of the object
    call                TOOL_START  -> broken   keep     # a call that breaks off, and the next one
    call                @bad        -> broken
    broken              TOOL_END    -> after
    broken              TOOL_START  -> call
    ended               TOOL_END    -> after
    ended after         TOOL_START  -> call
    ended after         @text       -> content
""")


def wrapped_half(
    name: str,
    about: str,
    *,
    aliases: tuple[str, ...] = (),
    start: tuple[str, ...] = ("<tool_call>",),
    end: tuple[str, ...] = ("</tool_call>",),
    envelope: Envelope = Envelope(),
    before: tuple[str, ...] = ("\n",),
    edge: tuple[str, ...] = ("\n",),
    dedicated: bool = False,
    specials: tuple[str, ...] = (),
    template: Templates = "none",
) -> Format:
    """A tool half of wrapped JSON. `before`: white space that belongs to an opener; `edge`: to the inner edges; `dedicated`:
    the markers are tokens of their own."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        tools=True,
        terminals=(
            Terminal("TOOL_START", start, before=before, after=edge, dedicated=dedicated),
            Terminal("TOOL_END", end, before=edge, dedicated=dedicated),
        ),
        regions=(
            CONTENT,
            Region("call", envelope, "call", trial="opening"),
            Region("broken", Text(), "none"),  # the rest of a call that is no JSON, up to the end of its block
            Region("ended", Gap(touches=True), "content"),
            Region("after", Gap(touches=True), "content"),
        ),
        rows=WRAPPED,
        specials=specials,
        template=template,
    )


HERMES: Final = wrapped_half(
    "hermes",
    "Hermes 2 Pro, Qwen2.5, QwQ and Qwen3 calls: JSON in <tool_call>",
    aliases=(
        *("qwen3_json", "qwen", "qwen25", "qwen3", "qwen3-thinking", "json_tools"),
        *("qwen3-vl-instruct", "qwen3-vl-thinking", "trinity"),
    ),
    specials=("<|im_start|>", "<|im_end|>", "<|endoftext|>"),
    template="real",
)

LONGCAT: Final = wrapped_half(
    "longcat",
    "LongCat-Flash calls: JSON in <longcat_tool_call>",
    start=("<longcat_tool_call>",),
    end=("</longcat_tool_call>",),
    template="stated",
)
