"""Add up the marks of a term on one page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _CourseOptions:
    """The options: whose page is written, and the list of students."""

    student: Annotated[
        str | None,
        options.option(
            "--student",
            "Write only the page of the student with this id, email or name.",
            metavar="NAME",
        ),
    ]
    roster: Annotated[
        Path | None,
        options.file(
            "--roster",
            "A CSV of all students. Missing work is then listed, and a person's different ids "
            "are connected.",
        ),
    ]


@options.click_command(
    "course", "harness course reports", "harness course reports --student ada@uni.example"
)
@click.argument("folder", metavar="DIR", type=options.PATH)
@options.options_of("chosen", _CourseOptions)
def command(folder: Path, chosen: _CourseOptions) -> int:
    """Put all runs below the folder DIR on one page, DIR/course.html: each student's marks, means,
    slip days used and missing work.

    With --student the page has only the marks of one student. Two runs' marks are added up if the
    id or the email address is the same; the same name is not enough.

    Exit status: 0 all runs were read, 1 some could not be read, 2 cannot run.
    """
    runs, unread = read_course(folder)
    people: list[tuple[Student, Person]] = []
    if chosen.roster is not None:
        for entry in read_roster(chosen.roster, None):
            people.append((entry.student, entry.person))
    titles = {run.assignment.course for run in runs}
    name = folder.resolve().name
    if len(titles) == 1:
        name = titles.pop()
    course = merge_runs(name, runs, people)
    for line in (*unread, *course.notices):
        click.echo(visible(line), err=True)
    if chosen.student is None:
        page = folder / COURSE
        text = course_page(course, unread)
        students = counted(len(course.students), "student")
        assignments = counted(len(course.runs), "assignment")
        about = f"{students}, {assignments}"
    else:
        found = find_student(course, chosen.student)
        page = folder / STUDENTS / files.page_name(found.ids[0])
        text = student_page(course.name, course.runs, found, course.slip_days)
        about = visible(found.names[0])
    files.write(page, text, private=True)
    click.echo(f"{about}: {page}")
    return 1 if unread else 0
