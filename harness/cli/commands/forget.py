"""Remove a student's data from a run."""

import re
from dataclasses import replace
from pathlib import Path

import click

from harness.cli import options
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.model.result import CohortFacts, RunFacts
from harness.reporting.html.study_pages import remove_studies
from harness.reporting.mail import remove_mails
from harness.reporting.writing import write_reports
from harness.results.database import store_of
from harness.results.store import Store

SECTION = "Results"


@options.click_command(
    "forget", "harness forget reports/connect4ish ada", "harness forget reports/connect4ish 4711"
)
@click.argument("run", type=options.PATH)
@click.argument("student")
def command(run: Path, student: str) -> int:
    """Remove everything about STUDENT from RUN (a report folder): results, marks, comments, pages
    and recorded output.

    STUDENT is the id of a submission or of a student. Also delete the submitted files and any
    exported files: otherwise the next grading brings the student back.
    """
    path = store_of(run)
    with Store.open(path) as store:
        found = [
            each
            for each in store.run().submissions
            if student in (each.id, each.student.id if each.student else each.id)
        ]
        if len(found) != 1:
            count = f"{len(found)} submissions have" if found else "no submission has"
            raise UserError(f"{count} the id {student!r}", place=str(run))
        result, facts = found[0], store.facts()
        if not facts.complete:
            hint = "grade again without this student's files, then run this command"
            raise UserError("this run is not complete", place=str(run), hint=hint)
        who = result.student
        names = (result.id, result.source, *((who.id, who.name, who.email) if who else ()))
        words = "|".join(re.escape(name) for name in names if name)
        named = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        notices = tuple(each for each in facts.notices if not named.search(each))
        store.forget(result.id, replace(facts, notices=notices, cohort=_without(facts, named)))
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


def _without(facts: RunFacts, named: re.Pattern[str]) -> CohortFacts | None:
    """Return what is known of the class, without paths that have the student's names."""
    cohort = facts.cohort
    if cohort is None or cohort.contents is None:
        return cohort
    contents = cohort.contents
    left_out = tuple(path for path in contents.left_out if not named.search(path))
    review = tuple(path for path in contents.review if not named.search(path))
    ignored = tuple(path for path in contents.ignored if not named.search(path))
    kept = replace(contents, left_out=left_out, review=review, ignored=ignored)
    return replace(cohort, contents=kept)
