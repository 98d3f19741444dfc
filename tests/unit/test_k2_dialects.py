"""The template's `tool_call_format` chooses K2 Horizon's dialect."""

from __future__ import annotations

import pytest

from unbraid.core.resolve import resolve
from unbraid.formats.k2 import K2_JSON, K2_TOOLS, K2_TYPED
from unbraid.formats.registry import lookup


@pytest.mark.parametrize(
    ("given", "meant"),
    [("xml", "k2_horizon"), (None, "k2_horizon"), ("xml_typed", K2_TYPED.name), ("json", K2_JSON.name)],
)
def test_dialects(given: str | None, meant: str) -> None:
    kwargs = {} if given is None else {"tool_call_format": given}
    fmt = resolve(K2_TOOLS, lambda name: lookup("tools", name).value_or(None), None, kwargs).unwrap()
    assert fmt.name == meant
    assert not fmt.choices
