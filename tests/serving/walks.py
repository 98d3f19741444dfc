"""Speculative sessions over the token streams of the corpus: what is fed, and how drafts go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.corpus.reader import Case
from tests.laws.machines import machine_of, made
from tests.serving.samples import STAMP
from tests.unit.test_session import start_of
from unbraid.shell.chat import ChatStream
from unbraid.shell.chat_shapes import ChatChunk
from unbraid.shell.plan import Plan
from unbraid.shell.speculative import SpeculativeChat
from unbraid.shell.visible import Logprob

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"truncated": "drop", "stops": ("never", "Never mind")},
    {"reasoning_field": "none", "token_ids": True, "logprobs": 0, "calls": "first", "usage": "every"},
)
"""Fields of the plans that the walks run under."""


def plan_of(case: Case, variant: int) -> Plan:
    return Plan(machine_of(case, ids=True), at=start_of(case), **VARIANTS[variant])


def ids_of(case: Case) -> tuple[int, ...]:
    return made(case.reasoning, case.tools).encode(case.text)


def prompt_of(case: Case) -> tuple[int, ...] | None:
    return None if case.prompt is None else made(case.reasoning, case.tools).encode(case.prompt)


def logprobs_of(plan: Plan, ids: Sequence[int]) -> tuple[Logprob, ...]:
    return () if plan.logprobs is None else tuple(Logprob("t", -float(token)) for token in ids)


def accepted_alone(plan: Plan, ids: Sequence[int], prompt: tuple[int, ...] | None) -> list[ChatChunk]:
    """What a client reads without speculation."""
    stream = ChatStream(plan, "ids", prompt=prompt, stamp=STAMP)
    chunks = [chunk for token in ids for chunk in stream.feed(None, (token,), logprobs_of(plan, (token,)))]
    return [*chunks, *stream.finish()]


def proposal(ids: Sequence[int], place: int, random: Random, size: int) -> tuple[tuple[int, ...], int]:
    """A draft at `place`, and how many ids of it are right. `size`: of the vocabulary."""
    right = random.randint(0, 4)
    wrong = random.randint(0, 3)
    good = tuple(ids[place : place + right])
    return good + tuple(random.randrange(size) for _ in range(wrong)), len(good)


def begun(plan: Plan, prompt: tuple[int, ...] | None) -> SpeculativeChat:
    return SpeculativeChat(plan, prompt=prompt, stamp=STAMP)
