import numpy as np


def border(rows, columns):
    grid = np.ones((rows, columns), dtype=int)
    grid[1:-1, 1:-1] = 0
    return grid


def celsius(grid):
    return (grid - 32) * 5 / 9


def column_means(grid):
    return grid.mean(axis=0)


def above(grid, limit):
    return grid > limit


def count_above(grid, limit):
    return int(above(grid, limit).sum())


def hottest(grid):
    row, column = divmod(int(grid.argmax()), grid.shape[1])
    return row, column


def scaled(values):
    low, high = values.min(), values.max()
    if low == high:
        return np.zeros(len(values))
    return (values - low) / (high - low)


def moving_mean(values, width):
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    return windows.mean(axis=1)
