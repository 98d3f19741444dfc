"""InternLM2: JSON between the tokens of a plugin's action.

    call   = "<|action_start|>" " "? "<|plugin|>" object "<|action_end|>"
    object = {"name": NAME, "parameters": ARGUMENTS}                                            or "arguments"

The other action, code for an interpreter, is no call and stays text. The call ends with its object, so a missing end
marker costs nothing.
"""

from __future__ import annotations

from typing import Final

from unbraid.core.compose import CONTENT
from unbraid.core.grammar import Envelope, Format, Gap, Region, Terminal, Text
from unbraid.core.notation import rows

INTERNLM: Final = Format(
    name="internlm",
    about="InternLM2 and Intern-S1 calls: JSON in an action of <|plugin|>",
    aliases=("interns1",),
    tools=True,
    terminals=(
        Terminal("ACTION", ("<|action_start|>",), dedicated=True),
        Terminal("PLUGIN", ("<|plugin|>",), after=("\n",), dedicated=True),
        Terminal("ACTION_END", ("<|action_end|>",), dedicated=True),
    ),
    regions=(
        CONTENT,
        Region("action", Gap(), "call", trial="opening"),
        Region("call", Envelope(arguments=("parameters", "arguments")), "call", trial="opening"),
        Region("broken", Text(), "none"),  # the rest of a call that is no JSON, up to the end of its action
        Region("ended", Gap(touches=True), "content"),
        Region("after", Gap(touches=True), "content"),
    ),
    rows=rows("""
        content      ACTION      -> action
        action       PLUGIN      -> call
        call         @closed     -> ended
        call         ACTION_END  -> after             # in the middle of the object
        call         ACTION      -> broken   keep     # a call that breaks off, and the next one
        call         @bad        -> broken
        broken       ACTION_END  -> after
        broken       ACTION      -> action
        ended        ACTION_END  -> after
        ended after  ACTION      -> action
        ended after  @text       -> content
    """),
    specials=("<|im_start|>", "<|im_end|>", "</s>"),
    template="real",
)
