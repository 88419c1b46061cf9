from typing import Optional
from a1_support import *


def num_hours() -> float:
    # roughly, over two weeks
    return 22.0


def generate_initial_board() -> list[str]:
    # a list of columns, every column is one string
    board = []
    while len(board) < BOARD_SIZE:
        board.append(BLANK_PIECE * BOARD_SIZE)
    return board


def is_column_full(column: str) -> bool:
    """Return True if column is full."""
    for c in column:
        if c == BLANK_PIECE:
            return False
    return True


def is_column_empty(column: str) -> bool:
    # compare to a column that is blank all the way down
    return column == BLANK_PIECE * len(column)


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
    # keep asking
    while True:
        command = input(ENTER_COMMAND_MESSAGE)
        if check_input(command):
            return command


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """Add piece to the column and return the new board, or False."""
    new = list(board)
    col = new[column_index]
    if is_column_full(col):
        print(FULL_COLUMN_MESSAGE)
        return False
    i = len(col) - 1
    while col[i] != BLANK_PIECE:
        i -= 1
    new[column_index] = col[:i] + piece + col[i + 1:]
    return new


def remove_piece(board: list[str], column_index: int) -> bool:
    """Pop the bottom piece of the column and return the new board, or False."""
    new = list(board)
    col = new[column_index]
    if is_column_empty(col):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    new[column_index] = BLANK_PIECE + col[:len(col) - 1]
    return new


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
    """Return the winner, blank for a draw, None if the game goes on."""
    x_wins = wins(board, PLAYER_1_PIECE)
    o_wins = wins(board, PLAYER_2_PIECE)
    if x_wins and o_wins:
        return BLANK_PIECE
    elif x_wins:
        return PLAYER_1_PIECE
    elif o_wins:
        return PLAYER_2_PIECE


def play_game() -> None:
    board = generate_initial_board()
    players = [
        [PLAYER_1_PIECE, PLAYER_1_MOVE_MESSAGE, PLAYER_1_VICTORY_MESSAGE],
        [PLAYER_2_PIECE, PLAYER_2_MOVE_MESSAGE, PLAYER_2_VICTORY_MESSAGE],
    ]
    turn = 0
    winner = None
    need_board = True

    while winner is None:
        # the board and the mover are shown at the start of a turn and after help
        if need_board:
            display_board(board)
            print(players[turn][1])
            need_board = False

        command = get_action()
        if command in ["q", "Q"]:
            return
        if command in ["h", "H"]:
            print(HELP_MESSAGE)
            need_board = True
        else:
            column = int(command[1:]) - 1
            if command[0] in ["a", "A"]:
                done = add_piece(board, players[turn][0], column)
            else:
                done = remove_piece(board, column)
            if done != False:
                board = done
                need_board = True
                turn = 1 - turn
                winner = check_win(board)

    display_board(board)
    if winner == BLANK_PIECE:
        print(DRAW_MESSAGE)
    for player in players:
        if winner == player[0]:
            print(player[2])


def main() -> None:
    again = True
    while again:
        play_game()
        answer = input(CONTINUE_MESSAGE)
        again = answer == "y" or answer == "Y"


if __name__ == "__main__":
    main()
