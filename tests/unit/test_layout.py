"""The rules of the tree: which folders there are, who may import whom, what the core may not do, how long a file may be.

The rules about code are read off the syntax tree, so that they hold for lazy imports within functions too. Each rule is a function from
a module to the complaints about it; the cases in `BREAKS` show that each can fail.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

ROOT: Final = Path(__file__).resolve().parents[2]
TOP_LEVEL: Final = {
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"),
    *("core", "formats", "shell", "typings", "tests"),
}
LONGEST_FILE: Final = 600
LONGEST_FUNCTION: Final = 60

# What each room may import of ours, and of other people's. The facade `unbraid` itself is for users.
ROOMS: Final = {
    "core": {"unbraid.core"},
    "formats": {"unbraid.core", "unbraid.formats"},
    "shell": {"unbraid.core", "unbraid.formats", "unbraid.shell"},
}
PURE_PACKAGES: Final = {"attrs", "returns.result"}
# I/O, clocks, randomness, concurrency, and state of the process.
IMPURE_MODULES: Final = set(
    "asyncio atexit builtins concurrent contextvars ctypes datetime fileinput gc getpass glob http io locale logging mmap "
    "multiprocessing os pathlib pickle platform queue random sched secrets select selectors shutil signal socket sqlite3 ssl "
    "subprocess tempfile threading time tomllib tracemalloc urllib uuid warnings weakref".split(" ")
)
IMPURE_CALLS: Final = {"breakpoint", "eval", "exec", "input", "open", "print"}
PURE_SUBMODULES: Final = {"urllib.parse"}  # text to text
# Without an argument these go by Unicode whitespace, and `splitlines` breaks at U+2028 and more; ours is "\n\r\t " only.
BARE_CALLS: Final = {"strip", "lstrip", "rstrip", "split", "rsplit"}
UNICODE_CALLS: Final = {"isspace", "splitlines"}


@frozen
class Module:
    """A source file of one of the rooms; `room` is the folder at the root."""

    room: str
    path: str
    text: str

    @property
    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(ast.parse(self.text))


def modules(*rooms: str) -> list[Module]:
    paths = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    names = [path.relative_to(ROOT) for path in paths]
    return [Module(name.parts[0], str(name), path.read_text("utf-8")) for name, path in zip(names, paths, strict=True)]


def imported(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full name of each import; `from unbraid import core` counts as `unbraid.core`."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "." * node.level + (node.module or "")
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            for alias in node.names:
                yield node.lineno, f"{name}.{alias.name}" if name in {"unbraid", "returns"} else name


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def is_facade(module: Module) -> bool:
    return module.path.startswith("shell/facade/")


def wrong_layer(module: Module) -> Iterator[str]:
    """Imports of our own packages that go upwards, to the facade, by a relative name, or by a bare folder name."""
    for line, name in imported(module):
        ours = name.split(".", maxsplit=1)[0] in {"unbraid", "", *ROOMS, "tests"}
        if ours and not within(name, ROOMS[module.room]):
            yield f"{module.path}:{line} imports {name}"


def impure_import(module: Module) -> Iterator[str]:
    """Imports beside ours, attrs, returns.result and the pure part of the standard library."""
    for line, name in imported(module):
        top = name.split(".", maxsplit=1)[0]
        pure = top in sys.stdlib_module_names - IMPURE_MODULES or name in PURE_SUBMODULES
        if not (pure or top == "unbraid" or within(name, PURE_PACKAGES)):
            yield f"{module.path}:{line} imports {name}"


def impure_call(module: Module) -> Iterator[str]:
    """Calls of builtins that read, write or run something."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield f"{module.path}:{node.lineno} calls {node.func.id}"


def global_name(module: Module) -> Iterator[str]:
    """Functions that rebind names of their module."""
    for node in module.nodes:
        if isinstance(node, ast.Global):
            yield f"{module.path}:{node.lineno} rebinds global {', '.join(node.names)}"


def unicode_whitespace(module: Module) -> Iterator[str]:
    """Methods and patterns by which more than "\\n\\r\\t " is whitespace."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            bare = node.func.attr in BARE_CALLS and not node.args and not node.keywords
            if bare or node.func.attr in UNICODE_CALLS:
                yield f'{module.path}:{node.lineno} calls .{node.func.attr}(): whitespace is "\\n\\r\\t " only'
        elif isinstance(node, ast.Attribute) and node.attr in UNICODE_CALLS and ast.unparse(node.value) == "str":
            yield f"{module.path}:{node.lineno} uses str.{node.attr}"
    for line, pattern in patterns(module):
        if re.search(r"(?<!\\)(?:\\\\)*\\[sS]", pattern):
            yield f"{module.path}:{line} has \\s in a pattern"


def patterns(module: Module) -> Iterator[tuple[int, str]]:
    """Line and text of each string in the arguments of a function of `re`."""
    for node in module.nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            parts = [part for argument in node.args for part in ast.walk(argument)]
            yield from (
                (part.lineno, part.value)
                for part in parts
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def evolve(module: Module) -> Iterator[str]:
    """`attrs.evolve` costs more than a step."""
    for node in module.nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        if "evolve" in names or (isinstance(node, ast.Attribute) and node.attr == "evolve"):
            yield f"{module.path}:{getattr(node, 'lineno', 0)} uses evolve"


def too_long(module: Module) -> Iterator[str]:
    """Files and functions that want to be smaller."""
    lines = module.text.count("\n")
    if lines > LONGEST_FILE:
        yield f"{module.path} has {lines} lines, the limit is {LONGEST_FILE}"
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{module.path}:{node.lineno} {node.name} has {length} lines, the limit is {LONGEST_FUNCTION}"


Rule = Callable[[Module], Iterator[str]]
PURE_RULES: Final[tuple[Rule, ...]] = (impure_import, impure_call, global_name)
CORE_RULES: Final[tuple[Rule, ...]] = (unicode_whitespace, evolve)


def complaints(found: list[Module], rules: tuple[Rule, ...]) -> list[str]:
    return [complaint for module in found for rule in rules for complaint in rule(module)]


def ignored() -> list[str]:
    """The patterns of .gitignore without the slash at their end."""
    return [line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines() if line]


def test_top_level() -> None:
    names = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    visible = {name for name in names if not any(fnmatch(name, pattern) for pattern in ignored())}
    assert visible == TOP_LEVEL


def test_packages_are_listed() -> None:
    """A forgotten folder would silently miss the wheel."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = {str(Path(module.path).parent) for module in modules(*ROOMS)}
    named = {folder: f"unbraid.{folder.replace('/', '.')}" for folder in folders} | {"shell/facade": "unbraid"}
    assert setuptools["package-dir"] == {name: folder for folder, name in named.items()}
    assert sorted(setuptools["packages"]) == sorted(named.values())
    assert {folder for folder in folders if not (ROOT / folder / "py.typed").is_file()} == set()


def test_installed_package_is_this_tree() -> None:
    """Tests of an old installation say nothing about the tree. Mend: `pip install .` (or the strict editable install) again."""
    package_dir = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
    here = {
        f"{name}/{path.name}": path.read_bytes()
        for name, folder in package_dir.items()
        for path in sources(ROOT / folder)
    }
    spec = find_spec("unbraid")
    assert spec is not None
    assert spec.origin is not None
    top = Path(spec.origin).parent
    places = {name: top.joinpath(*name.split(".")[1:]) for name in package_dir}
    installed = {
        f"{name}/{path.name}": path.read_bytes() for name, folder in places.items() for path in sources(folder)
    }
    assert sorted(installed) == sorted(here)
    assert [name for name in here if installed[name] != here[name]] == []


def sources(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


def test_layers() -> None:
    assert complaints([module for module in modules(*ROOMS) if not is_facade(module)], (wrong_layer,)) == []


def test_core_and_formats_are_pure() -> None:
    assert complaints(modules("core", "formats"), PURE_RULES) == []


def test_core_whitespace_and_evolve() -> None:
    assert complaints(modules("core"), CORE_RULES) == []


def test_files_and_functions_are_short() -> None:
    assert complaints(modules(*ROOMS), (too_long,)) == []


BREAKS: Final[tuple[tuple[Rule, str, str], ...]] = (
    (wrong_layer, "core", "from unbraid.formats import registry"),
    (wrong_layer, "core", "from unbraid import shell"),
    (wrong_layer, "core", "def late():\n    import unbraid.formats.qwen"),
    (wrong_layer, "formats", "import unbraid.shell"),
    (wrong_layer, "formats", "from unbraid import step"),
    (wrong_layer, "shell", "import unbraid"),
    (wrong_layer, "shell", "from core import machine"),
    (wrong_layer, "shell", "from . import chat"),
    (wrong_layer, "shell", "from tests.vocabularies import npm"),
    (impure_import, "core", "import os.path"),
    (impure_import, "core", "from time import monotonic"),
    (impure_import, "core", "import cattrs"),
    (impure_import, "formats", "from returns.io import IOResult"),
    (impure_import, "core", "from returns import io"),
    (impure_import, "core", "import urllib.request"),
    (impure_call, "core", "open('x')"),
    (global_name, "core", "def f():\n    global x\n    x = 1"),
    (unicode_whitespace, "core", "text.strip()"),
    (unicode_whitespace, "core", "text.split()"),
    (unicode_whitespace, "core", "text.splitlines(True)"),
    (unicode_whitespace, "core", "all(map(str.isspace, text))"),
    (unicode_whitespace, "core", "re.compile(r'a\\s*b')"),
    (unicode_whitespace, "core", "re.compile('|'.join([r'\\S', x]))"),
    (evolve, "core", "from attrs import evolve"),
    (evolve, "core", "attrs.evolve(state)"),
    (too_long, "core", "x = 1\n" * 601),
    (too_long, "shell", "def f():\n" + "    x = 1\n" * 60),
)
HOLDS: Final[tuple[tuple[Rule, str, str], ...]] = (
    (wrong_layer, "core", "from unbraid.core import events"),
    (wrong_layer, "formats", "from unbraid import core"),
    (wrong_layer, "shell", "import typer"),
    (wrong_layer, "shell", "from unbraid.formats import registry"),
    (impure_import, "core", "from returns.result import Result"),
    (impure_import, "core", "from collections.abc import Mapping\nimport re"),
    (impure_import, "core", "from attrs import frozen"),
    (impure_import, "core", "from urllib.parse import unquote"),
    (unicode_whitespace, "core", "text.strip('\\n\\r\\t ')"),
    (unicode_whitespace, "core", "text.split(',')"),
    (unicode_whitespace, "core", "re.compile(r'[\\n\\r\\t ]')"),
    (unicode_whitespace, "core", "re.compile(r'\\\\s')"),
    (too_long, "core", "x = 1\n" * 600),
)


@pytest.mark.parametrize(("rule", "room", "text"), BREAKS)
def test_rule_can_fail(rule: Rule, room: str, text: str) -> None:
    assert len(list(rule(Module(room, f"{room}/made_up.py", text)))) == 1


@pytest.mark.parametrize(("rule", "room", "text"), HOLDS)
def test_rule_lets_pass(rule: Rule, room: str, text: str) -> None:
    assert list(rule(Module(room, f"{room}/made_up.py", text))) == []
