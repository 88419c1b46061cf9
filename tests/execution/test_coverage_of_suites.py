"""How much of the course's program the tests of a student run."""

import sys
from dataclasses import replace

import pytest

from harness.execution import Driver
from harness.execution.inside.scenario.process import LineTracer
from harness.execution.testing.covered import coverage_of
from harness.execution.testing.documented import documented_tests
from harness.judging.compare.suite import covers_enough
from harness.model.assignment import SourceFile, TestedProgram, TestWriting
from harness.model.observation import SuiteCoverage, SuiteOutcome
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from tests import plans

PROGRAM = '''\
"""A program."""
LIMIT = 3


def sign(x):
    """Return the sign."""
    if x < 0:
        return -1
    elif x == 0:
        return 0
    return 1


def total(xs):
    found = 0
    for x in xs:
        found += x
    return found


class Box:
    size: int

    def put(self, thing):
        while True:
            if thing: return thing
            thing = 1


if __name__ == "__main__":
    print(sign(1))
'''
FILE = SourceFile(name="a1.py", data=PROGRAM.encode())


def ran(*calls: str) -> SuiteCoverage:
    """Return what runs of the program if it is loaded and these calls are made."""
    trace: list[str] = []
    space: dict[str, object] = {"__name__": "a1"}
    tracer = LineTracer({"a1.py"}, lambda text: trace.append(text.strip('"')), is_whole=True)
    before = sys.gettrace()
    sys.settrace(tracer.enter)
    try:
        exec(compile(PROGRAM, "a1.py", "exec"), space)
        for call in calls:
            eval(call, space)
    finally:
        sys.settrace(before)
    return coverage_of([FILE], trace)


def test_loading_runs_definitions_only() -> None:
    seen = ran()
    assert (seen.statements, seen.statements_run) == (18, 5)
    assert (seen.branches, seen.branches_taken) == (6, 0)
    assert seen.untouched == ("sign", "total", "Box.put")


BRANCHES = {
    ("sign(-1)",): 1,
    ("sign(0)",): 2,
    ("sign(5)",): 2,
    ("sign(-1)", "sign(0)", "sign(1)"): 4,
    ("total([])",): 1,
    ("total([1])",): 2,
    ("Box().put(0)",): 0,
}


@pytest.mark.parametrize("calls", BRANCHES)
def test_a_branch_is_taken_with_its_body_or_past_it(calls: tuple[str, ...]) -> None:
    assert ran(*calls).branches_taken == BRANCHES[calls]


def test_all_calls_run_everything() -> None:
    seen = ran("sign(-1)", "sign(0)", "sign(1)", "total([1])", "Box().put(0)")
    assert (seen.percent, seen.percent_of_branches, seen.untouched) == (100, 100, ())


@pytest.mark.parametrize(
    ("statements", "branches", "is_enough"), [(50, 0, True), (51, 0, False), (50, 100, True)]
)
def test_shares_are_compared_with_those_asked_for(
    statements: int, branches: int, is_enough: bool
) -> None:
    half = SuiteCoverage(statements=4, statements_run=2, branches=0, branches_taken=0)
    action = SuiteRun(
        question=SuiteQuestion.COVERS, files=(), statements=statements, branches=branches
    )
    assert covers_enough(action, SuiteOutcome(coverage=half)) is is_enough
    assert not covers_enough(action, SuiteOutcome())


OWN = b'''
def sign(x):
    """
    >>> sign(-4)
    -1
    >>> sign(2)
    2
    """

def helper(x):
    """
    >>> helper(1)
    1
    """

class Box:
    def put(self, thing):
        """
        >>> Box().put(3)
        3
        """
'''


def test_examples_of_names_that_the_course_has_are_tests() -> None:
    own = SourceFile(name="a1.py", data=OWN)
    [(name, data)] = documented_tests([own], ("sign", "Box"))
    assert name == "doctests_of_a1.py"
    assert b"test_sign()" in data
    assert b"test_Box_put()" in data
    assert b"helper" not in data
    assert not list(documented_tests([SourceFile(name="a1.py", data=b"def (")], ("sign",)))


WRONG_ZERO = PROGRAM.replace("return 0\n", "return 1\n", 1)
TESTS = b"""
from a1 import sign
def test_sign():
    assert sign(0) == 0
def test_wrong():
    assert sign(0) == 1
"""
ASSIGNMENT = plans.assignment(
    submission_files=("test_a1.py", "a1.py"),
    writes_files=True,
    test_writing=TestWriting(
        files=("test_a1.py",),
        program_files=("a1.py",),
        public_names=("Box", "LIMIT", "sign", "total"),
        programs=(
            TestedProgram(name="the reference", files=(FILE,)),
            TestedProgram(
                name="fault",
                files=(SourceFile(name="a1.py", data=WRONG_ZERO.encode()),),
                clause="1.2",
            ),
        ),
        documented_files=("a1.py",),
    ),
)


@pytest.mark.process
def test_a_suite_with_docstrings_covers_and_contradicts(one_driver: Driver) -> None:
    files = (SourceFile(name="test_a1.py", data=TESTS), SourceFile(name="a1.py", data=OWN))
    action = SuiteRun(question=SuiteQuestion.COVERS, files=("test_a1.py",), against="the reference")
    with one_driver.submission(ASSIGNMENT, files) as submission:
        covers = submission.observe(Stimulus(action=action, folder=True), Limits()).suite
        asked = replace(action, question=SuiteQuestion.ACCEPTS)
        accepts = submission.observe(Stimulus(action=asked, folder=True), Limits()).suite
    assert covers is not None
    assert covers.coverage is not None
    # Of sign(0) and of Box().put(3); the other tests fail on the reference.
    assert (covers.coverage.statements_run, covers.coverage.branches_taken) == (11, 2)
    assert covers.coverage.untouched == ("total",)
    assert accepts is not None
    failed = {test.name: test for test in accepts.failed}
    assert failed.keys() == {"test_a1.py::test_wrong", "doctests_of_a1.py::test_sign"}
    assert failed["test_a1.py::test_wrong"].breaks == ("1.2",)
    documented = failed["doctests_of_a1.py::test_sign"]
    assert documented.breaks == ()
    assert documented.outcome.message == "sign(2) gives 1, and 2 is stated"
