"""Visible tokens as the API writes them: their ids, their log probabilities."""

from __future__ import annotations

from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.chat_shapes import Logprobs, TokenLogprob, TopLogprob
from unbraid.shell.surrogates import clean_text
from unbraid.shell.visible import Alternative, Logprob, Shown


def logprobs_of(shown: Shown, vocabulary: Vocabulary | None, most: int) -> Logprobs:
    """The log probabilities of `shown`, each with at most `most` alternatives."""
    content = [
        _token(token.logprob, _piece(vocabulary, token.id), most) for token in shown if token.logprob is not None
    ]
    return {"content": content, "refusal": None}


def _piece(vocabulary: Vocabulary | None, token: int) -> tuple[int, ...]:
    return () if vocabulary is None else tuple(vocabulary.piece(token))


def _token(one: Logprob, piece: tuple[int, ...], most: int) -> TokenLogprob:
    return {
        "token": clean_text(one.token),
        "logprob": one.logprob,
        "bytes": list(piece if one.bytes is None else one.bytes),
        "top_logprobs": [_alternative(other) for other in one.top[:most]],
    }


def _alternative(one: Alternative) -> TopLogprob:
    written = None if one.bytes is None else list(one.bytes)
    return {"token": clean_text(one.token), "logprob": one.logprob, "bytes": written}
