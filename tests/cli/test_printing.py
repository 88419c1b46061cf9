"""Results that go into a pipe."""

from __future__ import annotations

import pytest
from rich.table import Table

from harness.cli.printing import print_result, result_console


def test_a_pipe_gets_a_row_a_line_and_no_blanks_at_the_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = Table("clause", "what", box=None, show_edge=False)
    table.add_row("3.1", "word " * 60)
    table.add_row("3.2", "short")
    print_result(table)
    result_console().print("a line  ")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["clause", "3.1", "3.2", "a"]
    assert lines[1].count("word") == 60
    assert lines == [line.rstrip() for line in lines]
