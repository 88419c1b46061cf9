"""What a spec may refer to: functions, files, clauses, and the constants of provided files, which
are overridden in the source, so that whatever is computed from them follows."""

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

_TEMPLATE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_MESSAGE = re.compile(r"[A-Za-z].*\s|\s.*[A-Za-z]", re.DOTALL)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef
Overrides = tuple[Binding, ...]


@dataclass(slots=True)
class Variants:
    """The provided files under every set of overrides that was asked for, and their constants."""

    files: tuple[SourceFile, ...]
    submitted: tuple[str, ...]
    _known: dict[Overrides, tuple[ProvidedVariant, dict[str, object]]] = field(default_factory=dict)

    def constants(self, overrides: Overrides = ()) -> dict[str, object]:
        """The constants under these overrides; HintedError, ProvidedError."""
        if overrides not in self._known:
            files = with_overrides(self.files, overrides)
            variant = ProvidedVariant(constants=overrides, files=files)
            self._known[overrides] = (variant, constants_of(files, self.submitted))
        return self._known[overrides][1]

    def all(self, used: Iterable[Overrides]) -> tuple[ProvidedVariant, ...]:
        return tuple(self._known[overrides][0] for overrides in dict.fromkeys([(), *used]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What assignment.yaml says, with the files it names read: what scenarios may name."""

    document: Document
    shape: AssignmentShape
    folder: Path
    shown_folder: str
    reference_folder: Path
    reference: tuple[SourceFile, ...]  # empty where there is none
    provided: tuple[SourceFile, ...]
    functions: tuple[FunctionSignature, ...]
    other_names: frozenset[str]  # that stimuli may use: of the reference's module, beside functions
    definitions: frozenset[str]  # functions and classes of the provided files, but for drivers
    limits: Limits
    floats_within: float | None
    clock: Clock | None  # where a scenario states none
    variants: Variants
    clauses: tuple[Clause, ...] | None = None  # None where the assignment lists none
    used: set[str] = field(default_factory=set)  # files below the folder that scenarios name

    @property
    def submission_files(self) -> tuple[str, ...]:
        return self.shape.submission.file_names

    @property
    def file_names(self) -> tuple[str, ...]:
        return (*self.submission_files, *(file.name for file in self.provided))

    @property
    def function_names(self) -> tuple[str, ...]:
        return tuple(function.name for function in self.functions)

    def parameters(self, function: str | None) -> tuple[str, ...]:
        return next((each.parameters for each in self.functions if each.name == function), ())

    @property
    def main_file(self) -> str:
        """The file whose names scenarios know."""
        return self.shape.submission.laid_as or self.submission_files[0]

    def other_file_of(self, function: str) -> str:
        """The submitted file that has this function or class; "" where the main file knows it."""
        main = next((each for each in self.reference if each.name == self.main_file), None)
        for file in self.reference:
            if file is not main and function in defined_in([file]):
                return "" if main is None or _knows(main, function, file) else file.name
        return ""

    def has_clause(self, document: Document, loc: Loc, name: str) -> bool:
        """Whether there is this clause, or no list of clauses; else a mistake is noted."""
        names = [clause.id for clause in self.clauses or ()]
        if self.clauses is None or name in names:
            return True
        hint = nearest(name, names) or "list it, with what the sheet says, in clauses.yaml"
        document.add(loc, f"unknown clause {name}", hint)
        return False


def public_functions(files: Iterable[SourceFile]) -> tuple[FunctionSignature, ...]:
    """The public functions, classes and methods of the sources, which are not imported."""
    definitions = [each for each in _definitions(files) if not each.name.startswith("_")]
    signatures = (each for definition in definitions for each in _signatures(definition))
    return tuple({each.name: each for each in signatures}.values())


def _definitions(files: Iterable[SourceFile]) -> Iterator[_Definition]:
    for file in files:
        body = ast.parse(file.data).body if file.name.endswith(".py") else []
        yield from (node for node in body if isinstance(node, _Definition))


def defined_in(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """The names of the functions and classes that the files define at their top level, sorted."""
    return tuple(sorted({node.name for node in _definitions(files)}))


def class_names(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """The names of all classes that the files define, in their order."""
    parts = [part for file in files if file.name.endswith(".py") for part in statements(file.data)]
    nodes = (node for part in parts for node in ast.walk(part))
    return tuple(dict.fromkeys(node.name for node in nodes if isinstance(node, ast.ClassDef)))


def other_names(file: SourceFile) -> frozenset[str]:
    """The public names that a module binds at its top level, but for definitions and imports."""
    names = (name for name, _ in _bindings(ast.parse(file.data)))
    return frozenset(name for name in names if not name.startswith("_"))


def definitions_beside(files: Iterable[SourceFile], submitted: Iterable[str]) -> frozenset[str]:
    """What the provided modules define, but for drivers, which import a `submitted` file."""
    modules = {name.removesuffix(".py") for name in submitted}
    named = [file for file in files if file.name.endswith(".py")]
    return frozenset(defined_in(each for each in named if modules.isdisjoint(_imports_of(each))))


def _knows(main: SourceFile, name: str, other: SourceFile) -> bool:
    """Whether a module binds a name at its top level, or takes all those of the other by a star."""
    tree = ast.parse(main.data)
    known = {*defined_in([main]), *(bound for bound, _ in _bindings(tree))}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {alias.asname or alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and f"{node.module}.py" == other.name and "*" in known:
            return True
    return name in known


def _imports_of(file: SourceFile) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.data)):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _signatures(node: _Definition) -> Iterator[FunctionSignature]:
    if not isinstance(node, ast.ClassDef):
        yield FunctionSignature(name=node.name, parameters=_parameters(node))
        return
    methods = [part for part in node.body if isinstance(part, _Function)]
    inits = [_parameters(part)[1:] for part in methods if part.name == "__init__"]
    yield FunctionSignature(name=node.name, parameters=inits[0] if inits else ())
    for part in methods:
        if not part.name.startswith("_"):
            decorators = [each.id for each in part.decorator_list if isinstance(each, ast.Name)]
            names = _parameters(part)[0 if "staticmethod" in decorators else 1 :]
            yield FunctionSignature(name=f"{node.name}.{part.name}", parameters=names)


def _parameters(node: _Function) -> tuple[str, ...]:
    return tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))


class ProvidedError(ValueError):
    """A provided file cannot be run."""

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        super().__init__(f"{file} cannot be run: {reason}")


def with_overrides(
    files: tuple[SourceFile, ...], constants: Iterable[Binding]
) -> tuple[SourceFile, ...]:
    """The provided files with the top-level assignment of each name given the literal, on the same
    lines. HintedError for a name without exactly one `NAME = …` or `NAME: T = …` in all files."""
    data = {file.name: file.data for file in files}
    for binding in constants:
        bound = [
            (name, value)
            for name in data
            if name.endswith(".py")
            for target, value in _bindings(ast.parse(data[name].decode("utf-8-sig")))
            if target == binding.name
        ]
        plain = [(name, value) for name, value in bound if value is not None]
        if len(bound) != 1 or not plain:
            what = f"binds {binding.name} more than once"
            what = what if plain else f"has no plain top-level assignment of {binding.name}"
            hint = "an override rewrites the one NAME = … at the module's top level"
            raise HintedError(f"{' or '.join(data)} {what}", hint)
        name, value = plain[0]
        data[name] = _rewrite(data[name], value, binding.literal)
    return tuple(SourceFile(name=file.name, data=data[file.name]) for file in files)


def constants_of(files: tuple[SourceFile, ...], submitted: Iterable[str] = ()) -> dict[str, object]:
    """Return the public plain values of the provided modules, which run in this process.

    A driver (a module that imports a `submitted` file) has none. May raise ProvidedError, and
    SyntaxError if a module is not Python."""
    imports = _Imports(files, submitted)
    constants: dict[str, object] = {}
    for module in imports.sources:
        with contextlib.suppress(_DriverError):
            for name, value in vars(imports.module(module)).items():
                with contextlib.suppress(TypeError, RecursionError):  # of what is not a plain value
                    if not name.startswith("_"):
                        Value.of(value)
                        constants[name] = value
    return constants


class _DriverError(Exception):
    """The module asks for a submitted one."""


class _Imports:
    """Runs provided modules in memory, and lets them import one another."""

    def __init__(self, files: tuple[SourceFile, ...], submitted: Iterable[str]) -> None:
        modules = [file for file in files if file.name.endswith(".py")]
        self.sources = {file.name.removesuffix(".py"): file for file in modules}
        self.submitted = {name.removesuffix(".py") for name in submitted} - self.sources.keys()
        self.modules: dict[str, types.ModuleType] = {}

    def module(self, name: str) -> types.ModuleType:
        if name in self.modules:
            return self.modules[name]
        file = self.sources[name]
        module = self.modules[name] = types.ModuleType(name)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._import}
        try:
            code = compile(file.data, file.name, "exec", dont_inherit=True)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, vars(module))
        except (_DriverError, SyntaxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ProvidedError(file.name, f"{type(error).__name__}: {error}") from None
        return module

    def _import(self, name: str, *details: Any) -> Any:
        if name in self.sources:
            return self.module(name)
        if name in self.submitted:
            raise _DriverError
        return __import__(name, *details)


def _bindings(tree: ast.Module) -> Iterable[tuple[str, ast.expr | None]]:
    """Return every top-level binding of a name, with the value only for a simple assignment."""
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
    first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
    before = b"".join(lines[:first]) + lines[first][: value.col_offset]
    after = lines[last][value.end_col_offset :] + b"".join(lines[last + 1 :])
    literal = f"({literal})" if literal[:1] == "-" else literal
    if last > first:
        # Later lines keep their numbers: tracebacks and findings point at them.
        literal = "(" + literal + "\n" * (last - first) + ")"
    return before + literal.encode("utf-8") + after


class TemplateError(ValueError):
    """A template that names no constant. `position` is its index in the text."""

    def __init__(self, what: str, name: str, position: int) -> None:
        self.name = name
        self.position = position
        super().__init__(what)


def names_in(text: str) -> set[str]:
    """The names that a text's templates use."""
    return {match[1].strip() for match in _TEMPLATE.finditer(text)}


def render(text: str, constants: Mapping[str, object], quote: Callable[[str], str] = str) -> str:
    """Return `text` with every `{{ NAME }}` replaced by the constant's value: a str as it is,
    anything else as Python shows it. Raise TemplateError for a name that is not a constant."""

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in constants:
            constant = constants[name]
            return quote(constant if isinstance(constant, str) else repr(constant))
        unknown, other = f"unknown constant {name}", f"{match[0]} is not the name of a constant"
        raise TemplateError(unknown if name.isidentifier() else other, name, match.start())

    return _TEMPLATE.sub(value, text)


def as_template(text: str, variant: ProvidedVariant, submitted: Iterable[str] = ()) -> str:
    """`text` with the values of message constants (with a letter and white space, so that no piece
    or separator is taken for one) written as `{{ NAME }}`, longest first; it renders to `text`
    again. `submitted` are the files handed in, as in `constants_of`."""
    constants = constants_of(variant.files, submitted)
    names: dict[str, str] = {}
    for name, value in constants.items():
        if isinstance(value, str) and _MESSAGE.search(value):
            names.setdefault(value, name)
    if not names:
        return text
    pattern = "|".join(re.escape(value) for value in sorted(names, key=len, reverse=True))
    template = re.sub(pattern, lambda match: "{{ " + names[match[0]] + " }}", text)
    try:
        return template if render(template, constants) == text else text
    except TemplateError:
        return text
