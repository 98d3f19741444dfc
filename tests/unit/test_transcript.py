"""The source that was not accounted for."""

from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.transcript import Source, Taker, feed, finish

BYTES = Vocabulary(tuple(bytes([byte]) for byte in range(256)))


def taken(source: Source, *sizes: int) -> tuple[list[str], Source]:
    taker = Taker(source)
    return [taker.take(size) for size in sizes], taker.left()


@given(st.lists(st.text(max_size=4)), st.lists(st.integers(0, 5)))
def test_takes_what_was_fed(deltas: list[str], sizes: list[int]) -> None:
    source = Source()
    for delta in deltas:
        source = feed(source, None, delta, ())
    whole = "".join(deltas)
    places = [min(sum(sizes[:count]), len(whole)) for count in range(len(sizes) + 1)]
    found, left = taken(source, *sizes)
    assert found == [whole[places[count] : places[count + 1]] for count in range(len(sizes))]
    assert taken(left, len(whole))[0] == [whole[places[-1] :]]


@given(st.binary(max_size=12))
def test_ids_are_decoded(data: bytes) -> None:
    source = Source()
    for byte in data:
        source = feed(source, BYTES, "ignored", (byte,))
    assert taken(finish(source), 100)[0] == [data.decode("utf-8", "replace")]


def test_first_blank_is_dropped_once() -> None:
    source = feed(Source(blank=True), BYTES, None, tuple(b"  a"))
    assert taken(source, 100)[0] == [" a"]
