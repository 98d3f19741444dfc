"""Tokenizers of all makes to one `Vocabulary`.

    read_vocabulary("models/qwen")                  a folder with tokenizer.json, tekken.json or a *.tiktoken file
    read_vocabulary("models/qwen/tokenizer.json")   such a file
    read_vocabulary(tokenizer)                      an object of tokenizers, transformers, tiktoken or mistral-common

Objects are recognised by what they can do; none of these packages is imported or needed. What decides how a token's
spelling becomes bytes is the decoder that the tokenizer states, never the model or its name.

Nothing here raises for bad input: every defect found is returned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from unbraid.shell.json_input import load_json, mapping_of, parse_json
from unbraid.shell.rank_files import is_tekken, read_ranks, read_tekken
from unbraid.shell.tokenizer_json import read_tokenizer_json
from unbraid.shell.vocabulary_draft import Draft, NothingToRead, Reading, UnsupportedSource


def read_vocabulary(source: object) -> Reading:
    """The vocabulary of `source`: a path (`str` or `os.PathLike`) or a tokenizer object, or a wrapper around one.

    A path that does not exist is a defect: names of hubs are not looked up. At most 16 777 216 ids.

    >>> read_vocabulary(3).failure()[0].describe()[:26]
    'int: not a known tokenizer'
    """
    draft = Draft()
    if isinstance(source, str | os.PathLike):
        _read_path(Path(os.fsdecode(source)), draft)
    else:
        _read_object(source, draft)
    return draft.seal()


def _read_object(source: object, draft: Draft) -> None:
    """Read a tokenizer object; ask wrappers (processors, request encoders) for the tokenizer inside."""
    inner, special = source, None
    for _ in range(_DEEPEST_WRAPPER):
        if _read_known(inner, draft):
            if special is not None:
                draft.special = set(special)
            return
        special = getattr(inner, "all_special_ids", special)
        inner = next((part for name in _INSIDE if (part := getattr(inner, name, None)) is not None), None)
    draft.defects.append(UnsupportedSource(type(source).__name__))


_INSIDE: Final = ("instruct_tokenizer", "tokenizer", "model")
_DEEPEST_WRAPPER: Final = 5


def _read_known(source: object, draft: Draft) -> bool:
    """Read `source` if it is a tokenizer itself."""
    origin = type(source).__name__
    if isinstance(source, _Backed) and isinstance(source.backend_tokenizer, _Serialisable):
        read_tokenizer_json(origin, parse_json(origin, source.backend_tokenizer.to_str().encode(), draft), None, draft)
        draft.special.update(source.all_special_ids)
    elif isinstance(source, _Serialisable):
        read_tokenizer_json(origin, parse_json(origin, source.to_str().encode(), draft), None, draft)
    elif isinstance(source, _ByteTokens):
        _read_byte_tokens(source, draft)
    elif isinstance(source, _BytePieces):
        _read_byte_pieces(source, draft)
    else:
        return False
    return True


def _read_byte_tokens(source: _ByteTokens, draft: Draft) -> None:
    """Read an object like those of tiktoken; ids may have holes."""
    for token in range(source.n_vocab):
        try:
            draft.pieces[token] = source.decode_single_token_bytes(token)
        except KeyError:
            continue
    for spelling, token in _special_of(source).items():
        draft.add(token, spelling, spelling.encode(), special=True)


def _special_of(source: _ByteTokens) -> Mapping[str, int]:
    """The ids of the special tokens, through the public names if they are there."""
    names = getattr(source, "special_tokens_set", None)
    encode: Callable[[str], int] | None = getattr(source, "encode_single_token", None)
    if names is None or encode is None:
        return dict(getattr(source, "_special_tokens", {}))
    return {name: encode(name) for name in names}


def _read_byte_pieces(source: _BytePieces, draft: Draft) -> None:
    """Read an object like the tekken tokenizer."""
    special = source.special_ids
    for token in range(source.n_words):
        if token in special:
            spelling = source.id_to_piece(token)
            draft.add(token, spelling, spelling.encode(), special=True)
        else:
            draft.pieces[token] = source.id_to_byte_piece(token)


@runtime_checkable
class _Serialisable(Protocol):
    """`tokenizers.Tokenizer`."""

    def to_str(self) -> str: ...


@runtime_checkable
class _Backed(Protocol):
    """A fast tokenizer of transformers."""

    @property
    def backend_tokenizer(self) -> object: ...

    @property
    def all_special_ids(self) -> Iterable[int]: ...


@runtime_checkable
class _ByteTokens(Protocol):
    """`tiktoken.Encoding`."""

    @property
    def n_vocab(self) -> int: ...

    def decode_single_token_bytes(self, token: int, /) -> bytes: ...


@runtime_checkable
class _BytePieces(Protocol):
    """The tekken tokenizer of mistral-common."""

    @property
    def n_words(self) -> int: ...

    @property
    def special_ids(self) -> Collection[int]: ...

    def id_to_byte_piece(self, token_id: int, /) -> bytes: ...

    def id_to_piece(self, token_id: int, /) -> str: ...


def _read_path(path: Path, draft: Draft) -> None:
    """Read a tokenizer file, or the first kind of tokenizer file that a folder has."""
    if path.is_dir():
        file = next((found for pattern in _FILES for found in sorted(path.glob(pattern))), None)
        if file is None:
            draft.defects.append(NothingToRead(str(path), _FILES))
            return
        path = file
    if path.suffix in _RANK_FILES:
        read_ranks(path, _load_config(path, draft), draft)
        return
    document = load_json(path, draft)
    if is_tekken(document):
        read_tekken(str(path), mapping_of(document), draft)
    else:
        read_tokenizer_json(str(path), document, _load_config(path, draft), draft)


_FILES: Final = ("tokenizer.json", "tekken.json", "tiktoken.model", "*.tiktoken")
_RANK_FILES: Final = (".tiktoken", ".model")


def _load_config(tokenizer: Path, draft: Draft) -> object:
    """The tokenizer_config.json beside a tokenizer file, if there is one."""
    config = tokenizer.with_name("tokenizer_config.json")
    return load_json(config, draft) if config.is_file() else None
