"""Rules about boards: transposed, printed twice, not printed, or shifted by one column."""

from collections.abc import Iterator
from itertools import islice, product

from harness.common.escaping import quoted
from harness.judging.explain.failure import Failure, TextEdit, first_visible
from harness.judging.explain.rules import TEXTS, Stage, rule, rule_about
from harness.judging.side_by_side.boards import (
    Cells,
    are_transposed,
    cells,
    grid_at,
    holds_board,
    is_board,
)

_MESSAGE = "has rows and columns swapped"


@rule(Stage.KNOWN_MISTAKE, 60, "rows and columns are swapped")
def rows_and_columns_swapped(failure: Failure) -> str | None:
    if failure.exact_return is not None:
        expected, actual = failure.exact_return
        if are_transposed(cells(expected), cells(actual)):
            return failure.says(_MESSAGE, who="the returned board")
    for change in failure.changes:
        before, wanted, got = cells(change.before), cells(change.expected), cells(change.actual)
        if are_transposed(wanted, got) or _change_transposed(before, wanted, got):
            return failure.says(_MESSAGE, who=change.name)
    return None


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 20, "shows rows and columns swapped", TEXTS)
def printed_rows_and_columns_swapped(failure: Failure, texts: TextEdit) -> str | None:
    wanted = grid_at(texts.expected, texts.at)
    got = grid_at(texts.actual, texts.at)
    if wanted is None or got is None or wanted.start != got.start:
        return None
    if are_transposed(wanted.rows, got.rows):
        return failure.says(_MESSAGE, place=texts.place, who="the board")
    return None


def _change_transposed(was: Cells | None, wanted: Cells | None, got: Cells | None) -> bool:
    """Return whether the function changed [column][row] instead of [row][column]."""
    if was is None or wanted is None or got is None:
        return False
    square = [len(was)] * len(was)
    for rows in (was, wanted, got):
        if list(map(len, rows)) != square:
            return False
    should: dict[tuple[int, int], str] = {}
    did: dict[tuple[int, int], str] = {}
    for row, column in product(range(len(was)), repeat=2):
        before = was[row][column]
        if wanted[row][column] != before:
            should[row, column] = wanted[row][column]
        if got[row][column] != before:
            did[column, row] = got[row][column]
    return bool(should) and should == did


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 30, "shows a piece one column off", TEXTS)
def printed_off_by_one_column(failure: Failure, texts: TextEdit) -> str | None:
    moved = _moved(texts.expected, texts.actual)
    if moved is None:
        return None
    (row, column), (_, other_column) = moved
    first, last = sorted((column, other_column))
    between = texts.expected[row][first + 1 : last]
    is_separator = len(between) == 1 and not between.isalnum()
    if last - first != 1 and not is_separator:
        return None
    side = "left"
    if other_column > column:
        side = "right"
    return failure.says(
        f"is off by one column: a piece is one column too far to the {side}",
        place=texts.place,
        who="the board",
    )


def _moved(
    expected: list[str], actual: list[str]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the expected and the actual place of a piece, if it is the only difference."""
    if list(map(len, expected)) != list(map(len, actual)):
        return None
    places = list(islice(_differing(expected, actual), 3))
    if len(places) != 2:
        return None
    (row, column), (other_row, other_column) = places
    sign, other_sign = expected[row][column], expected[other_row][other_column]
    are_exchanged = actual[row][column] == other_sign and actual[other_row][other_column] == sign
    if not are_exchanged:
        return None
    # The more frequent of the two signs is the empty cell.
    shown = expected[row] + expected[other_row]
    if shown.count(sign) > shown.count(other_sign):
        places.reverse()
    return places[0], places[1]


def _differing(expected: list[str], actual: list[str]) -> Iterator[tuple[int, int]]:
    """Yield (row, column) of each differing character in lines of equal lengths."""
    for row, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        if wanted == got:
            continue
        for column, (sign, other_sign) in enumerate(zip(wanted, got, strict=True)):
            if sign != other_sign:
                yield row, column


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 10, "shows the board twice", TEXTS)
def board_shown_twice(failure: Failure, texts: TextEdit) -> str | None:
    block, size = texts.inserted, len(texts.inserted)
    if texts.removed or size < 2 or texts.actual[: texts.at][-size:] != block:
        return None
    if is_board(block):
        return failure.says("is shown twice in a row", place=texts.place, who="the board")
    first = quoted(first_visible(block))
    clause = f"the same {size} lines twice in a row, including {first}"
    return failure.says(f"{texts.verb} {clause}", place=texts.place)


@rule_about(Stage.KNOWN_MISTAKE, 140, "does not show the board", TEXTS)
def board_not_shown(failure: Failure, texts: TextEdit) -> str | None:
    if texts.inserted or not holds_board(texts.removed):
        return None
    who = "the text with the board"
    if is_board(texts.removed):
        who = "the board"
    clause = f"is missing: it should start at line {texts.at + 1}"
    return failure.says(clause, place=texts.place, who=who)


@rule_about(Stage.KNOWN_MISTAKE, 150, "shows the board when it should not", TEXTS)
def board_shown_unasked(failure: Failure, texts: TextEdit) -> str | None:
    if texts.removed or not is_board(texts.inserted):
        return None
    if failure.is_to_end:
        return failure.says("should end; it shows the board", place=texts.place)
    there = "nothing"
    for line in texts.expected[texts.at :]:
        if line.strip():
            there = quoted(line)
            break
    clause = f"is shown at line {texts.at + 1}, where {there} should be"
    return failure.says(clause, place=texts.place, who="the board")
