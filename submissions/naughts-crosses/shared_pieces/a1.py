from constants import *

# Type aliases
Board = list[list[str]]
Pieces = list[int]
Move = tuple[int, int, int]

# What players are asked
MOVE_PROMPT = "Enter your move: "
PLAY_AGAIN_PROMPT = "Play again? "

# What they may answer
HELP_REQUESTS = ("h", "H")
PLAY_AGAIN_ANSWERS = ("y", "Y")

MOVE_LENGTH = 5
MOVE_SEPARATOR = " "


def num_hours() -> float:
    """Returns the number of hours spent on the assignment."""
    return 9.0


def generate_initial_pieces(num_pieces: int) -> Pieces:
    """Generates the pieces a player starts with.

    Parameters:
        num_pieces: how many pieces the player has

    Returns:
        the sizes of the pieces, from 1 to num_pieces
    """
    pieces = []
    for size in range(1, num_pieces + 1):
        pieces.append(size)
    return pieces


def initial_state() -> Board:
    """Returns a new board with only empty cells."""
    board = []
    for _ in range(GRID_SIZE):
        row = []
        for _ in range(GRID_SIZE):
            row.append(EMPTY)
        board.append(row)
    return board


def place_piece(board: Board, player: str, pieces_available: Pieces, move: Move) -> None:
    """Places a player's piece on the board and takes it from their pieces.

    Parameters:
        board: the board to place the piece on
        player: whose piece it is
        pieces_available: the pieces of that player
        move: the row, column and size of the piece
    """
    row, column, size = move
    board[row][column] = player + str(size)
    pieces_available.remove(size)


def get_pieces_text(pieces: Pieces) -> str:
    """Returns the sizes of the pieces with a comma between them."""
    text = ""
    for size in pieces:
        if text != "":
            text += ", "
        text += str(size)
    return text


def print_game(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> None:
    """Prints the pieces both players have left, and the board.

    Parameters:
        board: the current board
        naught_pieces: the pieces of naughts
        cross_pieces: the pieces of crosses
    """
    print(NAUGHT + " has: " + get_pieces_text(naught_pieces))
    print(CROSS + " has: " + get_pieces_text(cross_pieces))
    print()

    # The numbers of the columns
    header = " "
    for column in range(GRID_SIZE):
        header += "  " + str(column + 1)
    print(header)

    rule = "  " + "---" * GRID_SIZE
    print(rule)
    for row in range(GRID_SIZE):
        line = str(row + 1) + "|"
        for cell in board[row]:
            line += cell + "|"
        print(line)
        print(rule)


def is_number_in_range(text: str, largest: int) -> bool:
    """Checks whether the text is a number from 1 to the largest allowed."""
    return text.isdigit() and 1 <= int(text) <= largest


def process_move(move: str) -> Move | None:
    """Turns what a player entered into a move, or says what is wrong with it.

    Parameters:
        move: what the player entered

    Returns:
        the row, column and piece size (row and column from 0), or None if
        the move is invalid
    """
    parts = move.split(MOVE_SEPARATOR)
    if len(move) != MOVE_LENGTH or len(parts) != 3:
        print(INVALID_FORMAT_MESSAGE)
        return None
    row, column, size = parts
    if len(row) != 1 or len(column) != 1 or len(size) != 1:
        print(INVALID_FORMAT_MESSAGE)
        return None
    if not is_number_in_range(row, GRID_SIZE):
        print(INVALID_ROW_MESSAGE)
        return None
    if not is_number_in_range(column, GRID_SIZE):
        print(INVALID_COLUMN_MESSAGE)
        return None
    if not is_number_in_range(size, PIECES_PER_PLAYER):
        print(INVALID_SIZE_MESSAGE)
        return None
    return (int(row) - 1, int(column) - 1, int(size))


def get_player_move() -> Move:
    """Asks for a move until one has a valid format, and shows help if wanted.

    Returns:
        the row, column and piece size of the move
    """
    while True:
        entered = input(MOVE_PROMPT)
        if entered in HELP_REQUESTS:
            print(HELP_MESSAGE)
        else:
            move = process_move(entered)
            if move is not None:
                return move


def check_move(board: Board, pieces_available: Pieces, move: Move) -> bool:
    """Checks a move against the rules of the game.

    Parameters:
        board: the current board
        pieces_available: the pieces of the player who wants to move
        move: the row, column and size of the piece

    Returns:
        True if the piece can be placed there
    """
    row, column, size = move
    if size not in pieces_available:
        return False
    cell = board[row][column]
    if cell == EMPTY:
        return True
    return int(cell[1:]) < size


def get_lines(board: Board) -> list[list[str]]:
    """Returns every row, column and diagonal of the board."""
    lines = []
    first_diagonal = []
    second_diagonal = []
    for i in range(len(board)):
        lines.append(board[i])
        column = []
        for j in range(len(board)):
            column.append(board[j][i])
        lines.append(column)
        first_diagonal.append(board[i][i])
        second_diagonal.append(board[i][len(board) - 1 - i])
    lines.append(first_diagonal)
    lines.append(second_diagonal)
    return lines


def check_win(board: Board) -> str | None:
    """Checks whether a player has filled a line.

    Parameters:
        board: the current board

    Returns:
        the player who has, or None
    """
    for player in (NAUGHT, CROSS):
        for line in get_lines(board):
            filled = 0
            for cell in line:
                if cell[0] == player:
                    filled += 1
            if filled == len(board):
                return player
    return None


def check_stalemate(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> bool:
    """Checks whether nobody can make a move.

    Parameters:
        board: the current board
        naught_pieces: the pieces of naughts
        cross_pieces: the pieces of crosses

    Returns:
        True if there is no move left
    """
    for pieces in (naught_pieces, cross_pieces):
        for size in pieces:
            for row in range(len(board)):
                for column in range(len(board)):
                    if check_move(board, pieces, (row, column, size)):
                        return False
    return True


def take_turn(board: Board, player: str, pieces: Pieces) -> None:
    """Lets a player move, and asks again until the rules allow the move."""
    has_moved = False
    while not has_moved:
        print()
        print(player + " turn to move")
        print()
        move = get_player_move()
        if check_move(board, pieces, move):
            place_piece(board, player, pieces, move)
            has_moved = True
        else:
            print(INVALID_MOVE_MESSAGE)


def play_game() -> None:
    """Plays one game from the empty board to its end."""
    board = initial_state()
    naught_pieces = generate_initial_pieces(PIECES_PER_PLAYER)
    cross_pieces = naught_pieces
    player = NAUGHT
    print_game(board, naught_pieces, cross_pieces)

    while True:
        if player == NAUGHT:
            take_turn(board, NAUGHT, naught_pieces)
            player = CROSS
        else:
            take_turn(board, CROSS, cross_pieces)
            player = NAUGHT
        print_game(board, naught_pieces, cross_pieces)

        winner = check_win(board)
        if winner is not None:
            print(winner + " wins!")
            return
        if check_stalemate(board, naught_pieces, cross_pieces):
            print("Stalemate!")
            return


def main() -> None:
    """Plays games until the players have had enough."""
    play_game()
    while input(PLAY_AGAIN_PROMPT) in PLAY_AGAIN_ANSWERS:
        play_game()


if __name__ == '__main__':
    main()
