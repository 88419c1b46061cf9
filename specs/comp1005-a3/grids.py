"""Grids for the specs of COMP 1005's assignment 3: such as a game can come to, no checker floats.

Generators give dicts: the names a scenario uses, and plain values. Every line of four goes through
the highest checker of the column that is named; what is thrown at random is the same at every
recording. Nothing here asks the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

RIGHT, DOWN, FALLING, RISING = (0, 1), (1, 0), (1, 1), (-1, 1)
DIRECTIONS = (RIGHT, DOWN, FALLING, RISING)
COLOURS = ("red", "black")
SIZES = range(4, 11)

Grid = list[list[str]]
Place = tuple[int, int]
Named = dict[str, object]


def empty(rows: int, columns: int) -> Grid:
    return [["empty"] * columns for _ in range(rows)]


def line(place: Place, direction: Place, length: int) -> list[Place]:
    """The places that follow one another from `place`."""
    return [(place[0] + i * direction[0], place[1] + i * direction[1]) for i in range(length)]


def lines(rows: int, columns: int, direction: Place, length: int) -> Iterator[list[Place]]:
    """Every line in a direction."""
    for place in product(range(rows), range(columns)):
        places = line(place, direction, length)
        if 0 <= places[-1][0] < rows and places[-1][1] < columns:
            yield places


def fours(grid: Grid) -> list[list[Place]]:
    """Every line of four checkers of a colour."""
    found = []
    for direction in DIRECTIONS:
        for places in lines(len(grid), len(grid[0]), direction, 4):
            colours = {grid[r][c] for r, c in places}
            if len(colours) == 1 and colours != {"empty"}:
                found.append(places)
    return found


def drawn(rows: int, columns: int, places: list[Place], colour: str) -> Grid:
    """A grid with checkers at these places, on as many as they need to stand on: the latter in
    pairs in a row and alternating in a column, so that they make no line of four themselves."""
    grid = empty(rows, columns)
    for row, column in places:
        for below in range(row, rows):
            grid[below][column] = COLOURS[(below + column // 2) % 2]
    for row, column in places:
        grid[row][column] = colour
    return grid


def highest(grid: Grid, column: int) -> int:
    return next((r for r, row in enumerate(grid) if row[column] != "empty"), len(grid))


def _through(grid: Grid, column: int) -> bool:
    """Whether every line of four goes through the column's highest checker."""
    place = (highest(grid, column), column)
    return all(place in places for places in fours(grid))


def _lines_of(direction: Place, length: int, sizes: list[Place]) -> Iterator[Named]:
    number = 0
    for rows, columns in sizes:
        for places in lines(rows, columns, direction, length):
            for row, column in places:
                for colour in (COLOURS[number % 2], COLOURS[1 - number % 2]):
                    grid = drawn(rows, columns, places, colour)
                    if highest(grid, column) == row and _through(grid, column):
                        yield {"grid": grid, "column": column}
                        number += 1
                        break


def rows_of_four() -> Iterator[Named]:
    """Every row of four of the usual grid, asked about at each of its columns."""
    return _lines_of(RIGHT, 4, [(6, 7)])


def columns_of_four() -> Iterator[Named]:
    return _lines_of(DOWN, 4, [(6, 7), (10, 4)])


def falling_fours() -> Iterator[Named]:
    return _lines_of(FALLING, 4, [(6, 7)])


def rising_fours() -> Iterator[Named]:
    return _lines_of(RISING, 4, [(6, 7)])


def lines_of_three() -> Iterator[Named]:
    """Three in a line and no more, on the smallest and the usual grid."""
    for direction in DIRECTIONS:
        for case in _lines_of(direction, 3, [(4, 4), (6, 7)]):
            if not fours(case["grid"]):  # type: ignore[arg-type]
                yield case


def longer_lines() -> Iterator[Named]:
    """Lines of five to seven: the checker that was played last joined two shorter ones."""
    for length, direction in product((5, 6, 7), (RIGHT, FALLING, RISING)):
        for case in _lines_of(direction, length, [(7, 9)]):
            grid, column = case["grid"], case["column"]
            assert isinstance(grid, list) and isinstance(column, int)
            row = highest(grid, column)
            colour, grid[row][column] = grid[row][column], "empty"
            possible = not fours(grid)
            grid[row][column] = colour
            if possible:
                yield case


def _game(dice: Random, rows: int, columns: int) -> Iterator[tuple[Grid, int]]:
    """A game of random moves: the grid and the column after each, until it is over."""
    grid = empty(rows, columns)
    moves = 0
    while not fours(grid) and "empty" in grid[0]:
        column = dice.choice([c for c in range(columns) if grid[0][c] == "empty"])
        grid[highest(grid, column) - 1][column] = COLOURS[moves % 2]
        moves += 1
        yield [[*row] for row in grid], column


def ends_of_games() -> Iterator[Named]:
    """How games of all sizes end, won or not."""
    dice = Random(1005)
    for rows, columns in product(SIZES, SIZES):
        grid, column = list(_game(dice, rows, columns))[-1]
        yield {"grid": grid, "column": column}


def games_going_on() -> Iterator[Named]:
    """Somewhere in a game, at every column that is there and at one to each side."""
    dice = Random(1405)
    for rows, columns in [(4, 4), (4, 7), (6, 7), (7, 4), (10, 10)]:
        for number in range(4):
            grid, _ = list(_game(dice, rows, columns))[-2 - number]
            for column in range(-1, columns + 1):
                yield {"grid": [[*row] for row in grid], "column": column}


def moves() -> Iterator[Named]:
    """Any grid of a game, any column from two before the first to two after the last."""
    for number, case in enumerate(games_going_on()):
        yield {**case, "checker": COLOURS[number % 2]}
    dice = Random(3)
    for rows, columns in product(SIZES, (4, 7, 10)):
        *_, (grid, column) = _game(dice, rows, columns)
        for beside in (column, -2, -columns, columns, columns + 1):
            yield {
                "grid": [[*row] for row in grid],
                "column": beside,
                "checker": dice.choice(COLOURS),
            }


def any_grids() -> Iterator[Named]:
    """Grids of all sizes, from every part of a game."""
    dice = Random(10)
    for rows, columns in product(SIZES, SIZES):
        grid, _ = dice.choice(list(_game(dice, rows, columns)))
        yield {"grid": grid}
