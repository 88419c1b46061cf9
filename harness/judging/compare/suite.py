"""Compares the results of a student's tests with the question asked about them."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import SuiteMismatch
from harness.model.observation import Observation, SuiteOutcome
from harness.model.stimulus import Stimulus
from harness.stimuli.suite import SuiteQuestion, SuiteRun


def suite_mismatch(observation: Observation, stimulus: Stimulus) -> Iterator[SuiteMismatch]:
    """Yield the result of the student's tests, unless it answers the scenario's question
    with yes.
    """
    action = stimulus.action
    assert isinstance(action, SuiteRun)
    outcome = observation.suite or SuiteOutcome()
    is_right = says_yes(action.question, outcome)
    if action.question is SuiteQuestion.COVERS:
        is_right = is_right and covers_enough(action, outcome)
    if not is_right:
        yield SuiteMismatch(
            question=action.question,
            actual=outcome,
            statements=action.statements,
            branches=action.branches,
            breaks=action.breaks,
        )


def covers_enough(action: SuiteRun, outcome: SuiteOutcome) -> bool:
    """Return whether the tests run as much of the program as the scenario demands."""
    ran = outcome.coverage
    if ran is None:
        return False
    return ran.percent >= action.statements and ran.percent_of_branches >= action.branches


def says_yes(question: SuiteQuestion, outcome: SuiteOutcome) -> bool:
    """Return whether the tests answer the question with yes.

    An empty test file never does, nor do tests that find none of the faults.
    """
    if question is SuiteQuestion.NOTICES:
        return bool(outcome.tests)
    if question is SuiteQuestion.HELPS:
        return bool(outcome.tests) and not outcome.useless and not outcome.alike
    if outcome.not_loaded or not outcome.tests:
        return False
    if question in (SuiteQuestion.RUNS, SuiteQuestion.COVERS):
        return outcome.notices_a_fault
    if outcome.failed or outcome.unsteady:
        return False
    return outcome.notices_a_fault
