"""Checks the code at module level, and the provided names that a file binds itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from harness.model.policy import PolicyRule
from harness.policy.findings import FindingCollector
from harness.policy.survey import (
    BINDERS,
    FUNCTIONS,
    ScopeKind,
    Survey,
    Visit,
    children,
    names_bound,
)
from harness.policy.words import short

_LEVEL = PolicyRule.MODULE_LEVEL
_GUARD = 'the `if __name__ == "__main__":` guard'


def check_module_level(
    survey: Survey, allow: tuple[str, ...], collector: FindingCollector, *, judge_imports: bool
) -> None:
    """`allow` is of: imports, constants, functions, classes, main_guard. Imports are judged here
    only where no rule of their own judges them."""
    _Level(allow, collector, judge_imports=judge_imports).statements(survey.tree.body)


class _Level:
    def __init__(
        self, allow: tuple[str, ...], collector: FindingCollector, *, judge_imports: bool
    ) -> None:
        self._allow = allow
        self._ledger = collector
        self._judge_imports = judge_imports

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Pass) or _is_bare_constant(node):
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            if self._judge_imports:
                self._need("imports", node, "an import")
        elif isinstance(node, FUNCTIONS):
            self._need("functions", node, "a function")
        elif isinstance(node, ast.ClassDef):
            self._need("classes", node, "a class")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._assignment(node)
        elif isinstance(node, ast.If) and is_main_guard(node.test):
            self._need("main_guard", node, _GUARD)
            self.statements(node.orelse)
        else:
            self._ledger.add(_LEVEL, node, _runs_at_load(node))

    def _need(self, kind: str, node: ast.stmt, what: str) -> None:
        if kind not in self._allow:
            self._ledger.add(_LEVEL, node, f"{what} is not permitted at module level")

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        call = _first_call(node.value) if node.value is not None else None
        if not all(_is_plain_target(target) for target in targets):
            message = "changes something at module level; only constants may be defined there"
            self._ledger.add(_LEVEL, node, message)
        elif call is not None:
            what = _called(call)
            message = f"{what} is called when the file is loaded; a constant is written as a value"
            if what == "input":
                message = "input is called when the file is loaded, outside every function"
            self._ledger.add(_LEVEL, node, message)
        else:
            self._need("constants", node, "a constant")


def _is_bare_constant(node: ast.stmt) -> bool:
    """A docstring, a text used as a comment, or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_main_guard(test: ast.expr) -> bool:
    """`__name__ == "__main__"`, either way round."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if not isinstance(test.ops[0], ast.Eq):
        return False
    sides = [test.left, test.comparators[0]]
    names = [side for side in sides if isinstance(side, ast.Name) and side.id == "__name__"]
    texts = [side for side in sides if isinstance(side, ast.Constant) and side.value == "__main__"]
    return len(names) == 1 and len(texts) == 1


def _is_plain_target(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain_target(part) for part in target.elts)
    return isinstance(target, ast.Name)


def _first_call(value: ast.expr) -> ast.expr | None:
    pending: list[ast.AST] = [value]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Lambda):
            continue  # runs later, if ever
        if isinstance(node, ast.Call | ast.Await):
            return node
        pending.extend(children(node))
    return None


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        return short(ast.unparse(node.func)) if _is_dotted(node.func) else "a function"
    return "a function"


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _runs_at_load(node: ast.stmt) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        what = _called(node.value)
        if what == "main":
            return f"main() is called outside {_GUARD}, so it runs when the file is loaded"
        if what == "print":
            return "prints when the file is loaded, outside every function"
        if what == "input":
            return "input is called when the file is loaded, outside every function"
        return f"{what} is called when the file is loaded, outside every function"
    names = {
        ast.For: "a for loop",
        ast.While: "a while loop",
        ast.If: "an if statement",
        ast.With: "a with block",
        ast.Try: "a try block",
        ast.AugAssign: "an assignment such as +=",
        ast.Delete: "a del statement",
        ast.Expr: "an expression",
    }
    what = names.get(type(node), "code")
    return f"{what} runs when the file is loaded, outside every function"


def check_overrides(
    survey: Survey, provided: frozenset[str], modules: frozenset[str], collector: FindingCollector
) -> None:
    """Bindings of provided names that hold for the whole file, and changes of their module."""
    for visit in survey.of(*BINDERS):
        for name in _bound_for_the_file(visit):
            if name in provided and not _comes_from(visit, modules):
                message = (
                    f"{name} is provided; binding it here keeps other values of it "
                    "from reaching this file"
                )
                collector.add(PolicyRule.OVERRIDES_PROVIDED, visit.node, message)
    for visit in survey.of(ast.Attribute):
        node = visit.node
        if (
            isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
            and node.attr in provided
        ):
            message = f"{node.attr} is provided; it may not be changed"
            collector.add(PolicyRule.OVERRIDES_PROVIDED, node, message)


def _bound_for_the_file(visit: Visit) -> Iterator[str]:
    scope = visit.scope
    for name in names_bound(visit.node):
        if scope.kind is ScopeKind.MODULE or name in scope.declared_global:
            yield name


def _comes_from(visit: Visit, modules: frozenset[str]) -> bool:
    """`from a1_support import BOARD_SIZE`: the provided value itself."""
    holder = visit.parent.node if visit.parent else None
    if not isinstance(visit.node, ast.alias) or not isinstance(holder, ast.ImportFrom):
        return False
    return holder.module in modules and visit.node.asname in (None, visit.node.name)
