"""Entries for `harness fuzz`, and which games the sheet settles."""

from __future__ import annotations


def moves(GRID_SIZE: int, PIECES_PER_PLAYER: int) -> list[str]:  # noqa: N803
    """Every entry that is a move."""
    numbers = range(1, GRID_SIZE + 1)
    sizes = range(1, PIECES_PER_PLAYER + 1)
    return [f"{row} {column} {size}" for size in sizes for row in numbers for column in numbers]


def other_entries(GRID_SIZE: int, PIECES_PER_PLAYER: int) -> list[str]:  # noqa: N803
    """Help, numbers that are too large or too small, and what is no move."""
    row, size = GRID_SIZE + 1, PIECES_PER_PLAYER + 1
    return ["h", "H", f"{row} 1 1", f"1 {row} 1", f"1 1 {size}", "0 1 1", "1 0 1", "1 1 0",
            "", "1", "1 1", "1,1,1", "111", "a b c", "-1 1 1", "help", "q"]  # fmt: skip


def is_settled(printed: str) -> bool:
    """Whether whoever is asked for a move has one: the sheet does not settle games in which only
    the other player has one, or no pieces are left for the empty cells."""
    for game in printed.split("O has: ")[1:]:
        naughts, _, rest = game.partition("\nX has: ")
        crosses, _, rest = rest.partition("\n")
        board, turn, _ = rest.partition(" turn to move")
        cells = [cell for line in board.splitlines() for cell in line.split("|")[1:-1]]
        pieces = naughts if board.rstrip().endswith("O") else crosses
        sizes = [int(size) for size in pieces.split(", ") if size]
        smallest = min((0 if cell == "  " else int(cell[1:]) for cell in cells), default=0)
        if turn and (not sizes or max(sizes) <= smallest):
            return False
        ended_without_pieces = "Stalemate!" in board and not naughts and not crosses
        if ended_without_pieces and "  " in cells:
            return False
    return True
