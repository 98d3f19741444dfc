"""What is wrong with the tools of a list, each named by its place there: a tool without a name has nothing else to be named by.

For lists that no request holds, of a batch or a file; `request_tools` is for requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from unbraid.core.schema import resolve_tool
from unbraid.shell.request_fields import shown


@frozen
class ToolDefect:
    """`place`: of the tool in its list, from 0."""

    place: int
    reason: str

    def describe(self) -> str:
        """One sentence."""
        return f"tools[{self.place}]: {self.reason}"


def not_objects(tools: Sequence[object]) -> Iterator[ToolDefect]:
    """The items that are no objects.

    >>> [defect.describe() for defect in not_objects([{}, 5])]
    ['tools[1]: expected an object, found 5']
    """
    for place, tool in enumerate(tools):
        if not isinstance(tool, dict):
            yield ToolDefect(place, f"expected an object, {shown(tool)}")


def wrong_schemas(tools: Sequence[object]) -> Iterator[ToolDefect]:
    """What cannot be read in the objects among `tools`.

    >>> [defect.describe() for defect in wrong_schemas([{"function": {}}])]
    ['tools[0]: a tool needs a name, a string that is not empty; found nothing at /function/name']
    """
    for place, tool in enumerate(tools):
        if isinstance(tool, dict):
            for defect in resolve_tool(tool).swap().value_or(()):
                yield ToolDefect(place, defect.describe().removeprefix("tool '': "))
