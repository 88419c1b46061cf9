"""Makes tests of the course's program from the doctest examples in a student's docstrings."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from harness.model.assignment import SourceFile

_TEST = """

def test_{test}():
    _run({name!r}, {text!r})
"""
_HEAD = """\
import doctest
from {module} import *


def _run(name, text):
    test = doctest.DocTestParser().get_doctest(text, dict(globals()), name, name, 0)
    try:
        doctest.DebugRunner(verbose=False).run(test, clear_globs=False)
    except doctest.DocTestFailure as failure:
        source, got = failure.example.source.strip(), failure.got.strip() or "nothing"
        want = failure.example.want.strip()
        raise AssertionError(f"{{source}} gives {{got}}, and {{want}} is stated") from None
    except doctest.UnexpectedException as failure:
        raise failure.exc_info[1]
"""


def name_of_documented(file: str) -> str:
    """Return the name of the test file that is made from this program's docstrings."""
    return f"doctests_of_{file}"


def documented_tests(
    files: Sequence[SourceFile], public_names: Collection[str] | None
) -> Iterator[tuple[str, bytes]]:
    """Yield a test file (name and content) for each of a student's files with examples.

    The examples come from the module's docstring and those of functions and classes in
    `public_names`, because the course's program has these too (None: from all).
    """
    for file in files:
        try:
            tree = ast.parse(file.data)
        except (SyntaxError, ValueError, RecursionError):
            continue
        tests = [
            _TEST.format(test=name.replace(".", "_"), name=name, text=text)
            for name, text in _documented(tree, public_names)
        ]
        if tests:
            module = file.name.removesuffix(".py")
            text = _HEAD.format(module=module) + "".join(tests)
            # Under another name, so that no line of it is shown as the student's.
            text = f"exec(compile({text!r}, '<docstrings>', 'exec'), globals())\n"
            yield name_of_documented(file.name), text.encode("utf-8", "replace")


def _documented(
    tree: ast.Module, public_names: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each object with examples."""
    text = ast.get_docstring(tree) or ""
    if ">>>" in text:
        yield "the_module", text
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if public_names is None or node.name in public_names:
            yield from _below(node, node.name)


def _below(node: ast.FunctionDef | ast.ClassDef, name: str) -> Iterator[tuple[str, str]]:
    text = ast.get_docstring(node) or ""
    if ">>>" in text:
        yield name, text
    if isinstance(node, ast.ClassDef):
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                yield from _below(part, f"{name}.{part.name}")
