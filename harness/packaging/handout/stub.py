"""A stub from a reference: what a student starts with, without any of the solution.

Taken from the syntax tree: the imports, the functions that the assignment asks for with their
signatures and docstrings, what these signatures name, and the `__name__` guard. No comment of the
reference survives, wherever it stands.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable

from harness.common.errors import HarnessError
from harness.model.plan import SourceFile

_NOT_TEXT = {tokenize.COMMENT, tokenize.NL}
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def stub(reference: SourceFile, asked: Iterable[str], heading: str) -> bytes:
    """The stub of one file of the reference; `asked` are the functions and classes to keep.

    HarnessError when what was made does not compile, or has a statement of a body in it.
    """
    text = reference.data.decode("utf-8-sig")
    tree = ast.parse(text)
    wanted = {*asked, *_names(_guards(tree))}
    imports = [_as_written(node, text) for node in tree.body if isinstance(node, _IMPORTS)]
    kept = [n for n in tree.body if isinstance(n, _Definition) and n.name in wanted]
    shells = [_shell(node, text) for node in kept]
    named = "\n".join(_as_written(alias, text) for alias in _aliases(tree, kept))
    blocks = [_docstring(heading), "\n".join(imports), named]
    guards = [_as_written(node, text) for node in _guards(tree)]
    opening = "\n\n".join(block for block in blocks if block)
    made = "\n\n\n".join([opening, *shells, *guards]) + "\n"
    _refuse_leaks(made, tree, reference.name)
    return made.encode()


_IMPORTS = (ast.Import, ast.ImportFrom)


def _shell(node: _Definition, text: str) -> str:
    """The definition with its docstring, and an ellipsis in place of the body."""
    inside = " " * (node.col_offset + 4)
    lines = [" " * node.col_offset + f"@{ast.unparse(each)}" for each in node.decorator_list]
    lines.append(" " * node.col_offset + _header(node, text))
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines.append(inside + _docstring_source(first, text))
    if isinstance(node, ast.ClassDef):
        members = [m for m in node.body if isinstance(m, _Definition) and _is_public(m.name)]
        shells = [_shell(member, text) for member in members]
        if shells:
            return "\n".join(lines) + "\n\n" + "\n\n".join(shells)
    lines.append(inside + "...")
    return "\n".join(lines)


def _header(node: _Definition, text: str) -> str:
    """The lines from `def` to the colon as they were formatted, without comments."""
    lines = text.splitlines(keepends=True)[node.lineno - 1 : node.body[0].end_lineno]
    depth = 0
    kept: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, *_NOT_TEXT):
            continue
        kept.append(token)
        depth += (token.string in "([{") - (token.string in ")]}") if token.string else 0
        if token.string == ":" and depth == 0:
            break
    made = ""
    row, column = kept[0].start
    for token in kept:
        if token.start[0] > row:
            made += "\n" + " " * token.start[1]
        else:
            made += " " * (token.start[1] - column)
        made += token.string
        row, column = token.end
    return made


def _docstring_source(node: ast.stmt, text: str) -> str:
    """A docstring as it was written, where it is one piece."""
    source = ast.get_source_segment(text, node) or ""
    types = [token.type for token in _tokens(source) if token.string.strip()]
    return source if types == [tokenize.STRING] else ast.unparse(node)


def _as_written(node: ast.stmt, text: str) -> str:
    """A statement as it was written, unless there is a comment in it."""
    source = ast.get_source_segment(text, node) or ""
    commented = any(token.type == tokenize.COMMENT for token in _tokens(source))
    return ast.unparse(node) if commented else source


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(source).readline))


def _docstring(heading: str) -> str:
    return ast.unparse(ast.Module(body=[ast.Expr(ast.Constant(heading))], type_ignores=[]))


def _guards(tree: ast.Module) -> list[ast.If]:
    return [
        node for node in tree.body if isinstance(node, ast.If) and "__name__" in _names([node.test])
    ]


def _aliases(tree: ast.Module, kept: Iterable[_Definition]) -> list[ast.stmt]:
    """Assignments of names that signatures use, and of names that these use."""
    used = {name for node in kept for name in _names(_parts_of_header(node))}
    found: list[ast.stmt] = []
    for node in reversed(tree.body):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if used & _names(targets):
                used |= _names([node])
                found.insert(0, node)
    return found


def _parts_of_header(node: _Definition) -> list[ast.AST]:
    if isinstance(node, ast.ClassDef):
        inner = [m for m in node.body if isinstance(m, _Definition)]
        parts = [part for member in inner for part in _parts_of_header(member)]
        return [*parts, *node.decorator_list, *node.bases]
    return [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _refuse_leaks(made: str, tree: ast.Module, name: str) -> None:
    """Check the stub itself: a mistake here would publish an answer."""
    try:
        stub_tree = ast.parse(made)
    except SyntaxError as error:
        raise HarnessError(f"the stub of {name} does not compile: {error.msg}") from None
    secret = {ast.dump(node) for node in bodies(tree)}
    for node in bodies(stub_tree):
        if ast.dump(node) in secret:
            raise HarnessError(f"the stub of {name} holds a part of the reference")


def bodies(tree: ast.AST) -> list[ast.stmt]:
    """All statements inside functions, at any depth, but for docstrings and definitions."""
    found: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            for statement in node.body[1 if has_docstring else 0 :]:
                found += [n for n in ast.walk(statement) if isinstance(n, ast.stmt)]
    return [statement for statement in found if not _is_nothing(statement)]


def _is_nothing(statement: ast.stmt) -> bool:
    """`...` or `pass`, as a stub has them."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is ...
    return isinstance(statement, ast.Pass)
