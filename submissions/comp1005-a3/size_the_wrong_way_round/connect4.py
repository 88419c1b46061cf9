def makeGrid(nRows, nCols):
    return [['empty'] * nCols for _ in range(nRows)]


def play(grid, column, checker):
    if column < 0 or column >= len(grid[0]) or grid[0][column] != 'empty':
        return False
    row = max(r for r in range(len(grid)) if grid[r][column] == 'empty')
    grid[row][column] = checker
    return True


def win(grid, column):
    h = len(grid)
    w = len(grid[0])
    if column < 0 or column >= w or grid[h - 1][column] == 'empty':
        return 'empty'
    # any four of the whole grid will do: the last play is the one that made it
    for r in range(h):
        for c in range(w):
            who = grid[r][c]
            if who == 'empty':
                continue
            if c + 3 < w and who == grid[r][c + 1] == grid[r][c + 2] == grid[r][c + 3]:
                return who
            if r + 3 < h and who == grid[r + 1][c] == grid[r + 2][c] == grid[r + 3][c]:
                return who
            if r + 3 < h and c + 3 < w and who == grid[r + 1][c + 1] == grid[r + 2][c + 2] == grid[r + 3][c + 3]:
                return who
            if r + 3 < h and c >= 3 and who == grid[r + 1][c - 1] == grid[r + 2][c - 2] == grid[r + 3][c - 3]:
                return who
    return 'empty'


def toString(grid):
    out = ''
    for i, row in enumerate(grid):
        out += f"|{''.join(' ' if x == 'empty' else 'X' if x == 'red' else 'O' for x in row)}|{i}\n"
    w = len(grid[0])
    return out + f"+{'-' * w}+\n {'0123456789'[:w]}"
