"""A session against the reference's, step by step, then its variables.

Where the assignment sheet shows a step, the text is printed text, typed text, then the value's
`repr`. White space between the tokens of a literal does not count (sheets wrap lines), nor do
blank lines at the end; everything else does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.judging.mismatches import (
    Mismatch,
    RaiseMismatch,
    TextMismatch,
    ValueMismatch,
    raise_agrees,
)
from harness.judging.texts import exactly, step_text_mismatches, text_mismatches
from harness.matchers import Exactly, normalised, same, same_shown
from harness.model.expectation import Expectation, Expected, Ignore, Matcher, StatedRaise
from harness.model.observation import Ending, Observation, Raised, StepOutcome, transcript
from harness.model.stimulus import DROPPED, Session
from harness.model.values import NONE, Value, ValueKind
from harness.model.verdict import Channel

_NEVER_HAPPENED = StepOutcome()


def step_mismatches(
    observation: Observation, expectation: Expectation, session: Session
) -> list[Mismatch]:
    """Everything that differs in a session, the earliest step first."""
    reference, stated = expectation.reference, expectation.stated
    differing: list[Mismatch] = []
    if reference is None:
        differing += _against_the_sheet(observation, stated)
    else:
        complete = observation.ending is Ending.ANSWERED
        for index, wanted in enumerate(reference.steps):
            if index < len(observation.steps):
                outcome = observation.steps[index]
            elif complete:
                outcome = _NEVER_HAPPENED
            else:
                break
            differing += _step(wanted, outcome, expectation, index)
    if stated.prints is not None or stated.turns is not None:
        whole = Expectation(stated=stated, reference=None)
        differing += text_mismatches(observation, whole)
    if observation.ending is Ending.ANSWERED:
        differing += _variables(observation, expectation)
    return differing


def _step(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> list[Mismatch]:
    stated = expectation.stated
    expected = _expected_raise(wanted.raised, stated, index)
    texts = step_text_mismatches(wanted.turns, outcome.turns, stated.ignore, index)
    if not raise_agrees(expected, outcome.raised):
        return [RaiseMismatch(expected=expected, actual=outcome.raised, step=index), *texts]
    # A REPL shows nothing for None, so a step whose value is None may have none.
    expected_value, value = wanted.value or NONE, outcome.value or NONE
    if wanted.raised:
        return texts
    differing: list[Mismatch] = []
    if not same(expected_value, value, expectation.within):
        matcher = Exactly(value=expected_value, within=expectation.within)
        mismatch = ValueMismatch(
            channel=Channel.RETURNS, expected=matcher, actual=value, step=index
        )
        differing.append(mismatch)
    elif not same_shown(wanted.shown, outcome.shown, expectation.within) and not is_default_repr(
        wanted.shown
    ):
        mismatch_shown = TextMismatch(
            expected=exactly(wanted.shown), actual=outcome.shown, step=index, shown=True
        )
        differing.append(mismatch_shown)
    return [*differing, *texts]


def is_default_repr(shown: str) -> bool:
    """Whether Python shows an object so that says nothing of itself: `<Account object at 0x…>`."""
    return " object at 0x…" in shown


def _expected_raise(raised: Raised | None, stated: Expected, index: int) -> StatedRaise | None:
    """What the reference raises, with its message where the session shows it."""
    if raised is None:
        return None
    shown = stated.shown[index] if stated.shown and index < len(stated.shown) else ""
    shows_message = raised.message and _without_blank_end(shown).endswith(raised.message)
    message = exactly(raised.message) if shows_message else None
    return StatedRaise(type_name=raised.type_name, message=message)


def _against_the_sheet(observation: Observation, stated: Expected) -> list[Mismatch]:
    """Without a reference the sheet's own text is compared."""
    differing: list[Mismatch] = []
    for index, shown in enumerate(stated.shown or ()):
        step = observation.steps[index] if index < len(observation.steps) else _NEVER_HAPPENED
        if not shows(step, shown, stated.ignore):
            mismatch = TextMismatch(
                expected=exactly(shown), actual=screen_of(step), step=index, shown=True
            )
            differing.append(mismatch)
    return differing


def _variables(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    matchers = {leave.name: leave.value for leave in expectation.stated.leaves}
    reference = expectation.reference
    for variable in reference.variables if reference else ():
        # What a session's name for a function is bound to is not compared, nor is what it drops.
        kept = variable.name != DROPPED and variable.value.kind is not ValueKind.FUNCTION
        if kept and variable.name not in matchers:
            matchers[variable.name] = Exactly(value=variable.value, within=expectation.within)
    return variable_mismatches(observation, matchers)


def variable_mismatches(
    observation: Observation, matchers: Mapping[str, Matcher]
) -> list[Mismatch]:
    """The variables afterwards that are missing or not what their matchers accept."""
    values = {variable.name: variable.value for variable in observation.variables}
    differing: list[Mismatch] = []
    for name, matcher in matchers.items():
        value = values.get(name)
        if value is None or not matcher.accepts(value):
            mismatch = ValueMismatch(
                channel=Channel.LEAVES, expected=matcher, actual=value, name=name
            )
            differing.append(mismatch)
    return differing


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def without_addresses(text: str) -> str:
    """A sheet's text with `0x…` in place of every address of an object."""
    return _ADDRESS.sub("0x…", text) if " object at 0x" in text else text


_STRING_OR_SPACE = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|\s+", re.DOTALL)


def screen_of(step: StepOutcome) -> str:
    """All that a person would see of a step in the REPL."""
    return transcript(step.turns) + _echo(step) + _last_words(step.raised)


def _echo(step: StepOutcome) -> str:
    if step.shown:
        return step.shown + "\n"
    if step.value is None or step.value.kind is ValueKind.NONE:
        return ""
    return step.value.source() + "\n"


def _last_words(raised: Raised | None) -> str:
    if raised is None:
        return ""
    return f"{raised.type_name}: {raised.message}\n" if raised.message else f"{raised.type_name}\n"


def shows(step: StepOutcome, shown: str, ignore: tuple[Ignore, ...] = ()) -> bool:
    """Whether the sheet's text `shown` is what a step showed."""
    printed = transcript(step.turns)
    sheet = without_addresses(shown)
    if _same_text(printed + _echo(step) + _last_words(step.raised), sheet, ignore):
        return True
    if step.raised is not None:
        return _shows_raise(printed, step.raised, shown, ignore)
    if step.value is None or step.value.kind is ValueKind.NONE:
        return False
    # Where the value's text begins, the printed text must have ended.
    head, rest = shown[: len(printed)], shown[len(printed) :]
    return normalised(head, ignore) == normalised(printed, ignore) and _is_value(rest, step.value)


def _same_text(left: str, right: str, ignore: tuple[Ignore, ...]) -> bool:
    sides = (_without_blank_end(normalised(text, ignore)) for text in (left, right))
    return next(sides) == next(sides)


def _without_blank_end(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def _shows_raise(printed: str, raised: Raised, shown: str, ignore: tuple[Ignore, ...]) -> bool:
    """Of a traceback on a sheet only the last line counts: the others depend on the machine."""
    rest = shown[len(printed) :]
    if normalised(shown[: len(printed)], ignore) != normalised(printed, ignore):
        return False
    if not rest.startswith("Traceback (most recent call last)"):
        return False
    words = _last_words(raised).rstrip("\n")
    last = _without_blank_end(rest).split("\n")[-1 - words.count("\n") :]
    return "\n".join(last) == words


def _is_value(text: str, value: Value) -> bool:
    if text[:1].isspace():
        return False  # an empty line before the value is printed text
    try:
        return same(Value.parse(" ".join(text.split("\n")).strip()), value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _squeezed(text) == _squeezed(value.source())


def _squeezed(text: str) -> str:
    return _STRING_OR_SPACE.sub(lambda match: match.group(1) or "", text)
