"""Tokens that pass by their fragments (`fragments`): where the reducer of tokens stands behind them, made when it is asked for.

    held      the ids of a step that gave no event: their text is not told yet
    passed    the ids of an event that is known to be of them: the first of those that wait

What an event does to tokens depends on them and on how far the first of them was told before, not on where in the source they
are. So it is known from the first time, if nobody can tell the tokens that follow from those that could have: the text of
these ends where the event does, or within a token that stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

from unbraid.core.events import Event
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.fragments import Covers, Fragment, Key
from unbraid.shell.visible import Given, Logprob, Tokens, add_tokens


class Passing:
    """What passed since `tokens`, whose place must be known (`Tokens.ahead`). `waiting`: ids, with their log probabilities."""

    __slots__ = ("_ahead", "_dark", "_dimmed", "_held", "_points", "_rest", "_tokens", "_vocabulary", "waiting")

    def __init__(self, tokens: Tokens, vocabulary: Vocabulary | None) -> None:
        self._tokens = tokens
        self._vocabulary = vocabulary
        self._points = self._dark = self._rest = 0
        self._ahead = tokens.ahead or 0
        self._dimmed = tokens.dimmed
        self._held: list[tuple[tuple[int, ...], Sequence[Logprob]]] = []
        self.waiting: list[Given] = [(token.id, token.logprob) for part in tokens.waiting for token in part]

    def hold(self, ids: tuple[int, ...], logprobs: Sequence[Logprob]) -> None:
        """Behind a step that gave nothing."""
        if ids:
            self._held.append((ids, logprobs))
            self.waiting += zip(ids, logprobs or repeat(None), strict=False)

    def key(self, event: Event) -> Key:
        """Under which the fragment of a step with this event is kept."""
        return id(event), self.waiting[0][0] if self.waiting else -1

    def covers(self, ids: tuple[int, ...], points: int, after: Passing) -> Covers | None:
        """What a step by `ids` covered whose one event has `points`, and behind which tokens wait as in `after`; None if that is
        not known wherever it happens."""
        left = after._ahead
        all_ids = (*[token for token, _ in self.waiting], *ids)
        covered = all_ids[: len(all_ids) - len(after.waiting) + bool(left)]
        alone = not left or (self._vocabulary is not None and self._vocabulary.texts[covered[-1]] is not None)
        return Covers(covered, points, self._ahead, self._dimmed, left) if alone else None

    def passed(self, ids: tuple[int, ...], logprobs: Sequence[Logprob], known: Fragment) -> Iterable[Given] | None:
        """Behind a step by `ids` whose one event is `known`: the tokens that a client gets with it, if it reads it. None if
        `known` is of other tokens: nothing passed."""
        covers = known.covers
        if covers is None:
            return None
        alone = covers.whole and not self.waiting and ids == covers.ids
        if not alone and not self._begins(ids, covers):
            return None
        self._points += covers.points
        if not known.head:
            self._dark = self._points
        arrived = zip(ids, logprobs or repeat(None), strict=False)
        return arrived if alone else self._pass(arrived, covers, hidden=not known.head)

    def _begins(self, ids: tuple[int, ...], covers: Covers) -> bool:
        """Is what waits, with `ids` behind it, what `covers` is of?"""
        if (covers.ahead, covers.dimmed) != (self._ahead, self._dimmed):
            return False
        size = len(covers.ids)
        first = [token for token, _ in self.waiting[: size + 1]]
        first += ids[: size + 1 - len(first)]
        return tuple(first[:size]) == covers.ids and (
            covers.left > 0 or len(first) == size or self._writes(first[size])
        )

    def _writes(self, token: int) -> bool:
        """Does it write anything? One that does not stands at the end of what is in front of it."""
        return self._vocabulary is not None and bool(self._vocabulary.piece(token))

    def _pass(self, arrived: Iterable[Given], covers: Covers, *, hidden: bool) -> list[Given]:
        waiting = [*self.waiting, *arrived]
        size = len(covers.ids) - bool(covers.left)
        shown = waiting[self._dimmed : size]
        self._dimmed = bool(covers.left) and (hidden or (self._dimmed and not size))
        self._ahead = covers.left
        self.waiting, self._held = waiting[size:], []
        self._rest = len(self.waiting)
        return shown

    @property
    def tokens(self) -> Tokens:
        """Where the reducer stands."""
        tokens = self._tokens
        if self._points:
            rest = self.waiting[: self._rest]
            known = [one for _, one in rest if one is not None]
            tokens = tokens.past(self._points, self._dark, self._ahead)
            tokens = add_tokens(tokens, self._vocabulary, [token for token, _ in rest], known)
        for ids, logprobs in self._held:
            tokens = add_tokens(tokens, self._vocabulary, ids, logprobs)
        return tokens
