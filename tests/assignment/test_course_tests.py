"""`tests:` in assignment.yaml: which scenarios it makes, and which mistakes are noted."""

from fractions import Fraction
from pathlib import Path

import pytest

from harness.assignment.loading import SpecErrors, load
from harness.assignment.test_files import find_tests
from harness.model.plan import Plan, Visibility
from harness.stimuli.test import CourseTest

ASSIGNMENT = """\
title: Tests
course: C1
python: "3.11"
submission: {files: [a1.py]}
functionality_marks: 10
tests:
  files: [test_a1.py]
"""
TESTS = '''\
import pytest
import unittest
from a1 import add, mul
from gradescope_utils.autograder_utils.decorators import weight, visibility

@pytest.mark.parametrize("x, y", [(1, 2), (3, 4)])
def test_add(x, y):
    """Adds two numbers."""
    assert add(x, y) == x + y

@pytest.mark.parametrize("x", sorted(names()))
def test_computed(x):
    assert mul(x, 1) == x

@pytest.mark.skip
def test_left_out():
    pass

class TestMul:
    def test_zero(self):
        assert mul(0, 1) == 0

class Base(unittest.TestCase):
    @weight(2)
    def test_base(self):
        self.assertEqual(add(1, 1), 2)

class More(Base):
    @visibility("hidden")
    @weight(0.5)
    def test_more(self):
        self.assertEqual(mul(1, 1), 1)

def helper():
    pass
'''
PROGRAM = "def add(x, y):\n    return x + y\ndef mul(x, y):\n    return x * y\n"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for folder in ("specs/t", "reference/t"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "specs/t/assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "specs/t/test_a1.py").write_text(TESTS)
    (tmp_path / "reference/t/a1.py").write_text(PROGRAM)
    return tmp_path


def plan_of(course: Path, more: str = "") -> Plan:
    (course / "specs/t/assignment.yaml").write_text(ASSIGNMENT + more)
    return load(course, "t").plan


def errors_of(course: Path, more: str) -> str:
    with pytest.raises(SpecErrors) as found:
        plan_of(course, more)
    return str(found.value)


def test_each_test_and_each_set_of_parameters_is_a_scenario(course: Path) -> None:
    scenarios = {each.id: each for each in plan_of(course).scenarios}
    assert list(scenarios) == [
        "test_a1/test-add[1]",
        "test_a1/test-add[2]",
        "test_a1/test-computed",
        "test_a1/testmul-test-zero",
        "test_a1/base-test-base",
        "test_a1/more-test-more",
        "test_a1/more-test-base",
    ]
    first = scenarios["test_a1/test-add[1]"]
    assert first.name == "test_add [1]"
    assert first.description == "Adds two numbers."
    assert first.function == "add"
    assert first.stimuli[0].action == CourseTest(file="test_a1.py", test="test_add", index=0)
    assert first.place.line == 7
    assert scenarios["test_a1/testmul-test-zero"].function == "mul"


@pytest.mark.parametrize("visible", ["false", "hint", "true"])
def test_only_the_name_of_a_visible_test_has_its_parameters(course: Path, visible: str) -> None:
    names = [each.name for each in plan_of(course, f"  visible: {visible}\n").scenarios]
    assert names[0] == ("test_add [1, 2]" if visible == "true" else "test_add [1]")


def test_decorators_are_read_by_name(course: Path) -> None:
    scenarios = {each.id: each for each in plan_of(course, "  visible: true\n").scenarios}
    assert scenarios["test_a1/base-test-base"].points == 2
    assert scenarios["test_a1/base-test-base"].visibility is Visibility.VISIBLE
    assert scenarios["test_a1/more-test-more"].points == Fraction(1, 2)
    assert scenarios["test_a1/more-test-more"].visibility is Visibility.HIDDEN


def test_the_last_selection_that_fits_wins(course: Path) -> None:
    select = """\
  select:
    - {match: "test_*", points: 3, visible: hint, hint: Look at the sheet.}
    - {match: "test_add*", points: 4, function: mul}
"""
    scenarios = {each.id: each for each in plan_of(course, select).scenarios}
    add, computed = scenarios["test_a1/test-add[1]"], scenarios["test_a1/test-computed"]
    assert (add.points, add.function, add.hint) == (4, "mul", "Look at the sheet.")
    assert (computed.points, computed.shows_hint) == (3, True)
    assert scenarios["test_a1/testmul-test-zero"].points == 1


def test_a_selection_may_name_the_file(course: Path) -> None:
    plan = plan_of(course, "  select: [{match: 'test_a1.py::*', visible: true}]\n")
    assert {scenario.visibility for scenario in plan.scenarios} == {Visibility.VISIBLE}


def test_a_file_of_visible_tests_may_be_handed_out(course: Path) -> None:
    visible = "  select: [{match: '*', visible: true}]\n  hand_out: [test_a1.py]\n"
    assert plan_of(course, visible).assignment.handed_out_tests == ("test_a1.py",)


def test_a_scenario_that_names_a_test_takes_its_place(course: Path) -> None:
    own = "function: mul\nscenarios:\n- name: zero\n  test: test_a1.py::TestMul::test_zero\n"
    (course / "specs/t/mul.yaml").write_text(own)
    ids = [each.id for each in plan_of(course).scenarios]
    assert "mul/zero" in ids
    assert "test_a1/testmul-test-zero" not in ids


def test_the_files_stay_with_plans_that_have_tests(course: Path) -> None:
    plan = plan_of(course)
    assert [file.name for file in plan.assignment.test_files] == ["test_a1.py"]
    assert plan.subset(lambda scenario: False).assignment.test_files == ()


MISTAKES = {
    "  beside: [none.py]\n": "the file none.py is missing in specs/t",
    "  runner: nose\n": "runner",
    "  select: [{match: nothing*}]\n": "no test is called nothing*",
    "  select: [{match: test_add*, function: div}]\n": "no function div",
    "  points: 0\n": "points",
    "  hand_out: [test_a1.py]\n": "test_a1.py holds a test that is not visible: test_add [1]",
    "  visible: true\n  hand_out: [test_a1.py]\n": "is not visible: More.test_more",
    "  visible: true\n  leave_out: [More.test_more]\n  hand_out: [test_a1.py]\n": "is left out",
    "  hand_out: [test_b1.py]\n": "test_b1.py is not a file of the tests",
}


@pytest.mark.parametrize("more", MISTAKES)
def test_mistakes_are_noted_at_their_place(course: Path, more: str) -> None:
    found = errors_of(course, more)
    assert "specs/t/assignment.yaml:" in found
    assert MISTAKES[more] in found


def test_a_file_without_tests_or_that_is_not_python_is_a_mistake(course: Path) -> None:
    (course / "specs/t/test_a1.py").write_text("x = 1\n")
    assert "has no tests" in errors_of(course, "")
    (course / "specs/t/test_a1.py").write_text("def (\n")
    assert "is not Python" in errors_of(course, "")


def test_a_scenario_of_an_unknown_test_is_a_mistake(course: Path) -> None:
    own = "function: mul\nscenarios:\n- name: zero\n  test: test_a1.py::TestMul::test_one\n"
    (course / "specs/t/mul.yaml").write_text(own)
    assert "has no test TestMul::test_one" in errors_of(course, "")


FOUND = {
    ("t.py", "unittest"): ["TestX::test_a"],
    ("t.py", "pytest"): ["TestX::test_a", "test_b"],
    ("t.py", "doctest"): ["the docstring", "f"],
    ("t.txt", "doctest"): [""],
}
ALL_KINDS = b'''"""
>>> 1
1
"""
from unittest import TestCase
class TestX(TestCase):
    def test_a(self): pass
def test_b(): pass
def f():
    """
    >>> f()
    """
'''


@pytest.mark.parametrize("case", FOUND, ids=str)
def test_the_runner_decides_what_a_test_is(case: tuple[str, str]) -> None:
    assert [found.test for found in find_tests(case[0], ALL_KINDS, case[1])] == FOUND[case]


def test_several_decorators_of_parameters_multiply() -> None:
    text = b"""
@parametrize("x", [1, 2])
@parametrize("y", [3, 4])
def test_a(x, y): pass
"""
    found = find_tests("t.py", text, "pytest")
    assert [each.index for each in found] == [0, 1, 2, 3]


PARTS = """
import unittest
CASES = {"one": 1, "two": 2}
class TestX(unittest.TestCase):
    def test_parts(self):
        for name, value in CASES.items():
            with self.subTest(name=name):
                self.assertEqual(add(value, 0), value)
    def test_own_list(self):
        values = [1, 2, 3]
        for value in values:
            double = value * 2
            with self.subTest(value):
                self.assertEqual(mul(value, 2), double)
    def test_unknown(self):
        for value in values():
            with self.subTest(value):
                self.assertEqual(mul(value, 1), value)
    def test_two_loops(self):
        for value in (1, 2):
            with self.subTest(value):
                self.assertEqual(mul(value, 1), value)
        for value in (1, 2):
            with self.subTest(value):
                self.assertEqual(mul(1, value), value)
"""


def test_each_subtest_of_a_known_loop_is_a_scenario_with_its_share_of_the_points(
    course: Path,
) -> None:
    (course / "specs/t/test_a1.py").write_text(PARTS)
    scenarios = plan_of(course, "  points: 6\n  visible: true\n").scenarios
    assert [(scenario.name, scenario.points) for scenario in scenarios] == [
        ("TestX.test_parts ['one', 1]", 3),
        ("TestX.test_parts ['two', 2]", 3),
        ("TestX.test_own_list [1]", 2),
        ("TestX.test_own_list [2]", 2),
        ("TestX.test_own_list [3]", 2),
        ("TestX.test_unknown", 6),
        ("TestX.test_two_loops", 6),
    ]
    assert scenarios[1].id == "test_a1/testx-test-parts[2]"
    action = CourseTest(file="test_a1.py", test="TestX::test_parts", part=1)
    assert scenarios[1].stimuli[0].action == action


def test_parameters_of_a_class_and_of_its_methods_multiply() -> None:
    text = b"""
XS = [1, 2]
@parametrize("x", XS)
class TestA:
    @parametrize("y", (3, 4))
    def test_a(self, x, y): pass
    def test_b(self, x): pass
"""
    titles = [found.title for found in find_tests("t.py", text, "pytest")]
    assert titles == [
        "TestA.test_a [3, 1]",
        "TestA.test_a [3, 2]",
        "TestA.test_a [4, 1]",
        "TestA.test_a [4, 2]",
        "TestA.test_b [1]",
        "TestA.test_b [2]",
    ]


OF_A_CLASS = """\
import unittest
import pytest
from a1 import Shop, Unknown, total

@pytest.fixture
def shop():
    return Shop("Town")

@pytest.fixture
def full(shop):
    shop.add("tea")
    return shop

def test_size(full):
    assert len(full) == 1

def test_unknown(shop):
    with pytest.raises(Unknown):
        shop.find("tea")

def test_attribute():
    with pytest.raises(a1.Unknown):
        total([None])

class Case(unittest.TestCase):
    def setUp(self):
        self.shop = Shop("Town")

class TestEmpty(Case):
    def test_empty(self):
        self.assertEqual(len(self.shop), 0)
"""
SHOP = """\
class Unknown(Exception):
    pass
class Shop:
    def add(self, name):
        pass
def total(prices):
    return sum(prices)
"""


def test_a_test_is_about_what_its_fixtures_use_and_not_about_an_expected_exception(
    course: Path,
) -> None:
    (course / "specs/t/test_a1.py").write_text(OF_A_CLASS)
    (course / "reference/t/a1.py").write_text(SHOP)
    functions = {scenario.name: scenario.function for scenario in plan_of(course).scenarios}
    assert functions == {
        "test_size": "Shop",
        "test_unknown": "Shop",
        "test_attribute": "total",
        "TestEmpty.test_empty": "Shop",
    }


def test_tests_of_two_files_of_one_name_have_their_folders_in_their_ids(course: Path) -> None:
    (course / "specs/t/more cases").mkdir()
    (course / "specs/t/more cases/test_a1.py").write_text(TESTS)
    files = "files: [test_a1.py, more cases/test_a1.py]"
    text = ASSIGNMENT.replace("files: [test_a1.py]", files)
    assert files in text
    (course / "specs/t/assignment.yaml").write_text(text)
    found = [scenario.id for scenario in load(course, "t").plan.scenarios]
    assert len(found) == 14
    assert found[0] == "test_a1/test-add[1]"
    assert found[7] == "more-cases-test_a1/test-add[1]"
