"""Project 4: Connect Four with pieces that can be popped out below.

A board is a list of rows from top to bottom, a row a list of one-character
strings from left to right: BLANK or a player's color.
"""

BLANK = "."
COLORS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RUN_LENGTH = 4

TIE = "tie!"
DRAW = "draw"
PENDING = "pending"


def init_board(num_rows, num_cols):
    """Make an empty board whose rows are lists of their own."""
    board = []
    while len(board) < num_rows:
        board.append([BLANK] * num_cols)
    return board


def show_board(board):
    """Give the text that shows the board when it is printed."""
    text = ""
    for row in board:
        text += "".join(row) + "\n"
    return text


def read_board(s):
    """Turn a board's text into the board; None if it is the text of none."""
    board = []
    for line in s.split("\n"):
        if line == "":
            continue
        for spot in line:
            if spot != BLANK and spot not in COLORS:
                return None
        if board != [] and len(line) != len(board[0]):
            return None
        board.append(list(line))
    return board


def get_size(board):
    """Give the numbers of rows and of columns."""
    return (len(board), len(board[0]))


def is_valid_coord(board, r, c):
    """Decide whether the board has the place (r, c), neither negative."""
    num_rows, num_cols = get_size(board)
    row_is_there = r >= 0 and r < num_rows
    column_is_there = c >= 0 and c < num_cols
    return row_is_there and column_is_there


def get_coords_by_color(board, color):
    """List a color's places, row by row from the top, each from the left."""
    coords = []
    for r in range(len(board)):
        for c in range(len(board[r])):
            if board[r][c] == color:
                coords.append((r, c))
    return coords


def get_colors(board):
    """List the colors on the board, in the order of their first places."""
    colors = []
    for row in board:
        for spot in row:
            if spot != BLANK and spot not in colors:
                colors.append(spot)
    return colors


def count_pieces_by_color(board, color):
    """Count the places that hold a color."""
    count = 0
    for row in board:
        for spot in row:
            if spot == color:
                count += 1
    return count


def any_floating(board):
    """Decide whether a piece has a blank right below it."""
    num_rows, num_cols = get_size(board)
    for r in range(num_rows - 1):
        for c in range(num_cols):
            if board[r][c] != BLANK and board[r + 1][c] == BLANK:
                return True
    return False


def is_column_full(board, c):
    """Decide whether the column is there and has no blank."""
    if not is_valid_coord(board, 0, c):
        return False
    for row in board:
        if row[c] == BLANK:
            return False
    return True


def place_one(board, c, color):
    """Drop a piece into a column, if it is there and has room."""
    if not is_valid_coord(board, 0, c):
        return False
    r = len(board) - 1
    while r >= 0 and board[r][c] != BLANK:
        r -= 1
    if r < 0:
        return False
    board[r][c] = color
    return True


def pop_out(board, c, color):
    """Take a color's own bottom piece out of a column, if there is one."""
    if not is_valid_coord(board, 0, c):
        return False
    bottom = len(board) - 1
    if board[bottom][c] == BLANK:
        return False
    if board[bottom][c] != color:
        return False
    for r in range(bottom, 0, -1):
        board[r][c] = board[r - 1][c]
    board[0][c] = BLANK
    return True


def is_run(board, r, c, down, right):
    """Decide whether a run begins at (r, c) and goes one way.

    Each next place is that far down and that far right of the last.
    """
    if not is_valid_coord(board, r, c):
        return False
    color = board[r][c]
    if color == BLANK:
        return False
    for step in range(1, RUN_LENGTH):
        next_r = r + step * down
        next_c = c + step * right
        if not is_valid_coord(board, next_r, next_c):
            return False
        if board[next_r][next_c] != color:
            return False
    return True


def check_horizontal(board, r, c):
    """Decide whether a run begins at (r, c) and goes right."""
    return is_run(board, r, c, 0, 1)


def check_vertical(board, r, c):
    """Decide whether a run begins at (r, c) and goes down."""
    return is_run(board, r, c, 1, 0)


def check_major_diagonal(board, r, c):
    """Decide whether a run begins at (r, c) and goes down and right."""
    return is_run(board, r, c, 1, 1)


def check_minor_diagonal(board, r, c):
    """Decide whether a run begins at (r, c) and goes up and right."""
    return is_run(board, r, c, -1, 1)


def begins_a_run(board, r, c):
    """Decide whether a run begins at (r, c) and goes any of the four ways."""
    if check_horizontal(board, r, c) or check_vertical(board, r, c):
        return True
    if check_major_diagonal(board, r, c):
        return True
    return check_minor_diagonal(board, r, c)


def check_winner(board):
    """Give the color that alone has runs, or say how the game stands."""
    num_rows, num_cols = get_size(board)
    winners = []
    for r in range(num_rows):
        for c in range(num_cols):
            if begins_a_run(board, r, c) and board[r][c] not in winners:
                winners.append(board[r][c])
    if len(winners) > 1:
        return TIE
    if len(winners) == 1:
        return winners[0]
    for row in board:
        if BLANK in row:
            return PENDING
    return DRAW


def copy_of(board):
    """Make a board of the same pieces that shares no row with this one."""
    copy = []
    for row in board:
        copy.append(list(row))
    return copy


def winning_move(board, color):
    """Give the leftmost column where one more piece wins, or None."""
    if check_winner(board) != PENDING:
        return None
    num_rows, num_cols = get_size(board)
    for c in range(num_cols):
        attempt = copy_of(board)
        if place_one(attempt, c, color) and check_winner(attempt) == color:
            return c
    return None
