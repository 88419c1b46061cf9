"""The names that a specification may use: functions, files, clauses, and constants of provided
files.

A constant is changed in the source text of the provided file, so that values computed from it
change too.
"""

from __future__ import annotations

import ast
import builtins
import codecs
import contextlib
import io
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.assignment.document import Document, HintedError, Loc
from harness.matchers.reading import nearest
from harness.model.assignment import Clause, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.stimulus import Binding, Clock, Limits, statements
from harness.model.values import Value

if TYPE_CHECKING:
    from harness.assignment.files.assignment import AssignmentShape

_TEMPLATE = re.compile(r"\{\{(.{0,400}?)\}\}", re.DOTALL)
_LETTER = re.compile(r"[A-Za-z]")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef
Overrides = tuple[Binding, ...]


@dataclass(slots=True)
class Variants:
    """The provided files and their constants, for each set of changed constants that a scenario
    uses.
    """

    files: tuple[SourceFile, ...]
    submitted: tuple[str, ...]
    _known: dict[Overrides, tuple[ProvidedVariant, dict[str, object]]] = field(default_factory=dict)

    def constants(self, overrides: Overrides = ()) -> dict[str, object]:
        """Return the constants after these changes.

        Raise HintedError if one cannot be changed, or ProvidedError if a provided file cannot be
        run.
        """
        if overrides not in self._known:
            files = with_overrides(self.files, overrides)
            variant = ProvidedVariant(constants=overrides, files=files)
            constants = constants_of(files, self.submitted)
            self._known[overrides] = (variant, constants)
        _, known = self._known[overrides]
        return known

    def all(self, used: Iterable[Overrides]) -> tuple[ProvidedVariant, ...]:
        variants: list[ProvidedVariant] = []
        for overrides in dict.fromkeys([(), *used]):
            variant, _ = self._known[overrides]
            variants.append(variant)
        return tuple(variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentSymbols:
    """The content of assignment.yaml and the files it names, which define the names for
    scenarios.
    """

    document: Document
    shape: AssignmentShape
    folder: Path
    shown_folder: str
    reference_folder: Path
    reference: tuple[SourceFile, ...]  # empty if there is none
    provided: tuple[SourceFile, ...]
    functions: tuple[FunctionSignature, ...]
    other_names: frozenset[str]  # other names in the reference's module that scenarios may use
    definitions: frozenset[str]  # functions and classes in provided files, except drivers
    limits: Limits
    floats_within: float | None
    clock: Clock | None  # used if a scenario states none
    variants: Variants
    tested_program: tuple[SourceFile, ...] = ()  # the reference's files that students' tests test
    clauses: tuple[Clause, ...] | None = None  # None if the assignment lists none
    used: set[str] = field(default_factory=set)  # files in the spec folder that scenarios name

    @property
    def submission_files(self) -> tuple[str, ...]:
        return self.shape.submission.file_names

    @property
    def file_names(self) -> tuple[str, ...]:
        provided = (file.name for file in self.provided)
        return (*self.submission_files, *provided)

    @property
    def function_names(self) -> tuple[str, ...]:
        return tuple(function.name for function in self.functions)

    def parameters(self, function: str | None) -> tuple[str, ...]:
        for known in self.functions:
            if known.name == function:
                return known.parameters
        return ()

    @property
    def main_file(self) -> str:
        """Return the name of the file whose names scenarios use directly."""
        return self.shape.submission.laid_as or self.submission_files[0]

    def other_file_of(self, function: str) -> str:
        """Return the submitted file that defines this function or class; "" if scenarios can use
        it by name through the main file.
        """
        by_name = {file.name: file for file in self.reference}
        main = by_name.get(self.main_file)
        for file in self.reference:
            if file is main or function not in defined_in([file]):
                continue
            if main is None or _knows(main, function, file):
                return ""
            return file.name
        return ""

    def has_clause(self, document: Document, loc: Loc, name: str) -> bool:
        """Return whether the assignment has this clause or lists no clauses.

        Otherwise note an error.
        """
        if self.clauses is None:
            return True
        names = [clause.id for clause in self.clauses]
        if name in names:
            return True
        hint = nearest(name, names) or "list it, with the sheet's words, in clauses.yaml"
        document.add(loc, f"unknown clause {name}", hint)
        return False


def public_functions(files: Iterable[SourceFile]) -> tuple[FunctionSignature, ...]:
    """Return the public functions, classes and methods defined in the files, without importing
    them.
    """
    by_name: dict[str, FunctionSignature] = {}
    for definition in _definitions(files):
        if definition.name.startswith("_"):
            continue
        for signature in _signatures(definition):
            by_name[signature.name] = signature
    return tuple(by_name.values())


def _python_files(files: Iterable[SourceFile]) -> Iterator[SourceFile]:
    for file in files:
        if file.name.endswith(".py"):
            yield file


def _definitions(files: Iterable[SourceFile]) -> Iterator[_Definition]:
    for file in _python_files(files):
        for node in ast.parse(file.data).body:
            if isinstance(node, _Definition):
                yield node


def defined_in(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """Return the names of the functions and classes that the files define at their top level,
    sorted."""
    names = {node.name for node in _definitions(files)}
    return tuple(sorted(names))


def class_names(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """Return the names of all classes that the files define, in their order."""
    names: dict[str, None] = {}
    for file in _python_files(files):
        for statement in statements(file.data):
            for node in ast.walk(statement):
                if isinstance(node, ast.ClassDef):
                    names[node.name] = None
    return tuple(names)


def other_names(file: SourceFile) -> frozenset[str]:
    """Return the public names that a module assigns at its top level, without definitions and
    imports.
    """
    names: set[str] = set()
    tree = ast.parse(file.data)
    for name, _ in _bindings(tree):
        if not name.startswith("_"):
            names.add(name)
    return frozenset(names)


def definitions_beside(files: Iterable[SourceFile], submitted: Iterable[str]) -> frozenset[str]:
    """Return the names that provided modules define, without drivers (modules that import a
    `submitted` file).
    """
    modules = {name.removesuffix(".py") for name in submitted}
    beside: list[SourceFile] = []
    for file in _python_files(files):
        if modules.isdisjoint(_imports_of(file)):
            beside.append(file)
    return frozenset(defined_in(beside))


def _knows(main: SourceFile, name: str, other: SourceFile) -> bool:
    """Return whether a module defines or imports a name at its top level, or star-imports the
    other module.
    """
    tree = ast.parse(main.data)
    known = set(defined_in([main]))
    for bound, _ in _bindings(tree):
        known.add(bound)
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            known.add(alias.asname or alias.name)
        is_of_other = isinstance(node, ast.ImportFrom) and f"{node.module}.py" == other.name
        if is_of_other and "*" in known:
            return True
    return name in known


def _imports_of(file: SourceFile) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.data)):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name


def _signatures(node: _Definition) -> Iterator[FunctionSignature]:
    if not isinstance(node, ast.ClassDef):
        yield FunctionSignature(name=node.name, parameters=_parameters(node))
        return
    methods = [part for part in node.body if isinstance(part, _Function)]
    of_init: tuple[str, ...] = ()
    for method in reversed(methods):
        if method.name == "__init__":
            _, *others = _parameters(method) or ("",)
            of_init = tuple(others)
    yield FunctionSignature(name=node.name, parameters=of_init)
    for method in methods:
        if method.name.startswith("_"):
            continue
        parameters = _parameters(method)
        if not _is_static(method):
            parameters = parameters[1:]
        yield FunctionSignature(name=f"{node.name}.{method.name}", parameters=parameters)


def _is_static(method: _Function) -> bool:
    for decorator in method.decorator_list:
        if isinstance(decorator, ast.Name) and decorator.id == "staticmethod":
            return True
    return False


def _parameters(node: _Function) -> tuple[str, ...]:
    arguments = (*node.args.posonlyargs, *node.args.args)
    return tuple(argument.arg for argument in arguments)


class ProvidedError(ValueError):
    """A provided file cannot be run."""

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        super().__init__(f"{file} cannot be run: {reason}")


def with_overrides(
    files: tuple[SourceFile, ...], constants: Iterable[Binding]
) -> tuple[SourceFile, ...]:
    """Return the provided files with the given constants changed in their top-level assignments;
    line numbers stay the same.

    Raise HintedError if a name is not assigned exactly once as `NAME = …` or `NAME: T = …`.
    """
    data = {file.name: file.data for file in files}
    for binding in constants:
        bound = list(_assignments_of(binding.name, data))
        plain = [(file, value) for file, value in bound if value is not None]
        if len(bound) != 1 or not plain:
            what = f"has no simple assignment to {binding.name} at module level"
            if plain:
                what = f"assigns {binding.name} more than once"
            hint = "an override needs exactly one NAME = … at module level"
            raise HintedError(f"{' or '.join(data)} {what}", hint)
        file, value = plain[0]
        data[file] = _rewrite(data[file], value, binding.literal)
    return tuple(SourceFile(name=file.name, data=data[file.name]) for file in files)


def _assignments_of(
    constant: str, data: Mapping[str, bytes]
) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield (file, value) for each top-level assignment of a name; the value is None if it is not
    a simple assignment.
    """
    for file, content in data.items():
        if not file.endswith(".py"):
            continue
        tree = ast.parse(content.decode("utf-8-sig"))
        for name, value in _bindings(tree):
            if name == constant:
                yield file, value


def constants_of(files: tuple[SourceFile, ...], submitted: Iterable[str] = ()) -> dict[str, object]:
    """Run the provided modules in this process, and return their public constants with plain
    values.

    Drivers (modules that import a `submitted` file) are skipped. May raise ProvidedError, or
    SyntaxError if a module does not parse.
    """
    imports = _Imports(files, submitted)
    constants: dict[str, object] = {}
    for module in imports.sources:
        with contextlib.suppress(_DriverError):
            names = vars(imports.module(module))
            for name, value in names.items():
                with contextlib.suppress(TypeError, RecursionError):  # not a plain value
                    if not name.startswith("_"):
                        Value.of(value)
                        constants[name] = value
    return constants


class _DriverError(Exception):
    """The module imports a submitted module."""


class _Imports:
    """Runs provided modules in memory and lets them import one another."""

    def __init__(self, files: tuple[SourceFile, ...], submitted: Iterable[str]) -> None:
        self.sources: dict[str, SourceFile] = {}
        for file in _python_files(files):
            self.sources[file.name.removesuffix(".py")] = file
        submitted_modules = {name.removesuffix(".py") for name in submitted}
        self.submitted = submitted_modules - self.sources.keys()
        self.modules: dict[str, types.ModuleType] = {}

    def module(self, name: str) -> types.ModuleType:
        if name in self.modules:
            return self.modules[name]
        file = self.sources[name]
        module = self.modules[name] = types.ModuleType(name)
        its_builtins = {**vars(builtins), "__import__": self._import}
        vars(module)["__builtins__"] = its_builtins
        try:
            code = compile(file.data, file.name, "exec", dont_inherit=True)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, vars(module))
        except (_DriverError, SyntaxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}"
            raise ProvidedError(file.name, reason) from None
        return module

    def _import(self, name: str, *details: Any) -> Any:
        if name in self.sources:
            return self.module(name)
        if name in self.submitted:
            raise _DriverError
        return __import__(name, *details)


def _bindings(tree: ast.Module) -> Iterable[tuple[str, ast.expr | None]]:
    """Yield (name, value) for every top-level assignment; the value is None if it is not a simple
    assignment.
    """
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.AnnAssign(value=None):
                pass
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case _:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        yield node.id, None


def _rewrite(source: bytes, value: ast.expr, literal: str) -> bytes:
    lines = source.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True)
    first = value.lineno - 1
    last = (value.end_lineno or value.lineno) - 1
    begun = lines[first][: value.col_offset]
    rest = lines[last][value.end_col_offset :]
    before = [*lines[:first], begun]
    after = [rest, *lines[last + 1 :]]
    if literal.startswith("-"):
        literal = f"({literal})"
    if last > first:
        # Keep line numbers unchanged, because tracebacks and findings refer to them.
        line_ends = "\n" * (last - first)
        literal = f"({literal}{line_ends})"
    return b"".join([*before, literal.encode("utf-8"), *after])


class TemplateError(ValueError):
    """A template names an unknown constant. `position` is its index in the text."""

    def __init__(self, what: str, name: str, position: int) -> None:
        self.name = name
        self.position = position
        super().__init__(what)


def names_in(text: str) -> set[str]:
    """Return the names that a text's templates use."""
    return {match[1].strip() for match in _TEMPLATE.finditer(text)}


def render(text: str, constants: Mapping[str, object], quote: Callable[[str], str] = str) -> str:
    """Return the text with every `{{ NAME }}` replaced by the constant's value: a str unchanged,
    other values as Python displays them.

    Raise TemplateError for an unknown name.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in constants:
            constant = constants[name]
            text = constant if isinstance(constant, str) else repr(constant)
            return quote(text)
        what = f"{match[0]} is not the name of a constant"
        if name.isidentifier():
            what = f"unknown constant {name}"
        raise TemplateError(what, name, match.start())

    return _TEMPLATE.sub(value, text)


def _is_message(text: str) -> bool:
    """Return whether the text contains a letter and white space."""
    return _LETTER.search(text) is not None and any(map(str.isspace, text))


def as_template(text: str, variant: ProvidedVariant, submitted: Iterable[str] = ()) -> str:
    """Return `text` with the values of message constants replaced by `{{ NAME }}`, longest first.

    A message constant contains a letter and white space, so that a single sign or separator is not
    replaced. `render` of the result gives `text` again. `submitted` has the same meaning as in
    `constants_of`.
    """
    constants = constants_of(variant.files, submitted)
    names: dict[str, str] = {}
    for name, value in constants.items():
        if isinstance(value, str) and _is_message(value):
            names.setdefault(value, name)
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))

    def marked(match: re.Match[str]) -> str:
        name = names[match[0]]
        return "{{ " + name + " }}"

    template = re.sub(pattern, marked, text)
    try:
        rendered = render(template, constants)
    except TemplateError:
        return text
    return template if rendered == text else text
