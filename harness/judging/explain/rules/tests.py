"""Rules about the course's pytest tests that a program fails."""

from harness.common.escaping import plain, quoted
from harness.judging.assertion import assertion_lines
from harness.judging.compare.mismatch import Assistance, CourseTestMismatch
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import TEST, Found, Stage, rule_about
from harness.model.observation import CourseTestOutcome, CourseTestResult, Ending, Raised

_LONGEST = 600  # maximum length of an assertion's message
# A test may use the program's results endlessly; only the writer of the folder is known.
_LIMITS_OF_TESTS = {
    Ending.CPU_LIMIT: "takes too long in its own code, or with endless results",
    Ending.OUTPUT_LIMIT: "writes too much into its folder; your program did not",
    Ending.CRASHED: "ends its own process",
}


def _stopped_test(failure: Failure) -> Ending | None:
    test = failure.observation.test
    return None if test is None else test.stopped_by


@rule_about(
    Stage.ENDING, 15, "a test does not finish, because of the test's own code", _stopped_test
)
def test_stopped(failure: Failure, limit: Ending) -> str:
    did = _LIMITS_OF_TESTS.get(limit, "does not finish")
    return f"The test itself {did}."


def _program_raised(failure: Failure) -> Raised | None:
    return None if failure.test is None else failure.observation.raised


@rule_about(Stage.KNOWN_MISTAKE, 400, "raises an exception in a test", _program_raised)
def raised_in_test(failure: Failure, raised: Raised) -> Found:
    message = f": {plain(raised.message)}" if raised.message else ""
    clause = f"raised {plain(raised.type_name, limit=60)}{message}"
    return failure.raised_at(raised, clause, who="the program")


def _in_a_line(message: str) -> str:
    """Return an assertion's message on one line, without the difference that pytest appends: the
    page shows that separately.
    """
    first, *others = assertion_lines(message) or [""]
    sources = [" ".join(line.split()).removeprefix("+ ") for line in others if " where " in line]
    return ", ".join([first, *sources])


def _compared_object(test: CourseTestOutcome) -> str:
    names = ", ".join(plain(name, limit=60) for name in test.given_values)
    return f"The test expects a plain value, and gets an object of the program's (used by {names})."


@rule_about(Stage.DIFFERENCE, 400, "does not pass a test", TEST)
def test_failed(failure: Failure, mismatch: CourseTestMismatch) -> str:
    test = mismatch.actual
    match mismatch.assistance:
        case Assistance.COMPARING:
            return _compared_object(test)
        case Assistance.IGNORING:
            said = plain(_in_a_line(test.ignored or ""), limit=_LONGEST)
            return f"The program hides that an assertion of the test fails: {said}."
    match test.result:
        case CourseTestResult.NOT_FOUND:
            return "The test could not be found with this program."
        case CourseTestResult.SKIPPED:
            return f"The test was skipped, but should run: {plain(test.message, limit=200)}."
        case CourseTestResult.NOT_ENDED:
            return "The test did not finish."
    where = f" at {quoted(test.source)}" if test.source else ""
    said = plain(_in_a_line(test.message), limit=_LONGEST)
    if test.type_name == "AssertionError":
        return f"The test fails{where}: {said or 'it does not hold'}."
    return f"The test fails{where}: {plain(test.type_name, limit=60)}: {said}."
