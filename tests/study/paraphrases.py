"""The same written by somebody else: statements in another shape, not only under other names.

Nobody runs what comes out: it is compared, so what it would do matters less than its shape.
"""

from __future__ import annotations

import ast
import random


def paraphrased(function: ast.FunctionDef, chance: random.Random, share: float) -> ast.FunctionDef:
    """The function with about this share of the statements that can be turned written otherwise."""
    return _Paraphrase(chance, share).visit(function)  # type: ignore[no-any-return]


class _Paraphrase(ast.NodeTransformer):
    def __init__(self, chance: random.Random, share: float) -> None:
        self.chance, self.share, self.names = chance, share, 0

    def _turns(self) -> bool:
        return self.chance.random() < self.share

    def _name(self) -> str:
        self.names += 1
        return f"step{self.names}"

    def _apart(self, value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """A value computed before it is used."""
        name = self._name()
        before = ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
        return [before], ast.Name(name, ast.Load())

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        if node.value is None or isinstance(node.value, ast.Name) or not self._turns():
            return node
        before, node.value = self._apart(node.value)
        return [*before, node]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        before = self._arguments_apart(node.value)
        return [*before, node]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        before = self._arguments_apart(node.value)
        return [*before, node]

    def _arguments_apart(self, value: ast.expr) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        if isinstance(value, ast.Call):
            for at, argument in enumerate(value.args):
                simple = isinstance(argument, ast.Name | ast.Constant | ast.Starred)
                if not simple and self._turns():
                    first, value.args[at] = self._apart(argument)
                    before += first
        elif isinstance(value, ast.BinOp) and self._turns():
            first, value.left = self._apart(value.left)
            before += first
        return before

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        before: list[ast.stmt] = []
        if self._turns() and isinstance(node.test, ast.BoolOp) and not node.orelse:
            if isinstance(node.test.op, ast.And):
                inner = ast.If(node.test.values.pop(), node.body, [])
                node.body = [inner]
                if len(node.test.values) == 1:
                    node.test = node.test.values[0]
        elif self._turns() and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body
        elif self._turns() and not isinstance(node.test, ast.Name):
            before, node.test = self._apart(node.test)
        return [*before, node]

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if not self._turns():
            return node
        before, node.iter = self._apart(node.iter)
        if isinstance(node.target, ast.Name) and self._turns():
            name = self._name()
            take = ast.Assign([node.target], ast.Name(name, ast.Load()), lineno=0)
            node.target = ast.Name(name, ast.Store())
            node.body = [take, *node.body]
        return [*before, node]

    def visit_While(self, node: ast.While) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant) or not self._turns():
            return node
        leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        node.test = ast.Constant(True)
        node.body = [leave, *node.body]
        return node
