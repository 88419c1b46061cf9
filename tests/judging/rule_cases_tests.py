"""Tests of the course's: what each rule fires on, says, and leaves alone."""

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
)
from harness.model.stimulus import Stimulus
from harness.stimuli.test import CourseTest
from tests.judging.judging_cases import Sentences, called, case

TEST = Stimulus(action=CourseTest(file="test_a1.py", test="test_add"))


def tested(result: CourseTestResult, message: str = "", **fields: Any) -> Observation:
    """A test that came out so."""
    outcome = CourseTestOutcome(result=result, message=message, **fields)
    return Observation(ending=Ending.ANSWERED, test=outcome)


def failing(observation: Observation) -> Failure:
    expectation = Expectation(stated=Expected(), reference=None)
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

FIRES: dict[str, Sentences] = {
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
        "The test was skipped, as it should not be: later.": failing(
            tested(CourseTestResult.SKIPPED, "later")
        ),
        "The test did not come to its end.": failing(tested(CourseTestResult.NOT_ENDED)),
    },
}
LEAVES_ALONE: dict[str, list[Failure]] = {
    "raised_in_test": [failing(ASSERTION)],
    "test_failed": [case(called(2), called(1))],
}
