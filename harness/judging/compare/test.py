"""Compares the result of one of the course's pytest tests."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import Assistance, CourseTestMismatch
from harness.model.expectation import Expectation
from harness.model.observation import CourseTestOutcome, CourseTestResult, Observation

_SAYS_NOTHING = CourseTestOutcome(result=CourseTestResult.NOT_ENDED)


def test_mismatch(
    observation: Observation, expectation: Expectation
) -> Iterator[CourseTestMismatch]:
    """Yield the test's result, unless it passed by itself.

    A skipped test is accepted if the reference skips it too: then something that it needs is
    missing on this machine.
    """
    test = observation.test or _SAYS_NOTHING
    reference = expectation.reference
    of_reference = reference.test if reference is not None else None
    allowed = {CourseTestResult.PASSED}
    if of_reference is not None and of_reference.result is CourseTestResult.SKIPPED:
        allowed.add(CourseTestResult.SKIPPED)
    if test.result not in allowed:
        yield CourseTestMismatch(actual=test)
    elif of_reference is not None and of_reference.result is CourseTestResult.PASSED:
        assistance = _assistance(test, of_reference)
        if assistance is not None:
            yield CourseTestMismatch(actual=test, assistance=assistance)


def _assistance(test: CourseTestOutcome, of_reference: CourseTestOutcome) -> Assistance | None:
    """Return how the program, unlike the reference, made the test pass; None if it did not."""
    if not set(test.given_values) <= set(of_reference.given_values):
        return Assistance.COMPARING
    if test.ignored is not None and of_reference.ignored is None:
        return Assistance.IGNORING
    return None


test_mismatch.__test__ = False  # type: ignore[attr-defined]  # not a test of ours
