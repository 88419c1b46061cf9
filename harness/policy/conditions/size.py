"""Conditions on the number of lines in a part of a program, and on its `print` calls."""

import ast
from collections.abc import Iterator

from harness.model.policy import Condition
from harness.policy.condition import CheckedPart, Holds, condition_kind, is_name
from harness.policy.index import walk
from harness.policy.rule import Breach


@condition_kind("lines", Holds.COUNT, "The most lines of code, without blank ones and comments.")
def _check_lines(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    lines = _count_code_lines(part)
    if lines > condition.count:
        yield part.breach(f"has {lines} lines of code; at most {condition.count} are allowed")


def _count_code_lines(part: CheckedPart) -> int:
    """Return the number of lines, without blank lines, comments and docstrings."""
    source = part.file.source
    first = getattr(part.node, "lineno", 1)
    last = getattr(part.node, "end_lineno", None) or len(source.lines)
    left_out: set[int] = set()
    for node in walk(part.node):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            end = node.end_lineno or node.lineno
            left_out.update(range(node.lineno, end + 1))
    count = 0
    for number in range(first, last + 1):
        text = source.lines[number - 1].strip()
        is_comment = text.startswith("#") or number in left_out
        if text and not is_comment:
            count += 1
    return count


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


@condition_kind("prints", Holds.COUNT, "The most calls of print.")
def _check_prints(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    calls = _prints(part)
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    too_many = calls[condition.count :]
    for node in too_many:
        what = f"{part.name} calls print {len(calls)} times; at most {condition.count} are allowed"
        yield Breach(node, what)


def _prints(part: CheckedPart) -> list[ast.Call]:
    """Return the calls of `print`, in the order of `walk`."""
    calls: list[ast.Call] = []
    for node in walk(part.node):
        if isinstance(node, ast.Call) and is_name(node.func, "print"):
            calls.append(node)
    return calls


@condition_kind("printed_literals", Holds.FLAG, "false: no print of a text that is written out.")
def _check_literals(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    literal = list(filter(_is_literal, _prints(part)))
    if condition.wanted:
        if not literal:
            yield part.breach("never prints a fixed text")
        return
    for node in literal:
        yield Breach(node, f"{part.name} prints a fixed text")


def _is_literal(call: ast.Call) -> bool:
    """Return whether a call has arguments and all of them are literals."""
    for argument in call.args:
        is_plain = isinstance(argument, ast.Constant)
        # A text that begins with f and has no field.
        is_fixed = isinstance(argument, ast.JoinedStr) and not any(map(_is_field, argument.values))
        if not (is_plain or is_fixed):
            return False
    return bool(call.args)


def _is_field(piece: ast.expr) -> bool:
    return isinstance(piece, ast.FormattedValue)
