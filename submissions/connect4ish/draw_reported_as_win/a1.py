from typing import Optional
from a1_support import *


def num_hours() -> float:
    """Hours spent."""
    return 9.0


def generate_initial_board() -> list[str]:
    """Return an empty board."""
    return [BLANK_PIECE * BOARD_SIZE] * BOARD_SIZE


def is_column_full(column: str) -> bool:
    """Return True if column is full."""
    for c in column:
        if c == BLANK_PIECE:
            return False
    return True


def is_column_empty(column: str) -> bool:
    """Return True if column is empty."""
    for c in column:
        if c != BLANK_PIECE:
            return False
    return True


def display_board(board: list[str]) -> None:
    """Print the board."""
    size = len(board)
    for i in range(size):
        print(COLUMN_SEPARATOR, end="")
        for j in range(size):
            print(board[j][i] + COLUMN_SEPARATOR, end="")
        print()
    for j in range(size):
        print(" " + str(j + 1), end="")
    print(" ")


def check_input(command: str) -> bool:
    """Return True if command is ok, else print what is wrong."""
    if len(command) == 1 and command in "hHqQ":
        return True
    if len(command) > 1 and command[0] in "aArR" and command[1:].isdigit():
        if 1 <= int(command[1:]) <= BOARD_SIZE:
            return True
        print(INVALID_COLUMN_MESSAGE)
        return False
    print(INVALID_FORMAT_MESSAGE)
    return False


def get_action() -> str:
    """Ask until the command is ok."""
    ok = False
    while not ok:
        command = input(ENTER_COMMAND_MESSAGE)
        ok = check_input(command)
    return command


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """Add piece to the column."""
    col = board[column_index]
    if is_column_full(col):
        print(FULL_COLUMN_MESSAGE)
        return False
    i = len(col) - 1
    while col[i] != BLANK_PIECE:
        i -= 1
    board[column_index] = col[:i] + piece + col[i + 1:]
    return True


def remove_piece(board: list[str], column_index: int) -> bool:
    """Pop the bottom piece of the column."""
    col = board[column_index]
    if is_column_empty(col):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    board[column_index] = BLANK_PIECE + col[:len(col) - 1]
    return True


def four(board: list[str], p: str, x: int, y: int, dx: int, dy: int) -> bool:
    """True if there is a line of p from x, y in direction dx, dy."""
    n = len(board)
    length = 0
    while length < REQUIRED_WIN_LENGTH:
        if x < 0 or y < 0 or x >= n or y >= n or board[x][y] != p:
            return False
        x += dx
        y += dy
        length += 1
    return True


def wins(board: list[str], p: str) -> bool:
    """True if p has a line."""
    for x in range(len(board)):
        for y in range(len(board)):
            if (
                four(board, p, x, y, 1, 0)
                or four(board, p, x, y, 0, 1)
                or four(board, p, x, y, 1, 1)
                or four(board, p, x, y, 1, -1)
            ):
                return True
    return False


def check_win(board: list[str]) -> Optional[str]:
    """Return the winner, or None if there is none."""
    if wins(board, PLAYER_1_PIECE):
        return PLAYER_1_PIECE
    if wins(board, PLAYER_2_PIECE):
        return PLAYER_2_PIECE
    return None


def show_turn(player: str) -> None:
    """Print whose turn it is."""
    if player == PLAYER_1_PIECE:
        print(PLAYER_1_MOVE_MESSAGE)
    else:
        print(PLAYER_2_MOVE_MESSAGE)


def play_game() -> None:
    """Play one game."""
    board = generate_initial_board()
    player = PLAYER_1_PIECE
    other = PLAYER_2_PIECE
    display_board(board)
    show_turn(player)
    while True:
        command = get_action()
        if command in "qQ":
            break
        if command in "hH":
            print(HELP_MESSAGE)
            display_board(board)
            show_turn(player)
        else:
            col = int(command[1:]) - 1
            if command[0] in "aA":
                ok = add_piece(board, player, col)
            else:
                ok = remove_piece(board, col)
            if ok:
                display_board(board)
                result = check_win(board)
                if result == PLAYER_1_PIECE:
                    print(PLAYER_1_VICTORY_MESSAGE)
                    break
                elif result == PLAYER_2_PIECE:
                    print(PLAYER_2_VICTORY_MESSAGE)
                    break
                elif result == BLANK_PIECE:
                    print(DRAW_MESSAGE)
                    break
                player, other = other, player
                show_turn(player)


def main() -> None:
    """Play until the user has had enough."""
    while True:
        play_game()
        answer = input(CONTINUE_MESSAGE)
        if answer != "y" and answer != "Y":
            break


if __name__ == "__main__":
    main()
