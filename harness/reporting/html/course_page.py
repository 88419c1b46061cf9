"""The pages over a term: one of a course, for its teachers, and one of a student's own marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import quote

from harness.common.files import page_name
from harness.common.words import listed, rounded
from harness.reporting.html.environment import render, script
from harness.reporting.view import words
from harness.results.course import Course, CourseEntry, CourseRun, CourseStudent

COURSE = "course.html"
STUDENTS = "students"  # the folder of students' pages

_NOTHING = "not handed in"


@dataclass(frozen=True, slots=True)
class CourseCell:
    """A mark, or why there is none, and the lecturer's page that says more; "" for none."""

    text: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class CourseRow:
    """A student's line."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    cells: tuple[CourseCell, ...]
    together: str
    percent: str
    slip_days: int


def course_page(course: Course, unread: Sequence[str] = ()) -> str:
    """The page of everybody, as HTML, for the folder that the runs are below; `unread` are lines
    about runs that are not in it."""
    return render(
        "course.html.j2",
        **script("sort.js"),
        course=course,
        unread=unread,
        rows=[_row(student, course.runs) for student in course.students],
        means=[words.mark_text(run.mean) for run in course.runs],
        missing=[
            (run, missing)
            for at, run in enumerate(course.runs)
            if (missing := [each for each in course.students if _is_missing(each.entries[at])])
        ],
        number=words.number,
    )


def student_page(
    name: str, runs: Sequence[CourseRun], student: CourseStudent, slip_days: int
) -> str:
    """The page of one student, as HTML: made of what the runs have of that student and of nothing
    else of them but their assignments' titles. `slip_days`: how many there are in the course."""
    rows = [
        (run.title, _cell(entry), words.number(entry.out_of) if entry else "", run.complete,
         entry.slip_days if entry else 0)
        for run, entry in zip(runs, student.entries, strict=True)
    ]  # fmt: skip
    return render(
        "course_student.html.j2",
        name=name,
        student=student,
        rows=rows,
        together=_together(student),
        slip_days=slip_days,
        complete=all(run.complete for run in runs),
    )


def _is_missing(entry: CourseEntry | None) -> bool:
    return entry is None or entry.is_missing


def _row(student: CourseStudent, runs: Sequence[CourseRun]) -> CourseRow:
    together, percent = _together(student)
    cells = (
        CourseCell(_cell(entry), _page(run, entry))
        for run, entry in zip(runs, student.entries, strict=True)
    )
    return CourseRow(student.names, student.ids, tuple(cells), together, percent, student.slip_days)


def _page(run: CourseRun, entry: CourseEntry | None) -> str:
    if entry is None:
        return ""
    folder = quote(run.path, errors="surrogateescape")
    return f"./{folder}/submissions/{page_name(entry.id)}"


def _cell(entry: CourseEntry | None) -> str:
    if entry is None or entry.is_missing:
        return _NOTHING
    if entry.total is not None:
        return rounded(entry.total)
    if entry.excused:
        return "excused"
    state = words.STATUS[entry.status]
    return f"{state}, not marked yet: {listed(entry.waits)}" if entry.waits else state


def _together(student: CourseStudent) -> tuple[str, str]:
    """The marks there are, `13.50 of 20`, and in percent; empty for none."""
    marked = student.marked
    got = sum((mark for mark, _ in marked), Fraction(0))
    of = sum((out_of for _, out_of in marked), Fraction(0))
    if not of:
        return "", ""
    return f"{rounded(got)} of {words.number(of)}", f"{rounded(100 * got / of)}"
