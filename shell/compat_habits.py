"""What other servers do with a format's messages, where their formats differ among themselves: data, no code.

    edges       white space around content beside calls: kept, stripped, or stripped at its end; or all content is dropped
                there (none)
    after       text behind the first call: dropped, kept, or joined on a new line
    arguments   verbatim, typed by the schema (rewritten only if that changes something), dumped (read and written anew), or
                dumped with everything but ASCII escaped
    broken      a call that is not complete: kept as it is, closed behind its last whole member, gone, or all is raw content
    checked     calls of tools that are not offered are dropped
    thought     white space at the end of reasoning: kept or dropped

vLLM 0.33 as the cards of the formats have it; SGLang 0.5.23 as its parsers do in tests. Formats that are not listed have the
values of their system's first line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import evolve, frozen

Compat: TypeAlias = Literal["vllm", "sglang"]
"""A server whose messages can be given."""


@frozen
class Habit:
    """What a system does with the messages of one format. The table of this module's docstring says what the words mean."""

    edges: Literal["keep", "strip", "end", "none"] = "strip"
    after: Literal["drop", "keep", "line"] = "drop"
    arguments: Literal["verbatim", "typed", "dumped", "ascii"] = "typed"
    broken: Literal["kept", "closed", "gone", "raw"] = "kept"
    checked: bool = False
    thought: Literal["keep", "drop"] = "keep"


_ENGINE: Final = Habit()
_TAGGED: Final = Habit(broken="closed")
_DSML: Final = Habit(edges="keep", broken="closed")
_OBJECTS: Final = Habit(edges="keep", arguments="dumped", broken="raw")
_PYTHON: Final = Habit(edges="none", arguments="dumped", broken="raw")
_LINES: Final = Habit(edges="keep", after="keep", broken="raw")
_PLAIN: Final = Habit(edges="keep", arguments="verbatim")

_VLLM: Final[Mapping[str, Habit]] = {
    **dict.fromkeys(("qwen3_coder", "seed_oss", "mimo", "gemma4"), _TAGGED),
    **dict.fromkeys(("glm45", "ling3", "minimax_m2"), evolve(_TAGGED, checked=True)),
    **dict.fromkeys(("deepseek_v32", "deepseek_v4", "deepseek_v41", "minimax_m3", "hy_v3"), _DSML),
    **dict.fromkeys(("granite", "mistral"), _ENGINE),
    **dict.fromkeys(("kimi_k2", "plamo3"), evolve(_ENGINE, edges="keep")),
    **dict.fromkeys(("hermes", "longcat", "granite-20b-fc", "mistral_json", "jamba", "internlm"), _OBJECTS),
    **dict.fromkeys(("llama3_json", "llama4_json", "pythonic", "llama4_pythonic", "olmo3"), _PYTHON),
    **dict.fromkeys(("k2_horizon", "k2_horizon_typed", "k2_horizon_json"), _LINES),
    **dict.fromkeys(("poolside_v1", "hy_v4"), evolve(_LINES, after="drop")),
    **dict.fromkeys(("cohere_command3", "cohere_command4"), _PLAIN),
    "granite4": evolve(_OBJECTS, after="keep"),
    "xlam": evolve(_OBJECTS, edges="strip", after="keep"),
    "ernie45": evolve(_OBJECTS, edges="end", broken="gone"),
    "step3": Habit(after="keep", arguments="dumped", broken="raw"),
    "lfm2": Habit(after="line", arguments="dumped", broken="raw"),
    "inkling": evolve(_ENGINE, edges="keep", after="keep"),
    "kimi_k3": evolve(_PLAIN, broken="gone"),
    "deepseek_v3": evolve(_PLAIN, after="keep", broken="gone"),
    "deepseek_v31": evolve(_PLAIN, broken="gone"),
    "harmony": Habit(edges="keep", after="keep", arguments="ascii"),
}
"""By the name of the tool half."""

_VLLM_TRIMS: Final = frozenset(
    (
        *(
            "step3p5",
            "nemotron_v3",
            "granite_thinking",
            "deepseek_v4",
            "deepseek_v41",
            "gemma4",
            "glm45",
            "glm53",
            "ling3",
        ),
        *("inkling", "kimi_k2", "minimax_m2", "mistral", "mistral_v11", "cohere_command3", "cohere_command4"),
    )
)
"""Reasoning halves whose reasoning loses the white space at its end."""

_GROUPS: Final = Habit(arguments="dumped", broken="gone", checked=True)
_VERBATIM: Final = Habit(edges="keep", arguments="verbatim", broken="gone", checked=True)
_AROUND: Final = evolve(_GROUPS, edges="keep", after="keep")

_SGLANG: Final[Mapping[str, Habit]] = {
    **dict.fromkeys(("hermes", "longcat"), evolve(_GROUPS, broken="raw")),
    **dict.fromkeys(("qwen3_coder", "mimo", "seed_oss"), Habit(edges="keep", arguments="dumped", broken="closed")),
    **dict.fromkeys(("kimi_k2", "kimi_k3"), _VERBATIM),
    **dict.fromkeys(("inkling", "harmony"), evolve(_VERBATIM, after="keep")),
    **dict.fromkeys(("deepseek_v32", "deepseek_v4", "deepseek_v41"), evolve(_GROUPS, edges="end")),
    **dict.fromkeys(("minimax_m2", "minimax_m3", "llama3_json", "llama4_json"), _AROUND),
    **dict.fromkeys(("k2_horizon", "k2_horizon_typed", "k2_horizon_json"), _AROUND),
    **dict.fromkeys(("pythonic", "llama4_pythonic"), _AROUND),
    **dict.fromkeys(("mistral", "mistral_json"), evolve(_GROUPS, after="keep")),
}

_FORCED: Final = Habit(edges="keep", arguments="verbatim")
"""Of forced calls that are JSON and no format's."""


def habit_of(system: Compat, name: str, *, forced: bool = False) -> Habit:
    """What `system` does with messages of the format called `name`, both halves of which say a part. `forced`: the calls
    are JSON and no format's.

    >>> habit_of("vllm", "kimi_k2+qwen3_coder")
    Habit(edges='strip', after='drop', arguments='typed', broken='closed', checked=False, thought='drop')
    """
    reasoning, _, tools = name.partition("+")
    tools = tools or reasoning
    if forced:
        return _FORCED
    if system == "sglang":
        return _SGLANG.get(tools, _GROUPS)
    known = _VLLM.get(tools, _ENGINE)
    return evolve(known, thought="drop") if reasoning in _VLLM_TRIMS else known
