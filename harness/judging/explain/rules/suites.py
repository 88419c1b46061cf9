"""Rules about tests that a student submitted."""

from harness.common.escaping import plain, quoted
from harness.common.words import counted
from harness.judging.compare.mismatch import SuiteMismatch
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import SUITE, Stage, rule_about
from harness.model.observation import CourseTestResult, SuiteTest
from harness.stimuli.suite import SuiteQuestion

_MAX_MESSAGE = 300  # characters
_MAX_NAMES = 5
_OF_FAULTS = (SuiteQuestion.NOTICES, SuiteQuestion.HELPS)
_OF_GOOD_TESTS = (*_OF_FAULTS, SuiteQuestion.COVERS)


@rule_about(Stage.KNOWN_MISTAKE, 410, "hands in no test that can be run", SUITE)
def no_tests(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    outcome = mismatch.actual
    if mismatch.question in _OF_FAULTS:
        return None
    if outcome.not_loaded:
        return f"No test in this file can be run. {plain(outcome.not_loaded, limit=_MAX_MESSAGE)}"
    if outcome.tests:
        return None
    return "The file has no tests: a test is a function or a method whose name begins with test_."


@rule_about(Stage.KNOWN_MISTAKE, 420, "hands in tests that fail on a correct program", SUITE)
def false_alarm(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    failed = mismatch.actual.failed
    if mismatch.question in _OF_GOOD_TESTS or not failed:
        return None
    against = "the course's own program"
    if mismatch.question is SuiteQuestion.ACCEPTS_OWN:
        against = "your own program"
    first = failed[0]
    text = f"{plain(first.name)} {_how(first)} on {against}{_reason(first)}.{_breaks(first)}"
    others = len(failed) - 1
    if others:
        text += f" So {_do(others)} {counted(others, 'other test')}: {_names(failed[1:])}."
    return text


@rule_about(Stage.KNOWN_MISTAKE, 430, "hands in tests that differ from run to run", SUITE)
def unsteady_tests(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    names = mismatch.actual.unsteady
    if not names:
        return None
    listed = ", ".join(plain(name) for name in names[:_MAX_NAMES])
    return (
        f"{listed}: the same program passed once and failed once. Such a test notices nothing: "
        "it may use chance or the time, or need another test to run before it. If many tests are "
        "like that, no test counts."
    )


@rule_about(Stage.DIFFERENCE, 410, "hands in tests that notice no fault here", SUITE)
def fault_not_noticed(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    if mismatch.question is not SuiteQuestion.NOTICES:
        return None
    wrong = "is wrong here"
    if mismatch.breaks:
        wrong = f"breaks §{plain(mismatch.breaks, limit=40)}"
    return (
        f"Your tests do not notice a program that {wrong}: every test that accepts a correct "
        "program passes on it too."
    )


@rule_about(Stage.DIFFERENCE, 420, "hands in some tests that notice nothing", SUITE)
def useless_tests(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    if mismatch.question is not SuiteQuestion.HELPS:
        return None
    outcome = mismatch.actual
    if not outcome.tests:
        return "No test passes on a correct program, so none can notice a fault."
    if not outcome.useless:
        return None
    names = [plain(name, limit=80) for name in outcome.useless[:_MAX_NAMES]]
    if len(outcome.useless) > _MAX_NAMES:
        names.append("…")
    count = len(outcome.useless)
    verb = "fails" if count == 1 else "fail"
    text = f"{counted(count, 'test')} of yours {verb} on no wrong program: {', '.join(names)}."
    return f"{text} {_alike(outcome.alike)}".strip()


@rule_about(Stage.DIFFERENCE, 422, "hands in tests that notice the same faults", SUITE)
def alike_tests(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    alike = mismatch.actual.alike
    if mismatch.question is not SuiteQuestion.HELPS or not alike:
        return None
    return _alike(alike)


@rule_about(Stage.DIFFERENCE, 425, "hands in tests that run too little of a program", SUITE)
def runs_too_little(failure: Failure, mismatch: SuiteMismatch) -> str | None:
    ran = mismatch.actual.coverage
    if mismatch.question is not SuiteQuestion.COVERS or not mismatch.actual.notices_a_fault:
        return None
    if ran is None:
        return "No test passes on a correct program, so none of them counts."
    shares: list[str] = []
    if mismatch.statements:
        shares.append(f"{ran.percent} % of the statements ({mismatch.statements} % are asked for)")
    if mismatch.branches:
        share = f"{ran.percent_of_branches} % of the branches"
        shares.append(f"{share} ({mismatch.branches} % are asked for)")
    text = f"Your tests run {' and '.join(shares)} of a correct program."
    names = [plain(name, limit=80) for name in ran.untouched[:_MAX_NAMES]]
    if names:
        text += f" They never use {', '.join(names)}."
    return text


@rule_about(Stage.DIFFERENCE, 430, "hands in tests that notice nothing", SUITE)
def nothing_tested(failure: Failure, mismatch: SuiteMismatch) -> str:
    if not any(test.has_passed for test in mismatch.actual.tests):
        return "No test passed: all of them are skipped."
    return (
        "The tests notice no fault at all: they pass on every wrong program too. A test needs an "
        "assert that compares a result with the assignment sheet."
    )


def _alike(groups: tuple[tuple[str, ...], ...]) -> str:
    """Return a sentence about tests that notice exactly the same faults; "" if there are none."""
    sentences: list[str] = []
    for group in groups[:_MAX_NAMES]:
        names = [plain(name, limit=80) for name in group[:_MAX_NAMES]]
        if len(group) > _MAX_NAMES:
            names.append("…")
        sentences.append(f"These notice the same faults: {', '.join(names)}.")
    return " ".join(sentences)


def _how(test: SuiteTest) -> str:
    if test.outcome.result is CourseTestResult.NOT_ENDED:
        return "does not finish"
    return "fails"


def _breaks(test: SuiteTest) -> str:
    """Return a sentence with the sheet's clauses that a test contradicts: it passes for programs
    that violate them.
    """
    if not test.breaks:
        return ""
    clauses = ", ".join(f"§{plain(clause, limit=40)}" for clause in test.breaks)
    passes = f" This test passes on a program that breaks {clauses}."
    return f"{passes} Read {clauses} of the sheet again."


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def _reason(test: SuiteTest) -> str:
    outcome = test.outcome
    where = f" at line {outcome.line}, {quoted(outcome.source)}" if outcome.source else ""
    called = f", after {plain(outcome.calls[-1], limit=120)}" if outcome.calls else ""
    said = plain(" ".join(outcome.message.split()), limit=_MAX_MESSAGE)
    if outcome.type_name and outcome.type_name != "AssertionError":
        said = f"{plain(outcome.type_name, limit=60)}: {said}"
    return f"{where}{called}: {said}" if said else f"{where}{called}"


def _names(tests: tuple[SuiteTest, ...]) -> str:
    names = [plain(test.name, limit=80) for test in tests[:_MAX_NAMES]]
    if len(tests) > _MAX_NAMES:
        names.append("…")
    return ", ".join(names)
