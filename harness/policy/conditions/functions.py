"""Conditions on functions: recursion, docstrings, type hints; and on the `if __name__ ==
"__main__"` guard.
"""

import ast
from collections.abc import Iterator, Mapping, Set

from harness.model.policy import Condition
from harness.policy.condition import (
    About,
    CheckedPart,
    Holds,
    condition_kind,
    definition_named,
    is_name,
    is_static,
)
from harness.policy.index import FUNCTIONS, is_main_guard, walk
from harness.policy.rule import Breach, short


@condition_kind(
    "recursive",
    Holds.FLAG,
    "Whether the function must be recursive: it, or a function that it calls, calls itself.",
    about=About.FUNCTION,
)
def _check_recursive(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    is_recursive = _is_recursive(part, only_own_methods=not condition.wanted)
    if condition.wanted and not is_recursive:
        yield part.breach("must be recursive, but it never calls itself")
    elif is_recursive and not condition.wanted:
        yield part.breach("calls itself, directly or not; it must do without recursion")


def _is_recursive(part: CheckedPart, *, only_own_methods: bool) -> bool:
    """Return whether a function is recursive or calls a recursive one.

    A method called on an object other than `self` counts as the method of this class, unless
    `only_own_methods` is true.
    """
    calls: dict[str, set[str]] = {}
    pending = [(part.name, part.node)]
    while pending:
        name, node = pending.pop()
        if name in calls:
            continue
        calls[name] = _called(node, name, only_own_methods=only_own_methods)
        inner: dict[str, ast.AST] = {}
        for helper in walk(node):
            if isinstance(helper, FUNCTIONS):
                inner[helper.name] = helper
        for called in calls[name]:
            other = inner.get(called) or definition_named(part.file.index.tree, called)
            if other is not None:
                pending.append((called, other))
    return any(name in _reached(calls, name) for name in calls)


def _reached(calls: Mapping[str, Set[str]], name: str) -> set[str]:
    """Return the functions that a function calls, directly or indirectly."""
    reached: set[str] = set()
    pending = set(calls[name])
    while pending:
        called = pending.pop()
        if called not in reached:
            reached.add(called)
            pending |= calls.get(called, set())
    return reached


def _called(node: ast.AST, name: str, *, only_own_methods: bool) -> set[str]:
    """Return the functions, and the methods of its own class, that a function calls."""
    holder, _, _ = name.rpartition(".")
    names: set[str] = set()
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Name(id=called)):
                names.add(called)
            case ast.Call(func=ast.Attribute(value=value, attr=called)) if holder:
                may_be_own = not only_own_methods and not _is_super(value)
                if _is_own(value, holder) or may_be_own:
                    names.add(f"{holder}.{called}")
    return names


def _is_own(value: ast.expr, holder: str) -> bool:
    """Return whether a value is `self`, `cls` or the class itself."""
    return isinstance(value, ast.Name) and value.id in ("self", "cls", holder)


def _is_super(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and is_name(value.func, "super")


@condition_kind(
    "main_guard", Holds.FLAG, "Whether the file must have a main guard.", about=About.FILE
)
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


@condition_kind("docstrings", Holds.FLAG, "true: all functions and classes have a docstring.")
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


@condition_kind(
    "type_hints", Holds.FLAG, "true: all parameters and return values have a type hint."
)
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
    """Return the parameters without a type hint, and "the return value" if it has none."""
    parameters = [*node.args.posonlyargs, *node.args.args]
    if is_method and not is_static(node):
        del parameters[:1]
    parameters += node.args.kwonlyargs
    for collecting in (node.args.vararg, node.args.kwarg):
        if collecting is not None:
            parameters.append(collecting)
    missing: list[str] = []
    for parameter in parameters:
        if parameter.annotation is None:
            missing.append(short(parameter.arg))
    if node.returns is None and not _is_special(node.name):
        missing.append("the return value")
    return missing
