"""Order and read-ahead of work that is spread out."""

from collections.abc import Iterator

import pytest

from unbraid.shell.workers import AHEAD, AT_ONCE, in_order


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("count", [0, 1, AT_ONCE * 3 + 5])
def test_in_order(workers: int, count: int) -> None:
    assert list(in_order(abs, range(0, -count, -1), workers)) == list(range(count))


def test_reads_only_so_much_ahead() -> None:
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    answers = in_order(abs, items(), 2)
    assert next(answers) == 1
    assert read <= AT_ONCE * AHEAD * 2 + 1
    del answers
