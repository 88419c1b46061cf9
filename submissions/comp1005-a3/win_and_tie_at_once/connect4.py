# Assignment 3, part 1: the grid


def makeGrid(nRows, nCols):
    grid = []
    for r in range(nRows):
        row = []
        for c in range(nCols):
            row.append('empty')
        grid.append(row)
    return grid


def play(grid, column, checker):
    if column < 0 or column >= len(grid[0]):
        return False
    r = len(grid) - 1
    while r >= 0:
        if grid[r][column] == 'empty':
            grid[r][column] = checker
            return True
        r = r - 1
    return False


def count(grid, r, c, dr, dc):
    """How many checkers of the same colour follow (r, c) in one direction."""
    colour = grid[r][c]
    n = 0
    r = r + dr
    c = c + dc
    while r >= 0 and r < len(grid) and c >= 0 and c < len(grid[0]) and grid[r][c] == colour:
        n = n + 1
        r = r + dr
        c = c + dc
    return n


def win(grid, column):
    if column < 0 or column >= len(grid[0]):
        return 'empty'
    top = 0
    while top < len(grid) and grid[top][column] == 'empty':
        top = top + 1
    if top == len(grid):
        return 'empty'
    for d in [(0, 1), (1, 0), (1, 1), (1, -1)]:
        total = 1 + count(grid, top, column, d[0], d[1]) + count(grid, top, column, -d[0], -d[1])
        if total >= 4:
            return grid[top][column]
    return 'empty'


def toString(grid):
    s = ''
    for r in range(len(grid)):
        s = s + '|'
        for c in range(len(grid[r])):
            if grid[r][c] == 'red':
                s = s + 'X'
            elif grid[r][c] == 'black':
                s = s + 'O'
            else:
                s = s + ' '
        s = s + '|' + str(r) + '\n'
    s = s + '+' + '-' * len(grid[0]) + '+\n '
    for c in range(len(grid[0])):
        s = s + str(c)
    return s
