"""What people do to a copied program so that it does not look copied."""

from __future__ import annotations

import ast
import builtins
import random
from collections.abc import Callable

Disguise = Callable[[ast.Module, random.Random], ast.Module]


def renamed(tree: ast.Module, chance: random.Random) -> ast.Module:
    """Other names for all local variables and parameters."""

    class Rename(ast.NodeTransformer):
        def __init__(self) -> None:
            self.names: dict[str, str] = {}

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            bound = {each.arg for each in node.args.args} | {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            self.names = {
                name: f"{chance.choice('abcdefgh')}{number}_{name[::-1]}"
                for number, name in enumerate(sorted(bound))
                if not hasattr(builtins, name)
            }
            self.generic_visit(node)
            self.names = {}
            return node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            node.id = self.names.get(node.id, node.id)
            return node

        def visit_arg(self, node: ast.arg) -> ast.AST:
            node.arg = self.names.get(node.arg, node.arg)
            return node

    return Rename().visit(tree)  # type: ignore[no-any-return]


def reordered(tree: ast.Module, chance: random.Random) -> ast.Module:
    """The functions in another order."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    chance.shuffle(functions)
    order = iter(functions)
    tree.body = [next(order) if isinstance(n, ast.FunctionDef) else n for n in tree.body]
    return tree


def without_comments(tree: ast.Module, _: random.Random) -> ast.Module:
    """No docstrings and no annotations; comments are lost with the tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                node.body = node.body[1:]
            node.returns = None
            for each in node.args.args:
                each.annotation = None
    return tree


def loops_turned(tree: ast.Module, _: random.Random) -> ast.Module:
    """`for name in range(end)` as a `while` loop that counts."""

    class Turn(ast.NodeTransformer):
        def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
            self.generic_visit(node)
            counts = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
            jumps = any(isinstance(each, ast.Continue) for each in ast.walk(node))
            if not counts or jumps or node.orelse or not isinstance(node.target, ast.Name):
                return node
            assert isinstance(node.iter, ast.Call)
            if len(node.iter.args) != 1:
                return node
            name, end = node.target.id, ast.unparse(node.iter.args[0])
            start, loop = ast.parse(f"{name} = 0\nwhile {name} < {end}:\n    {name} += 1").body
            assert isinstance(loop, ast.While)
            loop.body = [*node.body, *loop.body]
            return [start, loop]

    return Turn().visit(tree)  # type: ignore[no-any-return]


def messages_inlined(tree: ast.Module, _: random.Random) -> ast.Module:
    """Constants of the module written where they are used."""
    texts = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }

    class Inline(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            loaded = isinstance(node.ctx, ast.Load)
            return texts[node.id] if loaded and node.id in texts else node

    return Inline().visit(tree)  # type: ignore[no-any-return]


def half_of(tree: ast.Module, other: ast.Module) -> ast.Module:
    """Every second function from the other program, by name."""
    theirs = {n.name: n for n in other.body if isinstance(n, ast.FunctionDef)}
    taken = 0
    for at, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in theirs:
            taken += 1
            if taken % 2 == 0:
                tree.body[at] = theirs[node.name]
    return tree


DISGUISES: dict[str, Disguise] = {
    "renamed": renamed,
    "reordered": reordered,
    "without comments": without_comments,
    "loops turned": loops_turned,
    "messages inlined": messages_inlined,
}


def disguised(source: str, names: tuple[str, ...], seed: int) -> str:
    """The program after these disguises."""
    tree, chance = ast.parse(source), random.Random(seed)
    for name in names:
        tree = DISGUISES[name](tree, chance)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
