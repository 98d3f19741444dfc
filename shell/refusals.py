"""What a client is told whose request cannot be answered: the body of a response with status 400."""

from __future__ import annotations

from typing import Literal, TypedDict

from unbraid.shell.bind import BindError
from unbraid.shell.request_fields import RequestDefect


class ErrorObject(TypedDict):
    """As the API writes it. `param`: the path of the first wrong field, if it is one field's fault."""

    message: str
    type: Literal["invalid_request_error"]
    param: str | None
    code: int


class Refusal(TypedDict):
    """The body."""

    error: ErrorObject


def refusal(error: BindError) -> Refusal:
    """Everything that is wrong, a line for each defect.

    >>> refusal(BindError((RequestDefect("n", "0 is too small", "1 to 128"),)))["error"]["param"]
    'n'
    """
    paths = [defect.path for defect in error.defects if isinstance(defect, RequestDefect) and defect.path]
    return {
        "error": {
            "message": error.describe(),
            "type": "invalid_request_error",
            "param": paths[0] if paths else None,
            "code": 400,
        }
    }
