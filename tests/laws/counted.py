"""A test build of the core and the formats that counts its work: exactly repeatable, no clock.

    steps    function entries and turns of loops and comprehensions
    built    lengths of strings, bytes, tuples and lists made: `+`, `*`, slices, displays, f-strings, calls of builders
    scanned  code points looked at by searches (`find`, `in`, regular expressions), from their start to what they found

Modules are loaded a second time as `counted.core.*` and `counted.formats.*`, their syntax trees rewritten so that each
such expression reports to `WORK`. Nothing else changes: the build gives the same events.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from operator import iadd
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

T = TypeVar("T")

NAME: Final = "counted"
BUILDERS: Final = frozenset(
    "join replace removeprefix removesuffix lower upper strip lstrip rstrip split translate encode decode format".split()
)
MAKERS: Final = frozenset("str bytes tuple list sorted reversed dict set frozenset".split())
SEARCHES: Final = frozenset("find rfind index rindex count startswith endswith".split())
MATCHES: Final = frozenset("search match fullmatch".split())


class Work:
    """What was done since `reset`."""

    def __init__(self) -> None:
        self.steps = self.built = self.scanned = 0

    @property
    def total(self) -> int:
        return self.steps + self.built + self.scanned

    def reset(self) -> None:
        self.steps = self.built = self.scanned = 0

    def step(self) -> None:
        self.steps += 1

    def made(self, value: T) -> T:
        """Count a new value."""
        if isinstance(value, str | bytes | tuple | list | dict | set | frozenset):
            self.built += len(value)
        return value

    def plus(self, value: Any, other: Any) -> object:
        """`value += other`: a text or tuple is made anew, a list grows."""
        grown: object = iadd(value, other)  # type: ignore[no-untyped-call]  # its stub says nothing
        if isinstance(grown, str | bytes | tuple):
            self.built += len(grown)
        return grown

    def found(self, text: object, method: str, *args: object) -> object:
        """Search, and count how far was looked."""
        result = getattr(text, method)(*args)
        if isinstance(text, str | bytes):
            self.scanned += _looked(text, method, args, result)
        elif method in MATCHES and args and isinstance(args[0], str):
            start = args[1] if len(args) > 1 and isinstance(args[1], int) else 0
            stop = args[2] if len(args) > 2 and isinstance(args[2], int) else len(args[0])
            if result is None and method == "match" and isinstance(text, re.Pattern) and not _repeats(text):
                stop = min(stop, start + len(text.pattern))
            self.scanned += max(0, (result.end() if result is not None and hasattr(result, "end") else stop) - start)
        return result

    def contains(self, item: object, where: object) -> bool:
        """`item in where`; in text the whole is looked at unless it is there."""
        if isinstance(where, str) and isinstance(item, str):
            place = where.find(item)
            self.scanned += place + len(item) if place >= 0 else len(where)
        return item in where  # type: ignore[operator]  # whatever the code under test asks


def _repeats(pattern: Any) -> bool:
    """Can a failing match at one place look at more code points than the pattern is long?"""
    return re.search(r"(?<!\\)[*+{]", pattern.pattern) is not None


def _looked(text: str | bytes, method: str, args: Sequence[object], result: object) -> int:
    """How many code points a search of `text` looks at: up to what it finds, from the end it begins at."""
    size = len(args[0]) if args and isinstance(args[0], str | bytes) else 1
    if method in {"startswith", "endswith"}:
        return size
    start = args[1] if len(args) > 1 and isinstance(args[1], int) else 0
    stop = min(args[2], len(text)) if len(args) > 2 and isinstance(args[2], int) else len(text)
    found = result if isinstance(result, int) and result >= 0 and method != "count" else None
    if found is None:
        return max(0, stop - start)
    return max(0, (found - start if method in {"find", "index"} else stop - found - size) + size)


WORK: Final = Work()


class _Counting(ast.NodeTransformer):
    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module and node.module.startswith("unbraid."):
            node.module = NAME + node.module[len("unbraid") :]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Names of modules that are imported by name."""
        named = isinstance(node.value, str) and node.value.startswith("unbraid.")
        return ast.Constant(NAME + str(node.value)[len("unbraid") :]) if named else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        docstring = 1 if ast.get_docstring(node) is not None else 0
        node.body.insert(docstring, _tick())
        return node

    def _loop(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, _tick())
        return node

    visit_For = visit_While = _loop  # noqa: N815 - names of the syntax tree

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(
            0, ast.BoolOp(ast.Or(), [ast.Compare(_call("step"), [ast.Is()], [ast.Constant(None)]), ast.Constant(True)])
        )
        return node

    def _made(self, node: ast.expr) -> ast.AST:
        self.generic_visit(node)
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Store | ast.Del):
            return node
        return _call("made", node)

    visit_JoinedStr = visit_ListComp = visit_SetComp = visit_DictComp = visit_List = visit_Tuple = _made  # noqa: N815 - the same

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("made", node) if isinstance(node.op, ast.Add | ast.Mult | ast.BitOr) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name) or not isinstance(node.op, ast.Add):
            return node
        return ast.Assign([node.target], _call("plus", ast.Name(node.target.id, ast.Load()), node.value))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        sliced = isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load)
        return _call("made", node) if sliced else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        asked = _call("contains", node.left, node.comparators[0])
        return asked if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), asked)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=value, attr=attr) if attr in SEARCHES | MATCHES and not node.keywords:
                return _call("found", value, ast.Constant(attr), *node.args)
            case ast.Attribute(attr=attr) if attr in BUILDERS:
                return _call("made", node)
            case ast.Name(id=name) if name in MAKERS:
                return _call("made", node)
            case _:
                return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Bodies of records are left alone but for their methods."""
        node.body = [self.visit(part) if isinstance(part, ast.FunctionDef) else part for part in node.body]
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Patterns are not expressions."""
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.guard = None if case.guard is None else self.visit(case.guard)
            case.body = [self.visit(part) for part in case.body]
        return node


def _call(method: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name("__work__", ast.Load()), method, ast.Load()), list(args), [])


def _tick() -> ast.Expr:
    return ast.Expr(_call("step"))


class _CountingLoader(Loader):
    def __init__(self, origin: Path) -> None:
        self.origin = origin

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(self.origin.read_text(encoding="utf-8"))
        counting = ast.fix_missing_locations(_Counting().visit(tree))
        module.__dict__["__work__"] = WORK
        exec(compile(counting, str(self.origin), "exec"), module.__dict__)


class CountingFinder(MetaPathFinder):
    """Finds `counted.core.x` where `unbraid.core.x` is."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        real = find_spec("unbraid" + fullname[len(NAME) :])
        if real is None or real.origin is None:
            return None
        if fullname == NAME:
            return ModuleSpec(fullname, _Empty(), is_package=True)
        return ModuleSpec(
            fullname, _CountingLoader(Path(real.origin)), is_package=real.submodule_search_locations is not None
        )


class _Empty(Loader):
    """The package itself: the façade is not part of the build."""

    def exec_module(self, module: ModuleType) -> None:
        module.__path__ = []


def install() -> Work:
    """Make `import counted.core...` work, once; returns the counter."""
    if not any(isinstance(finder, CountingFinder) for finder in sys.meta_path):
        sys.meta_path.append(CountingFinder())
    return WORK
