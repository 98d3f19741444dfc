"""Laws 1 and 6 where a tokenizer has a special token for what stands inside of a format's markers (`｜DSML｜` in
`<｜DSML｜function_calls>`): alone it is absorbed, in its marker it is a part of it, wherever the stream is cut or ends."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from attrs import evolve

from tests.corpus.reader import Case, law_cases
from tests.laws.hosts import Host
from tests.laws.inputs import name_of
from tests.laws.machines import (
    begin,
    chosen,
    composed,
    fold_both,
    fold_ids,
    fold_text,
    machine_of,
    right,
    without_tokens,
)
from tests.laws.made_vocabulary import MadeVocabulary, made_vocabulary
from unbraid.core.bind import Machine, bind, with_tools
from unbraid.core.vocabulary import Vocabulary

LAGS = (0, 1, 7, 16)


@cache
def inner(reasoning: str | None, tools: str | None) -> MadeVocabulary:
    """The made vocabulary with the insides of all markers that are no tokens of their own, as special tokens."""
    fmt = composed(reasoning, tools)
    known = made_vocabulary(fmt).vocabulary
    words = [word for one in fmt.terminals if not one.dedicated for word in one.spellings]
    parts = {word[1:-1]: None for word in words if len(word) > 4 and word not in known.added}
    new = [part for part in parts if part == part.strip() and part not in known.added and part not in words]
    added = {part: len(known.pieces) + place for place, part in enumerate(new)}
    special = known.special | set(added.values())
    return MadeVocabulary(
        Vocabulary((*known.pieces, *map(str.encode, new)), special=special, added={**known.added, **added})
    )


def machine_for(case: Case) -> Machine:
    vocabulary = inner(case.reasoning, case.tools).vocabulary
    fmt = chosen(case.reasoning, case.tools, case.kwargs)
    return right(with_tools(right(bind(fmt, vocabulary, machine_of(case).policies, case.kwargs)), case.offered))


@pytest.mark.parametrize("case", law_cases(), ids=name_of)
def test_cuts_and_feeds_agree(case: Case) -> None:
    random, machine = Random(case.name), machine_for(case)
    ends = [len(case.text), *random.sample(range(len(case.text) + 1), k=min(4, len(case.text)))]
    for text in (case.text[:end] for end in ends):
        check(evolve(case, text=text), machine, random)


def check(case: Case, machine: Machine, random: Random) -> None:
    vocabulary = inner(case.reasoning, case.tools)
    at_once = fold_text(machine, begin(case, machine, "text"), [case.text])
    assert fold_text(machine, begin(case, machine, "text"), list(case.text)) == at_once
    for split_markers in (False, True):
        tokens = vocabulary.encode(case.text, split_markers=split_markers)
        whole = fold_ids(machine, begin(case, machine, "ids"), [tokens])
        assert without_tokens(whole) == at_once
        assert fold_ids(machine, begin(case, machine, "ids"), [(token,) for token in tokens]) == whole
        for lag in LAGS:
            deltas = list(Host(vocabulary.vocabulary, lag).deltas(tokens, random))
            assert without_tokens(fold_both(machine, begin(case, machine, "both"), deltas)) == at_once, lag
