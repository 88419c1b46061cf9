"""Who notices which fault: the tests of a class against the course's programs with a fault."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.stimuli.suite import SuiteQuestion, SuiteRun

_MAX_NAMED = 60  # of the submissions that miss a fault


@dataclass(frozen=True, slots=True)
class Fault:
    """One of the course's programs with a fault."""

    id: str  # of the scenario that asks whether tests notice it
    name: str  # of that scenario
    clause: str
    why: str  # in the course's words; never for students


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
    """Return for each fault whether the tests of a submission notice it; None if it is not
    known."""
    found: dict[str, bool] = {}
    for outcome in result.scenarios:
        kind = outcome.verdict.kind
        if kind not in (VerdictKind.HARNESS_ERROR, VerdictKind.NOT_RUN):
            found[outcome.scenario_id] = outcome.verdict.passed
    return tuple(found.get(fault.id) for fault in faults)


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault, and how many notice it."""

    number: int  # its place in the plan, from 1
    fault: Fault
    noticed: int
    graded: int
    missed_by: tuple[str, ...]  # the ids of the first
    missed: int


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A submission's row: for each fault, in the order of the `FaultRow`s, whether the
    submission's tests notice the fault (None: unknown)."""

    id: str
    noticed: tuple[bool | None, ...]
    count: int


@dataclass(slots=True)
class FaultMatrix:
    """The faults and the submissions of a class, counted one submission at a time."""

    faults: tuple[Fault, ...]
    _rows: list[tuple[str, tuple[bool | None, ...]]] = field(default_factory=list)

    def add(self, result: SubmissionResult) -> None:
        if not self.faults:
            return
        noticed = noticed_by(result, self.faults)
        if any(one is not None for one in noticed):
            self._rows.append((result.id, noticed))

    def by_fault(self) -> tuple[FaultRow, ...]:
        """Return the faults, those that the fewest notice first."""
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
        """Return the first submissions, with the faults in the order of `by_fault`."""
        order = [row.number - 1 for row in self.by_fault()]
        rows: list[StudentRow] = []
        for name, noticed in self._rows[:most]:
            in_order = tuple(noticed[at] for at in order)
            rows.append(StudentRow(name, in_order, in_order.count(True)))
        return tuple(rows)

    @property
    def count(self) -> int:
        """Return the number of submissions about which something is known."""
        return len(self._rows)
