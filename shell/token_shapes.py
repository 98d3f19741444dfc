"""Visible tokens as the API writes them: their ids, their log probabilities.

Of what is written for a token only the numbers are new each time: what stands around them is cut out of what was written for the
same token before (`Around`), so that there is one place that knows how a token looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.chat_shapes import Logprobs, TokenLogprob, TopLogprob
from unbraid.shell.sse import compact
from unbraid.shell.surrogates import clean_text
from unbraid.shell.visible import Alternative, Bytes, Given, Logprob, Shown

KEPT: Final = 1 << 16
"""Most tokens, and most alternatives, of which is kept how they are written."""


def logprobs_of(shown: Shown, vocabulary: Vocabulary | None, most: int) -> Logprobs:
    """The log probabilities of `shown`, each with at most `most` alternatives."""
    content = [
        _token(token.logprob, _piece(vocabulary, token.id), most) for token in shown if token.logprob is not None
    ]
    return {"content": content, "refusal": None}


def _piece(vocabulary: Vocabulary | None, token: int) -> bytes:
    return b"" if vocabulary is None else vocabulary.piece(token)


def _token(one: Logprob, piece: bytes, most: int) -> TokenLogprob:
    return {
        "token": clean_text(one.token),
        "logprob": one.logprob,
        "bytes": list(piece if one.bytes is None else one.bytes),
        "top_logprobs": [_alternative(other) for other in one.top[:most]],
    }


def _alternative(one: Alternative) -> TopLogprob:
    written = None if one.bytes is None else list(one.bytes)
    return {"token": clean_text(one.token), "logprob": one.logprob, "bytes": written}


# -- as JSON, fast -----------------------------------------------------------------------------------------------------

Around: TypeAlias = tuple[str, str]
"""JSON in front of a number, and behind it."""

_NUMBER: Final = -1.5
_MARK: Final = f'"logprob":{_NUMBER}'
"""Stands in JSON once for each number: in a string its quotation marks are escaped."""


def written_logprobs(tokens: Iterable[Given], vocabulary: Vocabulary | None, most: int) -> str:
    """The items of `content` in `logprobs_of`, as JSON."""
    return ",".join([_written(one, _piece(vocabulary, token), most) for token, one in tokens if one is not None])


def _written(one: Logprob, piece: bytes, most: int) -> str:
    raw = piece if one.bytes is None else one.bytes
    before, after = _around_token(one.token, raw)
    if not (most and one.top):
        return f"{before}{one.logprob!r}{after}]}}"
    top = []
    for other in one.top[:most]:
        start, end = _around_other(other.token, other.bytes)
        top.append(f"{start}{other.logprob!r}{end}")
    return f"{before}{one.logprob!r}{after}{','.join(top)}]}}"


@lru_cache(KEPT)
def _around_token(text: str, raw: bytes | Bytes) -> Around:
    """What stands around the number of a token; behind it up to its alternatives."""
    before, after = _cut(_token(Logprob(text, _NUMBER, tuple(raw)), b"", 0))
    return before, after.removesuffix("]}")


@lru_cache(KEPT)
def _around_other(text: str, raw: Bytes | None) -> Around:
    """What stands around the number of an alternative."""
    return _cut(_alternative(Alternative(text, _NUMBER, raw)))


def _cut(value: TopLogprob) -> Around:
    before, mark, after = compact(value).partition(_MARK)
    return before + mark.removesuffix(str(_NUMBER)), after
