"""Inkling (Thinking Machines): blocks of a kind, in messages of one model.

    output  = ("<|message_model|>" header)? block*
    block   = kind body ("<|end_message|>" | "<|content_model_end_sampling|>")
    kind    = "<|content_thinking|>" | "<|content_text|>" | "<|content_invoke_tool_json|>" | ...
    body    = text, or of a call {"name": NAME, "args": ARGUMENTS}

The header is what stands between `<|message_model|>` and the kind of the first block, the tool's name once more; it is
for nobody, unless its message ends without a block: then it is the answer itself. Text between blocks is content.
Thoughts in several blocks are one run of reasoning. The prompt ends with `<|message_model|>`.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Capture, Envelope, Format, Gap, Region, Start, Terminal, Text
from unbraid.core.notation import rows

ENDS: Final = ("<|end_message|>", "<|content_model_end_sampling|>")

TABLE: Final = rows("""
    header between content  MODEL    -> header
    header between content  THINK    -> opened
    header between content  TEXT     -> content    # also what a tool says, or its error
    header between content opened reasoning  TOOL -> payload

    header             @bad         -> content     release
    header             END          -> content     release    # an answer without a block
    opened             @text        -> reasoning
    opened reasoning   THINK        -> @same
    opened reasoning content payload broken called between  END -> between
    between            @text        -> content

    payload            BRACE        -> call        keep
    payload            @text        -> broken      odd=malformed
    call               @closed      -> called
    call               END          -> called      keep       # in the middle of the object
    call               @bad         -> broken
    called             @text        -> broken      odd=stray_text
""")

INKLING: Final = Format(
    name="inkling",
    about="Thinking Machines Inkling: blocks of thought, text and calls",
    reasoning=True,
    tools=True,
    terminals=(
        Terminal("MODEL", ("<|message_model|>",), dedicated=True),
        Terminal("THINK", ("<|content_thinking|>",), dedicated=True),
        Terminal(
            "TEXT", ("<|content_text|>", "<|content_invoke_tool_text|>", "<|content_tool_error|>"), dedicated=True
        ),
        Terminal("TOOL", ("<|content_invoke_tool_json|>",), dedicated=True),
        Terminal("END", ENDS, dedicated=True, last=ENDS[1:]),
        Terminal("BRACE", ("{",)),
    ),
    regions=(
        CONTENT,
        Region("header", Capture(release=True), "none"),
        Region("opened", Gap(), "reasoning"),
        Region("reasoning", Text(), "reasoning"),
        Region("between", Gap(), "none"),
        Region("payload", Gap(), "none"),  # a call's block, before its object
        Region("call", Envelope(arguments=("args",)), "call", trial="opening"),
        Region("called", Gap(), "none"),
        Region("broken", Text(), "none"),  # the rest of a block that holds no call, or no more of one
    ),
    rows=TABLE,
    start=Start(
        "header",
        "header",
        scan=(("<|message_model|>", "header"), ("<|content_thinking|>", "opened"), ("<|content_text|>", "content")),
        stops=ENDS,
    ),
    template="stated",
)
