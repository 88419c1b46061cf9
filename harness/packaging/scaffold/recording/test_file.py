"""Convert the tests of one file to scenarios. Tests that cannot be converted stay tests."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.assignment.test_files import (
    DOCTEST_ENDINGS,
    UNDERSTOOD,
    FoundTest,
    documented,
    find_tests,
)
from harness.packaging.scaffold.recording.expressions import (
    NotRecordedError,
    TestScope,
    items_of,
    shortened,
    value_of,
)
from harness.packaging.scaffold.recording.one_test import TestReader
from harness.packaging.scaffold.recording.replaced import PATCHES, STDOUT, target_of
from harness.packaging.scaffold.recording.scenario import Recorded
from harness.packaging.scaffold.syntax import names_in, options_of

_GIVEN = ("self", "capsys", "monkeypatch")
_HARMLESS = UNDERSTOOD | {"number"}  # decorators
_PLAIN_BASES = frozenset(("unittest.TestCase", "TestCase", "object"))
_NOT_CALLED = ("tearDown", "setUpClass", "tearDownClass", "teardown_method", "setup_class")


@dataclass(frozen=True, slots=True)
class KeptTest:
    """A test that cannot become a scenario, and the reason."""

    file: str
    test: str
    why: str


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """A test, and the scenarios that replace it: one for each set of parameters."""

    file: str
    test: str
    scenarios: tuple[Recorded, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Return the file and the name of the test."""
        return self.file, self.test


@dataclass(slots=True)
class TestFile:
    """A file with tests. `read` fills `recorded` and `kept`."""

    __test__ = False  # no test of ours

    name: str
    data: bytes
    runner: str
    functions: tuple[str, ...]  # functions and classes of the program
    modules: tuple[str, ...]  # of the program, the main one first
    recorded: list[RecordedTest] = field(default_factory=list)
    kept: list[KeptTest] = field(default_factory=list)
    _fixtures: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def read(self) -> None:
        """Convert each test if possible. Otherwise add it to `kept` with the reason."""
        by_test: dict[str, list[FoundTest]] = {}
        for found in find_tests(self.name, self.data, self.runner):
            if not found.part:  # the loop over its subTests is read as a whole
                by_test.setdefault(found.test, []).append(found)
        for test, sets in by_test.items():
            try:
                scenarios = tuple(self._scenarios(test, sets))
                self.recorded.append(RecordedTest(self.name, test, scenarios))
            except NotRecordedError as error:
                self.kept.append(KeptTest(self.name, test, str(error)))

    def _scenarios(self, test: str, sets: Sequence[FoundTest]) -> Iterator[Recorded]:
        if self.runner == "doctest" or self.name.endswith(DOCTEST_ENDINGS):
            if len(sets) > 1:
                raise NotRecordedError(f"{len(sets)} docstrings have its name")
            yield self._session(sets[0])
            return
        tree = ast.parse(self.data)
        scope = self._scope(tree)
        function, owner = _found_in(tree, test)
        for found in sets:
            yield self._scenario(found, function, owner, scope.copy())

    def _session(self, found: FoundTest) -> Recorded:
        text = self.data.decode("utf-8-sig", "replace")
        if not self.name.endswith(DOCTEST_ENDINGS):
            text = _docstring(text, found.test)
        lines: list[str] = []
        sources: list[str] = []
        for example in doctest.DocTestParser().get_examples(text):
            source = example.source.rstrip("\n")
            is_import = source.startswith(("import ", "from "))
            if example.options or "<BLANKLINE>" in example.want:
                raise NotRecordedError("it has options or empty lines of doctest")
            if is_import:
                self._check_import(source)
                continue
            sources.append(source)
            first, *others = source.split("\n")
            lines.append(f">>> {first}")
            lines += [f"... {line}" for line in others]
            lines += example.want.splitlines()
        if not sources:
            raise NotRecordedError("it does not use the program")
        name = found.test or self.name
        recorded = Recorded(name=name, session="\n".join(lines))
        return self._finished(recorded, sources, found)

    def _check_import(self, source: str) -> None:
        statement = ast.parse(source).body[0]
        is_main = isinstance(statement, ast.ImportFrom) and statement.module == self.modules[0]
        if not is_main or " as " in source:
            raise NotRecordedError(f"it has a statement {source}")

    def _scope(self, tree: ast.Module) -> TestScope:
        """Return the meanings of the file's names: names of the program, and values assigned only
        once.
        """
        scope = TestScope()
        assigned: set[str] = set()
        for part in ast.walk(tree):
            assigned.update(_global_names(part))
        for node in tree.body:
            match node:
                case ast.Import() | ast.ImportFrom():
                    self._add_imported(scope, node)
                case ast.Assign(targets=[ast.Name(id=name)]):
                    if name not in assigned:
                        self._add_value(scope, name, node.value)
                case ast.FunctionDef() if _is_fixture(node):
                    self._fixtures[node.name] = node
        return scope

    def _add_value(self, scope: TestScope, name: str, value: ast.expr) -> None:
        try:
            scope.literals[name] = value_of(value, scope.literals)
        except NotRecordedError:
            scope.literals.pop(name, None)

    def _add_imported(self, scope: TestScope, node: ast.Import | ast.ImportFrom) -> None:
        main = self.modules[0]
        module = ""
        if isinstance(node, ast.ImportFrom):
            _, _, module = (node.module or "").rpartition(".")
        for alias in node.names:
            name = alias.asname or alias.name
            if alias.name == main:
                scope.modules.add(name)
            elif module == main and alias.name == "*":
                scope.program |= {function: function for function in self.functions}
            elif module == main:
                scope.program[name] = alias.name

    def _scenario(
        self,
        found: FoundTest,
        function: ast.FunctionDef,
        owner: ast.ClassDef | None,
        scope: TestScope,
    ) -> Recorded:
        recorded = Recorded(name=found.title)
        reader = TestReader(scope, recorded)
        self._check_decorators(function)
        if owner is not None:
            self._check_class(owner)
            function = _without_self(function)
            for name in ("setUp", "setup_method"):
                for method in _functions_called(name, owner.body):
                    reader.read(_without_self(method).body)
        self._bind_parameters(found, function, reader)
        reader.read(function.body)
        sources = [step.source for step in recorded.steps]
        return self._finished(recorded, sources, found)

    def _finished(self, recorded: Recorded, sources: list[str], found: FoundTest) -> Recorded:
        run = recorded.run
        if run is None and not sources:
            raise NotRecordedError("it does not use the program")
        function = self._function_of(sources, found.test)
        if run is not None:
            function = run.file
        decorated = found.decorated
        points = ""
        if decorated.points is not None:
            points = str(decorated.points)
        return replace(recorded, function=function, points=points, visible=decorated.visible)

    def _function_of(self, sources: list[str], test: str) -> str:
        """Return the function that a test is about.

        It is the first function of the program that the test uses, preferably one that occurs in
        the test's name; without any, the program itself.
        """
        used: set[str] = set()
        for source in sources:
            used |= names_in(ast.parse(source))
        known = [name for name in self.functions if name in used]
        named = [name for name in known if name.lower() in test.lower()]
        first, *_ = (*named, *known, f"{self.modules[0]}.py")
        return first

    def _check_decorators(self, function: ast.FunctionDef) -> None:
        for decorator in function.decorator_list:
            text, _, _ = ast.unparse(decorator).partition("(")
            _, _, name = text.rpartition(".")
            if text not in PATCHES and name not in _HARMLESS:
                raise NotRecordedError(f"it is decorated with {text}")

    def _check_class(self, owner: ast.ClassDef) -> None:
        bases = [ast.unparse(base) for base in owner.bases]
        if not _PLAIN_BASES.issuperset(bases):
            named = ", ".join(bases)
            raise NotRecordedError(f"its class derives from {named}")
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and node.name in _NOT_CALLED:
                raise NotRecordedError(f"its class has {node.name}")
            if isinstance(node, ast.Assign):
                raise NotRecordedError("its class has its own values")

    def _bind_parameters(
        self, found: FoundTest, function: ast.FunctionDef, reader: TestReader
    ) -> None:
        """Give names their values for one run of a test: parameters, replacements of decorators,
        fixtures.
        """
        names = [argument.arg for argument in function.args.args if argument.arg not in _GIVEN]
        for name, value in _parameters(found, function, reader.scope).items():
            reader.scope.forget(name)
            reader.scope.literals[name] = value
            names.remove(name)
        used = names_in(ast.Module(function.body, []))
        for decorator in reversed(function.decorator_list):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in PATCHES:
                is_named = len(decorator.args) < 2 and "new" not in options_of(decorator)
                name = names.pop(0) if is_named else ""
                if name and target_of(decorator) != STDOUT and name in used:
                    raise NotRecordedError(f"it checks how {name} was called")
                reader.patched(decorator, name)
        for name in names:
            self._read_fixture(name, reader)

    def _read_fixture(self, name: str, reader: TestReader) -> None:
        fixture = self._fixtures.get(name)
        if fixture is None or fixture.args.args:
            raise NotRecordedError(f"it uses the fixture {name}")
        *before, last = fixture.body
        value = None
        if isinstance(last, ast.Return):
            value = last.value
        elif isinstance(last, ast.Expr) and isinstance(last.value, ast.Yield):
            value = last.value.value
        if value is None:
            raise NotRecordedError(f"it uses the fixture {name}")
        reader.read(before)
        target = ast.Name(name, ast.Store())
        reader.read([ast.Assign(targets=[target], value=value, lineno=1)])


def _found_in(tree: ast.Module, test: str) -> tuple[ast.FunctionDef, ast.ClassDef | None]:
    """Return the function of a test and its class, if it has one.

    The last definition of a name counts.
    """
    owner_name, _, name = test.rpartition("::")
    owner = None
    body = tree.body
    if owner_name:
        *_, owner = (
            node for node in body if isinstance(node, ast.ClassDef) and node.name == owner_name
        )
        body = owner.body
    functions = _functions_called(name, body)
    if not functions:
        raise NotRecordedError("it is inherited")
    return functions[-1], owner


def _functions_called(name: str, body: Sequence[ast.stmt]) -> list[ast.FunctionDef]:
    return [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]


def _global_names(node: ast.AST) -> Iterator[str]:
    """Yield the names in `global` statements, and of variables that `+=` and similar operators
    change.
    """
    if isinstance(node, ast.Global):
        yield from node.names
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _is_fixture(node: ast.FunctionDef) -> bool:
    texts = [ast.unparse(decorator) for decorator in node.decorator_list]
    return texts in (["pytest.fixture"], ["fixture"], ["pytest.fixture()"])


class _SelfNames(ast.NodeTransformer):
    """Replaces `self.name` by a variable, except for methods of TestCase."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        is_of_test = node.attr.startswith(("assert", "subTest", "fail", "skip"))
        if is_of_test or not isinstance(node.value, ast.Name) or node.value.id != "self":
            return node
        return ast.Name(f"self_{node.attr}", node.ctx)


def _without_self(function: ast.FunctionDef) -> ast.FunctionDef:
    copied = ast.parse(ast.unparse(function)).body[0]
    found: ast.FunctionDef = _SelfNames().visit(copied)
    return found


def _parameters(
    found: FoundTest, function: ast.FunctionDef, scope: TestScope
) -> Mapping[str, object]:
    """Return the parameters of a test by name, for one of its sets of parameters."""
    calls: list[ast.Call] = []
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        if ast.unparse(decorator.func).endswith("parametrize"):
            calls.append(decorator)
    if not calls:
        return {}
    first = calls[0]
    if len(calls) > 1 or found.index is None or first.keywords:
        raise NotRecordedError("its parameters are computed or multiplied")
    stated, sets = first.args
    names = value_of(stated, scope.literals)
    if isinstance(names, str):
        names = names.split(",")
    if not isinstance(names, list | tuple):
        raise NotRecordedError("its parameters are computed or multiplied")
    values = items_of(sets, scope.literals)[found.index]
    if len(names) == 1:
        values = [values]
    if not isinstance(values, list | tuple) or len(values) != len(names):
        raise NotRecordedError(f"its parameters are {shortened(sets)}")
    return {str(name).strip(): value for name, value in zip(names, values, strict=True)}


def _docstring(text: str, name: str) -> str:
    for part, node in documented(ast.parse(text)):
        if part == name:
            return ast.get_docstring(node) or ""
    return ""
