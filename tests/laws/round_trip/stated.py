"""Renderings of formats whose models publish no template that is at hand, as the format cards state them."""

from __future__ import annotations

from typing import Final

STATED: Final = {}
