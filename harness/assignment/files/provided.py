"""The provided files: overriding a constant in their source, and what their constants are.

An override holds before the module's body runs, so that whatever is computed from it follows.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import types
from collections.abc import Iterable, Mapping
from typing import Any

from harness.model.plan import SourceFile
from harness.model.stimulus import Binding
from harness.model.values import Value

Constants = Mapping[str, object]


class OverrideError(ValueError):
    """The provided source has no single plain top-level assignment of a name.

    `plain` counts the assignments that an override could rewrite, `other` all other bindings.
    """

    def __init__(self, name: str, plain: int, other: int) -> None:
        self.name = name
        self.plain = plain
        self.other = other
        super().__init__(f"{name} has {plain} plain and {other} other assignments")


class ProvidedError(ValueError):
    """A provided file cannot be run."""

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        super().__init__(f"{file} cannot be run: {reason}")


def override(source: str, constants: Iterable[Binding]) -> str:
    """`source` with the top-level assignment of each name given the literal, on the same lines.

    Raises OverrideError for a name without exactly one `NAME = …` or `NAME: T = …`.
    """
    for binding in constants:
        source = _override_one(source, binding)
    return source


def with_overrides(
    files: tuple[SourceFile, ...], constants: tuple[Binding, ...]
) -> tuple[SourceFile, ...]:
    """The provided files with all overrides in force; OverrideError as `override`."""
    texts = {file.name: file.data for file in files}
    for binding in constants:
        sources = [name for name in texts if name.endswith(".py")]
        found = {name: _found(_text(texts[name]), binding.name) for name in sources}
        holders = [name for name in sources if found[name]]
        _only(binding.name, [value for name in holders for value in found[name]])
        (name,) = holders
        texts[name] = override(_text(texts[name]), [binding]).encode("utf-8")
    return tuple(SourceFile(name=file.name, data=texts[file.name]) for file in files)


def constants_of(files: tuple[SourceFile, ...], submitted: Iterable[str] = ()) -> dict[str, object]:
    """The public plain values that the provided modules define, by name.

    They are the course's own code and run in this process. A file that imports a `submitted`
    file is a driver and defines nothing. Raises ProvidedError, or
    SyntaxError for a file that is not Python.
    """
    imports = _Imports(files, submitted)
    found: dict[str, object] = {}
    for file in files:
        if not file.name.endswith(".py"):
            continue
        try:
            namespace = imports.module(file.name.removesuffix(".py"))
        except _DriverError:
            continue
        for name, value in vars(namespace).items():
            if not name.startswith("_") and _is_plain(value):
                found[name] = value
    return found


def functions_of(files: tuple[SourceFile, ...]) -> tuple[str, ...]:
    """The names of the functions and classes that the provided modules define, sorted."""
    found: set[str] = set()
    for file in files:
        if file.name.endswith(".py"):
            body = ast.parse(file.data).body
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            found.update(node.name for node in body if isinstance(node, kinds))
    return tuple(sorted(found))


class _DriverError(Exception):
    """The module asks for a submitted one."""


class _Imports:
    """Runs provided modules in memory, and lets them import one another."""

    def __init__(self, files: tuple[SourceFile, ...], submitted: Iterable[str]) -> None:
        self.sources = {
            file.name.removesuffix(".py"): file for file in files if file.name.endswith(".py")
        }
        self.submitted = {name.removesuffix(".py") for name in submitted} - self.sources.keys()
        self.modules: dict[str, types.ModuleType] = {}

    def module(self, name: str) -> types.ModuleType:
        if name in self.modules:
            return self.modules[name]
        file = self.sources[name]
        module = types.ModuleType(name)
        self.modules[name] = module
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._import}
        try:
            code = compile(file.data, file.name, "exec", dont_inherit=True)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, vars(module))
        except (_DriverError, SyntaxError):
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            reason = f"{type(error).__name__}: {error}"
            raise ProvidedError(file.name, reason) from None
        return module

    def _import(self, name: str, *details: Any) -> Any:
        if name in self.sources:
            return self.module(name)
        if name in self.submitted:
            raise _DriverError
        return __import__(name, *details)


def _is_plain(value: object) -> bool:
    try:
        Value.of(value)
    except (TypeError, RecursionError):
        return False
    return True


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig")


def _bindings(tree: ast.Module) -> Iterable[tuple[str, ast.expr | None]]:
    """Every top-level binding of a name; the value only where it is a simple assignment."""
    for statement in tree.body:
        simple: ast.expr | None = None
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                simple = value
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                simple = value
                yield name, value
            case ast.AnnAssign(value=None):
                continue
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
        if simple is None:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id, None


def _found(source: str, name: str) -> list[ast.expr | None]:
    return [value for bound, value in _bindings(ast.parse(source)) if bound == name]


def _only(name: str, found: list[ast.expr | None]) -> ast.expr:
    if len(found) == 1 and found[0] is not None:
        return found[0]
    plain = sum(value is not None for value in found)
    raise OverrideError(name, plain, len(found) - plain)


def _override_one(source: str, binding: Binding) -> str:
    value = _only(binding.name, _found(source, binding.name))
    lines = source.encode("utf-8").splitlines(keepends=True)
    first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
    before = b"".join(lines[:first]) + lines[first][: value.col_offset]
    after = lines[last][value.end_col_offset :] + b"".join(lines[last + 1 :])
    literal = f"({binding.literal})" if binding.literal[:1] == "-" else binding.literal
    if last > first:
        # Later lines keep their numbers: tracebacks and findings point at them.
        literal = "(" + literal + "\n" * (last - first) + ")"
    return (before + literal.encode("utf-8") + after).decode("utf-8")
