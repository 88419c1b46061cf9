"""A stimulus compiled ahead of the fork: trusted text, cached, so that draws share the work."""

from __future__ import annotations

import _ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

_AST_ONLY = 0x400
NAME = "<stimulus>"


class Step:
    """A session step: the statements, then the expression whose value the REPL would show."""

    __slots__ = ("body", "last", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.body: CodeType | None = None
        self.last: CodeType | None = None
        tree = _parse(source, "exec")
        if tree is None:
            return
        last = tree.body[-1] if tree.body else None
        if isinstance(last, _ast.Expr):
            self.last = _compiled(_expression(last.value), "eval")
            del tree.body[-1]
        self.body = _compiled(tree, "exec")


class Question:
    """What to evaluate: `split` gives (function, arguments, keywords) of a plain call, else
    `whole` gives the value. `needs` are the public functions that the submission must have."""

    __slots__ = ("given", "needs", "source", "split", "steps", "whole")

    def __init__(
        self, given: str, expression: str, steps: tuple[str, ...], functions: frozenset[str]
    ) -> None:
        self.source = expression
        self.whole: CodeType | None = None
        self.split: CodeType | None = None
        self.given = Step(given + "\n") if given else None
        self.steps = [Step(step) for step in steps]
        asked = _parse(expression, "eval") if expression else None
        trees = [_parse(text, "exec") for text in (given, *steps) if text]
        read: set[str] = set()
        bound: set[str] = set()
        for tree in (asked, *trees):
            if tree is not None:
                _collect_names(tree, read, bound)
        self.needs = sorted((read - bound) & functions)
        if asked is not None:
            parts = _call_parts(asked.body, functions)
            if parts is None:
                self.whole = _compiled(asked, "eval")
            else:
                self.split = _compiled(_expression(parts), "eval")


def _parse(source: str, mode: str) -> Any:
    try:
        return compile(source, NAME, mode, _AST_ONLY, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None  # whoever runs it gets the error


def _compiled(tree: Any, mode: str) -> CodeType:
    code: CodeType = compile(tree, NAME, mode, dont_inherit=True)
    return code


def _expression(body: Any) -> Any:
    return _ast.Expression(body=body)


def _call_parts(node: Any, functions: frozenset[str]) -> Any:
    """`f(a, k=b)` as the tuple `(f, (a,), {"k": b})`; None where it is not a plain call."""
    if not isinstance(node, _ast.Call) or not isinstance(node.func, _ast.Name):
        return None
    if node.func.id not in functions:
        return None
    if any(isinstance(argument, _ast.Starred) for argument in node.args):
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    place: Any = {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }
    load = _ast.Load()
    keys: list[Any] = [_ast.Constant(value=keyword.arg, **place) for keyword in node.keywords]
    values = [keyword.value for keyword in node.keywords]
    parts = [
        node.func,
        _ast.Tuple(elts=node.args, ctx=load, **place),
        _ast.Dict(keys=keys, values=values, **place),
    ]
    return _ast.Tuple(elts=parts, ctx=load, **place)


def _collect_names(node: Any, read: set[str], bound: set[str]) -> None:
    if isinstance(node, _ast.Name):
        (read if isinstance(node.ctx, _ast.Load) else bound).add(node.id)
    elif isinstance(node, _ast.arg):
        bound.add(node.arg)
    elif isinstance(node, _ast.FunctionDef | _ast.ClassDef):
        bound.add(node.name)
    for field in node._fields:
        value = getattr(node, field, None)
        for part in value if isinstance(value, list) else (value,):
            if isinstance(part, _ast.AST):
                _collect_names(part, read, bound)
