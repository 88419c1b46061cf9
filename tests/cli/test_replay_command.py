"""`harness replay`: one scenario of a graded submission on a terminal again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny_course import Course


@pytest.mark.parametrize(
    ("scenario", "shown"),
    [
        ("is_valid/a-word", '>>> is_valid("three")\nFalse\n(answered)\n'),
        ("basket/to-the-end", ">>> basket\n[1, 2, 3]\n(answered)\n"),
        ("main/two-amounts", "$ python3 a1.py\n"),
    ],
)
def test_it_shows_the_terminal(graded_once: Course, scenario: str, shown: str) -> None:
    outcome = graded_once.run("replay", "reports/tiny", "perfect", scenario)
    assert outcome.status == 0, outcome.err
    assert shown in outcome.out


def test_other_files_than_the_graded_ones_are_refused(graded: Course) -> None:
    graded.write("submissions/tiny/perfect/a1.py", "x = 1\n")
    outcome = graded.run("replay", "reports/tiny", "perfect", "is_valid/a-word")
    assert outcome.status == 2
    assert "this is not what was graded as perfect" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reports/tiny", "nobody", "is_valid/a-word"), "no submission 'nobody'"),
        (("reports/tiny", "perfect", "a-word"), "did you mean is_valid/a-word"),
        (("elsewhere", "perfect", "is_valid/a-word"), "there is no run here"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(
    graded_once: Course, arguments: tuple[str, ...], message: str
) -> None:
    outcome = graded_once.run("replay", *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_file_elsewhere_may_be_named(graded_once: Course, tmp_path: Path) -> None:
    source = graded_once.path("submissions/tiny/perfect/a1.py")
    (tmp_path / "a1.py").write_bytes(source.read_bytes())
    outcome = graded_once.run(
        "replay", "reports/tiny", "perfect", "is_valid/a-word", "--submission", tmp_path
    )
    assert outcome.status == 0, outcome.err
