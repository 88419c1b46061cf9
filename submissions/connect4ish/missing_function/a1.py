from typing import Optional
from a1_support import *


def num_hours() -> float:
    # roughly, over two weeks
    return 22.0


def generate_initial_board() -> list[str]:
    """Return an empty board."""
    return [BLANK_PIECE * BOARD_SIZE] * BOARD_SIZE


def is_column_full(column: str) -> bool:
    # full when no blank is left
    return BLANK_PIECE not in column


def get_rows(board: list[str]) -> list[list[str]]:
    # turn the columns into a list of rows, each a list of squares
    rows = []
    for row_number in range(len(board)):
        row = []
        for column in board:
            row.append(column[row_number])
        rows.append(row)
    return rows


def display_board(board: list[str]) -> None:
    for row in get_rows(board):
        text = COLUMN_SEPARATOR
        for square in row:
            text = text + square + COLUMN_SEPARATOR
        print(text)

    # numbers under the columns
    numbers = " "
    for number in range(1, len(board) + 1):
        numbers = numbers + str(number) + " "
    print(numbers)


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
    if col == BLANK_PIECE * len(col):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    board[column_index] = BLANK_PIECE + col[:len(col) - 1]
    return True


def count_line(rows: list[list[str]], row: int, col: int, row_step: int, col_step: int) -> int:
    # how many of the same piece are in a line, starting at (row, col)
    size = len(rows)
    piece = rows[row][col]
    count = 0
    while 0 <= row < size and 0 <= col < size and rows[row][col] == piece:
        count = count + 1
        row = row + row_step
        col = col + col_step
    return count


def check_win(board: list[str]) -> Optional[str]:
    # work on a grid of rows, it is easier to think about
    rows = []
    for row_number in range(len(board)):
        row = []
        for column in board:
            row.append(column[row_number])
        rows.append(row)

    # collect everybody who has a line
    winners = []
    for row in range(len(rows)):
        for col in range(len(rows)):
            piece = rows[row][col]
            if piece != BLANK_PIECE and piece not in winners:
                for step in [[0, 1], [1, 0], [1, 1], [-1, 1]]:
                    if count_line(rows, row, col, step[0], step[1]) >= REQUIRED_WIN_LENGTH:
                        winners.append(piece)
                        break

    if len(winners) == 0:
        return None
    if len(winners) == 1:
        return winners[0]
    return BLANK_PIECE


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
    again = True
    while again:
        play_game()
        answer = input(CONTINUE_MESSAGE)
        again = answer == "y" or answer == "Y"


if __name__ == "__main__":
    main()
