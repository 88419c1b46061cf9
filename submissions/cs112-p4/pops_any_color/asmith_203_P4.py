#------------------------------------------------------------------------
# Name: A. Smith       Section: 203
# Project 4
# Notes: I put the four directions in one list so check_winner can loop.
#------------------------------------------------------------------------

DIRECTIONS = [[0, 1], [1, 0], [1, 1], [-1, 1]]
LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'


def init_board(num_rows, num_cols):
    board = []
    for i in range(num_rows):
        board.append(list('.' * num_cols))
    return board


def show_board(board):
    lines = []
    for row in board:
        lines.append(''.join(row))
    lines.append('')        # gives us the newline after the last row
    return '\n'.join(lines)


def read_board(s):
    lines = []
    for line in s.split('\n'):
        if len(line) > 0:
            lines.append(line)
    answer = []
    for line in lines:
        if len(line) != len(lines[0]):
            return None
        answer.append([])
        for ch in line:
            if not ch in LETTERS + '.':
                return None
            answer[-1].append(ch)
    return answer


def get_size(board):
    return len(board), len(board[0])


def is_valid_coord(board, r, c):
    return r in range(len(board)) and c in range(len(board[0]))


def get_coords_by_color(board, color):
    xs = []
    r = 0
    while r < len(board):
        c = 0
        while c < len(board[r]):
            if board[r][c] == color:
                xs.extend([(r, c)])
            c += 1
        r += 1
    return xs


def get_colors(board):
    seen = []
    for row in board:
        for spot in row:
            if spot == '.' or spot in seen:
                continue
            seen.append(spot)
    return seen


def count_pieces_by_color(board, color):
    n = 0
    for row in board:
        for spot in row:
            n += int(spot == color)
    return n


# the items of one column, top first
def column(board, c):
    items = []
    for row in board:
        items.append(row[c])
    return items


# put these items back into the column
def set_column(board, c, items):
    for r in range(len(board)):
        board[r][c] = items[r]


def any_floating(board):
    for c in range(len(board[0])):
        started = False
        for spot in column(board, c):
            if spot != '.':
                started = True
            elif started:
                return True
    return False


def is_column_full(board, c):
    return is_valid_coord(board, 0, c) and not '.' in column(board, c)


def place_one(board, c, color):
    if not is_valid_coord(board, 0, c) or is_column_full(board, c):
        return False
    lowest = 0
    for r in range(len(board)):
        if board[r][c] == '.':
            lowest = r
    board[lowest][c] = color
    return True


def pop_out(board, c, color):
    if not is_valid_coord(board, 0, c):
        return False
    items = column(board, c)
    if items[-1] == '.':
        return False
    items.pop()
    items.insert(0, '.')
    set_column(board, c, items)
    return True


# is there a run starting at (r,c) in this direction?
def run_from(board, r, c, direction):
    if not is_valid_coord(board, r, c):
        return False
    group = []
    for i in range(4):
        rr = r + i * direction[0]
        cc = c + i * direction[1]
        if is_valid_coord(board, rr, cc):
            group.append(board[rr][cc])
    return group == [board[r][c]] * 4 and group[0] != '.'


def check_horizontal(board, r, c):
    return run_from(board, r, c, DIRECTIONS[0])


def check_vertical(board, r, c):
    return run_from(board, r, c, DIRECTIONS[1])


def check_major_diagonal(board, r, c):
    return run_from(board, r, c, DIRECTIONS[2])


def check_minor_diagonal(board, r, c):
    return run_from(board, r, c, DIRECTIONS[3])


def check_winner(board):
    winner = ''
    for color in get_colors(board):
        for coord in get_coords_by_color(board, color):
            for d in DIRECTIONS:
                if run_from(board, coord[0], coord[1], d):
                    if winner != '' and winner != color:
                        return 'tie!'
                    winner = color
    if winner != '':
        return winner
    for row in board:
        if '.' in row:
            return 'pending'
    return 'draw'


def winning_move(board, color):
    if check_winner(board) == 'pending':
        for c in range(len(board[0])):
            before = column(board, c)
            if place_one(board, c, color):
                result = check_winner(board)
                set_column(board, c, before)        # take it back
                if result == color:
                    return c
    return None
