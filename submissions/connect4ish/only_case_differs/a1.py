from typing import Optional
from a1_support import *

ADD = "a"
ADD_UPPER = "A"
REMOVE = "r"
REMOVE_UPPER = "R"
HELP = "h"
HELP_UPPER = "H"
QUIT = "q"
QUIT_UPPER = "Q"

YES = "y"
YES_UPPER = "Y"


def num_hours() -> float:
    """
    Estimates how long I have worked on this assignment.

    Returns:
        The estimated number of hours
    """
    hours_spent = 17.25
    return hours_spent


def generate_initial_board() -> list[str]:
    """
    Builds the board for a new game.

    Returns:
        A list with one string of blank pieces for each column
    """
    initial_board = []
    for column_index in range(BOARD_SIZE):
        column = ""
        for row_index in range(BOARD_SIZE):
            column += BLANK_PIECE
        initial_board.append(column)
    return initial_board


def is_column_full(column: str) -> bool:
    """
    Tells if a column has no room for another piece.

    Parameters:
        column: The column to look at

    Returns:
        True if the column is full, False if not
    """
    if BLANK_PIECE in column:
        return False
    else:
        return True


def is_column_empty(column: str) -> bool:
    """
    Tells if a column has no pieces at all.

    Parameters:
        column: The column to look at

    Returns:
        True if the column is empty, False if not
    """
    for square in column:
        if square != BLANK_PIECE:
            return False
    return True


def display_board(board: list[str]) -> None:
    """
    Prints the board and the numbers of its columns.

    Parameters:
        board: The board to print
    """
    board_width = len(board)
    for row_index in range(board_width):
        row_text = COLUMN_SEPARATOR
        for column_index in range(board_width):
            row_text += board[column_index][row_index]
            row_text += COLUMN_SEPARATOR
        print(row_text)

    column_numbers = ""
    for column_number in range(1, board_width + 1):
        column_numbers += f" {column_number}"
    column_numbers += " "
    print(column_numbers)


def is_valid_format(command: str) -> bool:
    """
    Tells if a command looks like one of the commands of the game.

    Parameters:
        command: What the player entered

    Returns:
        True if it is help, quit, or an action and an integer
    """
    if len(command) == 0:
        return False
    action = command[0]
    if len(command) == 1:
        return action in (HELP, HELP_UPPER, QUIT, QUIT_UPPER)
    if action not in (ADD, ADD_UPPER, REMOVE, REMOVE_UPPER):
        return False
    return command[1:].isdigit()


def check_input(command: str) -> bool:
    """
    Tells if a command can be carried out, and prints what is wrong with it if
    it can not.

    Parameters:
        command: What the player entered

    Returns:
        True if the command is valid, False if not
    """
    if not is_valid_format(command):
        print(INVALID_FORMAT_MESSAGE)
        return False

    # help and quit have no column
    if len(command) == 1:
        return True

    column_number = int(command[1:])
    if column_number < 1 or column_number > BOARD_SIZE:
        print(INVALID_COLUMN_MESSAGE)
        return False
    return True


def get_action() -> str:
    """
    Asks the player for a command until it is valid.

    Returns:
        The valid command
    """
    while True:
        command = input(ENTER_COMMAND_MESSAGE)
        is_valid = check_input(command)
        if is_valid:
            break
    return command


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """
    Adds a piece on top of the pieces in a column.

    Parameters:
        board: The board to change
        piece: The piece to add
        column_index: The index of the column

    Returns:
        True if there was room for the piece, False if not
    """
    column = board[column_index]
    if is_column_full(column):
        print(FULL_COLUMN_MESSAGE)
        return False

    # count the blanks: the piece takes the place of the last one
    blanks = 0
    for square in column:
        if square == BLANK_PIECE:
            blanks += 1
    above = BLANK_PIECE * (blanks - 1)
    below = column[blanks:]
    board[column_index] = above + piece + below
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
        print("Player 1 Wins!")
    elif winner == PLAYER_2_PIECE:
        print("Player 2 Wins!")
    else:
        print(DRAW_MESSAGE)


def main() -> None:
    """Plays games as long as the player says yes."""
    play_game()
    answer = input(CONTINUE_MESSAGE)
    while answer == YES or answer == YES_UPPER:
        play_game()
        answer = input(CONTINUE_MESSAGE)


if __name__ == "__main__":
    main()
