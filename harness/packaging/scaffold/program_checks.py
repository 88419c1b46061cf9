"""Convert a course's existing checks of whole programs to scenarios.

They are the commands in GitHub Classroom's autograding.json, and chains of `run`, `stdin`, `stdout`
and `exit` in check50.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from harness.common.errors import UserError
from harness.packaging.scaffold.parts import in_yaml, name_in_yaml, text_of
from harness.packaging.scaffold.syntax import options_of

_CLASSROOM = (".github/classroom/autograding.json", "autograding.json")
_WORKFLOWS = (".github/workflows/classroom.yml", "classroom.yml")
_GRADERS = ("autograding-io-grader", "autograding-command-grader", "autograding-python-grader")
_CHECK50 = "__init__.py"
_INTERPRETERS = re.compile(r"(.*/)?python[\d.]*(\.exe)?")
_RUNNERS = ("pytest", "unittest", "doctest")
_IS_PATTERN = re.compile(r"[\\.^$*+?{}\[\]|()]")
_ANY_OUTPUT = {"any": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCheck:
    """One run of a program. `prints` is the expected output as a matcher in YAML."""

    name: str
    file: str
    argv: tuple[str, ...] = ()
    stdin: str | None = None  # piped in; None: `typed` is typed
    typed: tuple[str, ...] = ()
    prints: Any = None
    exit: int | None = None
    points: float = 1
    asks_for_more: bool = False

    def lines(self) -> Iterator[str]:
        """Yield the YAML lines of the check's scenario."""
        yield f"  - name: {in_yaml(self.name)}"
        if self.points == 0:
            yield "    informational: true"
        elif self.points != 1:
            yield f'    points: "{self.points}"'
        yield f"    run: {name_in_yaml(self.file)}"
        stated: dict[str, Any] = {"argv": list(self.argv)} if self.argv else {}
        if self.stdin is not None:
            stated["stdin"] = self.stdin
        elif self.typed:
            stated["input"] = list(self.typed)
        stated["prints"] = _ANY_OUTPUT if self.prints is None else self.prints
        if self.exit is not None:
            stated["exit"] = self.exit
        if self.asks_for_more:
            stated["ends"] = "asks_for_more"
        for key, value in stated.items():
            yield f"    {key}: {in_yaml(value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChecks:
    """The checks in a folder, and the reasons why some of them cannot become scenarios."""

    checks: tuple[ProgramCheck, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def clauses(self) -> list[str]:
        """Return the ids of the clauses, one for each program."""
        return list(dict.fromkeys(Path(check.file).stem for check in self.checks))

    def files(self) -> dict[str, bytes]:
        """Return the scenario files by name, one for each program."""
        found: dict[str, bytes] = {}
        for program in dict.fromkeys(check.file for check in self.checks):
            clause = name_in_yaml(Path(program).stem)
            lines = [f"function: {name_in_yaml(program)}", f"clause: {clause}", "scenarios:"]
            for check in self.checks:
                if check.file == program:
                    lines += check.lines()
            found[f"{Path(program).stem}_runs.yaml"] = text_of(lines)
        if found:
            found["clauses.yaml"] = text_of(self._clauses())
        return found

    def _clauses(self) -> list[str]:
        """Return the lines of clauses.yaml with a clause for each program."""
        lines = ["clauses:"]
        for program in dict.fromkeys(check.file for check in self.checks):
            clause = name_in_yaml(Path(program).stem)
            text = in_yaml(f"{program} does as the sheet says.")
            lines.append(f'  - {{id: {clause}, section: "1", text: {text}}}')
        return lines


def find_checks(folder: Path) -> FoundChecks:
    """Return the checks in a folder, which may be none.

    Raise UserError if a file cannot be read.
    """
    for name in _CLASSROOM:
        if (folder / name).is_file():
            return _of_classroom(folder / name)
    for name in _WORKFLOWS:
        if (folder / name).is_file():
            return _of_tests(_of_workflow(folder / name))
    path = folder / _CHECK50
    if path.is_file() and b"check50" in path.read_bytes():
        return _of_check50(path)
    return FoundChecks()


class _NotTakenError(Exception):
    """Raised if a check cannot become a scenario. `str()` gives the reason."""


def _of_classroom(path: Path) -> FoundChecks:
    try:
        stated = json.loads(path.read_text("utf-8"))
        tests = [dict(test) for test in stated["tests"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(
            "this is not a list of tests as GitHub writes it", place=str(path)
        ) from None
    return _of_tests(tests)


def _of_workflow(path: Path) -> list[dict[str, Any]]:
    """Return the tests in GitHub Classroom's workflow file, in the format of autograding.json."""
    try:
        stated = yaml.safe_load(path.read_text("utf-8"))
        jobs = [dict(job) for job in stated["jobs"].values()]
        steps = [dict(step) for job in jobs for step in job["steps"]]
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError("this is not a workflow as GitHub writes it", place=str(path)) from None
    tests: list[dict[str, Any]] = []
    for step in steps:
        if any(grader in str(step.get("uses", "")) for grader in _GRADERS):
            tests.append(_test_of_step(dict(step.get("with") or {})))
    return tests


def _test_of_step(stated: dict[str, Any]) -> dict[str, Any]:
    """Convert one step of a workflow to a test with the keys of autograding.json."""
    return {
        "name": stated.get("test-name"),
        "run": stated.get("command", "pytest"),
        "input": stated.get("input"),
        "output": stated.get("expected-output"),
        "comparison": stated.get("comparison-method"),
        "points": stated.get("max-score"),
    }


def _of_tests(tests: Sequence[dict[str, Any]]) -> FoundChecks:
    checks: list[ProgramCheck] = []
    left_out: list[str] = []
    for number, test in enumerate(tests, 1):
        name = str(test.get("name") or f"test {number}")
        command = str(test.get("run") or "")
        if any(runner in command for runner in _RUNNERS):
            continue  # its files are found by themselves
        try:
            checks.append(_of_command(name, command, test))
        except _NotTakenError as error:
            left_out.append(f"{name}: {error}")
    return FoundChecks(checks=_with_own_names(checks), left_out=tuple(left_out))


def _with_own_names(checks: Sequence[ProgramCheck]) -> tuple[ProgramCheck, ...]:
    """Return the checks with unique names. A repeated name gets a number."""
    taken: dict[tuple[str, str], int] = {}
    found: list[ProgramCheck] = []
    for check in checks:
        key = check.file, check.name.lower()
        taken[key] = taken.get(key, 0) + 1
        name = check.name if taken[key] == 1 else f"{check.name} {taken[key]}"
        found.append(replace(check, name=name))
    return tuple(found)


def _of_command(name: str, command: str, test: dict[str, Any]) -> ProgramCheck:
    file, argv = _program_of(command)
    points = test.get("points")
    if points is not None and type(points) not in (int, float):
        raise _NotTakenError(f"its points are {points!r}")
    return ProgramCheck(
        name=name,
        file=file,
        argv=argv,
        stdin=str(test.get("input") or ""),
        prints=_expected(str(test.get("output") or ""), test.get("comparison") or "included"),
        exit=0,
        points=1 if points is None else points,
    )


def _expected(output: str, comparison: str) -> Any:
    """Return the matcher for one of GitHub's kinds of comparison; None if any output is correct."""
    output = output.replace("\r\n", "\n")
    if comparison == "exact":
        return {"matches": rf"\A\s*{re.escape(output.strip())}\s*\Z"}
    if not output:
        return None
    if comparison == "included":
        return {"contains": output}
    if comparison == "regex":
        return {"matches": _checked(output)}
    raise _NotTakenError(f"its comparison is {comparison}")


def _checked(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError):
        raise _NotTakenError(f"Python does not know the pattern {pattern}") from None
    return pattern


def _program_of(command: str) -> tuple[str, tuple[str, ...]]:
    """Return the file that a command runs, and its arguments.

    `python3 a.py 5` gives `("a.py", ("5",))`.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        raise _NotTakenError(f"the command cannot be read: {command}") from None
    if words and _INTERPRETERS.fullmatch(words[0]):
        words = words[1:]
        while words and words[0] in ("-u", "-B"):
            words = words[1:]
    has_shell = any(re.fullmatch(r"[|<>;&]+|\d?>.*|<.*", word) for word in words)
    if has_shell or not words or not words[0].endswith(".py"):
        raise _NotTakenError(f"it runs more than one program of the submission: {command}")
    return Path(words[0]).name, tuple(words[1:])


def _of_check50(path: Path) -> FoundChecks:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise UserError(f"this is not Python ({error})", place=str(path)) from None
    checks: list[ProgramCheck] = []
    left_out: list[str] = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not _is_check(node):
            continue
        name = (ast.get_docstring(node) or node.name.replace("_", " ")).split("\n")[0]
        try:
            checks += [_of_chain(name, chain) for chain in _chains(node)]
        except _NotTakenError as error:
            left_out.append(f"{name}: {error}")
    return FoundChecks(checks=_with_own_names(checks), left_out=tuple(left_out))


def _is_check(node: ast.FunctionDef) -> bool:
    return any(
        ast.unparse(decorator).startswith("check50.check") for decorator in node.decorator_list
    )


def _chains(node: ast.FunctionDef) -> Iterator[list[ast.Call]]:
    """Yield each chain `check50.run(…).stdin(…)…` in a check as a list of its calls, the first one
    first.
    """
    for statement in node.body:
        if not isinstance(statement, ast.Expr):
            raise _NotTakenError("it computes in Python; state it as a scenario, or as a test")
        calls: list[ast.Call] = []
        part = statement.value
        while isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            calls.append(part)
            part = part.func.value
        if not calls:
            continue  # the docstring
        calls.reverse()
        if _method(calls[0]) == "exists":
            continue  # a missing file fails by itself
        yield calls


def _method(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def _of_chain(name: str, calls: list[ast.Call]) -> ProgramCheck:
    first, *others = calls
    if _method(first) != "run" or not first.args:
        raise _NotTakenError(f"it calls check50.{_method(first)}")
    file, argv = _program_of(str(_literal(first.args[0])))
    check = ProgramCheck(name=name, file=file, argv=argv)
    patterns: list[str] = []
    plain: list[str] = []
    for call in others:
        match _method(call):
            case "stdin":
                check = replace(check, typed=(*check.typed, str(_literal(call.args[0]))))
            case "stdout" if call.args:
                text, is_pattern = _stdout(call)
                plain += [] if is_pattern else [text]
                patterns.append(_checked(text) if is_pattern else re.escape(text))
            case "exit":
                code = _literal(call.args[0]) if call.args else None
                check = replace(check, exit=code if type(code) is int else None)
            case "reject":
                check = replace(check, asks_for_more=True)
            case other:
                raise _NotTakenError(f"it calls .{other}")
    if not patterns:
        return check
    if len(plain) == len(patterns) == 1:
        return replace(check, prints={"contains": plain[0]})
    return replace(check, prints={"matches": "(?s)" + ".*".join(patterns)})


def _stdout(call: ast.Call) -> tuple[str, bool]:
    """Return the text that `.stdout(…)` expects, and whether the text is a regular expression."""
    if ast.unparse(call.args[0]) == "check50.EOF":
        return r"\s*\Z", True
    text = str(_literal(call.args[0]))
    options = options_of(call)
    is_literal = "regex" in options and _literal(options["regex"]) is False
    return text, not is_literal and bool(_IS_PATTERN.search(text))


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _NotTakenError(f"{ast.unparse(node)} is not a literal") from None
