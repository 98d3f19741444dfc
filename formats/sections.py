"""Sections of calls: a header with the name, then the arguments as JSON. Kimi K2, DeepSeek V3 and V3.1, PLaMo 3.

    section = SECTION call+ SECTION_END
    call    = CALL header json CALL_END

What a header is, and what stands between it and the JSON, is each format's own: its rows lead from `header` to `arguments`
and announce the call. A call ends with its JSON, so that a missing closer costs nothing, and the next opener stands for
it. Until the first call of a section has its name the section may still be text; behind it, what belongs to no call is for
nobody.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Gap, Json, Region, Text
from unbraid.core.notation import rows

SECTIONS: Final = rows("""
    content                   SECTION       -> section
    section                   CALL          -> header

    arguments                 @closed       -> called
    arguments                 CALL_END      -> between   do=end      # no arguments, or in the middle of them
    arguments                 SECTION_END   -> after     do=end
    arguments                 CALL SECTION  -> junk      keep do=end  # a call that breaks off, and the next one
    arguments                 @bad          -> junk

    called                    CALL_END      -> between
    called                    CALL          -> header    odd=missing_end
    called                    SECTION_END   -> after     odd=missing_end
    between junk              CALL          -> header
    between junk              SECTION_END   -> after
    called between junk       SECTION       -> after     keep
    junk                      CALL_END      -> between
    called between            @text         -> junk      odd=stray_text

    after                     SECTION       -> section
    after                     @text         -> content
""")

SECTION_REGIONS: Final = (
    CONTENT,
    Region("section", Gap(), "call", trial="opening"),
    Region("arguments", Json(), "call"),
    Region("called", Gap(), "call"),  # behind the JSON
    Region("between", Gap(), "call"),  # behind a call
    Region("junk", Text(), "none"),
    Region("after", Gap(touches=True), "content"),  # behind the section
)
"""All but `header`, where a call begins."""
