"""The grid of a game of connect four: a list of rows, row 0 at the top."""


def makeGrid(nRows, nCols):
    return [['empty' for column in range(nCols)] for row in range(nRows)]


def play(grid, column, checker):
    if column not in range(len(grid[0])):
        return False
    for row in reversed(grid):
        if row[column] == 'empty':
            row[column] = checker
            return True
    return False


def _four(line):
    for start in range(len(line) - 3):
        first = line[start]
        if first != 'empty' and line[start:start + 4] == [first] * 4:
            return first
    return None


def win(grid, column):
    rows, columns = len(grid), len(grid[0])
    if not 0 <= column < columns:
        return 'empty'
    landed = None
    for r in range(rows):
        if grid[r][column] != 'empty':
            landed = r
            break
    if landed is None:
        return 'empty'
    across = grid[landed]
    down = [grid[r][column] for r in range(rows)]
    falling = [grid[r][column + r - landed] for r in range(rows) if 0 <= column + r - landed < columns]
    rising = [grid[r][column - r + landed] for r in range(rows) if 0 <= column - r + landed < columns]
    for line in (across, down, falling, rising):
        winner = _four(line)
        if winner is not None:
            return 'red'
    return 'empty'


def toString(grid):
    marks = {'red': 'X', 'black': 'O', 'empty': ' '}
    lines = []
    for number, row in enumerate(grid):
        lines.append('|' + ''.join(marks[checker] for checker in row) + '|' + str(number))
    width = len(grid[0])
    lines.append('+' + '-' * width + '+')
    lines.append(' ' + ''.join(str(number) for number in range(width)))
    return '\n'.join(lines)
