"""Reads the parts that tests replace and run, from the texts of their calls: input, standard
output, and the program as a process of its own."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath

from harness.packaging.scaffold.recording.expressions import (
    NotRecordedError,
    shortened,
    value_of,
)
from harness.packaging.scaffold.recording.scenario import Run
from harness.packaging.scaffold.syntax import options_of

INPUT = "builtins.input"
STDOUT = "sys.stdout"
PATCHES = ("patch", "mock.patch", "unittest.mock.patch")
_TIMES = 5  # that a line is typed which answers every question
_RUNS = ("subprocess.run", "run")
_OPTIONS = frozenset((
    "capture_output", "text", "universal_newlines", "timeout", "check", "stdout", "stderr",
    "encoding", "input",
))  # fmt: skip
_PYTHONS = ("sys.executable", "'python'", "'python3'")


def target_of(call: ast.Call) -> str:
    """Return the name that a test replaces, as `module.name`; empty for anything else."""
    match call.args:
        case [ast.Constant(value=str(name)), *_] if "." in name:
            return name
        case [ast.Name(id=module), ast.Constant(value=str(name)), *_]:
            return f"{module}.{name}"
    return ""


def is_string_io(node: ast.expr) -> bool:
    """Return whether this makes an empty StringIO."""
    is_call = isinstance(node, ast.Call) and not node.args and not node.keywords
    return is_call and ast.unparse(node) in ("io.StringIO()", "StringIO()")


def lines_typed(node: ast.expr, literals: Mapping[str, object]) -> tuple[str, ...]:
    """Return the lines that stand for `input`: of `patch(…, side_effect=[…])`, `return_value=…`, or
    a lambda that returns one or the next of a list. Raise NotRecordedError for anything else."""
    match node:
        case ast.Lambda(body=ast.Call(func=ast.Name(id="next"), args=[lines])):
            return _lines(lines, literals)
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="pop"), args=[ast.Constant(0)])):
            body = node.body
            assert isinstance(body, ast.Call)
            assert isinstance(body.func, ast.Attribute)
            return _lines(body.func.value, literals)
        case ast.Lambda(body=body):
            return _checked([value_of(body, literals)] * _TIMES)
        case ast.Call():
            stated = options_of(node)
            if stated.keys() == {"side_effect"}:
                return _lines(stated["side_effect"], literals)
            if stated.keys() == {"return_value"}:
                return _checked([value_of(stated["return_value"], literals)] * _TIMES)
    raise NotRecordedError(f"it replaces input by {shortened(node)}")


def _lines(node: ast.expr, literals: Mapping[str, object]) -> tuple[str, ...]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "iter" and node.args:
        node = node.args[0]
    found = value_of(node, literals)
    if not isinstance(found, list | tuple) or not found:
        raise NotRecordedError(f"it types {shortened(node)}")
    return _checked(list(found))


def _checked(lines: list[object]) -> tuple[str, ...]:
    found = tuple(line for line in lines if isinstance(line, str) and line.isprintable())
    if len(found) != len(lines):
        raise NotRecordedError("it answers input with what nobody can type")
    return found


def run_of(node: ast.expr, literals: Mapping[str, object]) -> Run | None:
    """Return the run of a program by `subprocess`; None for any other expression. Raise
    NotRecordedError for one that no scenario can state."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _RUNS or not node.args:
        return None
    command = node.args[0]
    options = options_of(node)
    if not isinstance(command, ast.List) or not options.keys() <= _OPTIONS:
        raise NotRecordedError(f"it runs {shortened(node)}")
    first, *words = command.elts
    values = [value_of(word, literals) for word in words]
    texts = [value for value in values if isinstance(value, str)]
    if ast.unparse(first) not in _PYTHONS or len(texts) != len(words) or not texts:
        raise NotRecordedError(f"it runs {shortened(command)}")
    file, *argv = texts
    if not file.endswith(".py"):
        raise NotRecordedError(f"it runs {shortened(command)}")
    stdin = value_of(options["input"], literals) if "input" in options else ""
    is_text = "text" in options or "universal_newlines" in options or "encoding" in options
    if not isinstance(stdin, str) or not is_text:
        raise NotRecordedError("it reads the program's output as bytes")
    run = Run(file=PurePosixPath(file).name, argv=tuple(argv), stdin=stdin)
    if "check" in options and value_of(options["check"], literals) is True:
        run.stated["exit"] = 0
    return run
