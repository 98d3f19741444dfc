"""K2 Horizon: three depths of reasoning, and groups of calls that count as a whole or not at all.

    reasoning = text "</ifm|think>"                            also think_fast, think_faster
    group     = "<ifm|tool_calls>" call+ "</ifm|tool_calls>"
    call      = "<ifm|tool_call>" name pair* "</ifm|tool_call>"
    pair      = "<ifm|arg_key>" key "</ifm|arg_key>" type? "<ifm|arg_value>" value "</ifm|arg_value>"
    type      = "<ifm|arg_type>" word "</ifm|arg_type>"

`tool_call_format` chooses the dialect: `xml` without types, which are then stray text; `xml_typed` with one for each value;
`json`, whose calls are objects. Stray text, an unknown tool, or the end of the stream make the whole group content.
`reasoning_effort` chooses which pair of think markers the template writes; here all three pairs count.

Experimental: a key that is given twice counts once instead of spoiling its group; JSON calls are certain one by one.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import (
    Capture,
    Choice,
    Envelope,
    Field,
    Format,
    Gap,
    Region,
    Start,
    Terminal,
    Text,
    Value,
)
from unbraid.core.notation import rows

STARTS: Final = ("<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>")
ENDS: Final = ("</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>")

K2_REASONING: Final = Format(
    name="k2_horizon",
    about="IFM K2 Horizon reasoning: <ifm|think> blocks of three depths",
    reasoning=True,
    terminals=(
        Terminal("THINK_START", STARTS, dedicated=True),
        Terminal("THINK_END", ENDS, dedicated=True),
    ),
    regions=(FRESH, CONTENT, Region("opened", Gap(), "reasoning"), Region("reasoning", Text(), "reasoning")),
    rows=rows("""
        opened            THINK_START  -> @same                      # only at the very beginning; later it is text
        opened            @text        -> reasoning
        opened reasoning  THINK_END    -> fresh
        fresh             THINK_START  -> opened
        fresh             @text        -> content
        fresh content     THINK_END    -> @same     odd=duplicate_end
    """),
    start=Start("opened", "fresh", scan=(*((mark, "opened") for mark in STARTS), *((mark, "fresh") for mark in ENDS))),
    experimental=True,
    template="stated",
)

GROUP: Final = rows("""
    content  CALLS      -> group
    group    CALL       -> name                                      # a group needs a call
    name     KEY        -> key      do=call when=name:known_tool
    name     CALL_END   -> paired   keep do=call when=name:known_tool  # no pairs
    key      KEY_END    -> keyed    when=key
    keyed    VALUE      -> value
    value    VALUE_END  -> paired
    paired   KEY        -> key
    paired   CALL_END   -> next     do=end
    next     CALL       -> name
    next     CALLS_END  -> after
    after    CALLS      -> group
    after    @text      -> content
""")

K2_TOOLS: Final = Format(
    name="k2_horizon",
    about="IFM K2 Horizon calls: groups of keys and values, all or nothing",
    tools=True,
    terminals=(
        Terminal("CALLS", ("<ifm|tool_calls>",), before=("\n",)),
        Terminal("CALLS_END", ("</ifm|tool_calls>",)),
        Terminal("CALL", ("<ifm|tool_call>",)),
        Terminal("CALL_END", ("</ifm|tool_call>",)),
        Terminal("KEY", ("<ifm|arg_key>",)),
        Terminal("KEY_END", ("</ifm|arg_key>",)),
        Terminal("VALUE", ("<ifm|arg_value>",)),
        Terminal("VALUE_END", ("</ifm|arg_value>",)),
    ),
    regions=(
        CONTENT,
        Region("group", Gap(), "call", trial="block"),
        Region("name", Capture((Field("name"),), stops=" \t<"), "call", trial="block"),
        Region("key", Capture((Field("key"),)), "call", trial="block"),
        Region("keyed", Gap(), "call", trial="block"),
        Region("value", Value(), "call", trial="block"),
        Region("paired", Gap(), "call", trial="block"),
        Region("next", Gap(), "call", trial="block"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=GROUP,
    experimental=True,
    choices=(
        Choice("k2_horizon_typed", kwarg="tool_call_format", among=("xml_typed",)),
        Choice("k2_horizon_json", kwarg="tool_call_format", among=("json",)),
    ),
    template="stated",
)

TYPED: Final = rows("""
    keyed    TYPE       -> type
    type     TYPE_END   -> typed    when=type
    typed    VALUE      -> value
""")

K2_TYPED: Final = evolve(
    K2_TOOLS,
    name="k2_horizon_typed",
    about="IFM K2 Horizon calls: groups of keys, types and values, all or nothing",
    terminals=(
        *K2_TOOLS.terminals,
        Terminal("TYPE", ("<ifm|arg_type>",)),
        Terminal("TYPE_END", ("</ifm|arg_type>",)),
    ),
    regions=(
        *(region for region in K2_TOOLS.regions if region.name != "value"),
        Region("type", Capture((Field("type"),), stops="<"), "call", trial="block"),
        Region("typed", Gap(), "call", trial="block"),
        Region("value", Value(string_tags=("string", "any")), "call", trial="block"),
    ),
    rows=(*(row for row in GROUP if row.region != "keyed"), *TYPED),
    choices=(),
    template="stated",
)

K2_JSON: Final = Format(
    name="k2_horizon_json",
    about="IFM K2 Horizon calls: groups of JSON objects",
    tools=True,
    terminals=tuple(one for one in K2_TOOLS.terminals if one.name.startswith("CALL")),
    regions=(
        CONTENT,
        Region("group", Gap(), "call", trial="opening"),
        Region("call", Envelope(arguments=("arguments",)), "call", trial="opening"),
        Region("called", Gap(), "call"),  # behind the object
        Region("between", Gap(), "call"),  # behind a call
        Region("junk", Text(), "none"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=rows("""
        content              CALLS      -> group
        group between junk   CALL       -> call
        call                 @closed    -> called
        call                 @bad       -> junk
        call                 CALL_END   -> between
        call                 CALLS_END  -> after
        call                 CALL CALLS -> junk     keep     # a call that breaks off, and the next one
        called junk          CALL_END   -> between
        called               CALL       -> call     odd=missing_end
        called               CALLS_END  -> after    odd=missing_end
        between junk         CALLS_END  -> after
        called between junk  CALLS      -> after    keep
        called between       @text      -> junk     odd=stray_text
        after                CALLS      -> group
        after                @text      -> content
    """),
    experimental=True,
    template="stated",
)
