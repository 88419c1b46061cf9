"""What a spec may refer to: functions, files, clauses, constants and their overrides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.assignment.provided import constants_of, with_overrides
from harness.model.plan import Clause, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.stimulus import Binding, Limits

Overrides = tuple[Binding, ...]


@dataclass(slots=True)
class Variants:
    """The provided files under every set of overrides that was asked for, and their constants."""

    files: tuple[SourceFile, ...]
    submitted: tuple[str, ...]
    _known: dict[Overrides, tuple[ProvidedVariant, dict[str, object]]] = field(default_factory=dict)

    def constants(self, overrides: Overrides = ()) -> dict[str, object]:
        """The constants under these overrides; OverrideError, ProvidedError."""
        if overrides not in self._known:
            files = with_overrides(self.files, overrides)
            values = constants_of(files, self.submitted)
            variant = ProvidedVariant(constants=overrides, files=files)
            self._known[overrides] = (variant, values)
        return self._known[overrides][1]

    def all(self, used: Iterable[Overrides]) -> tuple[ProvidedVariant, ...]:
        """The variants that are used, the one without overrides first."""
        wanted = dict.fromkeys([(), *used])
        return tuple(self._known[overrides][0] for overrides in wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What scenarios may name. `clauses` is None where the assignment lists none; `patterns` are
    regular expressions by what they are called to students."""

    folder: Path
    shown_folder: str
    reference_folder: Path
    reference: tuple[SourceFile, ...]
    submission_files: tuple[str, ...]
    provided: tuple[str, ...]
    has_reference: bool
    functions: tuple[FunctionSignature, ...]
    clauses: tuple[Clause, ...] | None
    limits: Limits
    variants: Variants
    patterns: Mapping[str, str]
    floats_within: float | None = None

    @property
    def function_names(self) -> tuple[str, ...]:
        """The reference's public functions."""
        return tuple(function.name for function in self.functions)

    def parameters(self, function: str | None) -> tuple[str, ...] | None:
        """The parameters of a function of the reference; None if it has no such function."""
        for candidate in self.functions:
            if candidate.name == function:
                return candidate.parameters
        return None


def public_functions(files: Iterable[SourceFile]) -> tuple[FunctionSignature, ...]:
    """The public top-level functions and classes of the sources, and the classes' public methods.

    The sources are read and never imported.
    """
    found: dict[str, FunctionSignature] = {}
    for file in files:
        if not file.name.endswith(".py"):
            continue
        for statement in ast.parse(file.data).body:
            if not isinstance(statement, _DEFINITIONS) or statement.name.startswith("_"):
                continue
            if isinstance(statement, ast.ClassDef):
                found |= {each.name: each for each in _of_class(statement)}
            else:
                found[statement.name] = _signature(statement.name, _parameters(statement))
    return tuple(found.values())


def provided_classes(files: Iterable[SourceFile]) -> tuple[str, ...]:
    """The names of the classes that these files define at their top level."""
    bodies = [ast.parse(file.data).body for file in files if file.name.endswith(".py")]
    return tuple(node.name for body in bodies for node in body if isinstance(node, ast.ClassDef))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


def _of_class(node: ast.ClassDef) -> list[FunctionSignature]:
    methods = [part for part in node.body if isinstance(part, _FUNCTIONS)]
    made = next((part for part in methods if part.name == "__init__"), None)
    parameters = _parameters(made)[1:] if made is not None else ()
    found = [FunctionSignature(name=node.name, parameters=parameters, is_class=True)]
    for part in methods:
        if not part.name.startswith("_"):
            bound = any(_is_static(decorator) for decorator in part.decorator_list)
            own = _parameters(part)
            found.append(_signature(f"{node.name}.{part.name}", own if bound else own[1:]))
    return found


def _is_static(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "staticmethod"


def _signature(name: str, parameters: tuple[str, ...]) -> FunctionSignature:
    return FunctionSignature(name=name, parameters=parameters)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    return tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))
