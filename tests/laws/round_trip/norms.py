"""What each template changes in a message, as data: one row per template.

    parse(template(message)) == norm(message)

The words of a row are explained in `changes.py`. A change that is not named here is a fault: of the format's framing, of the core, or of
this table. Some formats have no template at hand; theirs are stated in `stated.py`, and change nothing.
"""

from __future__ import annotations

from typing import Final

from tests.laws.round_trip.changes import BLANKS, NEWLINES, Norm, Row, Trim
from tests.laws.round_trip.coder import Real
from tests.laws.round_trip.rendering import Shape
from tests.laws.round_trip.strategies import TYPES, Range

SILENT: Final = Range(reasoning=(False,))
SILENT_TYPED: Final = Range(reasoning=(False,), typed=True)
"""The template knows no reasoning."""

TYPED: Final = Range(typed=True)
ALL: Final = Range()
VERBATIM: Final = Range(verbatim=True)
THINKS: Final = Range(reasoning=(True,))
THINKS_TYPED: Final = Range(reasoning=(True,), typed=True)
"""The model always thinks."""

THINKING: Final = ("enable_thinking", False, True)
"""The template is told whether the message has reasoning."""

DROPPED: Final = Norm(calls="dropped")

# ---------------------------------------------------------------------------------------------------------------- Qwen

IM_END: Final = ("<|im_end|>\n",)

# Newlines at both ends of the reasoning and at the left of the content.
QWEN3: Final = Norm(NEWLINES, Trim(left="newlines"))

QWEN: Final = (
    Row("Qwen-Qwen3-0.6B", "qwen3", "hermes", QWEN3, switch=THINKING, end=IM_END),
    Row("Qwen-Qwen3-0.6B", "qwen3", "hermes", QWEN3, VERBATIM, switch=THINKING, end=IM_END, case="verbatim"),
    Row("Qwen-Qwen2.5-7B-Instruct", None, "hermes", span=SILENT, end=IM_END),
    # Content is trimmed only where calls follow.
    Row("Qwen3-Coder", None, "qwen3_coder", Norm(beside=BLANKS), SILENT_TYPED, end=IM_END),
    Row("Qwen3.5-4B", "qwen3", "qwen3_coder", Norm(BLANKS, BLANKS), TYPED, switch=THINKING, end=IM_END),
    Row(
        "ByteDance-Seed-OSS",
        "seed_oss",
        "seed_oss",
        Norm(BLANKS, BLANKS, blank="dropped", nested="python"),
        TYPED,
        switch=THINKING,
        end=("<seed:eos>",),
    ),
    Row("MiMo-VL", "mimo", "hermes", span=SILENT, kwargs={"enable_thinking": False}, end=IM_END),
    # Reasoning and content are joined before they are trimmed. Behind "<think></think>" the template writes no newline, but a newline
    # that the content begins with cannot be told from one.
    Row(
        "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
        "nemotron_v3",
        "qwen3_coder",
        Norm(content=Trim(right="blanks"), blank="dropped", unthought=Trim("newline", "blanks")),
        TYPED,
        switch=THINKING,
        end=IM_END,
    ),
)

# They spell a type of each property in Python, and never end for the type null.
NO_NULL: Final = Range(reasoning=(False,), leaves=("gone",))

HERMES: Final = (
    Row("NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", None, "hermes", DROPPED, NO_NULL, end=IM_END),
    Row("vllm-example-hermes", None, "hermes", DROPPED, NO_NULL, end=IM_END),
)

# -------------------------------------------------------------------------------------------- names and JSON, no markers

ONE: Final = Range(1, reasoning=(False,), beside=False)
EOT: Final = ("<|eot_id|>",)

LLAMA: Final = (
    *(
        Row(name, None, "llama3_json", Norm(content=BLANKS), ONE, vocabulary="llama3_1", end=EOT)
        for name in (
            "meta-llama-Llama-3.1-8B-Instruct",
            "meta-llama-Llama-3.2-3B-Instruct",
            "vllm-example-llama3.1_json",
        )
    ),
    # A generation prompt begins with a newline that only messages with calls have.
    Row(
        "vllm-example-llama4_json",
        None,
        "llama4_json",
        span=Range(reasoning=(False,), beside=False, least=1),
        vocabulary="llama3_1",
        tokens=("<|eot|>",),
        end=("<|eot|>",),
    ),
)

# ------------------------------------------------------------------------------------------------------- keys and values

GLM: Final = (
    # With thinking off the format has no markers at all, so the newline behind the prompt's "</think>" is content.
    Row("GLM-4.6", "glm45", "glm45", Norm(BLANKS, BLANKS, unthought_lead="\n"), TYPED, switch=THINKING),
    Row("GLM-4.7-Flash", "glm45", "glm45", Norm(BLANKS, BLANKS), TYPED, switch=THINKING),
    Row(
        "inclusionai-ling-3.0-flash",
        "ling3",
        "ling3",
        Norm(NEWLINES, Trim(left="newlines"), unthought=Trim()),
        TYPED,
        switch=THINKING,
        end=("<|role_end|>",),
    ),
    *(
        Row(
            name,
            "poolside_v1",
            "poolside_v1",
            Norm(BLANKS, BLANKS, unthought_lead="\n"),
            TYPED,
            switch=THINKING,
            end=("\n",),
        )
        for name in ("poolside-Laguna-XS.2", "poolside-Laguna-XS-2.1")
    ),
    Row(
        "tencent-Hy3",
        "hy_v3",
        "hy_v3",
        span=TYPED,
        switch=("reasoning_effort", "no_think", "high"),
        words={"is_training": True},
        markers=("<tool_calls:opensource>",),
        tokens=("<｜hy_eos:opensource｜>",),
        end=("<｜hy_eos:opensource｜>",),
    ),
)

# --------------------------------------------------------------------------------------------------------------- invokes

MINIMAX: Final = (
    Row("MiniMax-M2", "minimax_m2", "minimax_m2", span=THINKS_TYPED, end=("[e~[\n",)),
    # Of nested values only those whose schema says the types of all parts can be typed; null is left out.
    Row(
        "MiniMax-M3",
        "minimax_m3",
        "minimax_m3",
        span=Range(typed=True, leaves=("data", "items", "gone")),
        switch=("thinking_mode", "disabled", "enabled"),
        end=("[e~[\n",),
    ),
)

SENTENCE: Final = ("<｜end▁of▁sentence｜>",)
OFF: Final = {"thinking": False}

DEEPSEEK: Final = (
    Row(
        "deepseek-ai-DeepSeek-V3.1",
        "deepseek_v3",
        "deepseek_v31",
        Norm(),
        SILENT,
        Shape(),
        "deepseek",
        OFF,
        end=SENTENCE,
    ),
    Row("vllm-example-deepseekr1", None, "deepseek_v3", Norm(), SILENT, Shape(), "deepseek", end=SENTENCE),
    Row(
        "deepseek-ai-DeepSeek-V3.2",
        "deepseek_v3",
        "deepseek_v32",
        span=TYPED,
        vocabulary="deepseek",
        kwargs={"thinking": True},
        end=SENTENCE,
    ),
    Row(
        "deepseek-ai-DeepSeek-V4",
        "deepseek_v4",
        "deepseek_v4",
        span=TYPED,
        vocabulary="deepseek",
        switch=("thinking", False, True),
        end=SENTENCE,
    ),
)

# ---------------------------------------------------------------------------------------------------- sections, channels

KIMI: Final = (
    Row("Kimi-K2-Instruct", None, "kimi_k2", span=Range(reasoning=(False,), verbatim=True), end=("<|im_end|>",)),
    Row("moonshotai-Kimi-K2", None, "kimi_k2", span=SILENT, end=("<|im_end|>",)),
    Row(
        "Kimi-K3",
        "kimi_k3",
        "kimi_k3",
        Norm(blank="dropped", fenced=True),
        TYPED,
        switch=("thinking", False, True),
        tokens=("<|open|>", "<|close|>"),
        end=("<|end_of_msg|>",),
    ),
)

CHANNELS: Final = (
    # Content beside a call is written as analysis, so a message with a call has one of the two.
    Row(
        "openai-gpt-oss-120b",
        "harmony",
        "harmony",
        Norm(calls="reasoning"),
        Range(1, both=False),
        Shape("thinking"),
        "gptoss",
    ),
    Row(
        "google-gemma-4-31B-it",
        "gemma4",
        "gemma4",
        Norm(content=BLANKS, thoughts="only_with_calls", keys="sorted"),
        Range(typed=True, named=True),
        Shape("reasoning"),
        "gemma3",
        kwargs={"enable_thinking": True},
        end=("<turn|>\n", "<|tool_response>"),
    ),
    # It ends every history with a generation prompt.
    Row(
        "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
        "cohere_command3",
        "cohere_command3",
        Norm(calls="dropped", thoughts="only_with_calls"),
        kwargs={"enable_thinking": True},
        end=("<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",),
    ),
    Row(
        "Cohere2MoE",
        "cohere_command4",
        "cohere_command4",
        DROPPED,
        THINKS,
        kwargs={"reasoning": True},
        end=("<|END_OF_TURN_TOKEN|>",),
    ),
)

# ---------------------------------------------------------------------------------------------------------- JSON, arrays

GRANITE: Final = (
    Row("vllm-example-granite", None, "granite", DROPPED, SILENT, end=("<|end_of_text|>\n",)),
    Row(
        "ibm-granite-granite-4.0",
        None,
        "granite4",
        span=Range(reasoning=(False,), verbatim=True),
        end=("<|end_of_text|>\n",),
    ),
)

OBJECTS: Final = (
    Row("vllm-example-internlm2_tool", None, "internlm", span=SILENT, end=IM_END),
    Row("vllm-example-xlam_qwen", None, "xlam", Norm(content=BLANKS, calls="dropped"), SILENT, end=IM_END),
)

EOS: Final = ("</s>",)
EOS_WORD: Final = {"eos_token": "</s>"}

MISTRAL: Final = (
    Row("Mistral-Small-3.2-24B-Instruct-2506", "mistral", "mistral", DROPPED, SILENT, words=EOS_WORD, end=EOS),
    Row("mistralai-Mistral-Nemo-Instruct-2407", None, "mistral_json", DROPPED, SILENT, words=EOS_WORD, end=EOS),
    Row(
        "mistralai-Ministral-3-14B-Reasoning-2512",
        "mistral",
        "mistral",
        shape=Shape(blocks=True),
        words=EOS_WORD,
        end=EOS,
    ),
    Row("vllm-example-mistral", None, "mistral_json", Norm(calls="dropped", lead=" "), SILENT, words=EOS_WORD, end=EOS),
)


# ---------------------------------------------------------------------------------------------------------------- stated


def _stated(name: str, reasoning: str | None, tools: str | None, span: Range = ALL, norm: Norm = Norm()) -> Row:  # noqa: B008 - a frozen record
    vocabulary: Real = "deepseek" if name.startswith("deepseek") else "qwen3"
    return Row(name, reasoning, tools, norm, span, vocabulary=vocabulary, words={"types": TYPES}, stated=True)


LIST: Final = Range(reasoning=(False,), typed=True, beside=False)

STATED: Final = (
    _stated("qwen3_thinking", "qwen3_thinking", "hermes", THINKS),
    _stated("minicpmv", "minicpmv", "hermes", THINKS),
    # One line break before a call; Qwen's markup takes two, so one that ends the answer is not told from it.
    _stated("step3p5", "step3p5", "qwen3_coder", THINKS_TYPED, Norm(beside=Trim(right="newline"))),
    _stated("mimo", "mimo", "mimo", THINKS_TYPED),
    _stated("granite_thinking", "granite_thinking", "granite4", THINKS),
    _stated("longcat", None, "longcat", SILENT),
    _stated("deepseek_r1", "deepseek_r1", "deepseek_v3", THINKS),
    _stated("holo2", "holo2", None, Range(0, reasoning=(True,))),
    _stated("deepseek_v41", "deepseek_v41", "deepseek_v41", THINKS_TYPED),
    _stated("gigachat35", "deepseek_r1", "gigachat35", THINKS_TYPED),
    # No line break before a call; GLM's markup takes one that the model writes there.
    _stated("glm53", "glm53", "glm45", THINKS_TYPED, Norm(beside=Trim(right="newline"))),
    _stated("hy_v4", "hy_v4", "hy_v4", THINKS_TYPED),
    _stated("k2_horizon", "k2_horizon", "k2_horizon", THINKS_TYPED),
    _stated("k2_horizon_typed", "k2_horizon", "k2_horizon_typed", THINKS_TYPED),
    _stated("k2_horizon_json", "k2_horizon", "k2_horizon_json", THINKS),
    _stated("pythonic", None, "pythonic", LIST),
    _stated("llama4_pythonic", None, "llama4_pythonic", LIST),
    _stated("olmo3", "olmo3", "olmo3", THINKS_TYPED),
    _stated("lfm2", "lfm2-thinking", "lfm2", THINKS_TYPED),
    _stated("kimi_k2", "kimi_k2", "kimi_k2", THINKS),
    _stated("kimi", "kimi", None, Range(0)),
    _stated("plamo3", "plamo3", "plamo3", THINKS),
    _stated("granite-20b-fc", None, "granite-20b-fc", SILENT),
    _stated("granite", "granite", "granite"),
    _stated("mistral_v11", "mistral_v11", "mistral"),
    _stated("inkling", "inkling", "inkling", norm=Norm(fenced=True)),
    _stated("jamba", None, "jamba", SILENT),
    _stated("ernie45", "ernie45", "ernie45", THINKS),
    _stated("step3", "step3", "step3", THINKS_TYPED),
)

ROWS: Final = (
    *QWEN,
    *HERMES,
    *LLAMA,
    *GLM,
    *MINIMAX,
    *DEEPSEEK,
    *KIMI,
    *CHANNELS,
    *GRANITE,
    *OBJECTS,
    *MISTRAL,
    *STATED,
)
