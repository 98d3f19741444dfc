# The part of transformers (>= 5) that is called here. The package has types of its own, but following them takes mypy more
# than a minute. Declare what you start to call.
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, overload

from tokenizers import AddedToken, Tokenizer

class PreTrainedTokenizerBase:
    chat_template: str | dict[str, str] | None
    name_or_path: str
    bos_token: str | None
    eos_token: str | None
    pad_token: str | None
    unk_token: str | None
    @property
    def vocab_size(self) -> int: ...
    @property
    def all_special_ids(self) -> list[int]: ...
    @property
    def all_special_tokens(self) -> list[str]: ...
    @property
    def added_tokens_decoder(self) -> dict[int, AddedToken]: ...
    def __len__(self) -> int: ...
    def get_vocab(self) -> dict[str, int]: ...
    def get_added_vocab(self) -> dict[str, int]: ...
    @overload
    def convert_tokens_to_ids(self, tokens: str) -> int | None: ...
    @overload
    def convert_tokens_to_ids(self, tokens: list[str]) -> list[int | None]: ...
    @overload
    def convert_ids_to_tokens(self, ids: int, skip_special_tokens: bool = False) -> str | None: ...
    @overload
    def convert_ids_to_tokens(self, ids: list[int], skip_special_tokens: bool = False) -> list[str | None]: ...
    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]: ...
    def decode(self, token_ids: int | list[int], skip_special_tokens: bool = False) -> str: ...
    # `tokenize` is True when left out: ask for the text.
    def apply_chat_template(
        self,
        conversation: Sequence[Mapping[str, object]],
        tools: Sequence[Mapping[str, object]] | None = None,
        *,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tokenize: Literal[False],
        **kwargs: object,
    ) -> str: ...

class PreTrainedTokenizerFast(PreTrainedTokenizerBase):
    def __init__(
        self,
        *,
        tokenizer_object: Tokenizer | None = None,
        tokenizer_file: str | None = None,
        chat_template: str | None = None,
        bos_token: str | None = None,
        eos_token: str | None = None,
        pad_token: str | None = None,
        unk_token: str | None = None,
    ) -> None: ...
    @property
    def backend_tokenizer(self) -> Tokenizer: ...

class AutoTokenizer:
    @staticmethod
    def from_pretrained(
        pretrained_model_name_or_path: str | PathLike[str],
        *,
        local_files_only: bool = False,
        revision: str = "main",
        trust_remote_code: bool = False,
    ) -> PreTrainedTokenizerBase: ...
