"""Tests of the course's, and those handed in: what each rule fires on, says, and leaves alone."""

from dataclasses import replace
from typing import Any

from harness.judging.compare import mismatches
from harness.judging.explain.failure import Failure
from harness.model.expectation import Expectation, Expected
from harness.model.observation import (
    CourseTestOutcome,
    CourseTestResult,
    Ending,
    Frame,
    Observation,
    Raised,
    SuiteCoverage,
    SuiteOutcome,
    SuiteTest,
)
from harness.model.stimulus import Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun
from harness.stimuli.test import CourseTest
from tests.judging.judging_cases import Sentences, called, case

TEST = Stimulus(action=CourseTest(file="test_a1.py", test="test_add"))


def tested(result: CourseTestResult, message: str = "", **fields: Any) -> Observation:
    """A test that came out so."""
    outcome = CourseTestOutcome(result=result, message=message, **fields)
    return Observation(ending=Ending.ANSWERED, test=outcome)


def failing(observation: Observation, reference: Observation | None = None) -> Failure:
    expectation = Expectation(stated=Expected(), reference=reference)
    found = mismatches(observation, expectation, TEST)
    assert found
    return Failure(observation, expectation, TEST, found)


ASSERTION = tested(
    CourseTestResult.FAILED,
    "assert -1 == 3\n +  where -1 = add(1, 2)\n  - 3\n  + -1",
    type_name="AssertionError",
    line=9,
    source="assert add(1, 2) == 3",
)
FRAME = Frame(file="a1.py", line=2, function="add", source="    return a - b")
OF_PROGRAM = replace(
    tested(CourseTestResult.FAILED, "'key'", type_name="KeyError"),
    raised=Raised(type_name="KeyError", message="'key'", frames=(FRAME,)),
)


def stopped(limit: Ending) -> Failure:
    """A test that reached a limit by itself."""
    seen = tested(CourseTestResult.NOT_ENDED, stopped_by=limit)
    return failing(replace(seen, ending=limit))


SUITES = {
    question: Stimulus(action=SuiteRun(question=question, files=("test_a1.py",), statements=80))
    for question in SuiteQuestion
}


def asked(question: SuiteQuestion, **fields: Any) -> Failure:
    """What tests that were handed in do not do."""
    observation = Observation(ending=Ending.ANSWERED, suite=SuiteOutcome(**fields))
    expectation = Expectation(stated=Expected(), reference=None)
    found = mismatches(observation, expectation, SUITES[question])
    assert found
    return Failure(observation, expectation, SUITES[question], found)


def with_clause(failure: Failure, clause: str) -> Failure:
    """The same about a program that breaks this clause."""
    action = failure.stimulus.action
    assert isinstance(action, SuiteRun)
    stimulus = replace(failure.stimulus, action=replace(action, breaks=clause))
    found = mismatches(failure.observation, failure.expectation, stimulus)
    return Failure(failure.observation, failure.expectation, stimulus, found)


def handed_in(name: str, result: CourseTestResult, **fields: Any) -> SuiteTest:
    """A test of a student's that came out so."""
    outcome = CourseTestOutcome(result=result, **fields)
    return SuiteTest(name=f"test_a1.py::{name}", outcome=outcome)


WRONG = handed_in(
    "test_add",
    CourseTestResult.FAILED,
    message="assert 3 == 4",
    type_name="AssertionError",
    line=5,
    source="assert add(1, 2) == 4",
    calls=("add(1, 2) returned 3",),
)
STUCK = handed_in("test_loop", CourseTestResult.NOT_ENDED)
PASSED = handed_in("test_one", CourseTestResult.PASSED)
SKIPPED = handed_in("test_two", CourseTestResult.SKIPPED)
ACCEPTS = SuiteQuestion.ACCEPTS
NOTHING_LOADED = asked(ACCEPTS, not_loaded="test_a1.py: SyntaxError: invalid syntax")
NOTHING_NOTICED = asked(SuiteQuestion.NOTICES)
BREAKS_A_CLAUSE = with_clause(NOTHING_NOTICED, "1.1")
USELESS = asked(SuiteQuestion.HELPS, tests=(PASSED,), useless=("test_a1.py::test_one",))
PAIR = (("test_a1.py::test_two", "test_a1.py::test_three"),)
ALIKE = asked(SuiteQuestion.HELPS, tests=(PASSED,), alike=PAIR)
BOTH = asked(SuiteQuestion.HELPS, tests=(PASSED,), useless=("test_a1.py::test_one",), alike=PAIR)
UNSTEADY = asked(ACCEPTS, tests=(PASSED,), unsteady=("test_a1.py::test_one",))

HALF = SuiteCoverage(
    statements=4, statements_run=2, branches=0, branches_taken=0, untouched=("Box.put",)
)
BREAKS = replace(WRONG, breaks=("1.1", "2"))

FIRES: dict[str, Sentences] = {
    "no_tests": {
        "No test in this file can be run. test_a1.py: SyntaxError: invalid syntax": NOTHING_LOADED,
        "The file has no tests: a test is a function or a method whose name begins "
        "with test_.": asked(SuiteQuestion.RUNS),
    },
    "false_alarm": {
        "test_a1.py::test_add fails on the course's own program at line 5, "
        '"assert add(1, 2) == 4", '
        "after add(1, 2) returned 3: assert 3 == 4.": asked(ACCEPTS, tests=(WRONG,)),
        "test_a1.py::test_add fails on the course's own program at line 5, "
        '"assert add(1, 2) == 4", after add(1, 2) returned 3: assert 3 == 4. '
        "This test passes on a program that breaks §1.1, §2. "
        "Read §1.1, §2 of the sheet again.": asked(ACCEPTS, tests=(BREAKS,)),
        "test_a1.py::test_loop does not finish on your own program. So does 1 other test: "
        "test_a1.py::test_loop.": asked(SuiteQuestion.ACCEPTS_OWN, tests=(STUCK, STUCK)),
    },
    "unsteady_tests": {
        "test_a1.py::test_one: the same program passed once and failed once. Such a test notices "
        "nothing: it may use chance or the time, or need another test to run before it. If many "
        "tests are like that, no test counts.": UNSTEADY,
    },
    "runs_too_little": {
        "Your tests run 50 % of the statements (80 % are asked for) of a correct program. They "
        "never use Box.put.": asked(SuiteQuestion.COVERS, coverage=HALF, notices_a_fault=True),
        "No test passes on a correct program, so none of them counts.": asked(
            SuiteQuestion.COVERS, notices_a_fault=True
        ),
    },
    "fault_not_noticed": {
        "Your tests do not notice a program that is wrong here: every test that accepts a "
        "correct "
        "program passes on it too.": NOTHING_NOTICED,
        "Your tests do not notice a program that breaks §1.1: every test that "
        "accepts a correct program passes on it too.": BREAKS_A_CLAUSE,
    },
    "useless_tests": {
        "1 test of yours fails on no wrong program: test_a1.py::test_one.": USELESS,
        "1 test of yours fails on no wrong program: test_a1.py::test_one. These notice the same "
        "faults: test_a1.py::test_two, test_a1.py::test_three.": BOTH,
        "No test passes on a correct program, so none can notice a fault.": asked(
            SuiteQuestion.HELPS
        ),
    },
    "alike_tests": {
        "These notice the same faults: test_a1.py::test_two, test_a1.py::test_three.": ALIKE,
    },
    "nothing_tested": {
        "No test passed: all of them are skipped.": asked(ACCEPTS, tests=(SKIPPED,)),
        "The tests notice no fault at all: they pass on every wrong program too. A test needs an "
        "assert that compares a result with the assignment sheet.": asked(ACCEPTS, tests=(PASSED,)),
    },
    "test_stopped": {
        "The test itself writes too much into its folder; your program did not.": stopped(
            Ending.OUTPUT_LIMIT
        ),
        "The test itself ends its own process.": stopped(Ending.CRASHED),
        "The test itself takes too long in its own code, or with endless results.": (
            stopped(Ending.CPU_LIMIT)
        ),
    },
    "raised_in_test": {
        "The program raised KeyError: 'key' (line 2: return a - b).": failing(OF_PROGRAM),
    },
    "test_failed": {
        'The test fails at "assert add(1, 2) == 3": assert -1 == 3, where -1 = add(1, 2).': failing(
            ASSERTION
        ),
        "The test fails: TypeError: no.": failing(
            tested(CourseTestResult.FAILED, "no", type_name="TypeError")
        ),
        "The test could not be found with this program.": failing(
            tested(CourseTestResult.NOT_FOUND)
        ),
        "The test was skipped, but should run: later.": failing(
            tested(CourseTestResult.SKIPPED, "later")
        ),
        "The test did not finish.": failing(tested(CourseTestResult.NOT_ENDED)),
        "The program hides that an assertion of the test fails: assert 0 == 141.": failing(
            tested(CourseTestResult.PASSED, ignored="assert 0 == 141"),
            tested(CourseTestResult.PASSED),
        ),
        (
            "The test expects a plain value, and gets an object of the program's "
            "(used by __lt__, count)."
        ): failing(
            tested(CourseTestResult.PASSED, given_values=("__lt__", "count")),
            tested(CourseTestResult.PASSED, given_values=("count",)),
        ),
    },
}
LEAVES_ALONE: dict[str, list[Failure]] = {
    "no_tests": [asked(ACCEPTS, tests=(WRONG,)), NOTHING_NOTICED],
    "false_alarm": [NOTHING_LOADED, NOTHING_NOTICED, asked(ACCEPTS, tests=(SKIPPED,))],
    "unsteady_tests": [NOTHING_NOTICED],
    "fault_not_noticed": [NOTHING_LOADED],
    "runs_too_little": [NOTHING_NOTICED, asked(SuiteQuestion.COVERS, coverage=HALF)],
    "useless_tests": [NOTHING_NOTICED, ALIKE],
    "alike_tests": [NOTHING_NOTICED, USELESS],
    "nothing_tested": [case(called(2), called(1))],
    "raised_in_test": [failing(ASSERTION)],
    "test_stopped": [failing(ASSERTION), failing(tested(CourseTestResult.NOT_ENDED))],
    "test_failed": [case(called(2), called(1))],
}
