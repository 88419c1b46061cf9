"""Builds the data that pages show about a failure: the differences, and the conversation (input
and output) up to the first wrong turn.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from harness.common.escaping import shortened, visible
from harness.judging.assertion import assertion_lines
from harness.judging.compare.mismatch import (
    Assistance,
    CourseTestMismatch,
    EndingMismatch,
    ExitMismatch,
    FigureMismatch,
    FigurePart,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    SuiteMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.text import expected_turns
from harness.judging.side_by_side.boards import grid_pair
from harness.judging.side_by_side.comparison import (
    MAX_LINE,
    compare_texts,
    compare_values,
    described,
    listed,
)
from harness.matchers.kinds.combinations import ALine, LastLine, last_line_of, lines_of
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.values import AnyValue, Exactly, exactly
from harness.model.expectation import EXACT, Expectation, Floats, Matcher, StatedRaise, TextRules
from harness.model.observation import (
    CourseTestOutcome,
    CourseTestResult,
    Ending,
    Observation,
    Phase,
    SuiteOutcome,
    Turn,
)
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel, Comparison, Conversation, PicturePair
from harness.stimuli.suite import SuiteQuestion

MAX_DIFFERENCES = 6
_MAX_LINES = 60  # maximum length of an actual text next to a description

ENDINGS = {
    Ending.ANSWERED: "it runs to its end",
    Ending.ASKED_FOR_MORE: "it asks for more input than there is",
    Ending.ENDED_EARLY: "the whole program ends before that",
    Ending.MISSING: "the function is missing",
    Ending.TIMEOUT: "it does not end in time",
    Ending.CPU_LIMIT: "it uses up its computing time",
    Ending.MEMORY_LIMIT: "it uses too much memory",
    Ending.OUTPUT_LIMIT: "it prints more than allowed",
    Ending.CRASHED: "Python itself crashes",
    Ending.TAMPERED: "it interferes with grading",
    Ending.NOT_RUN: "it was not run",
    Ending.STOPPED_EARLY: "it was stopped early",
    Ending.STAND_IN_INAPPLICABLE: "the course's own file could not be used",
    Ending.STAND_IN_FAILED: "unknown: the course's own file failed",
    Ending.HARNESS_ERROR: "unknown: our error",
}


def differences(
    mismatches: Iterable[Mismatch], stimulus: Stimulus, rules: TextRules = EXACT
) -> tuple[Comparison, ...]:
    """Return comparisons for the first few mismatches.

    For printed turns, only the first wrong turn is included.
    """
    listed: list[Comparison] = []
    printed_at: set[int | None] = set()
    for mismatch in mismatches:
        if isinstance(mismatch, TextMismatch):
            if mismatch.step in printed_at:
                continue
            printed_at.add(mismatch.step)
        if len(listed) == MAX_DIFFERENCES:
            break
        listed.append(_difference(mismatch, stimulus, rules))
    return tuple(listed)


def _difference(mismatch: Mismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    match mismatch:
        case EndingMismatch(expected=ending, actual=other):
            return described(Channel.ENDING, "how it ended", ENDINGS[ending], ENDINGS[other])
        case RaiseMismatch():
            return _of_exceptions(mismatch, stimulus)
        case ReadsMismatch():
            subject = _in_step("lines read", mismatch.step, stimulus)
            return described(Channel.READS, subject, str(mismatch.expected), str(mismatch.actual))
        case ExitMismatch():
            actual = "none"
            if mismatch.actual is not None:
                actual = str(mismatch.actual)
            return described(Channel.EXIT, "exit status", str(mismatch.expected), actual)
        case CourseTestMismatch():
            lines = _lines_of_test(mismatch.actual, mismatch.assistance)
            return listed(Channel.TEST, "the test", "it passes", lines)
        case SuiteMismatch():
            return listed(
                Channel.TEST,
                "the tests",
                _WANTED[mismatch.question],
                _lines_of_suite(mismatch.actual),
            )
        case FigureMismatch():
            subject = figure_part_in_words(mismatch)
            expected, actual = mismatch.expected or "nothing", mismatch.actual or "nothing"
            return described(Channel.FIGURES, subject, expected, actual)
        case ValueMismatch():
            return _of_values(mismatch, stimulus, rules)
        case TextMismatch():
            return _of_texts(mismatch, stimulus, rules)


FIGURE_PARTS = {
    FigurePart.COUNT: "number of figures",
    FigurePart.PLOTS: "number of plots",
    FigurePart.TITLE: "title",
    FigurePart.X_LABEL: "label of the x axis",
    FigurePart.Y_LABEL: "label of the y axis",
    FigurePart.LEGEND: "legend",
    FigurePart.LINES: "lines",
    FigurePart.BARS: "bars",
    FigurePart.POINTS: "points",
}


def figure_part_in_words(mismatch: FigureMismatch) -> str:
    """Return a phrase for the part of a figure that differs, with the figure and plot that it
    belongs to.
    """
    places: list[str] = []
    if mismatch.figure is not None:
        places.append(f"figure {mismatch.figure}")
    if mismatch.plot is not None:
        places.append(f"plot {mismatch.plot}")
    if not places and mismatch.part is not FigurePart.COUNT:
        places.append("figure")
    return ", ".join((*places, FIGURE_PARTS[mismatch.part]))


_MAX_PICTURES = 3


def pictures(
    mismatches: Iterable[Mismatch], observation: Observation, reference: Observation | None
) -> tuple[PicturePair, ...]:
    """Return the pictures of the first expected and actual figure; none if no figure differs."""
    if not any(isinstance(mismatch, FigureMismatch) for mismatch in mismatches):
        return ()
    actual = [figure.picture for figure in observation.figures[:_MAX_PICTURES]]
    expected: list[str] = []
    if reference is not None:
        expected = [figure.picture for figure in reference.figures[:_MAX_PICTURES]]
    pairs: list[PicturePair] = []
    for ours, theirs in zip_longest(expected, actual, fillvalue=""):
        if ours or theirs:
            pairs.append(PicturePair(expected=ours, actual=theirs))
    return tuple(pairs)


_MAX_CALLS = 20
_OUTCOMES = {
    CourseTestResult.SKIPPED: "it is skipped",
    CourseTestResult.NOT_FOUND: "it is not found",
    CourseTestResult.NOT_ENDED: "it does not end",
}


_ASSISTED = {
    Assistance.COMPARING: "it compares an object of the program's instead of a plain value",
    Assistance.IGNORING: "the program catches the test's failed assertion",
}


def _lines_of_test(test: CourseTestOutcome, assistance: Assistance | None = None) -> list[str]:
    """Return the last call that a course test made, and its failure, as lines."""
    calls = list(test.calls[-_MAX_CALLS:])
    if len(test.calls) > _MAX_CALLS:
        calls.insert(0, "…")
    if assistance is not None:
        return [*calls, _ASSISTED[assistance]]
    if test.result in _OUTCOMES:
        return [*calls, _OUTCOMES[test.result]]
    lines = calls
    if test.source:
        lines.append(f"line {test.line}: {test.source}")
    said = f"{test.type_name}: {shortened(test.message, 2000)}"
    return [*lines, *assertion_lines(said)]


_WANTED = {
    SuiteQuestion.RUNS: "at least one test can be run",
    SuiteQuestion.ACCEPTS: "all tests pass",
    SuiteQuestion.ACCEPTS_OWN: "all tests pass",
    SuiteQuestion.COVERS: "the tests run enough of the program",
    SuiteQuestion.NOTICES: "at least one test fails",
    SuiteQuestion.HELPS: "each test notices a fault of its own",
}


def _lines_of_suite(outcome: SuiteOutcome) -> list[str]:
    """Return a line for each test that failed or whose result changes from run to run."""
    lines: list[str] = []
    if outcome.not_loaded:
        lines.append(shortened(outcome.not_loaded, 2000))
    for test in outcome.failed[:_MAX_CALLS]:
        result = _OUTCOMES.get(test.outcome.result, "it fails")
        lines.append(f"{test.name}: {result}")
        lines += [f"    {line}" for line in _lines_of_test(test.outcome)]
    for name in outcome.unsteady:
        lines.append(f"{name}: it differs from run to run")
    for name in outcome.useless:
        lines.append(f"{name}: it fails on no wrong program")
    for group in outcome.alike:
        lines.append(f"{', '.join(group)}: they fail on the same faults")
    if outcome.coverage is not None:
        ran = outcome.coverage
        lines.append(f"{ran.statements_run} of {ran.statements} statements run")
        lines.append(f"{ran.branches_taken} of {ran.branches} branches are taken")
    return lines or ["no test fails"]


def _in_step(subject: str, step: int | None, stimulus: Stimulus) -> str:
    if step is None:
        return subject
    where = f"{subject}, step {step + 1}"
    steps = stimulus.action.steps
    if step >= len(steps):
        return where
    first_line, *_ = steps[step].strip().split("\n")
    return f"{where}: {shortened(first_line, 80)}"


def value_in_words(expected: Matcher, floats: Floats | None = None) -> str:
    """Return a description of the expected value, leaving out a float tolerance that applies to
    all `floats`.
    """
    if isinstance(expected, Exactly) and expected.floats == floats:
        return expected.value.source()
    return expected.in_words(whole=True)


def raise_in_words(expected: StatedRaise) -> str:
    """Return a description of the expected exception, with its message if the scenario
    states one.
    """
    message = expected.message
    if message is None or isinstance(message, AnyValue):
        return expected.in_words()
    if message.exact_text is not None:
        return f"{expected.in_words()}: {message.exact_text}"
    return f"{expected.in_words()}, its message: {message.in_words(whole=True)}"


_ELSEWHERE = {
    Phase.GIVEN: ", in the part before it",
    Phase.ARGUMENTS: ", before the call itself",
    Phase.RESULT: ", as the result was read",
}


def _of_exceptions(mismatch: RaiseMismatch, stimulus: Stimulus) -> Comparison:
    subject = _in_step("exception", mismatch.step, stimulus)
    expected = actual = "none"
    if mismatch.expected is not None:
        expected = raise_in_words(mismatch.expected)
    raised = mismatch.actual
    if raised is not None:
        actual = f"{raised.type_name}: {shortened(raised.message, 1000)}"
    actual += _ELSEWHERE.get(mismatch.phase, "")
    return described(Channel.RAISES, subject, expected, actual)


def _of_values(mismatch: ValueMismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    if mismatch.channel is Channel.WRITES:
        return _of_files(mismatch, f"file {visible(shortened(mismatch.name, 80))}", rules)
    if mismatch.channel is Channel.STDERR:
        return _of_files(mismatch, mismatch.name, rules)
    channel, expected = mismatch.channel, mismatch.expected
    subject = f"{mismatch.name} afterwards"
    if channel is Channel.RETURNS:
        subject = "return value"
    subject = _in_step(subject, mismatch.step, stimulus)
    if isinstance(expected, Exactly):
        if mismatch.pair is not None:
            return compare_values(channel, subject, *mismatch.pair)
        return described(channel, subject, _source(expected.value), _NO_VALUE)
    words = _NO_VALUE
    if expected is not None:
        words = value_in_words(expected)
    shown = described(channel, subject, words, _actual_in_words(mismatch))
    if expected is None or mismatch.actual is None:
        return shown
    tables = expected.as_tables(mismatch.actual)
    if tables is None:
        return shown
    return replace(shown, grids=grid_pair(*tables))


def _actual_in_words(mismatch: ValueMismatch) -> str:
    expected, actual = mismatch.expected, mismatch.actual
    if expected is not None and actual is not None:
        words = expected.value_in_words(actual)
        if words is not None:
            return words
    return _source(actual)


def _of_files(mismatch: ValueMismatch, subject: str, rules: TextRules) -> Comparison:
    channel, expected, actual = mismatch.channel, mismatch.expected, mismatch.actual
    words = has = "no such file"
    text: str | None = None
    if expected is not None:
        text = expected.exact_text
        words = text or expected.in_words(whole=True)
    if actual is not None and actual.kind is ValueKind.STR:
        if text is not None:
            return compare_texts(channel, subject, text, actual.text, rules)
        has = _first_lines(actual.text)
    elif actual is not None:
        has = _source(actual)
    return described(channel, subject, words, has)


_NO_VALUE = "no value"


def _source(value: Value | None) -> str:
    if value is None:
        return _NO_VALUE
    return value.source(MAX_LINE + 1)


def _of_texts(mismatch: TextMismatch, stimulus: Stimulus, rules: TextRules) -> Comparison:
    channel, what = Channel.PRINTS, "printed text"
    if mismatch.shown:
        channel, what = Channel.SHOWS, "shown text"
    elif mismatch.turn is not None:
        what = _turn_in_words(mismatch.turn, stimulus)
    subject = _in_step(what, mismatch.step, stimulus)
    expected = mismatch.expected.exact_text
    if expected is None:
        return _of_matcher(channel, subject, mismatch.expected, mismatch.actual)
    return compare_texts(channel, subject, expected, mismatch.actual, rules)


def _turn_in_words(turn: int, stimulus: Stimulus) -> str:
    if turn == 0:
        return "turn 1, before the first input"
    what = f"turn {turn + 1}"
    if stimulus.action.steps or turn > len(stimulus.inputs):
        return what
    echo = stimulus.inputs[turn - 1].echo()
    return f"{what}, after {shortened(echo, 60)!r}"


def _of_matcher(channel: Channel, subject: str, expected: Matcher, text: str) -> Comparison:
    """Return a comparison with a description of the expected text on the left and the relevant
    actual lines on the right.
    """
    words = expected.in_words(whole=True)
    if not isinstance(expected, LastLine | ALine) or not text.strip():
        return described(channel, subject, words, _first_lines(text))
    wanted = ""
    if isinstance(expected.matcher, Contains):
        wanted = expected.matcher.text
    if isinstance(expected, LastLine):
        line = last_line_of(text)
        return described(channel, f"{subject}, last line", words, line, mark=_met(wanted, line))
    lines = [line for line in lines_of(text) if line.strip()]
    nearest = max(lines, key=lambda line: _met(wanted, line) or 0)
    met = _met(wanted, nearest)
    if len(lines) == 1:
        return described(channel, subject, words, nearest, mark=met)
    if not wanted or not met:
        return described(channel, subject, words, _first_lines(text))
    return described(channel, f"{subject}, nearest line", words, nearest, mark=met)


def _met(wanted: str, line: str) -> int | None:
    """Return the position in a line up to which it agrees with the text that it should contain;
    None if nothing agrees.

    It is the end of the longest beginning of the expected text that the line contains.
    """
    for length in range(len(wanted) - 1, 0, -1):
        start = line.find(wanted[:length])
        if start >= 0:
            return start + length
    return None


def _first_lines(text: str) -> str:
    return "\n".join(text.split("\n", _MAX_LINES)[:_MAX_LINES])


MAX_TURN = 8000
MAX_SHARED = 40_000


def conversation(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Conversation | None:
    """Return the turns that both sides share, and each side's first different turn.

    A side's turn is None if no turn differs. Return None instead of a Conversation if nothing is
    typed or no reference is known.
    """
    reference = expectation.reference
    if reference is None or not (stimulus.inputs or stimulus.replies):
        return None
    stated = expectation.stated
    stated_turns = expected_turns(expectation)
    # A matcher for the whole text does not tell which turn is wrong.
    anywhere = (
        stated_turns is None and stated.prints is not None and stated.prints.exact_text is None
    )
    shared: list[Turn] = []
    sides = zip_longest(_closed(reference.turns), _closed(observation.turns))
    for index, (expected, actual) in enumerate(sides):
        matcher: Matcher | None = None
        if stated_turns is not None:
            matcher = stated_turns.at(index)
        is_example = matcher is None or matcher.exact_text is None
        if expected is None or actual is None:
            break
        if stated_turns is None:
            # Only the whole text is judged, so the reference's turn is only one possible answer.
            matcher = exactly(expected.printed)
        agrees = anywhere or matcher is None or matcher.accepts_text(actual.printed, stated.rules)
        asks, should_ask = actual.typed is not None, expected.typed is not None
        if not agrees or asks is not should_ask:
            break
        shared.append(actual)
    else:
        expected = actual = None
    compared: Comparison | None = None
    if expected is not None and actual is not None and not is_example:
        compared = compare_texts(
            Channel.PRINTS, "turn", expected.printed, actual.printed, stated.rules
        )
    return Conversation(
        shared=_recent(shared),
        expected=expected and _short(expected),
        actual=actual and _short(actual),
        example=is_example and expected is not None,
        compared=compared,
    )


def _closed(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return the turns with a last turn without input, even if nothing was printed in it."""
    if turns and turns[-1].typed is None:
        return turns
    return (*turns, Turn(printed=""))


def _short(turn: Turn) -> Turn:
    printed = shortened(turn.printed, MAX_TURN)
    return replace(turn, printed=printed)


def _recent(turns: list[Turn]) -> tuple[Turn, ...]:
    recent: list[Turn] = []
    length = 0
    for turn in reversed(turns):
        short = _short(turn)
        recent.append(short)
        length += len(short.printed)
        if length > MAX_SHARED:
            break
    recent.reverse()
    left_out = len(turns) - len(recent)
    if left_out:
        note = f"[… {left_out} earlier turns left out …]\n"
        recent.insert(0, Turn(printed=note))
    return tuple(recent)
