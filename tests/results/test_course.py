"""The runs of a course put together: which count, who is who, and who has not handed in."""

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from harness.common.people import Person
from harness.model.assignment import LatePolicy, ManualSlot
from harness.model.result import (
    CohortFacts,
    Decision,
    DecisionKind,
    ManualMark,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Lateness, Student
from harness.results.course import Course, CourseRun, find_student, merge_runs
from tests import plans
from tests.reporting.pages_read import refusal

STYLE = ManualSlot(id="style", title="Style", out_of=Fraction(4))
ADA = Student(id="4711", name="Ada Lovelace", email="ada@uni.example")
BOB = Student(id="4712", name="Bob", email="bob@uni.example")


def of(student: Student | str, mark: int | None = 3, **more: Any) -> SubmissionResult:
    fields: dict[str, Any] = {
        **({"id": student} if isinstance(student, str) else {"id": student.id, "student": student}),
        "status": SubmissionStatus.GRADED if mark is not None else SubmissionStatus.LATE,
        "mark": None if mark is None else Fraction(mark),
        "out_of": Fraction(6),
    }
    return SubmissionResult(**fields | more)


def run(
    name: str,
    *results: SubmissionResult,
    path: str = "",
    platform: str = "",
    late: LatePolicy | None = None,
    **facts: Any,
) -> CourseRun:
    if platform:
        facts["cohort"] = CohortFacts(layouts=(platform,), submissions=1, students=1)
    fields = {"finished": "2026-03-01T12:00:00+00:00", "complete": True, **facts}
    return CourseRun(
        path=path or name,
        facts=plans.facts(assignment=name, **fields),
        assignment=plans.assignment(id=name, title=name.upper(), course="C1", late=late),
        results=results,
    )


def course(*runs: CourseRun, roster: Sequence[tuple[Student, Person]] = ()) -> Course:
    return merge_runs("C1", runs, roster)


def table(found: Course) -> dict[str, list[str]]:
    """Of each student, by the names shown, the mark or state in each assignment."""
    return {
        " also ".join(student.names): [
            "-" if entry is None else str(entry.status if entry.total is None else entry.total)
            for entry in student.results
        ]
        for student in found.students
    }


def test_a_student_is_one_by_id_or_email_and_has_the_marks_of_all_runs() -> None:
    under_another_id = replace(ADA, id="s123", name="Lovelace, Ada")
    by_email = replace(ADA, email="ADA@uni.example", id="zz")
    found = course(
        run("a10", of(by_email, 5)),
        run("a1", of(ADA, 3), of(BOB, 2)),
        run("a2", of(under_another_id, None)),
    )
    assert [each.assignment.id for each in found.runs] == ["a1", "a2", "a10"]
    assert table(found) == {"Ada Lovelace": ["3", "late", "5"], "Bob": ["2", "-", "-"]}
    (ada, _) = found.students
    assert ada.ids == ("4711", "s123", "zz")
    assert [each.total for each in ada.marked] == [3, 5]
    assert found.notices == ()


def test_one_student_has_two_names_and_two_of_one_name_stay_two() -> None:
    married = replace(ADA, name="Ada King")
    found = course(run("a1", of(ADA), platform="Canvas"), run("a2", of(married), platform="Canvas"))
    assert table(found) == {"Ada Lovelace also Ada King": ["3", "3"]}
    found = course(run("a1", of(ADA)), run("a2", of(Student(id="99", name="Lovelace, Ada"))))
    assert table(found) == {"Ada Lovelace": ["3", "-"], "Lovelace, Ada": ["-", "3"]}
    (line,) = found.notices
    assert line.startswith(
        "2 students have the same name as another: Ada Lovelace (4711) and Lovel"
    )
    assert "--roster" in line


def test_a_roster_connects_ids_and_has_those_who_never_handed_in() -> None:
    namesake = Student(id="99", name="Lovelace, Ada")
    line = Person(ids=("4711", "99"), name="Ada Lovelace")
    never = Student(id="5", name="Eve")
    found = course(
        run("a1", of(ADA)),
        run("a2", of(namesake)),
        roster=[(Student(id="4711", name="Ada Lovelace"), line), (never, Person(ids=("5",)))],
    )
    assert table(found) == {"Ada Lovelace": ["3", "3"], "Eve": ["-", "-"]}
    assert found.notices == ()


def test_equal_ids_on_two_platforms_are_joined_only_by_a_roster() -> None:
    other = Student(id="4711", name="Mallory")
    found = course(run("a1", of(ADA), platform="Canvas"), run("a2", of(other), platform="Moodle"))
    assert table(found) == {"Ada Lovelace": ["3", "-"], "Mallory": ["-", "3"]}
    assert found.notices == ()
    runs = (run("a1", of(ADA), platform="Canvas"), run("a2", of("4711", 1)))
    assert len(course(*runs).students) == 2
    roster = [(ADA, Person(ids=("4711",)))]
    assert table(course(*runs, roster=roster)) == {"Ada Lovelace": ["3", "1"]}


def test_two_of_one_run_are_never_one_nor_is_nobody_somebody_else() -> None:
    shared = replace(BOB, email=ADA.email)
    found = course(run("a1", of(ADA, 1), of(shared, 2)), run("a2", of(ADA, 3)))
    assert len(found.students) == 3
    assert all(len(student.marked) == 1 for student in found.students)
    assert found.notices[0] == (
        "4711, 4712 and 4711 share one id or email, but have several submissions: not added up"
    )
    nobody = Student(id=" ")
    found = course(run("a1", of(nobody, 1, id="x")), run("a2", of(nobody, 2, id="y")))
    assert len(found.students) == 2


LATER = {"finished": "2026-03-01T12:00:00+01:00"}  # an hour earlier than 12:00 in UTC
TWO_RUNS = {
    "the later one": (
        run("a1", of(ADA, 1), path="new"), run("a1", of(ADA, 2), path="before", **LATER),
        "a1: new counts, not before: it is from 2026-03-01T12:00:00+00:00, the other from "
        "2026-03-01T12:00:00+01:00",
    ),
    "the complete one": (
        run("a1", of(ADA, 1), path="old", **LATER), run("a1", path="half", complete=False),
        "a1: old counts, not half: half is not complete",
    ),
    "the last by name": (
        run("a1", of(ADA, 1), path="b"), run("a1", of(ADA, 2), path="a"),
        "a1: b counts, not a: both have the same time, and its name is the last",
    ),
    "with others": (
        run("a1", of(ADA, 1), path="tuesday"), run("a1", of(BOB, 2), path="monday", **LATER),
        "a1: tuesday counts, not monday: it is from 2026-03-01T12:00:00+00:00, the other from "
        "2026-03-01T12:00:00+01:00; only in the other: 4712",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_RUNS)
@pytest.mark.parametrize("turned", [False, True])
def test_of_two_runs_of_one_assignment_one_counts_and_why(name: str, turned: bool) -> None:
    one, other, line = TWO_RUNS[name]
    found = course(*((other, one) if turned else (one, other)))
    assert found.notices == (line,)
    assert table(found) == {"Ada Lovelace": ["1"]}


def test_an_incomplete_run_and_an_invalid_time_are_accepted() -> None:
    found = course(run("a1", of(ADA), complete=False, finished="yesterday"))
    assert found.notices == ("a1: this run is not complete: grade again to finish it",)


def test_means_slip_days_and_what_is_not_marked_yet() -> None:
    late = Lateness(due="2026-03-01T12:00:00+00:00", slip_days=2)
    waiting = of(BOB, 5, manual=(ManualMark(slot=STYLE),))
    excused = Decision(kind=DecisionKind.EXCUSE, value="ill")
    found = course(
        run("a1", of(ADA, 3, late=late), of(BOB, 6), late=LatePolicy(slip_days=3)),
        run("a2", of(ADA, 4, late=late), waiting, late=LatePolicy(slip_days=3)),
        run("a3", of(ADA, 0, decisions=(excused,)), of(BOB, None)),
    )
    assert [each.mean for each in found.runs] == [Fraction(9, 2), 4, None]
    ada, bob = found.students
    assert (found.slip_days, ada.slip_days, bob.slip_days) == (3, 4, 0)
    assert [each.total for each in ada.marked] == [3, 4]
    excused_ada, waiting_bob = ada.results[2], bob.results[1]
    assert excused_ada and (excused_ada.excused, excused_ada.total) == ("ill", None)
    assert waiting_bob and (waiting_bob.total, waiting_bob.total_out_of) == (None, 10)


def test_a_student_is_found_by_id_email_or_whole_name() -> None:
    found = course(run("a1", of(ADA), of(BOB), of(Student(id="13", name="Bob"))))
    ada, bob = found.students[0], found.students[2]
    for name in ("4711", "Ada@uni.example", "Lovelace, Ada", "ada lovelace"):
        assert find_student(found, name) is ada
    assert find_student(found, "4712") is bob
    assert "no student 'Ada'" in refusal(find_student, found, "Ada")
    assert "no student ''" in refusal(find_student, found, "")
    two = "2 students are called 'bob'. Hint: name 13 and 4712"
    assert two in refusal(find_student, found, "bob")


def test_a_large_course_is_put_together_at_once() -> None:
    many = [Student(id=f"{n}", name=f"N {n}", email=f"{n}@uni.example") for n in range(1000)]
    runs = [run(f"a{k}", *map(of, many)) for k in range(4)]
    before = time.process_time()
    assert len(course(*runs).students) == 1000
    assert time.process_time() - before < 3
