"""What an answer tells, as Chat Completions chunks.

    stream     = role-chunk [echo-chunk] body-chunk* finish-chunk          one answer; answers interleave freely
    response   = stream* [usage-chunk]
    role       = {"role": ROLE, "content": ""}
    body       = the deltas of one step (`deltas`); a step that decides nothing sends nothing
    finish     = an empty delta with the finish reason
    usage      = no choices, the tokens of all answers together

A chunk is a plain dictionary that can be dumped as it is. All functions here are pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from unbraid.shell.call_ids import NameCall, call_ids
from unbraid.shell.chat_shapes import ChatChunk, Choice, Delta
from unbraid.shell.choice import ChoiceState, Spent, Told
from unbraid.shell.deltas import parts
from unbraid.shell.finish_reasons import EngineReason, FinishReason, finish_reason
from unbraid.shell.plan import Plan
from unbraid.shell.stamps import Stamp, choice_seed
from unbraid.shell.token_shapes import logprobs_of
from unbraid.shell.turn_ends import ends_turn
from unbraid.shell.usage import total, usage
from unbraid.shell.visible import Shown


@frozen(eq=False)
class Writer:
    """Writes the chunks of answer number `choice`. `prompt`: its token ids, as far as they are known; `prompt_tokens`: how many
    there are."""

    plan: Plan
    stamp: Stamp
    choice: int
    prompt: tuple[int, ...]
    prompt_tokens: int
    name_call: NameCall

    def opening(self) -> list[ChatChunk]:
        """The first chunks."""
        role = self.chunk({"role": self.plan.role, "content": ""}, Spent())
        if self.plan.token_ids:
            role["prompt_token_ids"] = list(self.prompt)
        return [role, self.chunk({"content": self.plan.echo}, Spent())] if self.plan.echo else [role]

    def body(self, told: Told, spent: Spent) -> list[ChatChunk]:
        """The chunks of one step. `spent`: up to and with this step."""
        found = parts(told.events, told.shown, self.name_call, self.plan.reasoning_field)
        return [self.chunk(delta, spent, shown) for delta, shown in found]

    def end(self, state: ChoiceState, engine: EngineReason | None, stop_reason: str | int | None) -> ChatChunk:
        """The last chunk."""
        chunk = self.chunk({}, state.spent, end=ending(self.plan, state, engine))
        matched = stop_reason if state.stop.found is None else state.stop.found
        if matched is not None:
            chunk["choices"][0]["stop_reason"] = matched
        return chunk

    def chunk(self, delta: Delta, spent: Spent, shown: Shown = (), end: FinishReason | None = None) -> ChatChunk:
        """One chunk. `spent`: the tokens of this answer so far."""
        chunk = _chunk(self.plan, self.stamp, [_choice(self.plan, self.choice, delta, shown, end)])
        if self.plan.usage == "every":
            chunk["usage"] = usage(self.prompt_tokens, spent, reasons=self.plan.machine.format.reasoning)
        return chunk


def writer(plan: Plan, stamp: Stamp, choice: int, prompt: tuple[int, ...], prompt_tokens: int) -> Writer:
    """The writer of one answer."""
    name_call = call_ids(plan.call_scheme, plan.history, choice_seed(stamp, choice))
    return Writer(plan, stamp, choice, prompt, prompt_tokens, name_call)


def ending(plan: Plan, state: ChoiceState, engine: EngineReason | None) -> FinishReason:
    """Why the answer ended, as the client reads it. `engine`: what the engine says of it, None: nothing."""
    return finish_reason(halted(plan, state, engine), state.complete, named=plan.call_finish == "stop")


def halted(plan: Plan, state: ChoiceState, engine: EngineReason | None) -> EngineReason:
    """Why the engine stopped. A stop string that was found is a stop; where the engine says nothing, an answer as long as the
    request lets it be was cut off, unless it ended itself with its last token. A feed of text counts no tokens: it is never
    found to be cut off."""
    if state.stop.found is not None:
        return "stop"
    if engine is not None:
        return engine
    most = plan.demand.most_tokens
    full = most is not None and state.spent.completion >= most
    return "length" if full and not ends_turn(plan.machine, state.last) else "stop"


def usage_chunks(plan: Plan, stamp: Stamp, prompt_tokens: int, spent: Iterable[Spent]) -> list[ChatChunk]:
    """The chunk behind all answers, if the plan asks for it. `spent`: what each answer took."""
    if plan.usage == "never":
        return []
    chunk = _chunk(plan, stamp, [])
    chunk["usage"] = usage(prompt_tokens, total(spent), reasons=plan.machine.format.reasoning)
    return [chunk]


def _chunk(plan: Plan, stamp: Stamp, choices: list[Choice]) -> ChatChunk:
    return {
        "id": stamp.id,
        "object": "chat.completion.chunk",
        "created": stamp.created,
        "model": plan.model,
        "choices": choices,
    }


def _choice(plan: Plan, index: int, delta: Delta, shown: Shown, end: FinishReason | None) -> Choice:
    choice: Choice = {"index": index, "delta": delta, "finish_reason": end}
    if shown and plan.logprobs is not None:
        choice["logprobs"] = logprobs_of(shown, plan.machine.vocabulary, plan.logprobs)
    if shown and plan.token_ids:
        choice["token_ids"] = [token.id for token in shown]
    return choice
