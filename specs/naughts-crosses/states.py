"""States of games and entries for the specs of Fancy Naughts & Crosses.

Generators and strategies take the constants they name and give dicts: the names a scenario uses,
and plain values. A board is a list of rows; its states are such that play leads to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from hypothesis import strategies as st

EMPTY = "  "
PLAYERS = ("O", "X")
GAMES = 400

Cell = tuple[int, int]
Move = tuple[int, int, int]


class State:
    """A game on a grid of `grid` rows, in which each player began with `pieces` pieces."""

    def __init__(self, grid: int, pieces: int) -> None:
        self.grid = grid
        self.board = [[EMPTY] * grid for _ in range(grid)]
        self.left = {player: list(range(1, pieces + 1)) for player in PLAYERS}
        self.player = "O"

    def fits(self, cell: Cell, size: int) -> bool:
        """Whether a piece may lie on a cell."""
        lies = self.board[cell[0]][cell[1]]
        return lies == EMPTY or int(lies[1:]) < size

    def moves(self, player: str) -> list[Move]:
        """What a player can do, whoever's turn it is."""
        cells = [(row, column) for row in range(self.grid) for column in range(self.grid)]
        return [
            (*cell, size) for cell in cells for size in self.left[player] if self.fits(cell, size)
        ]

    def make(self, move: Move) -> None:
        """Carry out a move of the player whose turn it is."""
        row, column, size = move
        self.board[row][column] = f"{self.player}{size}"
        self.left[self.player].remove(size)
        self.player = "X" if self.player == "O" else "O"

    def is_won(self) -> bool:
        """Whether somebody fills a line."""
        owners = ({self.board[row][column][0] for row, column in line} for line in lines(self.grid))
        return any(len(found) == 1 and found != {" "} for found in owners)

    def is_settled(self) -> bool:
        """Whether the sheet says if this is a stalemate: not when it is won, nor when the pieces
        ran out before the empty cells."""
        has_room = any(EMPTY in row for row in self.board)
        return not self.is_won() and not (has_room and not any(self.left.values()))

    def named(self) -> dict[str, object]:
        """The state as the parameters of a scenario."""
        return {
            "board": self.board,
            "naught_pieces": self.left["O"],
            "cross_pieces": self.left["X"],
        }


def lines(grid: int) -> Iterator[list[Cell]]:
    """Every row, column and diagonal."""
    for one in range(grid):
        yield [(one, other) for other in range(grid)]
        yield [(other, one) for other in range(grid)]
    yield [(one, one) for one in range(grid)]
    yield [(one, grid - 1 - one) for one in range(grid)]


def played(grid: int, pieces: int, choose: Callable[[Sequence[Move]], Move | None]) -> State:
    """A game in which `choose` picks every move, until it picks none or the game is over."""
    state = State(grid, pieces)
    while not state.is_won() and (moves := state.moves(state.player)):
        move = choose(moves)
        if move is None:
            break
        state.make(move)
    return state


def every_line(GRID_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """Every line, of either player, with pieces in ascending and in descending order; the other
    player has pieces elsewhere."""
    for winner, other in (PLAYERS, PLAYERS[::-1]):
        for line in lines(GRID_SIZE):
            for order in (1, -1):
                board = [[EMPTY] * GRID_SIZE for _ in range(GRID_SIZE)]
                for size, (row, column) in enumerate(line[::order], 1):
                    board[row][column] = f"{winner}{size}"
                cells = ((row, column) for row in range(GRID_SIZE) for column in range(GRID_SIZE))
                free = [cell for cell in cells if cell not in line]
                for size, (row, column) in enumerate(free[:: GRID_SIZE - 1][: GRID_SIZE - 1], 2):
                    board[row][column] = f"{other}{size}"
                yield {"board": board}


def every_broken_line(GRID_SIZE: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """Every line with one of its cells, each in its turn, empty or the other player's."""
    for number, line in enumerate(lines(GRID_SIZE)):
        player, other = PLAYERS if number % 2 else PLAYERS[::-1]
        for gap in range(GRID_SIZE):
            for filling in (EMPTY, f"{other}{GRID_SIZE}"):
                board = [[EMPTY] * GRID_SIZE for _ in range(GRID_SIZE)]
                for size, (row, column) in enumerate(line, 1):
                    board[row][column] = filling if size == gap + 1 else f"{player}{size}"
                yield {"board": board}


def every_stalemate(GRID_SIZE: int, PIECES_PER_PLAYER: int) -> Iterator[dict[str, object]]:  # noqa: N803
    """How games end in which nobody wins, and how they stood a move before that."""
    chance = random.Random(GRID_SIZE * 100 + PIECES_PER_PLAYER)
    for _ in range(GAMES):
        history: list[Move] = []

        def choose(moves: Sequence[Move], history: list[Move] = history) -> Move:
            history.append(chance.choice(moves))
            return history[-1]

        state = played(GRID_SIZE, PIECES_PER_PLAYER, choose)
        if state.is_settled() and not any(map(state.moves, PLAYERS)):
            yield state.named()
            before = State(GRID_SIZE, PIECES_PER_PLAYER)
            for move in history[:-1]:
                before.make(move)
            yield before.named()


def any_state(
    GRID_SIZE: int,  # noqa: N803
    PIECES_PER_PLAYER: int,  # noqa: N803
) -> st.SearchStrategy[dict[str, object]]:
    """A state that play leads to, won or not."""
    return _states(GRID_SIZE, PIECES_PER_PLAYER).map(State.named)


def any_settled_state(
    GRID_SIZE: int,  # noqa: N803
    PIECES_PER_PLAYER: int,  # noqa: N803
) -> st.SearchStrategy[dict[str, object]]:
    """A state of which the sheet says whether a move is left."""
    return _states(GRID_SIZE, PIECES_PER_PLAYER).filter(State.is_settled).map(State.named)


def any_wish(
    GRID_SIZE: int,  # noqa: N803
    PIECES_PER_PLAYER: int,  # noqa: N803
) -> st.SearchStrategy[dict[str, object]]:
    """A state, the pieces of a player, and what the player would like to do with a piece: often
    on top of another, and then often with one of about its size."""

    def wish(drawn: tuple[State, random.Random]) -> dict[str, object]:
        state, chance = drawn
        cells = [(row, column) for row in range(GRID_SIZE) for column in range(GRID_SIZE)]
        taken = [(row, column) for row, column in cells if state.board[row][column] != EMPTY]
        row, column = chance.choice(taken if taken and chance.random() < 0.7 else cells)
        size = chance.randint(1, PIECES_PER_PLAYER)
        if (row, column) in taken and chance.random() < 0.6:
            about = int(state.board[row][column][1:]) + chance.choice([-1, 0, 1])
            size = min(max(about, 1), PIECES_PER_PLAYER)
        return {
            "board": state.board,
            "pieces_available": state.left[state.player],
            "move": (row, column, size),
        }

    return st.tuples(_states(GRID_SIZE, PIECES_PER_PLAYER), _chances()).map(wish)


def any_placing(
    GRID_SIZE: int,  # noqa: N803
    PIECES_PER_PLAYER: int,  # noqa: N803
) -> st.SearchStrategy[dict[str, object]]:
    """A state, the player whose turn it is, and a move with a piece that the player has."""

    def placing(drawn: tuple[State, int, int, int]) -> dict[str, object]:
        state, row, column, choice = drawn
        available = state.left[state.player]
        return {
            "board": state.board,
            "player": state.player,
            "pieces_available": available,
            "move": (row, column, available[choice % len(available)]),
        }

    cell = st.integers(0, GRID_SIZE - 1)
    states = _states(GRID_SIZE, PIECES_PER_PLAYER).filter(lambda state: state.left[state.player])
    return st.tuples(states, cell, cell, st.integers(0, PIECES_PER_PLAYER)).map(placing)


def any_entry(
    GRID_SIZE: int,  # noqa: N803
    PIECES_PER_PLAYER: int,  # noqa: N803
) -> st.SearchStrategy[dict[str, object]]:
    """What a player might enter for a move, right or wrong, without what the sheet leaves open."""

    def part(chance: random.Random, largest: int) -> str:
        odd = [*"0123456789aAhx-+.", *[str(largest + 1)] * 6, "10", "-1", "one"]
        return chance.choice(odd) if chance.random() < 0.2 else str(chance.randint(1, largest))

    def entry(chance: random.Random) -> dict[str, object]:
        largest = [GRID_SIZE, GRID_SIZE, PIECES_PER_PLAYER]
        if chance.random() < 0.15:
            largest = largest[: chance.choice([1, 2])] if chance.random() < 0.5 else [*largest, 9]
        separator = chance.choice(["", ",", "-", ", "]) if chance.random() < 0.1 else " "
        return {"entry": separator.join(part(chance, one) for one in largest)}

    return _chances().map(entry)


def _chances() -> st.SearchStrategy[random.Random]:
    # A strategy's own draws crowd at the simplest values; these are as likely as one another.
    return st.integers(0, 2**63).map(random.Random)


def _states(grid: int, pieces: int) -> st.SearchStrategy[State]:
    def state(chance: random.Random) -> State:
        moves_left = chance.randint(0, 2 * pieces)

        def choose(moves: Sequence[Move]) -> Move | None:
            nonlocal moves_left
            moves_left -= 1
            return chance.choice(moves) if moves_left >= 0 else None

        return played(grid, pieces, choose)

    return _chances().map(state)
