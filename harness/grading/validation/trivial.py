"""Programs that do nothing: what they score shows which scenarios are given away. Pure."""

from __future__ import annotations

import ast

from harness.model.plan import SourceFile
from harness.model.submission import Submission


def stub(files: tuple[SourceFile, ...]) -> Submission:
    """The handed-out file: the imports, an empty `main`, and the guard."""
    return _with_bodies(files, "untouched-stub", keep=frozenset({"main"}))


def returns_none(files: tuple[SourceFile, ...]) -> Submission:
    """Every function of the reference, each with nothing but `return None`."""
    return _with_bodies(files, "every-function-returns-none", keep=None)


def _with_bodies(
    files: tuple[SourceFile, ...], name: str, *, keep: frozenset[str] | None
) -> Submission:
    emptied = tuple(
        SourceFile(name=file.name, data=_emptied(file.data, keep).encode()) for file in files
    )
    return Submission(id=name, files=emptied, origin="the reference")


def _emptied(source: bytes, keep: frozenset[str] | None) -> str:
    tree = ast.parse(source)
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if keep is not None and node.name not in keep:
                continue
            node.body = [ast.Return(value=ast.Constant(value=None))]
        body.append(node)
    tree.body = body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
