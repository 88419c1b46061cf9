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

ADD_ACTIONS = ("a", "A")
REMOVE_ACTIONS = ("r", "R")
HELP_COMMANDS = ("h", "H")
QUIT_COMMANDS = ("q", "Q")

YES = "y"
YES_UPPER = "Y"


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
    """Ask for commands until one of them is well formed.

    Returns:
        (str): The first well formed command.
    """
    command = input(ENTER_COMMAND_MESSAGE)
    while not check_input(command):
        command = input(ENTER_COMMAND_MESSAGE)
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
    """Pop the bottom piece out of a column, or say that the column is empty.

    Parameters:
        board (list[str]): The board, which is changed by this function.
        column_index (int): The column to remove from, counted from 0.

    Returns:
        (bool): True if a piece was removed, otherwise False.
    """
    column = board[column_index]
    if is_column_empty(column):
        print(EMPTY_COLUMN_MESSAGE)
        return False
    board[column_index] = BLANK_PIECE + column[:-1]
    return True


def check_vertical(board: list[str], piece: str) -> bool:
    """
    Tells if a player has a line in one of the columns.

    Parameters:
        board: The board to look at
        piece: The piece of the player

    Returns:
        True if there is such a line, False if not
    """
    for column in board:
        count = 0
        for square in column:
            if square == piece:
                count += 1
            else:
                count = 0
            if count == REQUIRED_WIN_LENGTH:
                return True
    return False


def check_horizontal(board: list[str], piece: str) -> bool:
    """
    Tells if a player has a line in one of the rows.

    Parameters:
        board: The board to look at
        piece: The piece of the player

    Returns:
        True if there is such a line, False if not
    """
    for row_index in range(len(board)):
        count = 0
        for column in board:
            if column[row_index] == piece:
                count += 1
            else:
                count = 0
            if count == REQUIRED_WIN_LENGTH:
                return True
    return False


def check_diagonal_down(board: list[str], piece: str) -> bool:
    """
    Tells if a player has a diagonal line that goes down to the right.

    Parameters:
        board: The board to look at
        piece: The piece of the player

    Returns:
        True if there is such a line, False if not
    """
    last_start = len(board) - REQUIRED_WIN_LENGTH
    for column_index in range(last_start + 1):
        for row_index in range(last_start + 1):
            count = 0
            for step in range(REQUIRED_WIN_LENGTH):
                if board[column_index + step][row_index + step] == piece:
                    count += 1
            if count == REQUIRED_WIN_LENGTH:
                return True
    return False


def check_diagonal_up(board: list[str], piece: str) -> bool:
    """
    Tells if a player has a diagonal line that goes up to the right.

    Parameters:
        board: The board to look at
        piece: The piece of the player

    Returns:
        True if there is such a line, False if not
    """
    last_start = len(board) - REQUIRED_WIN_LENGTH
    for column_index in range(last_start + 1):
        for row_index in range(REQUIRED_WIN_LENGTH - 1, len(board)):
            count = 0
            for step in range(REQUIRED_WIN_LENGTH):
                if board[column_index + step][row_index - step] == piece:
                    count += 1
            if count == REQUIRED_WIN_LENGTH:
                return True
    return False


def has_won(board: list[str], piece: str) -> bool:
    """
    Tells if a player has a line of any kind.

    Parameters:
        board: The board to look at
        piece: The piece of the player

    Returns:
        True if the player has a line, False if not
    """
    return (
        check_vertical(board, piece)
        or check_horizontal(board, piece)
        or check_diagonal_down(board, piece)
        or check_diagonal_up(board, piece)
    )


def check_win(board: list[str]) -> Optional[str]:
    """
    Finds the winner of the game.

    Parameters:
        board: The board to look at

    Returns:
        The piece of the winner, the blank piece if it is a draw, or None
    """
    player_1_won = has_won(board, PLAYER_1_PIECE)
    player_2_won = has_won(board, PLAYER_2_PIECE)
    if player_1_won and player_2_won:
        return BLANK_PIECE
    if player_1_won:
        return PLAYER_1_PIECE
    if player_2_won:
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
    """Plays games as long as the player says yes."""
    play_game()
    answer = input(CONTINUE_MESSAGE)
    while answer == YES or answer == YES_UPPER:
        play_game()
        answer = input(CONTINUE_MESSAGE)


if __name__ == "__main__":
    main()
