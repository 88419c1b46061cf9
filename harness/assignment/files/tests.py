"""Reads `tests:` in assignment.yaml: the course's existing tests, which run unchanged."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WrapValidator

from harness.assignment.scenarios.shape import strictly
from harness.assignment.shapes import LimitsShape, OneOrMore, Points, Shape, Words, wrong
from harness.assignment.test_files import DOCTEST_ENDINGS

Visible = Annotated[
    Literal[True, False, "hint", "after_due_date", "after_published"], WrapValidator(strictly)
]


def _below(name: str) -> str:
    parts = name.split("/")
    is_below = all(part not in ("", ".", "..") for part in parts)
    if not is_below or "\\" in name or len(parts) > _MAX_FOLDERS:
        what = f"expected a file of this folder, like test/words.txt, got {name}"
        raise wrong(what, instead="none.txt")
    return name


def _test_file(name: str) -> str:
    stem, _, _ = name.rpartition(".")
    if not stem or not name.endswith((".py", *DOCTEST_ENDINGS)):
        what = f"expected the name of a test file in this folder, like test_a1.py, got {name}"
        raise wrong(what, instead="test_none.py")
    return _below(name)


_MAX_FOLDERS = 4
_Below = Annotated[list[Annotated[str, AfterValidator(_below)]], OneOrMore()]
_Files = Annotated[
    list[Annotated[str, AfterValidator(_test_file)]], OneOrMore(), Field(min_length=1)
]


class SelectShape(Shape):
    """Settings for some of the tests."""

    match: str = Field(examples=["test_add*"])
    """Names of tests, like test_add or TestAccount.test_empty; * stands for anything."""
    function: str = ""
    """The function to which their points belong (left out: the one that they use)."""
    points: Points = Fraction(1)
    """Points of each."""
    visible: Visible = False
    """What students see: true, false, hint (hint if it fails), after_due_date, after_published."""
    clause: Words = []
    """The clause or clauses of the sheet that they test."""
    hint: str = ""
    """Shown to students if it fails."""
    description: str = ""
    """The purpose of the test, in a sentence or two for students."""
    informational: bool = False
    """Shown as a difference that costs no marks."""
    extra_credit: bool = False
    """Extra points, above the total."""
    limits: LimitsShape = LimitsShape()
    """Limits that differ from those of the other tests."""


class CourseTestsShape(Shape):
    """The course's existing tests. Each is a scenario and runs in a process beside the
    program's."""

    files: _Files
    """Files of this folder, or of folders in it: test files in Python, or texts with doctests."""
    beside: _Below = []
    """Files that the tests import or read, like conftest.py or expected.txt. No program sees
    them."""
    data: _Below = []
    """Files that the program reads. They are put into the folder in which it runs."""
    hand_out: _Below = []
    """Files under files and beside that students get. All tests in them must be visible: true."""
    runner: Literal["pytest", "unittest", "doctest"] = "pytest"
    """How to find tests: like pytest (TestCase classes, too), only TestCase classes, or examples in
    docstrings."""
    points: Points = Field(default=Fraction(1), json_schema_extra={"default": 1})
    """Points of each test without a decorator that states them (points, weight)."""
    marks: Points = Fraction()
    """The marks of all tests together, out of functionality_marks."""
    visible: Visible = False
    """What students see of each: true, false, hint, after_due_date, after_published."""
    clause: Words = []
    """The clause or clauses of the sheet that they test."""
    hint: str = ""
    """Shown to students if one fails."""
    limits: LimitsShape = LimitsShape()
    """Limits of the program in each test that differ from the assignment's."""
    select: list[SelectShape] = []
    """Settings for some of the tests; a later entry wins."""
    leave_out: Words = []
    """Names of tests to leave out; * stands for anything."""


def test_file_names(tests: CourseTestsShape | None) -> tuple[str, ...]:
    """Return the names of all files that the tests need."""
    return () if tests is None else tuple(dict.fromkeys((*tests.files, *tests.beside)))


def data_file_names(tests: CourseTestsShape | None) -> tuple[str, ...]:
    """Return the names of the files that programs read in tests."""
    return () if tests is None else tuple(dict.fromkeys(tests.data))


def handed_out_names(tests: CourseTestsShape | None) -> tuple[str, ...]:
    """Return the names of the files that students get."""
    return () if tests is None else tuple(dict.fromkeys(tests.hand_out))
