"""Grids for `harness fuzz`: such as a game can come to, of all sizes."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

COLOURS = ("red", "black")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1))
Grid = list[list[str]]
Named = st.SearchStrategy[dict[str, object]]


@st.composite
def _grids(draw: Callable[..., int]) -> tuple[Grid, int]:
    """A grid and a column: at most one line of four, through that column's highest checker."""
    rows, columns = draw(st.integers(4, 10)), draw(st.integers(4, 10))
    heights = [draw(st.integers(0, rows)) for _ in range(columns)]
    down, right = DIRECTIONS[draw(st.integers(0, 3))]
    row, first = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
    colour, length = COLOURS[draw(st.integers(0, 1))], (4, 4, 4, 3, 0)[draw(st.integers(0, 4))]
    # Lines that would leave the grid end at its edge.
    first = min(first, columns - 1 - 3 * right)
    row = max(row, 3) if down < 0 else min(row, rows - 1 - 3 * down)
    column = first + right * draw(st.integers(0, 3))
    places = [(row + i * down, first + i * right) for i in range(length)]
    for at, across in places:
        heights[across] = max(heights[across], rows - at)
    if right and length:
        heights[column] = max([rows - at for at, across in places if across == column] or [0])
    grid = [
        [
            COLOURS[(at + across // 2) % 2] if at >= rows - heights[across] else "empty"
            for across in range(columns)
        ]
        for at in range(rows)
    ]
    for at, across in places:
        grid[at][across] = colour
    return grid, column


def grids() -> Named:
    return _grids().map(lambda drawn: {"grid": drawn[0]})


def ends() -> Named:
    return _grids().map(lambda drawn: {"grid": drawn[0], "column": drawn[1]})


def moves() -> Named:
    column, checker = st.integers(-2, 12), st.sampled_from(COLOURS)
    return st.tuples(_grids(), column, checker).map(
        lambda drawn: {"grid": drawn[0][0], "column": drawn[1], "checker": drawn[2]}
    )


def sizes() -> Named:
    return st.fixed_dictionaries({"nRows": st.integers(4, 10), "nCols": st.integers(4, 10)})


def is_settled(grid: Grid, column: int) -> bool:
    """Whether every line of four goes through the column's highest checker: of others it is not
    settled whether they are reported."""
    if not 0 <= column < len(grid[0]):
        return True
    top = next((row for row, spots in enumerate(grid) if spots[column] != "empty"), -1)
    for row, spots in enumerate(grid):
        for across, colour in enumerate(spots):
            for down, right in DIRECTIONS:
                line = [(row + i * down, across + i * right) for i in range(4)]
                there = all(0 <= r < len(grid) and c < len(spots) for r, c in line)
                if colour == "empty" or not there:
                    continue
                if all(grid[r][c] == colour for r, c in line) and (top, column) not in line:
                    return False
    return True
