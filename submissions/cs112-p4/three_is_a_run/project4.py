# Project 4: Connect Four on lists of lists.
# A board is a list of rows, each row a list of one-character strings.


# make an empty board with fresh rows
def init_board(num_rows, num_cols):
    board = []
    for r in range(num_rows):
        row = []
        for c in range(num_cols):
            row.append('.')
        board.append(row)
    return board


# the board as one string, each row on a line of its own
def show_board(board):
    answer = ''
    for row in board:
        for spot in row:
            answer += spot
        answer += '\n'
    return answer


# turn a string back into a board, or None if it isn't one
def read_board(s):
    board = []
    for line in s.split('\n'):
        if line == '':
            continue
        row = []
        for ch in line:
            if ch != '.' and ch not in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ':
                return None
            row.append(ch)
        board.append(row)
    for row in board:
        if len(row) != len(board[0]):
            return None
    return board


# (number of rows, number of columns)
def get_size(board):
    return (len(board), len(board[0]))


# is (r,c) on the board? negative indexes are not
def is_valid_coord(board, r, c):
    rows, cols = get_size(board)
    return r >= 0 and r < rows and c >= 0 and c < cols


# all the coordinates of a color, top to bottom, left to right
def get_coords_by_color(board, color):
    coords = []
    for r in range(len(board)):
        for c in range(len(board[r])):
            if board[r][c] == color:
                coords.append((r, c))
    return coords


# all colors, in the order in which they are first seen
def get_colors(board):
    colors = []
    for row in board:
        for spot in row:
            if spot != '.' and spot not in colors:
                colors.append(spot)
    return colors


# how many pieces of this color
def count_pieces_by_color(board, color):
    return len(get_coords_by_color(board, color))


# does any piece have a blank under it?
def any_floating(board):
    rows, cols = get_size(board)
    for r in range(rows - 1):
        for c in range(cols):
            if board[r][c] != '.' and board[r + 1][c] == '.':
                return True
    return False


# is every spot in this column taken?
def is_column_full(board, c):
    if not is_valid_coord(board, 0, c):
        return False
    for row in board:
        if row[c] == '.':
            return False
    return True


# drop a piece; True if it could be dropped
def place_one(board, c, color):
    if not is_valid_coord(board, 0, c) or is_column_full(board, c):
        return False
    r = len(board) - 1
    while board[r][c] != '.':
        r -= 1
    board[r][c] = color
    return True


# take out the bottom piece; True if it could be taken
def pop_out(board, c, color):
    if not is_valid_coord(board, 0, c):
        return False
    bottom = len(board) - 1
    if board[bottom][c] == '.' or board[bottom][c] != color:
        return False
    for r in range(bottom, 0, -1):
        board[r][c] = board[r - 1][c]
    board[0][c] = '.'
    return True


# helper: four of the same color from (r,c), stepping by (dr,dc)
def check_run(board, r, c, dr, dc):
    if not is_valid_coord(board, r, c) or board[r][c] == '.':
        return False
    for i in range(1, 3):
        if not is_valid_coord(board, r + i * dr, c + i * dc):
            return False
        if board[r + i * dr][c + i * dc] != board[r][c]:
            return False
    return True


def check_horizontal(board, r, c):
    return check_run(board, r, c, 0, 1)


def check_vertical(board, r, c):
    return check_run(board, r, c, 1, 0)


def check_major_diagonal(board, r, c):
    return check_run(board, r, c, 1, 1)


def check_minor_diagonal(board, r, c):
    return check_run(board, r, c, -1, 1)


# the winning color, or 'tie!', 'draw', 'pending'
def check_winner(board):
    winners = []
    blanks = False
    rows, cols = get_size(board)
    for r in range(rows):
        for c in range(cols):
            if board[r][c] == '.':
                blanks = True
            elif (check_horizontal(board, r, c) or check_vertical(board, r, c)
                    or check_major_diagonal(board, r, c) or check_minor_diagonal(board, r, c)):
                if board[r][c] not in winners:
                    winners.append(board[r][c])
    if len(winners) == 1:
        return winners[0]
    if len(winners) > 1:
        return 'tie!'
    if blanks:
        return 'pending'
    return 'draw'


# leftmost column that wins at once by dropping a piece, or None
def winning_move(board, color):
    if check_winner(board) != 'pending':
        return None
    rows, cols = get_size(board)
    for c in range(cols):
        copy = []
        for row in board:
            copy.append(list(row))
        if place_one(copy, c, color) and check_winner(copy) == color:
            return c
    return None
