"""The source that was not accounted for."""

from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.transcript import Transcript

BYTES = Vocabulary(tuple(bytes([byte]) for byte in range(256)))


@given(st.lists(st.text(max_size=4)), st.lists(st.integers(0, 5)))
def test_takes_what_was_fed(deltas: list[str], sizes: list[int]) -> None:
    transcript = Transcript()
    for delta in deltas:
        transcript.feed(delta)
    taken = [transcript.take(size) for size in sizes]
    whole = "".join(deltas)
    places = [min(sum(sizes[:count]), len(whole)) for count in range(len(sizes) + 1)]
    assert taken == [whole[places[count] : places[count + 1]] for count in range(len(sizes))]


@given(st.binary(max_size=12))
def test_ids_are_decoded(data: bytes) -> None:
    transcript = Transcript(BYTES)
    for byte in data:
        transcript.feed("ignored", (byte,))
    transcript.finish()
    assert transcript.take(100) == data.decode("utf-8", "replace")


def test_first_blank_is_dropped_once() -> None:
    transcript = Transcript(BYTES, drops_blank=True)
    transcript.feed(None, tuple(b"  a"))
    assert transcript.take(100) == " a"
