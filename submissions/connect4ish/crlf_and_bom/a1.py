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
    hours_spent = 30.0
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
            winner = check_win(board)
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
