"""ERNIE 4.5: thoughts, an answer between two tokens, and calls as JSON.

    output    = reasoning (answer | text)? call*
    reasoning = "<think>"? text "</think>"
    answer    = "<response>" text "</response>"
    call      = "<tool_call>" {"name": NAME, "arguments": ARGUMENTS} "</tool_call>"

The tokens around the answer mean nothing, with or without each other: what is between them is content, and so is what is
not. Both halves know them, so that either one reads an answer alone.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.grammar import Envelope, Format, Row, Terminal
from unbraid.core.notation import rows
from unbraid.formats.hermes import wrapped_half
from unbraid.formats.qwen import NEWLINE, NEWLINES, think_half

SPECIALS: Final = ("<|im_start|>", "<|im_end|>", "</s>")

ANSWER: Final = (
    Terminal("RESPONSE", ("<response>",), before=NEWLINES, after=NEWLINE),
    Terminal("RESPONSE_END", ("</response>",), before=NEWLINE, after=NEWLINE),
)


def _answering(half: Format, table: tuple[Row, ...]) -> Format:
    """A half that knows the tokens around the answer; `table`: where."""
    return evolve(half, terminals=(*half.terminals, *ANSWER), rows=(*half.rows, *table))


ERNIE45_REASONING: Final = _answering(
    evolve(
        think_half(
            "ernie45",
            "Baidu ERNIE 4.5 reasoning: always on, the answer in <response>",
            before_end=NEWLINE,
            after_end=NEWLINES,
            specials=SPECIALS,
            template="stated",
        ),
        inside="text",  # only </think> ends it
    ),
    rows("fresh content  RESPONSE RESPONSE_END -> @same"),
)

ERNIE45_TOOLS: Final = _answering(
    wrapped_half(
        "ernie45",
        "Baidu ERNIE 4.5 calls: JSON in <tool_call>",
        envelope=Envelope(arguments=("arguments",)),
        specials=SPECIALS,
        template="stated",
    ),
    rows("content ended after  RESPONSE RESPONSE_END -> @same"),
)
