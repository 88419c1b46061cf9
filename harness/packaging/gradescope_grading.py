"""One submission on the platform: confined if the container allows it, and within the time."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from harness.execution import LAYERS, AnyDriver, Layer, a_driver
from harness.execution.tiers.unused_uids import unused_uids
from harness.grading import Bench, Grader, prepare, visible_only
from harness.grading.cores import a_core
from harness.model.errors import HarnessError, UserError
from harness.model.result import SubmissionResult, SubmissionStatus, Tier
from harness.model.specification import Specification
from harness.model.submission import Submission
from harness.packaging.gradescope_time import InTime


class NoMark(StrEnum):
    """Why a run gives no mark at all: a part of one would be a wrong one."""

    OUT_OF_TIME = "out of time"
    NOT_CONFINED = "not confined"
    FAILED = "the harness failed"
    NEEDS_REVIEW = "needs review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run on the platform found. `no_mark` None: the result's mark is the mark.

    `bench` is what was run with; its plan is cut to the visible scenarios where programs could not
    be confined. `complaint` is for the staff.
    """

    bench: Bench | None = None
    result: SubmissionResult | None = None
    no_mark: NoMark | None = None
    complaint: str = ""


def prepared(specification: Specification, python: Path, cache: Path) -> Bench:
    """What to grade with, the answer key made or recalled; as much of the assignment as may be run
    here. Raises UserError (another version of Python, a reference that disagrees)."""
    bench = prepare(specification, python=python, cache=cache)
    if not bench.interpreter.exact:
        raise UserError(bench.interpreter.notice, hint="setup.sh did not end well")
    if bench.tier.tier is Tier.PORTABLE:
        return prepare(visible_only(specification), python=python, cache=cache)
    return bench


def grade_one(bench: Bench, submission: Submission, end: float) -> Run:
    """Grade in this process; nothing new is begun when `time.monotonic()` is `end`.

    Should our machinery fail, it is tried once more. Where a program can neither be confined nor be
    another user than the one who keeps the answers, nothing is run.
    """
    if bench.tier.tier is Tier.PORTABLE and not _has_other_users():
        return Run(bench=bench, no_mark=NoMark.NOT_CONFINED, complaint="there is no other user")
    run = _attempt(bench, submission, end)
    if run.no_mark is NoMark.FAILED and time.monotonic() < end:
        return _attempt(bench, submission, end)
    return run


def _attempt(bench: Bench, submission: Submission, end: float) -> Run:
    plan, key = bench.specification.plan, bench.key
    try:
        with (
            InTime(_driver(bench), end) as driver,
            Grader(plan, key, driver) as grader,
        ):
            result = grader.grade(submission).result
    except HarnessError as failure:
        return Run(bench=bench, no_mark=NoMark.FAILED, complaint=str(failure))
    return Run(bench=bench, result=result, no_mark=_why_not(bench, result, driver))


def _why_not(bench: Bench, result: SubmissionResult, driver: InTime) -> NoMark | None:
    match result.status:
        case SubmissionStatus.UNREADABLE:
            return None  # nothing of it was run, so nothing had to be confined
        case SubmissionStatus.GRADED:
            return NoMark.NOT_CONFINED if bench.tier.tier is Tier.PORTABLE else None
        case SubmissionStatus.HARNESS_ERROR:
            return NoMark.OUT_OF_TIME if driver.ran_out else NoMark.FAILED
        case _:
            return NoMark.NEEDS_REVIEW


def _has_other_users() -> bool:
    return os.geteuid() == 0 and unused_uids() is not None


def _driver(bench: Bench) -> AnyDriver:
    """The tier's; where that is none, root still gives the program a user of its own."""
    tier, core = bench.tier.tier, a_core()
    if tier is not Tier.PORTABLE:
        return a_driver(bench.interpreter, tier, cpu=core)
    from harness.execution import Driver  # noqa: PLC0415  (loads where there are terminals)

    return Driver(bench.interpreter, tier, cpu=core, layers=LAYERS[tier] | {Layer.USER})


def packed(specification: Specification) -> Specification:
    """What the run needs of a specification: the plan and the reference."""
    return replace(specification, mutants=(), transcripts=(), folder="")
