"""One submission on the platform: confined if the container allows it, and within the time.

A driver with a deadline: after it nothing new is run, and what was not run is no answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Self

from harness.common.errors import HarnessError, UserError
from harness.execution import (
    Answers,
    AnyDriver,
    Interpreter,
    Observes,
    create_driver,
    pick_cpu,
    tier_layers,
    unused_uids,
)
from harness.grading import Grader, GradingContext, prepare, visible_only
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, SourceFile
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.model.specification import Specification
from harness.model.stimulus import Limits, Stimulus
from harness.model.submission import Submission


class NoMark(StrEnum):
    """Why a run gives no mark: a partial mark would be wrong."""

    OUT_OF_TIME = "out of time"
    NOT_CONFINED = "not confined"
    FAILED = "the harness failed"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRun:
    """What one run on the platform found. `no_mark` None: the result's mark is the mark.

    `context` is what was run with; its plan is cut to the visible scenarios where programs could
    not be confined. `complaint` is for the staff.
    """

    context: GradingContext | None = None
    result: SubmissionResult | None = None
    no_mark: NoMark | None = None
    complaint: str = ""


def prepared(specification: Specification, python: Path, cache: Path) -> GradingContext:
    """What to grade with, the answer key made or recalled; as much of the assignment as may be run
    here. Raises UserError (another version of Python, a reference that disagrees)."""
    context = prepare(specification, python=python, cache=cache)
    if not context.interpreter.exact:
        raise UserError(context.interpreter.notice, hint="setup.sh did not end well")
    if context.tier.tier is Tier.PORTABLE:
        return prepare(visible_only(specification), python=python, cache=cache)
    return context


def grade_one(context: GradingContext, submission: Submission, end: float) -> PlatformRun:
    """Grade in this process; nothing new is begun when `time.monotonic()` is `end`.

    Should our machinery fail, it is tried once more. Where a program can neither be confined nor be
    another user than the one who keeps the answers, nothing is run.
    """
    if context.tier.tier is Tier.PORTABLE and not _has_other_users():
        return PlatformRun(
            context=context, no_mark=NoMark.NOT_CONFINED, complaint="there is no other user"
        )
    run = _attempt(context, submission, end)
    if run.no_mark is NoMark.FAILED and time.monotonic() < end:
        return _attempt(context, submission, end)
    return run


def _attempt(context: GradingContext, submission: Submission, end: float) -> PlatformRun:
    plan, key = context.specification.plan, context.key
    try:
        with (
            InTime(_driver(context), end) as driver,
            Grader(plan, key, driver, timed_beside=context.specification.reference) as grader,
        ):
            result = grader.grade(submission).result
    except HarnessError as failure:
        return PlatformRun(context=context, no_mark=NoMark.FAILED, complaint=str(failure))
    return PlatformRun(context=context, result=result, no_mark=_why_not(context, result, driver))


def _why_not(context: GradingContext, result: SubmissionResult, driver: InTime) -> NoMark | None:
    match result.status:
        case SubmissionStatus.UNREADABLE:
            return None  # nothing of it was run, so nothing had to be confined
        case SubmissionStatus.GRADED:
            return NoMark.NOT_CONFINED if context.tier.tier is Tier.PORTABLE else None
        case SubmissionStatus.HARNESS_ERROR:
            return NoMark.OUT_OF_TIME if driver.ran_out else NoMark.FAILED
        case _:
            return NoMark.NEEDS_REVIEW


def _has_other_users() -> bool:
    return os.geteuid() == 0 and unused_uids() is not None


def _driver(context: GradingContext) -> AnyDriver:
    """The tier's; where that is none, root still gives the program a user of its own."""
    tier, core = context.tier.tier, pick_cpu()
    if tier is not Tier.PORTABLE:
        return create_driver(context.interpreter, tier, cpu=core)
    from harness.execution import Driver  # noqa: PLC0415  (loads where there are terminals)

    return Driver(context.interpreter, tier, cpu=core, layers=tier_layers(tier) | {"user"})


def packed(specification: Specification) -> Specification:
    """What the run needs of a specification: the plan and the reference, and no student's name."""
    plan = specification.plan
    unnamed = replace(plan, assignment=replace(plan.assignment, exemptions=()))
    return replace(specification, plan=unnamed, mutants=(), transcripts=(), folder="")


NOT_IN_TIME = Observation(ending=Ending.HARNESS_ERROR, detail="not run: out of time")


class InTime:
    """Like `driver`, until `clock()` is `end`; then `ran_out` is set.

    An observation that never was is a failure of ours: it earns nothing, costs nothing, and leaves
    the submission without a mark.
    """

    def __init__(
        self, driver: AnyDriver, end: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.interpreter: Interpreter = driver.interpreter
        self.tier: Tier = driver.tier
        self.ran_out = False
        self._driver = driver
        self._end = end
        self._clock = clock

    def __enter__(self) -> Self:
        self._driver.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._driver.__exit__(*error)

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[Observes]:
        """The driver's observation, as long as there is time."""
        with self._driver.submission(assignment, files, reference) as server:
            yield _InTimeServer(server, self)

    def tool(self, sources: Mapping[str, str], entry: str) -> AbstractContextManager[Answers]:
        """The driver's; ours ends by its own limits."""
        return self._driver.tool(sources, entry)

    def is_over(self) -> bool:
        """Whether nothing new may be started."""
        self.ran_out = self.ran_out or self._clock() >= self._end
        return self.ran_out


class _InTimeServer:
    def __init__(self, server: Observes, driver: InTime) -> None:
        self._server = server
        self._driver = driver

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        if self._driver.is_over():
            return NOT_IN_TIME
        return self._server.observe(stimulus, limits)
