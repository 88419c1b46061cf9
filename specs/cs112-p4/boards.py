"""Boards, places and moves for the specs of CS 112's project 4.

Generators give dicts: the names a scenario uses, and plain values. Boards are lists of rows, each
from left to right. What is thrown at random is the same at every recording. Nothing here asks the
reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

RUN = 4
BLANK = "."
RIGHT, DOWN, DOWN_RIGHT, UP_RIGHT = (0, 1), (1, 0), (1, 1), (-1, 1)
DIRECTIONS = (RIGHT, DOWN, DOWN_RIGHT, UP_RIGHT)
ROWS, COLUMNS = 6, 7

Board = list[list[str]]
Place = tuple[int, int]
Named = dict[str, object]


def blank(rows: int, columns: int) -> Board:
    return [[BLANK] * columns for _ in range(rows)]


def line(place: Place, direction: Place, length: int = RUN) -> list[Place]:
    """The places that follow one another from `place`."""
    (row, column), (down, right) = place, direction
    return [(row + i * down, column + i * right) for i in range(length)]


def lines(direction: Place, length: int = RUN) -> Iterator[list[Place]]:
    """Every line in a direction on a board of the usual size."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            places = line((row, column), direction, length)
            last_row, last_column = places[-1]
            if 0 <= last_row < ROWS and last_column < COLUMNS:
                yield places


def drawn(places: list[Place], color: str) -> Board:
    """The board with pieces at these places, on as many as they need to stand on, without a run
    among the latter: pairs of a color in a row, single ones in a column."""
    board = blank(ROWS, COLUMNS)
    for row, column in places:
        for below in range(row, ROWS):
            board[below][column] = "RY"[(below + column // 2) % 2]
    for row, column in places:
        board[row][column] = color
    return board


def beginnings(direction: Place) -> Iterator[Named]:
    """Every run, asked about at the place where it begins."""
    for number, places in enumerate(lines(direction)):
        (row, column) = places[0]
        yield {"board": drawn(places, "RY"[number % 2]), "r": row, "c": column}


def elsewhere(direction: Place) -> Iterator[Named]:
    """Every run, asked about at another of its places, each in its turn."""
    for number, places in enumerate(lines(direction)):
        row, column = places[1 + number % (RUN - 1)]
        yield {"board": drawn(places, "RY"[number % 2]), "r": row, "c": column}


def broken(direction: Place) -> Iterator[Named]:
    """Every line of four with one place taken by the other color, asked about where it begins."""
    for number, places in enumerate(lines(direction)):
        board = drawn(places, "R")
        row, column = places[number % RUN]
        board[row][column] = "Y"
        yield {"board": board, "r": places[0][0], "c": places[0][1]}


def horizontal_runs() -> Iterator[Named]:
    yield from beginnings(RIGHT)


def horizontal_elsewhere() -> Iterator[Named]:
    yield from elsewhere(RIGHT)
    yield from broken(RIGHT)


def vertical_runs() -> Iterator[Named]:
    yield from beginnings(DOWN)


def vertical_elsewhere() -> Iterator[Named]:
    yield from elsewhere(DOWN)
    yield from broken(DOWN)


def major_runs() -> Iterator[Named]:
    yield from beginnings(DOWN_RIGHT)


def major_elsewhere() -> Iterator[Named]:
    yield from elsewhere(DOWN_RIGHT)
    yield from broken(DOWN_RIGHT)


def minor_runs() -> Iterator[Named]:
    yield from beginnings(UP_RIGHT)


def minor_elsewhere() -> Iterator[Named]:
    yield from elsewhere(UP_RIGHT)
    yield from broken(UP_RIGHT)


def every_win() -> Iterator[Named]:
    """A board for every run on a board of the usual size, of either color in turn."""
    for direction in DIRECTIONS:
        for number, places in enumerate(lines(direction)):
            yield {"board": drawn(places, "RY"[number % 2])}


def every_near_miss() -> Iterator[Named]:
    """A board for every line of four that the other color breaks."""
    for direction in DIRECTIONS:
        yield from ({"board": draw["board"]} for draw in broken(direction))


def every_size() -> Iterator[Named]:
    """The numbers of rows and columns up to eight."""
    for rows in range(1, 9):
        for columns in range(1, 9):
            yield {"num_rows": rows, "num_cols": columns}


def every_place() -> Iterator[Named]:
    """The places of three boards, and those around them."""
    for rows, columns in ((1, 1), (2, 5), (5, 3)):
        for row in range(-2, rows + 2):
            for column in range(-2, columns + 2):
                yield {"board": blank(rows, columns), "r": row, "c": column}


def every_floater() -> Iterator[Named]:
    """A piece above a blank at every place of a small board, and nothing else."""
    for row in range(4):
        for column in range(5):
            board = blank(5, 5)
            board[row][column] = "AB"[(row + column) % 2]
            yield {"board": board}


def thrown(make: Callable[[Random], Named], count: int) -> Iterator[Named]:
    """So many draws of `make`, each with dice of its own."""
    return (make(Random(seed)) for seed in range(count))


def stacked(dice: Random, smallest: int = 1, largest: int = 7, colors: str = "") -> Board:
    """A rectangular board without floating pieces, of at most two colors."""
    rows, columns = dice.randint(smallest, largest), dice.randint(smallest, largest)
    colors = colors or dice.choice(["AB", "OX", "RY", "ZQ"])
    board = blank(rows, columns)
    for column in range(columns):
        for row in range(dice.randint(0, rows), rows):
            board[row][column] = dice.choice(colors)
    return board


def any_board() -> Iterator[Named]:
    return thrown(lambda dice: {"board": stacked(dice)}, 50)


def any_grid() -> Iterator[Named]:
    """Any rectangle of periods and a few letters, and one of the letters."""

    def grid(dice: Random) -> Named:
        rows, columns = dice.randint(1, 6), dice.randint(1, 6)
        letters = dice.choice(["...XOABZ", "..AB", ".....Z"])
        board = [dice.choices(letters, k=columns) for _ in range(rows)]
        return {"board": board, "color": dice.choice("XOABZ")}

    return thrown(grid, 60)


def any_text() -> Iterator[Named]:
    """The text of a board, blank lines among its lines, the last newline there or not."""

    def text(dice: Random) -> Named:
        rows = ["".join(row) for row in stacked(dice)]
        lines = [row + dice.choice(["\n", "\n", "\n\n", "\n\n\n"]) for row in rows[:-1]]
        return {
            "s": dice.choice(["", "", "\n", "\n\n"])
            + "".join(lines)
            + rows[-1]
            + dice.choice(["", "\n", "\n\n"])
        }

    return thrown(text, 50)


def any_wrong_text() -> Iterator[Named]:
    """The text of a board with one character of another kind, or a line too long or too short."""

    def text(dice: Random) -> Named:
        rows = ["".join(row) for row in stacked(dice, smallest=2)]
        at = dice.randrange(len(rows))
        where = dice.randrange(len(rows[at]))
        before, after = rows[at][:where], rows[at][where + 1 :]
        odd = dice.choice("abxyz0159,;:-_*?!/|#")
        rows[at] = dice.choice(
            [before + odd + after, before + odd + after, rows[at] + ".", before + after]
        )
        return {"s": "\n".join(rows) + "\n"}

    return thrown(text, 50)


def any_move() -> Iterator[Named]:
    """A board, one of its colors, and a column of it or one beside it; full columns often."""

    def move(dice: Random) -> Named:
        board = stacked(dice)
        colors = sorted({spot for row in board for spot in row} - {BLANK}) or ["A"]
        columns = len(board[0])
        column = dice.randrange(columns)
        beside = [-columns - 1, -columns, -1, columns, columns + 1]
        if dice.random() < 0.3:
            column = dice.choice(beside)
        elif dice.random() < 0.3:
            for number, row in enumerate(board):
                row[column] = colors[number % len(colors)]
        return {"board": board, "c": column, "color": dice.choice(colors)}

    return thrown(move, 60)


def any_place() -> Iterator[Named]:
    """A board on which runs are likely, and a place on it or beside it."""

    def place(dice: Random) -> Named:
        board = stacked(dice, smallest=3, largest=6, colors="AB")
        rows, columns = len(board), len(board[0])
        row, column = dice.randint(-1, rows), dice.randint(-1, columns)
        length = dice.randint(2, 5)
        for down, right in line((row, column), dice.choice(DIRECTIONS), length):
            if 0 <= down < rows and 0 <= right < columns:
                board[down][right] = "A"
                for below in range(down + 1, rows):
                    if board[below][right] == BLANK:
                        board[below][right] = dice.choice("AB")
        return {"board": board, "r": row, "c": column}

    return thrown(place, 60)


def has_run(board: Board, color: str) -> bool:
    places = {
        (row, column)
        for row, spots in enumerate(board)
        for column, spot in enumerate(spots)
        if spot == color
    }
    return any(places.issuperset(line(place, way)) for place in places for way in DIRECTIONS)


def popped(board: Board, column: int) -> Board:
    """The board after its bottom piece is taken out of a column."""
    after = [list(row) for row in board]
    for row in range(len(board) - 1, 0, -1):
        after[row][column] = board[row - 1][column]
    after[0][column] = BLANK
    return after


def wins_by_popping(board: Board, color: str) -> bool:
    return any(
        board[-1][column] == color and has_run(popped(board, column), color)
        for column in range(len(board[0]))
    )


def any_attack() -> Iterator[Named]:
    """A board with a line that wants one piece, and a color. No color wins it by popping out."""

    def attack(dice: Random) -> Named:
        while True:
            places = dice.choice([*lines(dice.choice(DIRECTIONS))])
            color = dice.choice("RY")
            board = drawn(places, color)
            row, column = dice.choice(places)
            for above in range(row + 1):
                board[above][column] = BLANK
            if not any(wins_by_popping(board, each) for each in "RY"):
                return {
                    "board": board,
                    "color": color if dice.random() < 0.7 else dice.choice("RYZ"),
                }

    return thrown(attack, 70)
