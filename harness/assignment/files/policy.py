"""Reads policy.yaml: the rules for the source code of submissions."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, create_model, model_validator

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.shapes import (
    Expects,
    OrAtMost,
    Points,
    Shape,
    WholeOrZero,
    Words,
    guessed_keys,
    one_required,
    read_shape,
    wrong,
)
from harness.assignment.symbols import AssignmentSymbols, defined_in
from harness.common.words import listed
from harness.matchers.reading import nearest
from harness.model.policy import (
    Condition,
    Consequence,
    FileImports,
    ImportPolicy,
    NameList,
    Policy,
    Requirement,
    Severity,
)
from harness.policy.condition import (
    About,
    ConditionKind,
    Holds,
    about,
    definition_named,
)
from harness.policy.conditions import condition_kinds
from harness.policy.conditions.names import WORDS
from harness.policy.rule import ListSetting
from harness.policy.rules import policy_rules

_PLAIN = (Severity.NOTE, Severity.REVIEW, Severity.ZERO)
_CONDITIONS = condition_kinds()
_FEW = 10  # maximum names listed in a message
_BUILTIN_TYPES = (str, bytes, int, float, list, tuple, dict, set, frozenset)


class OneKeyShape(Shape):
    """Exactly one of its keys."""

    @model_validator(mode="after")
    def _is_one(self) -> OneKeyShape:
        stated = sorted(self.model_fields_set)
        if len(stated) != 1:
            kinds = listed(type(self).model_fields, "or")
            got = " and ".join(stated) or "nothing"
            raise wrong(f"expected one of {kinds}, got {got}", instead={"allow": []})
        return self


def _import(statement: str) -> str:
    try:
        body = parse_statements(statement).body
    except PythonError:
        body = []
    imports = [part for part in body if isinstance(part, ast.Import | ast.ImportFrom)]
    if len(body) != 1 or not imports:
        what = f"{statement!r} is not an import statement"
        raise wrong(what, instead="import a")
    return statement


class FileImportsShape(OneKeyShape):
    """The imports allowed in a file: exactly one of the four."""

    exactly: list[Annotated[str, AfterValidator(_import)]] = []
    """Exactly these statements."""
    allow: list[str] = []
    """Only these modules."""
    forbid: list[str] = []
    """All except these modules."""
    none: bool = False
    """No import at all."""


class ImportsShape(FileImportsShape):
    """`imports:` exactly one of the four, for every file; or files, each with its own."""

    files: dict[str, FileImportsShape] = {}
    """Submitted files by name, each with its allowed imports."""


class AllowShape(Shape):
    """A list of allowed names; everything else is a finding."""

    allow: list[str]
    """Allowed names."""


class ListShape(OneKeyShape):
    """Either allowed names (everything else is a finding) or forbidden names (only these are
    findings)."""

    model_config = ConfigDict(json_schema_extra=one_required("allow", "forbid"))

    allow: list[str] = []
    """Allowed names."""
    forbid: list[str] = []
    """Forbidden names."""


class PolicyClausesShape(Shape):
    """The clauses that findings cite."""

    imports: str = ""
    """For imports."""
    techniques: str = ""
    """For syntax, built-ins and methods."""
    structure: str = ""
    """For code at module level."""


class DeductShape(Shape):
    """Marks that a finding costs."""

    deduct: Points
    """The marks."""


def _severity_hint(value: Any) -> str:
    if value == "deduct":
        return "write {deduct: 1.5}"
    if value in ("flag", "warning", "warn"):
        return "write review (a person looks) or note"
    if isinstance(value, str):
        return nearest(value, _PLAIN)
    return ""


_Severity = Annotated[
    Literal["note", "review", "zero"] | DeductShape,
    Expects("note, review, zero or {deduct: marks}", _severity_hint),
]


class SeverityShape(Shape):
    """note, review, zero or {deduct: marks}."""

    imports: _Severity = "review"
    """For imports."""
    techniques: _Severity = "review"
    """For syntax, built-ins and methods."""
    structure: _Severity = "review"
    """For code at module level."""


_AVOID = "write avoids: [loop], a list of forbidden words and names"
_USE = "write uses: [math], with names or kinds of code"
_SCOPE = "write in: with the name of a file, function, class or method"


class _RequirementShape(Shape):
    scopes: Words = Field([], alias="in")
    """The file, class, function or method (`Pet.feed`) that this is about, or several; left out:
    each file."""
    severity: _Severity | None = None
    """The consequence, in place of that under `severity: {structure: …}`; marks are deducted once
    for this entry."""
    clause: str = ""
    """The clause that findings cite, in place of that under `clauses: {structure: …}`."""

    guesses: ClassVar[Mapping[str, str]] = guessed_keys(
        ("forbid forbids must_not_use bans without loop loops global", _AVOID),
        ("no_loop no_loops no_global no_globals no_with no_break no_print no_lambda", _AVOID),
        ("import imports must_import must_use requires", _USE),
        ("call must_call helper helpers", "write calls: [helper]"),
        ("points marks deduct cost costs", "write severity: {deduct: 1}, note, review or zero"),
        ("function class file name method of for", _SCOPE),
        ("extends subclass_of base bases", "write inherits: Animal"),
        ("hints annotations typed", "write type_hints: true"),
        ("at_most_lines length line_count", "write lines: 15"),
        ("print max_prints print_calls", "write prints: 2"),
        ("attributes methods members", "write public: [name, feed]"),
        ("literals no_literals", "write printed_literals: false"),
        ("mangled", "write private: [age]"),
    )


_VALUES: dict[Holds, tuple[Any, Any]] = {
    Holds.COUNT: (Annotated[WholeOrZero, OrAtMost()], 0),
    Holds.FLAG: (Annotated[bool, Expects("true or false")], False),
    Holds.NAMES: (Words, []),
}


def _condition_field(kind: ConditionKind) -> Any:
    annotation, default = _VALUES[kind.holds]
    field = Field(default=default, description=kind.description)
    return (annotation, field)


_CONDITION_FIELDS: dict[str, Any] = {
    kind.key: _condition_field(kind) for kind in _CONDITIONS.values()
}
if TYPE_CHECKING:
    RequirementShape = _RequirementShape
else:
    RequirementShape = create_model(
        "RequirementShape",
        __base__=_RequirementShape,
        __doc__="Requirements for a part of a program.",
        **_CONDITION_FIELDS,
    )


class _PolicyShape(Shape):
    """policy.yaml. A part that is left out is not restricted."""

    imports: ImportsShape | None = None
    """The allowed imports."""
    structure: Annotated[
        list[RequirementShape],
        Expects("a list of requirements", "write - {in: factorial, recursive: true}"),
    ] = []
    """Requirements and bans for files, classes and functions."""
    severity: SeverityShape = SeverityShape()
    """The consequence of a finding."""
    clauses: PolicyClausesShape = PolicyClausesShape()
    """The clauses that findings cite."""


_SETTINGS = [rule.setting for rule in policy_rules() if rule.setting is not None]


def _field_of(setting: ListSetting) -> Any:
    shape = ListShape if setting.may_forbid else AllowShape
    field = Field(default=None, description=setting.description)
    return (shape | None, field)


_LISTS: dict[str, Any] = {setting.key: _field_of(setting) for setting in _SETTINGS}
PolicyShape = create_model(
    "PolicyShape", __base__=_PolicyShape, __doc__=_PolicyShape.__doc__, **_LISTS
)


def _conditions_of(shape: Shape) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    for key in _CONDITIONS:
        if key not in shape.model_fields_set:
            continue
        value = getattr(shape, key)
        if isinstance(value, bool):
            conditions.append(Condition(key=key, wanted=value))
        elif isinstance(value, int):
            conditions.append(Condition(key=key, count=value))
        else:
            conditions.append(Condition(key=key, names=tuple(value)))
    return tuple(conditions)


def _requirements(
    document: Document, shapes: Sequence[RequirementShape], symbols: AssignmentSymbols
) -> tuple[Requirement, ...]:
    """Return the requirements; note errors for parts that the reference lacks and for unknown
    names.
    """
    requirements: list[Requirement] = []
    for index, shape in enumerate(shapes):
        loc: Loc = ("structure", index)
        keys = [key for key in _CONDITIONS if key in shape.model_fields_set]
        if not keys:
            known = listed(_CONDITIONS, "or")
            document.add(loc, "states nothing", f"write one of {known}")
        if shape.clause:
            symbols.has_clause(document, (*loc, "clause"), shape.clause)
        for key in ("uses", "avoids"):
            words = getattr(shape, key)
            _check_words(document, (*loc, key), words, symbols)
        consequence: Consequence | None = None
        if shape.severity is not None:
            consequence = replace(_consequence(shape.severity), entry=index)
        scopes = shape.scopes or [""]
        for number, scope in enumerate(scopes):
            scope_at = (*loc, "in", number)
            _check_scope(document, scope_at, scope, keys, symbols)
            requirement = Requirement(
                scope=scope,
                conditions=_conditions_of(shape),
                clause=shape.clause,
                consequence=consequence,
            )
            requirements.append(requirement)
    return tuple(requirements)


def _check_words(
    document: Document, loc: Loc, words: Sequence[str], symbols: AssignmentSymbols
) -> None:
    """Note an error for each text that is neither a kind of code, such as "loop", nor a name."""
    for index, word in enumerate(words):
        if word in WORDS:
            continue
        name = word.removeprefix(".")
        is_name = name.isidentifier() and not keyword.iskeyword(name)
        hint = nearest(word, WORDS)
        if is_name and (not hint or _is_known(name, symbols)):
            continue
        if not hint and "." in name:
            _, _, last = name.rpartition(".")
            hint = f"write {last}, the last name"
        what = f"{word!r} is neither a word nor a name"
        hint = hint or "write the name of a function, method or module"
        document.add((*loc, index), what, hint)


def _is_known(name: str, symbols: AssignmentSymbols) -> bool:
    """Return whether Python has a function, method or module with this name, or the reference uses
    it.
    """
    if name in sys.stdlib_module_names or hasattr(builtins, name):
        return True
    if any(hasattr(kind, name) for kind in _BUILTIN_TYPES):
        return True
    word = re.compile(rf"\b{name}\b")
    texts = ["\n".join(file.lines) for file in symbols.reference]
    return any(map(word.search, texts))


def _check_scope(
    document: Document, loc: Loc, scope: str, keys: Sequence[str], symbols: AssignmentSymbols
) -> None:
    """Note an error if `scope` is neither a submitted file nor a part of the reference, and for
    each key that does not apply to such a part.
    """
    files = symbols.submission_files
    kind: About | None = None
    if not scope or scope in files:
        kind = About.FILE
    for file in symbols.reference:
        if kind is None and file.name.endswith(".py"):
            node = definition_named(ast.parse(file.data), scope)
            kind = None if node is None else about(node)
    if kind is None and symbols.reference:
        what = f"the reference has no file, class or function {scope}"
        known = (*symbols.function_names, *files)
        document.add(loc, what, nearest(scope, known))
    if kind is None:
        return
    *around, _, _ = loc
    for key in keys:
        wanted = _CONDITIONS[key].about
        if wanted not in (About.ANY, kind):
            hint = f"name {wanted} with in"
            if wanted is About.FILE:
                hint = "leave in: out, or name a file there"
            what = f"{key} is about {wanted}"
            document.add((*around, key), what, hint, key=True)


def read_policy(document: Document, symbols: AssignmentSymbols) -> Policy | None:
    """Return the policy; None, with errors noted, if the file cannot be read."""
    shape = read_shape(PolicyShape, document)
    if shape is None:
        return None
    clauses = shape.clauses
    severity = shape.severity
    for key in clauses.model_fields_set:
        clause = getattr(clauses, key)
        symbols.has_clause(document, ("clauses", key), clause)
    imports: ImportPolicy | None = None
    file_imports: tuple[FileImports, ...] = ()
    rule = shape.imports
    if rule is not None and "files" in rule.model_fields_set:
        file_imports = _file_imports(document, rule, symbols)
    elif rule is not None:
        imports = _imports(document, ("imports",), rule)
    modules: list[str] = []
    for file in symbols.provided:
        name = file.name
        if name.endswith(".py"):
            modules.append(name.removesuffix(".py"))
    return Policy(
        imports=imports,
        file_imports=file_imports,
        lists=tuple(_lists(document, shape)),
        requirements=_requirements(document, shape.structure, symbols),
        provided_modules=tuple(modules),
        provided_names=tuple(sorted(symbols.variants.constants())),
        provided_functions=defined_in(symbols.provided),
        imports_clause=clauses.imports,
        techniques_clause=clauses.techniques,
        structure_clause=clauses.structure,
        on_imports=_consequence(severity.imports),
        on_techniques=_consequence(severity.techniques),
        on_structure=_consequence(severity.structure),
    )


def _file_imports(
    document: Document, shape: ImportsShape, symbols: AssignmentSymbols
) -> tuple[FileImports, ...]:
    if not shape.files:
        document.add(("imports", "files"), "names no file", "leave imports out")
    laid_as = symbols.shape.submission.laid_as
    submitted = symbols.submission_files
    if laid_as:
        submitted = (laid_as,)
    rules: list[FileImports] = []
    for name, part in shape.files.items():
        loc = ("imports", "files", name)
        if name not in submitted or not name.endswith(".py"):
            what = f"{name} is not a submitted module"
            hint = nearest(name, submitted)
            document.add(loc, what, hint, key=True)
        imports = _imports(document, loc, part)
        rules.append(FileImports(file=name, imports=imports))
    return tuple(rules)


def _check_empty(document: Document, loc: Loc, shape: ListShape | FileImportsShape) -> None:
    if shape.model_fields_set == {"forbid"} and not shape.forbid:
        document.add((*loc, "forbid"), "names nothing", f"leave {loc[-1]} out")


def _imports(document: Document, loc: Loc, shape: FileImportsShape) -> ImportPolicy:
    (kind,) = shape.model_fields_set
    if kind != "none":
        _check_empty(document, loc, shape)
        names = getattr(shape, kind)
        return ImportPolicy(**{kind: tuple(names)})
    if not shape.none:
        document.add((*loc, "none"), "expected true, got false", "leave it out")
    return ImportPolicy(allow=())


def _lists(document: Document, shape: _PolicyShape) -> Iterator[NameList]:
    for setting in _SETTINGS:
        part: AllowShape | ListShape | None = getattr(shape, setting.key)
        if part is None:
            continue
        (kind,) = part.model_fields_set
        if isinstance(part, ListShape):
            _check_empty(document, (setting.key,), part)
        names = getattr(part, kind)
        _check_names(document, setting, kind, names)
        listed_names = {kind: tuple(names)}
        yield NameList(key=setting.key, **listed_names)


def _check_names(document: Document, setting: ListSetting, kind: str, names: Sequence[str]) -> None:
    """Note an error for each name that the setting does not know."""
    all_names = setting.names if kind == "allow" else setting.forbidden
    known: Collection[str] | None = None
    if all_names is not None:
        known = all_names()
    for index, name in enumerate(names):
        loc = (setting.key, kind, index)
        if known is None or name in known:
            if not name.isidentifier():
                document.add(loc, f"{name!r} is not a name")
            continue
        hint = nearest(name, known)
        if not hint and len(known) <= _FEW:
            hint = f"there are {listed(known, 'or')}"
        document.add(loc, f"unknown {setting.noun} {name}", hint)


def _consequence(severity: str | DeductShape) -> Consequence:
    if isinstance(severity, DeductShape):
        return Consequence(severity=Severity.DEDUCT, marks=severity.deduct)
    return Consequence(severity=Severity(severity))
