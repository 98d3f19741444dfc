"""Llama JSON: calls without a marker.

    output = "<|python_tag|>"? call ((";" " "?)? call)*
    call   = {"name": NAME, "parameters": ARGUMENTS}

Only an object at the very beginning of the answer can be a call, and only once its name and the key of its arguments
were read; anything else is the answer itself. So is what a call's opener turns out to be if no call follows, such as code
behind "<|python_tag|>". What follows a call is content, unless it is another one.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.grammar import Envelope, Format, Gap, Region, Terminal
from unbraid.core.notation import rows

UNMARKED: Final = rows("""
    fresh   PYTHON_TAG  -> tagged
    fresh   BRACE       -> call       keep
    tagged  BRACE       -> call       keep
    call    @closed     -> ended
    call    @bad        -> content    # broken JSON behind its name: no marker could end it
    ended   SEMICOLON   -> separated
    ended   BRACE       -> call       keep            # Llama 3.2: one call a line
    ended   @text       -> content
    separated  BRACE    -> call       keep
""")

UNMARKED_CALL: Final = Envelope(arguments=("parameters", "arguments"), commit="arguments")

LLAMA3_JSON: Final = Format(
    name="llama3_json",
    about="Llama 3 calls: bare JSON objects",
    aliases=("llama3", "llama"),
    tools=True,
    terminals=(
        Terminal("PYTHON_TAG", ("<|python_tag|>",), dedicated=True),
        Terminal("BRACE", ("{",)),
        Terminal("SEMICOLON", ("; ", ";")),
    ),
    regions=(
        CONTENT,
        FRESH,
        Region("tagged", Gap(), "call", trial="opening", at_end="text"),
        Region("call", UNMARKED_CALL, "call", trial="opening", at_end="text"),
        Region("ended", Gap(touches=True), "content"),
        Region("separated", Gap(), "call", trial="opening", at_end="text"),
    ),
    rows=(FRESH_ROW, *UNMARKED),
    specials=(
        *("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>"),
        *("<|eom_id|>", "<|eot_id|>"),
    ),
    unmarked=True,
    template="real",
)

LLAMA4_JSON: Final = evolve(
    LLAMA3_JSON,
    name="llama4_json",
    about="Llama 4 calls: bare JSON objects",
    aliases=(),
    # Its vocabulary has other tokens around code.
    terminals=tuple(evolve(terminal, dedicated=False) for terminal in LLAMA3_JSON.terminals),
    specials=(
        *("<|begin_of_text|>", "<|end_of_text|>", "<|header_start|>", "<|header_end|>"),
        *("<|eom|>", "<|eot|>", "<|python_start|>", "<|python_end|>"),
    ),
    template="real",
)
