"""MiniCPM-V: Qwen3's reasoning, and reserved tokens that mean nothing.

    reasoning = "<think>"? text "</think>"

The reserved tokens appear in text and in thoughts, some of them spelled; they are for nobody. Calls are Qwen3-Coder's.
The model also writes line breaks as a backslash and a letter; that is left to who shows the text.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.grammar import Terminal
from unbraid.core.notation import rows
from unbraid.formats.qwen import QWEN3

NUMBERS: Final = (12, 13, 14, 15)
RESERVED: Final = (
    *(f"<reserved_{number}>" for number in NUMBERS),
    *(f"<|reserved_{number}|>" for number in NUMBERS),
)

MINICPMV: Final = evolve(
    QWEN3,
    name="minicpmv",
    about="OpenBMB MiniCPM-V reasoning: Qwen3's, with reserved tokens",
    aliases=(),
    terminals=(*QWEN3.terminals, Terminal("RESERVED", RESERVED)),
    rows=(*QWEN3.rows, *rows("fresh content opened reasoning  RESERVED -> @same")),
    template="stated",
)
