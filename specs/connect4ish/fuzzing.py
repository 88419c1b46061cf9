"""Boards and commands for `harness fuzz`: what scenarios do not draw from, lines more often.

Boards are such as play leaves them: pieces below blanks.
"""

from __future__ import annotations

from hypothesis import strategies as st

LENGTH = 4
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def _line(number: int, size: int) -> list[tuple[int, int]]:
    """One of the lines of four: (column, row) pairs, row 0 at the top."""
    across, down = DIRECTIONS[number % len(DIRECTIONS)]
    number //= len(DIRECTIONS)
    columns = size - (LENGTH - 1 if across else 0)
    rows = size - (LENGTH - 1 if down else 0)
    column, row = number % columns, number // columns % rows
    if down < 0:
        row += LENGTH - 1
    return [(column + across * i, row + down * i) for i in range(LENGTH)]


def boards(BOARD_SIZE: int) -> st.SearchStrategy[dict[str, object]]:  # noqa: N803
    """Columns of any heights, with up to three lines in them, each whole or with a gap."""
    size = BOARD_SIZE
    line = st.tuples(st.integers(0, 4 * size * size - 1), st.sampled_from("XO"), st.integers(0, 5))

    def board(
        drawn: tuple[list[int], int, list[tuple[int, str, int]]],
    ) -> dict[str, object]:
        heights, bits, lines = drawn
        pieces: dict[tuple[int, int], str] = {}
        for number, piece, gap in lines:
            for index, (column, row) in enumerate(_line(number, size)):
                heights[column] = max(heights[column], size - row)
                other = "O" if piece == "X" else "X"
                pieces[column, row] = other if index == gap else piece

        def square(column: int, row: int) -> str:
            if row < size - heights[column]:
                return "-"
            # Without bits the pieces make no line by themselves.
            return (
                pieces.get((column, row))
                or "XO"[(row + column // 2 + (bits >> (column * size + row))) % 2]
            )

        columns = ["".join(square(c, row) for row in range(size)) for c in range(size)]
        return {"board": columns}

    heights = st.lists(st.integers(0, size), min_size=size, max_size=size)
    bits = st.integers(0, 2 ** (size * size) - 1)
    return st.tuples(heights, bits, st.lists(line, max_size=3)).map(board)


def columns(BOARD_SIZE: int) -> st.SearchStrategy[dict[str, object]]:  # noqa: N803
    """A column as play leaves it."""
    texts = st.text(alphabet="XO", max_size=BOARD_SIZE)
    return texts.map(lambda pieces: {"column": pieces.rjust(BOARD_SIZE, "-")})


def moves(BOARD_SIZE: int) -> list[str]:  # noqa: N803
    """Every command that names a column; a piece is added three times as often as removed."""
    numbers = range(1, BOARD_SIZE + 1)
    return [f"{action}{number}" for number in numbers for action in ("a", "a", "A", "r")]


def removals(BOARD_SIZE: int) -> list[str]:  # noqa: N803
    """Every command that names a column; of those with pieces about as many are lost as won."""
    numbers = range(1, BOARD_SIZE + 1)
    return [f"{action}{number}" for number in numbers for action in "arr"]


def wrong_commands(BOARD_SIZE: int) -> list[str]:  # noqa: N803
    """Columns that are not there, and what is no command."""
    return [f"a{BOARD_SIZE + 1}", "r0", "a99", "", "a", "x1", "a-1", " a1", "help", "1a", "aa"]


def other_commands(BOARD_SIZE: int) -> list[str]:  # noqa: N803
    """Wrong commands, and help as often."""
    wrong = wrong_commands(BOARD_SIZE)
    return ["h", "H"] * len(wrong) + wrong
