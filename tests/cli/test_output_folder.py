"""`-o` writes into a folder that is there, and makes none."""

from __future__ import annotations

import pytest

from tests.tiny_course import Course

COMMANDS = {
    "export": ["reports/tiny", "--to", "json"],
    "compare": ["reports/tiny", "reports/tiny", "--to", "csv"],
    "handout": ["tiny"],
    "gradescope": ["tiny"],
    "classroom50": ["tiny"],
}


@pytest.mark.parametrize(("command", "arguments"), COMMANDS.items(), ids=COMMANDS)
def test_no_folder_is_made(command: str, arguments: list[str], graded_once: Course) -> None:
    outcome = graded_once.run(command, *arguments, "-o", "no/where")
    assert (outcome.status, outcome.out, outcome.err) == (
        2,
        "",
        "error: no/where: there is no folder no. Hint: make it first, or name another\n",
    )
    assert not graded_once.path("no").exists()
