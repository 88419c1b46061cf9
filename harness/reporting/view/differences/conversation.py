"""What a page or a terminal shows of a verdict: the screen up to where it differs, then the
differences."""

from __future__ import annotations

from harness.model.observation import Turn
from harness.model.verdict import Channel, Conversation, Verdict
from harness.reporting.view.differences.comparison import Comparison, comparison, of_texts

_MOST_LINES = 40
_MOST_CHARACTERS = 6000


def comparisons(verdict: Verdict) -> tuple[Comparison, ...]:
    """The differences of a verdict; printed text is left out where the conversation shows it."""
    conversation = verdict.conversation
    shown = False
    if conversation is not None:
        turn = next_turn(conversation)
        shown = has_next_turn(conversation) if turn is None else turn.differs
    return tuple(
        comparison(difference)
        for difference in verdict.differences
        if not (shown and difference.channel is Channel.PRINTS)
    )


def next_turn(conversation: Conversation) -> Comparison | None:
    """The turns after the shared ones side by side. None where one side has none, and where the
    expected one is only an example: what differs from it need not be wrong."""
    expected, actual = conversation.expected, conversation.actual
    if expected is None or actual is None or conversation.example:
        return None
    return of_texts(expected.printed, actual.printed, "turn")


def has_next_turn(conversation: Conversation) -> bool:
    """Whether the two sides differ at a turn; otherwise something else differs."""
    if next_turn(conversation) is not None:
        return True
    turns = (conversation.expected, conversation.actual)
    return any(turn is not None and (turn.printed or turn.typed is not None) for turn in turns)


def folded(
    turns: tuple[Turn, ...], most: int = _MOST_LINES
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """The turns in two parts: earlier ones, and the last ones, of about `most` lines, which are
    always in view."""
    lines = 0
    for index in range(len(turns) - 1, -1, -1):
        lines += turns[index].printed.count("\n") + 1
        if lines > most:
            cut = min(index + 1, len(turns) - 1)
            return turns[:cut], turns[cut:]
    return (), turns


def shortened(printed: str) -> str:
    """What was printed in a turn; of a very long text the beginning and the end."""
    if len(printed) <= _MOST_CHARACTERS:
        return printed
    half = _MOST_CHARACTERS // 2
    left_out = len(printed) - 2 * half
    return f"{printed[:half]}\n[… {left_out:,} characters left out …]\n{printed[-half:]}"
