"""The pages over a term: what they show, that names stay names, and that a student's page has
nothing of anybody else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.model.assignment import LatePolicy
from harness.model.result import ManualMark, SubmissionStatus
from harness.model.submission import Lateness, Student
from harness.reporting.html.course_page import course_page, student_page
from harness.results.course import Course, CourseRun, find_student
from tests import plans
from tests.reporting.pages_read import assert_golden, assert_inert, without_style
from tests.reporting.test_report_inert import ATTACKS
from tests.results.test_course import ADA, BOB, STYLE, course, of, run

GOLDEN = Path(__file__).parent / "exported"
EVE = Student(id="0815", name="Eve Müller", email="eve@uni.example")
LATE = Lateness(due="2026-03-01T12:00:00+00:00", slip_days=2)
SLIP = LatePolicy(slip_days=3)


def a_course(*more: CourseRun, eve: Student = EVE) -> Course:
    return course(
        run("a1", of(ADA, 3, late=LATE), of(BOB, 6), path="spring/a1", late=SLIP),
        run("a2", of(replace(ADA, name="Ada King"), 4, late=LATE), of(eve, 5, manual=(
            ManualMark(slot=STYLE),
        ))),
        run("a3", of(ADA, None), of(BOB, None, status=SubmissionStatus.NO_SUBMISSION),
            path="old/a3", complete=False),
        *more,
    )  # fmt: skip


def test_the_page_of_a_course() -> None:
    page = course_page(a_course(), ["b/run.sqlite: the results file is damaged"])
    assert_inert(page, 1)
    assert_golden(GOLDEN / "course.html", without_style(page))


def test_the_page_of_a_student() -> None:
    found = a_course()
    page = student_page(found.name, found.runs, find_student(found, "4711"), found.slip_days)
    assert_inert(page, 0)
    assert_golden(GOLDEN / "course-student.html", without_style(page))


@pytest.mark.parametrize("name", ["4711", "4712", "0815"])
def test_a_students_page_is_the_same_whatever_others_have(name: str) -> None:
    def page(found: Course) -> str:
        return student_page(found.name, found.runs, find_student(found, name), found.slip_days)

    own = a_course()
    alone = []
    for each in own.runs:
        alone.append(replace(each, results=tuple(r for r in each.results if r.id == name)))
    assert page(own) == page(course(*alone))


def test_nobody_and_nothing_can_be_shown() -> None:
    text = assert_inert(course_page(course(run("a1"))), 1).text
    assert "0 students, 1 assignment" in text
    assert "Who has not" not in text
    found = course(run("a1", of(ADA, None)))
    page = assert_inert(student_page("C1", found.runs, found.students[0], 0), 0)
    assert "Slip days" not in page.text
    assert "Together, " not in page.text


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_names_are_names(name: str) -> None:
    attack = ATTACKS[name]
    path = attack.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    who = Student(id=attack, name=attack, email=attack)
    named = plans.assignment(id="a4", title=attack, course=attack)
    found = a_course(
        replace(run("a4", of(who, 1), path=f"{path}/a4", finished=attack), assignment=named),
        eve=who,
    )
    pages = [course_page(found, [attack])]
    pages += [student_page(attack, found.runs, each, 3) for each in found.students]
    for number, text in enumerate(pages):
        assert_inert(text, int(number == 0))
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_the_mean_is_of_the_totals_there_are() -> None:
    page = assert_inert(course_page(a_course()), 1).text
    assert "Mean4.504.00" in page.replace("\n", "")
    assert a_course().runs[0].mean == Fraction(9, 2)
