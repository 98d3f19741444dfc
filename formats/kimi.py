"""Kimi: K2 with a section of calls, K3 with channels and typed arguments, and the old Kimi's thoughts.

    K2    reasoning = "<think>"? text "</think>"
          section   = "<|tool_calls_section_begin|>" call+ "<|tool_calls_section_end|>"
          call      = "<|tool_call_begin|>" "functions."? name ":" digits "<|tool_call_argument_begin|>" json "<|tool_call_end|>"

    K3    output    = think? response? tools? close(message)
          think     = open(think) text close(think)          the prompt holds the opener of think, or of response
          response  = open(response) text close(response)
          tools     = open(tools) call+ close(tools)
          call      = open(call tool="NAME" index="N") (argument* | open(json ...) json close(json)) close(call)
          argument  = open(argument key="KEY" type="TYPE") value close(argument)
          open(x)   = "<|open|>" x "<|sep|>"                  close(x) = "<|close|>" x "<|sep|>"

    Kimi  reasoning = "◁think▷" text "◁/think▷"

Neither writes white space around its markers. K2's header is the call's id: without an index it is no header, and the call
is none. K3's attributes are quoted, with `&quot;` and `&amp;` in them; a type that is not `string` means JSON. The text of
K3's values is not escaped, so a value may look like markup: only a whole legal ending ends it.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, FRESH
from unbraid.core.grammar import Capture, Field, Format, Gap, Ids, Json, Region, Start, Switch, Terminal, Text, Value
from unbraid.core.notation import rows
from unbraid.formats.plain import plain_when_off
from unbraid.formats.qwen import think_half
from unbraid.formats.sections import SECTION_REGIONS, SECTIONS

KIMI_TURNS: Final = ("<|im_end|>", "<|im_user|>", "<|im_assistant|>", "<|im_system|>")
KIMI_SPECIALS: Final = (*KIMI_TURNS, "<|im_middle|>")

# ------------------------------------------------------------------------------------------------------------ Kimi K2

KIMI_K2_REASONING: Final = plain_when_off(
    think_half(
        "kimi_k2",
        "Moonshot Kimi K2 reasoning: <think> blocks, switched by thinking or enable_thinking",
        aliases=("kimi_k25", "kimi_thinking"),
        switches=(Switch(("thinking", "enable_thinking")),),
        stops=KIMI_TURNS,
        specials=KIMI_SPECIALS,
        template="stated",
    )
)

KIMI_K2_TOOLS: Final = Format(
    name="kimi_k2",
    about="Moonshot Kimi K2 calls: sections of ids and JSON",
    aliases=("kimik2",),
    tools=True,
    terminals=(
        Terminal("SECTION", ("<|tool_calls_section_begin|>",), dedicated=True),
        Terminal("SECTION_END", ("<|tool_calls_section_end|>",), dedicated=True),
        Terminal("CALL", ("<|tool_call_begin|>",), dedicated=True),
        Terminal("CALL_END", ("<|tool_call_end|>",), dedicated=True),
        Terminal("ARGUMENTS", ("<|tool_call_argument_begin|>",), dedicated=True),
    ),
    regions=(
        *SECTION_REGIONS,
        Region(
            "header",
            Capture((Field("id"), Field("name", drop_prefix="functions.", cut=":")), stops="<{"),
            "call",
            trial="opening",
        ),
    ),
    rows=(*SECTIONS, *rows("header  ARGUMENTS -> arguments  do=call when=name")),
    specials=KIMI_SPECIALS,
    ids=Ids("pattern", "functions.{name}:{n}"),
    template="real",
)

# ------------------------------------------------------------------------------------------------------------ Kimi K3

CHANNELS: Final = rows("""
    fresh between                  @text         -> content      # an answer that is not wrapped
    fresh between                  THINK_START   -> opened
    fresh between                  RESPONSE      -> content
    fresh between                  RESPONSE_END  -> @same
    content                        RESPONSE      -> @same        # the opener of a channel is no text
    content                        THINK_START   -> opened
    content                        RESPONSE_END  -> between
    fresh content between          MESSAGE_END   -> between
    fresh content between          THINK_END     -> @same        odd=duplicate_end

    opened                         @text         -> reasoning
    opened reasoning               THINK_START   -> @same
    opened reasoning               THINK_END     -> between
    opened                         RESPONSE      -> content      # the prompt opened thoughts, and there are none
    reasoning                      RESPONSE      -> content      odd=missing_end
    opened reasoning               MESSAGE_END   -> between      odd=missing_end
""")

CALLS: Final = rows("""
    fresh content between opened reasoning  TOOLS  -> tools
    tools                          CALL          -> call_tag
    call_tag                       SEP           -> begun        do=call when=name

    begun                          JSON          -> json_tag     # what the template writes for arguments given as text
    begun arguments junk           ARGUMENT      -> argument_tag
    begun arguments junk           CALL_END      -> next         do=end
    begun arguments junk           CALL          -> call_tag     do=end odd=missing_end
    begun arguments junk           TOOLS_END     -> between      do=end odd=missing_end
    begun arguments junk           MESSAGE_END   -> between      do=end odd=missing_end
    begun arguments                @text         -> junk         odd=stray_text
    argument_tag                   SEP           -> value        when=key
    argument_tag                   SEP           -> junk         odd=malformed
    argument_tag                   @bad          -> junk

    value                          ARGUMENT_END  -> closing
    closing                        ARGUMENT CALL_END CALL TOOLS_END MESSAGE_END  -> arguments  keep
    value                          ARGUMENT      -> next_argument
    next_argument                  SEP           -> value        when=key:new_key odd=missing_end
    value                          CALL_END      -> closing_call   do=end odd=missing_end
    closing_call                   CALL TOOLS_END MESSAGE_END  -> next  keep
    value                          TOOLS_END     -> closing_tools  do=end odd=missing_end
    closing_tools                  MESSAGE_END   -> between      keep

    json_tag                       SEP           -> payload
    json_tag                       @bad          -> junk
    payload                        @closed       -> called
    payload                        JSON_END      -> called       do=end
    payload                        CALL_END      -> next         do=end
    payload                        TOOLS_END MESSAGE_END  -> between  do=end
    payload                        CALL          -> unread       keep do=end
    payload                        @bad          -> unread
    called                         JSON_END      -> called

    called unread                  CALL_END      -> next
    called                         CALL          -> call_tag     odd=missing_end
    called                         TOOLS_END     -> between      odd=missing_end
    next unread                    CALL          -> call_tag
    next unread                    TOOLS_END     -> between
    called next unread             MESSAGE_END   -> between      odd=missing_end
    called next                    @text         -> unread       odd=stray_text
""")

ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"))

TOOL: Final = Field("name", take="after", after="tool=", unquote=True, decode=ENTITIES)
KEY: Final = Field("key", take="after", after="key=", unquote=True, decode=ENTITIES)
TYPE: Final = Field("type", take="after", after="type=", unquote=True)

KIMI_K3: Final = Format(
    name="kimi_k3",
    about="Moonshot Kimi K3: channels, and calls with typed arguments",
    reasoning=True,
    tools=True,
    terminals=(
        Terminal("THINK_START", ("<|open|>think<|sep|>",)),
        Terminal("THINK_END", ("<|close|>think<|sep|>",)),
        Terminal("RESPONSE", ("<|open|>response<|sep|>",)),
        Terminal("RESPONSE_END", ("<|close|>response<|sep|>",)),
        Terminal("MESSAGE_END", ("<|close|>message<|sep|>",)),
        Terminal("TOOLS", ("<|open|>tools<|sep|>",)),
        Terminal("TOOLS_END", ("<|close|>tools<|sep|>",)),
        Terminal("CALL", ("<|open|>call ",)),
        Terminal("CALL_END", ("<|close|>call<|sep|>",)),
        Terminal("ARGUMENT", ("<|open|>argument ",)),
        Terminal("ARGUMENT_END", ("<|close|>argument<|sep|>",)),
        Terminal("JSON", ("<|open|>json",)),
        Terminal("JSON_END", ("<|close|>json<|sep|>",)),
        Terminal("SEP", ("<|sep|>",), dedicated=True),
    ),
    regions=(
        FRESH,
        CONTENT,
        Region("opened", Gap(), "reasoning"),
        Region("reasoning", Text(), "reasoning"),
        Region("between", Gap(touches=True), "content"),  # behind a channel
        Region("tools", Gap(), "call", trial="opening"),
        Region("call_tag", Capture((TOOL,), quotes='"', stops="<"), "call", trial="opening"),
        Region("begun", Gap(), "call"),  # a call without arguments yet
        Region("arguments", Gap(), "call"),
        Region("junk", Text(), "none"),  # text in a call that belongs to no argument
        Region("argument_tag", Capture((KEY, TYPE), quotes='"', stops="<"), "call"),
        Region("value", Value(string_tags=("string",)), "call"),
        Region("closing", Gap(), "call", trial="closing"),  # behind an argument
        Region("next_argument", Capture((KEY, TYPE), quotes='"', stops="<"), "call", trial="closing"),
        Region("closing_call", Gap(), "call", trial="closing"),  # behind a call's closer inside a value
        Region("closing_tools", Gap(), "call", trial="closing"),  # behind the section's closer inside a value
        Region("json_tag", Capture(quotes='"', stops="<"), "call"),
        Region("payload", Json(), "call"),
        Region("called", Gap(), "call"),  # behind the JSON
        Region("next", Gap(), "call"),  # behind a call
        Region("unread", Text(), "none"),  # text in the section that belongs to no call
    ),
    rows=(*CHANNELS, *CALLS),
    start=Start(
        "opened",
        "fresh",
        (Switch(("thinking",)), Switch(("enable_thinking",))),
        scan=(
            ("<|open|>think<|sep|>", "opened"),
            ("<|close|>think<|sep|>", "between"),
            ("<|open|>response<|sep|>", "content"),
            ("<|close|>response<|sep|>", "between"),
        ),
        stops=("<|end_of_msg|>",),
    ),
    specials=("<|end_of_msg|>",),
    ids=Ids("pattern", "{name}:{n}"),
    template="real",
)

# ----------------------------------------------------------------------------------------------------------- old Kimi

KIMI: Final = think_half(
    "kimi",
    "Moonshot Kimi-VL and K1.5 reasoning: ◁think▷ blocks",
    start="◁think▷",
    end="◁/think▷",
    # Whatever kwargs say: the model opens its thoughts itself, unless the prompt did.
    switches=(Switch(("thinking", "enable_thinking"), off=(True, False, None), absent="off"),),
    stops=KIMI_TURNS,
    specials=KIMI_SPECIALS,
    dedicated=False,
    template="stated",
)
