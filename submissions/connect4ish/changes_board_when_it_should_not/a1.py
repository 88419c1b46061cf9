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
    while True:
        command = input(ENTER_COMMAND_MESSAGE)
        is_valid = check_input(command)
        if is_valid:
            break
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


def four(board: list[str], p: str, x: int, y: int, dx: int, dy: int) -> bool:
    """True if there is a line of p from x, y in direction dx, dy."""
    length = 0
    while length < REQUIRED_WIN_LENGTH:
        if board[x][y] != p:
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
    # a frame of blanks, so that four() never leaves the board
    for i in range(len(board)):
        board[i] = BLANK_PIECE + board[i] + BLANK_PIECE
    board.append(BLANK_PIECE * (len(board) + 2))
    x_wins = wins(board, PLAYER_1_PIECE)
    o_wins = wins(board, PLAYER_2_PIECE)
    if x_wins and o_wins:
        return BLANK_PIECE
    elif x_wins:
        return PLAYER_1_PIECE
    elif o_wins:
        return PLAYER_2_PIECE


def print_turn(turn: int) -> None:
    """
    Prints whose turn it is.

    Parameters:
        turn: How many moves were made so far
    """
    if turn % 2 == 0:
        print(PLAYER_1_MOVE_MESSAGE)
    else:
        print(PLAYER_2_MOVE_MESSAGE)


def get_piece(turn: int) -> str:
    """
    Gets the piece of the player whose turn it is.

    Parameters:
        turn: How many moves were made so far

    Returns:
        The piece
    """
    if turn % 2 == 0:
        return PLAYER_1_PIECE
    return PLAYER_2_PIECE


def print_outcome(winner: str) -> None:
    """
    Prints how the game ended.

    Parameters:
        winner: What check_win returned
    """
    if winner == PLAYER_1_PIECE:
        print(PLAYER_1_VICTORY_MESSAGE)
    elif winner == PLAYER_2_PIECE:
        print(PLAYER_2_VICTORY_MESSAGE)
    else:
        print(DRAW_MESSAGE)


def do_move(board: list[str], command: str, turn: int) -> bool:
    """
    Does what a command says.

    Parameters:
        board: The board to change
        command: A valid command to add or to remove
        turn: How many moves were made so far

    Returns:
        True if the board changed, False if the move was not possible
    """
    column_index = int(command[1:]) - 1
    if command[0] == ADD or command[0] == ADD_UPPER:
        return add_piece(board, get_piece(turn), column_index)
    return remove_piece(board, column_index)


def play_game() -> None:
    """Plays a game from the start to the end."""
    board = generate_initial_board()
    turn = 0
    winner = None

    display_board(board)
    print_turn(turn)
    while winner is None:
        command = get_action()
        if command == QUIT or command == QUIT_UPPER:
            return
        elif command == HELP or command == HELP_UPPER:
            print(HELP_MESSAGE)
            display_board(board)
            print_turn(turn)
        elif do_move(board, command, turn):
            turn += 1
            display_board(board)
            # check_win makes the board bigger, so it gets a copy
            winner = check_win(board[:])
            if winner is None:
                print_turn(turn)

    print_outcome(winner)


def main() -> None:
    """Plays games as long as the player says yes."""
    play_game()
    answer = input(CONTINUE_MESSAGE)
    while answer == YES or answer == YES_UPPER:
        play_game()
        answer = input(CONTINUE_MESSAGE)


if __name__ == "__main__":
    main()
