"""The rules that a submission's text must follow, and the findings against them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from harness.model.outline import NO_OUTLINE, Outline

# The largest Python file, in bytes, that is checked and run. A larger one is neither.
MAX_SOURCE_BYTES = 512 * 1024


class PolicyRule(StrEnum):
    """What kind of rule a finding broke."""

    IMPORT = "import"
    IMPORT_EVASION = "import_evasion"  # a way around the import rule: __import__, exec, …
    SYNTAX = "syntax"
    BUILTIN = "builtin"
    METHOD = "method"
    MODULE_LEVEL = "module_level"
    OVERRIDES_PROVIDED = "overrides_provided"  # the file binds a provided constant's name itself
    UNCHECKED = "unchecked"  # the file runs and cannot be checked: a person is to look


class Severity(StrEnum):
    """What a finding means. Only DEDUCT and ZERO take marks."""

    NOTE = "note"
    REVIEW = "review"
    DEDUCT = "deduct"
    ZERO = "zero"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """A severity, and the marks a DEDUCT takes (once for its group, however many findings)."""

    severity: Severity
    marks: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPolicy:
    """Exactly one of: `exactly` these statements, only `allow`ed modules, or none at all."""

    exactly: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileImports:
    """What one file of several may import."""

    file: str
    imports: ImportPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """policy.yaml. A None list means that this part is not restricted.

    `file_imports` takes the place of `imports` where the files of a submission have rules of their
    own; a file that it does not name may import anything. `module_level` lists what is allowed at
    module level: imports, constants, functions, main_guard, docstring is always allowed.
    `provided_names` are the constants of the `provided_modules`, `provided_functions` the
    functions and classes that they define.
    `imports_clause`/`techniques_clause`/`structure_clause` are the clauses findings cite; the three
    consequences follow `severity:` in the file.
    """

    imports: ImportPolicy | None = None
    file_imports: tuple[FileImports, ...] = ()
    syntax: tuple[str, ...] | None = None
    builtins: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    module_level: tuple[str, ...] | None = None
    provided_modules: tuple[str, ...] = ()
    provided_names: tuple[str, ...] = ()
    provided_functions: tuple[str, ...] = ()
    imports_clause: str = ""
    techniques_clause: str = ""
    structure_clause: str = ""
    on_imports: Consequence = Consequence(severity=Severity.REVIEW)
    on_techniques: Consequence = Consequence(severity=Severity.REVIEW)
    on_structure: Consequence = Consequence(severity=Severity.REVIEW)

    def of(self, file: str) -> Policy:
        """The policy that applies to the file of this name."""
        own = (rule.imports for rule in self.file_imports if rule.file == file)
        return replace(self, imports=next(own, self.imports), file_imports=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place where a submission's text broke a rule; line and column are 1-based."""

    rule: PolicyRule
    clause: str
    file: str
    line: int
    column: int
    source: str
    message: str
    consequence: Consequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsable:
    """Why a file could not be read as Python, with the line where known."""

    file: str
    reason: str
    line: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statelessness:
    """Whether a program's text proves that it keeps nothing between scenarios, else why not
    ("line 12: `global board`")."""

    proved: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyReport:
    """What the text of one submission showed. `notes` are accepted oddities (BOM, CRLF).
    `statelessness` is None where no proof was asked for; `outline` is of what could be read."""

    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    notes: tuple[str, ...] = ()
    statelessness: Statelessness | None = None
    outline: Outline = NO_OUTLINE
