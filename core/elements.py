"""The JSON that we write for nested elements, and where in it we are: the pure half of `Tree` regions.

The grammar, and how an element is typed, stands in `tree`. Here are the steps: text, an opening and a closing tag, the end.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from unbraid.core.grammar import KEYS_CAP, WHITESPACE, Tree
from unbraid.core.json_text import escape, quote
from unbraid.core.pieces import append, join
from unbraid.core.records import Branch, Flowing, Ignored, InTree, Leaf, Undecided
from unbraid.core.run import Run
from unbraid.core.schema import STRING, Kinds, advance, as_json, start_scan, streams, type_value
from unbraid.core.shapes import Shape

DEPTH: Final = 128
"""Most open elements."""

_ARRAY: Final = frozenset({"array"})


# -- text ----------------------------------------------------------------------------------------------------------------


def element_text(run: Run, place: int) -> None:
    """The text before `place` is certain."""
    at, size = run.at, place - run.pos
    if not size or not isinstance(at, InTree):
        return
    if at.leaf is None:
        _between(run, at, size)
    elif isinstance(at.leaf.shape, Flowing):
        run.escaped(size)
    elif isinstance(at.leaf.shape, Ignored):
        run.markup("stray", size)
    else:
        _keep(run, at, at.leaf, at.leaf.shape, size)


def _between(run: Run, at: InTree, size: int) -> None:
    """Text that belongs to no element."""
    if not at.stray and at.branches[-1].kind != "ignored":
        text = run.buf[run.pos : run.pos + size]
        blanks = size - len(text.lstrip(WHITESPACE))
        run.markup("framing", blanks)
        size -= blanks
        if size:
            run.anomaly("stray_text")
            run.at = InTree(at.region, at.branches, None, stray=True)
    run.markup("stray", size)


def _keep(run: Run, at: InTree, leaf: Leaf, shape: Undecided, size: int) -> None:
    """Keep more of a value that is not decided; let it flow as soon as it can only be a string."""
    text, tokens = run.take(size)
    tokens += shape.tokens
    scan, undecided = advance(shape.scan, text)
    if not shape.kinds:
        undecided = not text.strip(WHITESPACE)
    elif leaf.holds and "string" not in shape.kinds:
        undecided = True
    if undecided:
        now = Leaf(leaf.name, Undecided(shape.kinds, scan, append(shape.raw, text), tokens), leaf.holds)
    else:
        raw = join(shape.raw) + text
        run.arguments('"' + escape(raw), raw, tokens)
        now = Leaf(leaf.name, Flowing())
    run.at = InTree(at.region, at.branches, now)


# -- opening -------------------------------------------------------------------------------------------------------------


def open_element(run: Run, at: InTree, name: str, size: int) -> bool:
    """The tag at the cursor opens an element. False: there are too many."""
    if len(at.branches) + (at.leaf is not None) > DEPTH:
        return False
    branches = at.branches if at.leaf is None else (*at.branches, _branch(run, at, at.leaf))
    if branches[-1].listed not in ("", name):
        branches = (*branches[:-1], _settled(run, branches[-1]))
    run.markup("syntax", size)
    branch, leaf = _begin(run, branches, name)
    run.at = InTree(at.region, (*branches[:-1], branch), leaf)
    return True


def _branch(run: Run, at: InTree, leaf: Leaf) -> Branch:
    """The open leaf has an element in it."""
    shape = leaf.shape
    if not isinstance(shape, Undecided):
        return Branch(leaf.name, "ignored")
    raw = join(shape.raw)
    if leaf.holds == "array":
        if raw.strip(WHITESPACE):
            run.anomaly("stray_text")
        run.dropped("stray" if raw.strip(WHITESPACE) else "framing", raw, shape.tokens)
        filled = _extended(run, at.branches[-1], leaf.name)
        return Branch(leaf.name, "array", filled=filled)
    if not raw.strip(WHITESPACE):
        run.dropped("framing", raw, shape.tokens)
        return Branch(leaf.name)
    kind = run.region.kind
    key = kind.text_key if isinstance(kind, Tree) else ""
    run.arguments(f"{{{quote(key)}: ")
    run.arguments(quote(raw), raw, shape.tokens)
    return Branch(leaf.name, keys=(key,))


def _extended(run: Run, parent: Branch, name: str) -> bool:
    """Stand in the list `name` of `parent`, a new one or the one that is still open. True: it has an item."""
    if parent.listed == name:
        return parent.filled
    run.arguments("[")
    return False


def _settled(run: Run, branch: Branch) -> Branch:
    """The list that might have been extended is over."""
    if not branch.listed:
        return branch
    run.arguments("]")
    return Branch(branch.name, branch.kind, branch.keys)


def _begin(run: Run, branches: tuple[Branch, ...], name: str) -> tuple[Branch, Leaf]:
    """An element begins in the last branch: what comes before its value."""
    branch = branches[-1]
    if branch.kind == "ignored":
        return branch, Leaf(name, Ignored())
    if branch.kind == "array":
        if branch.filled:
            run.arguments(", ")
        return Branch(branch.name, branch.kind, filled=True), _leaf(run, name, _shape(run, branches).item())
    if branch.listed == name:
        return branch, _leaf(run, name, _shape(run, branches).member(name))
    if name in branch.keys or sum(len(one.keys) for one in branches) >= KEYS_CAP:
        run.anomaly("duplicate_key" if name in branch.keys else "overlong", name)
        return branch, Leaf(name, Ignored())
    run.arguments(f"{', ' if branch.keys else '{'}{quote(name)}: ")
    leaf = _leaf(run, name, _shape(run, branches).member(name))
    return Branch(branch.name, branch.kind, (*branch.keys, name)), leaf


def _leaf(run: Run, name: str, shape: Shape) -> Leaf:
    """A value begins."""
    if shape.kinds is None:
        return Leaf(name, Undecided((), start_scan()))
    if streams(shape.kinds):
        run.arguments('"')
        return Leaf(name, Flowing())
    return Leaf(name, Undecided(tuple(sorted(shape.kinds.types)), start_scan(shape.kinds)), shape.holds)


def _shape(run: Run, branches: tuple[Branch, ...]) -> Shape:
    """What the schema says of the last branch."""
    shape = run.machine.shape("" if run.call is None else run.call.name)
    for parent, branch in pairwise(branches):
        shape = shape.item() if parent.kind == "array" else shape.member(branch.name)
    return shape


# -- closing -------------------------------------------------------------------------------------------------------------


def close_element(run: Run, at: InTree, name: str, size: int) -> bool:
    """The tag at the cursor closes the innermost element. False: that has another name."""
    if at.leaf is not None and at.leaf.name == name:
        parent = _end_leaf(run, at, at.leaf)
        branches = (*at.branches[:-1], parent)
    elif at.leaf is None and len(at.branches) > 1 and at.branches[-1].name == name:
        parent = _end_branch(run, at.branches[-2], at.branches[-1])
        branches = (*at.branches[:-2], parent)
    else:
        return False
    run.markup("syntax", size)
    run.at = InTree(at.region, branches)
    return True


def _end_leaf(run: Run, at: InTree, leaf: Leaf) -> Branch:
    parent, shape = at.branches[-1], leaf.shape
    if isinstance(shape, Flowing):
        run.arguments('"')
    elif isinstance(shape, Undecided):
        raw, kinds = join(shape.raw), frozenset(shape.kinds)
        if leaf.holds == "array" and (parent.listed == leaf.name or _is_list(raw, kinds)):
            return _end_list(run, at, leaf, raw, shape.tokens)
        run.arguments(_typed(raw, kinds, leaf.holds), raw, shape.tokens)
    return parent


def _typed(raw: str, kinds: frozenset[str], holds: str) -> str:
    if holds and "string" not in kinds and not raw.strip(WHITESPACE):
        return "{}"
    return type_value(raw, Kinds(kinds) if kinds else STRING)


def _is_list(raw: str, kinds: frozenset[str]) -> bool:
    """Is the text of an element that may be an array not something else that its schema allows?"""
    return as_json(raw, _ARRAY) is not None or ("string" not in kinds and as_json(raw, kinds) is None)


def _end_list(run: Run, at: InTree, leaf: Leaf, raw: str, tokens: int) -> Branch:
    """An array whose items were written as text ends."""
    parent = at.branches[-1]
    filled = _extended(run, parent, leaf.name)
    items = _items(run, at, leaf.name, raw)
    if items:
        run.arguments((", " if filled else "") + items, raw, tokens)
    else:
        run.dropped("framing", raw, tokens)
    return _end_branch(run, parent, Branch(leaf.name, "array", filled=filled or bool(items)))


def _items(run: Run, at: InTree, name: str, raw: str) -> str:
    """The items as JSON, without brackets."""
    array = as_json(raw, _ARRAY)
    if array is not None:
        return array[1:-1].strip(WHITESPACE)
    if not raw.strip(WHITESPACE):
        return ""
    kinds = _shape(run, (*at.branches, Branch(name))).item().kinds
    return type_value(raw, kinds or STRING)


def _end_branch(run: Run, parent: Branch, branch: Branch) -> Branch:
    """`branch` ends; its parent goes on."""
    if branch.kind == "array":
        if parent.kind == "object":
            return Branch(parent.name, parent.kind, parent.keys, branch.filled, branch.name)
        run.arguments("]")
    elif branch.kind == "object":
        run.arguments("}" if _settled(run, branch).keys else "{}")
    return parent


# -- the end -------------------------------------------------------------------------------------------------------------


def close_tree(run: Run) -> bool:
    """The open call ends here. True: all its elements were closed, and its arguments are whole."""
    at = run.at
    if not isinstance(at, InTree):
        return True
    if at.leaf is None and len(at.branches) == 1:
        run.arguments("}" if _settled(run, at.branches[0]).keys else "{}")
        return True
    drop_leaf(run, "stray")
    run.anomaly("malformed")
    return False


def drop_leaf(run: Run, word: str) -> None:
    """A value that is not decided and will never be was for nobody."""
    at = run.at
    if isinstance(at, InTree) and at.leaf is not None and isinstance(at.leaf.shape, Undecided):
        run.dropped(word, join(at.leaf.shape.raw), at.leaf.shape.tokens)
