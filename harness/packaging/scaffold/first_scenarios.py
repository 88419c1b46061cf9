"""What can be asked of a reference at once: its functions that need no input, and itself. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.common.errors import UserError

_EXAMPLES = {"int": "2", "float": "1.5", "str": '"a"', "bool": "True", "list": "[]", "dict": "{}"}
_QUIET = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """A first scenario: what it is about, `call: …` or `run: …`, and a change of `file` after
    which it fails (`find` and `replace` as in mutants.yaml)."""

    name: str
    file: str
    action: str
    find: str
    replace: str


def first_scenarios(file: str, source: bytes) -> tuple[First, ...]:
    """Those of one Python file, in its order; arguments are examples of their annotated types.

    UserError where it is no Python.
    """
    try:
        text = source.decode("utf-8-sig")
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise UserError(f"this is no Python ({error})", place=file) from None
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    asking = _asking(functions)
    lines = text.splitlines()
    return (
        *_calls(file, functions, asking, lines),
        *_run(file, tree.body, functions, asking, lines),
    )


def _calls(
    file: str,
    functions: Mapping[str, ast.FunctionDef],
    asking: Iterable[str],
    lines: Sequence[str],
) -> Iterator[First]:
    for name, node in functions.items():
        header = lines[node.lineno - 1 : node.body[0].lineno - 1]
        if name in asking or name == "main" or name.startswith("_") or not header:
            continue
        arguments = ", ".join(_example(each) for each in _required(node))
        find = "\n".join(header)
        yield First(
            name=name,
            file=file,
            action=f"call: {name}({arguments})",
            find=find,
            replace=f"{find}\n    raise NotImplementedError",
        )


def _run(
    file: str,
    body: Sequence[ast.stmt],
    functions: Mapping[str, ast.FunctionDef],
    asking: Iterable[str],
    lines: Sequence[str],
) -> Iterator[First]:
    """The program itself, where running it is more than defining names."""
    outside = [node for node in body if not isinstance(node, ast.FunctionDef)]
    acts = [n for n in outside if not isinstance(n, _QUIET) and not _is_docstring(n)]
    if acts and not any(_names(node) & {*asking, "input"} for node in outside):
        find = lines[acts[0].lineno - 1]
        name = "main" if "main" in functions else "program"
        yield First(
            name=name,
            file=file,
            action=f"run: {file}",
            find=find,
            replace=f"raise SystemExit\n{find}",
        )


def _asking(functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """The functions that ask for input, themselves or through others."""
    asking = {"input"}
    while True:
        more = {n for n, node in functions.items() if n not in asking and _names(node) & asking}
        if not more:
            return asking - {"input"}
        asking |= more


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[: len(arguments) - len(node.args.defaults)]


def _example(argument: ast.arg) -> str:
    """A value of the annotated type; 2 where there is none that we know."""
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    return _EXAMPLES.get(kind.partition("[")[0], "2")
