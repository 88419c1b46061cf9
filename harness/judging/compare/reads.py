"""Compares how many inputs the program read."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import ReadsMismatch
from harness.model.expectation import Expectation
from harness.model.observation import Observation


def reads_mismatch(observation: Observation, expectation: Expectation) -> Iterator[ReadsMismatch]:
    """Yield a mismatch if the number of inputs is not the stated one or, if none is stated, the
    reference's.
    """
    expected = expected_reads(expectation)
    most = expectation.stated.reads_at_most
    if most is not None and observation.reads > most:
        expected = most
    if expected is not None and observation.reads != expected:
        yield ReadsMismatch(expected=expected, actual=observation.reads)


def expected_reads(expectation: Expectation) -> int | None:
    """Return how many inputs should be read; None if that is unknown."""
    stated = expectation.stated
    if stated.reads is not None:
        return stated.reads
    if stated.reads_at_most is not None or stated.reads_any:
        return None
    if stated.turns is not None and stated.turns.all_turns:
        return max(0, len(stated.turns.turns) - 1)
    if expectation.reference is None:
        return None
    return expectation.reference.reads
