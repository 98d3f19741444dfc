"""Tokenizer files that list bytes by rank: tekken.json, and the lines of tiktoken files."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from unbraid.shell.json_input import array_of, mapping_of, read_bytes
from unbraid.shell.tokenizer_json import read_config
from unbraid.shell.vocabulary_draft import MOST_IDS, Draft, Unreadable


def is_tekken(document: object) -> bool:
    """Whether this is the content of a tekken.json."""
    parts = mapping_of(document)
    return isinstance(parts.get("vocab"), list) and "default_num_special_tokens" in mapping_of(parts.get("config"))


def read_tekken(origin: str, parts: Mapping[str, object], draft: Draft) -> None:
    """Read control tokens (ids from 0) and then ordinary tokens by rank, as many as the configured size has room for."""
    config = mapping_of(parts.get("config"))
    vocab = array_of(parts.get("vocab"))
    controls = config.get("default_num_special_tokens")
    size = config.get("default_vocab_size")
    if not isinstance(controls, int) or not isinstance(size, int) or not 0 <= controls <= size <= MOST_IDS:
        draft.wrong(
            f"{origin}: config", "default_num_special_tokens and default_vocab_size are no sizes of a vocabulary"
        )
        return
    for rank, entry in enumerate(vocab[: size - controls]):
        data = _bytes_of_rank(rank, mapping_of(entry))
        if data is None:
            draft.wrong(f"{origin}: vocab[{rank}]", f"expected rank {rank} and token_bytes in base 64")
            break
        draft.pieces[controls + rank] = data
    _read_controls(origin, controls, parts.get("special_tokens"), draft)


def _bytes_of_rank(rank: int, entry: Mapping[str, object]) -> bytes | None:
    """The bytes of an ordinary token of a tekken.json, if it has the rank that its place says."""
    data = entry.get("token_bytes")
    return _base64(data) if entry.get("rank") == rank and isinstance(data, str) else None


def _read_controls(origin: str, count: int, special: object, draft: Draft) -> None:
    """Read the control tokens of a tekken.json; ids that it does not name get a name made of their number."""
    names = dict(enumerate(_FIRST_CONTROLS)) if special is None else {}
    for index, entry in enumerate(array_of(special)):
        match entry:
            case {"rank": int(token), "token_str": str(name)} if 0 <= token < count:
                names[token] = name
            case _:
                draft.wrong(
                    f"{origin}: special_tokens[{index}]", f"expected token_str and a rank from 0 to {count - 1}"
                )
    for token in range(count):
        name = names.get(token, f"<SPECIAL_{token}>")
        draft.add(token, name, name.encode("utf-8", "replace"), special=True)


_FIRST_CONTROLS: Final = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)
"""The control tokens of tekken files that are older than the list in them."""


def read_ranks(path: Path, config: object, draft: Draft) -> None:
    """Read lines of base 64 and rank; added tokens come from a tokenizer_config.json."""
    for number, line in enumerate((read_bytes(path, draft) or b"").splitlines(), 1):
        data, _, rank = line.decode("ascii", "replace").partition(" ")
        piece = _base64(data) if rank.isdigit() and len(rank) < len(str(MOST_IDS)) else None
        if piece is not None:
            draft.pieces[int(rank)] = piece
        elif line:
            draft.defects.append(Unreadable(str(path), f"line {number}: expected base 64, a blank and a rank"))
            break
    read_config(mapping_of(config), {}, str.encode, draft)


def _base64(data: str) -> bytes | None:
    """The bytes that `data` writes in base 64, if it does."""
    try:
        return b64decode(data, validate=True)
    except ValueError:
        return None
