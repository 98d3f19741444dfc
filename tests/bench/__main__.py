"""The benchmark: formats × workloads × sizes of deltas × feeds, in microseconds per token.

    python -m tests.bench                                   a few formats, short workloads: two minutes
    python -m tests.bench --formats all --workloads all     everything
    python -m tests.bench --unseen                          on texts that the machine has not read before
    python -m tests.bench --memory                          also slowest delta, peak memory, size of states
    python -m tests.bench --peers                           also other systems' parsers, as far as they are installed
    python -m tests.bench --save A.json                     keep the numbers
    python -m tests.bench --compare A.json B.json           two runs, cell by cell

It needs `pip install --group test .` and the vocabularies of `bash .ci/vocabularies`. The clock runs from the first delta to
the whole message. A machine remembers steps that it took, so a text that is read again and again is read faster than a new
one; `--unseen` measures machines that have read 50k other tokens. Numbers of one run can be compared with one another; between
runs the computer may have changed, so each table says what an empty call took meanwhile.
"""

from tests.bench.command import app

app()
