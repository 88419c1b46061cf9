"""Tests of the course's stay with the course: students get the other scenarios."""

import pytest

from harness.common.errors import UserError
from harness.grading.context import for_students
from harness.model.assignment import SourceFile
from harness.model.plan import Plan, Specification, Visibility
from harness.model.stimulus import Stimulus
from harness.stimuli.test import CourseTest
from tests import plans

TEST = plans.scenario(
    "f/test",
    stimuli=(Stimulus(action=CourseTest(file="test_a1.py", test="test_f")),),
    visibility=Visibility.VISIBLE,
)
CALL = plans.scenario("f/call", visibility=Visibility.VISIBLE)
WITH_FILES = plans.assignment(test_files=(SourceFile(name="test_a1.py", data=b"SECRET = 1\n"),))


def specification(plan: Plan) -> Specification:
    return Specification(plan=plan, reference=(), mutants=(), transcripts=(), folder="")


def test_no_test_and_no_test_file_is_handed_out() -> None:
    plan = plans.plan(TEST, CALL, assignment=WITH_FILES)
    shown = for_students(specification(plan)).plan
    assert [scenario.id for scenario in shown.scenarios] == ["f/call"]
    assert shown.assignment.test_files == ()


def test_an_assignment_of_tests_alone_has_nothing_to_hand_out() -> None:
    plan = plans.plan(TEST, assignment=WITH_FILES)
    with pytest.raises(UserError, match="tests stay with the course"):
        for_students(specification(plan))
