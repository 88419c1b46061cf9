"""A session against the reference's, step by step, then its variables."""

from __future__ import annotations

from harness.judging.matching import meets
from harness.judging.mismatches import Mismatch, RaiseMismatch, TextMismatch, ValueMismatch
from harness.judging.printed import exactly, step_text_mismatches, text_mismatches
from harness.judging.raising import raise_agrees
from harness.judging.sameness import same
from harness.judging.sheet import screen_of, shows
from harness.model.expectation import Exactly, Expectation, Stated, StatedRaise
from harness.model.observation import Ending, Observation, StepOutcome
from harness.model.stimulus import Session
from harness.model.values import NONE, ValueKind
from harness.model.verdict import Channel

_NEVER_HAPPENED = StepOutcome()


def step_mismatches(
    observation: Observation, expectation: Expectation, session: Session
) -> list[Mismatch]:
    """Everything that differs in a session, the earliest step first."""
    reference, stated = expectation.reference, expectation.stated
    found: list[Mismatch] = []
    if reference is None:
        found += _against_the_sheet(observation, stated)
    else:
        complete = observation.ending is Ending.ANSWERED
        for index, wanted in enumerate(reference.steps):
            if index < len(observation.steps):
                outcome = observation.steps[index]
            elif complete:
                outcome = _NEVER_HAPPENED
            else:
                break
            found += _step(wanted, outcome, stated, index)
    if stated.prints is not None or stated.turns is not None:
        whole = Expectation(stated=stated, reference=None)
        found += text_mismatches(observation, whole)
    if observation.ending is Ending.ANSWERED:
        found += _variables(observation, expectation)
    return found


def _step(wanted: StepOutcome, outcome: StepOutcome, stated: Stated, index: int) -> list[Mismatch]:
    expected = StatedRaise(type_name=wanted.raised.type_name) if wanted.raised else None
    texts = step_text_mismatches(wanted.turns, outcome.turns, stated.ignore, index)
    if not raise_agrees(expected, outcome.raised):
        return [RaiseMismatch(expected=expected, actual=outcome.raised, step=index), *texts]
    # A REPL shows nothing for None, and so a step that is worth None may come without a value.
    expected_value, value = wanted.value or NONE, outcome.value or NONE
    if wanted.raised or same(expected_value, value):
        return texts
    mismatch = ValueMismatch(
        channel=Channel.RETURNS,
        expected=Exactly(value=expected_value),
        actual=value,
        step=index,
    )
    return [mismatch, *texts]


def _against_the_sheet(observation: Observation, stated: Stated) -> list[Mismatch]:
    """Without a reference the sheet's own text is all there is."""
    found: list[Mismatch] = []
    for index, shown in enumerate(stated.shown or ()):
        step = observation.steps[index] if index < len(observation.steps) else _NEVER_HAPPENED
        if not shows(step, shown, stated.ignore):
            mismatch = TextMismatch(expected=exactly(shown), actual=screen_of(step), step=index)
            found.append(mismatch)
    return found


def _variables(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    matchers = {leave.name: leave.value for leave in expectation.stated.leaves}
    reference = expectation.reference
    for variable in reference.variables if reference else ():
        # A function bound in a session is the submission's own business.
        if variable.name not in matchers and variable.value.kind is not ValueKind.FUNCTION:
            matchers[variable.name] = Exactly(value=variable.value)
    values = {variable.name: variable.value for variable in observation.variables}
    found: list[Mismatch] = []
    for name, matcher in matchers.items():
        value = values.get(name)
        if value is None or not meets(value, matcher):
            mismatch = ValueMismatch(
                channel=Channel.LEAVES, expected=matcher, actual=value, name=name
            )
            found.append(mismatch)
    return found
