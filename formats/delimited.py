"""Reasoning between two markers, and nothing else: DeepSeek R1 and V3, Holo2, and no reasoning at all.

    reasoning = "<think>"? text "</think>"

These halves never end at a tool call: a call in a thought is a thought. The ones with a switch know two states of
content: while thinking is off the markers mean nothing and stay in the content (`plain`, `plain_text`).
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW, Templates
from unbraid.core.grammar import Format, Gap, Region, Switch, Text
from unbraid.core.notation import rows
from unbraid.formats.qwen import think_half

DEEPSEEK_TURNS: Final = ("<｜User｜>", "<｜Assistant｜>")
DEEPSEEK_SPECIALS: Final = ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", *DEEPSEEK_TURNS)

DEEPSEEK_R1: Final = evolve(
    think_half(
        "deepseek_r1",
        "DeepSeek-R1 reasoning: always on, ended by </think>",
        # Step-5 and GigaChat 3.5 are served with this reader.
        aliases=("deepseek-r1", "step5", "gigachat35"),
        # The prompt of R1 and its distillates ends in "<think>\n"; no template writes white space at </think>.
        after_start=("\n",),
        stops=DEEPSEEK_TURNS,
        specials=DEEPSEEK_SPECIALS,
    ),
    inside="text",
    template="stated",
)

PLAIN: Final = rows("""
    plain  @text  -> plain_text
""")

PLAIN_REGIONS: Final = (
    Region("plain", Gap(), "content"),  # like fresh, without markers
    Region("plain_text", Text(), "content"),  # like content, without markers
)


def switched_half(
    name: str, about: str, switch: Switch, *, aliases: tuple[str, ...] = (), template: Templates = "none"
) -> Format:
    """R1's half behind a switch; while it is off the markers are content."""
    return evolve(
        DEEPSEEK_R1,
        name=name,
        about=about,
        aliases=aliases,
        # V3.1's template writes nothing inside the markers.
        terminals=tuple(evolve(terminal, after=()) for terminal in DEEPSEEK_R1.terminals),
        regions=(*DEEPSEEK_R1.regions, *PLAIN_REGIONS),
        rows=(*DEEPSEEK_R1.rows, *PLAIN),
        start=evolve(DEEPSEEK_R1.start, off="plain", switches=(switch,)),
        template=template,
    )


# One of the two kwargs that says yes is enough; without any, each model has its own answer.
DEEPSEEK_V3: Final = switched_half(
    "deepseek_v3",
    "DeepSeek-V3.1 reasoning: off unless `thinking` or `enable_thinking` is given",
    Switch(("thinking", "enable_thinking"), absent="off"),
    # Ollama reads DeepSeek-V3.1 and Cogito with one parser for both halves.
    aliases=("deepseek-v3", "deepseek_v31", "deepseek3", "cogito"),
    template="real",
)

HOLO2: Final = switched_half(
    "holo2",
    "H Company Holo2 reasoning: on unless `thinking` or `enable_thinking` is false",
    Switch(("thinking", "enable_thinking"), absent="on"),
    template="stated",
)

IDENTITY: Final = Format(
    name="identity",
    about="no reasoning: everything is content, markers included",
    aliases=("none", "passthrough", "qwen3-vl-instruct"),
    reasoning=True,
    regions=(FRESH, CONTENT),
    rows=(FRESH_ROW,),
    template="none",
)
