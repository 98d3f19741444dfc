"""What each template changes in a message, as data: one row per template.

    parse(template(message)) == norm(message)

The words of a row are explained in `changes.py`. A change that is not named here is a fault: of the format's framing, of the core, or of
this table.
"""

from __future__ import annotations

from typing import Final

from tests.laws.round_trip.changes import BLANKS, NEWLINES, Norm, Row, Trim
from tests.laws.round_trip.rendering import Shape
from tests.laws.round_trip.strategies import TYPES, Range

THINKING: Final = ("enable_thinking", False, True)
"""The template is told whether the message has reasoning."""

SILENT: Final = (False,)
"""No message has reasoning."""

TYPED: Final = Range(typed=True)
VERBATIM: Final = Range(verbatim=True)

QWEN: Final = (
    # Newlines at both ends of the reasoning and at the left of the content.
    Row("Qwen-Qwen3-0.6B", "qwen3", "hermes", Norm(NEWLINES, Trim(left="newlines")), switch=THINKING),
    Row("Qwen-Qwen3-0.6B", "qwen3", "hermes", Norm(NEWLINES, Trim(left="newlines")), VERBATIM, switch=THINKING, case="verbatim"),
    Row("Qwen-Qwen2.5-7B-Instruct", None, "hermes", span=Range(reasoning=SILENT)),
    # Content is trimmed only where calls follow.
    Row("Qwen3-Coder", None, "qwen3_coder", Norm(beside=BLANKS), Range(typed=True, reasoning=SILENT)),
    Row("Qwen3.5-4B", "qwen3", "qwen3_coder", Norm(BLANKS, BLANKS), TYPED, switch=THINKING),
    # Objects and arrays are printed as Python does.
    Row(
        "ByteDance-Seed-OSS", "seed_oss", "seed_oss", Norm(BLANKS, BLANKS, blank="dropped", nested="python"), TYPED, switch=THINKING,
        last=("<seed:eos>",), stop="",
    ),
    # Its template knows no reasoning.
    Row("MiMo-VL", "mimo", "hermes", span=Range(reasoning=SILENT), kwargs={"enable_thinking": False}),
    # Reasoning and content are joined before they are trimmed. Behind "<think></think>" the template writes no newline, but a newline
    # that the content begins with cannot be told from one.
    Row(
        "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron_v3", "qwen3_coder",
        Norm(content=Trim(right="blanks"), blank="dropped", unthought=Trim("newline", "blanks")), TYPED, switch=THINKING,
    ),
)

HERMES: Final = (
    Row("NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", None, "hermes", Norm(calls="dropped"), Range(reasoning=SILENT, leaves=("gone",))),
    Row("vllm-example-hermes", None, "hermes", Norm(calls="dropped"), Range(reasoning=SILENT, leaves=("gone",))),
)

LLAMA: Final = (
    Row("meta-llama-Llama-3.1-8B-Instruct", None, "llama3_json", Norm(content=BLANKS), Range(1, reasoning=SILENT, beside=False), vocabulary="llama3_1", last=("<|eot_id|>",), stop=""),
    Row("meta-llama-Llama-3.2-3B-Instruct", None, "llama3_json", Norm(content=BLANKS), Range(1, reasoning=SILENT, beside=False), vocabulary="llama3_1", last=("<|eot_id|>",), stop=""),
    Row("vllm-example-llama3.1_json", None, "llama3_json", Norm(content=BLANKS), Range(1, reasoning=SILENT, beside=False), vocabulary="llama3_1", last=("<|eot_id|>",), stop=""),
    Row("vllm-example-llama4_json", None, "llama4_json", Norm(content=BLANKS), Range(least=1, reasoning=SILENT, beside=False), vocabulary="llama3_1", last=("<|eot|>",), stop=""),
)

HARMONY: Final = (
    # Content beside a call is written as analysis.
    Row(
        "openai-gpt-oss-120b", "harmony", "harmony", Norm(calls="reasoning"), Range(1, both=False), Shape("thinking"), "gptoss", last=("",), stop="",
    ),
)

LAGUNA: Final = Norm(BLANKS, BLANKS, unthought_lead="\n", empty_lead=True)
"""As GLM-4.6."""

GLM: Final = (
    # With thinking off the format has no markers at all, so the newline behind the prompt's "</think>" is content.
    Row("GLM-4.6", "glm45", "glm45", Norm(BLANKS, BLANKS, unthought_lead="\n"), TYPED, switch=THINKING, last=("",), stop=""),
    Row("GLM-4.7-Flash", "glm45", "glm45", Norm(BLANKS, BLANKS), TYPED, switch=THINKING, last=("",), stop=""),
    Row("inclusionai-ling-3.0-flash", "ling3", "ling3", Norm(NEWLINES, Trim(left="newlines"), unthought=Trim()), TYPED, switch=THINKING, last=("<|role_end|>",), stop=""),
    Row("poolside-Laguna-XS.2", "poolside_v1", "poolside_v1", LAGUNA, TYPED, switch=THINKING, last=("",)),
    Row("poolside-Laguna-XS-2.1", "poolside_v1", "poolside_v1", LAGUNA, TYPED, switch=THINKING, last=("",)),
    Row("tencent-Hy3", "hy_v3", "hy_v3", span=TYPED, switch=("reasoning_effort", "no_think", "high"), words={"is_training": True}, markers=("<tool_calls:opensource>",), last=("<｜hy_eos:opensource｜>",), stop=""),
)

MINIMAX: Final = (
    Row("MiniMax-M2", "minimax_m2", "minimax_m2", span=Range(typed=True, reasoning=(True,)), last=("[e~[",)),
    Row("MiniMax-M3", "minimax_m3", "minimax_m3", Norm(nulls="dropped"), span=Range(typed=True, leaves=("data", "items", "gone")), switch=("thinking_mode", "disabled", "enabled"), last=("[e~[",)),
)

DEEPSEEK: Final = (
    Row("deepseek-ai-DeepSeek-V3.1", "deepseek_v3", "deepseek_v31", span=Range(reasoning=SILENT), vocabulary="deepseek", kwargs={"thinking": False}, last=("<｜end▁of▁sentence｜>",), stop=""),
    Row("vllm-example-deepseekr1", None, "deepseek_v3", span=Range(reasoning=SILENT), vocabulary="deepseek", last=("<｜end▁of▁sentence｜>",), stop=""),
    Row("deepseek-ai-DeepSeek-V3.2", "deepseek_v3", "deepseek_v32", span=TYPED, vocabulary="deepseek", kwargs={"thinking": True}, last=("<｜end▁of▁sentence｜>",), stop=""),
    Row("deepseek-ai-DeepSeek-V4", "deepseek_v4", "deepseek_v4", span=TYPED, vocabulary="deepseek", switch=("thinking", False, True), last=("<｜end▁of▁sentence｜>",), stop=""),
)

KIMI: Final = (
    Row("Kimi-K2-Instruct", None, "kimi_k2", span=Range(verbatim=True, reasoning=SILENT), stop=""),
    Row("moonshotai-Kimi-K2", None, "kimi_k2", span=Range(reasoning=SILENT), stop=""),
    Row("Kimi-K3", "kimi_k3", "kimi_k3", Norm(blank="dropped"), TYPED, switch=("thinking", False, True), last=("<|end_of_msg|>",), stop="", tokens=("<|open|>", "<|close|>")),
)

GEMMA: Final = (
    Row(
        "google-gemma-4-31B-it", "gemma4", "gemma4", Norm(content=BLANKS, thoughts="only_with_calls", keys="sorted"), Range(typed=True, named=True),
        Shape("reasoning"), "gemma3", kwargs={"enable_thinking": True}, last=("<turn|>\n", "<|tool_response>"), stop="",
    ),
)

GRANITE: Final = (
    Row("vllm-example-granite", None, "granite", Norm(calls="dropped"), Range(reasoning=SILENT), last=("<|end_of_text|>",)),
    Row("ibm-granite-granite-4.0", None, "granite4", span=Range(verbatim=True, reasoning=SILENT), last=("<|end_of_text|>",)),
)

MISTRAL: Final = (
    Row("Mistral-Small-3.2-24B-Instruct-2506", "mistral", "mistral", Norm(calls="dropped"), Range(reasoning=SILENT), words={"eos_token": "</s>"}, last=("</s>",), stop=""),
    Row("mistralai-Mistral-Nemo-Instruct-2407", None, "mistral_json", Norm(calls="dropped"), Range(reasoning=SILENT), words={"eos_token": "</s>"}, last=("</s>",), stop=""),
    Row("mistralai-Ministral-3-14B-Reasoning-2512", "mistral", "mistral", shape=Shape(blocks=True), words={"eos_token": "</s>"}, last=("</s>",), stop=""),
    Row("vllm-example-mistral", None, "mistral_json", Norm(calls="dropped", lead=" "), Range(reasoning=SILENT), words={"eos_token": "</s>"}, last=("</s>",), stop=""),
)

COHERE: Final = (
    Row("CohereForAI-c4ai-command-r7b-12-2024-tool_use", "cohere_command3", "cohere_command3", Norm(calls="dropped", thoughts="only_with_calls"), kwargs={"enable_thinking": True}, last=("<|END_OF_TURN_TOKEN|>",), stop="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"),
    Row("Cohere2MoE", "cohere_command4", "cohere_command4", Norm(calls="dropped"), Range(reasoning=(True,)), kwargs={"reasoning": True}, last=("<|END_OF_TURN_TOKEN|>",), stop=""),
)

THINKS: Final = Range(reasoning=(True,))
THINKS_TYPED: Final = Range(typed=True, reasoning=(True,))
"""The model always thinks."""

STATED: Final = (
    Row("step3p5", "step3p5", "qwen3_coder", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("mimo", "mimo", "mimo", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("granite_thinking", "granite_thinking", "granite4", span=THINKS, last=("",), stop="", stated=True),
    Row("longcat", None, "longcat", span=Range(reasoning=SILENT), last=("",), stop="", stated=True),
    Row("deepseek_r1", "deepseek_r1", "deepseek_v3", span=THINKS, vocabulary="deepseek", last=("",), stop="", stated=True),
    Row("holo2", "holo2", None, span=Range(0, reasoning=(True,)), last=("",), stop="", stated=True),
    Row("deepseek_v41", "deepseek_v41", "deepseek_v41", span=THINKS_TYPED, vocabulary="deepseek", last=("",), stop="", stated=True),
    Row("gigachat35", "deepseek_r1", "gigachat35", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("glm53", "glm53", "glm45", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("hy_v4", "hy_v4", "hy_v4", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("k2_horizon", "k2_horizon", "k2_horizon", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("k2_horizon_typed", "k2_horizon", "k2_horizon_typed", span=THINKS_TYPED, words={"types": TYPES}, last=("",), stop="", stated=True),
    Row("k2_horizon_json", "k2_horizon", "k2_horizon_json", span=THINKS, last=("",), stop="", stated=True),
    Row("pythonic", None, "pythonic", span=Range(typed=True, reasoning=SILENT, beside=False), last=("",), stop="", stated=True),
    Row("llama4_pythonic", None, "llama4_pythonic", span=Range(typed=True, reasoning=SILENT, beside=False), last=("",), stop="", stated=True),
    Row("olmo3", "olmo3", "olmo3", span=THINKS_TYPED, last=("",), stop="", stated=True),
    Row("lfm2", "lfm2-thinking", "lfm2", span=Range(typed=True, reasoning=(True,)), last=("",), stop="", stated=True),
    Row("kimi_k2", "kimi_k2", "kimi_k2", span=THINKS, last=("",), stop="", stated=True),
    Row("kimi", "kimi", None, span=Range(0), last=("",), stop="", stated=True),
    Row("plamo3", "plamo3", "plamo3", span=THINKS, last=("",), stop="", stated=True),
    Row("granite-20b-fc", None, "granite-20b-fc", span=Range(reasoning=SILENT), last=("",), stop="", stated=True),
    Row("granite", "granite", "granite", last=("",), stop="", stated=True),
    Row("mistral_v11", "mistral_v11", "mistral", last=("",), stop="", stated=True),
    Row("inkling", "inkling", "inkling", last=("",), stop="", stated=True),
    Row("content", "identity", None, span=Range(0, reasoning=SILENT), last=("",), stop="", stated=True),
)

ROWS: Final = (*QWEN, *HERMES, *LLAMA, *HARMONY, *GLM, *MINIMAX, *DEEPSEEK, *KIMI, *GEMMA, *GRANITE, *MISTRAL, *COHERE, *STATED)
