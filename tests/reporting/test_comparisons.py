"""Comparisons as pages show them: rows and marks, one side, boards, the first difference."""

from functools import partial

import pytest

from harness.judging.side_by_side.boards import board_arguments
from harness.judging.side_by_side.comparison import compare_texts, compare_values, described
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Binding, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel, Comparison, Grid
from harness.reporting.html.environment import cell_html, signs_used
from harness.reporting.view.comparisons import first_difference, side_lines
from harness.reporting.view.paste import shown_call
from harness.stimuli.call import Call
from tests.reporting.report_samples import printed, returned

of_file = partial(compare_texts, Channel.WRITES, "file out.txt")


def sides(part: Comparison) -> list[tuple[str, str]]:
    return [(str(cell_html(row.expected)), str(cell_html(row.actual))) for row in part.rows]


NOTHING, EMPTY, MISSING, NOTHING_SHOWN = (
    f'<span class="none">({words})</span>'
    for words in ("nothing printed", "empty", "missing", "nothing")
)
SPACE, TAB, END = "<i> </i>", '<i class="tab">\t</i>', '<i class="end"></i>'
ENDED, UNENDED = f"<mark>{END}</mark>", '<mark><i class="none">(no line end)</i></mark>'
OTHER_SPACE = f"<mark>{SPACE}</mark>"
SHOWS_8 = compare_texts(Channel.SHOWS, "shown text, step 1: f()", "", "8")
IN_WORDS = described(Channel.PRINTS, "printed text", 'text that contains "Red"', "Black\nwins")
EMPTY_IN_WORDS = described(Channel.WRITES, "file out.txt", "a text with 'x'", "")
# What is compared, and its rows.
SIDES: list[tuple[Comparison, list[tuple[str, str]]]] = [
    (printed("same", "same"), [("same", "same")]),
    (printed("a b", "a  b"), [(f"a{SPACE}<mark>b</mark>{END}", f"a{SPACE}{OTHER_SPACE}b{END}")]),
    (printed("a", "a "), [(f"a{ENDED}", f"a{OTHER_SPACE}{END}")]),
    (printed("a\tb", "a b"), [(f"a<mark>{TAB}</mark>b{END}", f"a{OTHER_SPACE}b{END}")]),
    (printed("a\n", "a"), [(f"a{ENDED}", f"a{UNENDED}")]),
    (printed("a", "a\n"), [(f"a{UNENDED}", f"a{ENDED}")]),
    (printed("a\nb\nc", "a\nc"), [("a", "a"), (f"<mark>b</mark>{END}", MISSING), ("c", "c")]),
    (printed("a", "a\n\n"), [(f"a{UNENDED}", f"a{ENDED}"), (MISSING, END)]),
    (printed("a\n", "a\nb\n"), [("a", "a"), (MISSING, f"<mark>b</mark>{END}")]),
    (printed("a\n", ""), [(f"<mark>a</mark>{END}", NOTHING)]),
    (printed("", "a"), [(NOTHING, f"<mark>a</mark>{END}")]),
    (printed("", ""), []),
    (
        printed("x\ny", "X\nY"),
        [(f"<mark>x</mark>{END}", f"<mark>X</mark>{END}"), (f"y{END}", f"Y{END}")],
    ),
    (of_file("a\n", "a \n"), [(f"a{ENDED}", f"a{OTHER_SPACE}{END}")]),
    (of_file("a\n", "a"), [(f"a{ENDED}", f"a{UNENDED}")]),
    (of_file("a\n", ""), [(f"<mark>a</mark>{END}", EMPTY)]),
    (of_file("", "a\n"), [(EMPTY, f"<mark>a</mark>{END}")]),
    (SHOWS_8, [(NOTHING_SHOWN, f"<mark>8</mark>{END}")]),
    (returned("[1, 2]", "[1, 3]"), [("[1, <mark>2</mark>]", "[1, <mark>3</mark>]")]),
    (IN_WORDS, [('text that contains "Red"', "Black\nwins")]),
    (EMPTY_IN_WORDS, [("a text with 'x'", EMPTY)]),
]


@pytest.mark.parametrize(("part", "rows"), SIDES)
def test_both_sides_are_aligned_and_marked(part: Comparison, rows: list[tuple[str, str]]) -> None:
    assert sides(part) == rows


def test_a_short_value_is_stacked_and_what_is_described_is_in_words() -> None:
    assert returned("[1, 2]", "[1, 3]").stacked
    assert IN_WORDS.in_words


def test_long_text_is_cut_around_the_first_difference() -> None:
    expected = [f"line {i}" for i in range(1000)]
    part = printed("\n".join(expected), "\n".join([*expected[:500], "other", *expected[501:]]))
    assert part.left_out_before + len(part.rows) + part.left_out_after == 1000
    assert len(part.rows) <= 60
    assert part.differs
    part = printed("x" * 5000 + "a" + "y" * 5000, "x" * 5000 + "b" + "y" * 5000)
    left, right = sides(part)[0]
    assert "<mark>a</mark>" in left
    assert "<mark>b</mark>" in right
    assert len(left) < 700


@pytest.mark.parametrize(
    ("expected", "actual", "rows"),
    [
        ("(0, 0, 1)", "(1, 1, 1)", ("(<m>0</m>, <m>0</m>, 1)", "(<m>1</m>, <m>1</m>, 1)")),
        ("[2, 6]", "[2, 4, 6]", ("[2, 6]", "[2, <m>4</m>, 6]")),
        ("False", "True", ("<m>False</m>", "<m>True</m>")),
        ("[(2, 1), (2, 2)]", "[(2, 1), (3, 1)]",
         ("[(2, 1), (<m>2</m>, <m>2</m>)]", "[(2, 1), (<m>3</m>, <m>1</m>)]")),
        ("'ac'", "'abd'", ("'a<m>c</m>'", "'a<m>b</m>d'")),  # a text
        ("['é', 1]", "['é', 2]", ("['é', <m>1</m>]", "['é', <m>2</m>]")),
    ],
)  # fmt: skip
def test_all_that_differs_is_marked(expected: str, actual: str, rows: tuple[str, str]) -> None:
    row = returned(expected, actual).rows[0]
    found = [str(cell_html(cell)).replace("mark>", "m>") for cell in (row.expected, row.actual)]
    assert tuple(found) == rows


FLOOD = printed("ask: ", "no\n" * 40)
LONGER_FLOOD = printed("ask: ", "no\n" * 100)  # longer than what is aligned
A_LIST = returned("None", f"([1], {'-' * 60!r})")
BOARD = "\n".join([*(f"row {n}" for n in range(1, 13)), "O to move", "Move: "])
LONG = printed(BOARD, BOARD.replace("O to", "X to"))
# What is compared, a side of it, and its lines, with their numbers where they are shown.
SHOWN: list[tuple[Comparison, str, list[str]]] = [
    (of_file("", "a\n"), "expected", ["(empty)"]),
    (A_LIST, "expected", ["None"]),
    (A_LIST, "actual", ["(", "    [1],", f"    {'-' * 60!r},", ")"]),
    (FLOOD, "expected", ["ask: "]),
    (FLOOD, "actual", ["no", "no", "no", "… the same line 13 more times", "… 24 more lines"]),
    (LONGER_FLOOD, "actual", ["no", "no", "no", "… the same line 13 more times",
                              "… 84 more lines"]),
    (LONG, "actual", ["… 9 lines agree", "10: row 10", "11: row 11", "12: row 12",
                      "13: X to move", "14: Move: "]),
    # That a line is missing is said of the program's side alone.
    (printed("a\nb\nc\n", "a\nc\n"), "actual", ["a", "(missing)", "c"]),
    (printed("a\nc\n", "a\nb\nc\n"), "expected", ["a", "c"]),
]  # fmt: skip


@pytest.mark.parametrize(("part", "side", "lines"), SHOWN)
def test_one_side_from_the_top(part: Comparison, side: str, lines: list[str]) -> None:
    assert [
        (f"{line.number}: " if line.number else "") + (line.note or line.cell.text)
        for line in side_lines(part, side)
    ] == lines


def test_the_key_names_the_signs_that_are_used() -> None:
    assert signs_used(f"a{SPACE}b{END}") == "· is a space, ¬ the end of a line."
    assert signs_used("<b>⏎</b>") == "⏎ is only Enter."
    assert signs_used("a b") == ""


@pytest.mark.parametrize(
    ("expected", "actual", "mark", "words"),
    [
        ("['XO', '--']", "['XO', 'X-']", (1, 0), "at [1][0]: expected '-', your program has 'X'"),
        ("['XO', '--']", "['XO']", (1, 0), "expected '-', your program has no such row"),
        ("['XO', '--']", "['XO', '-']", (1, 1), "expected '-', your program has nothing"),
        ("[[1, 0], [0, 1]]", "[[1, 0], [0, '1']]", (1, 1), "expected 1, your program has '1'"),
        ("[\n    ['a', 'b'],\n    ['c', 'd'],\n]", "[['a', 'b'], ['c', 'x']]", (1, 1), "'x'"),
    ],
)
def test_two_boards_are_shown_side_by_side(
    expected: str, actual: str, mark: tuple[int, int], words: str
) -> None:
    part = returned(expected, actual)
    assert part.grids is not None
    row, index = mark
    assert part.grids.expected.rows[row][index].differs
    assert not any(cell.differs for cell in part.grids.expected.rows[row][:index])
    assert words in first_difference(part)


def test_an_object_is_not_a_cell() -> None:
    row = (Value(ValueKind.OBJECT, "Account"), Value.of(1))
    board = Value(ValueKind.LIST, items=(Value(ValueKind.LIST, items=row),) * 2)
    assert compare_values(Channel.RETURNS, "", board, Value.parse("[[1, 2]]")).grids is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("['X-', '-O']", "None"),
        ("[(2, 1), (2, 2)]", "[(2, 1), (3, 1)]"),  # places
        ("['apple', 'peach', 'melon', 'grape']", "['apple', 'peach', 'melon', 'grapes']"),
        ("[]", "['XO', 'XO']"),
        ("[['a', 'b']]", "[['a', 'c']]"),
        ("['XO', 'OX']", "('XO', 'OX')"),  # another type, the same cells
        (repr(["XO"] * 27), "['XO', 'OO']"),
        ("[" * 99 + "]" * 99, "[]"),
        ("['X" + "-" * 50 + "', 'X" + "-" * 50 + "']", "['X', 'Y']"),
    ],
)
def test_no_boards(expected: str, actual: str) -> None:
    assert returned(expected, actual).grids is None


def calling(expression: str, **names: str) -> Stimulus:
    bindings = tuple(Binding(name=name, literal=literal) for name, literal in names.items())
    return Stimulus(action=Call(expression=expression), bindings=bindings)


def rows(board: Grid) -> list[str]:
    return ["".join(cell.text for cell in row) for row in board.rows]


@pytest.mark.parametrize(
    ("stimulus", "text", "boards"),
    [
        (calling("win([['X', E], [E, 'O']], 2)"), "win(board, 2)", ["X ", " O"]),
        (calling("win(b, n)", b="['XO', '--']", n="2"), "win(b, n)  with  n = 2", ["XO", "--"]),
        (calling("win(['XO', '--'], board)", board="['a', 'b']"),
         "win(board, board)  with  board = ['a', 'b']", ["XO", "--"]),
        (calling("win(3)"), "win(3)", []),
        (calling("win(['--'] * 8)"), "win(['--'] * 8)", []),
        (calling("win("), "win(", []),
        (calling("win(b)", b="2"), "win(b)  with  b = 2", []),
    ],
)  # fmt: skip
def test_boards_of_a_call(stimulus: Stimulus, text: str, boards: list[str]) -> None:
    found = shown_call(stimulus, {"E": "' '"})
    assert found.text == text
    assert [row for _, board in found.boards for row in rows(board)] == boards


GIVEN = """\
LOW = 1
def drawn(*rows): return [list(row) for row in rows]
grid = drawn("XO", "--")
"""
MADE = ("XO", "--")
BOARD_VALUE = Value.of([list(row) for row in MADE])


@pytest.mark.parametrize(
    ("expression", "text", "set_up", "names"),
    [
        ('play(drawn("XO", "--"), 2)', "play(board, 2)", "", ["board"]),
        ("play(grid, 2)", "play(grid, 2)", "", ["grid"]),
        ("play(grid, LOW)", "play(grid, LOW)", "LOW = 1", ["grid"]),
        ("play(grid, drawn(grid[0], grid[1]))", "play(grid, board)", "", ["grid", "board"]),
        ('play(["XO"] + ["--"], 2)', "play(board, 2)", "", ["board"]),
        ('play([list("XO"), ["-"] * 2], 2)', "play(board, 2)", "", ["board"]),
        ("play(*grid)", "play(*grid)", "\n".join(GIVEN.split("\n")[1:3]), []),
        ("play(drawn)", "play(drawn)", GIVEN.split("\n")[1], []),
        ('len(drawn("XO", "--")) + 1', 'len(drawn("XO", "--")) + 1', GIVEN.split("\n")[1], []),
    ],
)
def test_boards_given_to_a_call(expression: str, text: str, set_up: str, names: list[str]) -> None:
    stimulus = Stimulus(action=Call(expression=expression), given=GIVEN)
    second = BOARD_VALUE if "grid[1]" in expression else Value.of(2)
    arguments = (Value.of(2),) if "(drawn)" in expression else (BOARD_VALUE, second)
    seen = Observation(ending=Ending.ANSWERED, arguments_before=arguments)
    found = shown_call(stimulus, {}, board_arguments(stimulus, seen))
    assert (found.text, found.set_up) == (text, set_up)
    assert [(name, rows(grid)) for name, grid in found.boards] == [
        (name, list(MADE)) for name in names
    ]


def test_a_board_that_is_written_out_is_not_kept_again() -> None:
    seen = Observation(ending=Ending.ANSWERED, arguments_before=(BOARD_VALUE,))
    for stimulus in (calling('win([["X", O], ["-", "-"]])'), calling("win(b)", b=repr(MADE))):
        assert board_arguments(stimulus, seen) == ()
    assert len(board_arguments(calling("win(b)"), seen)) == 1


A_LINE = "a line that is longer than one can take in at a glance"
FIRST: list[tuple[Comparison, str]] = [
    (printed("one\ntwo\n", "one\ntoo\n"),
     "line 2, character 2: expected “w”, your program has “o”."),
    (printed("a b\nc\n", "a  b\nc\n"),
     "line 1, character 3: expected “b”, your program has a space."),
    (printed("a\nb\nc\n", "a\nc\n"), "line 2 is missing."),
    (printed("a\nc\n", "a\nb\nc\n"), "line 2 is one too many."),
    (printed("a\nbb\n", "a\nb\n"), "2: expected “b”, your program has the end of the line."),
    (printed("x\n" * 30 + "a\n", "x\n" * 30 + "b\n"), "line 31, character 1: expected “a”"),
    (LONG, "First difference: line 13, character 1"),
    (printed("a\nb\n", "a\nb"), "line 2: your program prints no line end there."),
    (printed("a\nb", "a\nb\n"),
     "line 2: your program prints an extra line end."),
    (printed("a\x1b\nc\n", "ab\nc\n"), r"expected “\x1b”, your program has “b”."),
    (of_file(f"{A_LINE}\n", A_LINE), "First difference: the end: your file has no line end there."),
    (of_file(A_LINE, f"{A_LINE}\n"),
     "First difference: the end: your file has an extra line end."),
    (printed("a\nb\n", ""), ""),  # nothing printed
    (returned("None", "'X'"), ""),  # short enough to see
    (A_LIST, ""),
]  # fmt: skip


@pytest.mark.parametrize(("part", "words"), FIRST)
def test_the_first_difference_in_words(part: Comparison, words: str) -> None:
    assert words in first_difference(part)
    assert bool(words) == bool(first_difference(part))
