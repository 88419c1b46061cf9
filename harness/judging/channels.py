"""An observation against its expectation, channel by channel; a session step by step.

A stated matcher replaces the reference's own observation on its channel; without a reference only
what is stated is compared. What was printed while the submission loaded is not compared.

Where the sheet shows a step of a session, the text is printed text, typed text, then the value's
`repr`. White space between the tokens of a literal does not count (sheets wrap lines), nor do blank
lines at the end; everything else does.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, repeat, zip_longest

from harness.judging.mismatches import (
    EndingMismatch,
    ExitMismatch,
    Mismatch,
    RaiseMismatch,
    TextMismatch,
    ValueMismatch,
    exactly,
    narrowed,
    raise_agrees,
    reads_mismatch,
    stderr_mismatch,
    step_text_mismatches,
    text_mismatches,
    written_mismatches,
)
from harness.matchers.comparison import normalised, same, same_shown
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.expectation import Expectation, Ignore, Matcher, StatedRaise
from harness.model.observation import Ending, Observation, Phase, Raised, StepOutcome, transcript
from harness.model.stimulus import DROPPED, Stimulus
from harness.model.values import NONE, Value, ValueKind
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
    raised, at = observation.raised, observation.phase
    unexpected = RaiseMismatch(expected=None, actual=raised, phase=at)
    ending = expected_ending(expectation)
    of_reference = expectation.reference.phase if expectation.reference else Phase.STIMULUS
    # It ended before the stimulus, and the reference did not.
    early = (
        ending is not Ending.ANSWERED
        and not stimulus.action.program
        and at not in (Phase.STIMULUS, of_reference)
    )
    if observation.ending is not ending or observation.ending in _NEVER or early:
        differing.append(EndingMismatch(expected=ending, actual=observation.ending))
    if early or observation.ending not in _COMPLETE or at_import(observation, stimulus):
        if not differing and observation.ending is Ending.ANSWERED:
            differing.append(unexpected)
        return tuple(differing)
    if stimulus.action.steps:
        if raised is not None:
            # Before its first step: a quiet step would look as if it had been done.
            return (unexpected,)
        differing += _step_mismatches(observation, expectation)
    else:
        differing += _outcome(observation, expectation, stimulus)
        differing += text_mismatches(observation, expectation)
        differing += stderr_mismatch(observation, expectation.stated)
    differing += written_mismatches(observation, expectation, stimulus)
    if observation.ending is Ending.ANSWERED:
        if not stimulus.action.steps or expectation.stated.reads is not None:
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
    return observation.phase is Phase.LOADING and not stimulus.action.program


def _outcome(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[Mismatch]:
    if observation.ending is not Ending.ANSWERED:
        return
    wanted = _expected_raise(expectation, stimulus)
    raised = _raised(observation, stimulus)
    known = expectation.reference is not None or expectation.stated.raises is not None
    elsewhere = raised is not None and observation.phase is not Phase.STIMULUS
    if elsewhere or (not raise_agrees(wanted, raised) and (known or raised is not None)):
        yield RaiseMismatch(expected=wanted, actual=raised, phase=observation.phase)
        return
    if observation.raised is None:
        reference, value = expectation.reference, observation.value
        expected = expectation.stated.returns
        if expected is None and reference is not None and reference.value is not None:
            expected = Exactly(value=reference.value, within=expectation.within)
        if expected is not None and (value is None or not expected.accepts(value)):
            yield ValueMismatch(channel=Channel.RETURNS, expected=expected, actual=value)
    yield from _leave_mismatches(observation, expectation)


def _raised(observation: Observation, stimulus: Stimulus) -> Raised | None:
    """What it raised. `sys.exit()` in a program is how it ends: the exit channel judges that."""
    raised = observation.raised
    is_exit = raised is not None and raised.type_name == "SystemExit"
    return None if is_exit and stimulus.action.program else raised


def _expected_raise(expectation: Expectation, stimulus: Stimulus) -> StatedRaise | None:
    if expectation.stated.raises is not None:
        return expectation.stated.raises
    reference = expectation.reference
    raised = _raised(reference, stimulus) if reference else None
    return None if raised is None else StatedRaise(type_name=raised.type_name)


def _leave_mismatches(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """The positional arguments (or a draw's variables) afterwards. As many as the reference has
    must be there: a raise that is reported without them may hide what was changed."""
    stated = {leave.name: leave.value for leave in expectation.stated.leaves}
    known = expectation.reference.arguments if expectation.reference else ()
    for position, (after, _) in enumerate(zip_longest(observation.arguments, known)):
        name = argument_name(expectation, position)
        expected = stated.pop(name, None) or _unstated(observation, expectation, position)
        if expected is not None and (after is None or not expected.accepts(after)):
            yield ValueMismatch(channel=Channel.LEAVES, expected=expected, actual=after, name=name)
    yield from _variables(observation, stated)


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


def _exit(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[Mismatch]:
    expected = expectation.stated.exit
    if expectation.stated.exit_any:
        return
    if expected is None and expectation.reference:
        expected = expectation.reference.exit_status
    if expected is None or observation.exit_status == expected:
        return
    raised = _raised(observation, stimulus)
    # Where it raised, the status only repeats that.
    if raised is None or raise_agrees(_expected_raise(expectation, stimulus), raised):
        yield ExitMismatch(expected=expected, actual=observation.exit_status)


def _step_mismatches(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """Everything that differs in a session, the earliest step first."""
    reference, stated = expectation.reference, expectation.stated
    is_complete = observation.ending is Ending.ANSWERED
    never_happened = repeat(StepOutcome()) if is_complete or reference is None else ()
    steps = chain(observation.steps, never_happened)
    if reference is not None:
        for index, (wanted, step) in enumerate(zip(reference.steps, steps, strict=False)):
            yield from _step(wanted, step, expectation, index)
    else:  # the sheet's own text is compared
        for index, (shown, step) in enumerate(zip(stated.shown or (), steps, strict=False)):
            if not shows(step, shown, stated.ignore):
                text = exactly(shown)
                yield TextMismatch(expected=text, actual=screen_of(step), step=index, shown=True)
    if stated.prints is not None or stated.turns is not None:
        yield from text_mismatches(observation, Expectation(stated=stated, reference=None))
    if is_complete:
        matchers = {leave.name: leave.value for leave in stated.leaves}
        for variable in reference.variables if reference else ():
            # What a session's name for a function is bound to is not compared, nor what it drops.
            kept = variable.name != DROPPED and variable.value.kind is not ValueKind.FUNCTION
            if kept and variable.name not in matchers:
                matchers[variable.name] = Exactly(value=variable.value, within=expectation.within)
        yield from _variables(observation, matchers)


def _step(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> Iterator[Mismatch]:
    stated, expected = expectation.stated, None
    if wanted.raised is not None:
        # What the reference raises, with its message where the session shows it.
        shown = stated.shown[index] if stated.shown and index < len(stated.shown) else ""
        said = wanted.raised.message
        message = exactly(said) if said and _without_blank_end(shown).endswith(said) else None
        expected = StatedRaise(type_name=wanted.raised.type_name, message=message)
    if not raise_agrees(expected, outcome.raised):
        yield RaiseMismatch(expected=expected, actual=outcome.raised, step=index)
    elif not wanted.raised:
        # A REPL shows nothing for None, so a step whose value is None may have none.
        expected_value, value = wanted.value or NONE, outcome.value or NONE
        shows_same = same_shown(wanted.shown, outcome.shown, expectation.within)
        if not same(expected_value, value, expectation.within):
            matcher = Exactly(value=expected_value, within=expectation.within)
            yield ValueMismatch(channel=Channel.RETURNS, expected=matcher, actual=value, step=index)
        elif not shows_same and not is_default_repr(wanted.shown):
            text = exactly(wanted.shown)
            yield TextMismatch(expected=text, actual=outcome.shown, step=index, shown=True)
    yield from step_text_mismatches(wanted.turns, outcome.turns, stated.ignore, index)


def is_default_repr(shown: str) -> bool:
    """Whether Python shows an object so that says nothing of itself: `<Account object at 0x…>`."""
    return " object at 0x…" in shown


def _variables(observation: Observation, matchers: Mapping[str, Matcher]) -> Iterator[Mismatch]:
    """The variables afterwards that are missing or not what their matchers accept."""
    values = {variable.name: variable.value for variable in observation.variables}
    for name, matcher in matchers.items():
        value = values.get(name)
        if value is None and isinstance(matcher, AnyValue):
            continue  # a function, say, which is never among what is observed
        if value is None or not matcher.accepts(value):
            yield ValueMismatch(channel=Channel.LEAVES, expected=matcher, actual=value, name=name)


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_STRING_OR_SPACE = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|\s+", re.DOTALL)


def screen_of(step: StepOutcome) -> str:
    """All that a person would see of a step in the REPL."""
    echo = f"{step.shown}\n" if step.shown else ""
    if not step.shown and step.value is not None and step.value.kind is not ValueKind.NONE:
        echo = step.value.source() + "\n"
    return transcript(step.turns) + echo + _last_words(step.raised)


def _last_words(raised: Raised | None) -> str:
    if raised is None:
        return ""
    return f"{raised.type_name}: {raised.message}\n" if raised.message else f"{raised.type_name}\n"


def shows(step: StepOutcome, shown: str, ignore: tuple[Ignore, ...] = ()) -> bool:
    """Whether the sheet's text `shown` is what a step showed."""
    sheet = _ADDRESS.sub("0x…", shown) if " object at 0x" in shown else shown
    texts = (normalised(text, ignore) for text in (screen_of(step), sheet))
    if len({_without_blank_end(text) for text in texts}) == 1:
        return True
    # Where the text of the value or the exception begins, the printed text must have ended.
    printed = transcript(step.turns)
    head, rest = shown[: len(printed)], shown[len(printed) :]
    if normalised(head, ignore) != normalised(printed, ignore):
        return False
    if step.raised is not None:
        # Of a traceback on a sheet only the last line counts: the others depend on the machine.
        words = _last_words(step.raised).rstrip("\n")
        last = "\n".join(_without_blank_end(rest).split("\n")[-1 - words.count("\n") :])
        return rest.startswith("Traceback (most recent call last)") and last == words
    value = step.value or NONE
    return value.kind is not ValueKind.NONE and _is_value(rest, value)


def _without_blank_end(text: str) -> str:
    body = text.rstrip()
    return body and body + text[len(body) :].partition("\n")[0]


def _is_value(text: str, value: Value) -> bool:
    if text[:1].isspace():
        return False  # an empty line before the value is printed text
    try:
        return same(Value.parse(" ".join(text.split("\n")).strip()), value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        squeezed, source = (
            _STRING_OR_SPACE.sub(lambda match: match.group(1) or "", side)
            for side in (text, value.source())
        )
        return squeezed == source
