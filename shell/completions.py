"""A Chat Completions answer that is not streamed: deltas of a model in, one message out, of the same events.

    answer = ChatAnswer(plan, "ids", prompt=prompt_ids)
    answer.feed(ids=(7, 8)) ... choice = answer.finish("stop")
    body   = completion([answer], [choice])

An answer may be fed as it is generated, so that a stop string can end it (`stopped`), or at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from unbraid.core.events import Events, Markup
from unbraid.core.pieces import join
from unbraid.shell import transcript
from unbraid.shell.answering import Answer, Fed
from unbraid.shell.call_ids import NameCall, call_ids
from unbraid.shell.chat_shapes import ChatCompletion, ChatMessage, MessageChoice
from unbraid.shell.choice import Told
from unbraid.shell.chunks import ending, halted
from unbraid.shell.compat import Asked, compatible
from unbraid.shell.compat_habits import Compat
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.messages import Message, message
from unbraid.shell.opening import FeedKind, Prompt
from unbraid.shell.plan import Plan
from unbraid.shell.stamps import Stamp, choice_seed
from unbraid.shell.token_shapes import logprobs_of
from unbraid.shell.usage import total, usage
from unbraid.shell.visible import Logprob, Shown


class ChatAnswer(Answer):
    """One answer of one request, as a message. The arguments are those of `ChatStream`."""

    def __init__(
        self,
        plan: Plan,
        feed: FeedKind = "text",
        *,
        prompt: Prompt = None,
        prompt_tokens: int | None = None,
        choice: int = 0,
        stamp: Stamp | None = None,
    ) -> None:
        ours = plan if plan.compat is None else evolve(plan, compat=None)
        super().__init__(plan, Fed(ours, feed, prompt, prompt_tokens), stamp)
        self._choice = choice
        self._told: list[Told] = []
        self._known = None if feed == "text" else plan.machine.vocabulary
        self._raw = self._fed.state.cut.source

    @property
    def prompt(self) -> tuple[int, ...]:
        """The token ids of the prompt, as far as they are known."""
        return self._fed.prompt

    def feed(self, text: str | None = None, ids: Sequence[int] = (), logprobs: Sequence[Logprob] = ()) -> None:
        """One step of the model. Raises as `ChatStream.feed` does."""
        if self.plan.compat is not None:
            self._raw = transcript.feed(self._raw, self._known, text, ids)
        self._told.append(self._fed.feed(text, ids, logprobs))

    def finish(self, reason: EngineReason | None = None, stop_reason: str | int | None = None) -> MessageChoice:
        """The whole answer. The arguments are those of `ChatStream.finish`."""
        self._told.append(self._fed.conclude())
        state = self._fed.state
        matched = stop_reason if state.stop.found is None else state.stop.found
        if self.plan.compat is None:
            choice = self._own(reason, matched)
        else:
            choice = self._other(self.plan.compat, halted(self.plan, state, reason), matched)
        _add_tokens(self.plan, tuple(token for told in self._told for tokens in told.shown for token in tokens), choice)
        return choice

    def _own(self, reason: EngineReason | None, matched: str | int | None) -> MessageChoice:
        choice: MessageChoice = {
            "index": self._choice,
            "message": written(self.plan, message(self._events(), self._ids())),
            "finish_reason": ending(self.plan, self._fed.state, reason),
            "logprobs": None,
        }
        if matched is not None:
            choice["stop_reason"] = matched
        return choice

    def _other(self, system: Compat, reason: EngineReason, matched: str | int | None) -> MessageChoice:
        """The answer as another server gives it."""
        plan, events = self.plan, self._events()
        asked = Asked(
            form=plan.machine.format,
            calls=plan.demand.calls,
            json=plan.demand.form == "json",
            reason=reason,
            stop=matched,
            key=plan.reasoning_field,
            role=plan.role,
            name_call=self._ids(),
        )
        raw = join(transcript.finish(self._raw).pieces)
        heard = raw if self.stopped is None else raw[: len(raw) - _unheard(events)]
        choice = compatible(system, heard, events, plan.machine.tools, asked, self._choice)
        if plan.echo:
            choice["message"]["content"] = plan.echo + (choice["message"]["content"] or "")
        return choice

    def _events(self) -> Events:
        return tuple(event for told in self._told for event in told.events)

    def _ids(self) -> NameCall:
        return call_ids(self.plan.call_scheme, self.plan.history, choice_seed(self.stamp, self._choice))


def _unheard(events: Events) -> int:
    """Code points of the source from a stop string on: markup to the end."""
    count = 0
    for event in reversed(events):
        if event.points and not (isinstance(event, Markup) and event.terminal == "cut"):
            break
        count += event.points
    return count


def written(plan: Plan, said: Message) -> ChatMessage:
    """The message as the API writes it. Content is null if there is none."""
    content = plan.echo + (said.content or "")
    found: ChatMessage = {"role": plan.role, "content": content or None}
    if said.reasoning is not None and plan.reasoning_field in ("reasoning_content", "both"):
        found["reasoning_content"] = said.reasoning
    if said.reasoning is not None and plan.reasoning_field in ("reasoning", "both"):
        found["reasoning"] = said.reasoning
    if said.tool_calls:
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.tool_calls
        ]
    return found


def _add_tokens(plan: Plan, shown: Shown, choice: MessageChoice) -> None:
    if plan.logprobs is not None:
        choice["logprobs"] = logprobs_of(shown, plan.machine.vocabulary, plan.logprobs)
    if plan.token_ids:
        choice["token_ids"] = [token.id for token in shown]


def completion(
    answers: Sequence[ChatAnswer], choices: Sequence[MessageChoice], prompt_tokens: int | None = None
) -> ChatCompletion:
    """The response. `choices`: what finishing each of `answers` gave. `prompt_tokens`: if the answers do not know them."""
    first = answers[0]
    body: ChatCompletion = {
        "id": first.stamp.id,
        "object": "chat.completion",
        "created": first.stamp.created,
        "model": first.plan.model,
        "choices": list(choices),
        "usage": usage(
            first.prompt_tokens if prompt_tokens is None else prompt_tokens,
            total(answer.spent for answer in answers),
            reasons=first.plan.machine.format.reasoning,
        ),
    }
    if first.plan.token_ids:
        body["prompt_token_ids"] = list(first.prompt)
    return body
