from typing import Optional
from a1_support import *

BOARD_SIZE = 8

ADD_ACTIONS = ("a", "A")
REMOVE_ACTIONS = ("r", "R")
HELP_COMMANDS = ("h", "H")
QUIT_COMMANDS = ("q", "Q")

DIGITS = "0123456789"

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
    """Check whether there are no pieces in a column.

    Parameters:
        column (str): The column, from its top to its bottom.

    Returns:
        (bool): True if the column is empty, otherwise False.
    """
    return column[-1] == BLANK_PIECE


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


def is_whole_number(text: str) -> bool:
    """Check whether a text consists of digits only (and at least one).

    Parameters:
        text (str): The text to check.

    Returns:
        (bool): True if the text is a number without a sign.
    """
    if text == "":
        return False
    for character in text:
        if character not in DIGITS:
            return False
    return True


def check_input(command: str) -> bool:
    """Check whether a command is well formed, and say why when it is not.

    Parameters:
        command (str): The command as the player entered it.

    Returns:
        (bool): True if the command is well formed, otherwise False.
    """
    if command in HELP_COMMANDS or command in QUIT_COMMANDS:
        return True

    # The slices stay safe when nothing was entered.
    action = command[:1]
    number = command[1:]
    if action not in ADD_ACTIONS and action not in REMOVE_ACTIONS:
        print(INVALID_FORMAT_MESSAGE)
        return False
    if not is_whole_number(number):
        print(INVALID_FORMAT_MESSAGE)
        return False
    if int(number) < 1 or int(number) > BOARD_SIZE:
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
    """Play games for as long as the players want another one."""
    play_game()
    while input(CONTINUE_MESSAGE) in YES_ANSWERS:
        play_game()


if __name__ == "__main__":
    main()
