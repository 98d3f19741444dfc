"""The Rust parser of `openai-harmony` or `oss-harmony`: token ids in; the server reads channel, recipient and text.

It loads its ranks from a file that it would fetch; they are the pieces of npm's gpt-oss vocabulary, so the file is made.
"""

from __future__ import annotations

import os
from base64 import b64encode
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from attrs import field, frozen

from tests.bench.feeding import Arrival
from tests.bench.peer import Absent, Gathered
from tests.vocabularies import npm
from unbraid.shell.messages import Message
from unbraid.shell.tokenizers import read_vocabulary

RANKS: Final = 199_998
PACKAGES: Final = ("openai-harmony", "oss-harmony")


@frozen(eq=False)
class Harmony:
    """The peer."""

    name: str
    module: Any
    encoding: Any
    feed: str = "ids"

    def knows(self, reasoning: str | None, tools: str | None) -> bool:
        return (reasoning, tools) == ("harmony", "harmony")

    def open(self, _: Arrival) -> HarmonyStream:
        return HarmonyStream(self.module.StreamableParser(self.encoding, self.module.Role.ASSISTANT, strict=False))

    def whole(self, one: Arrival) -> Message:
        ids = list(one.workload.ids)
        role = self.module.Role.ASSISTANT
        said = Gathered()
        for place, part in enumerate(self.encoding.parse_messages_from_completion_tokens(ids, role, strict=False)):
            _put(said, place, part.channel, part.recipient, "".join(piece.text for piece in part.content))
        return said.message()


@frozen(eq=False)
class HarmonyStream:
    """What a server does with each step's ids."""

    parser: Any
    said: Gathered = field(factory=Gathered)

    def feed(self, _: str | None, ids: tuple[int, ...]) -> None:
        parser = self.parser
        for token in ids:
            parser.process(token)
            text = parser.last_content_delta
            if text:
                recipient = parser.current_recipient
                place = len(parser.messages) if recipient else 0
                _put(self.said, place, parser.current_channel, recipient, text)

    def close(self) -> Message:
        self.parser.process_eos()
        return self.said.message()


def _put(said: Gathered, place: int, channel: str | None, recipient: str | None, text: str) -> None:
    if recipient:
        said.argue(place, recipient.removeprefix("functions."), text)
    elif channel == "analysis":
        said.reasoning.append(text)
    else:
        said.content.append(text)


def harmony() -> Harmony:
    """The peer. Raises `Absent`."""
    try:
        module = import_module("openai_harmony")
    except ImportError as error:
        raise Absent(f"harmony: {error}; run `pip install openai-harmony` or `pip install oss-harmony`") from error
    with TemporaryDirectory() as folder:
        _write_ranks(Path(folder) / "o200k_base.tiktoken")
        os.environ["TIKTOKEN_ENCODINGS_BASE"] = folder
        encoding = module.load_harmony_encoding(module.HarmonyEncodingName.HARMONY_GPT_OSS)
    return Harmony(_label(), module, encoding)


def _label() -> str:
    for package in PACKAGES:
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return "openai_harmony"


def _write_ranks(path: Path) -> None:
    pieces = read_vocabulary(npm("gptoss")).unwrap().pieces[:RANKS]
    path.write_bytes(b"".join(b"%s %d\n" % (b64encode(piece), rank) for rank, piece in enumerate(pieces)))
