"""Another process that goes on with speculative sessions: a request a line on stdin, an answer a line on stdout.

{"case", "variant", "session", "do": ["propose", ids] | ["accept", count] | ["finish"]} -> {"session", "chunks"}
"""

from __future__ import annotations

import json
import sys
from functools import cache

from tests.corpus.reader import cases
from tests.serving.walks import logprobs_of, plan_of
from unbraid.shell.handover import handed, taken
from unbraid.shell.plan import Plan


@cache
def plan_for(name: str, variant: int) -> Plan:
    return plan_of(next(case for case in cases() if case.name == name), variant)


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        plan = plan_for(asked["case"], asked["variant"])
        chat = taken(plan, asked["session"]).unwrap()
        what, *values = asked["do"]
        chunks: object = ()
        if what == "propose":
            chat.propose(values[0], logprobs_of(plan, values[0]))
        else:
            chunks = chat.accept(values[0]) if what == "accept" else chat.finish()
        print(json.dumps({"session": handed(chat), "chunks": chunks}), flush=True)


if __name__ == "__main__":
    main()
