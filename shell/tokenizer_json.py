"""The serialised form of the tokenizers library (tokenizer.json), and what a tokenizer_config.json adds to it.

What decides how the spelling of a token becomes bytes is the *decoder*. Decoders that treat every token alike, whatever
stands beside it, can be read into a table:

    ByteLevel                 each character of the spelling stands for one byte
    Replace, Metaspace        a character stands for the blank
    ByteFallback              `<0x0A>` stands for one byte
    Fuse, Strip(" ", 1, 0)    the pieces are joined; one blank at the start is dropped

Others (word pieces, suffixes, regular expressions) are defects. Added tokens pass through the decoder like ordinary
ones, because that is what the library does. Two known differences from it: an invalid run of fallback bytes follows the
rule of `core.detokenize` (the library writes one U+FFFD for each byte), and where Metaspace drops every blank of the first
token of a text, only the first is dropped here.
"""

from __future__ import annotations

import json
from codecs import charmap_build, charmap_encode
from collections.abc import Callable, Iterator, Mapping
from string import hexdigits
from typing import Final, TypeAlias

from attrs import evolve, frozen

from unbraid.shell.json_input import array_of, mapping_of
from unbraid.shell.vocabulary_draft import BAD_ID, MOST_IDS, Draft, UnsupportedDecoder, is_id

PieceOf: TypeAlias = Callable[[str], bytes]
"""From the spelling of a token to its bytes."""


def read_tokenizer_json(origin: str, document: object, config: object, draft: Draft) -> None:
    """Read the serialised form of the tokenizers library, and what a tokenizer_config.json adds to it."""
    if document is None:
        return
    parts = mapping_of(document)
    decoding = read_decoder(f"{origin}: decoder", parts.get("decoder"), draft)
    piece = decoding.piece
    ids = _model_ids(origin, mapping_of(parts.get("model")).get("vocab"), draft)
    for spelling, token in ids.items():
        draft.pieces[token] = piece(spelling)
    for index, entry in enumerate(array_of(parts.get("added_tokens"))):
        fields = mapping_of(entry)
        _add_entry(f"{origin}: added_tokens[{index}]", fields.get("id"), fields, piece, draft)
    read_config(mapping_of(config), ids, piece, draft)
    draft.drops_first_blank = decoding.drops_first_blank


def _model_ids(origin: str, vocab: object, draft: Draft) -> dict[str, int]:
    """The id of each ordinary token by its spelling; in lists (spelling, score) the place is the id."""
    where = f"{origin}: model.vocab"
    if isinstance(vocab, list):
        spellings = [entry[0] for entry in vocab if isinstance(entry, list) and entry and isinstance(entry[0], str)]
        ids = {spelling: token for token, spelling in enumerate(spellings)}
        if len(ids) == len(vocab):
            return ids
        draft.wrong(where, "entries must be different (spelling, score) pairs")
    elif not isinstance(vocab, dict):
        draft.wrong(where, "is missing; expected an object {spelling: id} or an array of (spelling, score) pairs")
    elif bad := [spelling for spelling, token in vocab.items() if not is_id(token)]:
        draft.wrong(f"{where}[{bad[0]!r}]", f"{BAD_ID}; {len(bad)} such tokens")
    else:
        return vocab
    return {}


def _add_entry(where: str, token: object, entry: Mapping[str, object], piece: PieceOf, draft: Draft) -> None:
    """Read one added token."""
    content = entry.get("content")
    if not isinstance(content, str):
        draft.wrong(f"{where}.content", "is missing; expected the spelling of the token")
    if not isinstance(token, int) or not is_id(token):
        draft.wrong(f"{where}.id", f"{token!r} {BAD_ID}")
    elif isinstance(content, str):
        draft.add(token, content, piece(content), special=entry.get("special") is True)


def read_config(config: Mapping[str, object], ids: Mapping[str, int], piece: PieceOf, draft: Draft) -> None:
    """Read the tokens that a tokenizer_config.json adds, and those that it calls special by giving them a role."""
    for key, entry in mapping_of(config.get("added_tokens_decoder")).items():
        token: object = int(key) if key.isascii() and key.isdigit() and len(key) <= len(str(MOST_IDS)) else key
        _add_entry(f"tokenizer_config.json: added_tokens_decoder.{key}", token, mapping_of(entry), piece, draft)
    for spelling in _roles(config):
        known = draft.added.get(spelling, ids.get(spelling))
        if known is not None:
            draft.add(known, spelling, piece(spelling), special=True)


def _roles(config: Mapping[str, object]) -> Iterator[str]:
    """The spellings of the tokens that have a role: `eos_token` and the like, and the lists of further ones."""
    values = [value for key, value in config.items() if key.endswith("_token")]
    for key in ("additional_special_tokens", "extra_special_tokens", "model_specific_special_tokens"):
        further = config.get(key)
        values += array_of(further) or list(mapping_of(further).values())
    for value in values:
        spelling = mapping_of(value).get("content", value)
        if isinstance(spelling, str):
            yield spelling


_SUPPORTED: Final = ("ByteLevel", "Metaspace", "Replace (of a string)", "ByteFallback", "Fuse", 'Strip (" ", 1, 0)')


@frozen
class _Decoding:
    """What a decoder does to the spelling of every token."""

    replaced: tuple[tuple[str, str], ...] = ()
    byte_level: bool = False
    byte_fallback: bool = False
    fused: bool = False
    """The steps after this one see the whole text."""
    drops_first_blank: bool = False

    def piece(self, spelling: str) -> bytes:
        """The bytes of a token."""
        for old, new in self.replaced:
            spelling = spelling.replace(old, new)
        if self.byte_level:
            return _byte_level(spelling)
        if self.byte_fallback and (byte := _FALLBACK.get(spelling)) is not None:
            return byte
        return spelling.encode("utf-8", "replace")


def read_decoder(where: str, decoder: object, draft: Draft) -> _Decoding:
    """Read a decoder: one step or a sequence of them, nested at will."""
    decoding = _Decoding()
    steps = [mapping_of(decoder)]
    while steps:
        step = steps.pop()
        if step.get("type") == "Sequence":
            steps += [mapping_of(inner) for inner in reversed(array_of(step.get("decoders")))]
            continue
        after = _after(decoding, step)
        if after is None:
            name = json.dumps(dict(step), ensure_ascii=False, sort_keys=True) if step else "of no kind"
            draft.defects.append(UnsupportedDecoder(where, name, _SUPPORTED))
        decoding = after or decoding
    return decoding


def _after(before: _Decoding, step: Mapping[str, object]) -> _Decoding | None:
    """`before` followed by `step`; None if no table can say that."""
    match dict(step):
        case {"type": "Fuse"}:
            return evolve(before, fused=True)
        case {"type": "Strip", "start": 0, "stop": 0}:
            return before
        case {"type": "Strip", "content": " ", "start": 1, "stop": 0} if before.fused:
            return evolve(before, drops_first_blank=True)
        case {"type": "ByteFallback"} if not before.fused:
            return evolve(before, byte_fallback=True)
        case {"type": "ByteLevel"} if not before.fused:
            return evolve(before, byte_level=True, fused=True)
        case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)} if old and not before.fused:
            return evolve(before, replaced=(*before.replaced, (old, new)))
        case {"type": "Metaspace", "replacement": str(mark), **options} if mark and not before.fused:
            scheme = options.get("prepend_scheme", "always" if options.get("add_prefix_space", True) else "never")
            replaced = (*before.replaced, (mark, " "))
            return evolve(before, replaced=replaced, drops_first_blank=scheme != "never")
        case _:
            return None


def _byte_alphabet() -> str:
    """The character that stands for each byte: itself if it can be seen, else the next unused one from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in visible else next(hidden)) for byte in range(0x100))


_BYTES_BY_CHARACTER: Final = charmap_build(_byte_alphabet())


def _byte_level(spelling: str) -> bytes:
    """The bytes that the characters stand for. A spelling with another character is plain text as a whole."""
    try:
        return charmap_encode(spelling, "strict", _BYTES_BY_CHARACTER)[0]
    except UnicodeEncodeError:
        return spelling.encode("utf-8", "replace")


_FALLBACK: Final = {f"<0x{high}{low}>": bytes([int(high + low, 16)]) for high in hexdigits for low in hexdigits}
