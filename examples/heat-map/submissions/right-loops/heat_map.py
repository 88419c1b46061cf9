import numpy as np


def border(rows, columns):
    lines = []
    for row in range(rows):
        line = []
        for column in range(columns):
            at_edge = row in (0, rows - 1) or column in (0, columns - 1)
            line.append(1 if at_edge else 0)
        lines.append(line)
    return np.array(lines)


def celsius(grid):
    result = np.empty(grid.shape)
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            result[row, column] = (grid[row, column] - 32) * 5 / 9
    return result


def column_means(grid):
    return np.array([sum(column) / len(column) for column in grid.T])


def above(grid, limit):
    return np.array([[item > limit for item in row] for row in grid])


def count_above(grid, limit):
    count = 0
    for row in grid:
        for item in row:
            if item > limit:
                count += 1
    return count


def hottest(grid):
    best = (0, 0)
    for row in range(len(grid)):
        for column in range(len(grid[0])):
            if grid[row][column] > grid[best]:
                best = (row, column)
    return best


def scaled(values):
    spread = max(values) - min(values)
    if spread == 0:
        return values * 0.0
    return (values - min(values)) / spread


def moving_mean(values, width):
    if width < 1 or width > len(values):
        raise ValueError(f"a width of {width}")
    means = []
    for start in range(len(values) - width + 1):
        means.append(np.mean(values[start : start + width]))
    return np.array(means)
