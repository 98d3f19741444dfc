"""Which file holds which format. Families are imported when first asked for.

A name is the format's own or an alias under which a serving system knows it, so that people keep their flags. The same
name may mean another format in the other role: `qwen3` reads Qwen3's reasoning, and as a tool format its JSON calls.

To add a family: its file, and a line for each of its formats here. Names must be those of the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, Literal, TypeAlias

from returns.result import Failure, Result, Success

from unbraid.core.errors import UnknownFormat
from unbraid.core.grammar import Format
from unbraid.core.nearest import nearest

Role: TypeAlias = Literal["reasoning", "tools"]

TABLE: Final = """
qwen       QWEN3               reasoning  qwen3 qwen3.5 nanbeige interns1 dots basic base thinking ornith
qwen       QWEN3_THINKING      reasoning  qwen3_thinking qwen3-thinking qwen3-vl-thinking
qwen       SEED_OSS_REASONING  reasoning  seed_oss
qwen       MIMO_REASONING      reasoning  mimo
qwen       STEP3P5_REASONING   reasoning  step3p5
qwen       NEMOTRON_V3         reasoning  nemotron_v3 nemotron_3 nemotron3 nemotron_nano nano_v3 nemotron-3-nano nemotron-3.5-nano
qwen       GRANITE_THINKING    reasoning  granite_thinking granite_thinking_parser
qwen       QWEN3_CODER         tools      qwen3_coder qwen3_xml qwen_xml qwen_coder qwen3-coder qwen3.5 ornith nanbeige step3p5 step5 nemotron_nano nemotron-3-nano nemotron-3.5-nano
qwen       SEED_OSS_TOOLS      tools      seed_oss
qwen       MIMO_TOOLS          tools      mimo
hermes     HERMES              tools      hermes qwen3_json qwen qwen25 qwen3 qwen3-thinking json_tools qwen3-vl-instruct qwen3-vl-thinking trinity
hermes     LONGCAT             tools      longcat
delimited  DEEPSEEK_R1         reasoning  deepseek_r1 deepseek-r1 step5 gigachat35
delimited  DEEPSEEK_V3         reasoning  deepseek_v3 deepseek-v3 deepseek_v31 deepseek3 cogito
delimited  HOLO2               reasoning  holo2
delimited  IDENTITY            reasoning  identity none passthrough qwen3-vl-instruct
harmony    HARMONY             both       harmony openai openai_gptoss gpt-oss gpt_oss gptoss
llama      LLAMA3_JSON         tools      llama3_json llama3 llama
llama      LLAMA4_JSON         tools      llama4_json
k2         K2_REASONING        reasoning  k2_horizon
k2         K2_TOOLS            tools      k2_horizon
k2         K2_TYPED            tools      k2_horizon_typed
k2         K2_JSON             tools      k2_horizon_json
dsml       DEEPSEEK_V4_REASONING   reasoning  deepseek_v4 deepseek-v4
dsml       DEEPSEEK_V41_REASONING  reasoning  deepseek_v41 deepseek-v41
dsml       DEEPSEEK_V32        tools      deepseek_v32 deepseekv32 deepseek32 deepseek_v3_2
dsml       DEEPSEEK_V4_TOOLS   tools      deepseek_v4 deepseekv4
dsml       DEEPSEEK_V41_TOOLS  tools      deepseek_v41 deepseekv41
dsml       GIGACHAT35          tools      gigachat35
minimax    MINIMAX_M2_REASONING     reasoning  minimax_m2 minimax
minimax    MINIMAX_M2_APPEND_THINK  reasoning  minimax_m2_append_think minimax-append-think minimax_append_think
minimax    MINIMAX_M3_REASONING     reasoning  minimax_m3 minimax-m3
minimax    MINIMAX_M2_TOOLS    tools      minimax_m2 minimax-m2
minimax    MINIMAX_M3_TOOLS    tools      minimax_m3 minimax-m3
glm        GLM45_REASONING     reasoning  glm45 glm47 glm-4.7 glm-ocr
glm        GLM53_REASONING     reasoning  glm53
glm        LING3_REASONING     reasoning  ling3
glm        POOLSIDE_REASONING  reasoning  poolside_v1 poolside-v1 laguna
glm        HY_V3_REASONING     reasoning  hy_v3
glm        HY_V4_REASONING     reasoning  hy_v4 hunyuan
glm        GLM45_TOOLS         tools      glm45 glm47 glm glm-4.7 glm-ocr glm45_moe glm47_moe spark25
glm        LING3_TOOLS         tools      ling3
glm        POOLSIDE_TOOLS      tools      poolside_v1 poolside-v1 laguna
glm        HUNYUAN_TOOLS       tools      hy_v3 hy_v4 hunyuan
pythonic   PYTHONIC            tools      pythonic
pythonic   LLAMA4_PYTHONIC     tools      llama4_pythonic
pythonic   OLMO3_TOOLS         tools      olmo3 olmo3-think
pythonic   OLMO3_REASONING     reasoning  olmo3 olmo3-think
pythonic   LFM2                tools      lfm2 lfm2-thinking
pythonic   LFM2_REASONING      reasoning  lfm2-thinking
gemma      GEMMA4              both       gemma4 gemma4-no-thinking gemma_4 gemma-4
kimi       KIMI_K2_REASONING   reasoning  kimi_k2 kimi_k25 kimi_thinking
kimi       KIMI_K2_TOOLS       tools      kimi_k2 kimik2
kimi       KIMI_K3             both       kimi_k3
kimi       KIMI                reasoning  kimi
plamo      PLAMO3_REASONING    reasoning  plamo3
plamo      PLAMO3_TOOLS        tools      plamo3
deepseek   DEEPSEEK_V3         tools      deepseek_v3 deepseekv3 deepseek
deepseek   DEEPSEEK_V31        tools      deepseek_v31 deepseekv31 deepseek31 deepseek_v3_1 deepseek3 cogito
granite    GRANITE             tools      granite
granite    GRANITE4            tools      granite4
granite    GRANITE_20B_FC      tools      granite-20b-fc
granite    GRANITE_REASONING   reasoning  granite
mistral    MISTRAL_REASONING   reasoning  mistral ministral mistral_v13
mistral    MISTRAL_V11_REASONING  reasoning  mistral_v11
mistral    MISTRAL_TOOLS       tools      mistral ministral mistral_v11 mistral_v13
mistral    MISTRAL_JSON        tools      mistral_json
inkling    INKLING             both       inkling
cohere     COHERE_COMMAND3     both       cohere_command3 cohere cohere_cmd
cohere     COHERE_COMMAND4     both       cohere_command4
minicpm    MINICPMV            reasoning  minicpmv
arrays     JAMBA               tools      jamba
arrays     XLAM                tools      xlam
internlm   INTERNLM            tools      internlm interns1
ernie      ERNIE45_REASONING   reasoning  ernie45
ernie      ERNIE45_TOOLS       tools      ernie45
step       STEP3_REASONING     reasoning  step3
step       STEP3_TOOLS         tools      step3
"""
"""A format a line: module, attribute, role, names."""


def _lines() -> Iterator[list[str]]:
    for line in TABLE.split("\n"):
        if line:
            yield [word for word in line.split(" ") if word]


def _entries(role: Role) -> dict[str, tuple[str, str]]:
    entries: dict[str, tuple[str, str]] = {}
    for module, attribute, of, *known in _lines():
        if of in (role, "both"):
            entries.update((name, (module, attribute)) for name in known)
    return entries


ENTRIES: Final[Mapping[Role, Mapping[str, tuple[str, str]]]] = {
    "reasoning": _entries("reasoning"),
    "tools": _entries("tools"),
}
"""Role, name -> module and attribute."""


def names(role: Role) -> tuple[str, ...]:
    """All names that resolve for `role`, aliases included, sorted."""
    return tuple(sorted(ENTRIES[role]))


def lookup(role: Role, name: str) -> Result[Format, UnknownFormat]:
    """The format that `name` means for `role`, or an `UnknownFormat` with the nearest names.

    >>> lookup("tools", "qwen25").unwrap().name
    'hermes'
    >>> lookup("tools", "deepseek_r1").failure().other_half
    True
    """
    entry = ENTRIES[role].get(name)
    if entry is not None:
        return Success(_load(*entry))
    other: Role = "tools" if role == "reasoning" else "reasoning"
    return Failure(UnknownFormat(name, role, nearest(name, ENTRIES[role]), name in ENTRIES[other]))


def formats() -> Iterator[Format]:
    """Every format once, in the order of the table. Imports all families."""
    for module, attribute, *_ in _lines():
        yield _load(module, attribute)


def _load(module: str, attribute: str) -> Format:
    fmt: Format = getattr(import_module(f"unbraid.formats.{module}"), attribute)
    return fmt
