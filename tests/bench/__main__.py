"""The benchmark: formats × workloads × sizes of deltas × feeds, in microseconds per token.

    python -m tests.bench                                   a few formats, short workloads: two minutes
    python -m tests.bench --formats all --workloads all     everything
    python -m tests.bench --memory                          also slowest delta, peak memory, size of states
    python -m tests.bench --peers                           also other systems' parsers, as far as they are installed
    python -m tests.bench --save A.json                     keep the numbers
    python -m tests.bench --compare A.json B.json           two runs, cell by cell

It needs `pip install --group test .` and the vocabularies of `bash .ci/vocabularies`. The clock runs from the first delta to
the whole message. Numbers of one run can be compared with one another; between runs the machine may have changed.
"""

from tests.bench.command import app

app()
