"""Policies by name."""

import pytest
from attrs import evolve, fields

from unbraid.core.grammar import Policies
from unbraid.shell.policies import Choices, choices, read_policies, wrong_policies


def test_every_policy_has_choices_and_its_default_is_the_first() -> None:
    names = [attribute.name for attribute in fields(Policies)]
    assert list(choices()) == [*names, "truncated"]
    assert [choices()[name][0] for name in names] == [getattr(Policies(), name) for name in names]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([], Choices()),
        (["truncated=drop"], Choices(truncated="drop")),
        (["framing=verbatim", "framing=template"], Choices()),
        (["marker_evidence=ids", "unknown_tool=text"], Choices(Policies(marker_evidence="ids", unknown_tool="text"))),
    ],
)
def test_settings(settings: list[str], expected: Choices) -> None:
    assert read_policies(settings).unwrap() == expected


def test_all_defects_at_once() -> None:
    wrong = read_policies(["framing", "markr_evidence=ids", "truncated=off", "framing=verbatim"]).failure()
    assert [defect.describe() for defect in wrong] == [
        "policy 'framing': expected NAME=VALUE, as in framing=verbatim",
        "there is no policy 'markr_evidence'; did you mean 'marker_evidence'?",
        "policy truncated: 'off' is none of emit, drop, text",
    ]


def test_wrong_values_in_a_record() -> None:
    assert wrong_policies(Policies()) == ()
    [wrong] = wrong_policies(evolve(Policies(), framing="off"))  # type: ignore[arg-type]  # the mistake that is tested
    assert wrong.describe() == "policy framing: 'off' is none of template, verbatim"
