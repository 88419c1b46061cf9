"""Generate the first scenarios of a reference (the course's solution): calls and program runs.

There is a call of each public function and class, and a run of each file that is a program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.common.errors import UserError
from harness.packaging.scaffold.syntax import names_in

# A scenario has to provide input or files for these functions.
_OUTSIDE = {"input", "open"}
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_QUIET = (ast.Import, ast.ImportFrom, ast.ClassDef, *_ASSIGNMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """A generated scenario, and a change of `file` (a mutant) that makes the scenario fail."""

    name: str
    file: str
    # `call: …` or `run: …`
    action: str
    # The change, as in mutants.yaml.
    find: str
    replace: str
    # Whether it needs input or files, which only a person can choose.
    asks: bool = False
    # Calls with other arguments.
    others: tuple[str, ...] = ()
    # The exception that it should raise.
    raises: str = ""
    # Whether its result depends on chance.
    seeded: bool = False

    def attempt(self, number: int) -> First:
        """Return the scenario with its other arguments of this number, from 1 on. 0 returns the
        scenario itself.
        """
        if number == 0:
            return self
        return replace(self, action=self.others[number - 1])


def first_scenarios(file: str, source: bytes) -> tuple[First, ...]:
    """Return the scenarios of one Python file, in the order of its definitions.

    Arguments are example values of the annotated types. Functions that ask for input are left out,
    unless there is nothing else to call. Raise UserError if the file is not Python.
    """
    try:
        text = source.decode("utf-8-sig")
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise UserError(f"this is not Python ({error})", place=file) from None
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    asking = _asking(functions)
    lines = text.splitlines()
    classes = _constructors(tree)
    found: list[First] = []
    outside = asking | _OUTSIDE
    for name, node in classes.items():
        if not names_in(node) & outside:
            calls = [make_call(name, classes, attempt) for attempt in range(ATTEMPTS)]
            found.append(_call(file, name, calls, node, lines))
    not_called = asking | {"main"}
    for name, node in functions.items():
        is_public = name not in not_called and not name.startswith("_")
        if is_public and _has_body_below(node):
            calls = [called(node, classes, attempt) for attempt in range(ATTEMPTS)]
            found.append(_call(file, name, calls, node, lines))
    found += _run(file, tree.body, asking, lines)
    without_input = [first for first in found if not first.asks]
    return tuple(without_input or found)


def unwritten(file: str, source: bytes) -> Iterator[First]:
    """Yield a change for each function, class and program of a file: its body raises
    NotImplementedError.

    Raise SyntaxError if the file is not Python.
    """
    text = source.decode("utf-8-sig")
    tree = ast.parse(text)
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and _has_body_below(part):
                    yield _call(file, node.name, [node.name], part, lines)
                    break
        elif isinstance(node, ast.FunctionDef) and _has_body_below(node):
            yield _call(file, node.name, [node.name], node, lines)
        elif isinstance(node, ast.FunctionDef):
            yield _in_a_line(file, node, lines)
    yield from _run(file, tree.body, (), lines)


def _in_a_line(file: str, node: ast.FunctionDef, lines: Sequence[str]) -> First:
    """Return the change that replaces the body of a one-line function, such as `def f(): return
    1`.
    """
    first = node.body[0]
    *before, line = _once(lines, node.lineno - 1, first.lineno)
    head = line.encode()[: first.col_offset].decode()
    changed = f"{head}raise NotImplementedError"
    return First(
        name=node.name,
        file=file,
        action=f"call: {node.name}()",
        find="\n".join([*before, line]),
        replace="\n".join([*before, changed]),
    )


def _has_body_below(node: ast.FunctionDef) -> bool:
    """Return whether the body begins on a line below `def`, so that whole lines can be replaced."""
    return node.body[0].lineno > node.lineno


def _call(
    file: str, name: str, calls: Sequence[str], node: ast.FunctionDef, lines: Sequence[str]
) -> First:
    end = node.body[0].lineno - 1
    head = _once(lines, node.lineno - 1, end)
    find = "\n".join(head)
    indentation = " " * (node.col_offset + 4)
    replaced = f"{find}\n{indentation}raise NotImplementedError"
    action, *others = dict.fromkeys(f"call: {call}" for call in calls)
    return First(
        name=name, file=file, action=action, find=find, replace=replaced, others=tuple(others)
    )


def _once(lines: Sequence[str], start: int, stop: int) -> list[str]:
    """Return `lines[start:stop]`, preceded by as many earlier lines as make the text unique in the
    file.

    Indentation is ignored in the comparison.
    """
    stripped = [line.strip() for line in lines]
    while start:
        part = stripped[start:stop]
        if _occurrences(stripped, part) == 1:
            break
        start -= 1
    return list(lines[start:stop])


def _occurrences(lines: Sequence[str], part: Sequence[str]) -> int:
    count = 0
    for start in range(len(lines)):
        end = start + len(part)
        if lines[start:end] == part:
            count += 1
    return count


def class_names(source: bytes) -> tuple[str, ...]:
    """Return the names of classes whose objects scenarios may return.

    `source` must be valid Python.
    """
    text = source.decode("utf-8-sig")
    body = ast.parse(text).body
    return tuple(node.name for node in body if isinstance(node, ast.ClassDef))


def _constructors(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Return the `__init__` of each public class that has one."""
    constructors = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        for part in node.body:
            if not isinstance(part, ast.FunctionDef):
                continue
            if part.name == "__init__" and _has_body_below(part):
                constructors[node.name] = part
    return constructors


def _run(
    file: str, body: Sequence[ast.stmt], asking: Iterable[str], lines: Sequence[str]
) -> Iterator[First]:
    """Yield a run of the file as a program, if the file does more than define names."""
    asking_names = {*asking, *_OUTSIDE}
    asks = False
    first_act: ast.stmt | None = None
    for node in body:
        if isinstance(node, ast.FunctionDef) or _is_docstring(node):
            continue
        node_asks = bool(names_in(node) & asking_names)
        asks = asks or node_asks
        acts = not isinstance(node, _QUIET)
        if node_asks and isinstance(node, _ASSIGNMENTS):
            acts = True
        if acts and first_act is None:
            first_act = node
    if first_act is None:
        return
    number = first_act.lineno
    *before, line = _once(lines, number - 1, number)
    yield First(
        name=file,
        file=file,
        action=f"run: {file}",
        find="\n".join([*before, line]),
        replace="\n".join([*before, "raise SystemExit", line]),
        asks=asks,
    )


def _asking(functions: Mapping[str, ast.FunctionDef]) -> set[str]:
    """Return the names of functions that ask for input or open files, directly or through other
    functions.
    """
    asking = set(_OUTSIDE)
    # A chain of calls is at most as long as the number of functions.
    for _ in functions:
        for name, node in functions.items():
            if names_in(node) & asking:
                asking.add(name)
    return asking - _OUTSIDE


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


ATTEMPTS = 4
# The simplest value of each type, and another one.
_EXAMPLES = {
    "int": ("2", "5"),
    "float": ("1.5", "2.5"),
    "str": ('"a"', '"abc"'),
    "bool": ("True", "False"),
    "list": ("[]", "[3, 1]"),
    "dict": ("{}", '{"a": 1}'),
}
_OF_ANY_TYPE = ("2", "[3, 1]", '"abc"', '{"a": 1}')
# Objects inside objects.
_MAX_DEPTH = 3

Constructors = Mapping[str, ast.FunctionDef]


def called(node: ast.FunctionDef, classes: Constructors, attempt: int) -> str:
    """Return a call of the function with an example value for each required argument: `area(1,
    2.5)`.

    `classes` has the `__init__` of each class whose objects may be arguments. `attempt`, from 0,
    selects among the example values.
    """
    return _call_text(node.name, _required(node), classes, attempt, 0)


def make_call(name: str, classes: Constructors, attempt: int, depth: int = 0) -> str:
    """Return the text of a call that creates an object of this class."""
    arguments = []
    if depth < _MAX_DEPTH:
        arguments = _required(classes[name])[1:]
    return _call_text(name, arguments, classes, attempt, depth + 1)


def _call_text(
    name: str, arguments: Iterable[ast.arg], classes: Constructors, attempt: int, depth: int
) -> str:
    examples = []
    for argument in arguments:
        examples.append(_example(argument.annotation, classes, attempt, depth))
    stated = ", ".join(examples)
    return f"{name}({stated})"


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    given = node.args
    arguments = [*given.posonlyargs, *given.args]
    required = len(arguments) - len(given.defaults)
    return arguments[:required]


def _example(kind: ast.expr | None, classes: Constructors, attempt: int, depth: int) -> str:
    """Return an example value of the annotated type as Python text."""
    text = ""
    if kind:
        text = ast.unparse(kind).strip("'\"")
    if text in classes:
        return make_call(text, classes, attempt, depth)
    if attempt:
        match kind:
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                item = _example(inner, classes, attempt, depth)
                return f"[{item}]"
            case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
                key_text = _example(key, classes, attempt, depth)
                value_text = _example(value, classes, attempt, depth)
                return f"{{{key_text}: {value_text}}}"
    type_name, _, _ = text.partition("[")
    examples = _EXAMPLES.get(type_name)
    if examples is None:
        return _OF_ANY_TYPE[attempt]
    simplest, another = examples
    return another if attempt else simplest
