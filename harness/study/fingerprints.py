"""Fingerprints of a program's syntax tree: what stays when names, comments and order are changed.

Imports the standard library alone: it runs confined, under the assignment's interpreter, for it
reads what students wrote.
"""

from __future__ import annotations

import ast
import base64
import builtins
import json
import zlib

# A fingerprint is of so many symbols in a row, and of every so many of those one is kept: the
# smallest (Schleimer, Wilkerson and Aiken, "Winnowing", 2003).
LENGTH = 12
WINDOW = 4
MOST_SYMBOLS = 100_000  # of a program: what comes after is not looked at

_BUILTINS = frozenset(dir(builtins))
_METHODS = frozenset(
    name for kind in (str, list, dict, set, tuple, int, float) for name in dir(kind)
)
_SKIPPED = (ast.Load, ast.Store, ast.Del, ast.Pass, ast.alias, ast.Import, ast.ImportFrom)

Symbols = list[tuple[str, int]]


def run(payload: str) -> str:
    """The entry point in a confined process: JSON of base64 files to JSON of fingerprints.

    Each program is a list of files; the answer has for each a list of [fingerprint, first line,
    last line, number of the file].
    """
    files = [base64.b64decode(text) for text in json.loads(payload)]
    return json.dumps(fingerprints(files))


def fingerprints(files: list[bytes]) -> list[tuple[int, int, int, int]]:
    """Each fingerprint with its first and last line and its file; files that cannot be parsed have
    none."""
    found: list[tuple[int, int, int, int]] = []
    symbols_left = MOST_SYMBOLS
    for number, data in enumerate(files):
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for part in _parts(tree):
            symbols = part[:symbols_left]
            symbols_left -= len(symbols)
            found += [(*one, number) for one in _winnow(symbols)]
    return found


def _parts(tree: ast.Module) -> list[Symbols]:
    """The symbols of each function, and of what is outside, so that no fingerprint depends on
    the order of functions."""
    parts: list[Symbols] = []
    outside: Symbols = []
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.ClassDef):
            pending = [*node.body, *pending]
            continue
        symbols: Symbols = []
        _walk(node, symbols)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts.append(symbols)
        else:
            outside += symbols
    return [*parts, outside]


def _walk(node: ast.AST, symbols: Symbols) -> None:
    """The symbols below a node in the order of the source, without recursion: depth is theirs."""
    pending: list[tuple[ast.AST, int]] = [(node, getattr(node, "lineno", 1))]
    while pending and len(symbols) < MOST_SYMBOLS:
        now, line = pending.pop()
        line = getattr(now, "lineno", line)
        if isinstance(now, _SKIPPED) or _is_documentation(now):
            continue
        symbol = _symbol(now)
        if symbol:
            symbols.append((symbol, line))
        pending += [(child, line) for child in reversed(_children(now))]


def _is_documentation(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _symbol(node: ast.AST) -> str:
    match node:
        case ast.For() | ast.While() | ast.AsyncFor():
            return "loop"
        case ast.Name(id=name):
            return name if name in _BUILTINS else "value"
        case ast.Constant(value=value):
            return "value" if isinstance(value, str) else type(value).__name__
        case ast.Attribute(attr=name):
            return name if name in _METHODS else "attribute"
        case ast.AugAssign():
            return "Assign"
        case ast.Expr() | ast.arguments() | ast.keyword() | ast.JoinedStr() | ast.FormattedValue():
            return ""
        case ast.Gt() | ast.GtE():
            return {ast.Gt: "Lt", ast.GtE: "LtE"}[type(node)]
    return type(node).__name__


def _children(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.args, *node.body]
        case ast.arg():
            return []
        case ast.AnnAssign():
            return [node.target] if node.value is None else [node.target, node.value]
        case ast.AugAssign():  # as if it were written out
            return [node.target, node.op, node.target, node.value]
        case ast.BinOp() | ast.Compare():
            return [*_operators(node), *_operands(node)]
    return list(ast.iter_child_nodes(node))


def _operators(node: ast.BinOp | ast.Compare) -> list[ast.AST]:
    return [node.op] if isinstance(node, ast.BinOp) else list(node.ops)


def _operands(node: ast.BinOp | ast.Compare) -> list[ast.AST]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    sides = [node.left, *node.comparators]
    turned = isinstance(node.ops[0], ast.Gt | ast.GtE)
    return [*reversed(sides)] if turned else [*sides]


def _winnow(symbols: Symbols) -> list[tuple[int, int, int]]:
    hashes = [
        zlib.crc32(" ".join(symbol for symbol, _ in symbols[at : at + LENGTH]).encode())
        for at in range(len(symbols) - LENGTH + 1)
    ]
    kept: dict[int, int] = {}
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = hashes[start : start + WINDOW]
        if window:
            smallest = min(range(len(window)), key=lambda n: (window[n], -n))
            kept[start + smallest] = window[smallest]
    chosen = []
    for at, value in sorted(kept.items()):
        lines = [line for _, line in symbols[at : at + LENGTH]]
        chosen.append((value, min(lines), max(lines)))
    return chosen
