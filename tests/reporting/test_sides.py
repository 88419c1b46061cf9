"""What one side of a comparison shows: nothing to decode, and no flood."""

from __future__ import annotations

import pytest

from harness.model.verdict import Channel, Difference, DiffLine
from harness.reporting.html.cells import cell_html, signs_used
from harness.reporting.view.differences.comparison import Comparison, comparison, of_texts
from harness.reporting.view.differences.sides import side_lines
from tests.reporting.report_samples import returned


def shown(part: Comparison, side: str) -> list[str]:
    return [
        (f"{line.number}: " if line.number else "") + (line.note or str(cell_html(line.cell)))
        for line in side_lines(part, side)
    ]


def test_a_file_that_should_be_empty_is_called_empty() -> None:
    part = comparison(
        Difference(
            channel=Channel.WRITES,
            subject="file out.txt",
            expected="",
            actual="a\n",
            lines=(DiffLine(expected="", actual="a"), DiffLine(expected=None, actual="")),
            at_line=1,
        )
    )
    assert shown(part, "expected") == ["(empty)"]


def of_values(*lines: tuple[str | None, str | None]) -> Comparison:
    rows = tuple(DiffLine(expected=expected, actual=actual) for expected, actual in lines)
    left, right = (
        "\n".join(side for side in sides if side is not None) for sides in zip(*lines, strict=True)
    )
    return comparison(
        Difference(
            channel=Channel.RETURNS,
            subject="return value",
            expected=left,
            actual=right,
            lines=rows,
            at_line=1,
            at_column=1,
        )
    )


def test_a_list_in_place_of_none_is_no_text() -> None:
    part = of_values(("None", "("), (None, "    [1],"), (None, ")"))
    assert shown(part, "expected") == ["None"]
    assert shown(part, "actual") == ["(", "    [1],", ")"]
    assert part.where == ""


@pytest.mark.parametrize(
    ("expected", "actual", "rows"),
    [
        ("(0, 0, 1)", "(1, 1, 1)", ("(<m>0</m>, <m>0</m>, 1)", "(<m>1</m>, <m>1</m>, 1)")),
        ("[2, 6]", "[2, 4, 6]", ("[2, 6]", "[2, <m>4</m>, 6]")),
        ("False", "True", ("<m>False</m>", "<m>True</m>")),
        ("[(2, 1), (2, 2)]", "[(2, 1), (3, 1)]",
         ("[(2, 1), (<m>2</m>, <m>2</m>)]", "[(2, 1), (<m>3</m>, <m>1</m>)]")),
        ("'ac'", "'abd'", ("'a<m>c</m>'", "'a<m>b</m>d'")),  # a text
    ],
)  # fmt: skip
def test_every_item_that_differs_is_marked(
    expected: str, actual: str, rows: tuple[str, str]
) -> None:
    row = comparison(returned(expected, actual, 2)).rows[0]
    found = [str(cell_html(cell)).replace("mark>", "m>") for cell in (row.expected, row.actual)]
    assert tuple(found) == rows


def test_a_list_of_places_is_no_board() -> None:
    assert comparison(returned("[(2, 1), (2, 2)]", "[(2, 1), (3, 1)]", 4)).grids is None


def test_a_flood_is_shown_three_times() -> None:
    part = of_texts("ask: ", "no\n" * 40, "turn")
    assert [line.note or line.cell.text for line in side_lines(part, "expected")] == ["ask: "]
    lines = [line.note or line.cell.text for line in side_lines(part, "actual")]
    assert lines[:3] == ["no"] * 3
    assert lines[3].startswith("… the same line ")
    assert len(lines) <= 5


def test_long_equal_transcripts_show_the_neighbourhood_with_numbers() -> None:
    board = [f"row {n}" for n in range(1, 13)]
    expected = "\n".join([*board, "O to move", "Move: "])
    part = of_texts(expected, expected.replace("O to", "X to"), "turn")
    assert [line.note or (line.number, line.cell.text) for line in side_lines(part, "actual")] == [
        "… 9 lines agree",
        (10, "row 10"),
        (11, "row 11"),
        (12, "row 12"),
        (13, "X to move"),
        (14, "Move: "),
    ]
    assert part.where.startswith("First difference: line 13, character 1")


def test_a_missing_line_is_said_of_the_programs_side_alone() -> None:
    part = of_texts("a\nb\nc\n", "a\nc\n", "turn")
    assert [line.note or line.cell.text for line in side_lines(part, "actual")] == [
        "a", "(missing)", "c",
    ]  # fmt: skip
    part = of_texts("a\nc\n", "a\nb\nc\n", "turn")
    assert [line.note or line.cell.text for line in side_lines(part, "expected")] == ["a", "c"]


def test_the_key_names_the_signs_that_are_used() -> None:
    assert signs_used("a<i>·</i>b<i>¬</i>") == "· is a space, ¬ the end of a line."
    assert signs_used("<b>⏎</b>") == "⏎ is Enter alone."
    assert signs_used("a b") == ""
