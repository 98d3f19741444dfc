"""Does a value fit its schema? As `jsonschema` says."""

from __future__ import annotations

import jsonschema


def validate(value: object, schema: object) -> None:
    """Raise if it does not."""
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema)
