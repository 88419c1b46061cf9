"""Checks module-level code, and that no file redefines the names of provided constants."""

import ast
from collections.abc import Iterator, Mapping, Set

from harness.model.policy import PolicyGroup
from harness.policy.index import (
    BINDERS,
    FUNCTIONS,
    ScopeKind,
    Visit,
    base_of,
    children,
    is_main_guard,
    misspelt_guard,
    name_bound,
)
from harness.policy.rule import Breach, CheckedFile, FindingKind, ListSetting, policy_rule, short

_RIGHT_GUARD = '`if __name__ == "__main__":`'
_GUARD = f"the {_RIGHT_GUARD} guard"
# By the key that permits it: its name, and its statements.
_PARTS: Mapping[str, tuple[str, tuple[type[ast.stmt], ...]]] = {
    "imports": ("an import", (ast.Import, ast.ImportFrom)),
    "constants": ("a constant", (ast.Assign, ast.AnnAssign)),
    "functions": ("a function", FUNCTIONS),
    "classes": ("a class", (ast.ClassDef,)),
    "main_guard": (_GUARD, ()),
}


def _part_names() -> tuple[str, ...]:
    return tuple(_PARTS)


@policy_rule(
    60,
    FindingKind(name="module_level", title="Code outside functions", group=PolicyGroup.STRUCTURE),
    ListSetting(
        key="module_level",
        description="imports, constants, functions, classes, main_guard.",
        noun="kind of code",
        names=_part_names,
        may_forbid=False,
    ),
)
def check_module_level(file: CheckedFile) -> Iterator[Breach]:
    """Yield module-level code that is not allowed; docstrings always are.

    Imports are only checked here if no import rule covers them.
    """
    names = file.policy.names("module_level")
    if names is None:
        return
    allowed = set(names.allow or ())
    if file.policy.imports is not None:
        allowed.add("imports")
    pending = list(file.index.tree.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.If) and is_main_guard(node.test):
            pending += node.orelse
        message = _why_not(node, allowed)
        if message:
            yield Breach(node, message)


def _why_not(node: ast.stmt, allowed: Set[str]) -> str:
    """Return why a statement is not allowed at module level; "" if it is."""
    # A docstring, a text used as a comment, or `...`.
    is_bare_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Pass) or is_bare_constant:
        return ""
    part = _part_of(node)
    if not part:
        return _why_not_code(node)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        why = _why_not_constant(node)
        if why:
            return why
    if part in allowed:
        return ""
    words, _ = _PARTS[part]
    return f"{words} is not allowed at module level"


def _part_of(node: ast.stmt) -> str:
    """Return the key in policy.yaml that allows such a statement; "" if none does."""
    if isinstance(node, ast.If) and is_main_guard(node.test):
        return "main_guard"
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Lambda):
        return "functions"
    for key, (_, kinds) in _PARTS.items():
        if isinstance(node, kinds):
            return key
    return ""


def _why_not_code(node: ast.stmt) -> str:
    if isinstance(node, ast.If):
        condition = misspelt_guard(node.test)
        if condition:
            return misspelt_words(condition)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = _call_name(node.value)
        called = f"{name} is called when the file is loaded, outside every function"
        return _CALLS.get(name, called)
    what = _STATEMENTS.get(type(node), "code")
    return f"{what} runs when the file is loaded, outside every function"


def _why_not_constant(node: ast.Assign | ast.AnnAssign) -> str:
    """Return why an assignment does not define a constant; "" if it does."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not all(map(_is_plain_target, targets)):
        return "changes something at module level; define only constants there"
    call = None
    if node.value is not None:
        call = _first_call(node.value)
    if call is None:
        return ""
    name = _call_name(call)
    if name == "input":
        return _ASKS
    return f"{name} is called when the file is loaded; write the constant as a value"


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_plain_target, target.elts))
    return isinstance(target, ast.Name)


def _first_call(value: ast.expr) -> ast.expr | None:
    pending: list[ast.AST] = [value]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call | ast.Await):
            return node
        if not isinstance(node, ast.Lambda):  # its body runs later, if ever
            pending.extend(children(node))
    return None


def _call_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(base_of(node.func), ast.Name):
        return short(ast.unparse(node.func))
    return "a function"


def misspelt_words(condition: str) -> str:
    """Return a sentence about a misspelt main guard that is never true."""
    return f"the main guard is misspelt: `if {condition}:` is never true; write {_RIGHT_GUARD}"


_ASKS = "input is called when the file is loaded, outside every function"
_CALLS = {
    "main": f"main() is called outside {_GUARD}, so it runs when the file is loaded",
    "print": "prints when the file is loaded, outside every function",
}
_STATEMENTS = {
    ast.For: "a for loop",
    ast.While: "a while loop",
    ast.If: "an if statement",
    ast.With: "a with block",
    ast.Try: "a try block",
    ast.AugAssign: "an assignment such as +=",
    ast.Delete: "a del statement",
    ast.Expr: "an expression",
}


@policy_rule(
    70,
    FindingKind(
        name="overrides_provided",
        title="Replaces a provided constant",
        group=PolicyGroup.STRUCTURE,
    ),
)
def check_overrides(file: CheckedFile) -> Iterator[Breach]:
    """Yield module-level assignments to provided names, and changes to the provided module."""
    provided = file.provided
    modules = frozenset(file.policy.provided_modules)
    for visit in file.index.of(*BINDERS):
        name = name_bound(visit.node)
        scope = visit.scope
        is_for_the_file = scope.kind is ScopeKind.MODULE or name in scope.declared_global
        if name not in provided or not is_for_the_file:
            continue
        if not _comes_from(visit, modules):
            why = "setting it here overrides the provided value"
            yield Breach(visit.node, f"{name} is provided; {why}")
    for attribute in file.index.of(ast.Attribute):
        node = attribute.node
        if isinstance(node.ctx, ast.Load) or node.attr not in provided:
            continue
        module = node.value
        if isinstance(module, ast.Name) and module.id in modules:
            yield Breach(node, f"{node.attr} is provided; do not change it")


def _comes_from(visit: Visit[ast.AST], modules: frozenset[str]) -> bool:
    """Return whether the value is the provided value itself, as in `from a1_support import
    BOARD_SIZE`.
    """
    holder = visit.holder
    if not isinstance(visit.node, ast.alias) or not isinstance(holder, ast.ImportFrom):
        return False
    return holder.module in modules and visit.node.asname in (None, visit.node.name)
