"""The four functions of connect4.py, for a c4game.py whose own ones do not work.

Plain and slow; shares no line with the reference. It is laid beside a program under the name
connect4.py, and is never handed out.
"""
# ruff: noqa: N802, N803  (names that the sheet gives)

from __future__ import annotations

Grid = list[list[str]]


def makeGrid(nRows: int, nCols: int) -> Grid:
    return [["empty" for _ in range(nCols)] for _ in range(nRows)]


def play(grid: Grid, column: int, checker: str) -> bool:
    if column not in range(len(grid[0])):
        return False
    for row in reversed(grid):
        if row[column] == "empty":
            row[column] = checker
            return True
    return False


def win(grid: Grid, column: int) -> str:
    places = {
        (r, c): checker
        for r, row in enumerate(grid)
        for c, checker in enumerate(row)
        if checker != "empty"
    }
    highest = min((r for r, c in places if c == column), default=None)
    if highest is None:
        return "empty"
    colour = places[highest, column]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for first in range(-3, 1):
            steps = range(first, first + 4)
            line = [places.get((highest + i * down, column + i * right)) for i in steps]
            if line == [colour] * 4:
                return colour
    return "empty"


def toString(grid: Grid) -> str:
    marks = {"red": "X", "black": "O", "empty": " "}
    rows = [f"|{''.join(marks[checker] for checker in row)}|{r}\n" for r, row in enumerate(grid)]
    labels = "".join(map(str, range(len(grid[0]))))
    return f"{''.join(rows)}+{'-' * len(labels)}+\n {labels}"
