"""The rules, one method for each kind of statement that is allowed; any other means no."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from harness.policy.nodes import walk
from harness.policy.statelessness import allowed
from harness.policy.statelessness.bindings import Kind, bound_in, parameters
from harness.policy.statelessness.expressions import ExpressionRules, Refused


class Rules(ExpressionRules):
    """Holds one module to all rules."""

    def check(self, tree: ast.Module) -> None:
        """Raise Refused for the first part that is not allowed."""
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
            elif isinstance(node, ast.ClassDef):
                self._class(node)
            else:
                self._statement(node)

    # Statements

    def _statement(self, node: ast.stmt) -> None:
        rule: Callable[[Any], None] | None = getattr(self, f"_do_{type(node).__name__}", None)
        if rule is None:
            raise Refused(node)
        rule(node)

    def _block(self, *blocks: Iterable[ast.stmt]) -> None:
        for block in blocks:
            for node in block:
                self._statement(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        known = self._modules.keys() | {"math", "random", "typing", "__future__"}
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        else:
            named = ["." if node.level else node.module or ""]
            if node.module == "typing" and any(alias.name == "*" for alias in node.names):
                raise Refused(node)
        bound = (alias.asname or alias.name for alias in node.names)
        if not known.issuperset(named) or any(map(allowed.is_dunder, bound)):
            raise Refused(node)

    def _do_FunctionDef(self, node: ast.FunctionDef) -> None:  # noqa: N802
        in_class = self._scope.kind == "class"
        if node.decorator_list:
            raise Refused(node.decorator_list[0], "is a decorator")
        if allowed.is_dunder(node.name) and not (in_class and node.name in allowed.DUNDER_METHODS):
            raise Refused(node)
        self._no_type_parameters(node)
        if node.returns is not None:
            self._annotation(node.returns)
        names = parameters(node.args)
        bound = bound_in(node.body)
        first = [*node.args.posonlyargs, *node.args.args][:1]
        instance = first[0].arg if in_class and first and first[0].arg not in bound else ""
        self._signature(node.args)
        with self._inside("function", {*names, *bound}, instance):
            self._block(node.body)

    def _class(self, node: ast.ClassDef) -> None:
        self._no_type_parameters(node)
        if node.decorator_list:
            raise Refused(node.decorator_list[0], "is a decorator")
        if node.keywords or allowed.is_dunder(node.name):
            raise Refused(node)
        for base in node.bases:
            self._base(base)
        with self._inside("class", bound_in(node.body)):
            for part in node.body:
                documentation = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
                plain = ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.Pass
                if not documentation and not isinstance(part, plain):
                    raise Refused(part, "is in the body of a class")
                self._statement(part)

    def _base(self, base: ast.expr) -> None:
        if isinstance(base, ast.Attribute):
            self._expression(base)
            return
        if not isinstance(base, ast.Name):
            raise Refused(base, "is a base class")
        binding = self._module.names.get(base.id)
        if binding is None:
            if base.id not in allowed.BASES:
                raise Refused(base, "is a base class")
        elif binding.kind is not Kind.VALUE:
            raise Refused(base, "is a base class")

    def _do_Return(self, node: ast.Return) -> None:  # noqa: N802
        if node.value is not None:
            self._expression(node.value)

    def _do_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        self._expression(node.value)

    def _do_Pass(self, node: ast.stmt) -> None:  # noqa: N802
        pass

    _do_Break = _do_Continue = _do_Pass  # noqa: N815

    def _do_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        name = node.targets[0]
        if self._scope.kind == "module" and isinstance(name, ast.Name):
            binding = self._module.names.get(name.id)
            if binding is not None and binding.kind is Kind.TYPE:
                self._target(name)
                self._annotation(node.value)
                return
        for target in node.targets:
            self._target(target)
        self._expression(node.value)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:  # noqa: N802
        self._target(node.target)
        self._expression(node.value)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:  # noqa: N802
        self._target(node.target)
        self._annotation(node.annotation)
        if node.value is not None:
            self._expression(node.value)

    def _do_Delete(self, node: ast.Delete) -> None:  # noqa: N802
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                raise Refused(target, "is deleted")
            self._target(target)

    def _do_For(self, node: ast.For) -> None:  # noqa: N802
        self._target(node.target)
        self._expression(node.iter)
        self._block(node.body, node.orelse)

    def _do_While(self, node: ast.While) -> None:  # noqa: N802
        self._expression(node.test)
        self._block(node.body, node.orelse)

    _do_If = _do_While  # noqa: N815

    def _do_Raise(self, node: ast.Raise) -> None:  # noqa: N802
        for part in (node.exc, node.cause):
            if part is not None:
                self._expression(part)

    def _do_Assert(self, node: ast.Assert) -> None:  # noqa: N802
        self._expression(node.test)
        if node.msg is not None:
            self._expression(node.msg)

    def _do_Try(self, node: ast.Try) -> None:  # noqa: N802
        self._scope.in_try += 1
        self._block(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self._expression(handler.type)
            if handler.name is not None and allowed.is_dunder(handler.name):
                raise Refused(handler)
            self._block(handler.body)
        self._block(node.orelse, node.finalbody)
        self._scope.in_try -= 1

    def _do_Match(self, node: ast.Match) -> None:  # noqa: N802
        self._expression(node.subject)
        for case in node.cases:
            for part in walk(case.pattern):
                self._pattern(part)
            if case.guard is not None:
                self._expression(case.guard)
            self._block(case.body)

    def _pattern(self, node: ast.AST) -> None:
        if isinstance(node, ast.MatchClass):
            kinds = {kind.__name__ for kind in allowed.DATA_TYPES}
            plain = isinstance(node.cls, ast.Name) and node.cls.id in kinds
            if not plain or node.kwd_attrs:
                raise Refused(node, "matches a class")
        elif isinstance(node, ast.MatchValue):
            self._expression(node.value)
        elif isinstance(node, ast.MatchMapping):
            for key in node.keys:
                self._expression(key)
            self._captured(node, node.rest)
        elif isinstance(node, ast.MatchAs | ast.MatchStar):
            self._captured(node, node.name)

    def _captured(self, node: ast.AST, name: str | None) -> None:
        if name is not None and allowed.is_dunder(name):
            raise Refused(node, "is bound")
