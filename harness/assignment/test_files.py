"""Finds the tests in a test file without running it: names, numbers of parameter sets, and the
points and visibility set by decorators.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from harness.assignment.known_items import Values, known_items, values_of_names

DOCTEST_ENDINGS = (".txt", ".md", ".rst")
# Matches code that reads or writes files: `open(`, `Path(`, `os.`, `sqlite3.connect(`.
_FILE_WORD = re.compile(
    rb"tmp_path|tmpdir|tempfile|chdir|open[(,]|Path|os\.|from os|shutil|sqlite3|logging|fileinput"
)
_MAX_DESCRIPTION_LENGTH = 300
_MAX_PARTS = 50  # subTests that are scenarios of their own
# Functions whose first argument is an exception that the test expects.
_EXPECTING = frozenset(("raises", "assertRaises", "assertRaisesRegex"))
_BEFORE_EACH = ("setUp", "setup_method", "setup_function", "setUpClass", "setup_class")
_POINTS = frozenset(("points", "weight", "partial_credit"))
# The decorators that say something of points, visibility and parameters.
UNDERSTOOD = _POINTS | {"visibility", "visible", "hidden", "parametrize"}
_VISIBILITY: dict[str, Any] = {
    "visible": True,
    "hidden": False,
    "after_due_date": "after_due_date",
    "after_published": "after_published",
}

Documented = ast.Module | ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorated:
    """What a test's decorators state; None for nothing."""

    points: Fraction | None = None
    visible: Any = None
    sets: tuple[str, ...] | None = None  # source of each parameter set
    unknown_sets: bool = False  # there are parameter sets, but only pytest knows how many
    skipped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTest:
    """A test, one of its parameter sets, or one of its subTests."""

    test: str  # its name below the file: `Class::test`
    line: int
    index: int | None = None  # of the set; None: all
    part: int | None = None  # the number of the subTest, from 0; None: all
    parts: int = 1  # the number of its subTests that are scenarios of their own
    parameters: str = ""  # the set, or the round of the subTest's loop, as it is written
    description: str = ""
    names: frozenset[str] = frozenset()  # that its text uses, but for exceptions it expects
    names_before: frozenset[str] = frozenset()  # that its fixtures and `setUp` use
    decorated: Decorated = field(default_factory=Decorated)

    @property
    def title(self) -> str:
        """Return the test's name for display."""
        name = self.test.replace("::", ".")
        is_whole = self.index is None and self.part is None
        if is_whole:
            return name
        return f"{name} [{self.parameters}]"

    @property
    def title_without_values(self) -> str:
        """Return the test's name for people who may not see its values, such as an expected one
        among the parameters."""
        if self.number is None:
            return self.title
        return f"{self.test.replace('::', '.')} [{self.number + 1}]"

    @property
    def number(self) -> int | None:
        """Return the index of this parameter set or subTest within its test."""
        if self.part is None:
            return self.index
        return self.part


def find_tests(name: str, data: bytes, runner: str) -> tuple[FoundTest, ...]:
    """Return the tests of a file in their order. Raise SyntaxError if it is not Python."""
    if name.endswith(DOCTEST_ENDINGS):
        return (FoundTest(test="", line=1),)
    tree = ast.parse(data)
    if runner == "doctest":
        return tuple(_documented(tree))
    classes: dict[str, ast.ClassDef] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = node
    values = values_of_names(tree.body)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: dict[str, list[FoundTest]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            if runner == "pytest":
                before = _names_of_fixtures(node, functions)
                tests = _of_function(node, node.name, Decorated(), values)
                found[node.name] = [replace(test, names_before=before) for test in tests]
        elif isinstance(node, ast.ClassDef) and _holds_tests(node, classes, runner):
            decorated = decorated_by(node, values)
            is_case = _holds_tests(node, classes, "unittest")
            for method in _methods(node, classes):
                test = f"{node.name}::{method.name}"
                sets = list(_of_function(method, test, decorated, values))
                if is_case and sets:
                    sets = list(_parts(method, sets[0], values))
                own = {part.name: part for part in _functions_of(node, classes)}
                before = _names_of_fixtures(method, {**functions, **own})
                found[test] = [replace(one_set, names_before=before) for one_set in sets]
    return tuple(itertools.chain.from_iterable(found.values()))


def _documented(tree: ast.Module) -> Iterator[FoundTest]:
    """Yield the docstrings that contain examples, of the module, its functions and classes."""
    for name, node in documented(tree):
        text = ast.get_docstring(node, clean=False) or ""
        if ">>>" in text:
            line = getattr(node, "lineno", 1)
            yield FoundTest(test=name, line=line)


def documented(tree: ast.Module) -> Iterator[tuple[str, Documented]]:
    """Yield the parts of a program that may have docstrings, with their test names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            yield getattr(node, "name", "the docstring"), node


def _holds_tests(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef], runner: str) -> bool:
    for base in map(_last_name, node.bases):
        if base.endswith("TestCase"):
            return True
        parent = classes.get(base)
        if parent is None or base == node.name:
            continue
        if _holds_tests(parent, classes, "unittest"):
            return True
    return runner == "pytest" and node.name.startswith("Test")


def _functions_of(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> Iterator[ast.FunctionDef]:
    """Yield the methods that a class inherits from classes of the file, then its own."""
    for base in node.bases:
        parent = classes.get(_last_name(base))
        if parent is not None and parent is not node:
            yield from _functions_of(parent, classes)
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield part


def _methods(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[ast.FunctionDef]:
    """Yield a class's own tests, then those that it inherits from classes of the file."""
    names: set[str] = set()
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name.startswith("test"):
            names.add(part.name)
            yield part
    for base in node.bases:
        parent = classes.get(_last_name(base))
        if parent is None or parent is node:
            continue
        for method in _methods(parent, classes):
            if method.name not in names:
                names.add(method.name)
                yield method


def _of_function(
    node: ast.FunctionDef, test: str, of_class: Decorated, values: Values
) -> Iterator[FoundTest]:
    of_method = decorated_by(node, values)
    if of_method.skipped or of_class.skipped:
        return
    decorated = of_method
    if of_method.points is None:
        decorated = replace(decorated, points=of_class.points)
    if of_method.visible is None:
        decorated = replace(decorated, visible=of_class.visible)
    names = frozenset(_names_in(node))
    found = FoundTest(
        test=test,
        line=node.lineno,
        description=_description_of(node),
        names=names,
        decorated=decorated,
    )
    sets = _multiplied(of_method.sets, of_class.sets)
    if sets is None or of_method.unknown_sets or of_class.unknown_sets:
        yield found
        return
    for index, parameters in enumerate(sets):
        yield replace(found, index=index, parameters=parameters)


def _description_of(node: ast.FunctionDef) -> str:
    """Return the first paragraph of the docstring on one line."""
    docstring = ast.get_docstring(node) or ""
    first, _, _ = docstring.partition("\n\n")
    words = first.split()
    return " ".join(words)[:_MAX_DESCRIPTION_LENGTH]


def _multiplied(
    outer: tuple[str, ...] | None, inner: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return each inner parameter set combined with each outer one, in pytest's order."""
    if outer is None:
        return inner
    if inner is None:
        return outer
    pairs = itertools.product(outer, inner)
    return tuple(map(", ".join, pairs))


def _parts(node: ast.FunctionDef, found: FoundTest, values: Values) -> Iterator[FoundTest]:
    """Yield the subTests of a TestCase method if they are in a single loop of known length;
    otherwise the whole test. Its points are divided among them.
    """
    loops = [part for part in node.body if isinstance(part, ast.For)]
    subtests = [part for part in ast.walk(node) if _begins_subtest(part)]
    items = None
    if len(loops) == 1 and len(subtests) == 1 and subtests[0] in loops[0].body:
        known = {**values, **values_of_names(node.body)}
        items = known_items(loops[0].iter, known)
    if items is None or not 1 < len(items) <= _MAX_PARTS:
        yield found
        return
    for number, item in enumerate(items):
        yield replace(found, part=number, parts=len(items), parameters=item)


def _begins_subtest(node: ast.AST) -> bool:
    if not isinstance(node, ast.With):
        return False
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and _last_name(call.func) == "subTest":
            return True
    return False


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names in a test's text, but not those of the exceptions that it expects."""
    left: list[ast.AST] = [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        left += ast.iter_child_nodes(part)
        if isinstance(part, ast.Call) and _last_name(part.func) in _EXPECTING:
            for argument in part.args[:1]:
                left.remove(argument)


def _names_of_fixtures(
    test: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]
) -> frozenset[str]:
    """Return the names that the fixtures of a test use, and those of its `setUp`."""
    names: set[str] = set()
    left = [argument.arg for argument in test.args.args] + list(_BEFORE_EACH)
    done = {test.name}
    while left:
        name = left.pop()
        fixture = functions.get(name)
        if fixture is None or name in done:
            continue
        done.add(name)
        names.update(_names_in(fixture))
        left += [argument.arg for argument in fixture.args.args]
    return frozenset(names)


def decorated_by(
    node: ast.FunctionDef | ast.ClassDef, values: Values = MappingProxyType({})
) -> Decorated:
    """Return what the decorators state. Decorators are recognized by name."""
    found = Decorated()
    for decorator in node.decorator_list:
        called = decorator
        arguments: list[ast.expr] = []
        if isinstance(decorator, ast.Call):
            called = decorator.func
            arguments += decorator.args
            arguments += [keyword.value for keyword in decorator.keywords]
        found = _with(found, _last_name(called), arguments, values)
    return found


def _with(found: Decorated, name: str, arguments: list[ast.expr], values: Values) -> Decorated:
    first: object = None
    if arguments and isinstance(arguments[0], ast.Constant):
        first = arguments[0].value
    if name in _POINTS and type(first) in (int, float):
        return replace(found, points=Fraction(str(first)))
    if name == "visibility" and first in _VISIBILITY:
        return replace(found, visible=_VISIBILITY[str(first)])
    if name in ("visible", "hidden"):
        return replace(found, visible=_VISIBILITY[name])
    if name == "skip":
        return replace(found, skipped=True)
    if name == "parametrize":
        return _with_sets(found, arguments, values)
    return found


def _with_sets(found: Decorated, arguments: list[ast.expr], values: Values) -> Decorated:
    """Return the facts with these parameter sets added.

    Several decorators multiply, in pytest's order.
    """
    _, *others = arguments or (None,)
    texts: list[str] | None = None
    if others:
        texts = known_items(others[0], values)
    if texts is None:
        return replace(found, sets=(), unknown_sets=True)
    if found.sets is not None:
        pairs = itertools.product(texts, found.sets)
        texts = [f"{inner}, {outer}" for inner, outer in pairs]
    return replace(found, sets=tuple(texts))


def _last_name(node: ast.expr) -> str:
    """Return the last part of `a.b.c`; "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return ""


def uses_files(data: bytes) -> bool:
    """Return whether a Python file may read or write files. A wrong yes only costs time."""
    return _FILE_WORD.search(data) is not None
