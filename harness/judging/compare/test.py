"""Compares the result of one of the course's pytest tests."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import CourseTestMismatch
from harness.model.expectation import Expectation
from harness.model.observation import CourseTestOutcome, CourseTestResult, Observation

_SAYS_NOTHING = CourseTestOutcome(result=CourseTestResult.NOT_ENDED)


def test_mismatch(
    observation: Observation, expectation: Expectation
) -> Iterator[CourseTestMismatch]:
    """Yield the test's result, unless it passed.

    A skipped test is accepted if the reference skips it too: then something that it needs is
    missing on this machine.
    """
    test = observation.test or _SAYS_NOTHING
    allowed = {CourseTestResult.PASSED}
    reference = expectation.reference
    of_reference = reference.test if reference is not None else None
    if of_reference is not None and of_reference.result is CourseTestResult.SKIPPED:
        allowed.add(CourseTestResult.SKIPPED)
    if test.result not in allowed:
        yield CourseTestMismatch(actual=test)


test_mismatch.__test__ = False  # type: ignore[attr-defined]  # not a test of ours
