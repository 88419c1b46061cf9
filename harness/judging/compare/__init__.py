"""Compares an observation with its expectation; each channel (result, printed text, files …) has
its own module.

If the scenario states a value or matcher for a channel, that is compared instead of the reference's
observation. Without a reference, only stated channels are compared. Output printed while the
submission loads is ignored.
"""

from collections.abc import Iterator
from dataclasses import replace

from harness.judging.compare.ending import ending_mismatch, has_outcome
from harness.judging.compare.exit import exit_mismatch
from harness.judging.compare.figures import figure_mismatches
from harness.judging.compare.files import written_mismatches
from harness.judging.compare.mismatch import Mismatch, narrowed
from harness.judging.compare.raises import raise_mismatch, unexpected_raise
from harness.judging.compare.reads import reads_mismatch
from harness.judging.compare.session import step_mismatches
from harness.judging.compare.suite import suite_mismatch
from harness.judging.compare.test import test_mismatch
from harness.judging.compare.text import stderr_mismatch, text_mismatches
from harness.judging.compare.value import value_mismatches
from harness.model.expectation import Expectation
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Form, Stimulus


def mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> tuple[Mismatch, ...]:
    """Return all differences, the most important first; an empty tuple if there are none.

    The order is: how the process ended, exception, result and changed objects, output, written
    files, figures, number of inputs, exit status.
    """
    observation, expectation = without_prompts(observation, expectation)
    found: list[Mismatch] = list(ending_mismatch(observation, expectation, stimulus))
    if stimulus.action.form is Form.TEST:
        if not found:
            found += test_mismatch(observation, expectation)
        return tuple(found)
    if stimulus.action.form is Form.SUITE:
        if not found:
            found += suite_mismatch(observation, stimulus)
        return tuple(found)
    is_session = stimulus.action.form is Form.STEPS
    if not has_outcome(observation, expectation, stimulus):
        # Nothing else to compare. A wrong ending says enough; a program that ended as expected
        # must have raised an exception.
        if not found and observation.ending is Ending.ANSWERED:
            found.append(unexpected_raise(observation))
        return tuple(found)
    if is_session and observation.raised is not None:
        # It was raised before the first step. Otherwise a step without output would seem to pass.
        return (unexpected_raise(observation),)
    if is_session:
        found += step_mismatches(observation, expectation)
    else:
        found += _outcome(observation, expectation, stimulus)
        found += text_mismatches(observation, expectation)
        found += stderr_mismatch(observation, expectation.stated)
    found += written_mismatches(observation, expectation, stimulus)
    if observation.ending is Ending.ANSWERED:
        found += figure_mismatches(observation, expectation)
    if observation.ending is Ending.ANSWERED:
        # For a session, the inputs of each step were compared above.
        if not is_session or expectation.stated.reads is not None:
            found += reads_mismatch(observation, expectation)
        found += exit_mismatch(observation, expectation, stimulus)
    return tuple(narrowed(mismatch, expectation.stated.rules) for mismatch in found)


def without_prompts(
    observation: Observation, expectation: Expectation
) -> tuple[Observation, Expectation]:
    """Return both without the prompts of `input` calls if the scenario ignores these; otherwise
    unchanged.
    """
    if not expectation.stated.prompts_any:
        return observation, expectation
    if expectation.reference is not None:
        reference = expectation.reference.without_prompts()
        expectation = replace(expectation, reference=reference)
    return observation.without_prompts(), expectation


def _outcome(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[Mismatch]:
    """Yield a wrong exception. Only if there is none, yield the values that differ."""
    if observation.ending is not Ending.ANSWERED:
        return
    raised = list(raise_mismatch(observation, expectation, stimulus))
    if raised:
        yield from raised
    else:
        yield from value_mismatches(observation, expectation)
