"""What the package runs on the platform: `prepare` when the image is built, `run` a submission.

`run` only watches: the grading is a process of its own (`grade`), which may be killed, by us when
the time is over or by the container when memory is. Whatever happens, a valid results.json is
there: `run_autograder` put one there before anything else, and each later one replaces it whole.
Programs are confined if the container allows it. After the deadline nothing new is run, and what
was not run is not an answer."""

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
    AnyDriver,
    CallsOf,
    Observes,
    ProcessServer,
    create_driver,
    pick_cpu,
    tier_layers,
    unused_uids,
)
from harness.grading.context import GradingContext, prepare, visible_only
from harness.grading.grader import Grader
from harness.grading.observing.judged_runs import GraderSetup
from harness.intake.submissions import read_one
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, SourceFile, Specification
from harness.model.result import SubmissionStatus
from harness.model.stimulus import Limits, Stimulus
from harness.model.submission import Submission
from harness.packaging.gradescope.package import (
    NoMark,
    PlatformRun,
    Tree,
    read_metadata,
    results_json,
)

ROOT, STARTED = "AUTOGRADER_ROOT", "AUTOGRADER_STARTED"
_HERE = "harness.packaging.gradescope.run"
_Files = tuple[SourceFile, ...]


def prepare_image(tree: Tree) -> None:
    """Make the answer key for the interpreter that setup.sh found, and say what there is. Raises
    UserError and HarnessError: then the image is not built."""
    context = prepared(tree.specification(), tree.interpreter(), tree.keys)
    tier = context.tier.tier
    print(f"{tree.settings().assignment}: Python {context.interpreter.version}, {tier} confinement")


def run(tree: Tree) -> None:
    """Grade the submission within the time limit; valid results are written in any case."""
    started = time.monotonic()
    settings = tree.settings()
    # Inaccessible to other users: the package holds the answers.
    for folder, mode in ((tree.source, 0o700), (tree.results.parent, 0o755)):
        with contextlib.suppress(OSError):
            folder.chmod(mode)
    command = [sys.executable, "-P", "-s", "-m", _HERE, "grade"]
    env = {**os.environ, STARTED: repr(started)}
    grading = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        status = grading.wait(settings.end_after)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(grading.pid, signal.SIGKILL)  # its servers end with it
        grading.wait()
        _write(tree, started, PlatformRun(no_mark=NoMark.OUT_OF_TIME, complaint="was ended"))
        return
    if status != 0:
        complaint = f"the grading process ended with status {status}"
        _write(tree, started, PlatformRun(no_mark=NoMark.FAILED, complaint=complaint))


def grade(tree: Tree) -> None:
    """Grade, and replace the results."""
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


def _write(tree: Tree, started: float, outcome: PlatformRun) -> None:
    """Write the results, and print the outcome to stdout, which students do not see."""
    settings, plan = tree.settings(), tree.specification().plan
    seconds = time.monotonic() - started
    metadata = read_metadata(tree.metadata)
    write(tree.results, results_json(outcome, plan, settings, metadata, seconds))
    state = outcome.no_mark or (outcome.result.status if outcome.result else "")
    print(f"{settings.assignment}: {state} after {seconds:.1f} s", outcome.complaint, flush=True)


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
    """Grade in this process; nothing new is begun when `time.monotonic()` is `end`. Should our
    machinery fail, it is tried once more. Where a program can neither be confined nor be another
    user than the one who keeps the answers, nothing is run."""
    if context.tier.tier is Tier.PORTABLE and (os.geteuid() != 0 or unused_uids() is None):
        complaint = "there is no other user"
        return PlatformRun(context=context, no_mark=NoMark.NOT_CONFINED, complaint=complaint)
    run = _attempt(context, submission, end)
    if run.no_mark is NoMark.FAILED and time.monotonic() < end:
        return _attempt(context, submission, end)
    return run


def _attempt(context: GradingContext, submission: Submission, end: float) -> PlatformRun:
    spec = context.specification
    setup = GraderSetup(
        plan=spec.plan,
        key=context.key,
        timed_beside=spec.reference,
        slowness=context.slowness,
    )
    try:
        with InTime(_driver(context), end) as driver, Grader(setup, driver) as grader:
            result = grader.grade(submission).result
    except HarnessError as failure:
        return PlatformRun(context=context, no_mark=NoMark.FAILED, complaint=str(failure))
    no_mark: NoMark | None = NoMark.NEEDS_REVIEW
    match result.status:
        case SubmissionStatus.UNREADABLE:
            no_mark = None  # nothing of it was run, so nothing had to be confined
        case SubmissionStatus.GRADED:
            no_mark = NoMark.NOT_CONFINED if context.tier.tier is Tier.PORTABLE else None
        case SubmissionStatus.HARNESS_ERROR:
            no_mark = NoMark.OUT_OF_TIME if driver.ran_out else NoMark.FAILED
    return PlatformRun(context=context, result=result, no_mark=no_mark)


def _driver(context: GradingContext) -> AnyDriver:
    """Return the tier's layers; if there are none, root still gives the program its own user."""
    tier, core = context.tier.tier, pick_cpu()
    if tier is not Tier.PORTABLE:
        return create_driver(context.interpreter, tier, cpu=core)
    from harness.execution import Driver  # noqa: PLC0415  (loads where there are terminals)

    return Driver(context.interpreter, tier, cpu=core, layers=tier_layers(tier) | {"user"})


class InTime(AnyDriver):
    """Like `driver`, until `clock()` is `end`; then `ran_out` is set. An observation that never was
    is a failure of ours: it earns and costs nothing, and the submission has no mark."""

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
        self, assignment: Assignment, files: _Files, reference: _Files = ()
    ) -> Iterator[Observes]:
        with self._driver.submission(assignment, files, reference) as server:
            yield _InTimeServer(server, self)

    @contextmanager
    def asked_by(self, assignment: Assignment, reference: _Files) -> Iterator[CallsOf]:
        with self._driver.asked_by(assignment, reference) as calls:
            yield calls

    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> ProcessServer:
        """The driver's: a tool of ours ends by its own limits."""
        return self._driver.serve(stack, setup)

    def is_over(self) -> bool:
        self.ran_out = self.ran_out or self._clock() >= self._end
        return self.ran_out


@dataclass(frozen=True, slots=True)
class _InTimeServer:
    server: Observes
    driver: InTime

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        if self.driver.is_over():
            return Observation(ending=Ending.HARNESS_ERROR, detail="not run: out of time")
        return self.server.observe(stimulus, limits)


def main(arguments: list[str]) -> int:
    """Run one of the three steps; a failure is one line on stderr and status 1."""
    verbs = {"prepare": prepare_image, "run": run, "grade": grade}
    try:
        verbs[arguments[0]](Tree(Path(os.environ.get(ROOT, "/autograder"))))
    except (UserError, HarnessError) as error:
        sys.stderr.write(error_lines(str(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
