"""An anonymous export has nothing of a student but the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.plan import Plan
from harness.model.policy import Unparsable
from harness.model.result import Adjustment, CohortFacts, Contents, RunResult, SubmissionStatus
from harness.model.submission import Student
from harness.model.verdict import Cause, CodePlace
from harness.reporting.export.anonymous import anonymous
from harness.reporting.export.junit import junit_xml
from harness.reporting.export.marks_csv import marks_csv
from harness.results.results_json import results_json
from tests import plans
from tests.reporting.report_samples import MANY_FAULTS, PERFECT, PLAN, RUN

WHO = "zephyrine"
NAMED = replace(
    PERFECT,
    id=f"{WHO}-4711",
    student=Student(id=WHO, name=WHO, email=f"{WHO}@uni.example"),
    problem=f"found {WHO}.py, expected a1.py",
    notes=(f"handed in by {WHO} for the group",),
    adjustment=Adjustment(marks=Fraction(1), reason=WHO),
    comment=f"Well done, {WHO}.",
    handed_in="2026-03-01T12:34:56+10:00",
    source=f"{WHO}_1_assignsubmission_file_",
)
FILE = CodePlace(file=f"{WHO}.py", first=3, last=3, text=(f"# {WHO}",))
BROKEN = replace(
    NAMED,
    id=f"{WHO}-4712",
    status=SubmissionStatus.UNREADABLE,
    findings=(plans.finding(file=f"{WHO}.py"),),
    unparsable=Unparsable(file=f"{WHO}.py", reason="is not Python", line=3, source=f"# {WHO}"),
    isolation_reason=f"{WHO}.py, line 12: `global board`",
    causes=(
        Cause(function="", rule="not_gradable", message=f"found {WHO}.py", about_text=True),
        Cause(function="", rule="unreadable", message="is not Python", place=FILE, line=3),
    ),
)
FACTS = replace(RUN.facts, notices=(f"{WHO} is not on the roster",))
CLASS = RunResult(facts=FACTS, submissions=(MANY_FAULTS, NAMED, BROKEN))
TEXTS = [junit_xml, marks_csv, results_json]


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_says_who_it_is(text: Callable[[RunResult, Plan], str]) -> None:
    assert WHO in text(CLASS, PLAN)
    made = text(anonymous(CLASS), PLAN)
    assert WHO not in made
    assert "12:34:56" not in made
    assert "student-1" in made
    assert "student-2" in made


def test_marks_stay() -> None:
    made = anonymous(CLASS)
    assert sorted(str(each.total) for each in made.submissions) == sorted(
        str(each.total) for each in CLASS.submissions
    )


def test_it_is_the_same_every_time_whatever_the_order() -> None:
    turned = replace(CLASS, submissions=CLASS.submissions[::-1])
    assert anonymous(turned) == anonymous(CLASS)


def test_of_the_runs_facts_notices_and_what_lay_there_stay_behind() -> None:
    lay_there = Contents(what="folders", total=2, students=1, of_students=1, review=(WHO,))
    cohort = CohortFacts(
        layouts=("Moodle",), submissions=1, students=1, due="2026-03-01", time_zone="UTC"
    )
    read = replace(FACTS, cohort=replace(cohort, contents=lay_there))
    made = anonymous(replace(CLASS, facts=read)).facts
    assert made == replace(FACTS, notices=(), cohort=cohort)
