"""A model of transformers that fits in a test: random weights, byte tokens, and a hand on its pen.

Its logits are those of its weights; a processor then leaves it one choice, the next token of a script, and behind the script
the end. So `generate` runs as it always does, and what it writes is known.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

MARKERS: Final = ("<think>", "</think>", "<tool_call>", "</tool_call>")
END: Final = "<|im_end|>"
SCRIPT: Final = 'so: é</think>\n\nHi.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Bytes, the markers, and an end."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken(marker, special=False) for marker in MARKERS])
    tokenizer.add_special_tokens([AddedToken(END, special=True)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)


def tiny_model() -> tuple[Any, PreTrainedTokenizerFast, dict[str, Any]]:
    """The model, its tokenizer, and the arguments of `generate` that hold its prompt and its script."""
    torch, transformers = import_module("torch"), import_module("transformers")  # typed as Any: they may not be there
    tokenizer = tiny_tokenizer()
    end = tokenizer.convert_tokens_to_ids(END)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=256,
        eos_token_id=end,
        pad_token_id=end,
        bos_token_id=None,
    )
    prompt = torch.tensor([tokenizer.encode("<think>", add_special_tokens=False)])
    script = [*tokenizer.encode(SCRIPT, add_special_tokens=False), end]

    def scripted(ids: Any, scores: Any) -> Any:
        forced = torch.full_like(scores, -torch.inf)
        forced[:, script[ids.shape[1] - prompt.shape[1]]] = 0.0
        return forced

    model = transformers.LlamaForCausalLM(config).eval()
    return model, tokenizer, {"input_ids": prompt, "logits_processor": [scripted]}
