"""Build a program in one file, such as `selfcheck.pyz`.

The file contains modules of the harness, the plan of an assignment and the reference's answers.
"""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from harness.common import serial
from harness.common.discovery import extensions, import_modules, subclasses
from harness.common.errors import UserError
from harness.common.files import files_below, zipped
from harness.common.replaceable import Replaceable
from harness.execution import Interpreter, create_driver, find_interpreter, installed_here, pick_cpu
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.expectation import AnswerKey
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.submission import Submission

SELFCHECK = "harness.packaging.selfcheck"
# Read as text, because it is sent to another interpreter.
_READ_AS_TEXT = "harness.policy.checking"
_INSIDE = "execution/inside"
# The functions that import all modules of a package.
_FINDING = {import_modules.__name__, extensions.__name__, subclasses.__name__}
_PACKAGE = resources.files("harness")
_SHEBANG = b"#!/usr/bin/env python3\n"
# This is in syntax that every Python understands, so that an old one can name its missing features.
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
    """Return a zip archive that Python can run: it calls `main` of the module `entry`.

    The same arguments give the same bytes.
    """
    main = {"__main__.py": _MAIN.replace(b"%(entry)s", entry.encode())}
    return _SHEBANG + zipped(program_parts(plan, key, entry) | main)


def program_parts(plan: Plan, key: AnswerKey, entry: str) -> dict[str, bytes]:
    """Return the contents of such an archive by path, if its `entry` is a module of the harness."""
    files = needed_files((entry, _READ_AS_TEXT))
    inside = files_below(_PACKAGE.joinpath(_INSIDE), f"harness/{_INSIDE}", lambda entry: True)
    for name, data in inside:
        if name.endswith(".py"):
            files[name] = data
    files[f"harness/packaging/{PLAN}"] = serial.dumps(plan).encode()
    files[f"harness/packaging/{KEY}"] = serial.dumps(key).encode()
    return files


@Replaceable
def needed_files(entries: Iterable[str]) -> dict[str, bytes]:
    """Return the source files of these harness modules and of all modules that they import.

    Imports anywhere in the code count, except those only for type checkers.
    """
    found: set[str] = set()
    files: dict[str, bytes] = {}
    waiting = list(entries)
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        file = _file_of(module)
        if file is None:
            continue
        found.add(module)
        path, source = file
        files[f"harness/{path}"] = source
        tree = ast.parse(source)
        package, _, _ = module.rpartition(".")
        waiting.append(package)
        for imported, name in _imports(tree):
            waiting += [imported, f"{imported}.{name}"]
        if path.endswith("/__init__.py") and _imports_modules(tree):
            waiting += _modules_in(module, path)
    return files


def _modules_in(package: str, path: str) -> Iterator[str]:
    """Yield the modules of a package, whose `__init__.py` is at `path`."""
    folder = _PACKAGE.joinpath(path.removesuffix("/__init__.py"))
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            yield f"{package}.{entry.name.removesuffix('.py')}"


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each imported module with each name imported from it.

    `from a import b` yields `("a", "b")`; `import a` yields `("a", "")`.
    """
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, ""
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            yield node.module, alias.name
    for child in ast.iter_child_nodes(node):
        # Expressions are most of a tree, and import nothing.
        if not isinstance(child, ast.expr):
            yield from _imports(child)


def _imports_modules(tree: ast.Module) -> bool:
    """Return whether a package imports all of its own modules with a function of
    `harness.common.discovery`.
    """
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Name) and function.id in _FINDING:
            return True
    return False


@cache
def _file_of(module: str) -> tuple[str, bytes] | None:
    """Return the path and the source of a harness module; None for any other module.

    The path is relative to the package's folder: `common/files.py` for `harness.common.files`.
    """
    top, *parts = module.split(".")
    if top != "harness":
        return None
    package = "/".join([*parts, "__init__.py"])
    for path in (package, "/".join(parts) + ".py"):
        file = _PACKAGE.joinpath(path)
        if file.is_file():
            return path, file.read_bytes()
    return None


PLAN, KEY = "plan.json", "key.json"
# What a program was made with: the assignment's plan and the answers of its reference.
Packed = tuple[Plan, AnswerKey]


def packed() -> Packed:
    """Return the plan and the answers in the archive that is running.

    Raise UserError if it was unpacked.
    """
    return serial.loads(Plan, _packed(PLAN)), serial.loads(AnswerKey, _packed(KEY))


def graded(
    plan: Plan, key: AnswerKey, interpreter: Interpreter, submissions: Iterable[Submission]
) -> list[SubmissionResult]:
    """Grade these submissions and return their results. Programs run without confinement."""
    with (
        create_driver(interpreter, Tier.PORTABLE, cpu=pick_cpu()) as driver,
        Grader(GraderSetup(plan=plan, key=key), driver) as grader,
    ):
        return [grader.grade(submission).result for submission in submissions]


def this_interpreter(plan: Plan) -> Interpreter:
    """Return the Python that runs this file, in order to run submissions with it too.

    Raise UserError if a package of the assignment is not installed.
    """
    if not sys.executable:
        raise UserError("cannot find this Python's path", hint="start Python with its full path")
    assignment = plan.assignment
    if assignment.needs_pytest and importlib.util.find_spec("pytest") is None:
        hint = f"{sys.executable} -m pip install pytest"
        raise UserError("the check needs pytest, which this Python does not have", hint=hint)
    interpreter = find_interpreter(assignment.python, Path(sys.executable))
    library = installed_here(assignment.packages)
    if library is None:
        return interpreter
    return library.added_to(interpreter, assignment.packages)


def _packed(name: str) -> bytes:
    data = pkgutil.get_data("harness.packaging", name)
    if data is None:
        raise UserError(f"{name} is missing", hint="use the file that your course provides")
    return data
