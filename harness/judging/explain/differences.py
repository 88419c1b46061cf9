"""What a verdict shows: each mismatch, and a conversation up to the turn that differs, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from harness.common.escaping import shortened, visible
from harness.judging.compare.mismatches import (
    EndingMismatch,
    ExitMismatch,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.texts import exactly, expected_turns
from harness.judging.explain.alignment import CONTEXT, WINDOW, shared_start, side_by_side, window
from harness.matchers import AnyValue, Exactly, same
from harness.model.expectation import Expectation, Matcher, StatedRaise
from harness.model.observation import Observation, Phase, Raised, Turn
from harness.model.stimulus import Session, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel, Conversation, Difference, DiffLine

MOST_DIFFERENCES = 6
LONGEST_LINE = 400
LONGEST_VALUE = 4000
ONE_LINE = 60  # a value longer than this is shown item by item


def differences(mismatches: Iterable[Mismatch], stimulus: Stimulus) -> tuple[Difference, ...]:
    """The first few mismatches as differences; of the printed turns only the first that differs."""
    listed: list[Difference] = []
    printed_at: set[int | None] = set()
    for mismatch in mismatches:
        if isinstance(mismatch, TextMismatch):
            if mismatch.step in printed_at:
                continue
            printed_at.add(mismatch.step)
        if len(listed) == MOST_DIFFERENCES:
            break
        listed.append(_difference(mismatch, stimulus))
    return tuple(listed)


def _difference(mismatch: Mismatch, stimulus: Stimulus) -> Difference:
    match mismatch:
        case EndingMismatch():
            return _plain(
                Channel.ENDING, "how it ended", mismatch.expected.value, mismatch.actual.value
            )
        case RaiseMismatch():
            subject = _in_step("exception", mismatch.step, stimulus)
            expected = _stated_raise(mismatch.expected)
            actual = _raised(mismatch.actual) + _ELSEWHERE.get(mismatch.phase, "")
            return _plain(Channel.RAISES, subject, expected, actual)
        case ReadsMismatch():
            subject = _in_step("inputs taken", mismatch.step, stimulus)
            return _plain(Channel.READS, subject, str(mismatch.expected), str(mismatch.actual))
        case ExitMismatch():
            actual = "none" if mismatch.actual is None else str(mismatch.actual)
            return _plain(Channel.EXIT, "exit status", str(mismatch.expected), actual)
        case ValueMismatch():
            return _of_values(mismatch, stimulus)
        case TextMismatch():
            return _of_texts(mismatch, stimulus)


def _plain(channel: Channel, subject: str, expected: str, actual: str) -> Difference:
    return Difference(channel=channel, subject=subject, expected=expected, actual=actual)


def _in_step(subject: str, step: int | None, stimulus: Stimulus) -> str:
    if step is None:
        return subject
    source = ""
    if isinstance(stimulus.action, Session) and step < len(stimulus.action.steps):
        source = ": " + shortened(stimulus.action.steps[step].strip().split("\n")[0], 80)
    return f"{subject}, step {step + 1}{source}"


def _stated_raise(expected: StatedRaise | None) -> str:
    if expected is None:
        return "none"
    if expected.message is None:
        return expected.in_words()
    return f"{expected.in_words()}: {_wanted_text(expected.message)}"


def _wanted_text(matcher: Matcher) -> str:
    text = matcher.exact_text
    return matcher.in_words() if text is None else text


_ELSEWHERE = {
    Phase.GIVEN: ", in what comes first",
    Phase.ARGUMENTS: ", before the call itself",
    Phase.RESULT: ", as what was returned was read",
}


def _raised(actual: Raised | None) -> str:
    if actual is None:
        return "none"
    return f"{actual.type_name}: {shortened(actual.message, 1000)}"


def _of_values(mismatch: ValueMismatch, stimulus: Stimulus) -> Difference:
    if mismatch.channel is Channel.WRITES:
        return _of_files(mismatch)
    returned = mismatch.channel is Channel.RETURNS
    subject = "return value" if returned else f"{mismatch.name} afterwards"
    subject = _in_step(subject, mismatch.step, stimulus)
    if not isinstance(mismatch.expected, Exactly):
        expected = (
            "no value" if mismatch.expected is None else mismatch.expected.in_words(whole=True)
        )
        return _plain(mismatch.channel, subject, expected, _source(mismatch.actual))
    if mismatch.actual is None:
        return _plain(mismatch.channel, subject, _source(mismatch.expected.value), "no value")
    expected_lines, actual_lines = _lines_of(*mismatch.expected.pair(mismatch.actual))
    if len(expected_lines) == len(actual_lines) == 1:
        return _one_line(mismatch.channel, subject, expected_lines[0], actual_lines[0])
    if len(expected_lines) == len(actual_lines):
        rows = side_by_side(expected_lines, actual_lines)
    else:
        rows = window(expected_lines, actual_lines).lines
    return _of_rows(mismatch.channel, subject, rows)


def _of_files(mismatch: ValueMismatch) -> Difference:
    subject = f"file {visible(shortened(mismatch.name, 80))}"
    wanted = None if mismatch.expected is None else mismatch.expected.exact_text
    actual = mismatch.actual
    if wanted is not None and actual is not None and actual.kind is ValueKind.STR:
        return _aligned(Channel.WRITES, subject, wanted.split("\n"), actual.text.split("\n"))
    expected = mismatch.expected
    words = "no such file" if expected is None else wanted or expected.in_words(whole=True)
    has = "no such file" if actual is None else _source(actual)
    if actual is not None and actual.kind is ValueKind.STR:
        has = "\n".join(_cut(actual.text.split("\n", 60)[:60]))
    return _plain(Channel.WRITES, subject, words, has)


def _one_line(channel: Channel, subject: str, expected: str, actual: str) -> Difference:
    at = shared_start(expected, actual)
    if max(len(expected), len(actual)) > LONGEST_VALUE:
        expected = shortened(expected, LONGEST_VALUE, at)
        actual = shortened(actual, LONGEST_VALUE, at)
        at = shared_start(expected, actual)
    return Difference(
        channel=channel,
        subject=subject,
        expected=expected,
        actual=actual,
        at_line=1,
        at_column=at + 1,
    )


def _source(value: Value | None) -> str:
    if value is None:
        return "no value"
    return shortened(value.source(LONGEST_VALUE + 1), LONGEST_VALUE)


def _lines_of(expected: Value, actual: Value) -> tuple[list[str], list[str]]:
    """Both values' source, long lists and tuples with one item a line (those near the first that
    differs: there may be very many)."""
    first = 0
    for left, right in zip(expected.items, actual.items, strict=False):
        if not same(left, right):
            break
        first += 1
    start = max(0, first - CONTEXT)
    return _item_lines(expected, start), _item_lines(actual, start)


def _item_lines(value: Value, start: int) -> list[str]:
    whole = value.source(LONGEST_VALUE * 2)
    if len(whole) <= ONE_LINE or len(value.items) < 2 or whole[0] not in "[(":
        return [whole]
    shown = value.items[start : start + CONTEXT + WINDOW]
    lines = [f"    {item.source(2 * LONGEST_LINE)}," for item in shown]
    if start:
        lines.insert(0, f"    # … {start} items before")
    if len(value.items) > start + len(shown):
        lines.append(f"    # … {len(value.items) - start - len(shown)} items after")
    return [whole[0], *lines, "]" if whole[0] == "[" else ")"]


def _turn(turn: int | None, stimulus: Stimulus) -> str:
    if turn is None:
        return "printed text"
    if turn == 0:
        return "turn 1, before the first input"
    if isinstance(stimulus.action, Session) or turn > len(stimulus.inputs):
        return f"turn {turn + 1}"
    return f"turn {turn + 1}, after {shortened(stimulus.inputs[turn - 1].shown(), 60)!r}"


def _of_texts(mismatch: TextMismatch, stimulus: Stimulus) -> Difference:
    what = "what is shown" if mismatch.shown else _turn(mismatch.turn, stimulus)
    channel = Channel.SHOWS if mismatch.shown else Channel.PRINTS
    subject = _in_step(what, mismatch.step, stimulus)
    expected = mismatch.expected.exact_text
    if expected is None:
        actual = "\n".join(_cut(mismatch.actual.split("\n", 60)[:60]))
        expected = mismatch.expected.in_words(whole=True)
        return _plain(channel, subject, expected, actual)
    return _aligned(channel, subject, expected.split("\n"), mismatch.actual.split("\n"))


def _aligned(channel: Channel, subject: str, expected: list[str], actual: list[str]) -> Difference:
    return _of_rows(channel, subject, window(expected, actual).lines)


def _of_rows(channel: Channel, subject: str, rows: tuple[DiffLine, ...]) -> Difference:
    lines = tuple(_short_row(line) for line in rows)
    row = next((i for i, line in enumerate(lines) if line.expected != line.actual), None)
    column = None
    if row is not None:
        column = shared_start(lines[row].expected or "", lines[row].actual or "") + 1
    return Difference(
        channel=channel,
        subject=subject,
        expected="\n".join(line.expected for line in lines if line.expected is not None),
        actual="\n".join(line.actual for line in lines if line.actual is not None),
        lines=lines,
        at_line=None if row is None else row + 1,
        at_column=column,
    )


def _short_row(line: DiffLine) -> DiffLine:
    sides = [side for side in (line.expected, line.actual) if side is not None]
    if max(len(side) for side in sides) <= LONGEST_LINE:
        return line
    at = shared_start(line.expected or "", line.actual or "")
    return DiffLine(
        expected=None if line.expected is None else shortened(line.expected, LONGEST_LINE, at),
        actual=None if line.actual is None else shortened(line.actual, LONGEST_LINE, at),
    )


def _cut(lines: list[str]) -> list[str]:
    return [shortened(line, LONGEST_LINE) for line in lines]


LONGEST_TURN = 8000
LONGEST_SHARED = 40_000


def conversation(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Conversation | None:
    """The shared turns and each side's next; None where nothing is typed or there is no
    reference.

    When no turn differs, `expected` and `actual` are both None.
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
    for index, (wanted, turn) in enumerate(sides):
        example = held is None or (held.at(index) or AnyValue()).exact_text is None
        if wanted is None or turn is None:
            return _parted(shared, wanted, turn, example=example)
        # Where only the whole text is judged, the reference's turn is the best there is to show.
        matcher = held.at(index) if held else exactly(wanted.printed)
        agrees = anywhere or matcher is None or matcher.accepts_text(turn.printed, stated.ignore)
        if not agrees or (wanted.typed is None) is not (turn.typed is None):
            return _parted(shared, wanted, turn, example=example)
        shared.append(turn)
    return _parted(shared, None, None, example=False)


def _closed(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """With a last turn in which nothing was typed, even where nothing was printed either."""
    return turns if turns and turns[-1].typed is None else (*turns, Turn(printed=""))


def _parted(
    shared: list[Turn], expected: Turn | None, actual: Turn | None, *, example: bool
) -> Conversation:
    return Conversation(
        shared=_recent(shared),
        expected=expected and _short(expected),
        actual=actual and _short(actual),
        example=example and expected is not None,
    )


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
        left_out = len(turns) - len(recent)
        recent.insert(0, Turn(printed=f"[… {left_out} earlier turns left out …]\n"))
    return tuple(recent)
