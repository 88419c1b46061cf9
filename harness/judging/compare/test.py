"""How a test of the course's came out."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import CourseTestMismatch
from harness.model.expectation import Expectation
from harness.model.observation import CourseTestOutcome, CourseTestResult, Observation

_SAYS_NOTHING = CourseTestOutcome(result=CourseTestResult.NOT_ENDED)


def test_mismatch(
    observation: Observation, expectation: Expectation
) -> Iterator[CourseTestMismatch]:
    """Yield how the test came out, unless it passed. One that the reference skips may be skipped:
    it asks for something that is not here."""
    test = observation.test or _SAYS_NOTHING
    allowed = {CourseTestResult.PASSED}
    reference = expectation.reference
    of_reference = reference.test if reference is not None else None
    if of_reference is not None and of_reference.result is CourseTestResult.SKIPPED:
        allowed.add(CourseTestResult.SKIPPED)
    if test.result not in allowed:
        yield CourseTestMismatch(actual=test)


test_mismatch.__test__ = False  # type: ignore[attr-defined]  # not a test of ours
