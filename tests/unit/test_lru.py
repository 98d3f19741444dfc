"""What is kept, and what is forgotten."""

from unbraid.shell.lru import Lru


def test_least_recently_used_goes_first() -> None:
    cache: Lru[str, int] = Lru(2)
    cache.keep("a", 1)
    cache.keep("b", 2)
    assert cache.get("a") == 1
    cache.keep("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_putting_again_keeps_one() -> None:
    cache: Lru[str, int] = Lru(2)
    for value in range(5):
        cache.keep("a", value)
    cache.keep("b", 0)
    assert (cache.get("a"), cache.get("b")) == (4, 0)
