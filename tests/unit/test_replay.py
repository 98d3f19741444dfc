"""Every split is tried; of those that differ the smallest is shown."""

from collections.abc import Sequence
from types import MappingProxyType

from attrs import evolve
from rich.console import Console

from tests.laws.machines import bare, made
from unbraid.core.bind import Bound, Machine
from unbraid.core.compose import CONTENT, FRESH, FRESH_ROW
from unbraid.core.events import ContentChunk, Events, Markup
from unbraid.core.grammar import Format, Policies, Region, Terminal, Text
from unbraid.core.notation import rows
from unbraid.core.table import compile_table
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.opening import FeedKind
from unbraid.shell.replay import LAGS, Agreement, Delta, Disagreement, Verdict, lagging, reader, replay, token_texts
from unbraid.shell.replay_view import verdict_view

OUTPUT = 'plan</think>\n\nHi\n<tool_call>\n{"name": "f", "arguments": {"a": "é"}}\n</tool_call>'


def shown(verdict: Verdict) -> str:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(verdict_view(verdict))
    return capture.get()


def broken_machine() -> Machine:
    """One marker begins like another, which takes the next code point to tell, and the compiled format forgot so."""
    fmt = Format(
        "broken",
        "made up",
        tools=True,
        terminals=(Terminal("SHORT", ("<x>",)), Terminal("LONG", ("<x>!",))),
        regions=(FRESH, CONTENT, Region("other", Text(), "none")),
        rows=(FRESH_ROW, *rows("content SHORT -> other\ncontent LONG -> @same\nother SHORT -> content")),
    )
    table = compile_table(fmt, Policies(), (), {})
    regions = {
        name: evolve(region, lexicon=evolve(region.lexicon, extendable=frozenset()))
        for name, region in table.regions.items()
    }
    table = evolve(table, regions=regions)
    bound = Bound(fmt, None, Policies(), MappingProxyType({}), table, table, table, table, "")
    return Machine(bound, None, table, table, "", ())


def test_all_splits_of_text_agree() -> None:
    verdict = replay(reader(bare("qwen3", "hermes", None, ids=False)), OUTPUT)
    assert isinstance(verdict, Agreement)
    assert verdict.splits > 2 * len(OUTPUT)
    assert shown(verdict) == f"{verdict.splits} splits agree\n"


def test_all_views_agree() -> None:
    vocabulary = made("qwen3", "hermes")
    read = reader(bare("qwen3", "hermes", None, ids=True))
    by_text = replay(read, OUTPUT)
    verdict = replay(read, OUTPUT, vocabulary.encode(OUTPUT), vocabulary.vocabulary)
    assert isinstance(verdict, Agreement)
    assert isinstance(by_text, Agreement)
    assert verdict.splits > by_text.splits + len(vocabulary.encode(OUTPUT)) + len(LAGS)


def test_a_broken_format_shows_its_smallest_split() -> None:
    verdict = replay(reader(broken_machine()), "some text before <x>! and <x> much more behind it")
    assert isinstance(verdict, Disagreement)
    assert verdict.deltas == (("some text before <x>", ()), ("! and <x> much more behind it", ()))
    assert verdict.whole != verdict.split
    text = shown(verdict)
    assert text.startswith("text: 2 deltas read differently from the whole\n1  'some text before <x>'\n2  '! and")
    assert "LONG" in text
    assert "SHORT" in text


def counting(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
    """Is wrong about streams in which "b", "d" and "f" all begin a delta."""
    texts = [text or "" for text, _ in deltas]
    wrong = {"b", "d", "f"} <= {text[:1] for text in texts}
    return (ContentChunk("wrong" if wrong else "".join(texts), 1),)


def test_more_places_are_shown_only_if_they_matter() -> None:
    verdict = replay(counting, "abcdefghijklmn")
    assert isinstance(verdict, Disagreement)
    assert [text for text, _ in verdict.deltas] == ["a", "bc", "de", "fghijklmn"]


VOCABULARY = Vocabulary((b"a", "é".encode()[:1], "é".encode()[1:], b"c"))
IDS = (0, 1, 2, 3)


def test_a_fault_in_tokens_is_found() -> None:
    def read(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
        split = feed == "ids" and any(ids[-1:] == (1,) for _, ids in deltas)
        return (ContentChunk("wrong" if split else "aéc", 3),)

    verdict = replay(read, "aéc", IDS, VOCABULARY)
    assert isinstance(verdict, Disagreement)
    assert (verdict.view, verdict.deltas) == ("ids", ((None, (0, 1)), (None, (2, 3))))
    assert "1  [0, 1]\n2  [2, 3]\n" in shown(verdict)


def test_a_fault_in_lagging_text_is_found() -> None:
    def read(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
        late = feed == "both" and deltas[0][0] == ""
        return (ContentChunk("wrong" if late else "aéc", 3),)

    verdict = replay(read, "aéc", IDS, VOCABULARY)
    assert isinstance(verdict, Disagreement)
    assert verdict.view == "both, text 1 tokens late"


def test_views_that_disagree_are_found_but_token_counts_may_differ() -> None:
    def read(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
        return (ContentChunk("aéc", 3, 0 if feed == "text" else 4),)

    def wrong(feed: FeedKind, deltas: Sequence[Delta]) -> Events:
        return read(feed, deltas) if feed == "text" else (Markup("cut", "aéc", 3),)

    assert isinstance(replay(read, "aéc", IDS, VOCABULARY), Agreement)
    verdict = replay(wrong, "aéc", IDS, VOCABULARY)
    assert isinstance(verdict, Disagreement)
    assert verdict.view == "ids against text"


def test_texts_of_tokens_and_their_lag() -> None:
    texts = token_texts(VOCABULARY, (*IDS, 1))
    assert texts == ["a", "", "é", "c", "\ufffd"]
    assert list(lagging(IDS, texts[:4], 2)) == [("", (0,)), ("", (1,)), ("a", (2,)), ("", (3,)), ("éc", ())]
    assert list(lagging(IDS, texts[:4], 64))[-1] == ("aéc", ())
    assert token_texts(Vocabulary((b" a",), drops_first_blank=True), (0, 0)) == ["a", " a"]
