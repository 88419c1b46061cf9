"""The means of grading a submission, and a submission that is being graded."""

from __future__ import annotations

from dataclasses import dataclass

from harness.grading.observing.budget import SubmissionBudget, total_seconds
from harness.grading.observing.draws import Observer
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan, SourceFile
from harness.model.policy import PolicyReport
from harness.model.submission import Submission
from harness.results.reuse import ResultCache


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderSetup:
    """The means of grading a submission.

    `reference` answers instead of a submission's functions, to see which of them is to blame
    (empty: causes are found without that). `timed_beside` is the reference for fast scenarios
    (None: the same; empty: no time is judged). `secret` is the course's, and chooses which draws
    the audits of shared runs look at (None: another one each time). With `digests`,
    `Graded.observed_digests` is filled; with `for_students`, so are the causes for students.
    Without `probes`, causes are found from what was observed, and nothing runs again for them.
    """

    plan: Plan
    key: AnswerKey
    reference: tuple[SourceFile, ...] = ()
    timed_beside: tuple[SourceFile, ...] | None = None
    thorough: bool = False
    secret: bytes | None = None
    digests: bool = False
    for_students: bool = True
    probes: bool = True
    slowness: float = 1.0  # of the machine that grades: how many times slower than the usual one

    @property
    def total_seconds(self) -> float | None:
        """Return the seconds that all of a submission may take; None: any time."""
        if self.thorough:
            return None
        return total_seconds(self.plan, self.key)

    @property
    def compared_with(self) -> AnswerKey | None:
        """Return the key; None without a reference."""
        if not self.key.scenarios:
            return None
        return self.key

    @property
    def speed_reference(self) -> tuple[SourceFile, ...]:
        """Return the files whose speed submissions are compared with; none: no time is judged."""
        if self.timed_beside is None:
            return self.reference
        return self.timed_beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A submission that is being graded: what runs it, what its text says, and what earlier runs
    found of it."""

    submission: Submission
    server: Observer
    report: PolicyReport
    cache: ResultCache
    budget: SubmissionBudget
