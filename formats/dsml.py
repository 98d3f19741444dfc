"""DSML, the markup language of DeepSeek V3.2, V4 and V4.1, and of GigaChat 3.5: invokes whose parameters say their type.

    parameter = "<｜DSML｜parameter name=" key " string=" ("true" | "false") ">" value "</｜DSML｜parameter>"

`string="true"` means the value is text as it stands, `false` that it is JSON; the tool's schema does not change that, it
only types values without the attribute. Attributes may stand in any order. A model that writes all arguments as one
object under `arguments` or `input` is understood (`Value.unwrap`).

The generations differ in the section's name and in one blank. Only the thinking markers are tokens of their own.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from unbraid.core.grammar import Field, Format, Switch, Value
from unbraid.formats.delimited import DEEPSEEK_SPECIALS, DEEPSEEK_TURNS
from unbraid.formats.invokes import Tags, invoke_half
from unbraid.formats.qwen import think_half

NAME: Final = (Field("name", take="after", after="name=", unquote=True),)
KEY: Final = (
    Field("key", take="after", after="name=", unquote=True),
    Field("type", take="after", after="string=", unquote=True),
)
TYPED: Final = Value(string_tags=("true",), unwrap=("arguments", "input"))


def _tags(bar: str, sections: tuple[str, ...], blank: str = "") -> Tags:
    """The tags of one dialect; `bar` is what stands behind `<`, `blank` before each name."""
    opener, closer = f"<{bar}{blank}", f"</{bar}{blank}"
    return Tags(
        section=tuple(f"{opener}{section}>" for section in sections),
        section_end=(f"{closer}{sections[0]}>",),
        invoke=(f"{opener}invoke ",),
        invoke_end=(f"{closer}invoke>",),
        parameter=(f"{opener}parameter ",),
        parameter_end=(f"{closer}parameter>",),
        name=NAME,
        key=KEY,
        quotes='"',
    )


DEEPSEEK_V32: Final = invoke_half(
    "deepseek_v32",
    "DeepSeek-V3.2 calls: DSML",
    _tags("｜DSML｜", ("function_calls",)),
    aliases=("deepseekv32", "deepseek32", "deepseek_v3_2"),
    value=TYPED,
    before=("\n\n",),
    specials=DEEPSEEK_SPECIALS,
    template="real",
)

DEEPSEEK_V4_TOOLS: Final = invoke_half(
    "deepseek_v4",
    "DeepSeek-V4 calls: DSML",
    _tags("｜DSML｜", ("tool_calls", "toolcalls", "tool")),  # V4 misspells the opener, never the closer
    aliases=("deepseekv4",),
    value=TYPED,
    before=("\n\n",),
    specials=DEEPSEEK_SPECIALS,
    template="real",
)

DEEPSEEK_V41_TOOLS: Final = invoke_half(
    "deepseek_v41",
    "DeepSeek-V4.1 calls: DSML with a blank in its tags",
    _tags("｜DSML｜", ("calls",), " "),
    aliases=("deepseekv41",),
    value=TYPED,
    before=("\n\n",),
    specials=DEEPSEEK_SPECIALS,
    template="stated",
)

GIGACHAT35: Final = invoke_half(
    "gigachat35",
    "GigaChat 3.5 calls: GCML, DSML by another name",
    _tags("｜GCML｜", ("tool_calls",)),
    value=evolve(TYPED, unwrap=()),
    before=("\n",),
    specials=("<|message_sep|>", "</s>"),
    template="stated",
)

THINKING: Final = (
    Switch(("reasoning_effort",), off=("none",), only_off=True),
    Switch(("thinking", "enable_thinking")),
)

DEEPSEEK_V4_REASONING: Final = think_half(
    "deepseek_v4",
    "DeepSeek-V4 reasoning: on unless `thinking` or `enable_thinking` is false, or `reasoning_effort` is none",
    aliases=("deepseek-v4",),
    # The template writes nothing at the markers.
    switches=THINKING,
    stops=DEEPSEEK_TURNS,
    specials=DEEPSEEK_SPECIALS,
    template="real",
)

DEEPSEEK_V41_REASONING: Final[Format] = evolve(
    DEEPSEEK_V4_REASONING,
    name="deepseek_v41",
    about="DeepSeek-V4.1 reasoning: as V4",
    aliases=("deepseek-v41",),
    template="stated",
)
