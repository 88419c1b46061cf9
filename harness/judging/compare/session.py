"""A session, step by step.

Where the sheet shows a step of a session, the text is printed text, typed text, then the value's
`repr`. White space between the tokens of a literal does not count (sheets wrap lines), nor do blank
lines at the end; everything else does.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, repeat

from harness.judging.compare.mismatch import (
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.raises import raise_agrees
from harness.judging.compare.text import ExpectedTurns, pieces, text_mismatches
from harness.judging.compare.value import variable_mismatches
from harness.matchers.comparison import normalised, same, same_shown, same_text
from harness.matchers.kinds.values import Exactly, exactly
from harness.model.expectation import (
    EXACT,
    Expectation,
    Expected,
    StatedRaise,
    StatedStep,
    TextRules,
)
from harness.model.observation import Ending, Observation, Raised, StepOutcome, Turn, transcript
from harness.model.stimulus import DROPPED
from harness.model.values import NONE, Value, ValueKind
from harness.model.verdict import Channel


def step_mismatches(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """Return everything that differs in a session, the earliest step first."""
    reference, stated = expectation.reference, expectation.stated
    is_complete = observation.ending is Ending.ANSWERED
    never_happened = repeat(StepOutcome()) if is_complete or reference is None else ()
    steps = chain(observation.steps, never_happened)
    if reference is not None:
        for index, (wanted, step) in enumerate(zip(reference.steps, steps, strict=False)):
            yield from _step(wanted, step, expectation, index)
    else:
        yield from _stated_steps(steps, stated)
    if stated.prints is not None or stated.turns is not None:
        yield from text_mismatches(observation, Expectation(stated=stated, reference=None))
    if is_complete:
        matchers = {leave.name: leave.value for leave in stated.leaves}
        for variable in reference.variables if reference else ():
            # What a session's name for a function is bound to is not compared, nor what it drops.
            kept = variable.name != DROPPED and variable.value.kind is not ValueKind.FUNCTION
            if kept and variable.name not in matchers:
                matchers[variable.name] = Exactly(value=variable.value, floats=expectation.floats)
        yield from variable_mismatches(observation, matchers)


def _stated_steps(steps: Iterator[StepOutcome], stated: Expected) -> Iterator[Mismatch]:
    """Compare the steps with the sheet's own text and with what the scenario states of them."""
    texts = stated.shown or ()
    last = max((step.step for step in stated.steps), default=-1)
    for index, step in enumerate(islice(steps, max(len(texts), last + 1))):
        own = stated.of_step(index)
        if own is not None:
            yield from _own_mismatches(own, step, stated.rules)
        elif index < len(texts) and not shows(step, texts[index], stated.rules):
            text = exactly(texts[index])
            yield TextMismatch(expected=text, actual=screen_of(step), step=index, shown=True)


def _own_mismatches(own: StatedStep, outcome: StepOutcome, rules: TextRules) -> Iterator[Mismatch]:
    """Compare a step with what the scenario states of it, and with nothing else."""
    if not raise_agrees(own.raises, outcome.raised):
        yield RaiseMismatch(expected=own.raises, actual=outcome.raised, step=own.step)
        return
    value = outcome.value or NONE
    if own.returns is not None and not own.returns.accepts(value):
        yield ValueMismatch(
            channel=Channel.RETURNS, expected=own.returns, actual=value, step=own.step
        )
    texts = ((own.prints, outcome.printed), (own.shows, screen_of(outcome)))
    for matcher, text in texts:
        if matcher is not None and not matcher.accepts_text(text, rules):
            yield TextMismatch(expected=matcher, actual=text, step=own.step)


def _step(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> Iterator[Mismatch]:
    stated = expectation.stated
    own = stated.of_step(index) or StatedStep(step=index)
    if own.raises is None and own.returns is None:
        own = replace(own, raises=_raise_of(wanted, stated, index))
    own_mismatches = list(_own_mismatches(own, outcome, stated.rules))
    yield from own_mismatches
    raises_otherwise = any(isinstance(each, RaiseMismatch) for each in own_mismatches)
    shows_all = own.shows is not None
    if not raises_otherwise and own.raises is None and own.returns is None and not shows_all:
        yield from _step_value(wanted, outcome, expectation, index)
    if own.prints is None and not shows_all:
        yield from _step_texts(wanted.turns, outcome.turns, stated.rules, index)


def _raise_of(wanted: StepOutcome, stated: Expected, index: int) -> StatedRaise | None:
    """Return what the reference raises, with its message where the session shows it."""
    if wanted.raised is None:
        return None
    shown = stated.shown[index] if stated.shown and index < len(stated.shown) else ""
    said = wanted.raised.message
    message = exactly(said) if said and _without_blank_end(shown).endswith(said) else None
    return StatedRaise(type_name=wanted.raised.type_name, message=message)


def _step_value(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> Iterator[Mismatch]:
    """Compare a step's value, and how it is shown, with the reference's."""
    # A REPL shows nothing for None, so a step whose value is None may have none.
    expected_value, value = wanted.value or NONE, outcome.value or NONE
    shows_same = same_shown(wanted.shown, outcome.shown, expectation.floats)
    if not same(expected_value, value, expectation.floats):
        matcher = Exactly(value=expected_value, floats=expectation.floats)
        yield ValueMismatch(channel=Channel.RETURNS, expected=matcher, actual=value, step=index)
    elif not shows_same and not is_default_repr(wanted.shown):
        text = exactly(wanted.shown)
        yield TextMismatch(expected=text, actual=outcome.shown, step=index, shown=True)


def _step_texts(
    expected: tuple[Turn, ...], actual: tuple[Turn, ...], rules: TextRules, step: int
) -> Iterator[Mismatch]:
    """Return where a session step's printed text and inputs differ from the reference's."""
    turns = ExpectedTurns(turns=tuple(map(exactly, pieces(expected))), others=exactly(""))
    for mismatch in turns.mismatches(actual, rules, is_one=max(len(expected), len(actual)) <= 1):
        yield replace(mismatch, step=step)
    wanted_reads, reads = (sum(turn.typed is not None for turn in t) for t in (expected, actual))
    if wanted_reads != reads:
        yield ReadsMismatch(expected=wanted_reads, actual=reads, step=step)


def is_default_repr(shown: str) -> bool:
    """Return whether the `repr` is Python's own, which says nothing: `<Account object at 0x…>`."""
    return " object at 0x…" in shown


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

# A string that does not end reaches to the end of the text: none is read a second time, whatever a
# program's own names look like.
_STRING_OR_SPACE = re.compile(
    r"('(?:\\.|[^'\\])*(?:'|\\?\Z)|\"(?:\\.|[^\"\\])*(?:\"|\\?\Z))|\s+", re.DOTALL
)


def screen_of(step: StepOutcome) -> str:
    """Return everything that a person would see of a step in the REPL."""
    echo = f"{step.shown}\n" if step.shown else ""
    if not step.shown and step.value is not None and step.value.kind is not ValueKind.NONE:
        echo = step.value.source() + "\n"
    return transcript(step.turns) + echo + _last_words(step.raised)


def _last_words(raised: Raised | None) -> str:
    if raised is None:
        return ""
    return f"{raised.type_name}: {raised.message}\n" if raised.message else f"{raised.type_name}\n"


def shows(step: StepOutcome, shown: str, rules: TextRules = EXACT) -> bool:
    """Return whether the sheet's text `shown` is what a step showed."""
    sheet = _ADDRESS.sub("0x…", shown) if " object at 0x" in shown else shown
    screen = _without_blank_end(normalised(screen_of(step), rules))
    if same_text(_without_blank_end(normalised(sheet, rules)), screen, rules):
        return True
    # Where the text of the value or the exception begins, the printed text must have ended.
    printed = transcript(step.turns)
    head, rest = shown[: len(printed)], shown[len(printed) :]
    if not same_text(head, printed, rules):
        return False
    if step.raised is not None:
        # Only the last line of a traceback on a sheet counts: the others depend on the machine.
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
