"""Conversations: at each prompt that the reference shows, the next line that was drawn for it.

The states are the prompts, which the assignment names with the lines that may be typed there; the
reference says only which prompt comes next. So a line that is typed too early or too late is what
the drawn game asks for, never a slip of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from harness.common.errors import UserError
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Stimulus, Typed
from harness.model.study.fuzzing import FuzzTarget
from harness.study.fuzz.drawing import Typing

_MOST_CLOSING = 150  # lines typed to bring a game to its end
_MOST_ROUNDS = 400
_MOST_CANDIDATES = 600  # shorter games that are tried
_LONGEST_SHOWN = 60

Run = Callable[[Sequence[Stimulus]], list[Observation]]


@dataclass(slots=True)
class _Game:
    """A game being played: what was typed at which prompt (by its number), as far as is known, and
    what usually follows a prompt."""

    lines: Typing
    known: list[tuple[int, str]] = field(default_factory=list)
    follows: dict[int, int] = field(default_factory=dict)
    over: bool = False
    typed: list[str] = field(default_factory=list)


def played(
    target: FuzzTarget, drawn: Sequence[Typing], closing: Sequence[Sequence[str]], run: Run
) -> list[Stimulus]:
    """The games in full, with what is typed; those that the reference does not bring to an end are
    left out. UserError where it shows a prompt that the assignment does not name."""
    games = [_Game(lines=lines) for lines in drawn]
    for _ in range(_MOST_ROUNDS):
        playing = [game for game in games if not game.over]
        if not playing:
            break
        for game in playing:
            game.typed = _guessed(target, game, closing)
        seen = run([_typing(target, game.typed) for game in playing])
        for game, observation in zip(playing, seen, strict=True):
            _learn(target, game, observation, closing)
    return [_typing(target, game.typed) for game in games if game.over and game.typed]


def _guessed(target: FuzzTarget, game: _Game, closing: Sequence[Sequence[str]]) -> list[str]:
    """What to type if the prompts come as they came before."""
    taken = [number for number, _ in game.known]
    typed = [line for _, line in game.known]
    prompt = game.follows.get(taken[-1], 0) if taken else 0
    while len(typed) < target.inputs + _MOST_CLOSING:
        typed.append(_line(target, game, taken, prompt, closing))
        taken.append(prompt)
        prompt = game.follows.get(prompt, 0)
    return typed


def _line(
    target: FuzzTarget,
    game: _Game,
    taken: Sequence[int],
    prompt: int,
    closing: Sequence[Sequence[str]],
) -> str:
    """The next line for a prompt, after these."""
    index = taken.count(prompt)
    lines = game.lines[prompt]
    # The first prompt's lines are the game; when they are at an end, so is the game.
    going_on = taken.count(0) < len(game.lines[0]) and len(taken) < target.inputs
    if going_on and prompt == 0:
        return lines[index]
    if going_on:
        return lines[index % len(lines)]
    return closing[prompt][index % len(closing[prompt])]


def _learn(
    target: FuzzTarget, game: _Game, seen: Observation, closing: Sequence[Sequence[str]]
) -> None:
    """Follow what was printed up to where something was typed that was meant for another prompt."""
    taken: list[int] = []
    for turn in seen.turns:
        if turn.typed is None:
            break
        prompt = _prompt(target, turn.printed)
        if taken:
            game.follows[taken[-1]] = prompt
        line = _line(target, game, taken, prompt, closing)
        taken.append(prompt)
        if turn.typed.text != line:
            game.known = [*zip(taken[:-1], game.typed, strict=False), (prompt, line)]
            return
    game.over = True
    fits = seen.ending is Ending.ANSWERED and seen.raised is None
    game.typed = game.typed[: len(taken)] if fits else []


def _prompt(target: FuzzTarget, printed: str) -> int:
    for number, prompt in enumerate(target.prompts):
        if printed.endswith(prompt.text):
            return number
    raise UserError(
        f"{target.id}: the reference asks after {printed[-_LONGEST_SHOWN:]!r}",
        place=str(target.place),
        hint="name this prompt under answers:",
    )


def _typing(target: FuzzTarget, lines: Sequence[str]) -> Stimulus:
    return replace(target.stimulus, inputs=tuple(Typed(text=line) for line in lines))


def shortened(stimulus: Stimulus, differs: Callable[[Stimulus], Stimulus | None]) -> Stimulus:
    """The game with as many inputs left out as can be while it still differs: `differs` is given a
    game and says with which inputs, of these, it does."""
    best = stimulus
    left = _MOST_CANDIDATES
    size = max(1, len(best.inputs) // 2)
    while left > 0:
        start, smaller = 0, False
        while start < len(best.inputs) and left > 0:
            inputs = (*best.inputs[:start], *best.inputs[start + size :])
            left -= 1
            found = differs(replace(best, inputs=inputs))
            if found is not None and len(found.inputs) < len(best.inputs):
                best, smaller = found, True
            else:
                start += size
        if size == 1 and not smaller:
            break
        size = max(1, size // 2) if not smaller else min(size, max(1, len(best.inputs) // 2))
    return best
