"""A speculative answer to JSON and back, so that another process goes on with it.

    text = handed(chat)                    with an open draft, if there is one
    chat = taken(plan, text)               in another process, with a plan made of the same request

Written and read as snapshots of the parser are (`snapshot`): by declared types, strictly. Another version, another plan (the
machine, or anything that the answer depends on), a missing or unknown field are error values.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from attrs import evolve, frozen
from cattrs import transform_error
from returns.result import Failure, Result

from unbraid.core.records import ParserState
from unbraid.shell.answering import Standing
from unbraid.shell.plan import Plan
from unbraid.shell.snapshot import VERSION, NoSnapshot, OtherVersion, converter, going_on
from unbraid.shell.speculative import SpeculativeChat
from unbraid.shell.stamps import Stamp
from unbraid.shell.visible import Logprob


@frozen
class Handover:
    """All that another process must know, beside the plan."""

    stamp: Stamp
    choice: int
    prompt: tuple[int, ...]
    prompt_tokens: int
    standing: Standing
    draft: tuple[int, ...] = ()
    logprobs: tuple[Logprob, ...] = ()


@frozen
class OtherPlan:
    """An answer to another request, or under another configuration."""

    found: object
    expected: str

    def describe(self) -> str:
        """One sentence."""
        return f"the answer was begun under plan {self.found!r}, this one is {self.expected!r}"


HandoverDefect: TypeAlias = NoSnapshot | OtherVersion | OtherPlan


def handed(chat: SpeculativeChat) -> str:
    """`chat` as JSON text, in ASCII."""
    draft = tuple(one.id for one in chat.proposed)
    logprobs = tuple(one.logprob for one in chat.proposed if one.logprob is not None)
    record = Handover(chat.stamp, chat.choice, chat.prompt, chat.prompt_tokens, chat.standing, draft, logprobs)
    written: object = converter().unstructure(record, Handover)
    return json.dumps({"unbraid": VERSION, "plan": chat.plan.fingerprint, "answer": written}, separators=(",", ":"))


def taken(plan: Plan, text: str) -> Result[SpeculativeChat, HandoverDefect]:
    """The answer that `handed` wrote, or why it cannot be gone on with under `plan`."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Failure(NoSnapshot((f"not JSON: {error}",)))
    if not isinstance(found, dict) or "unbraid" not in found:
        return Failure(NoSnapshot(('there is no "unbraid" at the top',)))
    if found["unbraid"] != VERSION:
        return Failure(OtherVersion(found["unbraid"]))
    if found.get("plan") != plan.fingerprint:
        return Failure(OtherPlan(found.get("plan"), plan.fingerprint))
    try:
        record = converter().structure(found.get("answer"), Handover)
    except Exception as error:  # noqa: BLE001 -- whatever is wrong with a text from elsewhere is an error value
        return Failure(NoSnapshot(tuple(transform_error(error, path="answer"))))
    return going_on(plan.machine, record.standing.choice.parser).map(lambda parser: _resumed(plan, record, parser))


def _resumed(plan: Plan, record: Handover, parser: ParserState) -> SpeculativeChat:
    chat = SpeculativeChat(
        plan, prompt=record.prompt, prompt_tokens=record.prompt_tokens, choice=record.choice, stamp=record.stamp
    )
    chat.standing = evolve(record.standing, choice=evolve(record.standing.choice, parser=parser))
    if record.draft:
        chat.propose(record.draft, record.logprobs)
    return chat
