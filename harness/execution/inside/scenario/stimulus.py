"""A stimulus as the interpreter runs it: analysed and compiled once, for all submissions.

Its text is ours and trusted. A reader in a process of its own compiles it (`base.py`); the driver
keeps the result, and every scenario's process unpacks it.
"""

from __future__ import annotations

import _ast
import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, TypeAlias

    # A step's source, its statements, and the expression whose value the REPL would show; no
    # statements: it does not compile.
    Step: TypeAlias = tuple[str, CodeType | None, CodeType | None]


_AST_ONLY = 0x400
NAME = "<stimulus>"


class CompiledStimulus:
    """What to evaluate: `split` gives (function, arguments, keywords) of a call, else `whole`
    gives the value. `observes_arguments`: it is a plain call. `needs` are the public functions that
    the submission must have. `equals` is a text, and its code, that the value is compared with."""

    __slots__ = (
        "equals", "given", "needs", "observes_arguments", "source", "split", "steps", "whole",
    )  # fmt: skip

    needs: list[str]
    source: str
    given: Step | None
    split: CodeType | None
    observes_arguments: bool
    whole: CodeType | None
    steps: list[Step]
    equals: tuple[str, CodeType | None] | None

    def __init__(self, parts: tuple[Any, ...]) -> None:
        (
            self.needs, self.source, self.given, self.split, self.observes_arguments, self.whole,
            self.steps, self.equals,
        ) = parts  # fmt: skip


def compile_stimulus(
    functions: frozenset[str],
    given: str,
    expression: str,
    steps: tuple[str, ...],
    equals: str = "",
) -> tuple[Any, ...]:
    """The parts of a `CompiledStimulus`, plain data and code, out of a stimulus's texts."""
    needs, parts = analyse(given, expression, steps, functions)
    in_parts = parts or _staged(expression, functions)
    split = _value_of(in_parts) if in_parts else None
    return (
        needs,
        expression,
        _step(given + "\n") if given else None,
        split,
        parts is not None,
        _value_of(expression) if expression and split is None else None,
        [_step(step) for step in steps],
        (equals, _value_of(equals)) if equals else None,
    )


def unpacked(packed: bytes) -> CompiledStimulus:
    """The stimulus that a reader compiled and packed."""
    return CompiledStimulus(marshal.loads(packed))


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


def analyse(
    given: str, expression: str, steps: tuple[str, ...], functions: frozenset[str]
) -> tuple[list[str], str | None]:
    """The public functions that must be there, and, of an expression that does nothing but call
    one of them, the text of a tuple (function, positional arguments, keyword arguments). A text
    that does not parse counts as empty."""
    tree = parsed(expression, "eval") if expression else None
    trees = [parsed(text, "exec") for text in (given, *steps) if text]
    read: set[str] = set()
    bound: set[str] = set()
    for each in (tree, *trees):
        if each is not None:
            _collect_names(each, read, bound)
    parts = None if tree is None else _call_parts(tree.body, expression, functions)
    return sorted((read - bound) & functions), parts


def parsed(source: str, mode: str) -> Any:
    """The syntax tree; None where there is none: whoever runs the text gets the error."""
    try:
        return compile(source, NAME, mode, _AST_ONLY, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None


def count_arguments(expression: str, functions: frozenset[str]) -> int | None:
    """How many positional arguments a plain call of one of the functions has; None where the
    expression is no such call."""
    tree = parsed(expression, "eval") if expression else None
    if tree is None or _call_parts(tree.body, expression, functions) is None:
        return None
    return len(tree.body.args)


def _call_parts(node: Any, expression: str, functions: frozenset[str]) -> str | None:
    """`f(a, k=b)` as `(f, (a,), {"k": b})`; None where it is not a plain call."""
    if not isinstance(node, _ast.Call) or not isinstance(node.func, _ast.Name):
        return None
    if node.func.id not in functions:
        return None
    if any(isinstance(argument, _ast.Starred) for argument in node.args):
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    lines = _lines(expression)
    values = "".join([f"({_text(argument, lines)})," for argument in node.args])
    pairs = [f"{keyword.arg!r}: ({_text(keyword.value, lines)})," for keyword in node.keywords]
    return f"({node.func.id}, ({values}), {{{''.join(pairs)}}})"


def _staged(expression: str, functions: frozenset[str]) -> str | None:
    """A call of a method, or of a public function with `*` or `**`, in the parts that Python itself
    evaluates before it calls; None for any other expression."""
    tree = parsed(expression, "eval") if expression else None
    node = None if tree is None else tree.body
    if not isinstance(node, _ast.Call):
        return None
    function = node.func
    public = isinstance(function, _ast.Name) and function.id in functions
    if not public and not isinstance(function, _ast.Attribute):
        return None
    lines = _lines(expression)
    given: list[str] = []
    for argument in node.args:
        starred = isinstance(argument, _ast.Starred)
        value = argument.value if isinstance(argument, _ast.Starred) else argument
        given.append(f"{'*' if starred else ''}({_text(value, lines)})")
    for keyword in node.keywords:
        name = "**" if keyword.arg is None else keyword.arg + "="
        given.append(f"{name}({_text(keyword.value, lines)})")
    packed = f"(lambda *a, **k: (a, k))({', '.join(given)})"
    return f"({_text(function, lines)}, *{packed})"


def _lines(expression: str) -> list[bytes]:
    """As the parser counts them, in the bytes that it counts columns in."""
    newlines_as_read = expression.replace("\r\n", "\n").replace("\r", "\n")
    return [line.encode() for line in newlines_as_read.split("\n")]


def _text(node: Any, lines: list[bytes]) -> str:
    """An expression's source, without the brackets around it."""
    picked = lines[node.lineno - 1 : node.end_lineno]
    picked[-1] = picked[-1][: node.end_col_offset]
    picked[0] = picked[0][node.col_offset :]
    return b"\n".join(picked).decode()


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
