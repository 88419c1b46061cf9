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
    # full when no blank is left
    return BLANK_PIECE not in column


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
    if is_column_full(board[column_index]):
        print(FULL_COLUMN_MESSAGE)
        return False

    # take the column apart, put the piece in, and glue it together again
    squares = list(board[column_index])
    row = len(squares) - 1
    while squares[row] != BLANK_PIECE:
        row = row - 1
    squares[row] = piece

    new_column = ""
    for square in squares:
        new_column = new_column + square
    board[column_index] = new_column
    return True


def remove_piece(board: list[str], column_index: int) -> bool:
    """Pop the bottom piece of the column."""
    col = board[column_index]
    if is_column_empty(col):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    board[column_index] = BLANK_PIECE + col[:len(col) - 1]
    return True


def count_line(rows: list[list[str]], row: int, col: int, row_step: int, col_step: int) -> int:
    # how long the line of the same piece through (row, col) is
    size = len(rows)
    piece = rows[row][col]
    count = 0
    # go back to where the line starts
    while 0 <= row - row_step < size and 0 <= col - col_step < size and rows[row - row_step][col - col_step] == piece:
        row = row - row_step
        col = col - col_step
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
                    if count_line(rows, row, col, step[0], step[1]) == REQUIRED_WIN_LENGTH:
                        winners.append(piece)
                        break

    if len(winners) == 0:
        return None
    if len(winners) == 1:
        return winners[0]
    return BLANK_PIECE


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
            if done:
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
