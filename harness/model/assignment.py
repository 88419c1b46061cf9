"""An assignment: what holds for all of its scenarios, and nothing of what is expected of one.

Whatever runs a submission knows this much and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from harness.model.policy import Policy, SourceFile
from harness.model.stimulus import Binding, Limits

__all__ = [
    "Assignment",
    "ClassComparison",
    "Clause",
    "CompareBy",
    "Exemption",
    "FunctionSignature",
    "ManualSlot",
    "OtherFiles",
    "ProvidedVariant",
    "SourceFile",
]


class OtherFiles(StrEnum):
    """What follows when something else was handed in than the assignment asks for."""

    ZERO = "zero"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One testable statement of the assignment sheet, in our own words."""

    id: str
    section: str
    text: str
    unsettled: str = ""  # why the sheet leaves it open; such a clause needs no scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualSlot:
    """Marks that a person gives, beside the functionality mark and no part of it."""

    id: str
    title: str
    out_of: Fraction
    clause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """Scenarios that do not count for a student ("" for everybody), and why: globs over their ids,
    in which `*` matches anything. `student` is an id or email, or the id of a submission."""

    student: str
    scenarios: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSignature:
    """A public function of the reference: the name and its parameters' names, in order.

    A class is called like one; a method's name is `Account.deposit`, its `self` left out.
    """

    name: str
    parameters: tuple[str, ...]
    is_class: bool = False


class CompareBy(StrEnum):
    """How the objects of a class are compared."""

    ATTRIBUTES = "attributes"  # all that do not begin with an underscore
    NAMED = "named"  # some, by name; properties among them
    REPR = "repr"
    EQUALITY = "equality"  # the class's own `==`, with an object that the scenario states


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassComparison:
    """`compare: {Account: [owner, balance]}`; holds for derived classes too."""

    name: str
    how: CompareBy
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedVariant:
    """The provided files with one set of overrides written into their source."""

    constants: tuple[Binding, ...]
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What holds for all scenarios. `python` is "3.12"; `submission_files` the names handed in;
    `laid_as` the name a file of any name is laid under (None: its own); `archive` the name of the
    archive that they are handed in as (None: as they are); `time_zone` the IANA name of the zone of
    times that name none; `isolate_all`: every scenario has a process of its own; `compare`: how
    objects are compared; `floats_within`: how far off a float may be; `writes_files`: some
    scenario has a folder in which files may be written."""

    id: str
    title: str
    course: str
    python: str
    submission_files: tuple[str, ...]
    laid_as: str | None
    functionality_marks: Fraction
    limits: Limits
    policy: Policy | None
    clauses: tuple[Clause, ...]
    functions: tuple[FunctionSignature, ...]
    variants: tuple[ProvidedVariant, ...]  # the first has no overrides
    extra_files: tuple[SourceFile, ...] = ()  # what `provide:` names
    manual: tuple[ManualSlot, ...] = ()
    stand_in_files: tuple[SourceFile, ...] = ()  # what `stand_in:` names
    archive: str | None = None
    otherwise: OtherFiles = OtherFiles.ZERO
    time_zone: str = ""
    isolate_all: bool = False
    compare: tuple[ClassComparison, ...] = ()
    floats_within: float | None = None
    exemptions: tuple[Exemption, ...] = ()  # the lecturer's alone: they may name students
    writes_files: bool = False

    def variant(self, constants: tuple[Binding, ...]) -> ProvidedVariant:
        """The provided files for these overrides; KeyError if the plan has no such variant."""
        for candidate in self.variants:
            if candidate.constants == constants:
                return candidate
        raise KeyError(constants)
