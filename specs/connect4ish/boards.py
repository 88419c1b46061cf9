"""Boards and commands for the specs of Connect 4 (ish).

Generators and strategies take the constants they name and give dicts: the names a scenario uses,
and plain values. Boards are lists of columns, each from top to bottom.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

LENGTH = 4
DIRECTIONS = {"horizontal": (1, 0), "vertical": (0, 1), "falling": (1, 1), "rising": (1, -1)}

Place = tuple[int, int]


def lines(size: int, length: int = LENGTH) -> Iterator[list[Place]]:
    """Every line of `length` places on a board: (column, row) pairs, row 0 at the top."""
    for across, down in DIRECTIONS.values():
        for column in range(size):
            for row in range(size):
                places = [(column + across * i, row + down * i) for i in range(length)]
                last_column, last_row = places[-1]
                if last_column < size and 0 <= last_row < size:
                    yield places


def drawn(size: int, pieces: dict[Place, str]) -> list[str]:
    """The board that has these pieces and blanks everywhere else."""
    return [
        "".join(pieces.get((column, row), "-") for row in range(size)) for column in range(size)
    ]


def every_line(BOARD_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """Every line of four at every place and direction, of either player, and nothing else."""
    for places in lines(BOARD_SIZE):
        for piece in "XO":
            yield {"board": drawn(BOARD_SIZE, dict.fromkeys(places, piece))}


def every_long_line(BOARD_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """Lines of five, one for each start, player 1's and player 2's in turn."""
    for number, places in enumerate(lines(BOARD_SIZE, LENGTH + 1)):
        yield {"board": drawn(BOARD_SIZE, dict.fromkeys(places, "XO"[number % 2]))}


def every_broken_line(BOARD_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """Every line of four with one of its places taken by the other player, each in its turn."""
    for number, places in enumerate(lines(BOARD_SIZE)):
        piece, other = ("X", "O") if number % 2 else ("O", "X")
        pieces = dict.fromkeys(places, piece)
        pieces[places[number // 2 % LENGTH]] = other
        yield {"board": drawn(BOARD_SIZE, pieces)}


def every_draw(BOARD_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """A line of each player: within one column where it is high enough, in rows, in diagonals."""
    whole = range(BOARD_SIZE)
    for mine, theirs in ("XO", "OX"):
        for column in whole:
            top = {(column, row): mine for row in range(LENGTH)}
            if BOARD_SIZE >= 2 * LENGTH:
                below = {(column, row): theirs for row in whole[-LENGTH:]}
                yield {"board": drawn(BOARD_SIZE, top | below)}
            beside = (column + 1) % BOARD_SIZE
            next_to_it = {(beside, row): theirs for row in whole[-LENGTH:]}
            yield {"board": drawn(BOARD_SIZE, top | next_to_it)}
        for row in whole:
            across = {(column, row): mine for column in range(LENGTH)}
            beyond = {(column, (row + 1) % BOARD_SIZE): theirs for column in whole[-LENGTH:]}
            yield {"board": drawn(BOARD_SIZE, across | beyond)}
        if BOARD_SIZE > LENGTH:
            falling = {(i, i): mine for i in range(LENGTH)}
            crossing = {(i + 1, LENGTH - i): theirs for i in range(LENGTH)}
            beside_it = {(i + 1, i): theirs for i in range(LENGTH)}
            yield {"board": drawn(BOARD_SIZE, falling | crossing)}
            yield {"board": drawn(BOARD_SIZE, falling | beside_it)}


def any_column(size: int) -> st.SearchStrategy[str]:
    """A column as play leaves it: pieces below blanks."""
    return st.text(alphabet="XO", max_size=size).map(lambda pieces: pieces.rjust(size, "-"))


def any_board(BOARD_SIZE: int) -> st.SearchStrategy[dict[str, object]]:  # noqa: N803
    """A square board of such columns."""
    columns = st.lists(any_column(BOARD_SIZE), min_size=BOARD_SIZE, max_size=BOARD_SIZE)
    return st.fixed_dictionaries({"board": columns})


def any_move(BOARD_SIZE: int) -> st.SearchStrategy[dict[str, object]]:  # noqa: N803
    """A board, a player's piece and one of the board's columns, full or empty ones often."""
    often = st.sampled_from(["-" * BOARD_SIZE, "XO" * BOARD_SIZE, "OXX" * BOARD_SIZE])
    column = st.one_of(any_column(BOARD_SIZE), often.map(lambda text: text[:BOARD_SIZE]))
    return st.fixed_dictionaries(
        {
            "board": st.lists(column, min_size=BOARD_SIZE, max_size=BOARD_SIZE),
            "piece": st.sampled_from("XO"),
            "column_index": st.integers(0, BOARD_SIZE - 1),
        }
    )


def any_command(BOARD_SIZE: int) -> st.SearchStrategy[dict[str, object]]:  # noqa: N803
    """A command that a player might type, right or wrong, without what the sheet leaves open."""
    column, integer = st.integers(1, BOARD_SIZE), st.integers(0, 3 * BOARD_SIZE)
    number = st.one_of(column, column, integer).map(str)
    action = st.sampled_from([*"aArR" * 4, *"hHqQxX1 ", "", "ad", "re"])
    ending = st.sampled_from(["", "", "", "", "", "", " ", "a", "h", "!", ".0"])
    command = st.builds("".join, st.tuples(action, st.one_of(number, number, st.just("")), ending))
    return st.fixed_dictionaries({"command": command.filter(_is_settled)})


def _is_settled(command: str) -> bool:
    """No number with a zero before it: whether that is an integer is not settled."""
    digits = command[1:]
    return not (digits.isdigit() and len(digits) > 1 and digits[0] == "0")
