"""Whole outputs of a model in the hands of transformers: ids, and the tokenizer that wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from returns.result import Result

from unbraid.core.grammar import Format, JsonScalar
from unbraid.shell.bind import BindError, Tools, bind, with_tools
from unbraid.shell.messages import Message
from unbraid.shell.opening import Prompt, StartAt
from unbraid.shell.session import parse

_NO_KWARGS: Final[Mapping[str, JsonScalar]] = MappingProxyType({})


def parse_response(
    tokenizer: object,
    ids: Sequence[int],
    *,
    reasoning: str | Format | None = None,
    tools: str | Format | None = None,
    offered: Tools = None,
    prompt: Prompt = None,
    at: StartAt = "auto",
    template_kwargs: Mapping[str, JsonScalar] = _NO_KWARGS,
) -> Result[Message, BindError]:
    """The message that `ids` are, without the prompt. `tokenizer`, `reasoning`, `tools`, `template_kwargs`: as in `bind`.

    `offered`: the request's tools. `prompt`: what stood before, to know where the output starts; `at` says it outright.
    The vocabulary and the bound format are kept, so the next output of the same tokenizer costs only its reading.
    """
    bound = bind(reasoning, tools, tokenizer, template_kwargs=template_kwargs)
    machine = bound.bind(lambda made: with_tools(made, offered))
    return machine.map(lambda made: parse(made, ids=tuple(ids), prompt=prompt, at=at))
