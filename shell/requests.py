"""A Chat Completions request: what of it decides how the answer is read, checked field by field.

    read_chat_request(json) -> ChatRequest, or every defect with its path

What only the engine cares for (sampling, penalties) is left alone. A field that is null counts as left out. Defaults are the
API's; where servers differ, `planning` decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, get_args

from attrs import field, frozen
from returns.result import Failure, Result, Success

from unbraid.core.grammar import JsonScalar
from unbraid.shell.deltas import ReasoningField
from unbraid.shell.plan import UsageWhen
from unbraid.shell.request_fields import Fields, RequestDefect, shown
from unbraid.shell.request_tools import FREE, ToolChoice, Tools, read_choice, read_tools

MOST_CHOICES: Final = 128
MOST_TOP: Final = 20
MOST_TOKENS: Final = 1 << 31

OutputFormat: TypeAlias = Mapping[str, object]
"""A `response_format` that asks for more than text."""

_OUTPUTS: Final = ("text", "json_object", "json_schema", "structural_tag")
_FIELDS: Final[tuple[ReasoningField, ...]] = get_args(ReasoningField)


@frozen
class ChatRequest:
    """A request that can be answered. `tools`: None if the request has none. `last`: the role and the text of the last
    message. `history`: calls in all messages. `continues`: the last message is to be gone on with."""

    model: str | None = None
    tools: Tools | None = None
    choice: ToolChoice = FREE
    parallel: bool = True
    stream: bool = False
    usage: UsageWhen = "never"
    choices: int = 1
    stops: tuple[str, ...] = ()
    include_reasoning: bool = True
    reasoning_field: ReasoningField | None = None
    logprobs: int | None = None
    token_ids: bool = False
    template_kwargs: Mapping[str, JsonScalar] = field(factory=dict)
    continues: bool = False
    answers: bool = True
    echo: bool = False
    last: tuple[str, str] = ("", "")
    history: int = 0
    output: OutputFormat | None = None
    most_tokens: int | None = None


Defects: TypeAlias = tuple[RequestDefect, ...]


def read_chat_request(found: object, *, messages: bool = True) -> Result[ChatRequest, Defects]:
    """The request that a JSON value is, or everything that is wrong with it. `messages`: there must be some.

    >>> wrong = read_chat_request({"n": 0, "tool_choice": "required"}, messages=False).failure()
    >>> [defect.path for defect in wrong]
    ['tool_choice', 'n']
    """
    if not isinstance(found, Mapping):
        return Failure((RequestDefect("", shown(found), "a JSON object"),))
    defects: list[RequestDefect] = []
    request = _read(Fields(found, "", defects), messages=messages)
    return Failure(tuple(defects)) if defects else Success(request)


def _read(fields: Fields, *, messages: bool) -> ChatRequest:
    talk = _messages(fields, required=messages)
    tools = read_tools(fields)
    continues, answers = _continuing(fields, talk)
    stream = fields.flag("stream", default=False)
    return ChatRequest(
        model=fields.text("model"),
        tools=tools,
        choice=read_choice(fields, tools),
        parallel=fields.flag("parallel_tool_calls", default=True),
        stream=stream,
        usage=_usage(fields, stream=stream),
        choices=fields.number("n", 1, MOST_CHOICES, 1) or 1,
        stops=_stops(fields),
        include_reasoning=fields.flag("include_reasoning", default=True),
        reasoning_field=fields.word("reasoning_field", _FIELDS),
        logprobs=_logprobs(fields),
        token_ids=fields.flag("return_token_ids", default=False),
        template_kwargs=_template_kwargs(fields),
        continues=continues,
        answers=answers,
        echo=fields.flag("echo", default=False),
        last=_last(talk),
        history=sum(len(calls) for one in talk if isinstance(calls := one.value("tool_calls"), list)),
        output=_output(fields),
        most_tokens=_most_tokens(fields),
    )


# -- messages ----------------------------------------------------------------------------------------------------------


def _messages(fields: Fields, *, required: bool) -> Sequence[Fields]:
    if required and not fields.given("messages"):
        fields.wrong("messages", "missing", "an array of messages, at least one")
    found = fields.objects("messages", "messages") or ()
    for message in found:
        if message.text("role") is None and not message.given("role"):
            message.wrong("role", "missing", "system, user, assistant, tool ...")
        if message.given("tool_calls") and not isinstance(message.value("tool_calls"), list):
            message.wrong("tool_calls", shown(message.value("tool_calls")), "an array of calls")
    return found


def _last(talk: Sequence[Fields]) -> tuple[str, str]:
    if not talk:
        return "", ""
    role, content = talk[-1].value("role"), talk[-1].value("content")
    return str(role or ""), content if isinstance(content, str) else _text_parts(content)


def _text_parts(content: object) -> str:
    """The text of content that is written as parts."""
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _continuing(fields: Fields, talk: Sequence[Fields]) -> tuple[bool, bool]:
    """Is the last message to be gone on with, and is a new one begun?"""
    continues = fields.flag("continue_final_message", default=False)
    answers = fields.flag("add_generation_prompt", default=not continues)
    if continues and answers:
        fields.wrong("add_generation_prompt", "true beside continue_final_message", "one of the two")
    if continues and talk and talk[-1].value("role") != "assistant":
        role = talk[-1].value("role")
        fields.wrong("continue_final_message", f"the last message is by {role!r}", "a last message by 'assistant'")
    return continues, answers


def _template_kwargs(fields: Fields) -> Mapping[str, JsonScalar]:
    """What the chat template is given beside the messages. Only scalars can switch reasoning; others are left out."""
    effort = fields.text("reasoning_effort")
    known: dict[str, JsonScalar] = {} if effort is None else {"reasoning_effort": effort}
    kwargs = fields.inner("chat_template_kwargs")
    return known if kwargs is None else {**known, **kwargs.scalars()}


# -- what comes back -----------------------------------------------------------------------------------------------------


def _usage(fields: Fields, *, stream: bool) -> UsageWhen:
    options = fields.inner("stream_options")
    if options is None:
        return "never"
    if not stream:
        fields.wrong("stream_options", "found without a stream", "stream_options only where stream is true")
    included = options.flag("include_usage", default=False)
    every = options.flag("continuous_usage_stats", default=False)
    if every and not included:
        options.wrong("continuous_usage_stats", "true without include_usage", "true only where include_usage is true")
    when: UsageWhen = "last" if included else "never"
    return "every" if every else when


def _stops(fields: Fields) -> tuple[str, ...]:
    value = fields.value("stop")
    if value is None:
        return ()
    if not isinstance(value, str | list):
        fields.wrong("stop", shown(value), "a string or strings, none empty")
        return ()
    places = {"stop": value} if isinstance(value, str) else {f"stop[{at}]": one for at, one in enumerate(value)}
    for place, string in places.items():
        if not isinstance(string, str) or not string:
            fields.wrong(place, shown(string), "a string that is not empty")
    return tuple(dict.fromkeys(string for string in places.values() if isinstance(string, str)))


def _logprobs(fields: Fields) -> int | None:
    wanted = fields.flag("logprobs", default=False)
    most = fields.number("top_logprobs", 0, MOST_TOP, None)
    if most is not None and not wanted:
        fields.wrong("top_logprobs", "found without logprobs", "top_logprobs only where logprobs is true")
    return (most or 0) if wanted else None


def _most_tokens(fields: Fields) -> int | None:
    older = fields.number("max_tokens", 1, MOST_TOKENS, None)
    return fields.number("max_completion_tokens", 1, MOST_TOKENS, older)


def _output(fields: Fields) -> OutputFormat | None:
    output = fields.inner("response_format")
    if output is None:
        return None
    if not output.given("type"):
        output.wrong("type", "missing", ", ".join(_OUTPUTS))
    kind = output.word("type", _OUTPUTS)
    if kind == "json_schema":
        _schema(output)
    if kind == "structural_tag":
        _tag(output)
    return None if kind in (None, "text") else dict(output.items())


def _tag(output: Fields) -> None:
    if output.inner("format") is None and not output.given("format") and not output.given("structures"):
        output.wrong("format", "missing", "an object, the format of a structural tag")


def _schema(output: Fields) -> None:
    inner = output.inner("json_schema")
    if inner is None:
        if not output.given("json_schema"):
            output.wrong("json_schema", "missing", "an object with name and schema")
        return
    if inner.text("name") is None and not inner.given("name"):
        inner.wrong("name", "missing", "a string that is not empty")
    if inner.shallow("schema"):
        inner.inner("schema")
    inner.flag("strict", default=False)
