"""DeepSeek V3, R1-0528 and V3.1 calls: sections of names and JSON.

    section = "<｜tool▁calls▁begin｜>" call+ "<｜tool▁calls▁end｜>"
    V3      = "<｜tool▁call▁begin｜>" "function" "<｜tool▁sep｜>" name "\\n```json\\n" json "\\n```" "<｜tool▁call▁end｜>"
    V3.1    = "<｜tool▁call▁begin｜>" name "<｜tool▁sep｜>" json "<｜tool▁call▁end｜>"

V3 and R1-0528 write a line break between calls, V3.1 nothing. Nothing around a section is framing. The fence may be
missing behind the JSON, and inside its strings it is data.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.grammar import Capture, Field, Format, Region, Terminal
from unbraid.core.notation import rows
from unbraid.formats.delimited import DEEPSEEK_SPECIALS
from unbraid.formats.sections import SECTION_REGIONS, SECTIONS

NAME: Final = Capture((Field("name"),), stops="\n<{")

DEEPSEEK_V31: Final = Format(
    name="deepseek_v31",
    about="DeepSeek-V3.1 calls: sections of names and JSON",
    aliases=("deepseekv31", "deepseek31", "deepseek_v3_1", "deepseek3", "cogito"),
    tools=True,
    terminals=(
        Terminal("SECTION", ("<｜tool▁calls▁begin｜>",), dedicated=True),
        Terminal("SECTION_END", ("<｜tool▁calls▁end｜>",), dedicated=True),
        Terminal("CALL", ("<｜tool▁call▁begin｜>",), dedicated=True),
        Terminal("CALL_END", ("<｜tool▁call▁end｜>",), dedicated=True),
        Terminal("SEPARATOR", ("<｜tool▁sep｜>",), dedicated=True),
    ),
    regions=(*SECTION_REGIONS, Region("header", NAME, "call", trial="opening")),
    rows=(*SECTIONS, *rows("header  SEPARATOR -> arguments  do=call when=name")),
    specials=DEEPSEEK_SPECIALS,
    template="real",
)

FENCED: Final = rows("""
    header      SEPARATOR   -> name
    name        FENCE       -> arguments  do=call when=name
    arguments   FENCED_END  -> between    do=end
    called      FENCE_END   -> called
""")

DEEPSEEK_V3: Final = evolve(
    DEEPSEEK_V31,
    name="deepseek_v3",
    about="DeepSeek-V3 and R1-0528 calls: sections of names and fenced JSON",
    aliases=("deepseekv3", "deepseek"),
    terminals=(
        *DEEPSEEK_V31.terminals,
        Terminal("FENCE", ("\n```json\n",)),
        Terminal("FENCE_END", ("```",)),
        Terminal("FENCED_END", ("```<｜tool▁call▁end｜>",)),
    ),
    regions=(
        *SECTION_REGIONS,
        Region("header", Capture(stops="\n<{"), "call", trial="opening"),  # the type, always "function"
        Region("name", NAME, "call", trial="opening"),
    ),
    rows=(*SECTIONS, *FENCED),
    template="real",
)
