"""Harmony (gpt-oss): messages with a header that says where the body goes.

    output  = header body ("<|start|>" role header body)*
    header  = to? ("<|channel|>" channel to?)? ("<|constrain|>"? type to?)?         to = " to=" recipient
    body    = "<|message|>" text ("<|end|>" | "<|call|>" | "<|return|>")

A recipient that is a function makes the body a call, in any channel; its name is the recipient without `functions.`. Of
the others `analysis` is reasoning, `final`, and `commentary` to nobody (a preamble), are content. What goes to a built-in
tool (`python`, `browser`, `container`) in another channel, and what stands in a channel that Harmony does not know, is for
nobody. Neighbouring analysis messages are one run of reasoning. Inside a body every marker but its end is text.

The prompt ends with "<|start|>assistant", so generation starts in a header. Words in a header that mean nothing are
ignored; a header that never gets its body is the answer itself.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Capture, Field, Format, Gap, Json, Region, Start, Terminal, Text
from unbraid.core.notation import rows

FUNCTIONS: Final = "functions."

WORDS: Final = Field("words")
CHANNEL: Final = Field("channel", take="first_word")
ADDRESSED: Final = (
    Field("recipient", take="first_word"),
    Field("name", take="first_word", drop_prefix=FUNCTIONS),
)
RECIPIENT: Final = (
    Field("recipient", take="after", after=FUNCTIONS),  # gpt-oss, now and then: no `to=`
    Field("name", take="after", after=FUNCTIONS),
    Field("recipient", take="after", after="to="),
    Field("name", take="after", after="to=", drop_prefix=FUNCTIONS),
)

TABLE: Final = rows("""
    role                  ASSISTANT   -> header
    role                  @text       -> foreign    # a turn of somebody else, made up

    header                TO          -> addressed  when=words!
    header                TO          -> addressed  when=words=assistant
    header                TO          -> content    keep release          # prose
    header addressed      CHANNEL     -> channel
    channel               BLANK       -> channel    when=channel!
    channel               BLANK       -> rest
    channel rest          CONSTRAIN   -> rest

    addressed channel rest  MESSAGE   -> arguments  do=call when=name & recipient:first_segment!=python,browser,container & recipient!=assistant
    channel rest          MESSAGE     -> reasoning  when=channel=analysis
    channel rest          MESSAGE     -> content    when=channel=final
    channel rest          MESSAGE     -> content    when=channel=commentary & recipient!
    addressed channel rest  MESSAGE   -> ignored    when=recipient
    channel rest          MESSAGE     -> ignored    odd=unknown_channel
    addressed             MESSAGE     -> ignored    odd=unknown_channel   # to nobody: `to=` and a blank
    header                MESSAGE     -> content    when=words!           # no channel at all
    header                MESSAGE     -> content    when=words=assistant
    header foreign        MESSAGE     -> ignored    odd=stray_text

    header addressed channel rest foreign  START -> lost  keep            # where what was captured is forgotten
    header                END         -> between    when=words!
    header                END         -> lost       release               # a whole answer without any header
    rest                  END         -> reasoning  keep release odd=malformed when=channel=analysis & recipient!
    rest                  END         -> lost       release odd=malformed when=channel=final,commentary & recipient!
    addressed channel rest foreign  END -> lost     odd=malformed         # gpt-oss, refusing: no <|message|>
    header                @bad        -> content    release
    rest                  @bad        -> reasoning  release when=channel=analysis & recipient!
    rest                  @bad        -> content    release when=channel=final,commentary & recipient!
    addressed channel rest foreign  @bad -> ignored

    reasoning content ignored  END    -> between
    arguments             @closed     -> called
    arguments             END         -> between    do=end
    arguments             @bad        -> ignored                          # no JSON, say, a content type `code`
    called                END         -> between
    called                START       -> role       odd=missing_end
    called                @text       -> ignored    odd=stray_text
    between               START       -> role
    between               CHANNEL     -> channel    odd=missing_start
    between               @text       -> lost       odd=stray_text        # only messages hold text
    lost                  START       -> role
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
        Terminal("END", ("<|end|>", "<|return|>", "<|call|>"), dedicated=True, last=("<|return|>", "<|call|>")),
        Terminal("ASSISTANT", ("assistant",)),
        Terminal("TO", (" to=",)),
        Terminal("BLANK", (" ",)),
    ),
    regions=(
        CONTENT,
        Region("role", Gap(), "none"),
        Region("foreign", Capture(), "none"),
        Region("header", Capture((WORDS,), release=True), "none"),
        Region("addressed", Capture(ADDRESSED), "none"),  # a recipient before the channel
        Region("channel", Capture((CHANNEL, *RECIPIENT)), "none"),
        Region("rest", Capture(RECIPIENT), "none"),  # the words behind the channel's
        Region("reasoning", Text(), "reasoning"),
        Region("arguments", Json(), "call"),
        Region("called", Gap(), "call"),
        Region("ignored", Text(), "none"),
        Region("between", Gap(), "none"),
        Region("lost", Text(), "none"),
    ),
    rows=TABLE,
    start=Start("header", "header", scan=(("<|start|>", "role"),)),
    specials=("<|endoftext|>", "<|startoftext|>", "<|endofprompt|>"),
    template="real",
)
