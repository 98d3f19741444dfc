"""How one request is answered: everything that is decided before the first token, as one value.

    plan      = machine + where it starts + what the client sees and how + what the engine must do
    answer    = a pure function of (plan, the engine's output)

`planning` makes plans of requests; who needs no request makes one by hand: `Plan(machine)` has the defaults of the library.
Each field changes what leaves the server; `tests/serving/test_plan.py` flips every one.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from attrs import field, fields, frozen

from unbraid.core.bind import Machine
from unbraid.core.grammar import Ids
from unbraid.shell.compat_habits import Compat, Habit, habit_of
from unbraid.shell.deltas import ReasoningField
from unbraid.shell.demand import Demand
from unbraid.shell.hidden import VisibleCalls
from unbraid.shell.opening import StartAt
from unbraid.shell.truncated import Truncated, opening_terminals

UsageWhen: TypeAlias = Literal["never", "last", "every"]
CallFinish: TypeAlias = Literal["tool_calls", "stop"]


@frozen
class Plan:
    """One request's answer. A frozen record; `fingerprint` compares two across processes.

    | field | says |
    |---|---|
    | `machine` | what reads the output |
    | `model` | the name in the response |
    | `at` | where generation starts; `auto`: the format, the template kwargs and the prompt say it |
    | `stream` | chunks as server-sent events, or one message |
    | `choices` | how many answers |
    | `role`, `echo` | whose message it is; the beginning of it that the prompt held, repeated in the answer |
    | `reasoning_field` | the key of reasoning; `none`: reasoning is hidden, its tokens too |
    | `truncated` | what becomes of a call that is cut off |
    | `named` | the content is the JSON arguments of this function; the machine knows no calls of its own |
    | `calls` | which calls the client sees |
    | `call_finish` | the finish reason of an answer with complete calls |
    | `promote` | an answer without content takes its reasoning as content |
    | `stops` | stop strings, matched on visible content |
    | `logprobs` | None, or how many likeliest alternatives to send with each token's log probability |
    | `token_ids` | send the ids of visible tokens, and of the prompt |
    | `usage` | token counts in a stream: never, in a last chunk, or in every chunk |
    | `ids` | the scheme of calls' ids; None: the format's |
    | `history` | calls that the conversation already holds, for ids that count on |
    | `demand` | what the engine must make sure of |
    | `compat` | whose messages to give: our own, or those of another server (`compat`) |

    Raises ValueError for `named` with a machine that reads calls.
    """

    machine: Machine
    model: str = "unbraid"
    at: StartAt = "auto"
    stream: bool = False
    choices: int = 1
    role: str = "assistant"
    echo: str = ""
    reasoning_field: ReasoningField = "reasoning_content"
    truncated: Truncated = "emit"
    named: str | None = None
    calls: VisibleCalls = "all"
    call_finish: CallFinish = "tool_calls"
    promote: bool = False
    stops: tuple[str, ...] = ()
    logprobs: int | None = None
    token_ids: bool = False
    usage: UsageWhen = "never"
    ids: Ids | None = None
    history: int = 0
    demand: Demand = field(factory=Demand)
    compat: Compat | None = None

    def __attrs_post_init__(self) -> None:
        reads_calls = self.machine.format.tools and (self.machine.tools is None or bool(self.machine.tools))
        if self.named is not None and reads_calls:
            raise ValueError(
                f"named={self.named!r}: the content is one call, but the machine reads calls of format "
                f"{self.machine.format.name!r}; bind it without a tool half, or with_tools(bound, ())"
            )

    @cached_property
    def openers(self) -> frozenset[str]:
        """The terminals that stand between text and the name of a call."""
        return opening_terminals(self.machine.format)

    @cached_property
    def habit(self) -> Habit | None:
        """What that server does with messages of this format."""
        forced = self.demand.form == "json"
        return None if self.compat is None else habit_of(self.compat, self.machine.format.name, forced=forced)

    @cached_property
    def reduced(self) -> bool:
        """Does anything but a stop string change the core's events, or hold them?"""
        return (
            self.truncated != "emit"
            or self.named is not None
            or self.compat is not None
            or self.calls != "all"
            or self.promote
        )

    @cached_property
    def plain(self) -> bool:
        """Stop strings aside, is a step written as it is whatever was written before?"""
        return not self.reduced and self.usage != "every"

    @property
    def call_scheme(self) -> Ids:
        """Where calls' ids come from."""
        return self.machine.format.ids if self.ids is None else self.ids

    @property
    def shows_reasoning(self) -> bool:
        """Does the client read it?"""
        return self.reasoning_field != "none"

    @property
    def shows_tokens(self) -> bool:
        """Does the client get token ids or log probabilities?"""
        return self.token_ids or self.logprobs is not None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all that matters to an answer under way, in hexadecimal."""
        values = [*(getattr(self, name) for name in _COMPARED), self.habit, self.demand.most_tokens]
        return sha256(repr((self.machine.fingerprint, values)).encode("utf-8", "surrogatepass")).hexdigest()


_COMPARED: Final = tuple(one.name for one in fields(Plan) if one.name not in ("machine", "demand"))
"""Of the demand only what the answer is read or ended by counts."""
