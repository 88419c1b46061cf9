"""Check the requirements for a file, a class or a function: `structure:` in policy.yaml.

Each condition is a function here: its key, the kind of value that it takes, and the breaches in one
part of a program.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.model.policy import Condition, PolicyGroup
from harness.policy.index import (
    COMPREHENSIONS,
    DEFINITIONS,
    FUNCTIONS,
    is_main_guard,
    walk,
)
from harness.policy.rule import Breach, CheckedFile, FindingKind, policy_rule, short


class Holds(StrEnum):
    """The kind of value that a condition takes in policy.yaml."""

    COUNT = "count"  # a whole number: the most there may be
    FLAG = "flag"  # true: there must be one; false: there must be none
    NAMES = "names"  # a list of names


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPart:
    """A file, class or function under its name, with the file that it is in."""

    name: str
    node: ast.AST
    file: CheckedFile

    @property
    def place(self) -> ast.AST | None:
        """The node that findings about the whole part point at; None for a file."""
        if isinstance(self.node, ast.Module):
            return None
        return self.node

    def breach(self, problem: str) -> Breach:
        """Return a breach by the whole part, which the problem is said of."""
        return Breach(self.place, f"{self.name} {problem}")

    @property
    def definitions(self) -> list[tuple[str, ast.AST]]:
        """The functions and classes in it, also itself if it is one, under their names."""
        found: list[tuple[str, ast.AST]] = []
        for node in walk(self.node):
            if not isinstance(node, DEFINITIONS):
                continue
            name = node.name
            if node is self.node:
                name = self.name
            found.append((name, node))
        return found


Check = Callable[[CheckedPart, Condition], Iterator[Breach]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionKind:
    """A key under `structure:`."""

    key: str
    holds: Holds
    description: str  # for editors
    of_part: bool  # it is about a class or function, not about a file
    check: Check


CONDITIONS: dict[str, ConditionKind] = {}


def _condition(
    key: str, holds: Holds, description: str, *, of_part: bool = False
) -> Callable[[Check], Check]:
    """Make a condition of the function below."""

    def register(check: Check) -> Check:
        kind = ConditionKind(
            key=key, holds=holds, description=description, of_part=of_part, check=check
        )
        CONDITIONS[key] = kind
        return check

    return register


@policy_rule(80, FindingKind(name="requirement", title="Structure", group=PolicyGroup.STRUCTURE))
def check_requirements(file: CheckedFile) -> Iterator[Breach]:
    """Yield the conditions that parts of the file do not meet."""
    for requirement in file.policy.requirements:
        part = _part(file, requirement.scope)
        if part is None:
            continue
        for condition in requirement.conditions:
            kind = CONDITIONS[condition.key]
            yield from kind.check(part, condition)


def _part(file: CheckedFile, scope: str) -> CheckedPart | None:
    """Return the part of a file that a requirement is about; None if the file does not have it."""
    tree = file.index.tree
    if scope in ("", file.source.name):
        return CheckedPart(name=file.source.name, node=tree, file=file)
    node = definition_named(tree, scope)
    if node is None:
        return None
    return CheckedPart(name=scope, node=node, file=file)


def definition_named(tree: ast.Module, name: str) -> ast.AST | None:
    """Return the function `f`, class `C` or method `C.f` of a file, the last one of this name."""
    node: ast.AST | None = tree
    for part in name.split("."):
        found: ast.AST | None = None
        body: list[ast.stmt] = getattr(node, "body", [])
        for statement in body:
            if isinstance(statement, DEFINITIONS) and statement.name == part:
                found = statement
        node = found
    return node


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


_LOOPS = (ast.For, ast.AsyncFor, ast.While)
# The words that `uses` and `avoids` know beside names, with the kinds of nodes.
_KINDS: dict[str, tuple[type[ast.AST], ...]] = {
    "loop": _LOOPS,
    "for": (ast.For, ast.AsyncFor),
    "while": (ast.While,),
    "break": (ast.Break,),
    "continue": (ast.Continue,),
    "if": (ast.If, ast.IfExp),
    "try": (ast.Try, ast.TryStar),
    "raise": (ast.Raise,),
    "with": (ast.With, ast.AsyncWith),
    "global": (ast.Global,),
    "lambda": (ast.Lambda,),
    "class": (ast.ClassDef,),
    "comprehension": COMPREHENSIONS,
    "slice": (ast.Slice,),
    "+": (ast.Add,),
    "-": (ast.Sub,),
    "*": (ast.Mult,),
    "/": (ast.Div,),
    "//": (ast.FloorDiv,),
    "%": (ast.Mod,),
    "**": (ast.Pow,),
    "and": (ast.And,),
    "or": (ast.Or,),
    "not": (ast.Not,),
    "in": (ast.In, ast.NotIn),
    "==": (ast.Eq,),
    "is": (ast.Is, ast.IsNot),
}
WORDS = (*_KINDS, "while_true")


def _uses_of(part: CheckedPart, word: str) -> Iterator[ast.AST]:
    """Yield the nodes of a part that use a word or a name; without a place, the one around."""
    for node in walk(part.node):
        has_place = hasattr(node, "lineno")
        if has_place and node is not part.node and _uses(node, word):
            yield node


def _uses(node: ast.AST, word: str) -> bool:
    """Return whether a node, without those below it, uses a word or a name."""
    if word == "while_true":
        return isinstance(node, ast.While) and _is_true(node.test)
    kinds = _KINDS.get(word)
    if kinds is None:
        return _names(node, word)
    if isinstance(node, kinds):
        return True
    return any(isinstance(operator, kinds) for operator in _operators(node))


def _operators(node: ast.AST) -> list[ast.AST]:
    """Return the operators of an expression or `+=`, which have no place themselves."""
    if isinstance(node, ast.Compare):
        return list(node.ops)
    operator = getattr(node, "op", None)
    if isinstance(operator, ast.AST):
        return [operator]
    return []


def _names(node: ast.AST, name: str) -> bool:
    """Return whether a node uses a function, a method (`.sort` or `sort`) or a module."""
    match node:
        case ast.Name(id=used, ctx=ast.Load()):
            return used == name
        case ast.Attribute(attr=used):
            return used == name.removeprefix(".")
        case ast.Import():
            modules = [alias.name for alias in node.names]
            return name in map(_top_package, modules)
        case ast.ImportFrom():
            return _top_package(node.module or "") == name
    return False


def _top_package(module: str) -> str:
    top, _, _ = module.partition(".")
    return top


def _in_words(word: str) -> str:
    if word == "while_true":
        return "`while True`"
    if word == "loop":
        return "a loop"
    return f"`{short(word)}`"


@_condition("uses", Holds.NAMES, "Names and kinds of code that must appear.")
def _check_uses(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for word in condition.names:
        first = next(_uses_of(part, word), None)
        if first is None:
            yield part.breach(f"does not use {_in_words(word)}")


@_condition("avoids", Holds.NAMES, "Names and kinds of code that must not appear.")
def _check_avoids(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for word in condition.names:
        message = f"{part.name} may not use {_in_words(word)}"
        for node in _uses_of(part, word):
            yield Breach(node, message, word)


@_condition("lines", Holds.COUNT, "The most lines of code, without blank ones and comments.")
def _check_lines(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    lines = _count_code_lines(part)
    if lines > condition.count:
        yield part.breach(f"has {lines} lines of code; at most {condition.count} are allowed")


def _count_code_lines(part: CheckedPart) -> int:
    """Return the number of lines that are neither blank nor only a comment or docstring."""
    source = part.file.source
    first = getattr(part.node, "lineno", 1)
    last = getattr(part.node, "end_lineno", None) or len(source.lines)
    left_out: set[int] = set()
    for node in walk(part.node):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            end = node.end_lineno or node.lineno
            left_out.update(range(node.lineno, end + 1))
    count = 0
    for number in range(first, last + 1):
        text = source.lines[number - 1].strip()
        is_comment = text.startswith("#") or number in left_out
        if text and not is_comment:
            count += 1
    return count


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@_condition("prints", Holds.COUNT, "The most calls of print.")
def _check_prints(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    calls = _prints(part)
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    too_many = calls[condition.count :]
    for node in too_many:
        what = f"{part.name} calls print {len(calls)} times; at most {condition.count} are allowed"
        yield Breach(node, what)


def _prints(part: CheckedPart) -> list[ast.Call]:
    """Return the calls of print, in the order of `walk`."""
    calls: list[ast.Call] = []
    for node in walk(part.node):
        if isinstance(node, ast.Call) and _is_name(node.func, "print"):
            calls.append(node)
    return calls


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@_condition("printed_literals", Holds.FLAG, "false: no print of a text that is written out.")
def _check_literals(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    literal = list(filter(_is_literal, _prints(part)))
    if condition.wanted:
        if not literal:
            yield part.breach("prints no text that is written out")
        return
    for node in literal:
        yield Breach(node, f"{part.name} prints a text that is written out")


def _is_literal(call: ast.Call) -> bool:
    """Return whether all arguments of a call, at least one, are written out."""
    for argument in call.args:
        if not isinstance(argument, ast.Constant):
            return False
    return bool(call.args)


@_condition(
    "recursive", Holds.FLAG, "Whether the function must call itself, directly or not.", of_part=True
)
def _check_recursive(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    name = part.name
    reached: set[str] = set()
    pending = _called(part.node, name)
    tree = part.file.index.tree
    while pending:
        called = pending.pop()
        if called in reached:
            continue
        reached.add(called)
        other = definition_named(tree, called)
        if other is not None:
            pending |= _called(other, called)
    is_recursive = name in reached
    if condition.wanted and not is_recursive:
        yield part.breach("must be recursive, but it never calls itself")
    elif is_recursive and not condition.wanted:
        yield part.breach("calls itself; it must do without recursion")


def _called(node: ast.AST, name: str) -> set[str]:
    """Return the functions that a function of this name calls, and the methods of `self`."""
    holder, _, _ = name.rpartition(".")
    names: set[str] = set()
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Name(id=called)):
                names.add(called)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=called)) if holder:
                names.add(f"{holder}.{called}")
    return names


@_condition("main_guard", Holds.FLAG, "Whether the file must have a main guard.")
def _check_main_guard(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    file = part.file.source.name
    guard: ast.If | None = None
    for node in part.file.index.tree.body:
        if isinstance(node, ast.If) and is_main_guard(node.test):
            guard = node
            break
    if condition.wanted and guard is None:
        yield Breach(None, f"{file} has no main guard")
    elif guard is not None and not condition.wanted:
        yield Breach(guard, f"{file} may not have a main guard")


@_condition("docstrings", Holds.FLAG, "true: all functions and classes have a docstring.")
def _check_docstrings(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for name, node in part.definitions:
        has_one = ast.get_docstring(node) is not None  # type: ignore[arg-type]
        needs_one = condition.wanted and not _is_special(name)
        if needs_one and not has_one:
            yield Breach(node, f"{short(name)} has no docstring")
        elif has_one and not condition.wanted:
            yield Breach(node, f"{short(name)} may not have a docstring")


def _is_special(name: str) -> bool:
    _, _, last = name.rpartition(".")
    return last.startswith("__") and last.endswith("__")


@_condition("type_hints", Holds.FLAG, "true: all parameters and return values have a type hint.")
def _check_type_hints(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for name, node in part.definitions:
        if not isinstance(node, FUNCTIONS):
            continue
        is_method = _is_method(part, node)
        missing = _without_hint(node, is_method=is_method)
        if condition.wanted and missing:
            parameters = ", ".join(missing)
            yield Breach(node, f"{short(name)} has no type hint for {parameters}")
        elif not condition.wanted and not missing:
            yield Breach(node, f"{short(name)} may not have type hints")


def _is_method(part: CheckedPart, node: ast.AST) -> bool:
    for holder in walk(part.file.index.tree):
        if isinstance(holder, ast.ClassDef) and node in holder.body:
            return True
    return False


def _without_hint(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> list[str]:
    """Return the parameters without a type hint, and "the return value"."""
    parameters = [*node.args.posonlyargs, *node.args.args]
    if is_method:
        del parameters[:1]
    parameters += node.args.kwonlyargs
    missing: list[str] = []
    for parameter in parameters:
        if parameter.annotation is None:
            missing.append(short(parameter.arg))
    if node.returns is None and not _is_special(node.name):
        missing.append("the return value")
    return missing


@_condition("inherits", Holds.NAMES, "The classes that a class derives from.", of_part=True)
def _check_inherits(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    bases: set[str] = set()
    if isinstance(part.node, ast.ClassDef):
        for base in part.node.bases:
            _, _, base_name = ast.unparse(base).rpartition(".")
            bases.add(base_name)
    for name in condition.names:
        if name not in bases:
            yield part.breach(f"does not inherit from {name}")


@_condition(
    "public",
    Holds.NAMES,
    "The only attributes and methods of a class without underscore.",
    of_part=True,
)
def _check_public(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for node in walk(part.node):
        name = _member(node)
        is_public = name != "" and not name.startswith("_")
        if is_public and name not in condition.names:
            yield Breach(node, f"{part.name}.{short(name)} is public; begin its name with _")


def _member(node: ast.AST) -> str:
    """Return the name of a method, or of an attribute of `self` that is given a value."""
    match node:
        case ast.FunctionDef(name=name, args=ast.arguments(args=[ast.arg(arg="self"), *_])):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
            return name
    return ""
