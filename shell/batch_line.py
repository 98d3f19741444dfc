"""One line of a batch: an output to read, as JSON, and the message as JSON.

    {"id", "text" | "deltas": [...] | "token_ids": [...],
     "tools": [...], "chat_template_kwargs": {...}, "start", "prompt", "finish_reason", "request": {...}}
 ->
    {"id", "reasoning", "content", "tool_calls": [{"id", "name", "arguments", "complete"}], "finish_reason", "anomalies": [...]}

Everything but the output itself may be left out; other keys are left alone. `request` holds fields of a Chat Completions
request, as many as matter (`tool_choice`, `stop`, `include_reasoning` ...); the line's own tools and template kwargs count in
it. If it asks for token ids, those that a client may see stand in the answer as `token_ids`. `finish_reason` is why the engine
stopped; without it `token_ids` that are as many as the request allows were cut off (`chunks.halted`). A line that cannot be answered gives
`{"id", "line", "error"}` in its place, and no line can harm another. What is written is JSON always: numbers that JSON does not
have, or that are too large for a float, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias, TypeVar, get_args

from attrs import evolve, field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.bind import Machine
from unbraid.core.errors import hint
from unbraid.core.grammar import JsonScalar
from unbraid.core.nearest import nearest
from unbraid.shell.answering import Fed
from unbraid.shell.bind import BindError, Tools, bind, with_tools
from unbraid.shell.call_ids import call_ids
from unbraid.shell.chunks import ending
from unbraid.shell.finish_reasons import EngineReason, FinishReason
from unbraid.shell.json_input import WrongNumber, strict_json
from unbraid.shell.listed_tools import ToolDefect, not_objects, wrong_schemas
from unbraid.shell.messages import Message, message
from unbraid.shell.opening import Prompt, StartAt
from unbraid.shell.plan import Plan
from unbraid.shell.planning import Half, Serving
from unbraid.shell.planning import plan as plan_request
from unbraid.shell.policies import Choices
from unbraid.shell.request_fields import RequestDefect
from unbraid.shell.requests import read_chat_request
from unbraid.shell.surrogates import clean_text, json_line
from unbraid.shell.truncated import Truncated

Word = TypeVar("Word", StartAt, EngineReason)
Instead = TypeVar("Instead")

Answer: TypeAlias = dict[str, object]


@frozen
class Setup:
    """What all lines have in common; can be sent to another process. `tokenizer`: a path."""

    reasoning: Half = None
    tools: Half = None
    tokenizer: str | None = None
    choices: Choices = Choices()  # noqa: RUF009  (a frozen record)


@frozen
class Request:
    """One output to read: `text` deltas, or token `ids`."""

    id: object = None
    text: tuple[str, ...] = ()
    ids: tuple[int, ...] | None = None
    tools: Tools = None
    template_kwargs: Mapping[str, JsonScalar] = field(factory=dict)
    start: StartAt = "auto"
    prompt: Prompt = None
    finish_reason: EngineReason | None = None
    request: Mapping[str, object] | None = None


@frozen
class WrongField:
    """A field of a line that has the wrong shape."""

    name: str
    expected: str
    nearest: tuple[str, ...] = ()

    def describe(self) -> str:
        """One sentence."""
        return f"{self.name}: expected {self.expected}{hint(self.nearest)}"


@frozen
class NotAnOutput:
    """A line that is no JSON object with one output in it."""

    reason: str

    def describe(self) -> str:
        """One sentence."""
        return self.reason


LineDefect: TypeAlias = WrongField | NotAnOutput | ToolDefect


def answer_line(setup: Setup, number: int, line: bytes) -> tuple[str, bool]:
    """The answer to line `number` (from 1) as JSON text, and whether it is one and no error."""
    found: object = None
    wrong: tuple[WrongNumber, ...] = ()
    answered: Result[Answer, BindError]
    try:
        found, wrong = strict_json(line)
        request = Failure(wrong) if wrong else read_request(found)
        answered = request.alt(BindError).bind(lambda asked: answer(setup, asked))
    except (ValueError, RecursionError) as error:
        answered = Failure(BindError((NotAnOutput(f"not JSON: {error}"),)))
    except Exception as error:  # noqa: BLE001  (a fault of ours must not stop the other lines)
        answered = Failure(BindError((NotAnOutput(f"internal fault: {type(error).__name__}: {error}"),)))
    done = answered.value_or(None)
    if done is not None:
        return json_line(done), True
    text = "; ".join(defect.describe() for defect in answered.failure().defects)
    return json_line({**_given_id(found, wrong), "line": number, "error": text}), False


def _given_id(found: object, wrong: Iterable[WrongNumber]) -> Answer:
    """The id of a bad line, if it has one that can be written."""
    if not isinstance(found, dict) or "id" not in found or any(_ID.match(one.path) for one in wrong):
        return {}
    return {"id": found["id"]}


_ID: Final = re.compile(r"id(?:[.\[]|$)")


def answer(setup: Setup, request: Request) -> Result[Answer, BindError]:
    """The message of one output, ready to be written as JSON."""
    if request.ids is not None and setup.tokenizer is None:
        return Failure(BindError((NotAnOutput("token_ids: reading ids takes a vocabulary; give --tokenizer"),)))
    plan = _plain(setup, request) if request.request is None else _asked(setup, request, request.request)
    return plan.map(lambda ready: {"id": request.id, **outcome(ready, request)})


def _plain(setup: Setup, request: Request) -> Result[Plan, BindError]:
    bound = bind(
        setup.reasoning, setup.tools, setup.tokenizer, setup.choices.policies, template_kwargs=request.template_kwargs
    )
    machine = bound.bind(
        lambda ready: with_tools(ready, request.tools).alt(lambda error: _by_place(error, request.tools))
    )
    return machine.map(lambda ready: plain_plan(ready, request, setup.choices.truncated))


def _by_place(error: BindError, tools: Tools) -> BindError:
    """The defects of tools, each with the place of its tool."""
    return BindError(tuple(wrong_schemas(tools or ())) or error.defects)


def plain_plan(machine: Machine, request: Request, truncated: Truncated) -> Plan:
    """The plan of a line that is no answer to a request."""
    return Plan(machine, at=request.start, truncated=truncated)


def _asked(setup: Setup, line: Request, request: Mapping[str, object]) -> Result[Plan, BindError]:
    """The plan of a line that answers a request. Log probabilities are not in it, and ids only where there are some."""
    serving = Serving(
        setup.reasoning,
        setup.tools,
        setup.tokenizer,
        setup.choices.policies,
        truncated=setup.choices.truncated,
        offered="unknown",
    )
    asked = {name: value for name, value in request.items() if value is not None}
    own: dict[str, object] = {} if line.tools is None else {"tools": list(line.tools)}
    if line.template_kwargs:
        own["chat_template_kwargs"] = dict(line.template_kwargs)
    read = read_chat_request({**own, **asked}, messages=False)
    known = read.map(lambda body: evolve(body, logprobs=None, token_ids=body.token_ids and line.ids is not None))
    placed = known.alt(lambda wrong: BindError(tuple(_placed(defect, own.keys() - asked.keys()) for defect in wrong)))
    return placed.bind(lambda body: plan_request(serving, body, at=line.start))


def _placed(defect: RequestDefect, own: Iterable[str]) -> RequestDefect:
    """The defect with its path in the line, whose `own` fields are not in `request`."""
    root = re.split(r"[.\[]", defect.path, maxsplit=1)[0]
    return defect if root in own else evolve(defect, path=f"request.{defect.path}")


def outcome(plan: Plan, request: Request) -> Answer:
    """The message of the output of `request`, as it is written; a line with deltas is read delta by delta."""
    fed = Fed(plan, "text" if request.ids is None else "ids", request.prompt)
    told = (
        [fed.feed(text, (), ()) for text in request.text] if request.ids is None else [fed.feed(None, request.ids, ())]
    )
    told.append(fed.conclude())
    events = (event for one in told for event in one.events)
    said = message(events, call_ids(plan.call_scheme, plan.history))
    written = _written(said, ending(plan, fed.state, request.finish_reason), reasoning=plan.shows_reasoning)
    if plan.token_ids:
        written["token_ids"] = [token.id for one in told for shown in one.shown for token in shown]
    return written


def _written(said: Message, reason: FinishReason, *, reasoning: bool) -> Answer:
    return {
        "reasoning": said.reasoning if reasoning else None,
        "content": said.content,
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments, "complete": call.complete}
            for call in said.tool_calls
        ],
        "finish_reason": reason,
        "anomalies": [{"kind": odd.kind, "text": clean_text(odd.text)} for odd in said.anomalies],
    }


# ------------------------------------------------------------------------------------------------ the shape of a line


def read_request(found: object) -> Result[Request, tuple[LineDefect, ...]]:
    """The request that a JSON value is, or everything that is wrong with it.

    >>> [defect.describe() for defect in read_request({"text": 1, "start": "contents"}).failure()]
    ['text: expected a string', "start: expected auto, reasoning or content; did you mean 'content'?"]
    """
    if not isinstance(found, dict):
        return Failure((NotAnOutput("expected a JSON object"),))
    line = _Line(found)
    request = Request(
        id=found.get("id"),
        text=line.outputs(),
        ids=line.ids("token_ids"),
        tools=line.tools(),
        template_kwargs=line.template_kwargs(),
        start=line.one_of("start", _STARTS, "auto"),
        prompt=line.prompt(),
        finish_reason=line.reason(),
        request=line.request(),
    )
    return Failure(tuple(line.defects)) if line.defects else Success(request)


_STARTS: Final[tuple[StartAt, ...]] = get_args(StartAt)
_REASONS: Final[tuple[EngineReason, ...]] = get_args(EngineReason)
_OUTPUTS: Final = ("text", "deltas", "token_ids")


class _Line:
    """A JSON object that is being read. A field that is null counts as left out."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        self.defects: list[LineDefect] = []
        self._fields = {name: value for name, value in fields.items() if value is not None}

    def outputs(self) -> tuple[str, ...]:
        """The text deltas; and a defect unless there is exactly one output."""
        given = [name for name in _OUTPUTS if name in self._fields]
        if len(given) != 1:
            found = " and ".join(given) or "none" + hint(self._meant())
            self.defects.append(NotAnOutput(f"expected one of text, deltas and token_ids, found {found}"))
        text = self._fields.get("text", "")
        if not isinstance(text, str):
            return self._wrong("text", "a string", ())
        return (text,) if "text" in self._fields else self._deltas()

    def _meant(self) -> tuple[str, ...]:
        """The outputs that a key is like."""
        return tuple(dict.fromkeys(word for key in self._fields for word in nearest(key, _OUTPUTS)))

    def _deltas(self) -> tuple[str, ...]:
        deltas = self._fields.get("deltas", [])
        if isinstance(deltas, list) and all(isinstance(delta, str) for delta in deltas):
            return tuple(deltas)
        return self._wrong("deltas", "an array of strings", ())

    def ids(self, name: str, expected: str = "an array of token ids") -> tuple[int, ...] | None:
        """Token ids."""
        ids = self._fields.get(name)
        if ids is None or (isinstance(ids, list) and all(type(token) is int for token in ids)):
            return None if ids is None else tuple(ids)
        return self._wrong(name, expected, None)

    def tools(self) -> Tools:
        """The tools on offer."""
        tools = self._fields.get("tools")
        if tools is None:
            return None
        if not isinstance(tools, list):
            return self._wrong("tools", "an array of tools, as in a Chat Completions request", None)
        wrong = tuple(not_objects(tools))
        self.defects += wrong
        return None if wrong else tools

    def template_kwargs(self) -> Mapping[str, JsonScalar]:
        """What the chat template was given. Only scalars can switch reasoning; others are left out."""
        kwargs = self._fields.get("chat_template_kwargs", {})
        if not isinstance(kwargs, dict):
            return self._wrong("chat_template_kwargs", "an object", {})
        return {name: value for name, value in kwargs.items() if value is None or isinstance(value, _SCALARS)}

    def request(self) -> Mapping[str, object] | None:
        """The request that the output answers, unread."""
        request = self._fields.get("request")
        return request if request is None or isinstance(request, dict) else self._wrong("request", "an object", None)

    def prompt(self) -> Prompt:
        """The prompt as text or ids."""
        prompt = self._fields.get("prompt")
        if prompt is None or isinstance(prompt, str):
            return prompt
        return self.ids("prompt", "a string or an array of token ids")

    def reason(self) -> EngineReason | None:
        """Why the engine stopped, if the line says it."""
        return self.one_of("finish_reason", _REASONS, "stop") if "finish_reason" in self._fields else None

    def one_of(self, name: str, among: tuple[Word, ...], default: Word) -> Word:
        """A word."""
        word = self._fields.get(name, default)
        for known in among:
            if word == known:
                return known
        near = nearest(word, among) if isinstance(word, str) else ()
        self.defects.append(WrongField(name, f"{', '.join(among[:-1])} or {among[-1]}", near))
        return default

    def _wrong(self, name: str, expected: str, instead: Instead) -> Instead:
        self.defects.append(WrongField(name, expected))
        return instead


_SCALARS: Final = (str, int, float, bool)
