"""Rules about boards: transposed, shown twice, not shown, off by one column."""

from harness.common.escaping import quoted
from harness.judging.boards import Cells, are_transposed, cells, grid_at, holds_board, is_board
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import TEXTS, Stage, rule, rule_about

_MESSAGE = "has rows and columns swapped"


@rule(Stage.KNOWN_MISTAKE, 60, "rows and columns are swapped")
def rows_and_columns_swapped(failure: Failure) -> str | None:
    pair = failure.exact_return
    if pair is not None and are_transposed(*map(cells, pair)):
        return failure.says(_MESSAGE, who="the returned board")
    for change in failure.changes:
        before, wanted, got = map(cells, (change.before, change.expected, change.actual))
        if are_transposed(wanted, got) or _change_transposed(before, wanted, got):
            return failure.says(_MESSAGE, who=change.name)
    return None


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 20, "shows rows and columns swapped", TEXTS)
def printed_rows_and_columns_swapped(failure: Failure, texts: TextEdit) -> str | None:
    wanted, got = grid_at(texts.expected, texts.at), grid_at(texts.actual, texts.at)
    if wanted and got and wanted.start == got.start and are_transposed(wanted.rows, got.rows):
        return failure.says(_MESSAGE, place=texts.place, who="the board")
    return None


def _change_transposed(was: Cells | None, wanted: Cells | None, got: Cells | None) -> bool:
    """Return whether the change was made at [row][column] instead of [column][row]."""
    if was is None or wanted is None or got is None:
        return False
    size = range(len(was))
    if any([len(row) for row in rows] != [len(was)] * len(was) for rows in (was, wanted, got)):
        return False
    places = [(i, j) for i in size for j in size]
    should = {(i, j): wanted[i][j] for i, j in places if was[i][j] != wanted[i][j]}
    did = {(j, i): got[i][j] for i, j in places if was[i][j] != got[i][j]}
    return bool(should) and should == did


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 30, "shows a piece one column beside its place", TEXTS)
def printed_off_by_one_column(failure: Failure, texts: TextEdit) -> str | None:
    moved = _moved(texts.expected, texts.actual)
    if moved is None:
        return None
    (row, column), (_, other_column) = moved
    between = texts.expected[row][min(column, other_column) + 1 : max(column, other_column)]
    if abs(column - other_column) != 1 and (len(between) != 1 or between.isalnum()):
        return None
    side = "right" if other_column > column else "left"
    return failure.says(
        f"is off by one column: a piece is one column too far to the {side}",
        place=texts.place,
        who="the board",
    )


def _moved(
    expected: list[str], actual: list[str]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return where a piece should be and where it is, if only that differs."""
    if [len(line) for line in expected] != [len(line) for line in actual]:
        return None
    places: list[tuple[int, int]] = []
    for row, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        if wanted != got:
            places += [(row, i) for i in range(len(wanted)) if wanted[i] != got[i]][:3]
        if len(places) > 2:
            return None
    if len(places) != 2:
        return None
    signs = [(expected[row][i], actual[row][i]) for row, i in places]
    if signs[0] != signs[1][::-1]:
        return None
    # The blank is the sign that is more frequent on the board.
    shown = "".join(expected[row] for row, _ in places)
    should_first = shown.count(signs[0][0]) <= shown.count(signs[0][1])
    return (places[0], places[1]) if should_first else (places[1], places[0])


@rule_about(Stage.OUTPUT_BEFORE_INPUTS, 10, "shows the board twice", TEXTS)
def board_shown_twice(failure: Failure, texts: TextEdit) -> str | None:
    block, size = texts.inserted, len(texts.inserted)
    if texts.removed or size < 2 or texts.actual[: texts.at][-size:] != block:
        return None
    if is_board(block):
        return failure.says("is shown twice in a row", place=texts.place, who="the board")
    first = quoted(next((line for line in block if line.strip()), ""))
    clause = f"the same {size} lines twice in a row, including {first}"
    return failure.says(f"{texts.verb} {clause}", place=texts.place)


@rule_about(Stage.KNOWN_MISTAKE, 140, "does not show the board", TEXTS)
def board_not_shown(failure: Failure, texts: TextEdit) -> str | None:
    if texts.inserted or not holds_board(texts.removed):
        return None
    who = "the board" if is_board(texts.removed) else "the text with the board"
    clause = f"is missing: it should start at line {texts.at + 1}"
    return failure.says(clause, place=texts.place, who=who)


@rule_about(Stage.KNOWN_MISTAKE, 150, "shows the board when it should not", TEXTS)
def board_shown_unasked(failure: Failure, texts: TextEdit) -> str | None:
    if texts.removed or not is_board(texts.inserted):
        return None
    if failure.is_to_end:
        return failure.says("should end; it shows the board", place=texts.place)
    wanted = next((line for line in texts.expected[texts.at :] if line.strip()), None)
    there = "nothing" if wanted is None else quoted(wanted)
    clause = f"is shown at line {texts.at + 1}, where {there} should be"
    return failure.says(clause, place=texts.place, who="the board")
