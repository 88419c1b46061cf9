"""Read a program's text: fingerprints of its syntax tree, which do not depend on names, comments or
order, and facts for the person who marks style.

This module imports only the standard library: it runs confined, under the assignment's
interpreter, because it reads students' files.
"""

import ast
import base64
import builtins
import json
import keyword
import re
import zlib
from typing import Any

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


def run_fingerprints(payload: str) -> str:
    """The `fingerprints` of each of `programs`, a list of files in base64, as JSON."""
    asked = json.loads(payload)
    programs = ([base64.b64decode(text) for text in texts] for texts in asked["programs"])
    return json.dumps([fingerprints(files, asked["kind"]) for files in programs])


def fingerprints(files: list[bytes], kind: str = "tree") -> dict[str, Any]:
    """Return a program's fingerprints, of its syntax trees or its tokens (`kind`).

    `rows` have fingerprint, first line, last line and number of the file; `whole` says whether all
    files can be parsed."""
    read = _tokens if kind == "tokens" else _parts
    parts_of_files = [read(data) for data in files]
    rows: list[tuple[int, int, int, int]] = []
    symbols_left = MOST_SYMBOLS
    for number, parts in enumerate(parts_of_files):
        for part in parts or ():
            symbols = part[:symbols_left]
            symbols_left -= len(symbols)
            rows += [(*fingerprint, number) for fingerprint in _winnow(symbols)]
    return {"rows": rows, "whole": None not in parts_of_files}


# A text that is not closed ends with its line.
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
    """The tokens in the order of the source, but for comments and documentation: a text that a
    line begins with. Texts, and names that are the program's own, are the same symbol."""
    symbols: Symbols = []
    line, begins = 1, True
    for match in _TOKEN.finditer(data.decode("utf-8-sig", "replace")):
        kind, token = match.lastgroup, match.group()
        if len(symbols) == MOST_SYMBOLS:
            break
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
    """The symbols below a node in the order of the source, without recursion: depth is theirs."""
    symbols: Symbols = []
    pending: list[tuple[ast.AST, int]] = [(node, getattr(node, "lineno", 1))]
    while pending and len(symbols) < MOST_SYMBOLS:
        now, line = pending.pop()
        line = getattr(now, "lineno", line)
        is_documentation = isinstance(now, ast.Expr) and isinstance(now.value, ast.Constant)
        if isinstance(now, _SKIPPED) or is_documentation:
            continue
        if symbol := _symbol(now):
            symbols.append((symbol, line))
        pending += [(child, line) for child in reversed(_children(now))]
    return symbols


_SYMBOLS = {  # where the name of the type is not the symbol
    **dict.fromkeys((ast.For, ast.While, ast.AsyncFor), "loop"),
    **dict.fromkeys((ast.Expr, ast.arguments, ast.keyword, ast.JoinedStr, ast.FormattedValue), ""),
    ast.AugAssign: "Assign",
    ast.Gt: "Lt",
    ast.GtE: "LtE",
}


def _symbol(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name):
            return name if name in _BUILTINS else "value"
        case ast.Constant(value=value):
            return "value" if isinstance(value, str) else type(value).__name__
        case ast.Attribute(attr=name):
            return name if name in _METHODS else "attribute"
    kind = type(node)
    return _SYMBOLS.get(kind, kind.__name__)


def _children(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.Name() | ast.Constant() | ast.arg():
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.args, *node.body]
        case ast.AnnAssign():
            return [node.target] if node.value is None else [node.target, node.value]
        case ast.AugAssign():  # as if it were written out
            return [node.target, node.op, node.target, node.value]
        case ast.BinOp():
            return [node.op, node.left, node.right]
        case ast.Compare():
            sides = [node.left, *node.comparators]
            turned = isinstance(node.ops[0], ast.Gt | ast.GtE)
            return [*node.ops, *(reversed(sides) if turned else sides)]
    return list(ast.iter_child_nodes(node))


def _winnow(symbols: Symbols) -> list[tuple[int, int, int]]:
    words = [symbol.encode() for symbol, _ in symbols]
    lines = [line for _, line in symbols]
    starts = range(len(words) - LENGTH + 1)
    hashes = [zlib.crc32(b" ".join(words[at : at + LENGTH])) for at in starts]
    kept: dict[int, int] = {}
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        if window := hashes[start : start + WINDOW]:
            smallest = min(window)
            last = len(window) - 1 - window[::-1].index(smallest)
            kept[start + last] = smallest
    near = ((value, lines[at : at + LENGTH]) for at, value in sorted(kept.items()))
    return [(value, min(each), max(each)) for value, each in near]


MOST = 20  # of each kind
BLOCK = 4  # repeated statements
_ORDINARY = (0, 1, 2, -1, 10, 100)


def run_facts(payload: str) -> str:
    """Of files, as `{name: text}` in JSON: `longest`, `undocumented`, `numbers`, `repeated`, each
    rows of name, file, line, count; `unreadable` names the files that do not parse."""
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
        rows.sort(key=lambda row: (-row[3], row[1], row[2]))
    facts["longest"] = facts["longest"][:3]
    return json.dumps({key: rows[:MOST] for key, rows in facts.items()})


def _functions(tree: Any, file: str, facts: Any) -> None:
    if ast.get_docstring(tree) is None:
        facts["undocumented"].append(("the file", file, 1, 0))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if ast.get_docstring(node) is None and not node.name.startswith("__"):
            facts["undocumented"].append((node.name, file, node.lineno, 0))
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            lines = (node.end_lineno or node.lineno) - first.lineno + 1
            if ast.get_docstring(node) is not None:
                lines = (node.end_lineno or 0) - (first.end_lineno or 0)
            facts["longest"].append((node.name, file, node.lineno, lines))


def _numbers(tree: Any, file: str, rows: Any) -> None:
    """Numbers in functions; a name in capitals that is set to one explains it."""
    places: dict[str, list[int]] = {}
    for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
        for node in (each for each in ast.walk(function) if isinstance(each, ast.Constant)):
            if type(node.value) in (int, float) and node.value not in _ORDINARY:
                places.setdefault(repr(node.value)[:20], []).append(node.lineno)
    rows += [(text, file, lines[0], len(lines)) for text, lines in places.items()]


def _repetitions(tree: Any, file: str, rows: Any) -> None:
    """Runs of statements that stand in the file again, names of the same kind or not."""
    first_places: dict[str, tuple[int, int]] = {}
    covered = 0
    for parent in ast.walk(tree):
        for body in (getattr(parent, part, None) for part in ("body", "orelse")):
            if not isinstance(body, list) or isinstance(parent, ast.Module):
                continue
            for at in range(len(body) - BLOCK + 1):
                block = body[at : at + BLOCK]
                first, last = block[0].lineno, block[-1].end_lineno
                if first <= covered:
                    continue
                text = "\n".join(ast.dump(each) for each in block)
                before = first_places.setdefault(text, (first, last))
                if before[0] != first:
                    what = f"lines {before[0]} to {before[1]}"
                    rows.append((what, file, first, last - first + 1))
                    covered = last
