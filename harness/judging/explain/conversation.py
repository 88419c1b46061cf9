"""A conversation on the terminal up to the turn that differs from the reference's."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from harness.common.escaping import shortened
from harness.judging.compare.texts import exactly, expected_turns
from harness.matchers import AnyValue
from harness.model.expectation import Expectation
from harness.model.observation import Observation, Turn
from harness.model.stimulus import Stimulus
from harness.model.verdict import Conversation

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
