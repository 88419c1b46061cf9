"""Run the package on Gradescope: `prepare` when the image is built, `run` for a submission.

`run` starts the grading as another process (`grade`) and watches it. We may end that process if
time runs out, and the container may end it if memory does. A valid results.json exists at any time:
`run_autograder` writes the first one, and each later one replaces it completely. Programs are
confined if the container allows it. After the deadline no scenario is started, and scenarios that
did not run have no answer.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from harness.common.errors import HarnessError, UserError, error_lines
from harness.common.files import write
from harness.execution import (
    PREPARING_SECONDS,
    AnyDriver,
    CallsOf,
    ProcessServer,
    Runner,
    create_driver,
    pick_cpu,
    tier_layers,
    unused_uids,
)
from harness.grading.context import GradingContext, prepare, visible_only
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.intake.submissions import read_one
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, SourceFile, Specification
from harness.model.result import SubmissionStatus
from harness.model.stimulus import Limits, Stimulus
from harness.model.submission import Submission
from harness.packaging.gradescope.package import (
    NoMark,
    PlatformFolder,
    PlatformRun,
    read_metadata,
    results_json,
)

# Environment variables.
ROOT, STARTED = "AUTOGRADER_ROOT", "AUTOGRADER_STARTED"
_HERE = "harness.packaging.gradescope.run"
_Files = tuple[SourceFile, ...]


def prepare_image(tree: PlatformFolder) -> None:
    """Compute the reference's answers with the Python that setup.sh found, and print how programs
    are confined.

    Raise UserError or HarnessError if that fails, so that the image is not built.
    """
    context = prepared(tree.specification(), tree.interpreter(), tree.keys)
    tier = context.tier.tier
    print(f"{tree.settings().assignment}: Python {context.interpreter.version}, {tier} confinement")


def run(tree: PlatformFolder) -> None:
    """Grade the submission within the time limit. Write valid results even if grading fails."""
    started = time.monotonic()
    settings = tree.settings()
    # The package holds the answers, so it is inaccessible to other users.
    for folder, mode in ((tree.source, 0o700), (tree.results.parent, 0o755)):
        with contextlib.suppress(OSError):
            folder.chmod(mode)
    command = [sys.executable, "-P", "-s", "-m", _HERE, "grade"]
    env = {**os.environ, STARTED: repr(started)}
    grading = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        status = grading.wait(settings.end_after)
    except subprocess.TimeoutExpired:
        # Its servers end with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(grading.pid, signal.SIGKILL)
        grading.wait()
        _write(tree, started, PlatformRun(no_mark=NoMark.OUT_OF_TIME, complaint="was ended"))
        return
    if status != 0:
        complaint = f"the grading process ended with status {status}"
        _write(tree, started, PlatformRun(no_mark=NoMark.FAILED, complaint=complaint))


def grade(tree: PlatformFolder) -> None:
    """Grade the submission in this process, and replace `results.json`."""
    started = float(os.environ[STARTED])
    end = started + tree.settings().stop_after
    specification = tree.specification()
    name = read_metadata(tree.metadata).id
    try:
        context = prepared(specification, tree.interpreter(), tree.keys)
        submission = read_one(tree.submission, specification.plan.assignment, name)
        outcome = grade_one(context, submission, end)
    except (HarnessError, UserError) as failure:
        outcome = PlatformRun(no_mark=NoMark.FAILED, complaint=str(failure))
    _write(tree, started, outcome)


def _write(tree: PlatformFolder, started: float, outcome: PlatformRun) -> None:
    """Write `results.json`, and print the outcome to stdout, which students do not see."""
    settings = tree.settings()
    plan = tree.specification().plan
    seconds = time.monotonic() - started
    metadata = read_metadata(tree.metadata)
    write(tree.results, results_json(outcome, plan, settings, metadata, seconds))
    state: str = ""
    if outcome.no_mark:
        state = outcome.no_mark
    elif outcome.result:
        state = outcome.result.status
    print(f"{settings.assignment}: {state} after {seconds:.1f} s", outcome.complaint, flush=True)


def prepared(specification: Specification, python: Path, cache: Path) -> GradingContext:
    """Compute or load the reference's answers, and return them with the scenarios that may run
    here.

    If programs cannot be confined, these are only the visible scenarios. Raise UserError if
    `python` is another version than the assignment's, or if the reference contradicts a scenario.
    """
    context = prepare(specification, python=python, cache=cache)
    if not context.interpreter.exact:
        raise UserError(context.interpreter.notice, hint="setup.sh failed")
    if context.tier.tier is Tier.PORTABLE:
        return prepare(visible_only(specification), python=python, cache=cache)
    return context


def grade_one(context: GradingContext, submission: Submission, end: float) -> PlatformRun:
    """Grade in this process, and start no scenario after `time.monotonic()` reaches `end`.

    If the harness itself fails, try once more. Run nothing if a program can neither be confined nor
    run as another user than the owner of the answers.
    """
    if context.tier.tier is Tier.PORTABLE:
        has_other_user = os.geteuid() == 0 and unused_uids() is not None
        if not has_other_user:
            complaint = "no other user is available"
            return PlatformRun(context=context, no_mark=NoMark.NOT_CONFINED, complaint=complaint)
    run = _attempt(context, submission, end)
    if run.no_mark is NoMark.FAILED and time.monotonic() < end:
        return _attempt(context, submission, end)
    return run


def _attempt(context: GradingContext, submission: Submission, end: float) -> PlatformRun:
    specification = context.specification
    setup = GraderSetup(
        plan=specification.plan,
        key=context.key,
        timed_beside=specification.reference,
        slowness=context.slowness,
    )
    try:
        with InTime(_driver(context), end) as driver, Grader(setup, driver) as grader:
            result = grader.grade(submission).result
    except HarnessError as failure:
        return PlatformRun(context=context, no_mark=NoMark.FAILED, complaint=str(failure))
    no_mark = _no_mark(result.status, context.tier.tier, ran_out=driver.ran_out)
    return PlatformRun(context=context, result=result, no_mark=no_mark)


def _no_mark(status: SubmissionStatus, tier: Tier, *, ran_out: bool) -> NoMark | None:
    """Return why a graded submission has no mark, if it has none."""
    match status:
        # Nothing was run, so nothing had to be confined.
        case SubmissionStatus.UNREADABLE:
            return None
        case SubmissionStatus.GRADED if tier is Tier.PORTABLE:
            return NoMark.NOT_CONFINED
        case SubmissionStatus.GRADED:
            return None
        case SubmissionStatus.HARNESS_ERROR if ran_out:
            return NoMark.OUT_OF_TIME
        case SubmissionStatus.HARNESS_ERROR:
            return NoMark.FAILED
    return NoMark.NEEDS_REVIEW


def _driver(context: GradingContext) -> AnyDriver:
    """Return the driver that runs programs in this tier, with all its layers of confinement.

    If there are none and we are root, programs still run as their own user.
    """
    tier, core = context.tier.tier, pick_cpu()
    if tier is not Tier.PORTABLE:
        return create_driver(context.interpreter, tier, cpu=core)
    from harness.execution import Driver  # noqa: PLC0415  (needs terminals)

    return Driver(context.interpreter, tier, cpu=core, layers=tier_layers(tier) | {"user"})


class InTime(AnyDriver):
    """A driver that runs programs with another `driver` until `clock()` reaches `end`.

    After that it sets `ran_out`, and each observation is a failure of the harness: it neither earns
    nor costs marks, and the submission has no mark.
    """

    def __init__(
        self, driver: AnyDriver, end: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(driver.interpreter, driver.tier)
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
        files: _Files,
        reference: _Files = (),
        preparing_seconds: float = PREPARING_SECONDS,
    ) -> Iterator[Runner]:
        opened = self._driver.submission(assignment, files, reference, preparing_seconds)
        with opened as server:
            yield _InTimeServer(server, self)

    @contextmanager
    def asked_by(self, assignment: Assignment, reference: _Files) -> Iterator[CallsOf]:
        with self._driver.asked_by(assignment, reference) as calls:
            yield calls

    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> ProcessServer:
        """Start one of the driver's servers.

        It is a tool of the harness with its own time limits, so `end` does not apply.
        """
        return self._driver.serve(stack, setup)

    def is_over(self) -> bool:
        """Return whether the time is over. If so, set `ran_out`."""
        self.ran_out = self.ran_out or self._clock() >= self._end
        return self.ran_out


@dataclass(frozen=True, slots=True)
class _InTimeServer:
    """A submission's server that runs nothing after the driver's time is over."""

    server: Runner
    driver: InTime

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        if self.driver.is_over():
            return Observation(ending=Ending.HARNESS_ERROR, detail="not run: out of time")
        return self.server.observe(stimulus, limits)


def main(arguments: list[str]) -> int:
    """Run one of the three steps. A failure is one line on stderr and status 1."""
    verbs = {"prepare": prepare_image, "run": run, "grade": grade}
    try:
        verbs[arguments[0]](PlatformFolder(Path(os.environ.get(ROOT, "/autograder"))))
    except (UserError, HarnessError) as error:
        sys.stderr.write(error_lines(str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
