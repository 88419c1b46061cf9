"""Compares a program's exit status."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import ExitMismatch
from harness.judging.compare.raises import is_explained_by_exception
from harness.model.expectation import Expectation
from harness.model.observation import Observation
from harness.model.stimulus import Stimulus


def exit_mismatch(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[ExitMismatch]:
    """Yield the exit status if it is wrong and no wrong exception explains it."""
    if expectation.stated.exit_any:
        return
    expected = expectation.stated.exit
    if expected is None and expectation.reference:
        expected = expectation.reference.exit_status
    if expected is None or observation.exit_status == expected:
        return
    if not is_explained_by_exception(observation, expectation, stimulus):
        yield ExitMismatch(expected=expected, actual=observation.exit_status)
