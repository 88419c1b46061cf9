"""An assignment: the settings that apply to all its scenarios.

It contains no expected values, so it is all that code running a submission may know.
"""

from __future__ import annotations

import ast
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache

from harness.model.policy import Policy
from harness.model.policy import SourceFile as SourceFile  # noqa: PLC0414  (for others as well)
from harness.model.stimulus import Binding, Limits, statements

_MAX_LITERAL_LENGTH = 200


class OtherFiles(StrEnum):
    """What happens to a submission without the required files."""

    ZERO = "zero"
    REVIEW = "review"


class ExtraUse(StrEnum):
    """What happens to a module that is submitted in addition to the required files."""

    ALLOW = "allow"  # it is placed beside them as the student's code
    IGNORE = "ignore"
    REFUSE = "refuse"  # the submission does not match the requested files


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraModules:
    """The modules that may be handed in beside the required files, by patterns of their names."""

    allow: tuple[str, ...] = ()
    refuse: tuple[str, ...] = ()  # of those that are not allowed

    def use_of(self, name: str) -> ExtraUse:
        """Return the treatment of a file by its name; the first list with a matching pattern
        decides."""
        if any(fnmatchcase(name, pattern) for pattern in self.allow):
            return ExtraUse.ALLOW
        if any(fnmatchcase(name, pattern) for pattern in self.refuse):
            return ExtraUse.REFUSE
        return ExtraUse.IGNORE


def is_module_name(name: str) -> bool:
    """Return whether an import statement can name this file, and its name is not special in
    Python."""
    stem = name.removesuffix(".py")
    is_dunder = stem.startswith("__") and stem.endswith("__")
    is_plain = unicodedata.normalize("NFKC", stem) == stem
    return name.endswith(".py") and stem.isidentifier() and is_plain and not is_dunder


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One testable statement of the assignment sheet, in our own words."""

    id: str
    section: str
    text: str
    unsettled: str = ""  # why the sheet leaves it open; such a clause needs no scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricLevel:
    """One of the levels that a rubric item can reach."""

    title: str
    points: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricItem:
    """An item that a tutor checks: it applies or not, or it has a level.

    Negative points are subtracted.
    """

    id: str
    title: str
    points: Fraction = Fraction(0)  # of an item without levels
    levels: tuple[RubricLevel, ...] = ()

    @property
    def most(self) -> Fraction:
        return max([self.points, *(level.points for level in self.levels)])

    def worth(self, level: str) -> Fraction | None:
        """Return the item's points at this level ("" for an item without levels); None for an
        unknown level.
        """
        if not self.levels:
            return None if level else self.points
        return next((step.points for step in self.levels if step.title == level), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualSlot:
    """A part that is marked by hand, separate from the functionality mark."""

    id: str
    title: str
    out_of: Fraction
    clause: str = ""
    rubric: tuple[RubricItem, ...] = ()

    @property
    def start(self) -> Fraction:
        """Return the mark if no item applies: the maximum if all items subtract, otherwise 0."""
        return Fraction(0) if any(item.most > 0 for item in self.rubric) else self.out_of

    @property
    def spare(self) -> Fraction:
        """Return the marks that more rubric items could still add."""
        return self.out_of - sum((max(item.most, Fraction(0)) for item in self.rubric), Fraction(0))

    def mark_of(self, levels: Mapping[str, str]) -> Fraction:
        """Return the mark for the items that apply, given as levels by item id. It is never below 0
        or above `out_of`. Unknown items do not count.
        """
        worth = [item.worth(levels[item.id]) for item in self.rubric if item.id in levels]
        total = sum((points for points in worth if points is not None), self.start)
        return min(self.out_of, max(Fraction(0), total))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """Scenarios that do not count for a student, and why."""

    student: str  # the id or email of a student, or the id of a submission; empty for everybody
    scenarios: tuple[str, ...]  # globs over ids, in which `*` matches anything
    reason: str


class TimeUnit(StrEnum):
    """What lateness is counted in."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A length of time. A day ends at the same clock time, even if the clocks change during it."""

    count: int
    unit: TimeUnit

    def __str__(self) -> str:
        return f"{self.count} {self.unit}{'s' * (self.count != 1)}"


class LateOf(StrEnum):
    """The marks that the late penalty is a percentage of."""

    TOTAL = "total"  # of the maximum of the total
    REACHED = "reached"  # of the marks reached


@dataclass(frozen=True, slots=True, kw_only=True)
class LatePolicy:
    """How work after the due time is graded, and the deduction for it."""

    rate: Fraction = Fraction(0)  # the cost of each unit begun; 0: only grace and slip days apply
    unit: TimeUnit = TimeUnit.DAY
    of: LateOf = LateOf.TOTAL
    at_most: Fraction = Fraction(1)
    grace: Period | None = None
    until: Period | None = None
    slip_days: int = 0  # for each student, in all assignments together
    latest: bool = False  # a late attempt is graded instead of an earlier one in time


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSignature:
    """A public function or class of the reference, with its parameters."""

    name: str  # of a method `Account.deposit`
    parameters: tuple[str, ...]  # their names in order, `self` left out


class CompareBy(StrEnum):
    """How the objects of a class are compared."""

    ATTRIBUTES = "attributes"  # all that do not begin with an underscore
    NAMED = "named"  # some, by name; properties among them
    REPR = "repr"
    EQUALITY = "equality"  # by the class's own `==`, with an object that the scenario states
    NONE = "none"  # only by the class


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassComparison:
    """`compare: {Account: [owner, balance]}`, also for derived classes."""

    name: str
    how: CompareBy
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedVariant:
    """The provided files with one set of overrides written into their source."""

    constants: tuple[Binding, ...]
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentNames:
    """Attribute names that plain values also have. Tests may use them on the program's objects and
    modules while passing values, because the reference defines them."""

    # None: any name, because a class derives from an unknown one.
    objects: tuple[str, ...] | None = ()
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedProgram:
    """A course program that students' tests run against: the reference, or the reference with a
    single fault."""

    __test__ = False  # no test of ours

    name: str
    files: tuple[SourceFile, ...]
    clause: str = ""  # the clause that it breaks, if students may know it
    why: str = ""  # what is wrong with it, for lecturers


@dataclass(frozen=True, slots=True, kw_only=True)
class TestWriting:
    """`test_writing:` tests that students hand in, and the course's programs that they test."""

    __test__ = False  # no test of ours

    files: tuple[str, ...]  # the submitted files that contain tests
    program_files: tuple[str, ...]  # the first is the main one
    # The names in the programs that tests may use; None: all, because only the student's own
    # program is tested.
    public_names: tuple[str, ...] | None
    programs: tuple[TestedProgram, ...]  # the reference is the first
    documented_files: tuple[str, ...] = ()  # handed in, whose docstrings hold tests

    def program(self, name: str) -> TestedProgram:
        """Return the program of this name. Raise KeyError for an unknown one."""
        return {program.name: program for program in self.programs}[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The settings that apply to all scenarios."""

    id: str
    title: str
    course: str
    python: str  # "3.12"
    submission_files: tuple[str, ...]  # the names handed in
    laid_as: str | None  # the name under which a file of any name is run; None: its own name
    functionality_marks: Fraction
    limits: Limits
    policy: Policy | None
    clauses: tuple[Clause, ...]
    functions: tuple[FunctionSignature, ...]
    variants: tuple[ProvidedVariant, ...]  # the first has no overrides
    extra_files: tuple[SourceFile, ...] = ()  # what `provide:` names, by path
    manual: tuple[ManualSlot, ...] = ()
    stand_in_files: tuple[SourceFile, ...] = ()  # what `stand_in:` names
    test_files: tuple[SourceFile, ...] = ()  # tests of the course's
    handed_out_tests: tuple[str, ...] = ()  # the names of those files that students get
    sent_names: SentNames = SentNames()  # for these tests
    test_writing: TestWriting | None = None  # for nobody else either
    # Of the files handed in, those that only a self-check asks for: the program that a student's
    # tests run on at home.
    only_at_home: tuple[str, ...] = ()
    archive: str | None = None  # the archive to hand in; None: the files themselves
    otherwise: OtherFiles = OtherFiles.ZERO
    time_zone: str = ""  # the IANA name of the zone for times without a zone
    isolate_all: bool = False  # every scenario has its own process
    compare: tuple[ClassComparison, ...] = ()
    floats_within: float | None = None  # how far off a float may be
    # Only for the lecturer, because they may contain students' names.
    exemptions: tuple[Exemption, ...] = ()
    writes_files: bool = False  # some scenario has a folder for written files
    tells_time: bool = False  # some scenario has a clock
    packages: tuple[str, ...] = ()  # like emoji==2.14.0: what programs may import besides
    other_names: tuple[str, ...] = ()  # of the reference's module, that stimuli use
    late: LatePolicy | None = None  # None: late work has no mark
    # The limit for all runs of a submission; None: computed from the reference.
    total_seconds: float | None = None
    extra_modules: ExtraModules = ExtraModules()
    takes_notebooks: bool = False  # instead of the files asked for

    @property
    def module_names(self) -> tuple[str, ...]:
        """Return the names of the submitted module that scenarios may use."""
        return (*(function.name for function in self.functions), *self.other_names)

    @property
    def needs_pytest(self) -> bool:
        """Return whether tests are run, the course's or the student's."""
        return bool(self.test_files) or self.test_writing is not None

    def shown_extra_files(self) -> tuple[SourceFile, ...]:
        """Return the extra files without folders, unless two would have the same name then."""
        counts = Counter(file.base_name for file in self.extra_files)
        shown: list[SourceFile] = []
        for file in self.extra_files:
            is_alone = counts[file.base_name] == 1
            shown.append(replace(file, name=file.base_name) if is_alone else file)
        return tuple(shown)

    def use_of_extra(self, name: str) -> ExtraUse:
        """Return how to treat an extra file of this name.

        An extra module never replaces a provided or a requested one, not even with a name that
        differs only in case, because some systems ignore case.
        """
        if not is_module_name(name) or name.casefold() in self._taken_names():
            return ExtraUse.IGNORE
        return self.extra_modules.use_of(name)

    def _taken_names(self) -> frozenset[str]:
        provided = (*self.variants[0].files, *self.extra_files, *self.stand_in_files)
        names = [*self.submission_files, *(file.base_name for file in provided)]
        if self.laid_as is not None:
            names.append(self.laid_as)
        return frozenset(name.casefold() for name in names)

    def variant(self, constants: tuple[Binding, ...]) -> ProvidedVariant:
        """Return the provided files for these overrides.

        Raise KeyError if the plan has no such variant.
        """
        return {variant.constants: variant for variant in self.variants}[constants]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantPlace:
    """A constant that an override may change."""

    name: str
    file: str  # the provided one that defines it
    literal: str = ""  # that is there; empty: something else is


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The facts needed to try a scenario by hand: file names, and where constants are defined.

    All of them are in the student's own folder; values of overrides are not included."""

    submitted: tuple[str, ...]
    provided: tuple[str, ...] = ()
    constants: tuple[ConstantPlace, ...] = ()

    @classmethod
    def of(cls, assignment: Assignment) -> Surroundings:
        files = [f for f in assignment.variants[0].files if f.name.endswith(".py")]
        constants: list[ConstantPlace] = []
        for file in files:
            constants += _constants_of(file)
        return cls(
            submitted=(assignment.laid_as,) if assignment.laid_as else assignment.submission_files,
            provided=tuple(file.name for file in files),
            constants=tuple(constants),
        )

    def literals(self) -> dict[str, str]:
        """Return the values of constants that are literals in the provided files, by name."""
        return {constant.name: constant.literal for constant in self.constants if constant.literal}


# Cached, because every page asks and the course's files are the same for all.
@lru_cache(maxsize=64)
def _constants_of(file: SourceFile) -> tuple[ConstantPlace, ...]:
    # None in a provided file for another Python version; the override still names itself.
    found: list[ConstantPlace] = []
    for statement in statements(file.data):
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            value = statement.value
            text = ast.unparse(value) if isinstance(value, ast.Constant) else ""
            literal = text if len(text) <= _MAX_LITERAL_LENGTH else ""
            for target in targets:
                if isinstance(target, ast.Name):
                    place = ConstantPlace(name=target.id, file=file.name, literal=literal)
                    found.append(place)
    return tuple(found)
