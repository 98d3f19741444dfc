"""Requests to plans: what a server decided at start-up, and what a request asks for, make a `Plan`.

    tool_choice         machine                                     the client sees
    none                knows no calls: markup is text              content
                        (`none="hide"`: knows the tools)            content without the calls
    auto                the format                                  calls; content, if `auto_tools` is off
    required            the format                                  calls
                        (`forced="json"`, or no tool half)          calls, read from a JSON array
    named               the format                                  calls
                        (`forced="json"`, or no tool half)          one call, its arguments read from JSON

JSON for forced calls takes a reasoning half that combines with other tool halves; a whole format (harmony) stays native.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from attrs import evolve, frozen
from returns.result import Failure, Result

from unbraid.core.bind import Machine
from unbraid.core.grammar import Format, Policies
from unbraid.formats.registry import Role, lookup
from unbraid.shell.bind import BindError, bind, with_tools
from unbraid.shell.compat_habits import Compat
from unbraid.shell.constraint import Strictness, constraint, offered
from unbraid.shell.deltas import ReasoningField
from unbraid.shell.demand import Calls, Demand, Form
from unbraid.shell.forced_json import REQUIRED_JSON
from unbraid.shell.hidden import VisibleCalls
from unbraid.shell.opening import StartAt
from unbraid.shell.plan import CallFinish, Plan, UsageWhen
from unbraid.shell.promotion import promotes
from unbraid.shell.request_fields import RequestDefect
from unbraid.shell.request_tools import Kind
from unbraid.shell.requests import ChatRequest, read_chat_request
from unbraid.shell.truncated import Truncated

Half: TypeAlias = str | Format | None

Found = TypeVar("Found")


@frozen
class Serving:
    """What a server decides once.

    `reasoning`, `tools`, `tokenizer`, `policies`: as in `bind`. `model`: where a request names none; `role`: of answers.
    `reasoning_field`: where a request says nothing. `forced`: how calls are forced, in the format's own notation or in
    JSON. `none`: what `tool_choice: none` does with calls that the model makes anyway. `auto_tools`: `auto` means that
    the model may call. `named_finish`: the finish reason of a forced named call. `stops`: who matches stop strings, we
    on visible content or the engine on everything. `offered`: what a request without tools means. `usage`: in streams, where
    a request asks for less. `compat`: whose messages to give; then `reasoning_field` and `named_finish` are that server's.
    `logprobs`: the engine gives log probabilities; if it does not, requests for them are refused.
    """

    reasoning: Half = None
    tools: Half = None
    tokenizer: object = None
    policies: Policies = Policies()
    truncated: Truncated = "emit"
    model: str = "unbraid"
    role: str = "assistant"
    reasoning_field: ReasoningField = "reasoning_content"
    forced: Form = "native"
    none: Literal["text", "hide"] = "text"
    auto_tools: bool = True
    named_finish: CallFinish = "stop"
    stops: Literal["content", "engine"] = "content"
    offered: Literal["none", "unknown"] = "none"
    usage: UsageWhen = "never"
    strictness: Strictness | None = "auto"
    compat: Compat | None = None
    logprobs: bool = True


_FIELD_OF: Final[Mapping[Compat | None, ReasoningField]] = {"vllm": "reasoning", "sglang": "reasoning_content"}
_NAMED_FINISH_OF: Final[Mapping[Compat | None, CallFinish]] = {"vllm": "stop", "sglang": "tool_calls"}


def plan_for(serving: Serving, body: object, *, at: StartAt = "auto") -> Result[Plan, BindError]:
    """The plan of a request as it came, or everything that is wrong with it. `at`: where generation starts, if the caller
    knows it better than the prompt."""
    read = read_chat_request(body).alt(lambda defects: BindError((*defects, *_unasked(serving, body))))
    return read.bind(lambda request: plan(serving, request, at=at))


def plan(serving: Serving, request: ChatRequest, *, at: StartAt = "auto") -> Result[Plan, BindError]:
    """The plan of a request."""
    form = _form(serving, request)
    wrong = _not_here(serving, {"logprobs": request.logprobs is not None, "return_token_ids": request.token_ids})
    machine: Result[Machine, BindError] = Failure(BindError(wrong)) if wrong else _machine(serving, request, form)
    return machine.map(lambda made: _plan(serving, request, made, form, at))


def _plan(serving: Serving, request: ChatRequest, machine: Machine, form: Form, at: StartAt) -> Plan:
    named = request.choice.names if request.choice.kind == "named" else None
    content = serving.stops == "content"
    field = request.reasoning_field or _FIELD_OF.get(serving.compat, serving.reasoning_field)
    return Plan(
        machine,
        model=request.model or serving.model,
        at=at,
        stream=request.stream,
        choices=request.choices,
        role=_role(serving, request),
        echo=request.last[1] if request.echo and request.last[0] == _role(serving, request) else "",
        reasoning_field=field if request.include_reasoning else "none",
        truncated=serving.truncated,
        named=named[0] if named and form == "json" else None,
        calls=_visible(request),
        call_finish=_NAMED_FINISH_OF.get(serving.compat, serving.named_finish) if named else "tool_calls",
        promote=promotes(_half(serving.reasoning, "reasoning", lambda half: half.name, None), request.template_kwargs),
        stops=request.stops if content else (),
        logprobs=request.logprobs,
        token_ids=request.token_ids,
        usage=serving.usage if request.usage == "never" else request.usage,
        ids=_half(serving.tools, "tools", lambda half: half.ids, None) if form == "json" else None,
        history=request.history,
        demand=_constrained(serving, request, machine, _demand(request, form, () if content else request.stops), at),
        compat=serving.compat,
    )


def _role(serving: Serving, request: ChatRequest) -> str:
    """Of a new message the server's; of one that is gone on with its own."""
    return serving.role if request.answers else request.last[0] or serving.role


def _visible(request: ChatRequest) -> VisibleCalls:
    if request.choice.kind == "none":
        return "none"
    return "all" if request.parallel else "first"


def _half(half: Half, role: Role, ask: Callable[[Format], Found], otherwise: Found) -> Found:
    """What `ask` finds in a half's format; `otherwise` where there is none, or no such name."""
    if isinstance(half, str):
        return lookup(role, half).map(ask).value_or(otherwise)
    return otherwise if half is None else ask(half)


# -- the machine -------------------------------------------------------------------------------------------------------


def _form(serving: Serving, request: ChatRequest) -> Form:
    """How a forced call is written."""
    whole = _half(serving.reasoning, "reasoning", lambda half: half.tools, otherwise=False)
    if request.choice.kind not in ("required", "named") or whole:
        return "native"
    return "json" if serving.tools is None else serving.forced


def _machine(serving: Serving, request: ChatRequest, form: Form) -> Result[Machine, BindError]:
    half = serving.tools
    if form == "json":
        half = REQUIRED_JSON if request.choice.kind == "required" else None
    bound = bind(serving.reasoning, half, serving.tokenizer, serving.policies, request.template_kwargs)
    return bound.bind(lambda made: with_tools(made, _offered(serving, request)))


def _not_here(serving: Serving, asked: Mapping[str, bool]) -> tuple[RequestDefect, ...]:
    """What this server cannot tell of tokens. Without a tokenizer it reads text and does not know which tokens a client may
    know of; log probabilities are the engine's to give."""
    why = {"logprobs": "" if serving.logprobs else "true, but the engine of this server gives no log probabilities"}
    if serving.tokenizer is None:
        why = dict.fromkeys(asked, "true, but this server reads text and no tokens")
    return tuple(RequestDefect(name, problem, "false") for name, problem in why.items() if problem and asked[name])


def _unasked(serving: Serving, body: object) -> tuple[RequestDefect, ...]:
    """The same of a request that could not be read."""
    fields = body if isinstance(body, Mapping) else {}
    return _not_here(serving, {name: fields.get(name) is True for name in ("logprobs", "return_token_ids")})


def _offered(serving: Serving, request: ChatRequest) -> Sequence[Mapping[str, object]] | None:
    """The tools as the machine is to know them: None, not known; empty, none."""
    choice = request.choice
    if (choice.kind == "none" and serving.none == "text") or not _may_call(serving, request):
        return ()
    if request.tools is None:
        return None if serving.offered == "unknown" else ()
    if choice.names is None or choice.kind == "named":
        return request.tools.listed
    named = zip(request.tools.names, request.tools.listed, strict=True)
    return [tool for name, tool in named if name in choice.names]


def _may_call(serving: Serving, request: ChatRequest) -> bool:
    """May the model call as it likes, if it is asked to do as it likes?"""
    return serving.auto_tools or request.choice.kind != "auto"


# -- the engine --------------------------------------------------------------------------------------------------------


_CALLS: Final[Mapping[Kind, Calls]] = {"none": "none", "auto": "free", "required": "required", "named": "named"}


def _demand(request: ChatRequest, form: Form, stops: tuple[str, ...]) -> Demand:
    tools, choice = request.tools, request.choice
    known = () if tools is None else tools.names
    names = known if choice.names is None else choice.names
    return Demand(
        calls=_CALLS[choice.kind],
        form=form,
        names=names,
        strict=() if tools is None else tuple(name for name in tools.strict if name in names),
        parallel=request.parallel,
        output=None if choice.kind in ("required", "named") else request.output,
        stops=stops,
        most_tokens=request.most_tokens,
    )


def _constrained(serving: Serving, request: ChatRequest, machine: Machine, demand: Demand, at: StartAt) -> Demand:
    """The demand with the grammar that goes with it; without one, if its calls cannot be written by a grammar."""
    if serving.strictness is None:
        return demand
    at = "content" if request.echo or request.continues else at
    tools = offered(request.tools.listed) if request.tools is not None and _may_call(serving, request) else ()
    made = constraint(machine, demand, tools, serving.strictness, at)
    why = made.swap().map(lambda error: error.describe()).value_or("")
    return evolve(demand, constraint=None if why else made.unwrap(), unconstrained=why)
