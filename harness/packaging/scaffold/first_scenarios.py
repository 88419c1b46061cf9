"""What can be asked of a reference at once: its classes, its functions that need neither input nor
a file, and itself. Arguments to begin with are by the types that annotations name. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import UserError

_OUTSIDE = {"input", "open"}  # what a scenario has to provide for
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_QUIET = (ast.Import, ast.ImportFrom, ast.ClassDef, *_ASSIGNMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """A first scenario: what it is about, `call: …` or `run: …`, and a change of `file` after
    which it fails (`find` and `replace` as in mutants.yaml). `asks`: it needs input or files, which
    only a person can choose. `others` are calls with other arguments, `raises` is the exception
    that it should raise; `seeded`: chance is part of it."""

    name: str
    file: str
    action: str
    find: str
    replace: str
    asks: bool = False
    others: tuple[str, ...] = ()
    raises: str = ""
    seeded: bool = False

    def attempt(self, number: int) -> First:
        """With other arguments: those of this number, from 1 on; 0 is itself."""
        return replace(self, action=self.others[number - 1]) if number else self


def first_scenarios(file: str, source: bytes) -> tuple[First, ...]:
    """Those of one Python file, in its order; arguments are examples of their annotated types. One
    that asks is there where it is the only one. UserError where it is no Python."""
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
            _call(file, name, [made(name, classes, n) for n in range(ATTEMPTS)], node, lines)
            for name, node in classes.items()
            if not _names(node) & {*asking, *_OUTSIDE}
        ),
        *(
            _call(file, name, [called(node, classes, n) for n in range(ATTEMPTS)], node, lines)
            for name, node in functions.items()
            if name not in {*asking, "main"} and not name.startswith("_")
            if node.body[0].lineno > node.lineno
        ),
        *_run(file, tree.body, asking, lines),
    )
    return tuple(each for each in found if not each.asks) or found


def _call(
    file: str, name: str, calls: Sequence[str], node: ast.FunctionDef, lines: Sequence[str]
) -> First:
    find = "\n".join(_once(lines, node.lineno - 1, node.body[0].lineno - 1))
    inside = " " * (node.col_offset + 4)
    replaced = f"{find}\n{inside}raise NotImplementedError"
    action, *others = dict.fromkeys(f"call: {call}" for call in calls)
    return First(
        name=name, file=file, action=action, find=find, replace=replaced, others=tuple(others)
    )


def _once(lines: Sequence[str], start: int, stop: int) -> list[str]:
    """These lines, with as many before them as it takes to find them once, at any indentation."""
    while True:
        block = [line.strip() for line in lines[start:stop]]
        windows = (
            [line.strip() for line in lines[n : n + stop - start]] for n in range(len(lines))
        )
        if not start or sum(window == block for window in windows) == 1:
            return list(lines[start:stop])
        start -= 1


def class_names(source: bytes) -> tuple[str, ...]:
    """The classes whose objects scenarios may return. `source` is Python."""
    body = ast.parse(source.decode("utf-8-sig")).body
    return tuple(node.name for node in body if isinstance(node, ast.ClassDef))


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


def _run(
    file: str, body: Sequence[ast.stmt], asking: Iterable[str], lines: Sequence[str]
) -> Iterator[First]:
    """The program itself, where running it is more than defining names."""
    outside = [n for n in body if not (isinstance(n, ast.FunctionDef) or _is_docstring(n))]
    outer = {*asking, *_OUTSIDE}
    acts = [
        node
        for node in outside
        if (_names(node) & outer and isinstance(node, _ASSIGNMENTS)) or not isinstance(node, _QUIET)
    ]
    if acts:
        *before, line = _once(lines, acts[0].lineno - 1, acts[0].lineno)
        yield First(
            name=file,
            file=file,
            action=f"run: {file}",
            find="\n".join([*before, line]),
            replace="\n".join([*before, "raise SystemExit", line]),
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


ATTEMPTS = 4
_EXAMPLES = {  # of each type the simplest, and another
    "int": ("2", "5"),
    "float": ("1.5", "2.5"),
    "str": ('"a"', '"abc"'),
    "bool": ("True", "False"),
    "list": ("[]", "[3, 1]"),
    "dict": ("{}", '{"a": 1}'),
}
_OF_ANY_TYPE = ("2", "[3, 1]", '"abc"', '{"a": 1}')
_DEEPEST = 3  # objects in objects

Constructors = Mapping[str, ast.FunctionDef]


def called(node: ast.FunctionDef, classes: Constructors, attempt: int) -> str:
    """The call with the arguments that a function requires. `classes` has the `__init__` of each
    class that may be made, `attempt` counts from 0."""
    listed = (_example(each.annotation, classes, attempt, 0) for each in _required(node))
    return f"{node.name}({', '.join(listed)})"


def made(name: str, classes: Constructors, attempt: int, depth: int = 0) -> str:
    """The call that makes an object of this class."""
    arguments = _required(classes[name])[1:] if depth < _DEEPEST else []
    listed = (_example(each.annotation, classes, attempt, depth + 1) for each in arguments)
    return f"{name}({', '.join(listed)})"


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[: len(arguments) - len(node.args.defaults)]


def _example(kind: ast.expr | None, classes: Constructors, attempt: int, depth: int) -> str:
    """A value of the annotated type."""
    text = ast.unparse(kind).strip("'\"") if kind else ""
    if text in classes:
        return made(text, classes, attempt, depth)
    if attempt:
        match kind:
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                return f"[{_example(inner, classes, attempt, depth)}]"
            case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
                parts = (_example(each, classes, attempt, depth) for each in (key, value))
                return f"{{{': '.join(parts)}}}"
    examples = _EXAMPLES.get(text.partition("[")[0])
    return examples[attempt > 0] if examples else _OF_ANY_TYPE[attempt]
