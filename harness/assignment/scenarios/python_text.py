"""Reads Python code inside a specification: whether it parses, which names it uses and defines,
and pasted sessions.

A line with `>>> ` starts a step. `... ` continues it only while its source is incomplete, so that
a printed row of dots counts as output. Blank lines are output. Without `input:`, text after a
prompt (a provided constant that ends in a space) is typed input.
"""

import ast
import builtins
import codeop
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.assignment.document import HintedError
from harness.model.stimulus import Key, Typed

BUILTINS = frozenset(dir(builtins)) | {"exit", "quit"}
BUILTIN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
_ODD_PROMPT = re.compile(r"\s*[0-9]*>>> |\s+>>>|>>>\S")
_KEYS = {"^D": Key.CTRL_D, "^C": Key.CTRL_C}


class PythonError(ValueError):
    """The text is not valid Python; `str()` gives the reason."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a piece of code uses without defining them, and the names it defines."""

    needed: frozenset[str]
    bound: frozenset[str]


def parse_expression(text: str) -> ast.Expression:
    """Parse an expression. Raise PythonError if the text is not one."""
    tree = _parse(text.strip(), "eval")
    assert isinstance(tree, ast.Expression)
    return tree


def parse_statements(text: str | bytes) -> ast.Module:
    """Parse statements. Raise PythonError if the text is not Python."""
    tree = _parse(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def _parse(text: str | bytes, mode: str) -> ast.AST:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text, mode=mode)
    except SyntaxError as error:
        raise PythonError(error.msg) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise PythonError(str(error) or type(error).__name__) from None


def names_of(tree: ast.AST) -> Names:
    """Return the names in a syntax tree.

    Scopes are ignored: a name assigned anywhere counts as defined.
    """
    needed: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                needed.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.split(".")[0])
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case ast.ExceptHandler(name=str(name)):
                bound.add(name)
    return Names(needed=frozenset(needed - bound), bound=frozenset(bound))


@dataclass(slots=True)
class Step:
    """One statement, and the lines shown after it (with their line ends)."""

    line: int
    source: str
    shown: list[str] = field(default_factory=list)
    shown_from: int = 0


def parse_session(text: str) -> list[Step]:
    """Return the steps of a session. Raise HintedError if no Python prompt would show this text."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(">>> ") or line == ">>>":
            steps.append(Step(number, line[4:]))
        elif _ODD_PROMPT.match(line):
            what = f"{line.strip()[:30]!r} has a >>> that does not begin its line"
            raise HintedError(what, "begin a step with '>>> ' and nothing before it", number)
        elif not steps:
            what = "a session begins with '>>> '"
            raise HintedError(what, "begin the first step with '>>> '", number)
        elif (line.startswith("... ") or line == "...") and _is_open(steps[-1]):
            steps[-1].source += "\n" + line[4:]
        else:
            steps[-1].shown_from = steps[-1].shown_from or number
            steps[-1].shown.append(line + "\n")
    with_code: list[Step] = []
    for step in steps:
        step.source = step.source.rstrip()
        try:
            tree = parse_statements(step.source)
        except PythonError as error:
            what = f"{step.source.splitlines()[0]!r} is not Python ({error})"
            raise HintedError(what, "continue it with '... '", step.line) from None
        if tree.body:
            with_code.append(step)
        elif any(line.strip() for line in step.shown):
            raise HintedError("there is output after an empty step", line=step.line)
    if not with_code:
        raise HintedError("a session needs a step", "begin the first step with '>>> '", 1)
    return with_code


def _is_open(step: Step) -> bool:
    """Return whether the step's source is still incomplete."""
    if step.shown:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            return codeop.compile_command(step.source, symbol="single") is None
    except (SyntaxError, ValueError, OverflowError):
        return False


def typed_in(steps: Iterable[Step], constants: Iterable[object]) -> list[Typed]:
    """Return the lines typed after prompts in the displayed text.

    Prompts are one-line constants that end in a space; the longest one that matches is used.
    """
    texts = [text for text in constants if isinstance(text, str) and text.strip()]
    prompts = [text for text in texts if text.endswith(" ") and "\n" not in text]
    typed: list[Typed] = []
    for step in steps:
        for index, line in enumerate(step.shown):
            bare = line.removesuffix("\n")
            for prompt in sorted(prompts, key=len, reverse=True):
                if bare == prompt.rstrip():  # editors remove a prompt's trailing space
                    step.shown[index] = prompt + "\n"
                    typed.append(Typed())
                    break
                if bare.startswith(prompt):
                    rest = bare.removeprefix(prompt)
                    key = _KEYS.get(rest)
                    typed.append(Typed(text="" if key else rest, key=key))
                    break
    return typed
