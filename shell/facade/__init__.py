"""unbraid: fold a reasoning model's token stream into typed events.

    bind, with_tools                  a model's format, tokenizer and tools to a machine
    start, step, finish, fold         the pure core: state, delta -> state, events
    Session, parse, message, merge    a stream in one object; a whole output; events to a message; events joined
    parse_response                    token ids and their tokenizer to a message
    ChatStream, Plan                  deltas of a model to chunks of a Chat Completions stream
    to_json, from_json                a state written down
    compose, check, Format, Policies  formats of one's own

Names are imported when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unbraid.core.bind import Bound, Machine
    from unbraid.core.check import check
    from unbraid.core.compose import compose
    from unbraid.core.events import Event, Events, merge
    from unbraid.core.grammar import Format, Policies
    from unbraid.core.machine import finish, fold, start, step
    from unbraid.core.records import ParserState
    from unbraid.core.vocabulary import Vocabulary
    from unbraid.shell.bind import BindError, bind, with_tools
    from unbraid.shell.chat import ChatStream
    from unbraid.shell.generated import parse_response
    from unbraid.shell.messages import Message, ToolCall, message
    from unbraid.shell.plan import Plan
    from unbraid.shell.session import Session, parse
    from unbraid.shell.snapshot import from_json, to_json
    from unbraid.shell.tokenizers import read_vocabulary

__all__ = [
    "BindError",
    "Bound",
    "ChatStream",
    "Event",
    "Events",
    "Format",
    "Machine",
    "Message",
    "ParserState",
    "Plan",
    "Policies",
    "Session",
    "ToolCall",
    "Vocabulary",
    "bind",
    "check",
    "compose",
    "finish",
    "fold",
    "from_json",
    "merge",
    "message",
    "parse",
    "parse_response",
    "read_vocabulary",
    "start",
    "step",
    "to_json",
    "with_tools",
]

_HOMES = {
    "core.bind": "Bound Machine",
    "core.check": "check",
    "core.compose": "compose",
    "core.events": "Event Events merge",
    "core.grammar": "Format Policies",
    "core.machine": "finish fold start step",
    "core.records": "ParserState",
    "core.vocabulary": "Vocabulary",
    "shell.bind": "BindError bind with_tools",
    "shell.chat": "ChatStream",
    "shell.generated": "parse_response",
    "shell.messages": "Message ToolCall message",
    "shell.plan": "Plan",
    "shell.session": "Session parse",
    "shell.snapshot": "from_json to_json",
    "shell.tokenizers": "read_vocabulary",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split(" ")}


if not TYPE_CHECKING:  # else every name would seem to be there

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"unbraid.{_HOME[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
