"""Calls as invokes with parameters in a section: what DSML, GigaChat and MiniMax M2 have in common.

    section   = "<section>" invoke* "</section>"
    invoke    = "<invoke name=" name ">" parameter* "</invoke>"
    parameter = "<parameter name=" key ">" value "</parameter>"

Inside a value only a whole legal ending counts: `</parameter>` before something that may follow it, `</invoke>` or
`</section>` before an opener or the end, `<parameter name=KEY>` if KEY is a declared parameter that was not given yet.
Between values every marker counts, and an outer closer stands for a missing inner one. Text inside a section that belongs
to no call is for nobody.

Models leave the section out, so an invoke also counts where text may stand, but not inside reasoning. Text behind such a
lone invoke is content; that is why its regions are there twice.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from unbraid.core.compose import CONTENT, Templates
from unbraid.core.grammar import Capture, Field, Format, Gap, Region, Row, Terminal, Text, Value
from unbraid.core.notation import rows

SECTIONS: Final = rows("""
    content          SECTION      -> preamble
    content          INVOKE       -> lone_name     odd=missing_start
    preamble         INVOKE       -> name

    between stray    INVOKE       -> name
    between stray    SECTION_END  -> after
    between stray    SECTION      -> preamble
    between          @text        -> stray         odd=stray_text

    lone_between     INVOKE       -> lone_name
    lone_between     SECTION_END  -> after
    lone_between     SECTION      -> preamble
    lone_between     @text        -> content

    after            SECTION      -> preamble
    after            INVOKE       -> lone_name     odd=missing_start
    after            @text        -> content
""")

INVOKE: Final = """
    ~name            NAME_END       -> ~arguments  do=call when=name

    ~arguments ~junk PARAMETER      -> ~key
    ~arguments ~junk INVOKE_END     -> ~between    do=end
    ~arguments ~junk SECTION_END    -> after       do=end odd=missing_end
    ~arguments ~junk INVOKE         -> ~name       do=end odd=missing_end
    ~arguments ~junk SECTION        -> preamble    do=end odd=missing_end
    ~arguments       @text          -> ~junk       odd=stray_text
    ~key             KEY_END        -> ~value      when=key
    ~key             KEY_END        -> ~junk       odd=malformed
    ~key             @bad           -> ~junk

    ~value           PARAMETER_END  -> ~closing
    ~closing         PARAMETER INVOKE_END SECTION_END INVOKE SECTION -> ~arguments  keep
    ~value           PARAMETER      -> ~next_key
    ~next_key        KEY_END        -> ~value      when=key:new_key odd=missing_end
    ~value           INVOKE_END     -> ~closing_invoke   do=end odd=missing_end
    ~closing_invoke  SECTION_END INVOKE SECTION -> ~between  keep
    ~value           SECTION_END    -> ~closing_section  do=end odd=missing_end
    ~closing_section SECTION      -> after       keep
"""
"""The rows of an invoke; `~` stands for nothing, or for `lone_`."""


@frozen
class Tags:
    """How a format spells its tags. `name`, `key`: what stands between an opener and its `>`."""

    section: tuple[str, ...]
    section_end: tuple[str, ...]
    invoke: tuple[str, ...]
    invoke_end: tuple[str, ...]
    parameter: tuple[str, ...]
    parameter_end: tuple[str, ...]
    name: tuple[Field, ...] = (Field("name", unquote=True),)
    key: tuple[Field, ...] = (Field("key", unquote=True),)
    quotes: str = "\"'"


def invoke_half(
    name: str,
    about: str,
    tags: Tags,
    *,
    aliases: tuple[str, ...] = (),
    value: Value = Value(),  # noqa: B008 -- a frozen record
    before: tuple[str, ...] = (),
    dedicated: bool = False,
    specials: tuple[str, ...] = (),
    template: Templates = "none",
) -> Format:
    """A tool half of invokes. `before`: white space that belongs to a section's opener; `dedicated`: the section's markers
    are tokens of their own."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        tools=True,
        terminals=(
            Terminal("SECTION", tags.section, before=before, dedicated=dedicated),
            Terminal("SECTION_END", tags.section_end, dedicated=dedicated),
            Terminal("INVOKE", tags.invoke, before=before),
            Terminal("NAME_END", (">",)),
            Terminal("INVOKE_END", tags.invoke_end),
            Terminal("PARAMETER", tags.parameter),
            Terminal("KEY_END", (">",)),
            Terminal("PARAMETER_END", tags.parameter_end),
        ),
        regions=(
            CONTENT,
            *_section_regions(),
            *_invoke_regions("", tags, value),
            *_invoke_regions("lone_", tags, value),
        ),
        rows=(*SECTIONS, *_invoke_rows(""), *_invoke_rows("lone_")),
        specials=specials,
        template=template,
    )


def _section_regions() -> tuple[Region, ...]:
    return (
        Region("preamble", Gap(), "call", trial="opening"),
        Region("between", Gap(), "call"),  # behind </invoke>, in a section
        Region("stray", Text(), "none"),  # text in a section that belongs to no call
        Region("lone_between", Gap(touches=True), "content"),  # behind </invoke>, outside of any section
        Region("after", Gap(touches=True), "content"),  # behind </section>
    )


def _invoke_rows(lone: str) -> tuple[Row, ...]:
    return rows(INVOKE.replace("~", lone))


def _invoke_regions(lone: str, tags: Tags, value: Value) -> tuple[Region, ...]:
    return (
        Region(f"{lone}name", Capture(tags.name, stops="<\n", quotes=tags.quotes), "call", trial="opening"),
        Region(f"{lone}arguments", Gap(), "call"),
        Region(f"{lone}junk", Text(), "none"),
        Region(f"{lone}key", Capture(tags.key, stops="<\n", quotes=tags.quotes), "call"),
        Region(f"{lone}value", value, "call"),
        Region(f"{lone}closing", Gap(), "call", trial="closing"),  # behind </parameter>
        Region(f"{lone}next_key", Capture(tags.key, stops="<\n", quotes=tags.quotes), "call", trial="closing"),
        Region(f"{lone}closing_invoke", Gap(), "call", trial="closing"),  # behind </invoke> inside a value
        Region(f"{lone}closing_section", Gap(), "call", trial="closing"),  # behind </section> inside a value
    )
