"""A stimulus as the interpreter runs it: read and compiled once, for all submissions.

Its text is ours and trusted. A reader in a process of its own compiles it (`reading.py`); the
driver keeps what comes out, and every scenario's process unpacks it.
"""

from __future__ import annotations

import _ast
import marshal

from .analysis import NAME, analyse, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, TypeAlias

    # A step's source, its statements, and the expression whose value the REPL would show; no
    # statements: it does not compile.
    Step: TypeAlias = tuple[str, CodeType | None, CodeType | None]


class Question:
    """What to evaluate: `split` gives (function, arguments, keywords) of a plain call, else
    `whole` gives the value. `needs` are the public functions that the submission must have."""

    __slots__ = ("given", "needs", "source", "split", "steps", "whole")

    needs: list[str]
    source: str
    given: Step | None
    split: CodeType | None
    whole: CodeType | None
    steps: list[Step]

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.needs, self.source, self.given, self.split, self.whole, self.steps = parts


def read(
    functions: frozenset[str], given: str, expression: str, steps: tuple[str, ...]
) -> tuple[Any, ...]:
    """The parts of a stimulus's question, plain data and code, out of its texts."""
    needs, parts = analyse(given, expression, steps, functions)
    split = _value_of(parts) if parts else None
    return (
        needs,
        expression,
        _step(given + "\n") if given else None,
        split,
        _value_of(expression) if expression and split is None else None,
        [_step(step) for step in steps],
    )


def unpacked(packed: bytes) -> Question:
    """The question that a reader packed."""
    return Question(marshal.loads(packed))


def _step(source: str) -> Step:
    tree = parsed(source, "exec")
    if tree is None:
        return source, None, None
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _compiled(_ast.Expression(body=tree.body[-1].value), "eval")
        del tree.body[-1]
    return source, _compiled(tree, "exec"), last


def _value_of(expression: str) -> CodeType | None:
    try:
        return _compiled(expression, "eval")
    except (SyntaxError, ValueError):  # whoever runs it gets the error
        return None


def _compiled(source: Any, mode: str) -> CodeType:
    code: CodeType = compile(source, NAME, mode, dont_inherit=True)
    return code
