"""Speculative sessions: whatever was proposed and rejected, the client reads what the accepted tokens alone are, and another
process goes on where this one stopped.

`UNBRAID_WALK`: steps of each walk (default 200; 10,000 for a long run).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO, Any, Final

import pytest
from attrs import evolve

from tests.corpus.reader import Case, cases
from tests.laws.machines import bare, machine_of, made
from tests.serving.samples import STAMP, close, name_of
from tests.serving.walks import VARIANTS, accepted_alone, begun, ids_of, logprobs_of, plan_of, prompt_of, proposal
from tests.vocabularies import qwen_pypi
from unbraid.core.tokens import provisional_since, reasoning_end_index
from unbraid.shell.bind import bind, with_tools
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.encoding import encode
from unbraid.shell.handover import OtherPlan, handed, taken
from unbraid.shell.plan import Plan
from unbraid.shell.snapshot import NoSnapshot, OtherVersion
from unbraid.shell.speculative import SpeculativeChat
from unbraid.shell.sse import frames

STEPS: Final = int(os.environ.get("UNBRAID_WALK", "200"))
ROOT: Final = Path(__file__).resolve().parents[2]


def walk(plan: Plan, ids: tuple[int, ...], prompt: tuple[int, ...] | None, random: Random, most: int) -> int:
    """Propose, accept and reject to the end of `ids`, in at most `most` steps; the bytes must be right. The steps."""
    assert plan.machine.vocabulary is not None
    size = len(plan.machine.vocabulary.pieces)
    chunks: list[ChatChunk] = []
    chat, place, steps = begun(plan, prompt), 0, 0
    while place < len(ids) and steps < most:
        draft, right = proposal(ids, place, random, size)
        chat.propose(draft, logprobs_of(plan, draft))
        count = random.randint(0, right)
        chunks += chat.accept(count)
        place += count
        steps += 1
    assert frames([*chunks, *chat.finish()]) == frames(accepted_alone(plan, ids[:place], prompt))
    return steps


@pytest.mark.parametrize("case", close(), ids=name_of)
def test_random_walk(case: Case) -> None:
    random, left = Random(case.name), STEPS
    while left > 0:
        left -= walk(plan_of(case, left % len(VARIANTS)), ids_of(case), prompt_of(case), random, left)


def test_random_walk_over_a_real_vocabulary() -> None:
    bound = bind("qwen3", "qwen3_coder", qwen_pypi()).unwrap()
    machine = with_tools(bound).unwrap()
    assert machine.vocabulary is not None
    mine = [case for case in cases() if (case.reasoning, case.tools) == ("qwen3", "qwen3_coder")]
    assert mine
    for case in mine:
        ids = encode(machine.vocabulary, case.text)
        assert ids is not None
        walk(Plan(machine, token_ids=True), ids, None, Random(case.name), STEPS)


# -- another process -----------------------------------------------------------------------------------------------------


class Elsewhere:
    """The other process."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        assert running.stdin is not None
        assert running.stdout is not None
        self._in: IO[str] = running.stdin
        self._out: IO[str] = running.stdout

    def do(self, case: Case, variant: int, session: str, *what: Any) -> tuple[str, list[ChatChunk]]:
        asked = {"case": case.name, "variant": variant, "session": session, "do": what}
        self._in.write(json.dumps(asked) + "\n")
        self._in.flush()
        told = json.loads(self._out.readline())
        return told["session"], told["chunks"]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    paths = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(ROOT))))
    command = [sys.executable, "-m", "tests.serving.other_process"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, **pipes) as running:
        yield Elsewhere(running)
        assert running.stdin is not None
        running.stdin.close()
        assert running.wait(10) == 0


@pytest.mark.parametrize("case", close(), ids=name_of)
def test_every_step_in_another_process(case: Case, elsewhere: Elsewhere) -> None:
    """Proposed there, accepted here, and the other way round; the open draft moves too."""
    random, variant = Random(case.name), Random(case.name).randrange(len(VARIANTS))
    plan, ids, prompt = plan_of(case, variant), ids_of(case)[:60], prompt_of(case)
    assert plan.machine.vocabulary is not None
    size = len(plan.machine.vocabulary.pieces)
    chunks: list[ChatChunk] = []
    session, place = handed(begun(plan, prompt)), 0
    while place < len(ids):
        draft, right = proposal(ids, place, random, size)
        if random.random() < 0.5:
            session, _ = elsewhere.do(case, variant, session, "propose", draft)
            chat = taken(plan, session).unwrap()
            chunks += chat.accept(right)
            session = handed(chat)
        else:
            chat = taken(plan, session).unwrap()
            chat.propose(draft, logprobs_of(plan, draft))
            session, more = elsewhere.do(case, variant, handed(chat), "accept", right)
            chunks += more
        place += right
    _, more = elsewhere.do(case, variant, session, "finish")
    assert frames([*chunks, *more]) == frames(accepted_alone(plan, ids, prompt))


def test_what_cannot_be_taken() -> None:
    case = next(case for case in cases() if case.tools == "hermes")
    plan = plan_of(case, 0)
    text = handed(begun(plan, None))
    written = json.loads(text)
    assert taken(plan, text).unwrap().standing == begun(plan, None).standing
    assert isinstance(taken(plan, "{").failure(), NoSnapshot)
    assert isinstance(taken(plan, "[]").failure(), NoSnapshot)
    assert isinstance(taken(plan, json.dumps({**written, "unbraid": 99})).failure(), OtherVersion)
    wrong = json.dumps({**written, "answer": {**written["answer"], "choice": "0"}})
    assert "choice" in taken(plan, wrong).failure().describe()
    other = taken(evolve(plan, stops=("x",)), text).failure()
    assert isinstance(other, OtherPlan)
    assert plan.fingerprint in other.describe()
    machine = machine_of(case, ids=True, unknown_tool="text")
    assert isinstance(taken(evolve(plan, machine=machine), text).failure(), OtherPlan)


# -- what a draft tells the engine -----------------------------------------------------------------------------------------


def test_a_draft_says_where_reasoning_ends() -> None:
    vocabulary = made("qwen3", "hermes")
    chat = SpeculativeChat(Plan(bare("qwen3", "hermes", None, ids=True)), stamp=STAMP)
    thought, said = vocabulary.encode("So.</think>"), vocabulary.encode("Yes")
    draft = chat.propose(thought + said)
    assert draft.reasoning_end == len(thought)
    machine, parser = chat.plan.machine, chat.standing.choice.parser
    assert draft.reasoning_end == reasoning_end_index(machine, parser, thought + said)
    assert chat.accept(0) == ()
    assert chat.propose(vocabulary.encode("So")).reasoning_end is None
    chat.accept(0)
    chat.propose(thought)
    chat.accept(len(thought))
    assert chat.propose(said).reasoning_end == 0


def test_a_draft_says_where_a_call_is_pending() -> None:
    vocabulary = made(None, "hermes")
    chat = SpeculativeChat(Plan(bare(None, "hermes", None, ids=True)), stamp=STAMP)
    ids = vocabulary.encode('a<tool_call>\n{"name": "f"')
    draft = chat.propose(ids)
    assert draft.provisional[0] is None
    assert draft.provisional[1] == 1
    assert draft.provisional[-1] is None
    assert draft.provisional == tuple(provisional_since(one.state.parser) for one in chat.proposed)


def test_a_draft_says_where_to_stop() -> None:
    vocabulary = made(None, "hermes")
    chat = SpeculativeChat(Plan(bare(None, "hermes", None, ids=True), stops=("b.",)), stamp=STAMP)
    ids = vocabulary.encode("a")
    ids = (*ids, *vocabulary.encode("b"), *vocabulary.encode("."), *ids)
    draft = chat.propose(ids)
    assert draft.stopped == 3
    assert chat.stopped is None
    chunks = [*chat.accept(draft.stopped), *chat.finish("stop")]
    assert chat.stopped == "b."
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == "a"
    assert chunks[-1]["choices"][0]["stop_reason"] == "b."


def test_misuse() -> None:
    plan = Plan(bare(None, "hermes", None, ids=True))
    chat = SpeculativeChat(plan)
    chat.propose((1, 2))
    with pytest.raises(ValueError, match="a draft of 2 ids is open"):
        chat.propose((3,))
    with pytest.raises(ValueError, match="accept: 3 of a draft of 2 ids"):
        chat.accept(3)
    with pytest.raises(ValueError, match="one log probability for each of 1 ids"):
        SpeculativeChat(evolve(plan, logprobs=1)).propose((1,))
    chat.finish()
    with pytest.raises(ValueError, match="propose: the answer is finished"):
        chat.propose((1,))
    with pytest.raises(ValueError, match="needs a machine that was bound with a vocabulary"):
        SpeculativeChat(Plan(bare(None, "hermes", None, ids=False)))
    assert chat.spent.completion == 0
