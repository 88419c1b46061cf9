"""Compares runs of a student's tests on the reference and on programs with a fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from harness.model.observation import CourseTestResult, Ending, SuiteTest


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunResult:
    """One run of a student's tests: each test's outcome, and how the run itself ended."""

    tests: tuple[SuiteTest, ...]
    ending: Ending
    not_loaded: str = ""
    cpu_seconds: float = 0.0  # of the program
    trace: tuple[str, ...] = ()  # of the program's lines, if they are traced

    def failed(self) -> tuple[SuiteTest, ...]:
        return tuple(test for test in self.tests if test.has_failed)

    def endless(self) -> list[str]:
        """Return the names of the tests that did not finish."""
        endless = CourseTestResult.NOT_ENDED
        return [test.name for test in self.tests if test.outcome.result is endless]

    def passed(self) -> list[str]:
        return [test.name for test in self.tests if test.has_passed]

    def results(self) -> dict[str, CourseTestResult]:
        return {test.name: test.outcome.result for test in self.tests}


@dataclass(slots=True)
class FaultsNoticed:
    """Records which useful tests (those that pass on the reference) fail on which faulty programs.

    All tests run in the first round. Some then run again in further rounds, to show that they do
    not fail by chance. One test that fails on a fault every time is enough to notice the fault.
    """

    useful: list[str]
    steady: set[str]  # those that passed on the reference in every round
    failing: dict[str, list[SuiteTest]] = field(default_factory=dict)  # in round one, by fault
    broken: set[str] = field(default_factory=set)  # faults at which tests broke the protocol
    once: dict[str, set[str]] = field(default_factory=dict)  # failed on the fault, then passed
    dependent: set[str] = field(default_factory=set)  # those that fail if they run first
    confirmed: set[str] = field(default_factory=set)  # those that ran in all rounds

    def take_reference(self, run: SuiteRunResult, names: Iterable[str]) -> None:
        """Record a run of these tests on the reference."""
        self.steady -= set(names).difference(run.passed())

    def take_first(self, fault: str, run: SuiteRunResult) -> None:
        """Record the first round's run on a faulty program."""
        self.failing[fault] = list(run.failed())
        self._note_broken(fault, run)

    def take_again(self, fault: str, run: SuiteRunResult, names: Iterable[str]) -> None:
        """Record a later round's run of these tests on a faulty program."""
        failed = {test.name for test in run.failed()}
        passed = set(names) - failed
        once = [test.name for test in self.failing[fault] if test.name in passed]
        self.once.setdefault(fault, set()).update(once)
        self._note_broken(fault, run)

    def _note_broken(self, fault: str, run: SuiteRunResult) -> None:
        if run.ending is Ending.TAMPERED:
            self.broken.add(fault)

    def candidates(self, fault: str) -> list[SuiteTest]:
        """Return the tests that failed on this fault and never failed on the reference."""
        out = self.once.get(fault, set()) | self.dependent
        return [
            test
            for test in self.failing.get(fault, [])
            if test.name in self.steady and test.name not in out
        ]

    def noticing(self, fault: str) -> list[SuiteTest]:
        """Return the tests that failed on this fault and whose failure a later round confirmed."""
        return [test for test in self.candidates(fault) if test.name in self.confirmed]

    def open_faults(self) -> list[str]:
        """Return the faults that need another round."""
        found: list[str] = []
        for fault in self.failing:
            is_decided = fault in self.broken or bool(self.noticing(fault))
            if not is_decided and self.candidates(fault):
                found.append(fault)
        return found

    def chosen(self, passes_by_itself: Callable[[str], bool]) -> list[str]:
        """Return a few tests, in the file's order, so that each open fault has one that fails on
        it.
        """
        chosen: set[str] = set()
        while left := [fault for fault in self.open_faults() if not self._has(fault, chosen)]:
            counts: Counter[str] = Counter()
            for fault in left:
                counts.update(test.name for test in self.candidates(fault))
            (best, _), *_ = counts.most_common(1)
            if passes_by_itself(best):
                chosen.add(best)
            else:
                self.dependent.add(best)
        return [name for name in self.useful if name in chosen]

    def _has(self, fault: str, chosen: set[str]) -> bool:
        return any(test.name in chosen for test in self.candidates(fault))

    def unsteady(self) -> list[str]:
        return [name for name in self.useful if name not in self.steady]

    def unsteady_on(self, fault: str) -> list[str]:
        """Return the tests that are steady on the reference and failed on this fault, but not
        reliably; such failures do not count.
        """
        out = self.once.get(fault, set()) | self.dependent
        names = [test.name for test in self.failing.get(fault, [])]
        return [name for name in names if name in self.steady and name in out]
