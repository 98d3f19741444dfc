"""Rows as text, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.core.errors import NotationDefect
from unbraid.core.grammar import Format, Row
from unbraid.core.grammar import Test as Condition
from unbraid.core.notation import read_rows, rows, show_row, show_rows
from unbraid.formats.registry import formats

CASES = {
    "content A -> call": [Row("content", "A", "call")],
    "  content\tA   ->   call  # why": [Row("content", "A", "call")],
    "# nothing but a comment": [],
    "": [],
    "a b X Y -> c": [Row("a", "X", "c"), Row("a", "Y", "c"), Row("b", "X", "c"), Row("b", "Y", "c")],
    "a @text -> @same": [Row("a", "@text", "@same")],
    "a X -> b keep release do=end,call odd=missing_end": [
        Row("a", "X", "b", do=("end", "call"), keep=True, release=True, odd="missing_end")
    ],
    "a X -> b when=slot": [Row("a", "X", "b", when=(Condition("slot"),))],
    "a X -> b when=slot!": [Row("a", "X", "b", when=(Condition("slot", negate=True),))],
    "a X -> b when=slot=p,q": [Row("a", "X", "b", when=(Condition("slot", ("p", "q")),))],
    "a X -> b when=slot!=p,q": [Row("a", "X", "b", when=(Condition("slot", ("p", "q"), negate=True),))],
    "a X -> b when=key:new_key": [Row("a", "X", "b", when=(Condition("key", part="new_key"),))],
    "a X -> b when=name:known_tool!": [Row("a", "X", "b", when=(Condition("name", part="known_tool", negate=True),))],
    "a X -> b when=to:first_segment!=p,q": [
        Row("a", "X", "b", when=(Condition("to", ("p", "q"), part="first_segment", negate=True),))
    ],
    "a X -> b when=s & t!&u=v do=end": [
        Row("a", "X", "b", when=(Condition("s"), Condition("t", negate=True), Condition("u", ("v",))), do=("end",))
    ],
    'a X -> b when=s="p q",r,"#","&","\\""': [Row("a", "X", "b", when=(Condition("s", ("p q", "r", "#", "&", '"')),))],
    "a X -> b when=s=p=q": [Row("a", "X", "b", when=(Condition("s", ("p=q",)),))],
}


@pytest.mark.parametrize("text", CASES, ids=repr)
def test_rows(text: str) -> None:
    assert rows(text) == tuple(CASES[text])
    assert read_rows(text, "made").unwrap() == tuple(CASES[text])


WRONG = {
    "a X call": "a row needs `->`",
    "a X ->": "'' is no region, nor @same",
    "a X -> Call": "'Call' is no region, nor @same",
    "a X -> @text": "'@text' is no region, nor @same",
    "a -> b": "a row needs a region and a terminal before `->`",
    "X -> b": "a row needs a region and a terminal before `->`",
    "X a -> b": "regions, then terminals stand before `->`, not the order",
    "a X-Y -> b": "regions, then terminals stand before `->`, not X-Y",
    "a @same -> b": "regions, then terminals stand before `->`, not @same",
    "a X -> b hold": "'hold' is no word of a row",
    "a X -> b keep=1": "'keep' is no word of a row",
    "a X -> b release=1": "'release' is no word of a row",
    "a X -> b odd": "'odd' is no word of a row",
    "a X -> b when=": "'when' is no word of a row",
    "a X -> b do=start": "'start' is no action",
    "a X -> b do": "'' is no action",
    "a X -> b when=S": "'S' is no condition",
    "a X -> b when=s &": "'' is no condition",
    "a X -> b when=s:half": "'half' is no part of a slot",
    'a X -> b when=s="p"q': '"p"q is no JSON string',
    'a X -> b when=s="\\q"': '"\\q" is no JSON string',
}


@pytest.mark.parametrize("text", WRONG, ids=repr)
def test_lines_that_are_no_rows(text: str) -> None:
    assert read_rows(text, "made").failure() == (NotationDefect("made", 1, text, WRONG[text]),)


def test_all_wrong_lines_are_found_at_once() -> None:
    text = "a X -> b\n  a Y\n\nb X -> c\nb Y -> Z\n"
    defects = read_rows(text, "made").failure()
    assert [defect.describe() for defect in defects] == [
        "format 'made': line 2: a row needs `->`: `a Y`",
        "format 'made': line 5: 'Z' is no region, nor @same: `b Y -> Z`",
    ]
    with pytest.raises(ValueError, match=r"line 2: .*; .*line 5: "):
        rows(text)


def name(first: str, others: str) -> st.SearchStrategy[str]:
    return st.builds(str.__add__, st.sampled_from(first), st.text(others, max_size=4))


LOWER = name("ab", "a1_")
TESTS = st.builds(
    Condition,
    LOWER,
    st.lists(st.text(max_size=4), max_size=3).map(tuple),
    st.sampled_from(("whole", "first_segment", "new_key", "known_tool")),
    negate=st.booleans(),
)
ROWS = st.builds(
    Row,
    region=LOWER,
    on=name("XY", "X1_") | st.sampled_from(("@text", "@closed", "@bad")),
    to=LOWER | st.just("@same"),
    when=st.lists(TESTS, max_size=3).map(tuple),
    do=st.sampled_from(((), ("call",), ("end",), ("end", "call"))),
    keep=st.booleans(),
    release=st.booleans(),
    odd=st.just("") | LOWER,
)


@given(ROWS)
def test_a_shown_row_is_read_back(row: Row) -> None:
    assert rows(show_row(row)) == (row,)


@pytest.mark.parametrize("fmt", list(formats()), ids=lambda fmt: str(fmt.name))
def test_every_table_is_read_back(fmt: Format) -> None:
    assert rows(show_rows(fmt.rows)) == fmt.rows


def test_a_shown_table_has_its_arrows_in_one_column() -> None:
    shown = show_rows(rows("content TOOL_START -> call\na X -> b"))
    assert shown == "content TOOL_START -> call\na X                -> b"
    assert show_rows(()) == ""
