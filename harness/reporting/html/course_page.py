"""The pages over a term: one of a course, for its teachers, and one of a student's own marks."""

from collections.abc import Sequence
from fractions import Fraction
from urllib.parse import quote

from harness.common.files import page_name
from harness.common.words import listed, rounded
from harness.model.result import SubmissionResult
from harness.reporting.html.environment import render, script
from harness.reporting.view import words
from harness.results.course import Course, CourseRun, CourseStudent, is_missing

COURSE = "course.html"
STUDENTS = "students"  # the folder of students' pages


def course_page(course: Course, unread: Sequence[str] = ()) -> str:
    """The page of everybody, for the folder above the runs; `unread`: lines about other runs."""
    missing = [
        (run, [each for each in course.students if is_missing(each.results[at])])
        for at, run in enumerate(course.runs)
    ]
    return render(
        "course.html.j2",
        **script("sort.js"),
        course=course,
        unread=unread,
        missing=[(run, students) for run, students in missing if students],
        mark=_mark,
        page=_page,
        together=_sum_of_marks,
    )


def student_page(
    name: str, runs: Sequence[CourseRun], student: CourseStudent, slip_days: int
) -> str:
    """The page of one student, as HTML: made of what the runs have of that student and of nothing
    else of them but their assignments' titles. `slip_days`: how many there are in the course."""
    results = zip(runs, student.results, strict=True)
    return render(
        "course_student.html.j2",
        name=name,
        student=student,
        rows=[(run.assignment.title, run.facts.complete, result) for run, result in results],
        mark=_mark,
        together=_sum_of_marks(student),
        slip_days=slip_days,
    )


def _page(run: CourseRun, result: SubmissionResult) -> str:
    return f"./{quote(run.path, errors='surrogateescape')}/submissions/{page_name(result.id)}"


def _mark(result: SubmissionResult | None) -> str:
    """A total, or why there is none."""
    if result is None or is_missing(result):
        return "not handed in"
    if result.total is not None:
        return rounded(result.total)
    if result.excused:
        return "excused"
    waits = [part.slot.title for part in result.manual if part.mark is None]
    unmarked = f", not marked yet: {listed(waits)}" if waits and result.mark is not None else ""
    return words.STATUS[result.status] + unmarked


def _sum_of_marks(student: CourseStudent) -> tuple[str, str]:
    """The marks there are, `13.50 of 20`, and in percent; empty for none."""
    got = sum((each.total or Fraction(0) for each in student.marked), Fraction(0))
    of = sum((each.total_out_of for each in student.marked), Fraction(0))
    return (f"{rounded(got)} of {words.number(of)}", rounded(100 * got / of)) if of else ("", "")
