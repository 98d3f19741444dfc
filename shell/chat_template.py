"""The text of a model's chat template, where it can be found: only looked at, never rendered."""

from __future__ import annotations

import json
import os
from pathlib import Path

from unbraid.core.grammar import Format


def needs_template(form: Format | None) -> bool:
    """Does a choice of `form` look into the chat template?"""
    return form is not None and any(choice.template_has or choice.template_lacks for choice in form.choices)


def chat_template(tokenizer: object) -> str | None:
    """The default chat template of a tokenizer: of the folder that a path names or is in, or of an object of transformers.
    None if there is none, or if it cannot be read."""
    if isinstance(tokenizer, str | os.PathLike):
        path = Path(os.fsdecode(tokenizer))
        return _in_folder(path if path.is_dir() else path.parent)
    return _default(getattr(tokenizer, "chat_template", None))


def _in_folder(folder: Path) -> str | None:
    written = _read(folder / "chat_template.jinja")
    if written is not None:
        return written
    try:
        config: object = json.loads(_read(folder / "tokenizer_config.json") or "null")
    except (ValueError, RecursionError):
        return None
    return _default(config.get("chat_template")) if isinstance(config, dict) else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _default(found: object) -> str | None:
    """A text, or the one called `default` among several: a table of them, or a list of tables with name and template."""
    if isinstance(found, list):
        found = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
    if isinstance(found, dict):
        found = found.get("default")
    return found if isinstance(found, str) else None
