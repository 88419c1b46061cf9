"""Read a program's text: fingerprints of its syntax tree, and facts about its style.

The fingerprints do not depend on names, comments or order. The facts help the person who marks
style. This module imports only the standard library: it runs confined, under the assignment's
interpreter, because it reads students' files.
"""

import ast
import base64
import builtins
import json
import keyword
import re
import zlib
from collections.abc import Iterator
from typing import Any

# A fingerprint covers `LENGTH` symbols in a row. Of every `WINDOW` fingerprints in a row the
# smallest is kept (Schleimer, Wilkerson and Aiken, "Winnowing", 2003).
LENGTH = 12
WINDOW = 4
# The rest of a longer program is ignored.
MAX_SYMBOLS = 100_000

_BUILTINS = frozenset(dir(builtins))
_METHODS = frozenset().union(*map(dir, (str, list, dict, set, tuple, int, float)))
_SKIPPED = (ast.Load, ast.Store, ast.Del, ast.Pass, ast.alias, ast.Import, ast.ImportFrom)

# Each symbol with the number of its line.
Symbols = list[tuple[str, int]]


def run_fingerprints(payload: str) -> str:
    """Return the `fingerprints` of each of `programs`, as JSON; a program is a list of files in
    base64."""
    asked = json.loads(payload)
    answers = []
    for texts in asked["programs"]:
        files = [base64.b64decode(text) for text in texts]
        answers.append(fingerprints(files, asked["kind"]))
    return json.dumps(answers)


def fingerprints(files: list[bytes], kind: str = "tree") -> dict[str, Any]:
    """Return a program's fingerprints, of its syntax trees or its tokens (`kind`).

    `rows` have fingerprint, first line, last line and number of the file; `whole` says whether all
    files can be parsed."""
    read = _tokens if kind == "tokens" else _parts
    parts_of_files = [read(data) for data in files]
    rows: list[tuple[int, int, int, int]] = []
    symbols_left = MAX_SYMBOLS
    for number, parts in enumerate(parts_of_files):
        for part in parts or ():
            symbols = part[:symbols_left]
            symbols_left -= len(symbols)
            for fingerprint in _winnow(symbols):
                rows.append((*fingerprint, number))
    return {"rows": rows, "whole": None not in parts_of_files}


# An unclosed string ends with its line.
_TOKEN = re.compile(
    r"""
    (?P<skip> \#.* | [ \t\f\r]+ | \\ )
    | (?P<line> \n )
    | (?P<text> [rRbBuUfF]{0,2} (?:
        \"""[\s\S]*?\""" | '''[\s\S]*?'''
        | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'? ) )
    | (?P<number> \.?[0-9][0-9a-zA-Z_.]* )
    | (?P<name> \w+ )
    | (?P<operator> \*\*=? | //=? | [-+*/%@&|^<>=!:]= | -> | << | >> | [^\w\s] )
    """,
    re.VERBOSE,
)
_AS_WRITTEN = _BUILTINS | _METHODS | frozenset(keyword.kwlist)


def _tokens(data: bytes) -> list[Symbols] | None:
    """Return the tokens in the order of the source, without comments and documentation.

    A string at the start of a line counts as documentation. Other strings, and the program's own
    names, all have the same symbol.
    """
    symbols: Symbols = []
    line = 1
    begins = True
    text = data.decode("utf-8-sig", "replace")
    for match in _TOKEN.finditer(text):
        if len(symbols) == MAX_SYMBOLS:
            break
        kind = match.lastgroup
        token = match.group()
        if kind == "operator" or token in _AS_WRITTEN:
            symbols.append((token, line))
        elif kind == "number":
            symbols.append((kind, line))
        elif kind == "name" or (kind == "text" and not begins):
            symbols.append(("value", line))
        begins = kind == "line" or (begins and kind == "skip")
        line += token.count("\n")
    return [symbols]


def _parts(data: bytes) -> list[Symbols] | None:
    """Return the symbols of each function and of the code outside, so that order does not matter.

    Return None if the text cannot be parsed."""
    try:
        pending = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    parts: list[Symbols] = []
    outside: Symbols = []
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.ClassDef):
            pending = [*node.body, *pending]
            continue
        symbols = _below(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts.append(symbols)
        else:
            outside += symbols
    return [*parts, outside]


def _below(node: ast.AST) -> Symbols:
    """Return the symbols below a node in the order of the source.

    It does not recurse, because the student decides how deep the tree is.
    """
    symbols: Symbols = []
    pending: list[tuple[ast.AST, int]] = [(node, getattr(node, "lineno", 1))]
    while pending and len(symbols) < MAX_SYMBOLS:
        now, line = pending.pop()
        line = getattr(now, "lineno", line)
        is_documentation = isinstance(now, ast.Expr) and isinstance(now.value, ast.Constant)
        if isinstance(now, _SKIPPED) or is_documentation:
            continue
        if symbol := _symbol(now):
            symbols.append((symbol, line))
        for child in reversed(_children(now)):
            pending.append((child, line))
    return symbols


# The nodes whose symbol is not the name of their type.
_SYMBOLS = {
    **dict.fromkeys((ast.For, ast.While, ast.AsyncFor), "loop"),
    **dict.fromkeys((ast.Expr, ast.arguments, ast.keyword, ast.JoinedStr, ast.FormattedValue), ""),
    ast.AugAssign: "Assign",
    ast.Gt: "Lt",
    ast.GtE: "LtE",
}


def _symbol(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) if name in _BUILTINS:
            return name
        case ast.Name() | ast.Constant(value=str()):
            return "value"
        case ast.Constant(value=value):
            return type(value).__name__
        case ast.Attribute(attr=name) if name in _METHODS:
            return name
        case ast.Attribute():
            return "attribute"
    kind = type(node)
    return _SYMBOLS.get(kind, kind.__name__)


def _children(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.Name() | ast.Constant() | ast.arg():
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.args, *node.body]
        case ast.AnnAssign(value=ast.expr() as value):
            return [node.target, value]
        case ast.AnnAssign():
            return [node.target]
        case ast.AugAssign():
            # Read `a += b` as `a = a + b`.
            return [node.target, node.op, node.target, node.value]
        case ast.BinOp():
            return [node.op, node.left, node.right]
        case ast.Compare():
            sides = [node.left, *node.comparators]
            if isinstance(node.ops[0], ast.Gt | ast.GtE):
                sides.reverse()
            return [*node.ops, *sides]
    return list(ast.iter_child_nodes(node))


def _winnow(symbols: Symbols) -> list[tuple[int, int, int]]:
    """Return the fingerprints that are kept, each with its first and last line."""
    words = [symbol.encode() for symbol, _ in symbols]
    hashes = []
    for start in range(len(words) - LENGTH + 1):
        words_in_a_row = words[start : start + LENGTH]
        hashes.append(zlib.crc32(b" ".join(words_in_a_row)))
    kept: dict[int, int] = {}
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = hashes[start : start + WINDOW]
        if window:
            smallest = min(window)
            last = len(window) - 1 - window[::-1].index(smallest)
            kept[start + last] = smallest
    fingerprints = []
    for start, value in sorted(kept.items()):
        lines = [line for _, line in symbols[start : start + LENGTH]]
        fingerprints.append((value, min(lines), max(lines)))
    return fingerprints


# Rows of each kind of fact.
MAX_ROWS = 20
# Statements in a row that are reported if they are repeated.
BLOCK = 4
# Numbers that need no name.
_ORDINARY = (0, 1, 2, -1, 10, 100)


def run_facts(payload: str) -> str:
    """Return facts about files, given as `{name: text}` in JSON.

    `longest`, `undocumented`, `numbers` and `repeated` have rows of name, file, line and count;
    `unreadable` names the files that cannot be parsed.
    """
    facts: dict[str, list[Any]] = {
        "longest": [], "undocumented": [], "numbers": [], "repeated": [], "unreadable": [],
    }  # fmt: skip
    for file, text in sorted(json.loads(payload).items()):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            facts["unreadable"].append(file)
            continue
        _functions(tree, file, facts)
        _numbers(tree, file, facts["numbers"])
        _repetitions(tree, file, facts["repeated"])
    for rows in (facts["longest"], facts["numbers"], facts["repeated"]):
        rows.sort(key=_highest_count_first)
    del facts["longest"][3:]
    for rows in facts.values():
        del rows[MAX_ROWS:]
    return json.dumps(facts)


def _highest_count_first(row: tuple[str, str, int, int]) -> tuple[int, str, int]:
    _, file, line, count = row
    return -count, file, line


def _functions(tree: Any, file: str, facts: Any) -> None:
    if ast.get_docstring(tree) is None:
        facts["undocumented"].append(("the file", file, 1, 0))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        is_documented = ast.get_docstring(node) is not None
        if not is_documented and not node.name.startswith("__"):
            facts["undocumented"].append((node.name, file, node.lineno, 0))
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            lines = (node.end_lineno or node.lineno) - first.lineno + 1
            if is_documented:
                lines = (node.end_lineno or 0) - (first.end_lineno or 0)
            facts["longest"].append((node.name, file, node.lineno, lines))


def _numbers(tree: Any, file: str, rows: Any) -> None:
    """Add the numbers in functions.

    Numbers outside are left out: there a name in capitals explains them.
    """
    places: dict[str, list[int]] = {}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and _needs_a_name(node.value):
                text = repr(node.value)[:20]
                places.setdefault(text, []).append(node.lineno)
    for text, lines in places.items():
        rows.append((text, file, lines[0], len(lines)))


def _needs_a_name(value: object) -> bool:
    return type(value) in (int, float) and value not in _ORDINARY


def _repetitions(tree: Any, file: str, rows: Any) -> None:
    """Add the runs of statements that occur earlier in the file as well."""
    first_places: dict[str, tuple[int, int]] = {}
    covered = 0
    for body in _inner_bodies(tree):
        for start in range(len(body) - BLOCK + 1):
            block = body[start : start + BLOCK]
            first = block[0].lineno
            last = block[-1].end_lineno
            if first <= covered:
                continue
            text = "\n".join(ast.dump(statement) for statement in block)
            before = first_places.setdefault(text, (first, last))
            if before[0] != first:
                name = f"lines {before[0]} to {before[1]}"
                rows.append((name, file, first, last - first + 1))
                covered = last


def _inner_bodies(tree: Any) -> Iterator[list[Any]]:
    """Yield the lists of statements inside the statements of a module."""
    for parent in ast.walk(tree):
        if isinstance(parent, ast.Module):
            continue
        for part in ("body", "orelse"):
            body = getattr(parent, part, None)
            if isinstance(body, list):
                yield body
