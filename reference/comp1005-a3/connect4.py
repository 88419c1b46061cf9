"""The grid of connect four: rows of strings, row 0 at the top."""
# ruff: noqa: N802, N803  (names that the sheet gives)

EMPTY = "empty"
MARKS = {"red": "X", "black": "O", EMPTY: " "}
WIN_LENGTH = 4

# Steps down and right. A line's other half goes the opposite way.
DIRECTIONS = [
    (0, 1),
    (1, 0),
    (1, 1),
    (-1, 1),
]


def makeGrid(nRows, nCols):
    """Return an empty grid of nRows rows and nCols columns."""
    grid = []
    for _ in range(nRows):
        grid.append([EMPTY] * nCols)
    return grid


def play(grid, column, checker):
    """Drop the checker; return whether the column is there and had room."""
    if not _is_column(grid, column):
        return False
    row = _first_taken_row(grid, column) - 1
    if row < 0:
        return False
    grid[row][column] = checker
    return True


def win(grid, column):
    """Return who has a line through the column's highest checker, or EMPTY."""
    if not _is_column(grid, column):
        return EMPTY
    row = _first_taken_row(grid, column)
    if row == len(grid):
        return EMPTY
    for down, right in DIRECTIONS:
        ahead = _run(grid, row, column, down, right)
        behind = _run(grid, row, column, -down, -right)
        if ahead + 1 + behind >= WIN_LENGTH:
            return grid[row][column]
    return EMPTY


def toString(grid):
    """Return the picture of the grid, with no newline at its end."""
    lines = []
    for number, row in enumerate(grid):
        marks = ""
        for checker in row:
            marks += MARKS[checker]
        lines.append("|" + marks + "|" + str(number))
    columns = range(len(grid[0]))
    lines.append("+" + "-" * len(columns) + "+")
    lines.append(" " + "".join(str(column) for column in columns))
    return "\n".join(lines)


def _is_column(grid, column):
    return 0 <= column < len(grid[0])


def _first_taken_row(grid, column):
    row = 0
    while row < len(grid) and grid[row][column] == EMPTY:
        row += 1
    return row


def _run(grid, row, column, down, right):
    colour = grid[row][column]
    length = 0
    row += down
    column += right
    while 0 <= row < len(grid) and _is_column(grid, column):
        if grid[row][column] != colour:
            break
        length += 1
        row += down
        column += right
    return length
