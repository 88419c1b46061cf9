"""The results of one run of handed-in tests, and of the rounds in which they are compared."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.model.observation import CourseTestResult, Ending, SuiteTest


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunResult:
    """One run of a suite: how its tests came out, and how the run itself ended."""

    tests: tuple[SuiteTest, ...]
    ending: Ending
    not_loaded: str = ""
    trace: tuple[str, ...] = ()  # of the program's lines, if they are traced

    def failed(self) -> tuple[SuiteTest, ...]:
        return tuple(test for test in self.tests if test.has_failed)

    def endless(self) -> list[str]:
        """Return the names of the tests that did not come to their end."""
        endless = CourseTestResult.NOT_ENDED
        return [test.name for test in self.tests if test.outcome.result is endless]

    def passed(self) -> list[str]:
        return [test.name for test in self.tests if test.has_passed]

    def results(self) -> dict[str, CourseTestResult]:
        return {test.name: test.outcome.result for test in self.tests}


@dataclass(slots=True)
class Comparison:
    """Which of the useful tests fail on which faults, after some rounds."""

    useful: list[str]
    steady: set[str]  # those that passed on the reference in every round
    failing: dict[str, list[SuiteTest]] = field(default_factory=dict)  # in all rounds, by fault
    once: dict[str, list[str]] = field(default_factory=dict)  # in one round and not in another
    broken: set[str] = field(default_factory=set)  # faults at which tests broke the protocol

    def take_reference(self, run: SuiteRunResult) -> None:
        self.steady.intersection_update(run.passed())

    def take_fault(self, fault: str, run: SuiteRunResult) -> None:
        if run.ending is Ending.TAMPERED:
            self.broken.add(fault)
        failed = {test.name for test in run.failed()}
        before = self.failing.get(fault)
        if before is None:
            self.failing[fault] = list(run.failed())
            return
        self.failing[fault] = [test for test in before if test.name in failed]
        missed = [test.name for test in before if test.name not in failed]
        self.once.setdefault(fault, []).extend(missed)

    def is_open(self, fault: str) -> bool:
        """Return whether another round can show something about this fault."""
        return fault not in self.broken and bool(self.candidates(fault))

    def candidates(self, fault: str) -> list[SuiteTest]:
        """Return the tests that fail on this fault and never on the reference."""
        return [test for test in self.failing.get(fault, []) if test.name in self.steady]

    def unsteady(self) -> list[str]:
        return [name for name in self.useful if name not in self.steady]
