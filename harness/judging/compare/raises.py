"""Compares the exception that the tested call or program raised."""

from collections.abc import Iterator

from harness.judging.compare.mismatch import RaiseMismatch
from harness.model.expectation import Expectation, StatedRaise
from harness.model.observation import Observation, Phase, Raised
from harness.model.stimulus import Form, Stimulus
from harness.model.values import Value, ValueKind


def raise_mismatch(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[RaiseMismatch]:
    """Yield the exception if a different one, or none, was expected; or the missing exception."""
    expected = _expected_raise(expectation, stimulus)
    raised = _raised(observation, stimulus)
    if raised is not None and observation.phase is not Phase.STIMULUS:
        yield RaiseMismatch(expected=expected, actual=raised, phase=observation.phase)
        return
    is_known = expectation.reference is not None or expectation.stated.raises is not None
    if not raise_agrees(expected, raised) and (is_known or raised is not None):
        yield RaiseMismatch(expected=expected, actual=raised, phase=observation.phase)


def unexpected_raise(observation: Observation) -> RaiseMismatch:
    """Return the mismatch for an exception raised before the tested call.

    Such an exception is never expected.
    """
    return RaiseMismatch(expected=None, actual=observation.raised, phase=observation.phase)


def is_explained_by_exception(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> bool:
    """Return whether a wrong exception already explains the wrong exit status."""
    raised = _raised(observation, stimulus)
    if raised is None:
        return False
    return not raise_agrees(_expected_raise(expectation, stimulus), raised)


def _raised(observation: Observation, stimulus: Stimulus) -> Raised | None:
    """Return the observed exception.

    A program's `sys.exit()` does not count, because `exit` compares its status.
    """
    raised = observation.raised
    is_program = stimulus.action.form is Form.PROGRAM
    if is_program and raised is not None and raised.type_name == "SystemExit":
        return None
    return raised


def _expected_raise(expectation: Expectation, stimulus: Stimulus) -> StatedRaise | None:
    if expectation.stated.raises is not None:
        return expectation.stated.raises
    if expectation.reference is None:
        return None
    raised = _raised(expectation.reference, stimulus)
    if raised is None:
        return None
    return StatedRaise(type_name=raised.type_name)


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Return whether the raised exception is the expected one."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if not expected.allows(actual.type_name) or not has_base(expected, actual):
        return False
    if expected.message is None:
        return True
    message = Value(ValueKind.STR, actual.message)
    return expected.message.accepts(message)


def has_base(expected: StatedRaise, actual: Raised) -> bool:
    """Return whether the exception's class is the expected base class or derives from it."""
    return not expected.is_a or expected.is_a in (actual.type_name, *actual.bases)
