"""The workload: 120 unit calls and 30 games of 20 inputs on the Connect 4 (ish) reference."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
import types
from dataclasses import dataclass
from pathlib import Path

REFERENCE = Path(__file__).parent.parent / "reference" / "connect4ish"
SIZE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Expressions with their (repr of value, printed text), games with their whole output."""

    calls: tuple[str, ...]
    games: tuple[tuple[str, ...], ...]
    call_answers: tuple[tuple[str, str], ...]
    game_answers: tuple[str, ...]


def _boards() -> list[list[str]]:
    boards = []
    for shift in range(30):
        board = ["-" * SIZE for _ in range(SIZE)]
        for column in range(SIZE):
            height = (column * 3 + shift) % 5
            pieces = "".join("XO"[(row + column + shift) % 2] for row in range(height))
            board[column] = "-" * (SIZE - height) + pieces
        boards.append(board)
    return boards


def calls() -> tuple[str, ...]:
    """120 expressions: 30 each of four functions."""
    boards = _boards()
    commands = [f"{letter}{number}" for letter in "arAR" for number in range(7)] + ["h", "x9"]
    found = [f"check_input({command!r})" for command in commands[:30]]
    found += [f"add_piece({board!r}, 'X', {i % SIZE})" for i, board in enumerate(boards)]
    found += [f"remove_piece({board!r}, {i % SIZE})" for i, board in enumerate(boards)]
    found += [f"check_win({board!r})" for board in boards]
    return tuple(found)


def games() -> tuple[tuple[str, ...], ...]:
    """30 games of 20 inputs: 18 moves along the rows, which no one wins, then q and n."""
    played = []
    for shift in range(30):
        columns = [(move + shift) % SIZE + 1 for move in range(18)]
        played.append((*(f"a{column}" for column in columns), "q", "n"))
    return tuple(played)


def workload() -> Workload:
    """The workload with its answers, found by running the reference in this process."""
    answers = []
    sys.path.insert(0, str(REFERENCE))
    for expression in calls():
        module = types.ModuleType("a1")
        exec(compile((REFERENCE / "a1.py").read_bytes(), "a1.py", "exec"), module.__dict__)
        with contextlib.redirect_stdout(io.StringIO()) as screen:
            value = eval(expression, module.__dict__)
        answers.append((repr(value), screen.getvalue()))
    transcripts = []
    for game in games():
        typed = io.StringIO("".join(f"{line}\n" for line in game))
        with contextlib.redirect_stdout(io.StringIO()) as screen:
            keyboard, sys.stdin = sys.stdin, typed
            try:
                runpy.run_path(str(REFERENCE / "a1.py"), run_name="__main__")
            finally:
                sys.stdin = keyboard
        transcripts.append(screen.getvalue())
    sys.path.remove(str(REFERENCE))
    return Workload(
        calls=calls(),
        games=games(),
        call_answers=tuple(answers),
        game_answers=tuple(transcripts),
    )
