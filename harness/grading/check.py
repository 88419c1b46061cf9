"""Checks a student's file against the visible scenarios, in this process; also finds which
submission the named files belong to.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.common.replaceable import Replaceable
from harness.execution import pick_cpu
from harness.grading.context import GradingContext
from harness.grading.grader import Grader
from harness.grading.machine import create_driver
from harness.grading.observing.setup import GraderSetup
from harness.intake.entries import GO_THERE, is_program, listed, must_exist, original_name
from harness.intake.notebooks.reading import is_notebook, program_name
from harness.intake.pipeline import Cohort, read_cohort
from harness.intake.terms import ClassOptions
from harness.model.assignment import ExtraUse
from harness.model.explanation.facts import NotHandedIn
from harness.model.plan import Assignment, Plan
from harness.model.result import Decision, SubmissionResult, SubmissionStatus
from harness.model.submission import ARCHIVE_ENDINGS, Submission
from harness.model.verdict import Cause, Verdict


@Replaceable
def setup_of(context: GradingContext) -> GraderSetup:
    """Return the setup of a check."""
    spec = context.specification
    return GraderSetup(
        plan=spec.plan, key=context.key, reference=spec.reference, slowness=context.slowness
    )


def check_submissions(
    context: GradingContext, submissions: Sequence[Submission]
) -> tuple[SubmissionResult, ...]:
    """Grade each submission on all scenarios of the context's plan; nothing is stored."""
    setup = setup_of(context)
    with (
        create_driver(context.interpreter, context.tier.tier, cpu=pick_cpu()) as driver,
        Grader(setup, driver) as grader,
    ):
        return tuple(grader.grade(submission).result for submission in submissions)


def cohort_of(
    paths: Sequence[Path],
    assignment: Assignment,
    asked: ClassOptions | None = None,
    report: Path | None = None,
) -> Cohort:
    """Return every student's submission by id, checked for the requested form, with the decisions
    that people made in the `report` folder of an earlier run.

    Raise UserError if a path cannot be read, the requested files cannot be used, or nobody handed
    in.
    """
    decisions: Mapping[str, tuple[Decision, ...]] = {}
    if report is not None:
        from harness.results.database import decisions_of  # noqa: PLC0415  (a check has no run)

        decisions = decisions_of(report, assignment.id)
    cohort = read_cohort(paths, assignment, asked or ClassOptions(), decisions)
    if not cohort.facts.students:
        place = str(paths[0]) if paths else ""
        hint = "name a folder that contains submissions, files, or a download"
        raise UserError("no submissions", place=place, hint=hint)
    return cohort


def what_to_name(assignment: Assignment) -> str:
    """Return the file name that a student usually passes to a check."""
    return assignment.archive or assignment.submission_files[0]


def submitted(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """Return the submission to check.

    If files are handed in together, naming one of them means all, as they lie in its folder. Raise
    UserError if it does not exist.
    """
    for path in paths:
        must_exist(path)
        if path.is_dir() and not _may_hold_submissions(path):
            missing = f"this folder has no {what_to_name(assignment)}"
            raise UserError(missing, place=str(path), hint=GO_THERE)
    if _lie_together(assignment) and all(_is_part(path, assignment) for path in paths):
        paths = list(dict.fromkeys(path.parent for path in paths))
        assignment = replace(assignment, archive=None)  # an older one may lie beside them
    return cohort_of(paths, assignment).submissions


def _may_be_checked(path: Path) -> bool:
    is_packed = path.name.lower().endswith(ARCHIVE_ENDINGS)
    return is_packed or is_program(path.name) or is_notebook(path.name) or path.is_dir()


def _may_hold_submissions(folder: Path) -> bool:
    return any(_may_be_checked(path) for path in folder.iterdir())


def _lie_together(assignment: Assignment) -> bool:
    """Return whether a submission has, or may have, several files."""
    return len(assignment.submission_files) > 1 or bool(assignment.extra_modules.allow)


def _is_part(path: Path, assignment: Assignment) -> bool:
    """Return whether the file is one of those handed in together, or a copy of one.

    Raise UserError for a copy beside its original, because the original would be checked instead.
    """
    together = assignment.submission_files
    original = original_name(path.name, together)
    if original is not None and _lies_in(path.parent, original):
        what = f"{original} is beside it, but only one of them can be checked"
        raise UserError(what, place=str(path), hint=f"keep one of them, named {original}")
    is_extra = assignment.use_of_extra(path.name) is ExtraUse.ALLOW
    return path.is_file() and (path.name in together or original is not None or is_extra)


def _lies_in(folder: Path, name: str) -> bool:
    """Return whether a file has exactly this name, because some systems find `A1.PY` by `a1.py`."""
    return any(entry.name == name for entry in folder.iterdir())


def not_here(paths: Sequence[Path], assignment: Assignment) -> tuple[str, ...]:
    """Return the required files that are missing: neither named nor in the same folder as the
    named ones.
    """
    together = assignment.submission_files
    folders = {path.parent for path in paths}
    if len(together) < 2 or len(folders) > 1:
        return ()
    if not all(_is_part(path, assignment) for path in paths):
        return ()
    there: set[str] = set()
    for folder in folders:
        for path in folder.iterdir():
            there.add(path.name)
            original = original_name(path.name, together)
            if original is not None:
                there.add(original)
    return tuple(name for name in together if name not in there)


def passed_all(result: SubmissionResult, plan: Plan) -> bool:
    """Return whether everything passed, apart from informational scenarios.

    Some checks have no points.
    """
    remarks = {scenario.id for scenario in plan.scenarios if scenario.informational}
    if result.status is not SubmissionStatus.GRADED:
        return False
    counted = [entry for entry in result.scenarios if entry.scenario_id not in remarks]
    return all(entry.verdict.passed for entry in counted)


def _missing_file(verdict: Verdict) -> str | None:
    """Return the missing file, if it is the reason why a scenario failed."""
    if verdict.explanation is None:
        return None
    facts = verdict.explanation.facts
    if not isinstance(facts, NotHandedIn):
        return None
    return facts.file


def without_files(result: SubmissionResult, names: Collection[str]) -> SubmissionResult:
    """Return the result without scenarios that failed only because these files were not handed in;
    unchanged if nothing else is left."""
    outcomes = [entry for entry in result.scenarios if _missing_file(entry.verdict) not in names]
    if not outcomes:
        return result
    left = {entry.scenario_id for entry in outcomes}
    causes: list[Cause] = []
    for cause in result.causes:
        scenarios = tuple(name for name in cause.scenarios if name in left)
        if scenarios or not cause.scenarios:
            causes.append(replace(cause, scenarios=scenarios))
    return replace(result, scenarios=tuple(outcomes), causes=tuple(causes))


def _about_missing(absent: Sequence[str], asked: Assignment) -> Iterator[str]:
    """Yield advice about missing files."""
    at_home = [name for name in absent if name in asked.only_at_home]
    if at_home:
        program = listed(at_home)
        yield f"your tests need a program: write {program} as the sheet says, beside your tests"
    missing = [name for name in absent if name not in at_home]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        count = len(asked.submission_files) - len(asked.only_at_home)
        yield f"not checked: {listed(missing)} {are} missing; hand in all {count} files"


def _name_counts(name: str, assignment: Assignment) -> str:
    """Return the name under which a file is graded: a notebook's is that of its program."""
    if assignment.takes_notebooks and is_notebook(name):
        return program_name(name)
    return name


def notes(paths: Sequence[Path], submissions: Sequence[Submission], asked: Assignment) -> list[str]:
    """Return advice for the student before submitting these files."""
    if asked.laid_as is not None:  # any name will do
        return []
    found = [note for submission in submissions for note in submission.notes]
    if absent := not_here(paths, asked):
        missing = [submission.missing for submission in submissions if submission.missing]
        said_otherwise = {submission.note for submission in missing}
        found = [note for note in found if note not in said_otherwise]
        found += _about_missing(absent, asked)
    names = {*asked.submission_files, what_to_name(asked)}
    others: list[str] = []
    for path in paths:
        if path.is_file() and _name_counts(path.name, asked) not in names:
            others.append(path.name)
    if any(asked.use_of_extra(name) is not ExtraUse.ALLOW for name in others):
        found.append(f"hand it in as {what_to_name(asked)}: another name may cost all marks")
    return found


def notes_about(result: SubmissionResult, submissions: Sequence[Submission]) -> list[str]:
    """Return the notes that only a look at the program's text finds, as a misspelt main guard."""
    known: set[str] = set()
    for submission in submissions:
        known.update(submission.notes)
    return [note for note in result.notes if note not in known]
