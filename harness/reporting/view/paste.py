"""How to see a scenario with one's own eyes: the lines to paste into Python, or what to type."""

from __future__ import annotations

import ast
import shlex
from dataclasses import dataclass
from pathlib import PurePath

from harness.model.stimulus import Binding, Call, Run, Session, Stimulus, Typed
from harness.model.student_view import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantChange:
    """A provided constant to set before trying. `file` is empty when no provided file has it."""

    file: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything to do by hand. One of `python` (lines for the interpreter) and `command` is set;
    `inputs` are typed when the program asks."""

    changes: tuple[ConstantChange, ...] = ()
    beside: tuple[str, ...] = ()
    python: str = ""
    command: str = ""
    inputs: tuple[Typed, ...] = ()


def recipe(stimulus: Stimulus, surroundings: Surroundings) -> Recipe:
    """The recipe for one stimulus."""
    changes = tuple(
        ConstantChange(
            file=surroundings.file_of(binding.name) or "",
            line=f"{binding.name} = {binding.literal}",
        )
        for binding in stimulus.constants
    )
    if isinstance(stimulus.action, Run):
        words = ["python3", stimulus.action.program, *stimulus.action.argv]
        python, command = "", " ".join(shlex.quote(word) for word in words)
    else:
        python, command = _python(stimulus, surroundings), ""
    return Recipe(
        changes=changes,
        beside=stimulus.provide,
        python=python,
        command=command,
        inputs=stimulus.inputs,
    )


def called(stimulus: Stimulus) -> str:
    """The question alone: the call, a session's steps a line each, the command."""
    match stimulus.action:
        case Call(expression=expression):
            return _filled_in(expression, stimulus.bindings)
        case Session(steps=steps):
            return "\n".join(steps)
        case Run() as run:
            return " ".join(["python3", run.program, *run.argv])


def settings(constants: tuple[Binding, ...]) -> str:
    """Overrides as a short label: `BOARD_SIZE = 10`."""
    return ", ".join(f"{binding.name} = {binding.literal}" for binding in constants)


def _filled_in(expression: str, bindings: tuple[Binding, ...]) -> str:
    if not bindings:
        return expression
    return f"{expression}  with  " + ", ".join(f"{b.name} = {b.literal}" for b in bindings)


def _python(stimulus: Stimulus, surroundings: Surroundings) -> str:
    # Provided names come last: a submission's own `BOARD_SIZE = 8` must not change the question.
    modules = [*_modules(surroundings.submitted), *_modules(surroundings.provided)]
    lines = [f"from {module} import *" for module in modules]
    if stimulus.seed:
        lines += ["import random", f"random.seed({stimulus.seed})"]
    lines += _pasteable(stimulus.given)
    lines += [f"{binding.name} = {binding.literal}" for binding in stimulus.bindings]
    if isinstance(stimulus.action, Call):
        lines += _pasteable(stimulus.action.expression)
    elif isinstance(stimulus.action, Session):
        for step in stimulus.action.steps:
            lines += _pasteable(step)
    return "\n".join(lines).rstrip("\n")


def _modules(names: tuple[str, ...]) -> list[str]:
    return [PurePath(name).stem for name in names if name.endswith(".py")]


def _pasteable(source: str) -> list[str]:
    """The statements' lines; a compound one gets the blank line that the interpreter waits for."""
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return source.split("\n")
    lines = source.split("\n")
    shown: list[str] = []
    done = 0
    for statement in statements:
        last = statement.end_lineno or statement.lineno
        shown += lines[max(statement.lineno - 1, done) : last]
        done = max(done, last)
        if hasattr(statement, "body"):
            shown.append("")
    return shown
