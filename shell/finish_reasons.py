"""Why a message ended, as clients read it.

    engine   calls that are complete   tool choice   client
    stop     none                      any           stop
    stop     some                      any other     tool_calls
    stop     some                      named         stop         (as OpenAI does)
    length   any                       any           length

A message whose only call is cut off did not end with a call: its reason is the engine's.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

EngineReason: TypeAlias = Literal["stop", "length"]
FinishReason: TypeAlias = Literal["stop", "length", "tool_calls"]


def finish_reason(engine: EngineReason, complete_calls: int, *, named: bool = False) -> FinishReason:
    """The reason that a client sees. `complete_calls`: how many; `named`: the request forced one function.

    >>> finish_reason("stop", 2), finish_reason("length", 2), finish_reason("stop", 1, named=True)
    ('tool_calls', 'length', 'stop')
    """
    return "tool_calls" if engine == "stop" and complete_calls and not named else engine
