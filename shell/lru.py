"""A cache that forgets what was used the longest ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")


class Lru(Generic[Key, Kept]):
    """At most `size` values by key, for several threads.

    >>> cache: Lru[str, int] = Lru(2)
    >>> [cache.keep(key, ord(key)) for key in "abac"]
    [97, 98, 97, 99]
    >>> cache.get("a"), cache.get("b")
    (97, None)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Kept | None:
        """The value under `key`, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Key, value: Kept) -> Kept:
        """Keep `value` under `key`, and return it."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value
