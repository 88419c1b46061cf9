"""Add up the marks of a term on one page."""

from pathlib import Path

import click

from harness.cli import options
from harness.common import files
from harness.common.escaping import visible
from harness.common.people import Person
from harness.common.words import counted
from harness.intake.terms import read_roster
from harness.model.submission import Student
from harness.reporting.html.course_pages import COURSE, STUDENTS, course_page, student_page
from harness.results.course import find_student, merge_runs, read_course


@options.click_command(
    "course", "harness course reports", "harness course reports --student ada@uni.example"
)
@click.argument("folder", metavar="DIR", type=options.PATH)
@click.option(
    "--student",
    metavar="NAME",
    help="Write only the page of the student with this id, email or name.",
)
@options.file(
    "--roster", "A CSV of all students: lists missing work and connects the ids of one person."
)
def command(folder: Path, student: str | None, roster: Path | None) -> int:
    """Put all runs below the folder DIR on one page, DIR/course.html: each student's marks, means,
    slip days used and missing work.

    With --student the page has the marks of one student and nothing about anyone else. Marks of
    two runs are put together if they have the same id or email address, never only the same name.

    Exit status: 0 all runs were read, 1 some could not be read, 2 cannot run.
    """
    runs, unread = read_course(folder)
    people: list[tuple[Student, Person]] = []
    if roster is not None:
        for entry in read_roster(roster, None):
            people.append((entry.student, entry.person))
    titles = {run.assignment.course for run in runs}
    name = folder.resolve().name
    if len(titles) == 1:
        name = titles.pop()
    course = merge_runs(name, runs, people)
    for line in (*unread, *course.notices):
        click.echo(visible(line), err=True)
    if student is None:
        page = folder / COURSE
        files.write(page, course_page(course, unread), private=True)
        students = counted(len(course.students), "student")
        assignments = counted(len(course.runs), "assignment")
        click.echo(f"{students}, {assignments}: {page}")
    else:
        found = find_student(course, student)
        page = folder / STUDENTS / files.page_name(found.ids[0])
        text = student_page(course.name, course.runs, found, course.slip_days)
        files.write(page, text, private=True)
        click.echo(f"{visible(found.names[0])}: {page}")
    return 1 if unread else 0
