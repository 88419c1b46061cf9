"""What one side of a comparison shows: nothing to decode, and no flood."""

from __future__ import annotations

import pytest

from harness.judging.comparison import compare_texts
from harness.model.verdict import Channel, Comparison
from harness.reporting.html.environment import cell_html, signs_used
from harness.reporting.view.comparisons import first_difference, side_lines
from tests.reporting.report_samples import printed, returned


def shown(part: Comparison, side: str) -> list[str]:
    return [
        (f"{line.number}: " if line.number else "") + (line.note or str(cell_html(line.cell)))
        for line in side_lines(part, side)
    ]


def test_a_file_that_should_be_empty_is_called_empty() -> None:
    part = compare_texts(Channel.WRITES, "file out.txt", "", "a\n")
    assert shown(part, "expected") == ["(empty)"]


def test_a_list_in_place_of_none_is_no_text() -> None:
    part = returned("None", f"([1], {'-' * 60!r})")
    assert shown(part, "expected") == ["None"]
    assert shown(part, "actual") == ["(", "    [1],", f"    {'-' * 60!r},", ")"]
    assert first_difference(part) == ""


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
def test_every_item_that_differs_is_marked(
    expected: str, actual: str, rows: tuple[str, str]
) -> None:
    row = returned(expected, actual).rows[0]
    found = [str(cell_html(cell)).replace("mark>", "m>") for cell in (row.expected, row.actual)]
    assert tuple(found) == rows


def test_a_list_of_places_is_no_board() -> None:
    assert returned("[(2, 1), (2, 2)]", "[(2, 1), (3, 1)]").grids is None


def test_a_flood_is_shown_three_times() -> None:
    part = printed("ask: ", "no\n" * 40)
    assert [line.note or line.cell.text for line in side_lines(part, "expected")] == ["ask: "]
    lines = [line.note or line.cell.text for line in side_lines(part, "actual")]
    assert lines[:3] == ["no"] * 3
    assert lines[3].startswith("… the same line ")
    assert len(lines) <= 5


def test_long_equal_transcripts_show_the_neighbourhood_with_numbers() -> None:
    board = [f"row {n}" for n in range(1, 13)]
    expected = "\n".join([*board, "O to move", "Move: "])
    part = printed(expected, expected.replace("O to", "X to"))
    assert [line.note or (line.number, line.cell.text) for line in side_lines(part, "actual")] == [
        "… 9 lines agree",
        (10, "row 10"),
        (11, "row 11"),
        (12, "row 12"),
        (13, "X to move"),
        (14, "Move: "),
    ]
    assert first_difference(part).startswith("First difference: line 13, character 1")


def test_a_missing_line_is_said_of_the_programs_side_alone() -> None:
    part = printed("a\nb\nc\n", "a\nc\n")
    assert [line.note or line.cell.text for line in side_lines(part, "actual")] == [
        "a", "(missing)", "c",
    ]  # fmt: skip
    part = printed("a\nc\n", "a\nb\nc\n")
    assert [line.note or line.cell.text for line in side_lines(part, "expected")] == ["a", "c"]


def test_the_key_names_the_signs_that_are_used() -> None:
    assert signs_used("a<i>·</i>b<i>¬</i>") == "· is a space, ¬ the end of a line."
    assert signs_used("<b>⏎</b>") == "⏎ is Enter alone."
    assert signs_used("a b") == ""
