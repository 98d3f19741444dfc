"""Harmony (gpt-oss): messages with a header that says where the body goes.

    output  = header body ("<|start|>" role header body)*
    header  = (" to=" recipient)? ("<|channel|>" channel (" to=" recipient)?)? ("<|constrain|>" type)?
    body    = "<|message|>" text ("<|end|>" | "<|call|>" | "<|return|>")

A recipient that is a function makes the body a call, in any channel. `analysis` is reasoning, `final` and `commentary`
are content, everything else (code for a built-in tool in `commentary`) is for nobody. Neighbouring analysis messages are
one run of reasoning. The prompt ends with "<|start|>assistant", so generation starts in a header.

Experimental: arguments that are no JSON (a content type other than json) are reported as malformed.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Capture, Field, Format, Gap, Json, Region, Start, Terminal, Text
from unbraid.core.notation import rows

RECIPIENT: Final = (
    Field("recipient", take="after", after="to="),
    Field("name", take="after", after="to=", drop_prefix="functions."),
)
CHANNEL: Final = Field("channel", take="first_word")

TABLE: Final = rows("""
    role                  ASSISTANT   -> header
    role                  @text       -> header

    header                CHANNEL     -> sent        when=recipient
    header                CHANNEL     -> channel
    channel sent          CONSTRAIN   -> typed

    header channel sent typed  MESSAGE  -> arguments  do=call when=recipient & recipient:first_segment!=python,browser,container & recipient!=assistant
    header                MESSAGE     -> content
    channel sent typed    MESSAGE     -> reasoning   when=channel=analysis
    channel sent typed    MESSAGE     -> content     when=channel=final
    channel sent typed    MESSAGE     -> content     when=channel=commentary & recipient!
    channel sent typed    MESSAGE     -> ignored

    header channel sent typed  START  -> role
    header channel sent   END         -> between     release    # gpt-oss: an answer without <|message|>
    typed                 END         -> between
    header                @bad        -> content     release    # a whole answer without any header
    channel sent typed    @bad        -> ignored

    reasoning content ignored  END    -> between
    arguments             @closed     -> called
    arguments             END         -> between     do=end
    arguments             @bad        -> ignored
    called                END         -> between
    called                @text       -> ignored
    between               START       -> role
""")

HARMONY: Final = Format(
    name="harmony",
    about="OpenAI gpt-oss: channels of messages",
    aliases=("openai", "openai_gptoss", "gpt-oss", "gpt_oss", "gptoss"),
    reasoning=True,
    tools=True,
    terminals=(
        Terminal("START", ("<|start|>",), dedicated=True),
        Terminal("CHANNEL", ("<|channel|>",), dedicated=True),
        Terminal("CONSTRAIN", ("<|constrain|>",), dedicated=True),
        Terminal("MESSAGE", ("<|message|>",), dedicated=True),
        Terminal("END", ("<|end|>", "<|return|>", "<|call|>"), dedicated=True),
        Terminal("ASSISTANT", ("assistant",)),
    ),
    regions=(
        CONTENT,
        Region("role", Gap(), "none"),
        Region("header", Capture(RECIPIENT, release=True), "none"),
        Region("channel", Capture((CHANNEL, *RECIPIENT)), "none"),
        Region("sent", Capture((CHANNEL,)), "none"),  # a channel whose recipient stood before it
        Region("typed", Capture(), "none"),
        Region("reasoning", Text(), "reasoning"),
        Region("arguments", Json(), "call"),
        Region("called", Gap(), "call"),
        Region("ignored", Text(), "none"),
        Region("between", Text(), "none"),
    ),
    rows=TABLE,
    start=Start("header", "header", scan=(("<|start|>", "role"),)),
    specials=("<|endoftext|>", "<|startoftext|>", "<|endofprompt|>"),
    experimental=True,
)
