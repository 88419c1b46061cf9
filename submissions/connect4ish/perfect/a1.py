from typing import Optional
from a1_support import *


def num_hours() -> float:
    """Returns the number of hours spent on this assignment (float)."""
    return 12.5


def generate_initial_board() -> list[str]:
    """Returns the columns (list[str]) of an empty board."""
    blank_column = BLANK_PIECE * BOARD_SIZE
    board = []
    for column_number in range(BOARD_SIZE):
        board.append(blank_column)
    return board


def is_column_full(column: str) -> bool:
    """Returns True iff no blank piece is left in column (str)."""
    return not BLANK_PIECE in column


def is_column_empty(column: str) -> bool:
    """Returns True iff column (str) is blank from top to bottom."""
    return column == BLANK_PIECE * len(column)


def display_board(board: list[str]) -> None:
    """Prints board (list[str]) row by row, then the column numbers."""
    labels = " "
    for index, column in enumerate(board):
        line = ""
        for other_column in board:
            line += COLUMN_SEPARATOR + other_column[index]
        print(line + COLUMN_SEPARATOR)
        labels += str(index + 1) + " "
    print(labels)


def check_input(command: str) -> bool:
    """Returns True iff command (str) is well formed, otherwise prints why not.

    Does not look at the rules of the game, only at the text.
    """
    letter = command[0:1]
    rest = command[1:]

    if letter != "" and letter in "hHqQ":
        if rest == "":
            return True
        print(INVALID_FORMAT_MESSAGE)
        return False

    if letter == "" or letter not in "aArR" or not rest.isdigit():
        print(INVALID_FORMAT_MESSAGE)
        return False

    # range() leaves its end out
    if int(rest) not in range(1, BOARD_SIZE + 1):
        print(INVALID_COLUMN_MESSAGE)
        return False
    return True


def get_action() -> str:
    """Asks until a well formed command is entered, and returns it (str)."""
    action = input(ENTER_COMMAND_MESSAGE)
    while check_input(action) == False:
        action = input(ENTER_COMMAND_MESSAGE)
    return action


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """Drops piece (str) into the column of board (list[str]) at column_index (int).

    Returns False, and says why, if the column is full; otherwise True.
    """
    column = board[column_index]
    if is_column_full(column):
        print(FULL_COLUMN_MESSAGE)
        return False

    # the pieces are what follows the blanks
    pieces = ""
    for square in column:
        if square != BLANK_PIECE:
            pieces += square
    blanks = len(column) - len(pieces) - 1
    board[column_index] = BLANK_PIECE * blanks + piece + pieces
    return True


def remove_piece(board: list[str], column_index: int) -> bool:
    """Pops the bottom piece out of the column of board (list[str]) at column_index (int).

    Returns False, and says why, if the column is empty; otherwise True.
    """
    column = board[column_index]
    if is_column_empty(column):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    board[column_index] = BLANK_PIECE + column[:-1]
    return True


def get_lines(board: list[str]) -> list[str]:
    """Returns every column, row and diagonal of board (list[str]) as a string."""
    size = len(board)
    lines = []

    for column in board:
        lines.append(column)

    for row in range(size):
        line = ""
        for column in board:
            line += column[row]
        lines.append(line)

    # Squares of a falling diagonal have the same row - column, and squares of a
    # rising diagonal have the same row + column.
    for difference in range(-size + 1, size):
        line = ""
        for column in range(size):
            row = column + difference
            if 0 <= row < size:
                line += board[column][row]
        lines.append(line)
    for total in range(2 * size - 1):
        line = ""
        for column in range(size):
            row = total - column
            if 0 <= row < size:
                line += board[column][row]
        lines.append(line)
    return lines


def check_win(board: list[str]) -> Optional[str]:
    """Returns who has won on board (list[str]).

    That is the winner's piece, the blank piece if both have a line, or None.
    """
    player_1_line = False
    player_2_line = False
    for line in get_lines(board):
        if PLAYER_1_PIECE * REQUIRED_WIN_LENGTH in line:
            player_1_line = True
        if PLAYER_2_PIECE * REQUIRED_WIN_LENGTH in line:
            player_2_line = True

    if player_1_line and player_2_line:
        return BLANK_PIECE
    if player_1_line:
        return PLAYER_1_PIECE
    if player_2_line:
        return PLAYER_2_PIECE
    return None


def show_board_and_turn(board: list[str], piece: str) -> None:
    """Prints board (list[str]) and whose turn it is, given that player's piece (str)."""
    display_board(board)
    if piece == PLAYER_1_PIECE:
        print(PLAYER_1_MOVE_MESSAGE)
    else:
        print(PLAYER_2_MOVE_MESSAGE)


def apply_action(board: list[str], piece: str, action: str) -> bool:
    """Does an add or remove action (str) and returns whether it was possible."""
    column_index = int(action[1:]) - 1
    if action[0] in "aA":
        return add_piece(board, piece, column_index)
    return remove_piece(board, column_index)


def play_game() -> None:
    """Plays a single game until it is won, drawn or left."""
    board = generate_initial_board()
    piece = PLAYER_1_PIECE
    show_board_and_turn(board, piece)

    while True:
        action = get_action()
        if action in ("q", "Q"):
            return
        if action in ("h", "H"):
            print(HELP_MESSAGE)
            show_board_and_turn(board, piece)
        elif apply_action(board, piece, action):
            winner = check_win(board)
            if winner is not None:
                break
            if piece == PLAYER_1_PIECE:
                piece = PLAYER_2_PIECE
            else:
                piece = PLAYER_1_PIECE
            show_board_and_turn(board, piece)

    # The game is over: the last board and the outcome.
    display_board(board)
    if winner == PLAYER_1_PIECE:
        print(PLAYER_1_VICTORY_MESSAGE)
    elif winner == PLAYER_2_PIECE:
        print(PLAYER_2_VICTORY_MESSAGE)
    else:
        print(DRAW_MESSAGE)


def main() -> None:
    """Plays games until the answer is anything but yes."""
    answer = "y"
    while answer in ("y", "Y"):
        play_game()
        answer = input(CONTINUE_MESSAGE)


if __name__ == "__main__":
    main()
