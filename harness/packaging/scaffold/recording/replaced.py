"""Read from a test's code what it replaces (input, standard output) and which programs it
starts.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath

from harness.packaging.scaffold.recording.expressions import (
    NotRecordedError,
    shortened,
    value_of,
)
from harness.packaging.scaffold.recording.scenario import RecordedRun
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
_AS_TEXT = ("text", "universal_newlines", "encoding")
_PYTHONS = ("sys.executable", "'python'", "'python3'")


def target_of(call: ast.Call) -> str:
    """Return the name that a test replaces, as `module.name`; empty if the call replaces
    nothing.
    """
    match call.args:
        case [ast.Constant(value=str(name)), *_] if "." in name:
            return name
        case [ast.Name(id=module), ast.Constant(value=str(name)), *_]:
            return f"{module}.{name}"
    return ""


def is_string_io(node: ast.expr) -> bool:
    """Return whether the expression creates an empty `StringIO`."""
    is_call = isinstance(node, ast.Call) and not node.args and not node.keywords
    return is_call and ast.unparse(node) in ("io.StringIO()", "StringIO()")


def lines_typed(node: ast.expr, literals: Mapping[str, object]) -> tuple[str, ...]:
    """Return the lines that a replaced `input` returns.

    They come from `patch(…, side_effect=[…])`, `return_value=…`, or a lambda that returns one line
    or the next item of a list. Raise NotRecordedError for anything else.
    """
    if isinstance(node, ast.Lambda):
        lines = _taken_in_turn(node.body)
        if lines is not None:
            return _lines(lines, literals)
        return _always(node.body, literals)
    if isinstance(node, ast.Call):
        options = options_of(node)
        if options.keys() == {"side_effect"}:
            return _lines(options["side_effect"], literals)
        if options.keys() == {"return_value"}:
            return _always(options["return_value"], literals)
    raise NotRecordedError(f"it replaces input by {shortened(node)}")


def _taken_in_turn(node: ast.expr) -> ast.expr | None:
    """Return the list `lines` of `next(lines)` or `lines.pop(0)`; None for anything else."""
    match node:
        case ast.Call(func=ast.Name(id="next"), args=[lines]):
            return lines
        case ast.Call(func=ast.Attribute(value=lines, attr="pop"), args=[ast.Constant(0)]):
            return lines
    return None


def _always(node: ast.expr, literals: Mapping[str, object]) -> tuple[str, ...]:
    """Return the one line that a replaced `input` returns every time, repeated."""
    line = value_of(node, literals)
    return _checked([line] * _TIMES)


def _lines(node: ast.expr, literals: Mapping[str, object]) -> tuple[str, ...]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "iter" and node.args:
        node = node.args[0]
    lines = value_of(node, literals)
    if not isinstance(lines, list | tuple) or not lines:
        raise NotRecordedError(f"it types {shortened(node)}")
    return _checked(list(lines))


def _checked(lines: list[object]) -> tuple[str, ...]:
    typed: list[str] = []
    for line in lines:
        if not isinstance(line, str) or not line.isprintable():
            raise NotRecordedError("it answers input with something that cannot be typed")
        typed.append(line)
    return tuple(typed)


def run_of(node: ast.expr, literals: Mapping[str, object]) -> RecordedRun | None:
    """Return the run of a program that an expression starts with `subprocess`; None for any other
    expression.

    Raise NotRecordedError if a scenario cannot express the run.
    """
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if ast.unparse(node.func) not in _RUNS:
        return None
    command = node.args[0]
    options = options_of(node)
    if not isinstance(command, ast.List) or not options.keys() <= _OPTIONS:
        raise NotRecordedError(f"it runs {shortened(node)}")
    file, *argv = _words_after_python(command, literals)
    stdin: object = ""
    if "input" in options:
        stdin = value_of(options["input"], literals)
    if not isinstance(stdin, str) or options.keys().isdisjoint(_AS_TEXT):
        raise NotRecordedError("it reads the program's output as bytes")
    name = PurePosixPath(file).name
    run = RecordedRun(file=name, argv=tuple(argv), stdin=stdin)
    if "check" in options and value_of(options["check"], literals) is True:
        run.stated["exit"] = 0
    return run


def _words_after_python(command: ast.List, literals: Mapping[str, object]) -> list[str]:
    """Return the program's file and arguments from a command such as `["python", "a.py", "5"]`.

    Raise NotRecordedError for any other command.
    """
    python, *words = command.elts
    texts: list[str] = []
    for word in words:
        text = value_of(word, literals)
        if isinstance(text, str):
            texts.append(text)
    is_stated = bool(texts) and len(texts) == len(words)
    if ast.unparse(python) not in _PYTHONS or not is_stated or not texts[0].endswith(".py"):
        raise NotRecordedError(f"it runs {shortened(command)}")
    return texts
