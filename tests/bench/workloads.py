"""What subjects read: turns with known sizes in tokens, written as each format writes them.

mixed      2k tokens of reasoning, an answer, two calls
dense      reasoning, answer and ten calls; 60 % of the words look like the beginning of a marker
think-N    N tokens of reasoning, one short answer
arg-N      one call with a string argument of N tokens
*-50x2k    fifty streams of *-2k, cut from the text of *-100k: what length costs is the difference. One short text, read
           again and again, tells it wrong: the processor learns the order of its tokens by heart
value      one call with an argument of 1.28 MB that is no string
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final, TypeAlias

from attrs import frozen

from tests.bench.subjects import Subject
from unbraid.shell.bench import prose, texts_of
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


FIFTY: Final = "-50x2k"
"""How the names of workloads end that are fifty streams."""

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
    return _written(name, turn, subject)


def streams(name: str, subject: Subject) -> tuple[Workload, ...]:
    """The streams of `name` (of `NAMES`): fifty, or one; none if the subject cannot say it."""
    kind = name.removesuffix(FIFTY)
    one = workload(f"{kind}-2k" if kind in SAYING else name, subject)
    if one is None or kind not in SAYING:
        return () if one is None else (one,)
    return tuple(_written(name, subject.writer.says(SAYING[kind](part)), subject) for part in _parts(subject))


def _written(name: str, turn: Turn, subject: Subject) -> Workload:
    text = subject.writer.write(turn)
    return Workload(name, turn, text, tuple(subject.encoder.ids(text)))


def _parts(subject: Subject) -> Iterator[str]:
    """What *-100k say, in fifty parts, less white space at their edges."""
    encoder = subject.encoder
    texts = texts_of(encoder.vocabulary, encoder.ids(_thought(subject, MEASURED, 100_000)))
    for place in range(0, 100_000, 2_000):
        yield "".join(texts[place : place + 2_000]).strip("\n\r\t ")


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
    return _asked(subject.encoder.excerpt(source.words(place, 8 * count), count))


def _asked(text: str) -> Asked:
    return Asked("run", {"cmd": text})


def _thinks(text: str) -> Turn:
    return Turn(text, "Done.")


def _asks(text: str) -> Turn:
    return Turn("Hm.", "", (_asked(text),))


def _mixed(subject: Subject, source: Source) -> Turn:
    calls = (_run(subject, source, 40_000, 40), Asked("run", {"cmd": "ls -la", "times": 3}))
    return Turn(_thought(subject, source, 2_000), subject.encoder.excerpt(source.words(30_000, 5_000), 400), calls)


def _thought(subject: Subject, source: Source, count: int) -> str:
    return subject.encoder.excerpt(source.words(0, 8 * count), count)


def _think(count: int) -> Make:
    return lambda subject, source: _thinks(_thought(subject, source, count))


def _arg(count: int) -> Make:
    return lambda subject, source: _asks(_thought(subject, source, count))


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
    "arg-2k": _arg(2_000),
    "arg-20k": _arg(20_000),
    "arg-100k": _arg(100_000),
    "value": _value,
}

SAYING: Final[Mapping[str, Callable[[str], Turn]]] = {"think": _thinks, "arg": _asks}

NAMES: Final = (*WORKLOADS, *(kind + FIFTY for kind in SAYING))
"""What can be measured."""
