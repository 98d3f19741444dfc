"""The whole message as vLLM or SGLang would give it, for clients that rely on it: rule by rule, behind everything else.

    compatible("vllm", raw, events, tools, asked)        raw output, its events, the tools -> the answer's choice

`RULES` is the list of what is done, in order; each rule is a pure function of the draft of the message. Those that `streams`
names are done in streams too, where text can only be dropped or trimmed (`compat_stream`). Where a system treats formats
differently, `compat_habits` says how. The core knows nothing of all this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

from attrs import evolve, field, frozen

from unbraid.core.bind import Machine
from unbraid.core.events import Event
from unbraid.core.grammar import WHITESPACE, Format
from unbraid.core.schema import ToolSchema
from unbraid.shell.call_ids import NameCall, random_id
from unbraid.shell.chat_shapes import ChatMessage, MessageChoice
from unbraid.shell.compat_arguments import closed, dumped, repeated, typed
from unbraid.shell.compat_draft import Draft, Strands, read_draft
from unbraid.shell.compat_habits import Compat, Habit, habit_of
from unbraid.shell.demand import Calls
from unbraid.shell.finish_reasons import EngineReason
from unbraid.shell.messages import ToolCall
from unbraid.shell.opening import Prompt, StartAt
from unbraid.shell.session import Session

Offered: TypeAlias = Mapping[str, ToolSchema] | None
"""The tools on offer by name; None if they are not known."""


@frozen
class Asked:
    """What a message depends on beside the output. `calls`: what `tool_choice` demands; `json`: forced calls are JSON and no
    format's; `reason`: why the engine stopped, `stop` at what; `key`: of reasoning, the system's own if None."""

    form: Format
    calls: Calls = "free"
    json: bool = False
    reason: EngineReason = "stop"
    stop: str | int | None = None
    key: Literal["reasoning", "reasoning_content", "both", "none"] | None = None
    role: str = "assistant"
    name_call: NameCall = random_id


@frozen
class Case:
    """What a rule may look at."""

    habit: Habit
    tools: Offered
    asked: Asked


@frozen
class Rule:
    """One thing that a system does and we do not. `source`: where that is written down; `streams`: what of it is done in a
    stream: text is dropped or trimmed there, or nothing is done."""

    name: str
    system: Compat
    does: str
    source: str
    apply: Callable[[Draft, Case], Draft] = field(repr=False)
    streams: Literal["drops", "trims", "nothing"] = "nothing"


def compatible(
    system: Compat, raw: str, events: Iterable[Event], tools: Offered, asked: Asked, index: int = 0
) -> MessageChoice:
    """The answer number `index` as `system` gives it when it does not stream. `raw`: the source that `events` account for."""
    draft = evolve(read_draft(raw, events, asked.form, asked.name_call), finish=asked.reason, stop=asked.stop)
    case = Case(habit_of(system, asked.form.name, forced=asked.json), tools, asked)
    for rule in RULES:
        if rule.system == system:
            draft = rule.apply(draft, case)
    return _choice(draft, asked, index)


def imitated(
    system: Compat,
    machine: Machine,
    text: str,
    prompt: Prompt = None,
    at: StartAt = "auto",
    reason: EngineReason = "stop",
) -> MessageChoice:
    """The answer that `system` makes of one whole output."""
    session = Session(machine, prompt=prompt, at=at)
    events = session.feed(text) + session.finish()
    return compatible(system, text, events, machine.tools, Asked(machine.format, reason=reason))


def _choice(draft: Draft, asked: Asked, index: int) -> MessageChoice:
    choice: MessageChoice = {
        "index": index,
        "message": _message(draft, asked),
        "finish_reason": draft.finish,
        "logprobs": None,
    }
    if draft.stop is not None and draft.stop_key == "stop_reason":
        choice["stop_reason"] = draft.stop
    elif draft.stop_key == "matched_stop":
        choice["matched_stop"] = draft.stop
    return choice


def _message(draft: Draft, asked: Asked) -> ChatMessage:
    strands, key = draft.strands, asked.key or draft.reasoning_key
    found: ChatMessage = {"role": asked.role, "content": strands.before + strands.after or draft.empty}
    if strands.thought and key in ("reasoning_content", "both"):
        found["reasoning_content"] = strands.thought
    if strands.thought and key in ("reasoning", "both"):
        found["reasoning"] = strands.thought
    if draft.calls:
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in draft.calls
        ]
    return found


# -- reasoning and content -----------------------------------------------------------------------------------------------


def _framing(draft: Draft, _: Case) -> Draft:
    return evolve(draft, strands=draft.framed)


def _thought_end(draft: Draft, case: Case) -> Draft:
    if case.habit.thought == "keep":
        return draft
    return evolve(draft, strands=evolve(draft.strands, thought=draft.strands.thought.rstrip(WHITESPACE)))


def _behind(draft: Draft, case: Case) -> Draft:
    if case.habit.after != "drop" or not draft.called:
        return draft
    return evolve(draft, strands=evolve(draft.strands, after=""))


def _lines(draft: Draft, case: Case) -> Draft:
    if case.habit.after != "line" or not draft.called:
        return draft
    texts = (draft.strands.before.strip(WHITESPACE), draft.strands.after.strip(WHITESPACE))
    return evolve(draft, strands=Strands(draft.strands.thought, "\n".join(text for text in texts if text)))


def _beside(draft: Draft, case: Case) -> Draft:
    if case.habit.edges not in ("strip", "end") or not draft.called:
        return draft
    text = (draft.strands.before + draft.strands.after).rstrip(WHITESPACE)
    kept = text if case.habit.edges == "end" else text.lstrip(WHITESPACE)
    return evolve(draft, strands=Strands(draft.strands.thought, kept))


def _no_content(draft: Draft, case: Case) -> Draft:
    lost = case.habit.edges == "none" and draft.called
    return evolve(draft, strands=Strands(draft.strands.thought)) if lost else draft


def _blank(draft: Draft, case: Case) -> Draft:
    blank = not (draft.strands.before + draft.strands.after).strip(WHITESPACE)
    free = case.asked.calls == "free"
    return evolve(draft, strands=Strands(draft.strands.thought)) if draft.called and blank and free else draft


def _empty(draft: Draft, case: Case) -> Draft:
    return evolve(draft, empty="") if case.asked.calls in ("required", "named") else draft


def _never_null(draft: Draft, _: Case) -> Draft:
    return evolve(draft, empty="")


# -- failures ------------------------------------------------------------------------------------------------------------

_BROKEN: Final = frozenset(("malformed", "truncated", "unterminated_string"))


def _broken(draft: Draft) -> bool:
    return bool(draft.odd & _BROKEN) or not all(call.complete for call in draft.calls)


def _undone(draft: Draft) -> Draft:
    """All that is no reasoning is content."""
    strands = Strands(draft.strands.thought, draft.rest)
    return evolve(draft, strands=strands, calls=(), repeats=(), called=False)


def _raw(draft: Draft, case: Case) -> Draft:
    return _undone(draft) if case.habit.broken == "raw" and _broken(draft) else draft


def _forced_raw(draft: Draft, case: Case) -> Draft:
    return _undone(draft) if case.asked.json and _broken(draft) else draft


def _forced_lost(draft: Draft, case: Case) -> Draft:
    failed = _broken(draft) or not draft.calls
    if not (case.asked.json and case.asked.calls == "required" and failed):
        return draft
    return evolve(draft, strands=Strands(draft.strands.thought), calls=(), repeats=(), called=False)


def _closed(draft: Draft, case: Case) -> Draft:
    if case.habit.broken != "closed":
        return draft
    return _written(draft, lambda call: call.arguments if call.complete else closed(call.arguments))


def _gone(draft: Draft, case: Case) -> Draft:
    return _only(draft, lambda call: call.complete) if case.habit.broken == "gone" else draft


def _without_calls(draft: Draft, case: Case) -> Draft:
    """All calls were dropped because they were not complete."""
    return _undone(draft) if case.habit.broken == "gone" and draft.called and not draft.calls else draft


def _unknown(draft: Draft, case: Case) -> Draft:
    offered = case.tools
    if not case.habit.checked or not offered:
        return draft
    return _only(draft, lambda call: call.name in offered)


def _forgotten(draft: Draft, case: Case) -> Draft:
    """Beside calls that were dropped, content is content."""
    unknown = _unknown(draft, case)
    return evolve(unknown, called=bool(unknown.calls) or (not draft.calls and draft.called))


def _only(draft: Draft, keeps: Callable[[ToolCall], bool]) -> Draft:
    kept = [(call, again) for call, again in zip(draft.calls, draft.repeats, strict=True) if keeps(call)]
    return evolve(draft, calls=tuple(call for call, _ in kept), repeats=tuple(again for _, again in kept))


# -- calls ---------------------------------------------------------------------------------------------------------------


def _last(draft: Draft, case: Case) -> Draft:
    tools = case.tools or {}
    calls = tuple(
        evolve(call, arguments=repeated(call.arguments, again, tools.get(call.name)))
        if again and call.complete
        else call
        for call, again in zip(draft.calls, draft.repeats, strict=True)
    )
    return evolve(draft, calls=calls)


def _typed(draft: Draft, case: Case) -> Draft:
    tools = case.tools or {}
    if case.habit.arguments != "typed":
        return draft
    return _written(draft, lambda call: typed(call.arguments, tools.get(call.name)))


def _dumped(draft: Draft, case: Case) -> Draft:
    forced = case.asked.json and case.asked.calls == "required"
    if case.habit.arguments != "dumped" and not forced:
        return draft
    return _written(draft, lambda call: dumped(call.arguments))


def _ascii(draft: Draft, case: Case) -> Draft:
    if case.habit.arguments != "ascii":
        return draft
    return _written(draft, lambda call: dumped(call.arguments, ascii_only=True))


def _names(draft: Draft, _: Case) -> Draft:
    return evolve(draft, calls=tuple(evolve(call, name=call.name.strip(WHITESPACE)) for call in draft.calls))


def _written(draft: Draft, arguments: Callable[[ToolCall], str]) -> Draft:
    return evolve(draft, calls=tuple(evolve(call, arguments=arguments(call)) for call in draft.calls))


# -- the choice ----------------------------------------------------------------------------------------------------------


def _key(draft: Draft, _: Case) -> Draft:
    return evolve(draft, reasoning_key="reasoning")


def _key_content(draft: Draft, _: Case) -> Draft:
    return evolve(draft, reasoning_key="reasoning_content")


def _finish_named_stops(draft: Draft, case: Case) -> Draft:
    calls = draft.calls and draft.finish == "stop" and case.asked.calls != "named"
    return evolve(draft, finish="tool_calls") if calls else draft


def _finish_any_call(draft: Draft, _: Case) -> Draft:
    return evolve(draft, finish="tool_calls") if draft.calls and draft.finish == "stop" else draft


def _matched(draft: Draft, _: Case) -> Draft:
    return evolve(draft, stop_key="matched_stop", stop=None if draft.finish == "tool_calls" else draft.stop)


_VLLM: Final = (
    Rule("framing_is_text", "vllm", "white space around markers is text of its strand", "cards, A7", _framing),
    Rule(
        *("reasoning_end_trimmed", "vllm", "white space at the end of reasoning is dropped, for some formats"),
        *("cards, A7 rstrip-R", _thought_end, "trims"),
    ),
    Rule(
        *(
            "raw_content_on_failure",
            "vllm",
            "where a call fails, all behind the reasoning is content, for some formats",
        ),
        *("serving.md a.4; cards, 0.2", _raw),
    ),
    Rule(
        *("forced_json_failure_is_empty", "vllm", "a forced array that cannot be read is no calls and no content"),
        *("serving.md a.4", _forced_lost),
    ),
    Rule("unfinished_call_closed", "vllm", "a call that is cut off keeps its whole arguments", "cards, A6", _closed),
    Rule("unfinished_call_dropped", "vllm", "a call that is cut off is dropped, for some formats", "cards, A2", _gone),
    Rule(
        *("unknown_tools_dropped", "vllm", "calls of tools that are not offered are dropped, for some formats"),
        *("serving.md e; cards, A8", _forgotten, "drops"),
    ),
    Rule(
        *("text_behind_calls_dropped", "vllm", "content behind the first call is dropped, for most formats"),
        *("cards, A7", _behind, "drops"),
    ),
    Rule(
        "text_around_calls_in_lines", "vllm", "content before and behind calls is two lines (lfm2)", "card lfm2", _lines
    ),
    Rule(
        *(
            "content_beside_calls_trimmed",
            "vllm",
            "content beside calls loses the white space around it, for some formats",
        ),
        *("cards, A7 stripC", _beside, "trims"),
    ),
    Rule(
        "content_beside_calls_lost",
        "vllm",
        "content beside calls is dropped, for formats without markers",
        "cards",
        _no_content,
    ),
    Rule(
        "blank_content_is_null",
        "vllm",
        "with tool_choice auto blank content beside calls is null",
        "serving.md a.4",
        _blank,
    ),
    Rule(
        "forced_content_is_empty", "vllm", "with a forced call no content is an empty string", "serving.md a.4", _empty
    ),
    Rule("names_trimmed", "vllm", "names lose the white space around them", "cards, A8", _names),
    Rule("last_duplicate_wins", "vllm", "of an argument that is given twice the last value counts", "cards, B", _last),
    Rule(
        *(
            "arguments_typed",
            "vllm",
            "arguments get the types of the schema, and are written anew if that changes them",
        ),
        *("cards, A9", _typed),
    ),
    Rule(
        "arguments_dumped",
        "vllm",
        "JSON arguments are read and written anew, for some formats",
        "serving.md a.4; cards, 0.3",
        _dumped,
    ),
    Rule("arguments_escaped", "vllm", "arguments are written anew in ASCII (harmony)", "card harmony", _ascii),
    Rule("reasoning_key", "vllm", "the key of reasoning is `reasoning`", "serving.md a.2", _key),
    Rule(
        *("finish_reason", "vllm", "any call, a cut one too, ends with tool_calls; a named one with stop"),
        *("serving.md a.6, e", _finish_named_stops),
    ),
)

_SGLANG: Final = (
    Rule("framing_is_text", "sglang", "white space around markers is text of its strand", "its parsers", _framing),
    Rule(
        *(
            "raw_content_on_failure",
            "sglang",
            "where a call fails, all behind the reasoning is content, for some formats",
        ),
        *("serving.md e", _raw),
    ),
    Rule(
        "forced_json_failure_is_content",
        "sglang",
        "a forced array that cannot be read is content",
        "serving.md a.4",
        _forced_raw,
    ),
    Rule("unfinished_call_dropped", "sglang", "a call that is cut off is dropped", "serving.md e", _gone),
    Rule(
        "unfinished_call_is_content",
        "sglang",
        "if no other call is left, all is content",
        "serving.md e",
        _without_calls,
    ),
    Rule(
        "unfinished_call_closed",
        "sglang",
        "a call that is cut off keeps its whole arguments, for some formats",
        "its parsers",
        _closed,
    ),
    Rule(
        *("unknown_tools_dropped", "sglang", "calls of tools that are not offered are dropped, for most formats"),
        *("serving.md e; cards, 0.2", _unknown, "drops"),
    ),
    Rule(
        *("text_behind_calls_dropped", "sglang", "content behind the first call is dropped, for most formats"),
        *("its parsers", _behind, "drops"),
    ),
    Rule(
        *(
            "content_beside_calls_trimmed",
            "sglang",
            "content beside calls loses the white space around it, for some formats",
        ),
        *("its parsers", _beside, "trims"),
    ),
    Rule("content_never_null", "sglang", "no content is an empty string", "serving.md a.4", _never_null),
    Rule(
        "last_duplicate_wins",
        "sglang",
        "of an argument that is given twice the last value counts",
        "its parsers",
        _last,
    ),
    Rule("arguments_dumped", "sglang", "arguments are read and written anew", "serving.md a.4", _dumped),
    Rule("reasoning_key", "sglang", "the key of reasoning is `reasoning_content`", "serving.md a.2", _key_content),
    Rule(
        "finish_reason", "sglang", "any call ends with tool_calls, a named one too", "serving.md a.6", _finish_any_call
    ),
    Rule(
        *("stop_key", "sglang", "the stop string's key is `matched_stop`; null beside tool_calls"),
        *("serving.md a.6, e", _matched),
    ),
)

RULES: Final[tuple[Rule, ...]] = (*_VLLM, *_SGLANG)
"""In the order in which they are applied; one system's follow each other."""
