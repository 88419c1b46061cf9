"""Connect 4 (ish): pieces fall in at the top and can be popped out below."""

from typing import Optional
from a1_support import *

ADD_ACTIONS = ("a", "A")
REMOVE_ACTIONS = ("r", "R")
HELP_COMMANDS = ("h", "H")
QUIT_COMMANDS = ("q", "Q")
PLAY_AGAIN_ANSWERS = ("y", "Y")
DIGITS = "0123456789"
FIRST_COLUMN_NUMBER = 1
LABEL_SEPARATOR = " "
HOURS_SPENT = 7.5

# Columns and rows moved by one step along a line. A line going the other way
# is the same line, begun at its other end.
DOWN = (0, 1)
RIGHT = (1, 0)
DOWN_RIGHT = (1, 1)
UP_RIGHT = (1, -1)
DIRECTIONS = (DOWN, RIGHT, DOWN_RIGHT, UP_RIGHT)


def num_hours() -> float:
    """Estimate the time spent on this assignment.

    Returns:
        The estimate, in hours.
    """
    return HOURS_SPENT


def generate_initial_board() -> list[str]:
    """Make the board that a game begins with.

    Returns:
        BOARD_SIZE empty columns, leftmost first, each from top to bottom.
    """
    board = []
    for _ in range(BOARD_SIZE):
        board.append(BLANK_PIECE * BOARD_SIZE)
    return board


def is_column_full(column: str) -> bool:
    """Decide whether a column has no room left.

    Parameters:
        column: A valid column, from top to bottom.

    Returns:
        True if no piece can be added, False otherwise.
    """
    return BLANK_PIECE not in column


def is_column_empty(column: str) -> bool:
    """Decide whether a column has no pieces.

    Parameters:
        column: A valid column, from top to bottom.

    Returns:
        True if no piece can be removed, False otherwise.
    """
    return column == BLANK_PIECE * len(column)


def display_board(board: list[str]) -> None:
    """Print a board row by row, with the columns' numbers below.

    Parameters:
        board: A square board; what its characters are does not matter.
    """
    for row_index in range(len(board)):
        row = COLUMN_SEPARATOR
        for column in board:
            row += column[row_index] + COLUMN_SEPARATOR
        print(row)

    labels = LABEL_SEPARATOR
    for column_index in range(len(board)):
        labels += str(column_index + FIRST_COLUMN_NUMBER) + LABEL_SEPARATOR
    print(labels)


def is_whole_number(text: str) -> bool:
    """Decide whether a text consists of digits, and of at least one.

    Parameters:
        text: Any text.

    Returns:
        True if the text is a whole number without a sign, False otherwise.
    """
    for character in text:
        if character not in DIGITS:
            return False
    return text != ""


def check_input(command: str) -> bool:
    """Decide whether a command can be carried out, the game's rules aside.

    Prints what is wrong with a command that cannot.

    Parameters:
        command: The command exactly as it was entered.

    Returns:
        True if the command is well formed and names no column that the board
        does not have, False otherwise.
    """
    if command in HELP_COMMANDS or command in QUIT_COMMANDS:
        return True

    action = command[:1]
    column_number = command[1:]
    if action not in ADD_ACTIONS + REMOVE_ACTIONS:
        print(INVALID_FORMAT_MESSAGE)
        return False
    if not is_whole_number(column_number):
        print(INVALID_FORMAT_MESSAGE)
        return False
    if not FIRST_COLUMN_NUMBER <= int(column_number) <= BOARD_SIZE:
        print(INVALID_COLUMN_MESSAGE)
        return False
    return True


def get_action() -> str:
    """Prompt the player until a command is valid.

    Returns:
        The first valid command, exactly as it was entered.
    """
    command = input(ENTER_COMMAND_MESSAGE)
    while not check_input(command):
        command = input(ENTER_COMMAND_MESSAGE)
    return command


def add_piece(board: list[str], piece: str, column_index: int) -> bool:
    """Drop a piece into a column of the board, or say that it is full.

    Parameters:
        board: A square board, changed in place.
        piece: One character.
        column_index: The column's index, from 0.

    Returns:
        True if the piece was added, False otherwise.
    """
    column = board[column_index]
    if is_column_full(column):
        print(FULL_COLUMN_MESSAGE)
        return False

    # The piece takes the place of the lowest of the blanks above the others.
    blanks = 0
    while blanks < len(column) and column[blanks] == BLANK_PIECE:
        blanks += 1
    above = column[: blanks - 1]
    below = column[blanks:]
    board[column_index] = above + piece + below
    return True


def remove_piece(board: list[str], column_index: int) -> bool:
    """Pop the lowest piece out of a column, or say that it is empty.

    Parameters:
        board: A square board, changed in place.
        column_index: The column's index, from 0.

    Returns:
        True if a piece was removed, False otherwise.
    """
    column = board[column_index]
    if is_column_empty(column):
        print(EMPTY_COLUMN_MESSAGE)
        return False

    board[column_index] = BLANK_PIECE + column[:-1]
    return True


def is_line(
    board: list[str],
    piece: str,
    start: tuple[int, int],
    direction: tuple[int, int],
) -> bool:
    """Decide whether a winning line begins at a place and runs one way.

    Parameters:
        board: A square board.
        piece: The piece that the line is to be made of.
        start: The column and the row of the line's first place.
        direction: The columns and rows moved by one step along the line.

    Returns:
        True if the line lies on the board and has no other piece in it.
    """
    column_index, row_index = start
    column_step, row_step = direction
    for _ in range(REQUIRED_WIN_LENGTH):
        if not (0 <= column_index < len(board) and 0 <= row_index < len(board)):
            return False
        if board[column_index][row_index] != piece:
            return False
        column_index += column_step
        row_index += row_step
    return True


def has_line(board: list[str], piece: str) -> bool:
    """Decide whether a player has a winning line anywhere on the board.

    Parameters:
        board: A square board.
        piece: The player's piece.

    Returns:
        True if there is such a line, False otherwise.
    """
    for column_index in range(len(board)):
        for row_index in range(len(board)):
            for direction in DIRECTIONS:
                start = (column_index, row_index)
                if is_line(board, piece, start, direction):
                    return True
    return False


def check_win(board: list[str]) -> Optional[str]:
    """Find out who has won, if anybody has.

    Parameters:
        board: A square board.

    Returns:
        The winner's piece, the blank piece for a draw, or None for a game
        that is not over.
    """
    player_1_has_line = has_line(board, PLAYER_1_PIECE)
    player_2_has_line = has_line(board, PLAYER_2_PIECE)

    if player_1_has_line and player_2_has_line:
        return BLANK_PIECE
    if player_1_has_line:
        return PLAYER_1_PIECE
    if player_2_has_line:
        return PLAYER_2_PIECE
    return None


def display_turn(board: list[str], piece: str) -> None:
    """Print the board, and whose turn it is.

    Parameters:
        board: The game's board.
        piece: The piece of the player to move.
    """
    display_board(board)
    if piece == PLAYER_1_PIECE:
        print(PLAYER_1_MOVE_MESSAGE)
    else:
        print(PLAYER_2_MOVE_MESSAGE)


def display_outcome(outcome: str) -> None:
    """Print how a game ended.

    Parameters:
        outcome: The winner's piece, or the blank piece for a draw.
    """
    if outcome == PLAYER_1_PIECE:
        print(PLAYER_1_VICTORY_MESSAGE)
    elif outcome == PLAYER_2_PIECE:
        print(PLAYER_2_VICTORY_MESSAGE)
    else:
        print(DRAW_MESSAGE)


def make_move(board: list[str], piece: str, command: str) -> bool:
    """Carry out a command to add or to remove a piece.

    Parameters:
        board: The game's board, changed in place.
        piece: The piece of the player to move.
        command: A valid command that names a column.

    Returns:
        True if the rules allowed the move, False otherwise.
    """
    column_index = int(command[1:]) - FIRST_COLUMN_NUMBER
    if command[0] in ADD_ACTIONS:
        return add_piece(board, piece, column_index)
    return remove_piece(board, column_index)


def take_turn(board: list[str], piece: str) -> bool:
    """Ask a player for commands until a move is made or the game is quit.

    Parameters:
        board: The game's board, changed in place.
        piece: The piece of the player to move.

    Returns:
        True if a move was made, False if the player quit.
    """
    display_turn(board, piece)
    has_moved = False
    while not has_moved:
        command = get_action()
        if command in QUIT_COMMANDS:
            return False
        if command in HELP_COMMANDS:
            print(HELP_MESSAGE)
            display_turn(board, piece)
        else:
            has_moved = make_move(board, piece, command)
    return True


def next_piece(piece: str) -> str:
    """Find out who moves next.

    Parameters:
        piece: The piece of the player who has just moved.

    Returns:
        The other player's piece.
    """
    if piece == PLAYER_1_PIECE:
        return PLAYER_2_PIECE
    return PLAYER_1_PIECE


def play_game() -> None:
    """Play one game, until somebody wins, both do, or a player quits."""
    board = generate_initial_board()
    piece = PLAYER_1_PIECE
    while take_turn(board, piece):
        outcome = check_win(board)
        if outcome is not None:
            display_board(board)
            display_outcome(outcome)
            break
        piece = next_piece(piece)


def main() -> None:
    """Play games for as long as the players would like to."""
    play_game()
    while input(CONTINUE_MESSAGE) in PLAY_AGAIN_ANSWERS:
        play_game()


if __name__ == "__main__":
    main()
