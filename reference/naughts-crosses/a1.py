"""Fancy Naughts & Crosses: larger markers go on top of smaller ones."""

from constants import *

Board = list[list[str]]
Pieces = list[int]
Move = tuple[int, int, int]

HOURS_SPENT = 6.5
HELP_REQUESTS = ("h", "H")
PLAY_AGAIN_ANSWERS = ("y", "Y")
MOVE_PROMPT = "Enter your move: "
PLAY_AGAIN_PROMPT = "Play again? "
STALEMATE_MESSAGE = "Stalemate!"
DIGITS = "0123456789"

# A move as it is entered: three characters with a space between each two.
MOVE_LENGTH = 5
SEPARATOR = " "

# What a drawn board consists of.
PIECE_SEPARATOR = ", "
WALL = "|"
FLOOR = "---"
MARGIN = "  "
FIRST_NUMBER = 1


def num_hours() -> float:
    """Estimate the time spent on this assignment.

    Returns:
        The estimate, in hours.
    """
    return HOURS_SPENT


def generate_initial_pieces(num_pieces: int) -> Pieces:
    """Make the pieces that a player begins a game with.

    Parameters:
        num_pieces: How many pieces a player has.

    Returns:
        Their sizes, smallest first.
    """
    return list(range(FIRST_NUMBER, num_pieces + 1))


def initial_state() -> Board:
    """Make the board that a game begins with.

    Returns:
        GRID_SIZE rows of GRID_SIZE empty cells, none of them shared.
    """
    return [[EMPTY] * GRID_SIZE for _ in range(GRID_SIZE)]


def place_piece(
    board: Board, player: str, pieces_available: Pieces, move: Move
) -> None:
    """Carry out a move, whether or not the rules permit it.

    Parameters:
        board: The board, changed in place.
        player: The marker of the player who moves.
        pieces_available: That player's pieces, of which one is taken away.
        move: Row, column and piece size; the piece is among the available.
    """
    row, column, size = move
    board[row][column] = player + str(size)
    pieces_available.remove(size)


def print_pieces(player: str, pieces: Pieces) -> None:
    """Print the pieces that a player has left.

    Parameters:
        player: The player's marker.
        pieces: The sizes of the pieces.
    """
    sizes = PIECE_SEPARATOR.join(str(size) for size in pieces)
    print(f"{player} has: {sizes}")


def print_game(
    board: Board, naught_pieces: Pieces, cross_pieces: Pieces
) -> None:
    """Print the pieces that both players have left, and the board.

    Parameters:
        board: The board.
        naught_pieces: The pieces of the naughts.
        cross_pieces: The pieces of the crosses.
    """
    print_pieces(NAUGHT, naught_pieces)
    print_pieces(CROSS, cross_pieces)
    print()

    header = " "
    for number in range(FIRST_NUMBER, GRID_SIZE + 1):
        header += MARGIN + str(number)
    rule = MARGIN + FLOOR * GRID_SIZE
    print(header)
    print(rule)
    for number, row in enumerate(board, FIRST_NUMBER):
        print(str(number) + WALL + WALL.join(row) + WALL)
        print(rule)


def is_within(character: str, largest: int) -> bool:
    """Decide whether a character is a number that is not too large.

    Parameters:
        character: One character.
        largest: The largest number that is permitted, below 10.

    Returns:
        True for the digits from 1 to the largest, False otherwise.
    """
    if character not in DIGITS:
        return False
    return FIRST_NUMBER <= int(character) <= largest


def has_move_format(move: str) -> bool:
    """Decide whether an entry consists of three characters and two spaces.

    Parameters:
        move: The entry.

    Returns:
        True if every other character, and no more, is a space.
    """
    if len(move) != MOVE_LENGTH:
        return False
    for index, character in enumerate(move):
        is_separator = index % 2 == 1
        if (character == SEPARATOR) != is_separator:
            return False
    return True


def process_move(move: str) -> Move | None:
    """Convert an entry to a move, or print what is wrong with it.

    Parameters:
        move: What the player entered, rows and columns counted from 1.

    Returns:
        Row, column (both counted from 0) and piece size, or None if the entry
        is no move. Whether the rules permit the move does not matter.
    """
    if not has_move_format(move):
        print(INVALID_FORMAT_MESSAGE)
        return None
    row, column, size = move.split(SEPARATOR)
    if not is_within(row, GRID_SIZE):
        print(INVALID_ROW_MESSAGE)
        return None
    if not is_within(column, GRID_SIZE):
        print(INVALID_COLUMN_MESSAGE)
        return None
    if not is_within(size, PIECES_PER_PLAYER):
        print(INVALID_SIZE_MESSAGE)
        return None
    return int(row) - FIRST_NUMBER, int(column) - FIRST_NUMBER, int(size)


def get_player_move() -> Move:
    """Prompt a player, helping if asked to, until an entry is a move.

    Returns:
        Row, column and piece size of the move.
    """
    move = None
    while move is None:
        entry = input(MOVE_PROMPT)
        if entry in HELP_REQUESTS:
            print(HELP_MESSAGE)
        else:
            move = process_move(entry)
    return move


def check_move(board: Board, pieces_available: Pieces, move: Move) -> bool:
    """Decide whether the rules permit a move.

    Parameters:
        board: The board.
        pieces_available: The pieces of the player who moves.
        move: Row, column and piece size.

    Returns:
        True if the player has the piece and it fits into the cell.
    """
    row, column, size = move
    if size not in pieces_available:
        return False
    cell = board[row][column]
    return cell == EMPTY or int(cell[1:]) < size


def owner_of(cells: list[str]) -> str | None:
    """Find the player whose markers fill all of the cells.

    Parameters:
        cells: The cells of one line.

    Returns:
        The player's marker, or None if nobody fills them.
    """
    for player in (NAUGHT, CROSS):
        if all(cell[0] == player for cell in cells):
            return player
    return None


def check_win(board: Board) -> str | None:
    """Find the player who fills a row, a column or a diagonal.

    Parameters:
        board: The board.

    Returns:
        The player's marker, or None if nobody does.
    """
    indices = range(GRID_SIZE)
    rows = list(board)
    columns = [[row[index] for row in board] for index in indices]
    falling = [board[index][index] for index in indices]
    rising = [board[index][GRID_SIZE - 1 - index] for index in indices]
    for line in rows + columns + [falling, rising]:
        owner = owner_of(line)
        if owner is not None:
            return owner
    return None


def check_stalemate(
    board: Board, naught_pieces: Pieces, cross_pieces: Pieces
) -> bool:
    """Decide whether no player can make a move.

    Parameters:
        board: The board.
        naught_pieces: The pieces of the naughts.
        cross_pieces: The pieces of the crosses.

    Returns:
        True if no piece of either player fits anywhere.
    """
    for pieces in (naught_pieces, cross_pieces):
        for row in range(GRID_SIZE):
            for column in range(GRID_SIZE):
                for size in pieces:
                    if check_move(board, pieces, (row, column, size)):
                        return False
    return True


def take_turn(board: Board, player: str, pieces: Pieces) -> None:
    """Let a player move, prompting again until the rules permit the move.

    Parameters:
        board: The board, changed in place.
        player: The player's marker.
        pieces: The player's pieces, of which one is taken away.
    """
    print(f"\n{player} turn to move\n")
    move = get_player_move()
    while not check_move(board, pieces, move):
        print(INVALID_MOVE_MESSAGE)
        print(f"\n{player} turn to move\n")
        move = get_player_move()
    place_piece(board, player, pieces, move)


def is_over(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> bool:
    """Decide whether a game has ended, and say how if it has.

    Parameters:
        board: The board.
        naught_pieces: The pieces of the naughts.
        cross_pieces: The pieces of the crosses.

    Returns:
        True after a win or in a stalemate.
    """
    winner = check_win(board)
    if winner is not None:
        print(f"{winner} wins!")
        return True
    if check_stalemate(board, naught_pieces, cross_pieces):
        print(STALEMATE_MESSAGE)
        return True
    return False


def play_game() -> None:
    """Play one game, from the empty board to its outcome."""
    board = initial_state()
    naught_pieces = generate_initial_pieces(PIECES_PER_PLAYER)
    cross_pieces = generate_initial_pieces(PIECES_PER_PLAYER)
    player, pieces = NAUGHT, naught_pieces
    waiting, waiting_pieces = CROSS, cross_pieces

    print_game(board, naught_pieces, cross_pieces)
    while not is_over(board, naught_pieces, cross_pieces):
        take_turn(board, player, pieces)
        print_game(board, naught_pieces, cross_pieces)
        player, waiting = waiting, player
        pieces, waiting_pieces = waiting_pieces, pieces


def main() -> None:
    """Play games until the players have had enough."""
    play_game()
    while input(PLAY_AGAIN_PROMPT) in PLAY_AGAIN_ANSWERS:
        play_game()


if __name__ == "__main__":
    main()
