"""Differences as rows: aligned, one mark, and never too much."""

from __future__ import annotations

import time

import pytest

from harness.judging.comparison import compare_texts, described
from harness.model.verdict import Channel, Comparison
from harness.reporting.html.environment import cell_html
from harness.reporting.view.comparisons import first_difference
from tests.reporting.report_samples import printed, returned


def sides(part: Comparison) -> list[tuple[str, str]]:
    return [(str(cell_html(row.expected)), str(cell_html(row.actual))) for row in part.rows]


NOTHING = '<span class="none">(nothing printed)</span>'
NO_LINE = '<span class="none">(missing)</span>'


@pytest.mark.parametrize(
    ("expected", "actual", "rows"),
    [
        ("same", "same", [("same", "same")]),
        (
            "a b",
            "a  b",
            [("a<i>·</i><mark>b</mark><i>¬</i>", "a<i>·</i><mark><i>·</i></mark>b<i>¬</i>")],
        ),
        ("a", "a ", [("a<mark><i>¬</i></mark>", "a<mark><i>·</i></mark><i>¬</i>")]),
        ("a\tb", "a b", [("a<mark><i>⇥</i></mark>b<i>¬</i>", "a<mark><i>·</i></mark>b<i>¬</i>")]),
        (
            "a\n",
            "a",
            [("a<mark><i>¬</i></mark>", 'a<mark><i class="none">(no line end)</i></mark>')],
        ),
        (
            "a",
            "a\n",
            [('a<mark><i class="none">(no line end)</i></mark>', "a<mark><i>¬</i></mark>")],
        ),
        ("a\nb\nc", "a\nc", [("a", "a"), ("<mark>b</mark><i>¬</i>", NO_LINE), ("c", "c")]),
        (
            "a",
            "a\n\n",
            [
                ('a<mark><i class="none">(no line end)</i></mark>', "a<mark><i>¬</i></mark>"),
                (NO_LINE, "<i>¬</i>"),
            ],
        ),
        ("a\n", "a\nb\n", [("a", "a"), (NO_LINE, "<mark>b</mark><i>¬</i>")]),
        ("a\n", "", [("<mark>a</mark><i>¬</i>", NOTHING)]),
        ("", "a", [(NOTHING, "<mark>a</mark><i>¬</i>")]),
        ("", "", []),
        (
            "x\ny",
            "X\nY",
            [
                ("<mark>x</mark><i>¬</i>", "<mark>X</mark><i>¬</i>"),
                ("y<i>¬</i>", "Y<i>¬</i>"),
            ],
        ),
    ],
)
def test_texts_side_by_side(expected: str, actual: str, rows: list[tuple[str, str]]) -> None:
    assert sides(printed(expected, actual)) == rows


def of_file(expected: str, actual: str) -> Comparison:
    return compare_texts(Channel.WRITES, "file out.txt", expected, actual)


EMPTY = '<span class="none">(empty)</span>'


@pytest.mark.parametrize(
    ("expected", "actual", "rows"),
    [
        ("a\n", "a \n", [("a<mark><i>¬</i></mark>", "a<mark><i>·</i></mark><i>¬</i>")]),
        (
            "a\n",
            "a",
            [("a<mark><i>¬</i></mark>", 'a<mark><i class="none">(no line end)</i></mark>')],
        ),
        ("a\n", "", [("<mark>a</mark><i>¬</i>", EMPTY)]),
        ("", "a\n", [(EMPTY, "<mark>a</mark><i>¬</i>")]),
    ],
)
def test_the_lines_of_a_file_have_the_signs_of_printed_ones(
    expected: str, actual: str, rows: list[tuple[str, str]]
) -> None:
    assert sides(of_file(expected, actual)) == rows


def test_a_file_that_lacks_its_last_line_end_prints_none() -> None:
    long = "a line that is longer than one can take in at a glance"
    where = "First difference: the end: your file has no line end there."
    assert first_difference(of_file(f"{long}\n", long)) == where
    where = "First difference: the end: your file has a line end that should not be there."
    assert first_difference(of_file(long, f"{long}\n")) == where


def test_what_a_session_shows_where_nothing_should_be_is_not_called_printed() -> None:
    found = compare_texts(Channel.SHOWS, "what is shown, step 1: f()", "", "8")
    assert sides(found) == [('<span class="none">(nothing)</span>', "<mark>8</mark><i>¬</i>")]


def test_an_empty_file_is_called_empty_where_it_is_expected_in_words() -> None:
    found = described(Channel.WRITES, "file out.txt", "a text with 'x'", "")
    assert sides(found)[0][1] == EMPTY


def test_a_value_is_marked_without_line_ends_and_dots() -> None:
    part = returned("[1, 2]", "[1, 3]")
    assert sides(part) == [("[1, <mark>2</mark>]", "[1, <mark>3</mark>]")]
    assert part.stacked


def test_a_described_expectation_is_not_aligned() -> None:
    expected = 'text that contains "Red wins"'
    part = described(Channel.PRINTS, "printed text", expected, "Black\nwins")
    assert part.in_words
    assert sides(part) == [('text that contains "Red wins"', "Black\nwins")]


def test_a_long_text_is_cut_around_the_first_difference() -> None:
    expected = [f"line {i}" for i in range(1000)]
    actual = [*expected[:500], "other", *expected[501:]]
    part = printed("\n".join(expected), "\n".join(actual))
    assert part.left_out_before + len(part.rows) + part.left_out_after == 1000
    assert len(part.rows) <= 60
    assert part.differs


def test_a_long_line_is_cut_around_the_first_difference() -> None:
    part = printed("x" * 5000 + "a" + "y" * 5000, "x" * 5000 + "b" + "y" * 5000)
    left, right = sides(part)[0]
    assert "<mark>a</mark>" in left
    assert "<mark>b</mark>" in right
    assert len(left) < 700


def test_a_flood_is_laid_out_at_once() -> None:
    started = time.process_time()
    printed("a\nb\n" * 30_000, "b\na\n" * 40_000)
    printed("x\n" * 199, "y\nx\n" * 99)
    assert time.process_time() - started < 2
