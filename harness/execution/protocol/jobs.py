"""What a process is sent: the files of a submission, a stimulus as a job, and of the course's
stand-in modules names, and nothing of their text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from harness.common.errors import HarnessError
from harness.model.assignment import Assignment, CompareBy, SourceFile
from harness.model.policy import MAX_SOURCE_BYTES
from harness.model.stimulus import Binding, Key, Stimulus
from harness.model.values import Value

_MIB = 1024 * 1024
_ANY_DATA = "None"

ProxyNames = tuple[tuple[str, ...], tuple[str, ...]]
"""The public functions of a module, and its other public names, whose values cannot travel."""


def main_file(assignment: Assignment) -> str:
    """The name under which the submission's first file is imported."""
    return assignment.laid_as or assignment.submission_files[0]


def server_setup(assignment: Assignment, files: tuple[SourceFile, ...]) -> dict[str, object]:
    """What a process needs to know of an assignment and a submission, whatever the scenario."""
    return {
        "main": main_file(assignment),
        "files": _pairs(program_files(assignment, files)),
        "functions": list(assignment.module_names),
        "variants": [_pairs(variant.files) for variant in assignment.variants],
        "extra": _pairs(assignment.extra_files),
        "memory": assignment.limits.memory_mib * _MIB,
        "tells_time": assignment.tells_time,
        "packages": bool(assignment.packages),
        "compare": {
            each.name: list(each.attributes) if each.how is CompareBy.NAMED else each.how.value
            for each in assignment.compare
        },
    }


class Jobs:
    """One assignment's stimuli as a process of ours understands them."""

    def __init__(self, assignment: Assignment) -> None:
        self._main = main_file(assignment)
        self._stand_ins = {file.name: file for file in assignment.stand_in_files}
        self._variants: dict[tuple[Binding, ...], int] = {
            variant.constants: index for index, variant in enumerate(assignment.variants)
        }

    def job(self, stimulus: Stimulus) -> dict[str, Any]:
        """The job of one scenario's process. HarnessError when the plan lacks its provided files.

        `texts` are the source texts of the stimulus, to be compiled; `selection` names the files
        that it shares with others.
        """
        try:
            variant = self._variants[stimulus.constants]
        except KeyError:
            names = ", ".join(binding.name for binding in stimulus.constants)
            raise HarnessError(f"the plan has no provided files for {names}") from None
        action = stimulus.action
        proxies = tuple(
            (each.module.removesuffix(".py"), *proxy_names(self._stand_ins[each.file]))
            for each in stimulus.stand_ins
        )
        substituted = tuple((each.name, each.provided) for each in stimulus.substitutions)
        return {
            "action": action.key,
            "runs": action.program != "",
            "program": action.program or self._main,
            "argv": list(action.argv),
            "texts": (stimulus.given, action.expression, action.steps, _told(action.equals)),
            "selection": (variant, stimulus.provide, proxies, substituted),
            "bindings": [(binding.name, binding.literal) for binding in stimulus.bindings],
            "seed": stimulus.seed or 0,
            "clock": stimulus.clock and (stimulus.clock.seconds, stimulus.clock.offset),
            "folder": "",
            "stdin": stimulus.stdin,
            "stderr_apart": stimulus.stderr_apart,
            "environment": {each.name: each.literal for each in stimulus.environment},
            "finds_loop": stimulus.finds_loop,
            "traces_lines": stimulus.traces_lines,
            "hears_ctrl_c": any(typed.key is Key.CTRL_C for typed in stimulus.inputs),
        }

    def stand_in_job(self, stimulus: Stimulus) -> dict[str, Any]:
        """The job of the process that holds a scenario's stand-ins: `modules` answer calls,
        `beside` may be imported by them."""
        modules = [(each.module.removesuffix(".py"), each.file) for each in stimulus.stand_ins]
        if stimulus.substitutions:
            modules.append((self._main.removesuffix(".py"), self._main))
        return {
            "modules": modules,
            "beside": stimulus.substitutions != (),
            "variant": self._variants[stimulus.constants],
            "provide": list(stimulus.provide),
            "seed": stimulus.seed or 0,
            "clock": stimulus.clock and (stimulus.clock.seconds, stimulus.clock.offset),
        }


def _told(equals: str) -> str:
    """What a process is told of the expression that a value is to be equal to. A literal is the
    answer, and is compared outside: any data in its place has the value described as data."""
    try:
        Value.parse(equals)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return equals
    return _ANY_DATA


def needs_stand_ins(stimulus: Stimulus) -> bool:
    """Whether something of the course's has to answer calls of the submission's."""
    return bool(stimulus.stand_ins) or not all(each.provided for each in stimulus.substitutions)


def stand_in_setup(
    assignment: Assignment, reference: tuple[SourceFile, ...] = ()
) -> dict[str, object]:
    """What the server of the stand-ins needs to know: files of the course, none of a student's."""
    return {
        "variants": [_pairs(variant.files) for variant in assignment.variants],
        "extra": _pairs(assignment.extra_files),
        "stand_ins": _pairs(assignment.stand_in_files),
        "reference": _pairs(reference),
    }


def program_files(assignment: Assignment, files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """The files of a submission that count, under the names they are imported by; anything else
    handed in beside them is ignored, and so is a file too large to be checked."""
    files = tuple(file for file in files if len(file.data) <= MAX_SOURCE_BYTES)
    named = tuple(file for file in files if file.name in assignment.submission_files)
    if assignment.laid_as is None:
        return named
    programs = named or tuple(file for file in files if file.name.endswith(".py"))
    return tuple(SourceFile(name=assignment.laid_as, data=file.data) for file in programs[:1])


def _pairs(files: tuple[SourceFile, ...]) -> list[tuple[str, bytes]]:
    return [(file.name, file.data) for file in files]


@cache
def proxy_names(file: SourceFile) -> ProxyNames:
    """Both kinds of names, sorted. HarnessError when the file is no Python."""
    try:
        body = ast.parse(file.data).body
    except (SyntaxError, ValueError):
        raise HarnessError(f"{file.name} is not Python") from None
    functions: set[str] = set()
    others: set[str] = set()
    for statement in _statements(body):
        if isinstance(statement, ast.FunctionDef):
            functions.add(statement.name)
        else:
            others.update(_bound(statement))
    return (
        tuple(sorted(name for name in functions if not name.startswith("_"))),
        tuple(sorted(name for name in others - functions if not name.startswith("_"))),
    )


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The module's own statements, those of its conditions among them."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, ()))


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef | ast.AsyncFunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield (alias.asname or alias.name).partition(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.For):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    yield node.id
