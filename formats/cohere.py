"""Cohere Command: blocks of thinking, of actions and of text.

    output   = thinking? (actions | text)
    thinking = "<|START_THINKING|>" text "<|END_THINKING|>"
    actions  = "<|START_ACTION|>" "[" object ("," object)* "]" "<|END_ACTION|>"
    object   = {"tool_call_id": ID, "tool_name": NAME, "parameters": ARGUMENTS}
    text     = "<|START_RESPONSE|>" text "<|END_RESPONSE|>"           Command A+ and North: also "<|START_TEXT|>"
    citation = "<co>" text "</co:" sources ">"                        in text and in thinking

Text outside of blocks is content. Of a citation its text is kept; the markup around it is for nobody, and what looks like
its end and is none is text. In a thought that was not closed, a text block or a call ends it.

Command A starts in content, its later relatives in reasoning, for their template opens the thought.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT, FRESH, Templates
from unbraid.core.grammar import Capture, Envelope, Format, Gap, Ids, Region, Start, Switch, Terminal, Text
from unbraid.core.notation import rows

SCAN: Final = (("<|START_THINKING|>", "opened"), ("<|END_THINKING|>", "fresh"))

TABLE: Final = rows("""
    opened                    @text         -> reasoning
    opened reasoning          THINK_START   -> @same
    opened reasoning          THINK_END     -> fresh
    opened reasoning          TEXT_START    -> content
    fresh content closed acted after  THINK_START -> opened     # blocks of thinking may repeat
    fresh content closed acted after  THINK_END   -> @same      odd=duplicate_end

    fresh closed acted after  @text         -> content
    fresh closed acted after  TEXT_START    -> content
    content                   TEXT_START    -> @same
    content                   TEXT_END      -> closed
    fresh closed acted after  TEXT_END      -> @same

    fresh content closed acted after opened reasoning  ACTION_START -> actions
    fresh content closed after  ACTION_END  -> @same
    actions                   @closed       -> acted
    actions                   ACTION_END    -> after            # in the middle of the array
    actions                   ACTION_START  -> broken           keep
    actions                   @bad          -> broken
    broken                    ACTION_END    -> after
    broken                    ACTION_START  -> actions
    acted                     ACTION_END    -> after

    content                   CITE          -> @same
    fresh closed acted after  CITE          -> content
    reasoning                 CITE          -> @same
    opened                    CITE          -> reasoning
    content                   CITED         -> sources
    sources                   SOURCES_END   -> content
    reasoning                 CITED         -> thought_sources
    thought_sources           SOURCES_END   -> reasoning
""")


def command(
    name: str,
    about: str,
    aliases: tuple[str, ...],
    start: Start,
    texts: tuple[str, ...],
    template: Templates,
) -> Format:
    """A generation of Command. `texts`: what its blocks of text are called."""
    sources = Capture(stops="\n<")
    return Format(
        name=name,
        about=about,
        aliases=aliases,
        reasoning=True,
        tools=True,
        terminals=(
            Terminal("THINK_START", ("<|START_THINKING|>",), dedicated=True),
            Terminal("THINK_END", ("<|END_THINKING|>",), dedicated=True),
            Terminal("TEXT_START", tuple(f"<|START_{text}|>" for text in texts), dedicated=True),
            Terminal("TEXT_END", tuple(f"<|END_{text}|>" for text in texts), dedicated=True),
            Terminal("ACTION_START", ("<|START_ACTION|>",), dedicated=True),
            Terminal("ACTION_END", ("<|END_ACTION|>",), dedicated=True),
            Terminal("CITE", ("<co>",)),
            Terminal("CITED", ("</co:",)),
            Terminal("SOURCES_END", (">",)),
        ),
        regions=(
            FRESH,
            CONTENT,
            Region("opened", Gap(), "reasoning"),
            Region("reasoning", Text(), "reasoning"),
            Region("closed", Gap(), "content"),  # behind a block of text
            Region(
                "actions",
                Envelope(("tool_name",), ("parameters",), call_id=("tool_call_id",), shape="either"),
                "call",
                trial="opening",
            ),
            Region("broken", Text(), "none"),  # the rest of actions that are no JSON
            Region("acted", Gap(touches=True), "content"),  # behind the array
            Region("after", Gap(touches=True), "content"),  # behind the block of actions
            Region("sources", sources, "none", trial="closing"),
            Region("thought_sources", sources, "none", trial="closing"),
        ),
        rows=TABLE,
        start=start,
        specials=(
            "<BOS_TOKEN>",
            "<EOS_TOKEN>",
            "<|START_OF_TURN_TOKEN|>",
            "<|END_OF_TURN_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
        ),
        ids=Ids("model"),
        template=template,
    )


STOPS: Final = ("<|CHATBOT_TOKEN|>",)

COHERE_COMMAND3: Final = command(
    "cohere_command3",
    "Cohere Command A and R7B: blocks of thinking, actions and responses",
    ("cohere", "cohere_cmd"),
    Start("fresh", "fresh", scan=SCAN, stops=STOPS),
    ("RESPONSE",),
    template="real",
)

COHERE_COMMAND4: Final = command(
    "cohere_command4",
    "Cohere Command A+ and North: thinking first, text blocks",
    (),
    Start(
        "opened",
        "fresh",
        (Switch(("reasoning",)), Switch(("reasoning_effort",), off=("none", "None", "NONE"))),
        scan=SCAN,
        stops=STOPS,
    ),
    ("TEXT", "RESPONSE"),
    template="real",
)
