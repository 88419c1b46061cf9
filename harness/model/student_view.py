"""What a student may read about one submission, and nothing else: a `StudentView` has no hidden
stimulus, expectation or message inside it, so whatever is rendered from it cannot show one."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Assignment, Clause, Plan, Scenario
from harness.model.policy import Finding, Unparsable
from harness.model.result import (
    Adjustment,
    LineComment,
    ManualMark,
    Override,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.stimulus import Stimulus, statements
from harness.model.submission import Lateness
from harness.model.verdict import CodePlace, Explanation, Suspect, Verdict, VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantPlace:
    """A constant that an override may change."""

    name: str
    file: str  # the provided one that defines it
    literal: str = ""  # that is there; empty: something else is


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is needed to try a scenario by hand: file names, and where constants are defined.

    All of it is in the student's own folder already; no override's value is here.
    """

    submitted: tuple[str, ...]
    provided: tuple[str, ...] = ()
    constants: tuple[ConstantPlace, ...] = ()

    @classmethod
    def of(cls, assignment: Assignment) -> Surroundings:
        files = [f for f in assignment.variants[0].files if f.name.endswith(".py")]
        submitted = (assignment.laid_as,) if assignment.laid_as else assignment.submission_files
        return cls(
            submitted=submitted,
            provided=tuple(file.name for file in files),
            constants=tuple(
                ConstantPlace(name=name, file=file.name, literal=literal)
                for file in files
                for name, literal in _names_bound(file.data)
            ),
        )

    def literals(self) -> dict[str, str]:
        """The values of constants that are literals in the provided files, by name."""
        return {each.name: each.literal for each in self.constants if each.literal}

    def file_of(self, constant: str) -> str | None:
        return next((c.file for c in self.constants if c.name == constant), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A scenario that its reader may see whole."""

    id: str
    name: str
    function: str
    clauses: tuple[Clause, ...]
    stimulus: Stimulus  # of a sample the smallest failing draw, the first when all passed
    verdict: Verdict
    points: Fraction
    out_of: Fraction
    draws: int = 1
    informational: bool = False
    extra_credit: bool = False
    description: str = ""

    @classmethod
    def of(
        cls, scenario: Scenario, result: ScenarioResult, clauses: tuple[Clause, ...] = ()
    ) -> ShownCheck:
        """Everything about a scenario that is not secret from its reader; `clauses` are those that
        it tests, where their texts are wanted."""
        return cls(
            id=scenario.id,
            name=scenario.name,
            function=scenario.function,
            clauses=clauses,
            stimulus=scenario.stimuli[result.verdict.draw or 0],
            verdict=result.verdict,
            points=result.points,
            out_of=result.out_of,
            draws=len(scenario.stimuli),
            informational=scenario.informational,
            extra_credit=scenario.extra_credit,
            description=scenario.description,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCause:
    """One thing to fix as its reader may see it."""

    function: str
    explanation: Explanation | None = None  # None where it would be about a hidden scenario
    checks: tuple[ShownCheck, ...] = ()  # the failing ones that may be shown, the clearest first
    hidden: int = 0  # how many others there are
    blamed: bool = False
    place: CodePlace | None = None
    line: int | None = None
    raised_in: CodePlace | None = None
    raised_at: int | None = None
    suspects: tuple[Suspect, ...] = ()
    clauses: tuple[Clause, ...] = ()
    hint: str = ""
    together_with: tuple[str, ...] = ()
    marks: Fraction = Fraction(0)  # at stake; 0: none, or not known

    @property
    def message(self) -> str:
        return self.explanation.message if self.explanation else ""

    @property
    def count(self) -> int:
        """How many checks fail for it, hidden ones included."""
        return len(self.checks) + self.hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCheck:
    """A scenario that a student may not see: its name and its verdict."""

    name: str
    function: str
    kind: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTally:
    """A function's share: scenarios and points, hidden ones counted, informational ones not."""

    function: str
    passed: int
    total: int
    points: Fraction
    out_of: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentView:
    """One submission as its author may see it.

    `problem`, `unparsable`, `notes` and `findings` are about the student's own file, and so are
    never secret.
    """

    id: str
    title: str
    course: str
    status: SubmissionStatus
    mark: Fraction | None  # None where there is none (yet)
    out_of: Fraction
    surroundings: Surroundings
    functions: tuple[FunctionTally, ...]
    shown: tuple[ShownCheck, ...]  # in the plan's order, as the hidden ones
    hidden: tuple[HiddenCheck, ...] = ()
    causes: tuple[ShownCause, ...] = ()  # what to fix, in order
    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    manual: tuple[ManualMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    late: Lateness | None = None
    reached: Fraction | None = None  # before what lateness and the adjustment change
    late_marks: Fraction | None = None
    total: Fraction | None = None  # None until people have given all of their part
    total_out_of: Fraction = Fraction(0)
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()
    extra_points: Fraction = Fraction(0)  # of extra credit, above those of the functions
    assignment: str = ""  # its id
    source_digest: str = ""  # of the files that were graded

    @property
    def extra(self) -> Fraction:
        """The marks that extra credit may add above `out_of`."""
        return self.extra_points * self.marks_of_a_point

    @property
    def marks_of_a_point(self) -> Fraction:
        """What a point of a function is worth; 0 where there are none."""
        points = _sum(tally.out_of for tally in self.functions)
        return self.out_of / points if points else Fraction(0)


_LONGEST_LITERAL = 200


def _names_bound(source: bytes) -> tuple[tuple[str, str], ...]:
    bindings: list[tuple[str, str]] = []
    # None in a provided file for another Python version; the override still names itself.
    for statement in statements(source):
        if isinstance(statement, ast.Assign):
            targets: list[ast.expr] = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        value = statement.value
        text = ast.unparse(value) if isinstance(value, ast.Constant) else ""
        literal = text if len(text) <= _LONGEST_LITERAL else ""
        bindings += [(target.id, literal) for target in targets if isinstance(target, ast.Name)]
    return tuple(bindings)


def by_function(plan: Plan, result: SubmissionResult) -> tuple[FunctionTally, ...]:
    """Each function's scenarios and points, informational ones left out.

    In the order of the assignment's functions, then of the plan. Extra credit adds to `points`,
    not to `out_of`. A scenario that the result lacks counts as not passed.
    """
    results = {entry.scenario_id: entry for entry in result.scenarios}
    groups: dict[str, list[Scenario]] = {f.name: [] for f in plan.assignment.functions}
    for scenario in plan.scenarios:
        if not scenario.informational:
            groups.setdefault(scenario.function, []).append(scenario)
    tallies: list[FunctionTally] = []
    for function, scenarios in groups.items():
        entries = [results[scenario.id] for scenario in scenarios if scenario.id in results]
        excused = {entry.scenario_id for entry in entries if not entry.out_of}
        tally = FunctionTally(
            function=function,
            passed=sum(entry.verdict.passed for entry in entries),
            total=len(scenarios),
            points=_sum(entry.points for entry in entries),
            out_of=_sum(s.points for s in scenarios if not s.extra_credit and s.id not in excused),
        )
        tallies.append(tally)
    return tuple(tally for tally in tallies if tally.total)


def _sum(points: Iterable[Fraction]) -> Fraction:
    # By denominators: adding fractions one by one takes most of a tally's time.
    sums: dict[int, int] = {}
    for each in points:
        top, bottom = each.as_integer_ratio()
        sums[bottom] = sums.get(bottom, 0) + top
    return sum((Fraction(top, bottom) for bottom, top in sums.items()), Fraction(0))
