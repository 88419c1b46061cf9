"""Tests of the course's stay with the course, unless their files are handed out."""

import pytest

from harness.common.errors import UserError
from harness.grading.context import for_browser, for_students, with_handed_out_tests
from harness.model.assignment import SentNames, SourceFile
from harness.model.plan import Plan, Scenario, Specification, Visibility
from harness.model.stimulus import Stimulus
from harness.stimuli.test import CourseTest
from tests import plans


def of_test(file: str, name: str) -> Scenario:
    stimulus = Stimulus(action=CourseTest(file=file, test=name))
    return plans.scenario(f"f/{name}", stimuli=(stimulus,), visibility=Visibility.VISIBLE)


TEST = of_test("test_a1.py", "test_f")
PUBLIC = of_test("test_public.py", "test_g")
CALL = plans.scenario("f/call", visibility=Visibility.VISIBLE)
SECRET_FILE = SourceFile(name="test_a1.py", data=b"SECRET = 1\n")
PUBLIC_FILE = SourceFile(name="test_public.py", data=b"def test_g(): assert a1.g().count(2)\n")
HELPER = SourceFile(name="helper.py", data=b"")
WITH_FILES = plans.assignment(test_files=(SECRET_FILE,))
WITH_PUBLIC_FILES = plans.assignment(
    test_files=(SECRET_FILE, PUBLIC_FILE, HELPER),
    handed_out_tests=("test_public.py", "helper.py"),
    sent_names=SentNames(objects=("__add__", "_books", "count"), modules=("g", "private")),
)


def specification(plan: Plan) -> Specification:
    return Specification(plan=plan, reference=(), mutants=(), transcripts=(), folder="")


def test_no_test_and_no_test_file_is_handed_out() -> None:
    plan = plans.plan(TEST, CALL, assignment=WITH_FILES)
    shown = for_students(specification(plan)).plan
    assert [scenario.id for scenario in shown.scenarios] == ["f/call"]
    assert shown.assignment.test_files == ()


def test_an_assignment_of_tests_only_has_nothing_to_hand_out() -> None:
    plan = plans.plan(TEST, assignment=WITH_FILES)
    with pytest.raises(UserError, match="no visible test is handed out"):
        for_students(specification(plan))


def test_files_that_the_course_names_are_handed_out_with_their_tests() -> None:
    plan = plans.plan(TEST, PUBLIC, CALL, assignment=WITH_PUBLIC_FILES)
    shown = for_students(specification(plan)).plan
    assert [scenario.id for scenario in shown.scenarios] == ["f/test_g", "f/call"]
    assert shown.assignment.test_files == (PUBLIC_FILE, HELPER)


def test_names_of_the_reference_that_no_handed_out_test_uses_stay_with_the_course() -> None:
    plan = plans.plan(TEST, PUBLIC, assignment=WITH_PUBLIC_FILES)
    shown = with_handed_out_tests(specification(plan)).plan.assignment.sent_names
    assert shown == SentNames(objects=("__add__", "count"), modules=("g",))


def test_a_browser_gets_no_test() -> None:
    plan = plans.plan(PUBLIC, CALL, assignment=WITH_PUBLIC_FILES)
    shown = for_browser(specification(plan)).plan
    assert [scenario.id for scenario in shown.scenarios] == ["f/call"]
    assert shown.assignment.test_files == ()
    plan = plans.plan(PUBLIC, assignment=WITH_PUBLIC_FILES)
    with pytest.raises(UserError, match="a browser cannot run them"):
        for_browser(specification(plan))
