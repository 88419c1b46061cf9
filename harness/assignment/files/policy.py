"""policy.yaml: the rules for a submission's text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, create_model, model_validator

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.python_text import PythonError, parse_statements
from harness.assignment.shapes import (
    Expects,
    Points,
    Shape,
    WholeOrZero,
    Words,
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
from harness.policy.rule import ListSetting
from harness.policy.rules import policy_rules
from harness.policy.rules.requirements import (
    CONDITIONS,
    WORDS,
    ConditionKind,
    Holds,
    definition_named,
)

_PLAIN = (Severity.NOTE, Severity.REVIEW, Severity.ZERO)
_FEW = 10  # names that a message lists


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
    if len(body) != 1 or not isinstance(body[0], ast.Import | ast.ImportFrom):
        raise wrong(f"{statement!r} is not an import statement", instead="import a")
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
    """Names that are forbidden."""


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


class _RequirementShape(Shape):
    scope: str = Field("", alias="in")
    """The file, class, function or method (`Pet.feed`) that this is about; left out: each file."""


_VALUES: dict[Holds, tuple[Any, Any]] = {
    Holds.COUNT: (WholeOrZero, 0),
    Holds.FLAG: (Annotated[bool, Expects("true or false")], False),
    Holds.NAMES: (Words, []),
}


def _condition_field(kind: ConditionKind) -> Any:
    annotation, default = _VALUES[kind.holds]
    return (annotation, Field(default=default, description=kind.description))


_CONDITION_FIELDS: dict[str, Any] = {
    kind.key: _condition_field(kind) for kind in CONDITIONS.values()
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
    structure: list[RequirementShape] = []
    """Requirements and bans for files, classes and functions."""
    severity: SeverityShape = SeverityShape()
    """The consequence of a finding."""
    clauses: PolicyClausesShape = PolicyClausesShape()
    """The clauses that findings cite."""


_SETTINGS = [rule.setting for rule in policy_rules() if rule.setting is not None]


def _field_of(setting: ListSetting) -> Any:
    shape = ListShape if setting.may_forbid else AllowShape
    return (shape | None, Field(default=None, description=setting.description))


_LISTS: dict[str, Any] = {setting.key: _field_of(setting) for setting in _SETTINGS}
PolicyShape = create_model(
    "PolicyShape", __base__=_PolicyShape, __doc__=_PolicyShape.__doc__, **_LISTS
)


def _conditions_of(shape: Shape) -> tuple[Condition, ...]:
    conditions: list[Condition] = []
    for key in CONDITIONS:
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
    """Return the requirements; note errors for a part that the reference lacks, and for unknown
    names."""
    requirements: list[Requirement] = []
    for index, shape in enumerate(shapes):
        loc: Loc = ("structure", index)
        scope = shape.scope
        keys = shape.model_fields_set - {"scope"}
        if not keys:
            document.add(loc, "states nothing", f"write one of {listed(CONDITIONS, 'or')}")
        if scope:
            _check_scope(document, (*loc, "in"), scope, symbols)
        is_file = not scope or scope in symbols.submission_files
        for key in keys:
            if is_file and CONDITIONS[key].of_part:
                what = f"{key} is about a function or class"
                document.add((*loc, key), what, "name it with in", key=True)
        for key in ("uses", "avoids"):
            _check_words(document, (*loc, key), getattr(shape, key))
        conditions = _conditions_of(shape)
        requirements.append(Requirement(scope=scope, conditions=conditions))
    return tuple(requirements)


def _check_words(document: Document, loc: Loc, words: Sequence[str]) -> None:
    """Note an error for each text that is neither a kind of code nor a name."""
    for index, word in enumerate(words):
        name = word.removeprefix(".")
        if word in WORDS or name.isidentifier():
            continue
        hint = nearest(word, WORDS) or "write the name of a function or method"
        document.add((*loc, index), f"{word!r} is neither a word nor a name", hint)


def _check_scope(document: Document, loc: Loc, scope: str, symbols: AssignmentSymbols) -> None:
    """Note an error if neither a submitted file nor a part of the reference has this name."""
    files = symbols.submission_files
    if scope in files or not symbols.reference:
        return
    for file in symbols.reference:
        if file.name.endswith(".py") and definition_named(ast.parse(file.data), scope):
            return
    hint = nearest(scope, (*symbols.function_names, *files))
    document.add(loc, f"the reference has no file, class or function {scope}", hint)


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
        if file.name.endswith(".py"):
            modules.append(file.name.removesuffix(".py"))
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
            document.add(loc, what, nearest(name, submitted), key=True)
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
        yield NameList(key=setting.key, **{kind: tuple(names)})


def _check_names(document: Document, setting: ListSetting, kind: str, names: Sequence[str]) -> None:
    """Note an error for each name that the setting does not know."""
    all_names = setting.names if kind == "allow" else setting.forbidden
    known = None if all_names is None else all_names()
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
