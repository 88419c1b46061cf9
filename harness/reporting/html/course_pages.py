"""Renders the page for a whole course (several assignments), and each student's course page."""

import os
from collections.abc import Sequence
from fractions import Fraction
from urllib.parse import quote_from_bytes

from harness.common.files import page_name
from harness.common.words import listed, rounded
from harness.model.result import SubmissionResult
from harness.reporting.html.environment import render, script
from harness.reporting.view import words
from harness.reporting.view.marks import counting_mark, unmarked
from harness.results.course import Course, CourseRun, CourseStudent, is_missing

COURSE = "course.html"
STUDENTS = "students"  # folder name for the students' pages


def course_page(course: Course, unread: Sequence[str] = ()) -> str:
    """Return the page of all students as HTML; it belongs in the folder above the runs.

    `unread` has a line for each run that could not be read.
    """
    missing: list[tuple[CourseRun, list[CourseStudent]]] = []
    for at, run in enumerate(course.runs):
        students = [student for student in course.students if is_missing(student.results[at])]
        if students:
            missing.append((run, students))
    return render(
        "course.html.j2",
        **script("tools.js", "page.js", "sort.js"),
        course=course,
        unread=unread,
        missing=missing,
        mark=_mark,
        page=_page,
        together=_sum_of_marks,
    )


def student_page(
    name: str, runs: Sequence[CourseRun], student: CourseStudent, slip_days: int
) -> str:
    """Return one student's course page as HTML.

    It contains only this student's results and the titles of the assignments. `slip_days` is the
    course's number of slip days (free late days).
    """
    rows: list[tuple[str, bool, SubmissionResult | None]] = []
    for run, result in zip(runs, student.results, strict=True):
        rows.append((run.assignment.title, run.facts.complete, result))
    return render(
        "course_student.html.j2",
        name=name,
        student=student,
        slip_days=slip_days,
        rows=rows,
        mark=_mark,
        together=_sum_of_marks(student),
    )


def _page(run: CourseRun, result: SubmissionResult) -> str:
    return f"./{quote_from_bytes(os.fsencode(run.path))}/submissions/{page_name(result.id)}"


def _mark(result: SubmissionResult | None) -> str:
    """Return a total, or the reason for its absence."""
    if result is None or is_missing(result):
        return "not handed in"
    if result.total is not None:
        return rounded(result.total)
    if result.excused:
        return "excused"
    waits = unmarked(result)
    if not waits or result.mark is None:
        return words.STATUS[result.status]
    return f"{counting_mark(result).text}, not marked yet: {listed(waits)}"


def _sum_of_marks(student: CourseStudent) -> tuple[str, str]:
    """Return the sum of the marks so far as `13.50 of 20` and as a percentage.

    Both are "" without marks.
    """
    earned = Fraction(0)
    out_of = Fraction(0)
    for result in student.marked:
        earned += result.total or Fraction(0)
        out_of += result.total_out_of
    if not out_of:
        return "", ""
    return f"{rounded(earned)} of {words.number(out_of)}", rounded(100 * earned / out_of)
