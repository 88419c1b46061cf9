"""The command line that grades a class again, made from the one that graded it."""

import click
import pytest

from harness.cli.again import words_to_repeat
from harness.cli.commands.grading.grade import command

DUE = "2024-09-24T17:00+10:00"
# By the words after `harness grade`: those of the command that grades the whole class again.
REPEATED = {
    "in": "in",
    "in --fresh": "in",
    f"in --due {DUE} --roster r.csv": f"--due {DUE} --roster r.csv in",
    f"--due={DUE} -o out in": f"--due {DUE} --output out in",
    "a b --only 2003 --only=2004": "a b",
    "in --watch -v": "--verbose in",
    "in --without-tag slow --without-tag odd": "--without-tag slow --without-tag odd in",
    "--assignment tiny -- -in": "--assignment tiny -- -in",
}


@pytest.mark.parametrize("entered", REPEATED)
def test_the_whole_class_is_graded_again_by_the_same_rules(entered: str) -> None:
    again = ("harness", "grade", *REPEATED[entered].split())
    assert words_of(entered.split()) == again
    # A repeated command repeats itself.
    assert words_of([*again[2:]]) == again


def words_of(entered: list[str]) -> tuple[str, ...]:
    with command.make_context("grade", entered) as context:
        assert isinstance(context, click.Context)
        return words_to_repeat(context)
