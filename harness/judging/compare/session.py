"""Compares a session (statements as typed into the Python prompt) step by step.

If the sheet shows a step, its text is the printed text, the typed text and the value's `repr`.
White space between the tokens of a literal is ignored because sheets wrap lines, and so are blank
lines at the end.
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
    accepts_value,
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
    Matcher,
    StatedRaise,
    StatedStep,
    TextRules,
)
from harness.model.observation import Ending, Observation, Raised, StepOutcome, Turn, transcript
from harness.model.stimulus import DROPPED
from harness.model.values import NONE, Value, ValueKind
from harness.model.verdict import Channel


def step_mismatches(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """Yield all differences in a session, the earliest step first."""
    reference, stated = expectation.reference, expectation.stated
    is_complete = observation.ending is Ending.ANSWERED
    steps = iter(observation.steps)
    if is_complete or reference is None:
        never_happened = repeat(StepOutcome())
        steps = chain(observation.steps, never_happened)
    if reference is not None:
        for index, (wanted, step) in enumerate(zip(reference.steps, steps, strict=False)):
            yield from _step(wanted, step, expectation, index)
    else:
        yield from _stated_steps(steps, stated)
    if stated.prints is not None or stated.turns is not None:
        yield from text_mismatches(observation, Expectation(stated=stated, reference=None))
    if is_complete and not stated.leaves_any:
        yield from variable_mismatches(observation, _expected_variables(expectation))


def compares_variables(stated: Expected) -> bool:
    """Return whether variables are compared with the reference's after the last step.

    They are not if a step may have several right results, because variables may hold one of these.
    """
    if stated.leaves_any:
        return False
    for step in stated.steps:
        for matcher in (step.returns, step.shows):
            if matcher is not None and not isinstance(matcher, Exactly):
                return False
    return True


def _expected_variables(expectation: Expectation) -> dict[str, Matcher]:
    """Return the variables to compare after the last step, by name.

    Functions and variables that the session deletes are left out.
    """
    matchers = {leave.name: leave.value for leave in expectation.stated.leaves}
    if expectation.reference is None or not compares_variables(expectation.stated):
        return matchers
    for variable in expectation.reference.variables:
        if variable.name == DROPPED or variable.value.kind is ValueKind.FUNCTION:
            continue
        if variable.name not in matchers:
            matchers[variable.name] = Exactly(value=variable.value, floats=expectation.floats)
    return matchers


def _expected_raise(wanted: StepOutcome, stated: Expected, index: int) -> StatedRaise | None:
    """Return the exception that the reference raises, including its message if the session
    displays it.
    """
    if wanted.raised is None:
        return None
    shown_steps = stated.shown or ()
    shown = ""
    if index < len(shown_steps):
        shown = shown_steps[index]
    message: Matcher | None = None
    said = wanted.raised.message
    if said and _without_blank_end(shown).endswith(said):
        message = exactly(said)
    return StatedRaise(type_name=wanted.raised.type_name, message=message)


def _stated_steps(steps: Iterator[StepOutcome], stated: Expected) -> Iterator[Mismatch]:
    """Compare the steps with the text on the sheet and with the values that the scenario states."""
    texts = stated.shown or ()
    last = max((step.step for step in stated.steps), default=-1)
    for index, step in enumerate(islice(steps, max(len(texts), last + 1))):
        stated_step = stated.of_step(index)
        if stated_step is not None:
            yield from _own_mismatches(stated_step, step, stated.rules)
        elif index < len(texts) and not shows(step, texts[index], stated.rules):
            text = exactly(texts[index])
            yield TextMismatch(expected=text, actual=screen_of(step), step=index, shown=True)


def _own_mismatches(
    stated: StatedStep, outcome: StepOutcome, rules: TextRules
) -> Iterator[Mismatch]:
    """Compare a step only with the values that the scenario states for it."""
    if not raise_agrees(stated.raises, outcome.raised):
        yield RaiseMismatch(expected=stated.raises, actual=outcome.raised, step=stated.step)
        return
    value = outcome.value or NONE
    if stated.returns is not None and not accepts_value(stated.returns, value, rules):
        yield ValueMismatch(
            channel=Channel.RETURNS, expected=stated.returns, actual=value, step=stated.step
        )
    texts = ((stated.prints, outcome.printed), (stated.shows, screen_of(outcome)))
    for matcher, text in texts:
        if matcher is not None and not matcher.accepts_text(text, rules):
            yield TextMismatch(expected=matcher, actual=text, step=stated.step)


def _step(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> Iterator[Mismatch]:
    stated = expectation.stated
    stated_step = stated.of_step(index) or StatedStep(step=index)
    if stated_step.raises is None and stated_step.returns is None:
        stated_step = replace(stated_step, raises=_expected_raise(wanted, stated, index))
    own_mismatches = list(_own_mismatches(stated_step, outcome, stated.rules))
    yield from own_mismatches
    if stated_step.shows is not None:
        return
    raises_otherwise = any(isinstance(mismatch, RaiseMismatch) for mismatch in own_mismatches)
    if not raises_otherwise and stated_step.raises is None and stated_step.returns is None:
        yield from _step_value(wanted, outcome, expectation, index)
    if stated_step.prints is None:
        yield from _step_texts(wanted.turns, outcome.turns, stated.rules, index)


def _step_value(
    wanted: StepOutcome, outcome: StepOutcome, expectation: Expectation, index: int
) -> Iterator[Mismatch]:
    """Compare a step's value, and the text that displays it, with the reference's."""
    # The REPL displays nothing for None, so a missing value is accepted instead of None.
    expected_value, value = wanted.value or NONE, outcome.value or NONE
    rules = expectation.stated.rules
    shows_same = same_shown(wanted.shown, outcome.shown, expectation.floats)
    if value.kind is ValueKind.STR and rules.ignore:
        shows_same = True  # its repr may contain ignored differences
    matcher = Exactly(value=expected_value, floats=expectation.floats)
    if not accepts_value(matcher, value, rules):
        yield ValueMismatch(channel=Channel.RETURNS, expected=matcher, actual=value, step=index)
    elif not shows_same and not is_default_repr(wanted.shown):
        text = exactly(wanted.shown)
        yield TextMismatch(expected=text, actual=outcome.shown, step=index, shown=True)


def _step_texts(
    expected: tuple[Turn, ...], actual: tuple[Turn, ...], rules: TextRules, step: int
) -> Iterator[Mismatch]:
    """Yield the differences between a step's printed text and inputs and the reference's."""
    printed = tuple(map(exactly, pieces(expected)))
    turns = ExpectedTurns(turns=printed, others=exactly(""))
    is_one = len(expected) <= 1 and len(actual) <= 1
    for mismatch in turns.mismatches(actual, rules, is_one=is_one):
        yield replace(mismatch, step=step)
    wanted_reads, reads = _inputs(expected), _inputs(actual)
    if wanted_reads != reads:
        yield ReadsMismatch(expected=wanted_reads, actual=reads, step=step)


def _inputs(turns: tuple[Turn, ...]) -> int:
    return sum(turn.typed is not None for turn in turns)


def is_default_repr(shown: str) -> bool:
    """Return whether the `repr` is Python's default, such as `<Account object at 0x…>`, which
    carries no information.
    """
    return " object at 0x…" in shown


_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

# An unterminated string extends to the end of the text, so that no text is scanned twice, even if
# names chosen by the program look like such a string.
_STRING_OR_SPACE = re.compile(
    r"('(?:\\.|[^'\\])*(?:'|\\?\Z)|\"(?:\\.|[^\"\\])*(?:\"|\\?\Z))|\s+", re.DOTALL
)


def screen_of(step: StepOutcome) -> str:
    """Return everything that a person would see in the REPL for this step."""
    echo = ""
    if step.shown:
        echo = f"{step.shown}\n"
    elif step.value is not None and step.value.kind is not ValueKind.NONE:
        echo = f"{step.value.source()}\n"
    return transcript(step.turns) + echo + _last_words(step.raised)


def _last_words(raised: Raised | None) -> str:
    if raised is None:
        return ""
    if raised.message:
        return f"{raised.type_name}: {raised.message}\n"
    return f"{raised.type_name}\n"


def shows(step: StepOutcome, shown: str, rules: TextRules = EXACT) -> bool:
    """Return whether a step displayed the text `shown` from the sheet."""
    sheet = shown
    if " object at 0x" in shown:
        sheet = _ADDRESS.sub("0x…", shown)
    wanted = _without_blank_end(normalised(sheet, rules))
    screen = _without_blank_end(normalised(screen_of(step), rules))
    if same_text(wanted, screen, rules):
        return True
    # The text of the value or the exception must follow the printed text directly.
    printed = transcript(step.turns)
    head, rest = shown[: len(printed)], shown[len(printed) :]
    if not same_text(head, printed, rules):
        return False
    if step.raised is not None:
        return _is_traceback(rest, step.raised)
    value = step.value or NONE
    return value.kind is not ValueKind.NONE and _is_value(rest, value)


def _is_traceback(text: str, raised: Raised) -> bool:
    """Return whether a text on a sheet is the traceback of this exception.

    Only its last line is compared, because the others depend on the machine.
    """
    words = _last_words(raised).rstrip("\n")
    lines = _without_blank_end(text).split("\n")
    last_lines = lines[-1 - words.count("\n") :]
    return text.startswith("Traceback (most recent call last)") and "\n".join(last_lines) == words


def _without_blank_end(text: str) -> str:
    body = text.rstrip()
    return body and body + text[len(body) :].partition("\n")[0]


def _is_value(text: str, value: Value) -> bool:
    if text[:1].isspace():
        return False  # an empty line before the value belongs to the printed text
    one_line = " ".join(text.split("\n"))
    try:
        return same(Value.parse(one_line.strip()), value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _without_spaces(text) == _without_spaces(value.source())


def _without_spaces(text: str) -> str:
    """Return a value's source without white space outside string literals."""
    return _STRING_OR_SPACE.sub(lambda match: match.group(1) or "", text)
