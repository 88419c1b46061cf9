"""What a verdict shows: each mismatch, and a conversation up to the turn that differs, as data."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from harness.common.escaping import shortened, visible
from harness.judging.compare.mismatch import (
    EndingMismatch,
    ExitMismatch,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.text import expected_turns
from harness.judging.comparison import LONGEST_LINE, compare_texts, compare_values, described
from harness.matchers.kinds.combinations import ALine, LastLine, last_line_of, lines_of
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.values import AnyValue, Exactly, exactly
from harness.model.expectation import EXACT, Expectation, Floats, Matcher, StatedRaise, TextRules
from harness.model.observation import Ending, Observation, Phase, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel, Comparison, Conversation

MOST_DIFFERENCES = 6
_MOST_LINES = 60  # of a text beside a description of the expected one

ENDINGS = {
    Ending.ANSWERED: "it runs to its end",
    Ending.ASKED_FOR_MORE: "it asks for more input than there is",
    Ending.ENDED_EARLY: "the whole program ends before that",
    Ending.MISSING: "the function is missing",
    Ending.TIMEOUT: "it does not end in time",
    Ending.CPU_LIMIT: "it uses up its computing time",
    Ending.MEMORY_LIMIT: "it uses too much memory",
    Ending.OUTPUT_LIMIT: "it prints more than it may",
    Ending.CRASHED: "Python itself crashes",
    Ending.TAMPERED: "it breaks the grading protocol",
    Ending.NOT_RUN: "it was not run",
    Ending.STOPPED_EARLY: "it was stopped early",
    Ending.STAND_IN_INAPPLICABLE: "the course's own file could not be tried",
    Ending.STAND_IN_FAILED: "unknown: the course's own file failed",
    Ending.HARNESS_ERROR: "unknown: our error",
}


def differences(
    mismatches: Iterable[Mismatch], stimulus: Stimulus, rules: TextRules = EXACT
) -> tuple[Comparison, ...]:
    """Return the first few mismatches as differences; of the printed turns only the first that
    differs.
    """
    listed: list[Comparison] = []
    printed_at: set[int | None] = set()
    for mismatch in mismatches:
        if isinstance(mismatch, TextMismatch):
            if mismatch.step in printed_at:
                continue
            printed_at.add(mismatch.step)
        if len(listed) == MOST_DIFFERENCES:
            break
        listed.append(_difference(mismatch, stimulus, rules))
    return tuple(listed)


def _difference(mismatch: Mismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    match mismatch:
        case EndingMismatch(expected=ending, actual=other):
            return described(Channel.ENDING, "how it ended", ENDINGS[ending], ENDINGS[other])
        case RaiseMismatch():
            subject = _in_step("exception", mismatch.step, stimulus)
            expected = "none" if mismatch.expected is None else raise_in_words(mismatch.expected)
            raised = mismatch.actual
            actual = f"{raised.type_name}: {shortened(raised.message, 1000)}" if raised else "none"
            actual += _ELSEWHERE.get(mismatch.phase, "")
            return described(Channel.RAISES, subject, expected, actual)
        case ReadsMismatch():
            subject = _in_step("lines read", mismatch.step, stimulus)
            return described(Channel.READS, subject, str(mismatch.expected), str(mismatch.actual))
        case ExitMismatch():
            actual = "none" if mismatch.actual is None else str(mismatch.actual)
            return described(Channel.EXIT, "exit status", str(mismatch.expected), actual)
        case ValueMismatch():
            return _of_values(mismatch, stimulus, rules)
        case TextMismatch():
            return _of_texts(mismatch, stimulus, rules)


def _in_step(subject: str, step: int | None, stimulus: Stimulus) -> str:
    if step is None:
        return subject
    source = ""
    if step < len(stimulus.action.steps):
        source = ": " + shortened(stimulus.action.steps[step].strip().split("\n")[0], 80)
    return f"{subject}, step {step + 1}{source}"


def value_in_words(expected: Matcher, floats: Floats | None = None) -> str:
    """Return the value that should be returned or left, without the tolerance for all `floats`."""
    if isinstance(expected, Exactly) and expected.floats == floats:
        return expected.value.source()
    return expected.in_words(whole=True)


def raise_in_words(expected: StatedRaise) -> str:
    """Return the exception that should be raised, with its message if one is asked for."""
    message = expected.message
    if message is None or isinstance(message, AnyValue):
        return expected.in_words()
    text = message.exact_text
    said = f": {text}" if text is not None else f", its message: {message.in_words(whole=True)}"
    return expected.in_words() + said


_ELSEWHERE = {
    Phase.GIVEN: ", in what comes first",
    Phase.ARGUMENTS: ", before the call itself",
    Phase.RESULT: ", as what was returned was read",
}


def _of_values(mismatch: ValueMismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    if mismatch.channel is Channel.WRITES:
        return _of_files(mismatch, f"file {visible(shortened(mismatch.name, 80))}", rules)
    if mismatch.channel is Channel.STDERR:
        return _of_files(mismatch, mismatch.name, rules)
    returned = mismatch.channel is Channel.RETURNS
    subject = "return value" if returned else f"{mismatch.name} afterwards"
    subject = _in_step(subject, mismatch.step, stimulus)
    if isinstance(mismatch.expected, Exactly) and mismatch.pair:
        return compare_values(mismatch.channel, subject, *mismatch.pair)
    if isinstance(mismatch.expected, Exactly):
        return described(mismatch.channel, subject, _source(mismatch.expected.value), "no value")
    expected = "no value" if mismatch.expected is None else value_in_words(mismatch.expected)
    return described(mismatch.channel, subject, expected, _actual_in_words(mismatch))


def _actual_in_words(mismatch: ValueMismatch) -> str:
    expected, actual = mismatch.expected, mismatch.actual
    words = None
    if expected is not None and actual is not None:
        words = expected.value_in_words(actual)
    return _source(actual) if words is None else words


def _of_files(mismatch: ValueMismatch, subject: str, rules: TextRules) -> Comparison:
    expected, actual = mismatch.expected, mismatch.actual
    words = has = "no such file"
    if expected is not None:
        words = expected.exact_text or expected.in_words(whole=True)
    if actual is not None and actual.kind is ValueKind.STR:
        if expected is not None and expected.exact_text is not None:
            return compare_texts(mismatch.channel, subject, expected.exact_text, actual.text, rules)
        has = _first_lines(actual.text)
    elif actual is not None:
        has = _source(actual)
    return described(mismatch.channel, subject, words, has)


def _source(value: Value | None) -> str:
    return "no value" if value is None else value.source(LONGEST_LINE + 1)


def _of_texts(mismatch: TextMismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    turn, inputs = mismatch.turn, stimulus.inputs
    what = "what is shown" if mismatch.shown else "printed text"
    if turn is not None and not mismatch.shown:
        what = f"turn {turn + 1}" if turn else "turn 1, before the first input"
        if 0 < turn <= len(inputs) and not stimulus.action.steps:
            what += f", after {shortened(inputs[turn - 1].echo(), 60)!r}"
    channel = Channel.SHOWS if mismatch.shown else Channel.PRINTS
    subject = _in_step(what, mismatch.step, stimulus)
    expected = mismatch.expected.exact_text
    if expected is None:
        return _of_matcher(channel, subject, mismatch.expected, mismatch.actual)
    return compare_texts(channel, subject, expected, mismatch.actual, rules)


def _of_matcher(channel: Channel, subject: str, expected: Matcher, text: str) -> Comparison:
    """Return a description of the expected text beside the lines that it is about."""
    words = expected.in_words(whole=True)
    if not isinstance(expected, LastLine | ALine) or not text.strip():
        return described(channel, subject, words, _first_lines(text))
    part = expected.matcher
    wanted = part.text if isinstance(part, Contains) else ""
    if isinstance(expected, LastLine):
        line = last_line_of(text)
        return described(channel, f"{subject}, last line", words, line, mark=_met(wanted, line))
    lines = [line for line in lines_of(text) if line.strip()]
    if len(lines) == 1:
        return described(channel, subject, words, lines[0], mark=_met(wanted, lines[0]))
    best = max(lines, key=lambda line: _met(wanted, line) or 0)
    if not wanted or not _met(wanted, best):
        return described(channel, subject, words, _first_lines(text))
    subject = f"{subject}, nearest line"
    return described(channel, subject, words, best, mark=_met(wanted, best))


def _met(wanted: str, line: str) -> int | None:
    """Return behind which character of a line a text that it should contain breaks off.

    That is where most of the text's beginning is found; None if nothing of it is.
    """
    for length in range(len(wanted) - 1, 0, -1):
        start = line.find(wanted[:length])
        if start >= 0:
            return start + length
    return None


def _first_lines(text: str) -> str:
    return "\n".join(text.split("\n", _MOST_LINES)[:_MOST_LINES])


LONGEST_TURN = 8000
LONGEST_SHARED = 40_000


def conversation(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Conversation | None:
    """Return the shared turns and each side's next, None on both sides if no turn differs.

    None if nothing is typed or no reference is known.
    """
    reference = expectation.reference
    if reference is None or not (stimulus.inputs or stimulus.replies):
        return None
    stated = expectation.stated
    held = expected_turns(expectation)
    # A matcher of the whole text says of no turn that it is wrong.
    anywhere = held is None and stated.prints is not None and stated.prints.exact_text is None
    shared: list[Turn] = []
    sides = zip_longest(_closed(reference.turns), _closed(observation.turns))
    for index, (expected, actual) in enumerate(sides):
        example = held is None or (held.at(index) or AnyValue()).exact_text is None
        if expected is None or actual is None:
            break
        # Where only the whole text is judged, the reference's turn is the best there is to show.
        matcher = held.at(index) if held else exactly(expected.printed)
        agrees = anywhere or matcher is None or matcher.accepts_text(actual.printed, stated.rules)
        if not agrees or (expected.typed is None) is not (actual.typed is None):
            break
        shared.append(actual)
    else:
        expected = actual = None
    compared = None
    if expected is not None and actual is not None and not example:
        compared = compare_texts(
            Channel.PRINTS, "turn", expected.printed, actual.printed, stated.rules
        )
    return Conversation(
        shared=_recent(shared),
        expected=expected and _short(expected),
        actual=actual and _short(actual),
        example=example and expected is not None,
        compared=compared,
    )


def _closed(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Add a last turn in which nothing was typed, even if nothing was printed either."""
    return turns if turns and turns[-1].typed is None else (*turns, Turn(printed=""))


def _short(turn: Turn) -> Turn:
    return replace(turn, printed=shortened(turn.printed, LONGEST_TURN))


def _recent(turns: list[Turn]) -> tuple[Turn, ...]:
    recent: list[Turn] = []
    length = 0
    for turn in reversed(turns):
        recent.append(_short(turn))
        length += len(recent[-1].printed)
        if length > LONGEST_SHARED:
            break
    recent.reverse()
    if len(recent) < len(turns):
        left_out = f"[… {len(turns) - len(recent)} earlier turns left out …]\n"
        recent.insert(0, Turn(printed=left_out))
    return tuple(recent)
