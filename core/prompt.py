"""Where generation starts: a pure function of format, template kwargs and prompt.

Kwargs choose between the two start regions. Then the prompt is scanned backwards, up to the last turn boundary: the last
of the format's scan spellings decides, and what follows it in the prompt is read from its region with its events thrown
away, so that framing, a prefilled header or the beginning of a message that is continued are not read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unbraid.core.grammar import Format, JsonScalar, Start, Switch
from unbraid.core.vocabulary import Vocabulary


def start_region(fmt: Format, kwargs: Mapping[str, JsonScalar]) -> str:
    """The start region that the template kwargs choose."""
    return fmt.start.on if is_on(fmt.start.switches, kwargs) else fmt.start.off


def is_on(switches: tuple[Switch, ...], kwargs: Mapping[str, JsonScalar]) -> bool:
    """What switches say: the first that has a key given decides (one with `only_off` only if it says off); if none does,
    the first switch's `absent`. Without switches: on.

    >>> effort, thinking = Switch(("effort",), off=("none",), only_off=True), Switch(("thinking",))
    >>> is_on((effort, thinking), {"effort": "high", "thinking": False}), is_on((effort, thinking), {"effort": "high"})
    (False, True)
    """
    for switch in switches:
        if any(key in kwargs for key in switch.keys):
            answer = _is_on(switch, kwargs)
            if not (answer and switch.only_off):
                return answer
    return not switches or switches[0].absent == "on"


def _is_on(switch: Switch, kwargs: Mapping[str, JsonScalar]) -> bool:
    answers = [_means_on(switch, kwargs[key]) for key in switch.keys if key in kwargs]
    return any(answers) if switch.mode == "all_off" else all(answers)


def _means_on(switch: Switch, value: JsonScalar) -> bool:
    return not any(value == off and isinstance(value, bool) is isinstance(off, bool) for off in switch.off)


def last_marker(start: Start, prompt: str) -> tuple[str, str] | None:
    """(region, rest of the prompt) at the last scan spelling of the last turn; None if there is none.

    >>> last_marker(Start("r", "c", scan=(("<t>", "r"), ("</t>", "c")), stops=("|",)), "<t>old</t>|new<t> so")
    ('r', ' so')
    """
    bound = max((prompt.rfind(stop) + len(stop) for stop in start.stops if stop in prompt), default=0)
    found = [(prompt.rfind(spelling, bound), len(spelling), region) for spelling, region in start.scan]
    where, size, region = max(found, default=(-1, 0, ""))
    return None if where < 0 else (region, prompt[where + size :])


def last_turn(start: Start, vocabulary: Vocabulary | None, prompt: str | Sequence[int]) -> str:
    """The text of the prompt; of ids only those since the last turn boundary."""
    if isinstance(prompt, str):
        return prompt
    if vocabulary is None:
        return ""
    stops = {vocabulary.added[stop] for stop in start.stops if stop in vocabulary.added}
    pieces: list[bytes] = []
    for token in reversed(prompt):
        pieces.append(vocabulary.piece(token))
        if token in stops:
            break
    return b"".join(reversed(pieces)).decode("utf-8", "replace")
