"""Tells which submissions' tests notice which faults in the course's faulty programs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.stimuli.suite import SuiteQuestion, SuiteRun

_MAX_NAMED = 60  # submissions named that miss a fault


@dataclass(frozen=True, slots=True)
class Fault:
    """One of the course's programs with a deliberate fault."""

    id: str  # id of the scenario that asks whether tests notice the fault
    name: str  # name of that scenario
    clause: str
    why: str  # description by the course; never shown to students


def faults_of(plan: Plan) -> tuple[Fault, ...]:
    """Return the faults that tests should notice, in the order of the plan."""
    return tuple(_fault(plan, scenario) for scenario in plan.scenarios if _is_about_fault(scenario))


def _is_about_fault(scenario: Scenario) -> bool:
    action = scenario.stimuli[0].action
    return isinstance(action, SuiteRun) and action.question is SuiteQuestion.NOTICES


def _fault(plan: Plan, scenario: Scenario) -> Fault:
    action = scenario.stimuli[0].action
    writing = plan.assignment.test_writing
    why = ""
    if isinstance(action, SuiteRun) and writing is not None:
        why = writing.program(action.against).why
    return Fault(scenario.id, scenario.name, ", ".join(scenario.clauses), why)


def noticed_by(result: SubmissionResult, faults: Sequence[Fault]) -> tuple[bool | None, ...]:
    """Return for each fault whether the submission's tests notice it; None if unknown."""
    found: dict[str, bool] = {}
    for outcome in result.scenarios:
        kind = outcome.verdict.kind
        if kind not in (VerdictKind.HARNESS_ERROR, VerdictKind.NOT_RUN):
            found[outcome.scenario_id] = outcome.verdict.passed
    return tuple(found.get(fault.id) for fault in faults)


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault, and how many submissions' tests notice it."""

    number: int  # position in the plan, counted from 1
    fault: Fault
    noticed: int
    graded: int
    missed_by: tuple[str, ...]  # the ids of the first
    missed: int


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A submission, with one entry for each fault, in the order of the `FaultRow`s:

    True if its tests notice the fault, None if unknown.
    """

    id: str
    noticed: tuple[bool | None, ...]
    count: int


@dataclass(slots=True)
class FaultMatrix:
    """A table of faults and submissions, filled one submission at a time."""

    faults: tuple[Fault, ...]
    _rows: list[tuple[str, tuple[bool | None, ...]]] = field(default_factory=list)

    def add(self, result: SubmissionResult) -> None:
        if not self.faults:
            return
        noticed = noticed_by(result, self.faults)
        if any(one is not None for one in noticed):
            self._rows.append((result.id, noticed))

    def by_fault(self) -> tuple[FaultRow, ...]:
        """Return the faults, those noticed by the fewest submissions first."""
        rows = [self._row(at, fault) for at, fault in enumerate(self.faults)]
        rows.sort(key=lambda row: row.noticed)
        return tuple(rows)

    def _row(self, at: int, fault: Fault) -> FaultRow:
        known = [(name, noticed[at]) for name, noticed in self._rows if noticed[at] is not None]
        missed = [name for name, has_noticed in known if not has_noticed]
        return FaultRow(
            number=at + 1,
            fault=fault,
            noticed=len(known) - len(missed),
            graded=len(known),
            missed_by=tuple(missed[:_MAX_NAMED]),
            missed=len(missed),
        )

    def by_student(self, most: int) -> tuple[StudentRow, ...]:
        """Return the first `most` submissions. Their entries are in the order of `by_fault`."""
        order = [row.number - 1 for row in self.by_fault()]
        rows: list[StudentRow] = []
        for name, noticed in self._rows[:most]:
            in_order = tuple(noticed[at] for at in order)
            rows.append(StudentRow(name, in_order, in_order.count(True)))
        return tuple(rows)

    @property
    def count(self) -> int:
        """Return the number of submissions with a known result for some fault."""
        return len(self._rows)
