"""Temperatures of sensors, as arrays."""

import numpy as np


def border(rows, columns):
    """Return a grid of ones around zeros."""
    grid = np.ones((rows, columns), dtype=int)
    grid[1:-1, 1:-1] = 0
    return grid


def celsius(grid):
    """Return the grid in degrees Celsius."""
    return (grid - 32) * 5 / 9


def column_means(grid):
    """Return the mean of each column."""
    return grid.mean(axis=0)


def above(grid, limit):
    """Return where the grid is above the limit."""
    return grid > limit


def count_above(grid, limit):
    """Return how many temperatures are above the limit."""
    return int(above(grid, limit).sum())


def hottest(grid):
    """Return the row and column of the first highest temperature."""
    row, column = divmod(int(grid.argmax()), grid.shape[1])
    return row, column


def scaled(values):
    """Return the values in proportion, from 0 to 1."""
    low, high = values.min(), values.max()
    if low == high:
        return np.zeros(len(values))
    return (values - low) / (high - low)


def moving_mean(values, width):
    """Return the means of all `width` neighbours."""
    if not 1 <= width <= len(values):
        raise ValueError("no such width")
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    return windows.mean(axis=1)
