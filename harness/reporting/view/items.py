"""Which items of two values, written as Python, differ."""

from __future__ import annotations

import ast
import warnings
from difflib import SequenceMatcher

Span = tuple[int, int]
Spans = tuple[Span, ...]

_LONGEST = 1000  # characters of one line
_DEEPEST = 6


def are_texts(expected: str | None, actual: str | None) -> bool:
    """Whether both are texts, written as Python: those differ by character, and not by item."""
    sides = (expected or "").strip(), (actual or "").strip()
    return all(side.startswith(("'", '"')) for side in sides)


def item_spans(expected: str | None, actual: str | None) -> tuple[Spans, Spans]:
    """The characters of each side, as [start, stop), that make up the items that differ; nothing
    where a side is no Python value of one line, or where both are texts."""
    if expected is None or actual is None or are_texts(expected, actual):
        return (), ()
    left, right = _parsed(expected), _parsed(actual)
    if left is None or right is None:
        return (), ()
    return _spans(expected, actual, _differing(left, right, _DEEPEST))


def _parsed(line: str) -> ast.expr | None:
    text = line.strip().removesuffix(",")
    if not text or len(line) > _LONGEST or not line.isascii():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


_Pair = tuple[ast.expr | None, ast.expr | None]


def _differing(left: ast.expr, right: ast.expr, deepest: int) -> list[_Pair]:
    """The innermost pairs that differ; an item that only one side has is paired with nothing."""
    alike = isinstance(left, (ast.List, ast.Tuple)) and type(left) is type(right)
    if not alike or not deepest:
        return [(left, right)]
    assert isinstance(left, (ast.List, ast.Tuple))
    assert isinstance(right, (ast.List, ast.Tuple))
    ours, theirs = [_key(item) for item in left.elts], [_key(item) for item in right.elts]
    found: list[_Pair] = []
    if len(ours) == len(theirs):
        for one, other, key, other_key in zip(left.elts, right.elts, ours, theirs, strict=True):
            if key != other_key:
                found += _differing(one, other, deepest - 1)
        return found
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            found += [(item, None) for item in left.elts[i1:i2]]
            found += [(None, item) for item in right.elts[j1:j2]]
    return found


def _key(node: ast.expr) -> str:
    return ast.unparse(node)


def _spans(expected: str, actual: str, pairs: list[_Pair]) -> tuple[Spans, Spans]:
    before = [len(line) - len(line.lstrip()) for line in (expected, actual)]
    found: tuple[list[Span], list[Span]] = ([], [])
    for pair in pairs:
        for node, at, spans in zip(pair, before, found, strict=True):
            if node is not None and node.end_col_offset is not None:
                spans.append((at + node.col_offset, at + node.end_col_offset))
    return tuple(found[0]), tuple(found[1])
