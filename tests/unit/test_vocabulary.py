"""A vocabulary is an immutable table that knows the text of what stands alone."""

import pickle
from collections.abc import Callable

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.vocabulary import Vocabulary


def sample() -> Vocabulary:
    pieces = (b"Hi", b" \xe2\x82", b"", b"\xef\xbf\xbd", b"<think>", b"<eos>", b"\xff")
    return Vocabulary(pieces, frozenset({5}), {"<think>": 4, "<eos>": 5}, drops_first_blank=False)


def test_texts_are_of_ids_that_stand_alone() -> None:
    assert sample().texts == ["Hi", None, None, "\ufffd", "<think>", "<eos>", None]


@pytest.mark.parametrize(("token", "piece"), [(0, b"Hi"), (2, b""), (6, b"\xff"), (7, b""), (10**9, b""), (-1, b"")])
def test_unknown_ids_write_nothing(token: int, piece: bytes) -> None:
    assert sample().piece(token) == piece


@given(st.lists(st.binary(max_size=4), max_size=8))
def test_texts_agree_with_pieces(pieces: list[bytes]) -> None:
    vocabulary = Vocabulary(tuple(pieces))
    assert len(vocabulary.texts) == len(pieces)
    for piece, text in zip(pieces, vocabulary.texts, strict=True):
        if text is None:
            assert not piece or piece.decode("utf-8", "ignore").encode() != piece
        else:
            assert text
            assert text.encode() == piece


@pytest.mark.parametrize(
    "change",
    [
        lambda v: evolve(v, pieces=(b"H", b"i \xe2\x82", *v.pieces[2:])),  # the same bytes, cut elsewhere
        lambda v: evolve(v, pieces=(*v.pieces, b"")),
        lambda v: evolve(v, special=frozenset()),
        lambda v: evolve(v, added={"<think>": 5, "<eos>": 4}),
        lambda v: evolve(v, added={"<think>": 4}),
        lambda v: evolve(v, drops_first_blank=True),
    ],
)
def test_fingerprint_sees_every_field(change: Callable[[Vocabulary], Vocabulary]) -> None:
    assert change(sample()).fingerprint != sample().fingerprint


def test_fingerprint_is_of_contents_and_equality_is_of_identity() -> None:
    one, other = sample(), evolve(sample(), added={"<eos>": 5, "<think>": 4})
    assert one.fingerprint == other.fingerprint
    assert one != other
    assert len({one, other, one}) == 2


def test_fingerprint_is_stable_across_processes_and_versions() -> None:
    # Snapshots on disk carry it: if this number changes, they become unreadable.
    assert sample().fingerprint == "acef4095083ec73b3cf42189624bd1bded79848b2561c663e65ca8e1c3418ab8"


def test_frozen_and_not_shared() -> None:
    added = {"a": 0}
    vocabulary = Vocabulary((b"a",), added=added)
    added["b"] = 0
    assert vocabulary.added == {"a": 0}
    with pytest.raises(FrozenInstanceError):
        vocabulary.drops_first_blank = True  # type: ignore[misc] # that it is refused is the test


def test_pickle() -> None:
    copy = pickle.loads(pickle.dumps(sample()))
    assert copy.fingerprint == sample().fingerprint
    assert copy.texts == sample().texts


def test_repr_is_short() -> None:
    assert repr(sample()) == f"Vocabulary(fingerprint='{sample().fingerprint[:5]}...')"


@pytest.mark.parametrize(
    ("special", "added", "message"),
    [
        (frozenset({1}), {}, "special: 1 is not a token id; pieces has 1 ids"),
        (frozenset({-1}), {}, "special: -1"),
        (frozenset(), {"x": 7}, "added: 7"),
    ],
)
def test_ids_out_of_range(special: frozenset[int], added: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary((b"a",), special, added)
