"""Put the runs of a course on one page, or one student's."""

from pathlib import Path

import click

from harness.cli import options
from harness.common import files
from harness.common.escaping import visible
from harness.common.words import counted
from harness.intake.terms import read_roster
from harness.reporting.html.class_page import COURSE, STUDENTS, course_page, student_page
from harness.results.course import find_student, put_together, read_course

SECTION = "Results"


@options.click_command(
    "course", "harness course reports", "harness course reports --student ada@uni.example"
)
@click.argument("folder", metavar="DIR", type=options.PATH)
@click.option("--student", metavar="NAME", help="The page of this id, email or name alone.")
@options.file("--roster", "A CSV of all students: who is missing, and which ids are one person's.")
def command(folder: Path, student: str | None, roster: Path | None) -> int:
    """Put all runs whose report folders are below DIR on one page, DIR/course.html: marks by
    student and assignment, means, slip days used, and who has not handed in.

    With --student the page has one student's marks, and nothing of anybody else. Students are one
    person by an id or an email, never by name. The exit status is 1 where a run cannot be read.
    """
    runs, unread = read_course(folder)
    listed = read_roster(roster, None) if roster is not None else ()
    titles = {run.assignment.course for run in runs}
    name = titles.pop() if len(titles) == 1 else folder.resolve().name
    course = put_together(name, runs, [(each.student, each.person) for each in listed])
    for line in (*unread, *course.notices):
        click.echo(visible(line), err=True)
    if student is None:
        page = folder / COURSE
        files.write(page, course_page(course, unread), private=True)
        found = counted(len(course.students), "student")
        click.echo(f"{found}, {counted(len(course.runs), 'assignment')}: {page}")
    else:
        one = find_student(course, student)
        page = folder / STUDENTS / files.page_name(one.ids[0])
        text = student_page(course.name, course.runs, one, course.slip_days)
        files.write(page, text, private=True)
        click.echo(f"{visible(one.names[0])}: {page}")
    return 1 if unread else 0
