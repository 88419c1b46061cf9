"""Boards and moves for `harness fuzz`: of two colors, without floating pieces, up to ten by ten."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

RUN = 4
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1))
Board = list[list[str]]
Boards = st.SearchStrategy[Board]
Named = st.SearchStrategy[dict[str, object]]


@st.composite
def _boards(draw: Callable[..., int], colors: str = "AB", *, full: bool = False) -> Board:
    """Columns of any heights, with up to three runs in them, each whole or with a gap."""
    rows, columns = draw(st.integers(1, 10)), draw(st.integers(1, 10))
    lowest = rows - 1 if full else 0
    heights = [draw(st.integers(max(0, lowest), rows)) for _ in range(columns)]
    # Without bits the pieces make no run but those below.
    bits = draw(st.integers(0, 2 ** (rows * columns) - 1)) * draw(st.integers(0, 1))
    pieces: dict[tuple[int, int], str] = {}
    way = draw(st.integers(0, 7))  # of all runs; the upper half: of each its own
    for _ in range(draw(st.integers(0, 3))):
        down, right = DIRECTIONS[way if way < len(DIRECTIONS) else draw(st.integers(0, 3))]
        row, column = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
        color, gap = draw(st.integers(0, 1)), draw(st.integers(0, 5))
        # Runs that would leave the board end at its edge.
        column = min(column, columns - 1 - (RUN - 1) * right)
        row = max(row, RUN - 1) if down < 0 else min(row, rows - 1 - (RUN - 1) * down)
        places = [(row + i * down, column + i * right) for i in range(RUN)]
        if row >= 0 and column >= 0 and row < rows:
            for index, (at, across) in enumerate(places):
                heights[across] = max(heights[across], rows - at)
                pieces[at, across] = colors[1 - color if index == gap else color]

    def spot(row: int, column: int) -> str:
        if row < rows - heights[column]:
            return "."
        usual = (row + column // 2 + (bits >> (row * columns + column))) % 2
        return pieces.get((row, column), colors[usual])

    return [[spot(row, column) for column in range(columns)] for row in range(rows)]


def boards() -> Named:
    return st.fixed_dictionaries({"board": _boards()})


def boards_and_colors() -> Named:
    return st.fixed_dictionaries({"board": _boards(), "color": st.sampled_from("ABC")})


def attacks() -> Named:
    """Boards nearly full as well, and one of their colors."""
    some = st.one_of(_boards(), _boards(full=True))
    return st.fixed_dictionaries({"board": some, "color": st.sampled_from("AB")})


def places() -> Named:
    place = st.integers(-2, 11)
    return st.fixed_dictionaries({"board": _boards(), "r": place, "c": place})


def moves() -> Named:
    column, color = st.integers(-2, 11), st.sampled_from("AB")
    return st.fixed_dictionaries({"board": _boards(), "c": column, "color": color})


def texts() -> Named:
    """Texts of boards, blank lines among them, now and then with an odd character or line."""
    rows = st.tuples(_boards(), st.lists(st.sampled_from(["\n", "\n\n"]), min_size=11, max_size=11))
    odd = st.tuples(st.integers(0, 30), st.sampled_from("a0 ,-_*\t"))

    def text(drawn: tuple[tuple[Board, list[str]], tuple[int, str]]) -> dict[str, object]:
        (board, ends), (at, character) = drawn
        whole = "".join("".join(row) + end for row, end in zip(board, ends, strict=False))
        return {"s": whole[:at] + character + whole[at + 1 :] if at < len(whole) // 3 else whole}

    return st.tuples(rows, odd).map(text)
