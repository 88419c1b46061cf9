"""policy.yaml: the rules for a submission's text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from harness.assignment.files.provided import functions_of
from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.scenarios.settings import fraction, has_clause
from harness.assignment.schema.models.policy import (
    AllowShape,
    FileImportsShape,
    ImportsShape,
    ListShape,
    PolicyShape,
)
from harness.assignment.schema.validate import shaped
from harness.assignment.schema.validators import describe, listed
from harness.assignment.yaml.document import Document, Loc
from harness.assignment.yaml.errors import nearest
from harness.model.plan import Clause, SourceFile
from harness.model.policy import (
    Consequence,
    FileImports,
    ImportPolicy,
    NameList,
    Policy,
    Severity,
)
from harness.policy import ListSetting, policy_rules

_PLAIN = (Severity.NOTE, Severity.REVIEW, Severity.ZERO)
_FEW = 10  # names that a message lists


def read_policy(
    document: Document,
    clauses: tuple[Clause, ...] | None,
    submitted: tuple[str, ...],
    provided: tuple[SourceFile, ...],
    constants: Iterable[str],
) -> Policy | None:
    """The policy; None, with mistakes noted, if the file holds none."""
    shape = shaped(PolicyShape, document, (), document.data)
    if shape is None:
        return None
    _check_clauses(document, shape, clauses)
    rule = shape.imports
    by_file = rule if rule is not None and "files" in rule.model_fields_set else None
    return Policy(
        imports=None if by_file else _imports(document, ("imports",), rule),
        file_imports=_file_imports(document, by_file, submitted) if by_file else (),
        lists=tuple(_lists(document, shape)),
        provided_modules=tuple(
            file.name.removesuffix(".py") for file in provided if file.name.endswith(".py")
        ),
        provided_names=tuple(sorted(constants)),
        provided_functions=functions_of(provided),
        imports_clause=shape.clauses.imports,
        techniques_clause=shape.clauses.techniques,
        structure_clause=shape.clauses.structure,
        on_imports=_consequence(document, "imports", shape.severity.imports),
        on_techniques=_consequence(document, "techniques", shape.severity.techniques),
        on_structure=_consequence(document, "structure", shape.severity.structure),
    )


def _check_clauses(
    document: Document, shape: PolicyShape, clauses: tuple[Clause, ...] | None
) -> None:
    for key in shape.clauses.model_fields_set:
        has_clause(document, ("clauses", key), getattr(shape.clauses, key), clauses)


def _file_imports(
    document: Document, shape: ImportsShape, submitted: tuple[str, ...]
) -> tuple[FileImports, ...]:
    if not _is_one(document, ("imports",), shape):
        return ()
    if not shape.files:
        document.add(("imports", "files"), "names no file", "leave imports out")
    found: list[FileImports] = []
    for name, part in shape.files.items():
        loc = ("imports", "files", name)
        if name not in submitted or not name.endswith(".py"):
            hint = nearest(name, submitted)
            document.add(loc, f"{name} is no submitted module", hint, key=True)
        imports = _imports(document, loc, part)
        if imports is not None:
            found.append(FileImports(file=name, imports=imports))
    return tuple(found)


def _check_empty(document: Document, loc: Loc, shape: ListShape | FileImportsShape) -> None:
    if shape.model_fields_set == {"forbid"} and not shape.forbid:
        document.add((*loc, "forbid"), "names nothing", f"leave {loc[-1]} out")


def _is_one(document: Document, loc: Loc, shape: FileImportsShape | ListShape) -> bool:
    stated = sorted(shape.model_fields_set)
    if len(stated) == 1:
        return True
    kinds = tuple(type(shape).model_fields)
    what = f"expected one of {listed(kinds)}, got {' and '.join(stated) or 'nothing'}"
    document.add(loc, what)
    return False


def _imports(document: Document, loc: Loc, shape: FileImportsShape | None) -> ImportPolicy | None:
    if shape is None or not _is_one(document, loc, shape):
        return None
    stated = shape.model_fields_set
    if "exactly" in stated:
        for index, statement in enumerate(shape.exactly):
            _check_import(document, (*loc, "exactly", index), statement)
        return ImportPolicy(exactly=tuple(shape.exactly))
    if "none" in stated and not shape.none:
        document.add((*loc, "none"), "expected true, got false", "leave it out")
    if "forbid" in stated:
        _check_empty(document, loc, shape)
        return ImportPolicy(forbid=tuple(shape.forbid))
    return ImportPolicy(allow=tuple(shape.allow))


def _check_import(document: Document, loc: Loc, statement: str) -> None:
    try:
        body = parse_statements(statement).body
    except PythonError:
        body = []
    if len(body) != 1 or not isinstance(body[0], ast.Import | ast.ImportFrom):
        document.add(loc, f"{statement!r} is not an import statement")


def _lists(document: Document, shape: PolicyShape) -> Iterator[NameList]:
    for setting in (rule.setting for rule in policy_rules() if rule.setting is not None):
        part: AllowShape | ListShape | None = getattr(shape, setting.key)
        if part is None:
            continue
        if isinstance(part, ListShape) and _is_one(document, (setting.key,), part):
            _check_empty(document, (setting.key,), part)
        if "allow" in part.model_fields_set:
            names = _names(document, setting, "allow", part.allow)
            yield NameList(key=setting.key, allow=names)
        elif isinstance(part, ListShape):
            yield NameList(key=setting.key, forbid=_names(document, setting, "forbid", part.forbid))


def _names(
    document: Document, setting: ListSetting, kind: str, names: list[str]
) -> tuple[str, ...]:
    all_names = setting.names if kind == "allow" else setting.forbidden
    known = None if all_names is None else all_names()
    for index, name in enumerate(names):
        loc = (setting.key, kind, index)
        if known is not None and name not in known:
            what = f"unknown {setting.noun} {name}"
            every = f"there are {listed(known)}" if len(known) <= _FEW else ""
            document.add(loc, what, nearest(name, known) or every)
        elif not name.isidentifier():
            document.add(loc, f"{name!r} is not a name")
    return tuple(names)


def _consequence(document: Document, key: str, data: Any) -> Consequence:
    loc: Loc = ("severity", key)
    if isinstance(data, dict) and list(data) == ["deduct"]:
        marks = fraction(document, (*loc, "deduct"), data["deduct"])
        if marks is not None:
            return Consequence(severity=Severity.DEDUCT, marks=marks)
    elif data in _PLAIN:
        return Consequence(severity=Severity(data))
    else:
        hint = nearest(data, _PLAIN) if isinstance(data, str) else ""
        if data == "deduct":
            hint = "write {deduct: 1.5}"
        what = f"expected note, review, zero or {{deduct: marks}}, got {describe(data)}"
        document.add(loc, what, hint)
    return Consequence(severity=Severity.REVIEW)
