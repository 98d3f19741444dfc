"""What subjects read: turns with known sizes in tokens, written as each format writes them.

mixed      2k tokens of reasoning, an answer, two calls
dense      reasoning, answer and ten calls; 60 % of the words look like the beginning of a marker
think-N    N tokens of reasoning, one short answer
arg-N      one call with a string argument of N tokens
*-same     as think-2k and arg-2k, what is long said fifty times: as long as *-100k, in no more words than *-2k, so that
           the processor's caches hold what is looked up as well as there
value      one call with an argument of 1.28 MB that is no string
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Final, TypeAlias

from attrs import frozen

from tests.bench.subjects import Subject
from unbraid.shell.bench import prose
from unbraid.shell.messages import Message
from unbraid.shell.outputs import Asked, Turn

DENSITY: Final = 0.6
VALUE_POINTS: Final = 1_280_000
ROW: Final = [True, False, False, True, True, False, True, False]
HTML: Final = ("<b>", "</p>", "<", "</", "{x", "[i]", "a<b", "`", '"q"', "\\n")
"""What looks like a marker to some format or other, and ends in no format's marker."""


@frozen
class Source:
    """Where a workload's words come from: the prose from `start` on, and chance."""

    start: int
    seed: int

    def words(self, place: int, size: int) -> str:
        """`size` code points of prose."""
        return prose()[self.start + place : self.start + place + size]


MEASURED: Final = Source(0, 20)
OTHER: Final = Source(200_000, 21)
"""Words that the short workloads of `MEASURED` do not have."""

Make: TypeAlias = Callable[[Subject, Source], Turn]


@frozen(eq=False)
class Workload:
    """A text and its tokens, with what they mean."""

    name: str
    turn: Turn
    text: str
    ids: tuple[int, ...]


def workload(name: str, subject: Subject, source: Source = MEASURED) -> Workload | None:
    """The workload `name` (a key of `WORKLOADS`) for a subject; None if the subject cannot say it."""
    turn = subject.writer.says(WORKLOADS[name](subject, source))
    wanted = {"arg": turn.calls, "value": turn.calls, "think": turn.reasoning}.get(name.partition("-")[0], True)
    if not wanted:
        return None
    text = subject.writer.write(turn)
    return Workload(name, turn, text, tuple(subject.encoder.ids(text)))


def meant(turn: Turn, message: Message) -> bool:
    """Does `message` say what `turn` says? Arguments are compared as JSON, texts without white space at their edges."""
    said = (message.reasoning or "", message.content or "")
    asked = [(call.name, dict(call.arguments)) for call in turn.calls]
    try:
        calls = [(call.name, json.loads(call.arguments)) for call in message.tool_calls]
    except ValueError:
        return False
    return [part.strip() for part in said] == [turn.reasoning, turn.answer] and calls == asked


def _run(subject: Subject, source: Source, place: int, count: int) -> Asked:
    return Asked("run", {"cmd": subject.encoder.excerpt(source.words(place, 8 * count), count)})


def _mixed(subject: Subject, source: Source) -> Turn:
    calls = (_run(subject, source, 40_000, 40), Asked("run", {"cmd": "ls -la", "times": 3}))
    return Turn(_thought(subject, source, 2_000), subject.encoder.excerpt(source.words(30_000, 5_000), 400), calls)


def _thought(subject: Subject, source: Source, count: int) -> str:
    return subject.encoder.excerpt(source.words(0, 8 * count), count)


def _think(count: int) -> Make:
    return lambda subject, source: Turn(_thought(subject, source, count), "Done.")


def _arg(count: int) -> Make:
    return lambda subject, source: Turn("Hm.", "", (_run(subject, source, 0, count),))


def _think_same(subject: Subject, source: Source) -> Turn:
    return Turn(_same(_thought(subject, source, 2_000)), "Done.")


def _arg_same(subject: Subject, source: Source) -> Turn:
    return Turn("Hm.", "", (Asked("run", {"cmd": _same(_thought(subject, source, 2_000))}),))


def _same(text: str) -> str:
    return " ".join([text] * 50)


def _value(_: Subject, source: Source) -> Turn:
    row = [*ROW, source == MEASURED]
    rows = VALUE_POINTS // (len(json.dumps(row)) + 2)
    return Turn("Hm.", "", (Asked("run", {"data": [row] * rows}),))


def _dense(subject: Subject, source: Source) -> Turn:
    random = Random(source.seed)
    likes = [*HTML, *_beginnings(subject)]
    plain = [word for word in source.words(0, 60_000).split() if word.isalpha()]

    def some(count: int) -> str:
        return " ".join(random.choice(likes if random.random() < DENSITY else plain) for _ in range(count))

    calls = tuple(Asked("run", {"cmd": "x " + some(30) + " x", "times": n}) for n in range(10))
    return Turn("So " + some(400) + " so.", "Well, " + some(200) + " well.", calls)


def _beginnings(subject: Subject) -> list[str]:
    """Proper beginnings of the format's longer markers that hold no whole one."""
    whole = [word for one in subject.machine.format.terminals for word in one.spellings]
    cut = {word[:size] for word in whole if len(word) > 3 for size in (2, len(word) // 2, len(word) - 1)}
    return sorted(part for part in cut if part.strip() == part and not any(word in part for word in whole))


WORKLOADS: Final[Mapping[str, Make]] = {
    "mixed": _mixed,
    "dense": _dense,
    "think-2k": _think(2_000),
    "think-30k": _think(30_000),
    "think-100k": _think(100_000),
    "think-same": _think_same,
    "arg-2k": _arg(2_000),
    "arg-20k": _arg(20_000),
    "arg-100k": _arg(100_000),
    "arg-same": _arg_same,
    "value": _value,
}
