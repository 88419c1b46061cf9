"""What can be asked of a reference at once: its classes, its functions that need neither input nor
a file, and itself. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.common.errors import UserError

_EXAMPLES = {"int": "2", "float": "1.5", "str": '"a"', "bool": "True", "list": "[]", "dict": "{}"}
_OUTSIDE = {"input", "open"}  # what a scenario has to provide for
_DEEPEST = 3  # objects in objects
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_QUIET = (ast.Import, ast.ImportFrom, ast.ClassDef, *_ASSIGNMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """A first scenario: what it is about, `call: …` or `run: …`, and a change of `file` after
    which it fails (`find` and `replace` as in mutants.yaml). `asks`: it needs input or files, which
    only a person can choose."""

    name: str
    file: str
    action: str
    find: str
    replace: str
    asks: bool = False


def first_scenarios(file: str, source: bytes) -> tuple[First, ...]:
    """Those of one Python file, in its order; arguments are examples of their annotated types.
    One that asks is there where it is the only one.

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
    classes = _constructors(tree)
    found = (
        *(
            _call(file, name, _made(name, classes), node, lines)
            for name, node in classes.items()
            if not _names(node) & {*asking, *_OUTSIDE}
        ),
        *_calls(file, functions, asking, classes, lines),
        *_run(file, tree.body, asking, lines),
    )
    return tuple(each for each in found if not each.asks) or found


def _calls(
    file: str,
    functions: Mapping[str, ast.FunctionDef],
    asking: Iterable[str],
    classes: Mapping[str, ast.FunctionDef],
    lines: Sequence[str],
) -> Iterator[First]:
    for name, node in functions.items():
        if name in asking or name == "main" or name.startswith("_"):
            continue
        if node.body[0].lineno > node.lineno:
            arguments = ", ".join(_example(each, classes) for each in _required(node))
            yield _call(file, name, f"{name}({arguments})", node, lines)


def _call(file: str, name: str, call: str, node: ast.FunctionDef, lines: Sequence[str]) -> First:
    find = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1])
    inside = " " * (node.col_offset + 4)
    replaced = f"{find}\n{inside}raise NotImplementedError"
    return First(name=name, file=file, action=f"call: {call}", find=find, replace=replaced)


def class_names(source: bytes) -> tuple[str, ...]:
    """The classes whose objects scenarios return. `source` is Python."""
    return tuple(_constructors(ast.parse(source.decode("utf-8-sig"))))


def _constructors(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The `__init__` of each public class that has one."""
    return {
        node.name: part
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        for part in node.body
        if isinstance(part, ast.FunctionDef) and part.name == "__init__"
        if part.body[0].lineno > part.lineno
    }


def _made(name: str, classes: Mapping[str, ast.FunctionDef], depth: int = 0) -> str:
    arguments = _required(classes[name])[1:] if depth < _DEEPEST else []
    return f"{name}({', '.join(_example(each, classes, depth + 1) for each in arguments)})"


def _run(
    file: str,
    body: Sequence[ast.stmt],
    asking: Iterable[str],
    lines: Sequence[str],
) -> Iterator[First]:
    """The program itself, where running it is more than defining names."""
    outside = [node for node in body if not isinstance(node, ast.FunctionDef)]
    outer = {*asking, *_OUTSIDE}
    acts = [
        node
        for node in outside
        if (_names(node) & outer and isinstance(node, _ASSIGNMENTS))
        or not (isinstance(node, _QUIET) or _is_docstring(node))
    ]
    if acts:
        find = lines[acts[0].lineno - 1]
        yield First(
            name=file,
            file=file,
            action=f"run: {file}",
            find=find,
            replace=f"raise SystemExit\n{find}",
            asks=any(_names(node) & outer for node in outside),
        )


def _asking(functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """The functions that ask for input or open files, themselves or through others."""
    asking = set(_OUTSIDE)
    while True:
        more = {n for n, node in functions.items() if n not in asking and _names(node) & asking}
        if not more:
            return asking - _OUTSIDE
        asking |= more


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[: len(arguments) - len(node.args.defaults)]


def _example(argument: ast.arg, classes: Mapping[str, ast.FunctionDef], depth: int = 0) -> str:
    """A value of the annotated type; 2 where there is none that we know."""
    kind = ast.unparse(argument.annotation) if argument.annotation else ""
    if kind.strip("'\"") in classes:
        return _made(kind.strip("'\""), classes, depth)
    return _EXAMPLES.get(kind.partition("[")[0], "2")
