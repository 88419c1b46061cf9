"""An observation against its expectation, channel by channel.

A stated matcher replaces the reference on its channel; what is not stated is taken from the
reference's own observation; without a reference only what is stated is compared. What was
printed while the submission loaded is not compared.
"""

from __future__ import annotations

from harness.judging.mismatches import (
    EndingMismatch,
    ExitMismatch,
    Mismatch,
    RaiseMismatch,
    ValueMismatch,
    narrowed,
    raise_agrees,
)
from harness.judging.sessions import step_mismatches, variable_mismatches
from harness.judging.texts import reads_mismatch, text_mismatches, written_mismatches
from harness.matchers import Exactly
from harness.model.expectation import Expectation, Matcher, StatedRaise
from harness.model.observation import Ending, Observation, Phase, Raised
from harness.model.stimulus import Call, Run, Session, Stimulus
from harness.model.verdict import Channel

# Endings after which the printed text is complete, so that it can be compared.
_COMPLETE = frozenset({Ending.ANSWERED, Ending.ASKED_FOR_MORE, Ending.ENDED_EARLY})

# Endings that are never an answer, whatever is expected.
_NEVER = frozenset({Ending.TAMPERED, Ending.STOPPED_EARLY, Ending.HARNESS_ERROR})


def mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> tuple[Mismatch, ...]:
    """Everything that differs; empty when the observation is as expected."""
    differing: list[Mismatch] = []
    ending = expected_ending(expectation)
    early = ending is not Ending.ANSWERED and _is_early(observation, expectation, stimulus)
    if observation.ending is not ending or observation.ending in _NEVER or early:
        differing.append(EndingMismatch(expected=ending, actual=observation.ending))
    if early or observation.ending not in _COMPLETE or at_import(observation, stimulus):
        if not differing and observation.ending is Ending.ANSWERED:
            at = observation.phase
            differing.append(RaiseMismatch(expected=None, actual=observation.raised, phase=at))
        return tuple(differing)
    if isinstance(stimulus.action, Session) and observation.raised is not None:
        # Before its first step: a quiet step would look as if it had been done.
        at = observation.phase
        return (RaiseMismatch(expected=None, actual=observation.raised, phase=at),)
    if isinstance(stimulus.action, Session):
        differing += step_mismatches(observation, expectation, stimulus.action)
    else:
        differing += _outcome(observation, expectation, stimulus)
        differing += text_mismatches(observation, expectation)
    differing += written_mismatches(observation, expectation, stimulus)
    if observation.ending is Ending.ANSWERED:
        if not isinstance(stimulus.action, Session) or expectation.stated.reads is not None:
            differing += reads_mismatch(observation, expectation)
        differing += _exit(observation, expectation, stimulus)
    return tuple(narrowed(mismatch, expectation.stated.ignore) for mismatch in differing)


def expected_ending(expectation: Expectation) -> Ending:
    """How the process should end; a failure of the harness itself is never expected."""
    if expectation.stated.ends is not None:
        return expectation.stated.ends
    reference = expectation.reference
    if reference is None or reference.ending is Ending.HARNESS_ERROR:
        return Ending.ANSWERED
    return reference.ending


def at_import(observation: Observation, stimulus: Stimulus) -> bool:
    """Whether it ended while the submission's own body was still loading."""
    return observation.phase is Phase.LOADING and not isinstance(stimulus.action, Run)


def _is_early(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> bool:
    """Whether it ended before the stimulus, and the reference did not."""
    if observation.phase is Phase.STIMULUS or isinstance(stimulus.action, Run):
        return False
    reference = expectation.reference
    return reference is None or reference.phase is not observation.phase


def _outcome(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> list[Mismatch]:
    if observation.ending is not Ending.ANSWERED:
        return []
    wanted = _expected_raise(expectation, stimulus)
    raised = _raised(observation, stimulus)
    known = expectation.reference is not None or expectation.stated.raises is not None
    elsewhere = raised is not None and observation.phase is not Phase.STIMULUS
    if elsewhere or (not raise_agrees(wanted, raised) and (known or raised is not None)):
        return [RaiseMismatch(expected=wanted, actual=raised, phase=observation.phase)]
    differing: list[Mismatch] = []
    if isinstance(stimulus.action, Call) and observation.raised is None:
        differing += _returned(observation, expectation)
    return differing + _left(observation, expectation)


def _raised(observation: Observation, stimulus: Stimulus) -> Raised | None:
    """What it raised. `sys.exit()` in a program is how it ends: the exit channel judges that."""
    raised = observation.raised
    if raised is not None and isinstance(stimulus.action, Run):
        return None if raised.type_name == "SystemExit" else raised
    return raised


def _expected_raise(expectation: Expectation, stimulus: Stimulus) -> StatedRaise | None:
    if expectation.stated.raises is not None:
        return expectation.stated.raises
    reference = expectation.reference
    raised = _raised(reference, stimulus) if reference else None
    return None if raised is None else StatedRaise(type_name=raised.type_name)


def _returned(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    expected: Matcher | None = expectation.stated.returns
    reference = expectation.reference
    if expected is None and reference is not None and reference.value is not None:
        expected = Exactly(value=reference.value, within=expectation.within)
    if expected is None:
        return []
    value = observation.value
    if value is not None and expected.accepts(value):
        return []
    return [ValueMismatch(channel=Channel.RETURNS, expected=expected, actual=value)]


def _left(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    """The positional arguments (or a draw's variables) afterwards. As many as the reference has
    must be there: a raise that is reported without them may hide what was changed."""
    stated = {leave.name: leave.value for leave in expectation.stated.leaves}
    differing: list[Mismatch] = []
    known = expectation.reference.arguments if expectation.reference else ()
    for position in range(max(len(observation.arguments), len(known))):
        reported = position < len(observation.arguments)
        after = observation.arguments[position] if reported else None
        name = argument_name(expectation, position)
        expected = stated.pop(name, None) or _unstated(observation, expectation, position)
        if expected is not None and (after is None or not expected.accepts(after)):
            mismatch = ValueMismatch(
                channel=Channel.LEAVES, expected=expected, actual=after, name=name
            )
            differing.append(mismatch)
    return differing + variable_mismatches(observation, stated)


def argument_name(expectation: Expectation, position: int) -> str:
    """A positional argument's name in the reference; its place where it has none."""
    if position < len(expectation.parameters):
        return expectation.parameters[position]
    return f"argument {position + 1}"


def _unstated(observation: Observation, expectation: Expectation, position: int) -> Matcher | None:
    reference = expectation.reference
    if expectation.stated.leaves_unchanged:
        before = observation.arguments_before
        if position >= len(before) and reference is not None:
            before = reference.arguments_before
        return Exactly(value=before[position]) if position < len(before) else None
    if reference is None or position >= len(reference.arguments):
        return None
    return Exactly(value=reference.arguments[position], within=expectation.within)


def _exit(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> list[Mismatch]:
    expected = expectation.stated.exit
    if expectation.stated.exit_any:
        return []
    if expected is None and isinstance(stimulus.action, Run) and expectation.reference:
        expected = expectation.reference.exit_status
    if expected is None or observation.exit_status == expected:
        return []
    raised = _raised(observation, stimulus)
    if raised is not None and not raise_agrees(_expected_raise(expectation, stimulus), raised):
        return []  # the status only repeats that it raised
    return [ExitMismatch(expected=expected, actual=observation.exit_status)]
