"""A program in one file: the modules it needs, a plan and a key. `selfcheck.pyz` is one."""

from __future__ import annotations

import ast
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
from harness.execution import Interpreter, create_driver, find_interpreter, installed_here, pick_cpu
from harness.grading.grader import Grader
from harness.grading.observing.judged_runs import GraderSetup
from harness.model.expectation import AnswerKey
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.submission import Submission

SELFCHECK = "harness.packaging.selfcheck"
_READ_AS_TEXT = "harness.policy.checking"  # for an interpreter of its own
_INSIDE = "execution/inside"
_FINDING = {each.__name__ for each in (import_modules, extensions, subclasses)}
_PACKAGE = resources.files("harness")
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
    """An archive that runs `main` of the module `entry`; the same for the same arguments."""
    main = {"__main__.py": _MAIN.replace(b"%(entry)s", entry.encode())}
    return _SHEBANG + zipped(program_parts(plan, key, entry) | main)


def program_parts(plan: Plan, key: AnswerKey, entry: str) -> dict[str, bytes]:
    """The files that a program needs whose `entry` is a module of ours."""
    files = _needed((entry, _READ_AS_TEXT))
    inside = files_below(_PACKAGE.joinpath(_INSIDE), f"harness/{_INSIDE}", lambda entry: True)
    files |= {name: data for name, data in inside if name.endswith(".py")}
    files[f"harness/packaging/{PLAN}"] = serial.dumps(plan).encode()
    files[f"harness/packaging/{KEY}"] = serial.dumps(key).encode()
    return files


def _needed(entries: Iterable[str]) -> dict[str, bytes]:
    """The files of these modules of ours and of those that they import, directly or through others,
    anywhere in their code; what only type checkers read is left out."""
    found: set[str] = set()
    files: dict[str, bytes] = {}
    waiting = list(entries)
    while waiting:
        module = waiting.pop()
        if module in found or not (file := _file_of(module)):
            continue
        found.add(module)
        path, source = file
        files[f"harness/{path}"] = source
        tree = ast.parse(source)
        waiting.append(module.rpartition(".")[0])
        for imported, name in _imports(tree):
            waiting += [imported, f"{imported}.{name}"]
        if path.endswith("/__init__.py") and _imports_modules(tree):
            beside = _PACKAGE.joinpath(path.removesuffix("/__init__.py")).iterdir()
            names = (entry.name for entry in beside)
            waiting += [f"{module}.{n.removesuffix('.py')}" for n in names if n.endswith(".py")]
    return files


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The modules that are imported, each with every name that is taken of it ("": itself)."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from ((node.module, alias.name) for alias in node.names)
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):  # most of a tree, where nothing is imported
            yield from _imports(child)


def _imports_modules(tree: ast.Module) -> bool:
    """Whether a package imports all of its modules (`harness.common.discovery`)."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FINDING
        for node in ast.walk(tree)
    )


@cache
def _file_of(module: str) -> tuple[str, bytes] | None:
    """The path below the package of a module of ours, and its source."""
    ours, *parts = module.split(".")
    if ours != "harness":
        return None
    for path in ("/".join([*parts, "__init__.py"]), "/".join(parts) + ".py"):
        file = _PACKAGE.joinpath(path)
        if file.is_file():
            return path, file.read_bytes()
    return None


PLAN, KEY = "plan.json", "key.json"


def packed() -> tuple[Plan, AnswerKey]:
    """The plan and the answer key; UserError where the file was taken apart."""
    return serial.loads(Plan, _packed(PLAN)), serial.loads(AnswerKey, _packed(KEY))


def graded(
    plan: Plan, key: AnswerKey, interpreter: Interpreter, submissions: Iterable[Submission]
) -> list[SubmissionResult]:
    """The results of these submissions, which are run without confinement."""
    with (
        create_driver(interpreter, Tier.PORTABLE, cpu=pick_cpu()) as driver,
        Grader(GraderSetup(plan=plan, key=key), driver) as grader,
    ):
        return [grader.grade(submission).result for submission in submissions]


def this_interpreter(plan: Plan) -> Interpreter:
    """Return the Python that runs this file, to run the submission with it too. Raise UserError
    if it lacks a package of the assignment."""
    if not sys.executable:
        raise UserError("this Python does not tell where it is", hint="start it by its full path")
    interpreter = find_interpreter(plan.assignment.python, Path(sys.executable))
    library = installed_here(plan.assignment.packages)
    return library.added_to(interpreter, plan.assignment.packages) if library else interpreter


def _packed(name: str) -> bytes:
    data = pkgutil.get_data("harness.packaging", name)
    if data is None:
        raise UserError(f"{name} is missing", hint="take the file that your course hands out")
    return data
