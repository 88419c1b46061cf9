"""Compares how the process ended, and whether it got as far as the tested call."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import EndingMismatch
from harness.model.expectation import Expectation
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Form, Stimulus

# Endings after which the printed text is complete, so that it can be compared.
COMPLETE = frozenset({Ending.ANSWERED, Ending.ASKED_FOR_MORE, Ending.ENDED_EARLY})

# Endings that are never an answer.
_NEVER = frozenset({Ending.TAMPERED, Ending.STOPPED_EARLY, Ending.NOT_RUN, Ending.HARNESS_ERROR})


def expected_ending(expectation: Expectation) -> Ending:
    """Return how the process should end; a failure of the harness itself is never expected."""
    if expectation.stated.ends is not None:
        return expectation.stated.ends
    reference = expectation.reference
    if reference is None or reference.ending is Ending.HARNESS_ERROR:
        return Ending.ANSWERED
    return reference.ending


def ending_mismatch(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[EndingMismatch]:
    """Yield the ending if the process ended in an unexpected way or too early."""
    expected, actual = expected_ending(expectation), observation.ending
    is_wrong = actual is not expected or actual in _NEVER
    if expectation.stated.ends_any and actual in COMPLETE:
        is_wrong = is_before_stimulus(observation, stimulus)
    if is_wrong or _is_early(observation, expectation, stimulus):
        yield EndingMismatch(expected=expected, actual=actual)


def has_outcome(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> bool:
    """Return whether the call or program ran and its output is complete, so that it can be
    compared.
    """
    if observation.ending not in COMPLETE or at_import(observation, stimulus):
        return False
    return not _is_early(observation, expectation, stimulus)


def is_before_stimulus(observation: Observation, stimulus: Stimulus) -> bool:
    """Return whether the process ended while something other than the tested call or
    program ran.
    """
    if observation.ending is Ending.ANSWERED or stimulus.action.form is Form.PROGRAM:
        return False
    return observation.phase is not Phase.STIMULUS


def _is_early(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> bool:
    """Return whether the process ended before the tested call, at a point that the reference
    passed.
    """
    if expected_ending(expectation) is Ending.ANSWERED:
        return False
    if stimulus.action.form is Form.PROGRAM:
        return False
    phases = {Phase.STIMULUS}
    if expectation.reference is not None:
        phases.add(expectation.reference.phase)
    return observation.phase not in phases


def at_import(observation: Observation, stimulus: Stimulus) -> bool:
    """Return whether the process ended while the submission's own module was loading."""
    is_loading = observation.phase is Phase.LOADING
    return is_loading and stimulus.action.form is not Form.PROGRAM
