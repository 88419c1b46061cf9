"""A stimulus compiled ahead of the fork: trusted text, cached, so that draws share the work."""

from __future__ import annotations

import _ast

from .analysis import NAME, analyse, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from .analysis import Analysis


class Step:
    """A session step: the statements, then the expression whose value the REPL would show."""

    __slots__ = ("body", "last", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.body: CodeType | None = None
        self.last: CodeType | None = None
        tree = parsed(source, "exec")
        if tree is None:
            return
        last = tree.body[-1] if tree.body else None
        if isinstance(last, _ast.Expr):
            self.last = _compiled(_ast.Expression(body=last.value), "eval")
            del tree.body[-1]
        self.body = _compiled(tree, "exec")


class Question:
    """What to evaluate: `split` gives (function, arguments, keywords) of a plain call, else
    `whole` gives the value. `needs` are the public functions that the submission must have."""

    __slots__ = ("given", "needs", "source", "split", "steps", "whole")

    def __init__(
        self,
        functions: frozenset[str],
        given: str = "",
        expression: str = "",
        steps: tuple[str, ...] = (),
        analysed: Analysis | None = None,
    ) -> None:
        if analysed is None:
            analysed, _ = analyse(given, expression, steps, functions)
        self.needs, parts = analysed
        self.source = expression
        self.given = Step(given + "\n") if given else None
        self.steps = [Step(step) for step in steps]
        self.split = _value_of(parts) if parts else None
        self.whole = _value_of(expression) if expression and self.split is None else None


def _value_of(expression: str) -> CodeType | None:
    try:
        return _compiled(expression, "eval")
    except (SyntaxError, ValueError):  # whoever runs it gets the error
        return None


def _compiled(source: Any, mode: str) -> CodeType:
    code: CodeType = compile(source, NAME, mode, dont_inherit=True)
    return code
