"""Runs one program: the reference for the transcripts that a course hands out, or one scenario of
a graded submission again, to defend its mark.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from harness.common.errors import UserError
from harness.execution import pick_cpu
from harness.grading.check import cohort_of, submitted
from harness.grading.machine import choose_tier, create_driver, find_interpreter, terminal_driver
from harness.grading.observing.draws import run_scenario
from harness.intake.entries import must_exist
from harness.intake.submissions import read_one
from harness.model.assignment import Assignment
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Plan, ProvidedVariant, Specification
from harness.model.result import SubmissionResult
from harness.model.stimulus import Stimulus
from harness.model.submission import Submission
from harness.model.verdict import StandInOutcome

AsTemplate = Callable[[str, ProvidedVariant, tuple[str, ...]], str]


def record_transcripts(
    specification: Specification, as_template: AsTemplate, *, python: Path | None = None
) -> tuple[Path, ...]:
    """Write every transcript file that differs from the reference's behaviour. Returns the
    files written. Raise UserError if the reference does not end by itself."""
    plan = specification.plan
    interpreter = find_interpreter(plan.assignment.python, python)
    tier = choose_tier(interpreter)
    submitted = plan.assignment.submission_files
    written: list[Path] = []
    with (
        terminal_driver(interpreter, tier.tier, cpu=pick_cpu()) as driver,
        driver.submission(plan.assignment, specification.reference) as server,
    ):
        for target in specification.transcripts:
            scenario = plan.scenario(target.scenario_id)
            (observation,) = run_scenario(server, scenario, scenario.limits)
            if observation.ending is not Ending.ANSWERED:
                what = f"the reference does not end by itself ({observation.ending.value})"
                hint = "type input up to the program's end"
                raise UserError(what, place=str(scenario.place), hint=hint)
            variant = plan.assignment.variant(scenario.stimuli[0].constants)
            text = as_template(observation.transcript(), variant, submitted)
            path = Path(specification.folder) / target.path
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="")
                written.append(path)
    return tuple(written)


def stored_files(graded: SubmissionResult) -> Submission:
    """Return the graded files as the run stored them. Raises UserError if it did not store them,
    because they are very large."""
    stored = Submission(id=graded.id, files=graded.files, origin="the run")
    if not graded.files or stored.digest != graded.source_digest:
        what = f"the run did not store the files of {graded.id}"
        raise UserError(what, hint="name them with --submission")
    return stored


def graded_files_at(path: Path, assignment: Assignment, graded: SubmissionResult) -> Submission:
    """Return the graded files as they are at `path`: a file, a submission's folder or archive, or
    a whole download. Raises UserError if the graded files are not there."""
    must_exist(path)
    for submission in _readings(path, assignment, graded.id):
        if not submission.problem and submission.digest == graded.source_digest:
            return submission
    what = f"this is not the submission graded as {graded.id}"
    hint = "leave out --submission to use the files that the run stored"
    raise UserError(what, place=str(path), hint=hint)


def _readings(path: Path, assignment: Assignment, name: str) -> Iterator[Submission]:
    """Yield the submissions that a path may mean, the most likely first."""
    if path.is_dir():
        yield read_one(path, assignment, name)
    with suppress(UserError):
        yield from submitted([path], assignment)
    with suppress(UserError):
        yield from cohort_of([path], assignment).submissions


def replay(
    plan: Plan,
    graded: SubmissionResult,
    submission: Submission,
    scenario_id: str,
    *,
    python: Path | None = None,
) -> tuple[tuple[Stimulus, Observation], ...]:
    """Yield each stimulus of the scenario with its observation, in the plan's order.

    The stand-ins take the place of its modules if it passed with them (`Stimulus.stand_ins`). Raise
    UserError if the plan has no such scenario, or no interpreter or tier can be used.
    """
    try:
        scenario = plan.scenario(scenario_id)
    except KeyError:
        likely = [scenario.id for scenario in plan.scenarios if scenario_id in scenario.id][:3]
        hint = f"did you mean {', '.join(likely)}?" if likely else "the report names them"
        raise UserError(f"no scenario {scenario_id!r}", hint=hint) from None
    second = {entry.scenario_id: entry.verdict.stand_in for entry in graded.scenarios}
    if second.get(scenario_id) is StandInOutcome.PASSED:
        scenario = scenario.standing_in()
    interpreter = find_interpreter(plan.assignment.python, python)
    with (
        create_driver(interpreter, choose_tier(interpreter, Tier.STANDARD).tier) as driver,
        driver.submission(plan.assignment, submission.files) as server,
    ):
        return tuple(
            (stimulus, server.observe(stimulus, scenario.limits)) for stimulus in scenario.stimuli
        )
