"""Raw output as it arrives, in deltas as small as a model's.

Bytes are decoded as they come (invalid ones by the maximal-subpart rule) and cut into words: one white space code point and
what follows up to the next, at most `LONGEST` code points. Only the sizes resemble tokens; the result does not depend on
them (law 1).
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

LONGEST: Final = 12
AT_ONCE: Final = 1 << 16

_WORD: Final = re.compile(rf"[\n\r\t ]?[^\n\r\t ]{{1,{LONGEST}}}|[\n\r\t ]")


def words(text: str) -> list[str]:
    """`text` cut into words.

    >>> words("Is it raining?")
    ['Is', ' it', ' raining?']
    """
    return _WORD.findall(text)


def arriving(source: BinaryIO) -> Iterator[str]:
    """The words of `source`, each as soon as its bytes are there."""
    read: Callable[[int], bytes] = getattr(source, "read1", source.read)
    decoder = getincrementaldecoder("utf-8")("replace")
    while data := read(AT_ONCE):
        yield from words(decoder.decode(data))
    yield from words(decoder.decode(b"", final=True))
