"""A terminal scenario as a person would have seen it, up to the turn where it parts."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.observation import Turn
from harness.model.verdict import Conversation
from harness.reporting.view.comparison import Comparison, of_texts

_MOST_LINES = 40
_MOST_CHARACTERS = 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPiece:
    """A stretch of the screen, printed by the program or typed by the person."""

    text: str
    typed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenView:
    """`earlier` and `recent` are the shared part (the recent part is always in view); then both
    sides' next turn. `comparison` is None when one side has no next turn, and where the expected
    one is only an `example`: what differs from it need not be wrong."""

    earlier: tuple[ScreenPiece, ...]
    recent: tuple[ScreenPiece, ...]
    turns_shared: int
    comparison: Comparison | None
    expected: tuple[ScreenPiece, ...]
    actual: tuple[ScreenPiece, ...]
    expected_ends: bool
    actual_ends: bool
    example: bool = False

    @property
    def parts(self) -> bool:
        """Whether the two sides part at a turn; otherwise something else differs."""
        return bool(self.comparison or self.expected or self.actual)


def screen(conversation: Conversation) -> ScreenView:
    """A conversation laid out for reading."""
    turns = conversation.shared
    cut = _start_of_recent(turns)
    expected, actual = conversation.expected, conversation.actual
    both = None
    if expected is not None and actual is not None and not conversation.example:
        both = of_texts(expected.printed, actual.printed, "turn")
    return ScreenView(
        earlier=_pieces(turns[:cut]),
        recent=_pieces(turns[cut:]),
        turns_shared=len(turns),
        comparison=both,
        expected=_pieces((expected,)) if expected else (),
        actual=_pieces((actual,)) if actual else (),
        expected_ends=expected is None or expected.typed is None,
        actual_ends=actual is None or actual.typed is None,
        example=conversation.example,
    )


def _start_of_recent(turns: tuple[Turn, ...]) -> int:
    lines = 0
    for index in range(len(turns) - 1, -1, -1):
        lines += turns[index].printed.count("\n") + 1
        if lines > _MOST_LINES:
            return min(index + 1, len(turns) - 1)
    return 0


def _pieces(turns: tuple[Turn, ...]) -> tuple[ScreenPiece, ...]:
    found: list[ScreenPiece] = []
    for turn in turns:
        if turn.printed:
            found.append(ScreenPiece(text=_shortened(turn.printed), typed=False))
        if turn.typed is not None:
            found.append(ScreenPiece(text=turn.typed.shown(), typed=True))
    return tuple(found)


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    half = _MOST_CHARACTERS // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[… {left_out:,} characters left out …]\n{text[-half:]}"
