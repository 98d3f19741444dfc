"""Harmony against openai-harmony: what it renders comes back, and what its streaming parser reads we read too.

Its vocabulary is a download; here it is written from the one that the other tests use (the file is the same, byte by byte). Where the two
readers differ on a case of the corpus, `DIFFERS` names the deviation in `deviations/harmony.toml`; where it raises an error there is nothing
to compare.
"""

from __future__ import annotations

import json
import tomllib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.message import message
from tests.corpus.reader import Call, Case, Message, cases
from tests.laws.inputs import name_of
from tests.laws.machines import composed, fold_ids, right
from tests.vocabularies import npm
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.machine import start
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.tokenizers import read_vocabulary

PACKAGE: Final = "openai_harmony"
BUILT_IN: Final = ("python", "browser", "container")
PROMPT: Final = "<|start|>assistant"

DIFFERS: Final = {
    "calls/no_arguments": "empty_arguments",
    "calls/null_arguments": "empty_arguments",
    "calls/recipient_behind_the_content_type": "header_words",
    "calls/unknown_tool_is_dropped": "unknown_tool",
    "calls/no_tools_offered": "unknown_tool",
    "messages/prefilled_header": "prompt",
    "messages/prefilled_channel": "prompt",
    "messages/prefilled_recipient": "prompt",
    "recovery/no_channel": "no_channel",
    "recovery/no_header_with_an_end": "no_channel",
    "recovery/no_header_long": "no_channel",
    "recovery/no_header_with_to": "no_channel",
    "recovery/header_broken_off_by_another": "start_repeated",
    "recovery/nobody_as_recipient": "header_words",
    "recovery/missing_end_behind_a_call": "missing_end",
    "recovery/arguments_are_no_json": "arguments_that_are_no_json",
    "recovery/arguments_break_off": "arguments_that_are_no_json",
    "recovery/string_broken_off": "arguments_that_are_no_json",
    "recovery/text_behind_the_arguments": "arguments_that_are_no_json",
    "recovery/somebody_else_s_header": "turn_of_somebody_else",
    "recovery/channel_and_recipient_without_message": "header_without_message",
    "recovery/recipient_too_long": "overlong_header",
    "recovery/overlong_header_with_a_recipient": "overlong_header",
    "recovery/overlong_header_behind_its_recipient": "overlong_header",
}
"""Case of the corpus -> deviation."""


@frozen(eq=False)
class Peer:
    """The package, its encoding, and our machine over the same vocabulary."""

    package: Any
    encoding: Any
    machine: Machine

    def ours(self, tokens: Sequence[int], prompt: str = PROMPT) -> Message:
        """What we read."""
        return message(fold_ids(self.machine, start(self.machine, feed="ids", prompt=_ids(self, prompt)), [tokens]))

    def theirs(self, tokens: Sequence[int]) -> Message | None:
        """What the streaming parser reads; None if it gives up."""
        parser = self.package.StreamableParser(self.encoding, self.package.Role.ASSISTANT, strict=False)
        try:
            for token in tokens:
                parser.process(token)
            parser.process_eos()
        except self.package.HarmonyError:
            return None
        return _routed(parser.messages)


def _ids(peer: Peer, text: str) -> tuple[int, ...]:
    return tuple(peer.encoding.encode(text, allowed_special="all"))


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """The package with its vocabulary."""
    package = import_module(PACKAGE)
    vocabulary = right(read_vocabulary(npm("gptoss")))
    folder = tmp_path_factory.mktemp("harmony")
    (folder / "o200k_base.tiktoken").write_bytes(_ranks(vocabulary))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_ENCODINGS_BASE", str(folder))
        encoding = package.load_harmony_encoding(package.HarmonyEncodingName.HARMONY_GPT_OSS)
        machine = right(with_tools(right(bind(composed("harmony", "harmony"), vocabulary)), None))
        yield Peer(package, encoding, machine)


def _ranks(vocabulary: Vocabulary) -> bytes:
    ordinary = range(min(vocabulary.added.values()))
    return b"".join(b"%s %d\n" % (b64encode(vocabulary.pieces[token]), token) for token in ordinary)


def _routed(messages: Sequence[Any]) -> Message:
    """A message as a client gets it, by the routing rules of the format card."""
    reasoning, content = "", ""
    calls: list[Call] = []
    for one in messages:
        text, recipient = "".join(part.text for part in one.content), one.recipient or ""
        if _is_function(recipient):
            calls.append(Call(recipient.removeprefix("functions."), text))
        elif one.channel == "analysis":
            reasoning += text
        elif one.channel == "final" or (one.channel == "commentary" and not recipient):
            content += text
    return Message(reasoning or None, content or None, tuple(calls), ())


def _is_function(recipient: str) -> bool:
    """Content types, which it takes for recipients where no recipient stands, are none."""
    types = ("", "assistant", "json", "code")
    return not (recipient in types or recipient.startswith("<|") or recipient.split(".", 1)[0] in BUILT_IN)


def _compared(one: Message) -> Message:
    """Anomalies are ours alone, and it does not tell whether a call is complete."""
    return Message(one.reasoning, one.content, tuple(Call(call.name, call.arguments) for call in one.calls), ())


# -- rendering -----------------------------------------------------------------------------------------------------------

TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: "<|" not in text
)
NAMES: Final = st.sampled_from(["get_weather", "web-browsing", "a.b"])
ARGUMENTS: Final = st.dictionaries(
    TEXTS, st.none() | st.booleans() | st.integers() | TEXTS | st.lists(TEXTS, max_size=2), max_size=3
)


@frozen
class Sent:
    """One message of an assistant's turn."""

    channel: str
    text: str
    name: str | None = None


MESSAGES: Final = st.lists(
    st.builds(Sent, st.sampled_from(["analysis", "commentary", "final"]), TEXTS)
    | st.builds(Sent, st.just("commentary"), st.builds(json.dumps, ARGUMENTS), NAMES),
    min_size=1,
    max_size=4,
)


def _rendered(peer: Peer, sent: Sequence[Sent]) -> tuple[int, ...]:
    """The tokens that the model writes behind the prompt."""
    package = peer.package
    made = []
    for one in sent:
        entry = package.Message.from_role_and_content(package.Role.ASSISTANT, one.text).with_channel(one.channel)
        if one.name is not None:
            entry = entry.with_recipient(f"functions.{one.name}").with_content_type("<|constrain|>json")
        made.append(entry)
    config = package.RenderConversationConfig(auto_drop_analysis=False)
    whole = peer.encoding.render_conversation(package.Conversation.from_messages(made), config)
    prompt = _ids(peer, PROMPT)
    assert tuple(whole[: len(prompt)]) == prompt
    return tuple(whole[len(prompt) :])


@given(sent=MESSAGES)
def test_what_it_renders_comes_back(peer: Peer, sent: list[Sent]) -> None:
    tokens = _rendered(peer, sent)
    expected = Message(
        "".join(one.text for one in sent if one.name is None and one.channel == "analysis") or None,
        "".join(one.text for one in sent if one.name is None and one.channel != "analysis") or None,
        tuple(Call(one.name, one.text) for one in sent if one.name is not None),
        (),
    )
    assert peer.ours(tokens) == expected
    assert peer.theirs(tokens) == expected


# -- its streaming parser ------------------------------------------------------------------------------------------------

CASES: Final = [case for case in cases() if case.name.startswith("harmony/")]


def _deviations() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "deviations" / "harmony.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_corpus(peer: Peer, case: Case) -> None:
    theirs = peer.theirs(_ids(peer, case.text))
    name = case.name.removeprefix("harmony/")
    if theirs is not None and name not in DIFFERS:
        assert _compared(case.message) == theirs


@pytest.mark.parametrize("name", DIFFERS)
def test_each_difference_is_listed_and_is_one(peer: Peer, name: str) -> None:
    (case,) = (case for case in CASES if case.name == f"harmony/{name}")
    assert DIFFERS[name] in _deviations()
    assert _compared(case.message) != peer.theirs(_ids(peer, case.text))


def test_most_cases_are_compared(peer: Peer) -> None:
    read = [case for case in CASES if peer.theirs(_ids(peer, case.text)) is not None]
    assert len(read) > len(CASES) / 2
