from typing import Optional
from a1_support import *


def num_hours() -> float:
    """Hours spent."""
    return 9.0


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
    if command in ["h", "H", "q", "Q"]:
        return True

    # everything else has to be a letter and a column number
    if len(command) < 2 or command[0] not in ["a", "A", "r", "R"]:
        print(INVALID_FORMAT_MESSAGE)
        return False

    for character in command[1:]:
        if character not in "0123456789":
            print(INVALID_FORMAT_MESSAGE)
            return False

    column = int(command[1:])
    if column == 0 or column > BOARD_SIZE:
        print(INVALID_COLUMN_MESSAGE)
        return False

    return True


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
    if is_column_empty(board[column_index]):
        print(EMPTY_COLUMN_MESSAGE)
        return False

    # everything but the last square moves down one
    board[column_index] = BLANK_PIECE + board[column_index][:-1]
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
            if command[0] == "a":
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
