"""Remove a student's data from a run."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from harness.cli import options
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.model.result import CohortFacts, RunFacts, SubmissionResult
from harness.reporting.html.study_pages import remove_studies
from harness.reporting.mail import remove_mails
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.store import Store


@options.click_command(
    "forget", "harness forget reports/connect4ish ada", "harness forget reports/connect4ish 4711"
)
@click.argument("run", type=options.RUN)
@click.argument("student")
def command(run: Path, student: str) -> int:
    """Remove everything about STUDENT from RUN (a report folder): results, marks, comments, pages
    and recorded output.

    STUDENT is the id of a submission or of a student. Also delete the submitted files and any
    exported files: otherwise the next grading brings the student back.
    """
    path = store_of(run)
    with Store.open(path) as store:
        result = _graded(store, student, run)
        facts = store.facts()
        if not facts.complete:
            hint = "grade again without this student's files, then run this command"
            raise UserError("this run is not complete", place=str(run), hint=hint)
        named = _names_of(result)
        notices = _unnamed(facts.notices, named)
        command = facts.command
        if command is not None and named.search(str(command)):
            command = None
        cohort = _without(facts, named)
        store.forget(result.id, replace(facts, notices=notices, cohort=cohort, command=command))
        run_left, plan = store.run(), store.plan()
    studied, mailed = remove_studies(path.parent), remove_mails(path.parent)
    write_reports(run_left, plan, path.parent)
    left = len(run_left.submissions)
    click.echo(f"Removed {visible(result.id)}; {left} submissions are left")
    if studied:
        click.echo("Also removed the results of similarity and fuzz: run them again")
    if mailed:
        click.echo("Also removed the emails in the folder mail")
    return 0


def _graded(store: Store, student: str, run: Path) -> SubmissionResult:
    """Return the only submission with this id, or of the student with this id."""
    found = []
    for result in store.run().submissions:
        ids = [result.id]
        if result.student:
            ids.append(result.student.id)
        if student in ids:
            found.append(result)
    if not found:
        raise UserError(f"no submission has the id {student!r}", place=str(run))
    if len(found) > 1:
        raise UserError(f"{len(found)} submissions have the id {student!r}", place=str(run))
    return found[0]


def _names_of(result: SubmissionResult) -> re.Pattern[str]:
    """Return a pattern that matches every id and name of a submission as a whole word."""
    names = [result.id, result.source]
    if result.student:
        names += [result.student.id, result.student.name, result.student.email]
    words = "|".join(re.escape(name) for name in names if name)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")


def _unnamed(lines: Iterable[str], named: re.Pattern[str]) -> tuple[str, ...]:
    """Return the lines that contain none of the names."""
    return tuple(line for line in lines if not named.search(line))


def _without(facts: RunFacts, named: re.Pattern[str]) -> CohortFacts | None:
    """Return the stored facts about the class, without paths that contain the student's names."""
    cohort = facts.cohort
    if cohort is None or cohort.contents is None:
        return cohort
    contents = cohort.contents
    kept = replace(
        contents,
        left_out=_unnamed(contents.left_out, named),
        review=_unnamed(contents.review, named),
        ignored=_unnamed(contents.ignored, named),
    )
    return replace(cohort, contents=kept)
