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

# (column step, row step) of the four kinds of line
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

ADD_ACTIONS = ("a", "A")
REMOVE_ACTIONS = ("r", "R")
HELP_COMMANDS = ("h", "H")
QUIT_COMMANDS = ("q", "Q")

YES_ANSWERS = ("y", "Y")


def num_hours() -> float:
    """Return the estimated number of hours spent on the assignment.

    Returns:
        (float): Hours spent so far.
    """
    return 14.5


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
    """Check whether there is no space left in a column.

    Parameters:
        column (str): The column, from its top to its bottom.

    Returns:
        (bool): True if the column is full, otherwise False.
    """
    return column[0] != BLANK_PIECE


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
    """Print the board, with the column numbers below it.

    Parameters:
        board (list[str]): The board to print.
    """
    for row in range(len(board)):
        line = COLUMN_SEPARATOR
        for column in board:
            line += column[row] + COLUMN_SEPARATOR
        print(line)

    # Each number stands below the middle of its column.
    labels = ""
    for index in range(len(board)):
        labels += " " + str(index + 1)
    print(labels + " ")


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
    command = input(ENTER_COMMAND_MESSAGE)
    is_valid = check_input(command)
    while not is_valid:
        is_valid = check_input(command)
    return command


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """Drop a piece into a column, or say that the column is full.

    Parameters:
        board (list[str]): The board, which is changed by this function.
        piece (str): The piece to add.
        column_index (int): The column to add to, counted from 0.

    Returns:
        (bool): True if the piece was added, otherwise False.
    """
    column = board[column_index]
    if is_column_full(column):
        print(FULL_COLUMN_MESSAGE)
        return False

    # The blanks are all above the pieces, so the last blank is the landing spot.
    landing = 0
    while landing + 1 < len(column) and column[landing + 1] == BLANK_PIECE:
        landing += 1
    board[column_index] = column[:landing] + piece + column[landing + 1:]
    return True


def remove_piece(board: list[str], column_index: int) -> bool:
    """
    Removes the bottom piece of a column.

    Parameters:
        board: The board to change
        column_index: The index of the column

    Returns:
        True if there was a piece to remove, False if not
    """
    column = board[column_index]
    if is_column_empty(column):
        print(EMPTY_COLUMN_MESSAGE)
        return False

    remaining_pieces = column[0:len(column) - 1]
    board[column_index] = BLANK_PIECE + remaining_pieces
    return True


def has_line_from(
    board: list[str],
    piece: str,
    start: tuple[int, int],
    direction: tuple[int, int],
) -> bool:
    """Check whether a winning line of a piece starts at a square.

    Parameters:
        board (list[str]): The board to look at.
        piece (str): The piece the line has to consist of.
        start (tuple[int, int]): The column and row of the first square.
        direction (tuple[int, int]): The column and row step along the line.

    Returns:
        (bool): True if the required number of squares hold the piece.
    """
    for step in range(REQUIRED_WIN_LENGTH):
        column = start[0] + step * direction[0]
        row = start[1] + step * direction[1]
        if column < 0 or column >= len(board):
            return False
        if row < 0 or row >= len(board):
            return False
        if board[column][row] != piece:
            return False
    return True


def has_line(board: list[str], piece: str) -> bool:
    """Check whether there is a winning line of a piece anywhere.

    Parameters:
        board (list[str]): The board to look at.
        piece (str): The piece the line has to consist of.

    Returns:
        (bool): True if there is a winning line, otherwise False.
    """
    for column in range(len(board)):
        for row in range(len(board)):
            for direction in DIRECTIONS:
                if has_line_from(board, piece, (column, row), direction):
                    return True
    return False


def check_win(board: list[str]) -> Optional[str]:
    """Find out whether the game on a board is won or drawn.

    Parameters:
        board (list[str]): The board to look at.

    Returns:
        (Optional[str]): The winner's piece, the blank piece for a draw, or
            None when the game is not over.
    """
    player_1_line = has_line(board, PLAYER_1_PIECE)
    player_2_line = has_line(board, PLAYER_2_PIECE)
    if player_1_line and player_2_line:
        return BLANK_PIECE
    if player_1_line:
        return PLAYER_1_PIECE
    if player_2_line:
        return PLAYER_2_PIECE
    return None


def make_move(board: list[str], piece: str, command: str) -> bool:
    """Carry out an add or a remove command.

    Parameters:
        board (list[str]): The board, which is changed by this function.
        piece (str): The piece of the player who moves.
        command (str): A well formed add or remove command.

    Returns:
        (bool): True if the rules allowed the move, otherwise False.
    """
    # The player counts columns from 1.
    column_index = int(command[1:]) - 1
    if command[0] in ADD_ACTIONS:
        return add_piece(board, piece, column_index)
    return remove_piece(board, column_index)


def take_turn(board: list[str], piece: str) -> bool:
    """Ask a player for commands until a move is made or the game is left.

    Parameters:
        board (list[str]): The board, which is changed by this function.
        piece (str): The piece of the player whose turn it is.

    Returns:
        (bool): True if a move was made, False if the player quit.
    """
    moved = False
    while not moved:
        command = get_action()
        if command in QUIT_COMMANDS:
            return False
        if command in HELP_COMMANDS:
            print(HELP_MESSAGE)
            display_board(board)
            display_turn(piece)
        else:
            moved = make_move(board, piece, command)
    return True


def display_turn(piece: str) -> None:
    """Tell the players whose turn it is.

    Parameters:
        piece (str): The piece of the player whose turn it is.
    """
    if piece == PLAYER_1_PIECE:
        print(PLAYER_1_MOVE_MESSAGE)
    else:
        print(PLAYER_2_MOVE_MESSAGE)


def display_outcome(outcome: str) -> None:
    """Tell the players how the game ended.

    Parameters:
        outcome (str): The winner's piece, or the blank piece for a draw.
    """
    if outcome == PLAYER_1_PIECE:
        print(PLAYER_1_VICTORY_MESSAGE)
    elif outcome == PLAYER_2_PIECE:
        print(PLAYER_2_VICTORY_MESSAGE)
    else:
        print(DRAW_MESSAGE)


def play_game() -> None:
    """Play one game, from the empty board until it is over or left."""
    board = generate_initial_board()
    piece = PLAYER_1_PIECE
    display_board(board)

    outcome = None
    while outcome is None:
        display_turn(piece)
        if not take_turn(board, piece):
            return
        display_board(board)
        outcome = check_win(board)

        if piece == PLAYER_1_PIECE:
            piece = PLAYER_2_PIECE
        else:
            piece = PLAYER_1_PIECE

    display_outcome(outcome)


def main() -> None:
    """Play games for as long as the players want another one."""
    play_game()
    while input(CONTINUE_MESSAGE) in YES_ANSWERS:
        play_game()


if __name__ == "__main__":
    main()
