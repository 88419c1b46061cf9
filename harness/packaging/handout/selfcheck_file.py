"""A program in one file: the modules it needs, a plan and a key. `selfcheck.pyz` is one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable

from harness.common import serial
from harness.common.discovery import extensions, import_modules
from harness.common.files import zipped
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan
from harness.packaging.packed import KEY, PLAN

SELFCHECK = "harness.packaging.handout.selfcheck"
_READ_AS_TEXT = "harness.policy.checking"  # for an interpreter of its own
_INSIDE = "execution/inside"
_SHEBANG = b"#!/usr/bin/env python3\n"
# In syntax that every Python understands, back to the oldest that somebody may still start it with.
_MAIN = b"""\
import sys

if sys.version_info < (3, 11):
    this = "%d.%d" % sys.version_info[:2]
    sys.stderr.write("This check needs Python 3.11 or later; this is " + this + ".\\n")
    sys.exit(2)
if sys.implementation.name != "cpython":
    this = sys.implementation.name
    sys.stderr.write("This check needs the Python of python.org; this is " + this + ".\\n")
    sys.exit(2)

from %(entry)s import main

sys.exit(main())
"""


def program_file(plan: Plan, key: AnswerKey, entry: str = SELFCHECK) -> bytes:
    """The bytes of an archive that runs `main` of the module `entry`; the same for the same plan,
    key and harness."""
    files = {"__main__.py": _MAIN.replace(b"%(entry)s", entry.encode())}
    for module in sorted(_needed((entry, _READ_AS_TEXT))):
        path, source = _found(module)
        files[f"harness/{path}"] = source
    inside = resources.files("harness").joinpath(_INSIDE)
    files |= {f"harness/{_INSIDE}/{path}": data for path, data in _programs(inside)}
    files[f"harness/packaging/{PLAN}"] = serial.dumps(plan).encode()
    files[f"harness/packaging/{KEY}"] = serial.dumps(key).encode()
    return _SHEBANG + zipped(files)


def _programs(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _programs(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield path + entry.name, entry.read_bytes()


def _needed(entries: Iterable[str]) -> set[str]:
    """These modules of ours and those that they import, directly or through others, anywhere in
    their code; what only type checkers read is left out."""
    found: set[str] = set()
    waiting = list(entries)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += [parent for parent in [module.rpartition(".")[0]] if parent]
        path, source = _found(module)
        tree = ast.parse(source)
        waiting += [name for name in _imported(tree) if _exists(name)]
        if path.endswith("/__init__.py") and _imports_modules(tree):
            waiting += [f"{module}.{name}" for name in _modules_in(path)]
    return found


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)


def _imports_modules(tree: ast.Module) -> bool:
    """Whether a package imports all of its modules (`harness.common.discovery`)."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in (import_modules.__name__, extensions.__name__)
        for node in ast.walk(tree)
    )


def _modules_in(path: str) -> Iterator[str]:
    for entry in resources.files("harness").joinpath(*path.split("/")[:-1]).iterdir():
        if entry.name.endswith(".py") and entry.name != "__init__.py":
            yield entry.name.removesuffix(".py")


def _exists(module: str) -> bool:
    if module.partition(".")[0] != "harness":
        return False
    try:
        _found(module)
    except FileNotFoundError:
        return False
    return True


def _found(module: str) -> tuple[str, bytes]:
    """A module's path below the package, and its source. FileNotFoundError: there is none."""
    parts = module.split(".")[1:]
    root = resources.files("harness")
    paths = (
        [[*parts, "__init__.py"], [*parts[:-1], f"{parts[-1]}.py"]] if parts else [["__init__.py"]]
    )
    for path in paths:
        file = root.joinpath(*path)
        if file.is_file():
            return "/".join(path), file.read_bytes()
    raise FileNotFoundError(module)
