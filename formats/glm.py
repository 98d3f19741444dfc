"""GLM and its relatives: a name, then keys and values in tags of their own.

    call  = "<tool_call>" name pair* "</tool_call>"
    pair  = "<arg_key>" key "</arg_key>" "<arg_value>" value "</arg_value>"
    group = "<tool_calls>" call* "</tool_calls>"                                Hunyuan only

The name ends at the first key or at the call's closer (Hunyuan V3 writes "<tool_sep>" there). Values are plain text, typed
by the tool's schema. A value counts as closed only if a key, the call's closer or the end follows. Of two keys in a row the
second one counts; a value whose opener is missing is still a value, because its closer delimits it.

With thinking switched off these models have no reasoning markers at all, and what looks like one is content.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, Templates
from unbraid.core.grammar import (
    Capture,
    Choice,
    Field,
    Format,
    Gap,
    Parameter,
    Region,
    Row,
    Switch,
    Terminal,
    Text,
    Value,
)
from unbraid.core.notation import rows
from unbraid.formats.qwen import NEWLINE, think_half

# ------------------------------------------------------------------------------------------------------------- reasoning

THINKING: Final = Switch(("thinking", "enable_thinking"), off=(False, None, ""))
OFF: Final = Choice("identity", off=(THINKING,))

GLM_TURNS: Final = ("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>")
GLM_SPECIALS: Final = (*GLM_TURNS, "<|endoftext|>", "[gMASK]", "<sop>")

GLM45_REASONING: Final = evolve(
    think_half(
        "glm45",
        "GLM-4.5 to GLM-5 reasoning: <think> blocks, switched by thinking or enable_thinking",
        aliases=("glm47", "glm-4.7", "glm-ocr"),
        before_start=NEWLINE,  # GLM-4.6 begins its turn with a newline
        after_end=NEWLINE,
        switches=(THINKING,),
        stops=GLM_TURNS,
        specials=GLM_SPECIALS,
    ),
    choices=(
        Choice(
            "glm53",
            template_has=("[gMASK]<sop>", "Reasoning Effort:", "<tool_call>", "<arg_key>", "<arg_value>"),
            template_lacks=("enable_thinking",),
        ),
        OFF,
    ),
    template="real",
)

GLM53_REASONING: Final = evolve(
    GLM45_REASONING,
    name="glm53",
    about="GLM-5.3 reasoning: always on",
    aliases=(),
    start=evolve(GLM45_REASONING.start, switches=()),
    choices=(),
    template="stated",
)

LING3_REASONING: Final = evolve(
    think_half(
        "ling3",
        "Ling-3.0 reasoning: <think> blocks, switched by thinking or enable_thinking",
        before_start=NEWLINE,
        switches=(THINKING,),
        stops=("<|role_end|>",),
        specials=("<|role_end|>",),
    ),
    choices=(OFF,),
    template="real",
)

ON_REQUEST: Final = evolve(THINKING, absent="off")

TURN_END: Final = Terminal("TURN_END", ("</assistant>",), before=NEWLINE, last=("</assistant>",))
"""Laguna's template ends each answer with a newline and this."""


def _with_turn_end(half: Format, places: str) -> Format:
    table = rows(f"{places}  TURN_END -> @same")
    return evolve(half, terminals=(*half.terminals, TURN_END), rows=(*half.rows, *table))


POOLSIDE_REASONING: Final = evolve(
    _with_turn_end(
        think_half(
            "poolside_v1",
            "Poolside Laguna reasoning: off unless thinking or enable_thinking is given",
            aliases=("poolside-v1", "laguna"),
            after_start=NEWLINE,
            before_end=NEWLINE,
            after_end=NEWLINE,
            switches=(ON_REQUEST,),
            stops=("<assistant>",),
            specials=(),
        ),
        "fresh content",
    ),
    choices=(Choice("identity", off=(ON_REQUEST,)),),
    template="real",
)

SUFFIX: Final = Parameter("suffix", "vocabulary", prefix="<tool_calls", suffix=">", lead=":")
"""Hunyuan's checkpoints carry one suffix in all their markers, such as `<think:opensource>`."""

NO_THINKING: Final = ("no_think", "none")


def _effort(absent: str) -> Switch:
    return Switch(("reasoning_effort",), off=NO_THINKING, absent="on" if absent == "on" else "off")


def _hunyuan(name: str, about: str, absent: str, aliases: tuple[str, ...] = (), *, template: Templates) -> Format:
    return evolve(
        think_half(
            name,
            about,
            aliases=aliases,
            start="<think{suffix}>",
            end="</think{suffix}>",
            switches=(_effort(absent),),
            stops=(),
            specials=(),
            template=template,
        ),
        parameters=(SUFFIX,),
        choices=(Choice("identity", off=(_effort(absent),)),),
    )


HY_V3_REASONING: Final = _hunyuan(
    "hy_v3", "Tencent Hunyuan 3 reasoning: off unless reasoning_effort is given", "off", template="real"
)
HY_V4_REASONING: Final = _hunyuan(
    "hy_v4",
    "Tencent Hunyuan 4 reasoning: on unless reasoning_effort is no_think",
    "on",
    ("hunyuan",),
    template="stated",
)

# ----------------------------------------------------------------------------------------------------------------- calls

PAIRS: Final = """
    name            KEY TOOL_END -> arguments   keep do=call when=name

    arguments junk  KEY          -> key
    arguments junk  TOOL_END     -> @after      do=end
    arguments junk  TOOL_START   -> name        do=end odd=missing_end
    arguments       @text        -> junk        odd=stray_text
    key             KEY_END      -> keyed       when=key
    key             KEY_END      -> junk        odd=malformed
    key             @bad         -> junk
    keyed           VALUE        -> value
    keyed           KEY          -> key         odd=missing_end
    keyed           TOOL_END     -> @after      do=end odd=missing_end
    keyed           @text        -> value       odd=missing_start      # </arg_value> still delimits it

    value           VALUE_END    -> closing
    closing         KEY TOOL_END TOOL_START -> arguments  keep
    value           KEY          -> next_key
    next_key        KEY_END      -> keyed       when=key:new_key odd=missing_end
    value           TOOL_END     -> closing_call  do=end odd=missing_end
"""
"""The rows inside a call; `@after` is where its closer leads."""

SINGLE: Final = rows("""
    content         TOOL_START   -> name
    closing_call    TOOL_START   -> after       keep
    after           TOOL_START   -> name
    after           @text        -> content
""")

GROUPED: Final = rows("""
    content         GROUP        -> group
    group           TOOL_START   -> name
    name            SEPARATOR    -> arguments   do=call when=name
    arguments junk  GROUP_END    -> after       do=end odd=missing_end
    closing         GROUP_END    -> arguments   keep
    value           GROUP_END    -> closing_group  do=end odd=missing_end
    closing_group   GROUP        -> after       keep
    closing_call    TOOL_START GROUP_END -> between  keep

    between stray   TOOL_START   -> name
    between stray   GROUP_END    -> after
    between         @text        -> stray       odd=stray_text
    after           GROUP        -> group
    after           @text        -> content
""")


def _pairs(after: str) -> tuple[Row, ...]:
    return rows(PAIRS.replace("@after", after))


def _terminals(before: tuple[str, ...] = (), suffix: str = "", *, dedicated: bool = True) -> tuple[Terminal, ...]:
    return (
        Terminal("TOOL_START", (f"<tool_call{suffix}>",), before=before, dedicated=dedicated),
        Terminal("TOOL_END", (f"</tool_call{suffix}>",), dedicated=dedicated),
        Terminal("KEY", (f"<arg_key{suffix}>",)),
        Terminal("KEY_END", (f"</arg_key{suffix}>",)),
        Terminal("VALUE", (f"<arg_value{suffix}>",)),
        Terminal("VALUE_END", (f"</arg_value{suffix}>",)),
    )


REGIONS: Final = (
    CONTENT,
    Region("name", Capture((Field("name"),), stops='\t <{"'), "call", trial="opening"),
    Region("arguments", Gap(), "call"),
    Region("junk", Text(), "none"),
    Region("key", Capture((Field("key"),)), "call"),
    Region("keyed", Gap(), "call"),  # behind </arg_key>
    Region("value", Value(), "call"),
    Region("closing", Gap(), "call", trial="closing"),  # behind </arg_value>
    Region("next_key", Capture((Field("key"),)), "call", trial="closing"),  # <arg_key> inside a value
    Region("closing_call", Gap(), "call", trial="closing"),  # behind </tool_call> inside a value
    Region("after", Gap(touches=True), "content"),
)


def pairs_half(
    name: str,
    about: str,
    *,
    aliases: tuple[str, ...] = (),
    before: tuple[str, ...] = NEWLINE,
    specials: tuple[str, ...] = (),
    template: Templates = "none",
) -> Format:
    """A tool half of keys and values. `before`: white space that belongs to a call's opener."""
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        tools=True,
        terminals=_terminals(before),
        regions=REGIONS,
        rows=(*SINGLE, *_pairs("after")),
        specials=specials,
        template=template,
    )


GLM45_TOOLS: Final = pairs_half(
    "glm45",
    "GLM-4.5 to GLM-5 calls: keys and values",
    aliases=("glm47", "glm", "glm-4.7", "glm-ocr", "glm45_moe", "glm47_moe", "spark25"),
    specials=GLM_SPECIALS,
    template="real",
)

LING3_TOOLS: Final = pairs_half(
    "ling3", "Ling-3.0 calls: keys and values", specials=LING3_REASONING.specials, template="real"
)

POOLSIDE_TOOLS: Final = _with_turn_end(
    pairs_half(
        "poolside_v1", "Poolside Laguna calls: keys and values", aliases=("poolside-v1", "laguna"), template="real"
    ),
    "content after",
)

HUNYUAN_TOOLS: Final = Format(
    name="hy_v3",
    about="Tencent Hunyuan 3 and 4 calls: groups of keys and values",
    aliases=("hy_v4", "hunyuan"),
    tools=True,
    terminals=(
        Terminal("GROUP", ("<tool_calls{suffix}>",), dedicated=True),
        Terminal("GROUP_END", ("</tool_calls{suffix}>",), dedicated=True),
        Terminal("SEPARATOR", ("<tool_sep{suffix}>",)),
        *_terminals(suffix="{suffix}"),
    ),
    regions=(
        *REGIONS,
        Region("group", Gap(), "call", trial="opening"),
        Region("between", Gap(), "call"),  # behind </tool_call>
        Region("stray", Text(), "none"),  # text in a group that belongs to no call
        Region("closing_group", Gap(), "call", trial="closing"),  # behind </tool_calls> inside a value
    ),
    rows=(*GROUPED, *_pairs("between")),
    parameters=(SUFFIX,),
    template="real",
)
