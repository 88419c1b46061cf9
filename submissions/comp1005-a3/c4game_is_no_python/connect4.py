# connect4.py
# Written for COMP 1005, Assignment 3

EMPTY = 'empty'
RED = 'red'
BLACK = 'black'


def makeGrid(nRows, nCols):
    grid = [None] * nRows
    for i in range(nRows):
        grid[i] = [EMPTY] * nCols
    return grid


def topChecker(grid, column):
    '''Row of the highest checker in the column (number of rows when there is none).'''
    row = 0
    for line in grid:
        if line[column] != EMPTY:
            break
        row += 1
    return row


def play(grid, column, checker):
    valid = 0 <= column and column < len(grid[0])
    if not valid:
        return False
    row = topChecker(grid, column)
    if row == 0:
        return False
    grid[row - 1][column] = checker
    return True


def win(grid, column):
    if not (0 <= column and column < len(grid[0])):
        return EMPTY
    row = topChecker(grid, column)
    if row == len(grid):
        return EMPTY
    mine = grid[row][column]
    vertical = horizontal = slash = backslash = 0
    # walk a 7 x 7 window round the checker and look for runs through its lines
    for step in range(-3, 4):
        r, up, c = row + step, row - step, column + step
        rowOk = 0 <= r < len(grid)
        upOk = 0 <= up < len(grid)
        colOk = 0 <= c < len(grid[0])
        vertical = vertical + 1 if rowOk and grid[r][column] == mine else 0
        horizontal = horizontal + 1 if colOk and grid[row][c] == mine else 0
        backslash = backslash + 1 if rowOk and colOk and grid[r][c] == mine else 0
        slash = slash + 1 if upOk and colOk and grid[up][c] == mine else 0
        if 4 in (vertical, horizontal, slash, backslash):
            return mine
    return EMPTY


def toString(grid):
    text = []
    label = 0
    for row in grid:
        text += ['|']
        for place in row:
            text += [{RED: 'X', BLACK: 'O'}.get(place, ' ')]
        text += ['|', str(label), '\n']
        label += 1
    text += ['+', '-' * len(grid[0]), '+', '\n', ' ']
    text += [str(i) for i in range(len(grid[0]))]
    return ''.join(text)
